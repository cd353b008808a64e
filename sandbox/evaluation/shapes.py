"""Verdicts and their figures as plain values: what `/evaluate` gives away."""

from sandbox.evaluation.evaluating import Evaluation, Judged
from sandbox.evaluation.roles import RoleTag
from sandbox.evaluation.verdicts import Correction
from sandbox.judges.verdict import AspectVerdict, EntryVerdict, Verdict
from sandbox.metrics.figures import Figure, ReplyFigures
from sandbox.shapes import Plain


def evaluation_fields(found: Evaluation, judge: str) -> Plain:
    """What one judge says of a reply, with its figures over the pool and over what was injected.

    Raises:
        KeyError: if that judge has not judged the reply.
    """
    judged = next((one for one in found.judged if one.kept.verdict.judge == judge), None)
    if judged is None:
        raise KeyError(judge)
    verdict = judged.verdict
    return {
        "reply_id": found.reply.reply.line.id,
        "verdict_id": judged.kept.id,
        "judge": verdict.judge,
        "version": verdict.version,
        "scenario": judged.pool.scenario,
        "entries": _entries(found, verdict),
        "miq": {
            "score": verdict.miq.score,
            "why": verdict.miq.why,
            "failures": list(verdict.miq.failures),
        },
        "situation": verdict.situation,
        "aspects": [_aspect(one) for one in verdict.aspects],
        "figures": _figures(judged),
        "warnings": list(verdict.warnings),
        "corrections": [_correction(one) for one in (*judged.corrections, *found.corrections)],
        "calls": [
            {
                "purpose": call.purpose,
                "prompt": call.prompt,
                "raw": call.raw,
                "seconds": call.seconds,
                "tokens_in": call.tokens_in,
                "tokens_out": call.tokens_out,
                "trouble": call.trouble,
            }
            for call in verdict.calls
        ],
        "seconds": verdict.seconds,
        "not_judged": found.reply.left_out,
    }


def _entries(found: Evaluation, verdict: Verdict) -> list[Plain]:
    texts = {item.id: item for item in found.reply.case.pool}
    return [
        {"id": one.entry, "text": texts[one.entry].text, "type": texts[one.entry].type}
        | _role(found.roles.get(one.entry))
        | {
            "injected": one.entry in found.reply.injected,
            "wanted": one.entry in found.wanted,
        }
        | _usage(one, found.reply.case.reply)
        for one in verdict.entries
    ]


def _role(tag: RoleTag | None) -> Plain:
    if tag is None:
        return {"role": None, "role_source": None, "role_by": None, "role_probability": None}
    return {
        "role": tag.role,
        "role_source": tag.source,
        "role_by": tag.by,
        "role_probability": tag.probability,
    }


def _usage(one: EntryVerdict, reply: str) -> Plain:
    return {
        "usage": one.usage,
        "leaning": one.leaning,
        "spans": [
            {"start": span.start, "end": span.end, "text": reply[span.start : span.end]}
            for span in one.spans
        ],
        "detail": one.detail,
        "why": one.why,
        "rule": one.rule,
        "recall": one.recall,
        "shared_with": list(one.shared_with),
        "probability": one.probability,
        "flips": one.flips,
    }


def _figures(judged: Judged) -> Plain:
    return {"pool": _numbers(judged.pool), "injected": _numbers(judged.injected)}


def _numbers(found: ReplyFigures) -> Plain:
    return {key: _number(figure) for key, figure in found.figures.items()} | {
        "rules_followed": list(found.followed),
        "rules_violated": list(found.violated),
        "has_rules": found.has_rules,
    }


def _number(figure: Figure) -> Plain:
    return {
        "value": figure.value,
        "low": figure.low,
        "high": figure.high,
        "leaning": figure.leaning,
        "eligible": figure.eligible,
        "why": figure.reason or figure.failing,
    }


def _aspect(one: AspectVerdict) -> Plain:
    return {
        "aspect": one.aspect,
        "score": one.score,
        "points": [
            {"number": p.number, "value": p.value, "why": p.why, "quote": p.quote}
            for p in one.points
        ],
    }


def _correction(one: Correction) -> Plain:
    return {
        "subject": one.subject,
        "entry": one.entry,
        "value": one.value,
        "author": one.author,
        "reason": one.reason,
        "at": one.created_at,
    }

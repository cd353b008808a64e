"""What `judge` and `agreement` print."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from sandbox.evaluation import figure_shapes
from sandbox.evaluation.figure_shapes import Plain
from sandbox.evaluation.judging import Compared, Judging, Row
from sandbox.judges.fitted import ROLES_CROSS_VALIDATED
from sandbox.metrics.agreement import Used
from sandbox.metrics.figures import Figure
from sandbox.metrics.formulas import FIGURES, FORMULAS, FigureKey
from sandbox.metrics.measures import Scores, Tag
from sandbox.metrics.pairs import Disagreement
from sandbox.metrics.statistics import RESAMPLES, Estimate
from sandbox.metrics.totals import Totals

_SHORT: dict[FigureKey, str] = {"pes_literal": "PES Eq. 6", "pes_nice": "PES nice"}
"""Column heads where the title is too long."""


def judging_plain(found: Judging, judge: str, out: Path | None) -> Plain:
    """The result of `judge`."""
    return {
        "file": found.file.name,
        "sha256": found.file.sha256,
        "judge": judge,
        "version": found.rows[0].given.verdict.version,
        "out": None if out is None else str(out.absolute()),
        "fitted_on_this_file": found.fitted,
        "not_judged": list(found.troubles),
        "replies": [_reply(row) for row in found.rows],
        "groups": {name: figure_shapes.totals(one) for name, one in found.groups.items()},
        "totals": figure_shapes.totals(found.totals),
        "formulas": figure_shapes.formulas(),
    }


def judging_lines(found: Judging) -> Iterator[str]:
    """A table of the replies by group, and totals."""
    width = max(len(row.given.instance) for row in found.rows)
    head = [_SHORT.get(key, FORMULAS[key].title) for key in FIGURES]
    for name, group in found.groups.items():
        rows = [row for row in found.rows if (row.given.group or name) == name]
        yield f"{name} ({len(rows)})"
        table = [head, *([_cell(row.figures[key]) for key in FIGURES] for row in rows)]
        widths = [max(len(line[place]) for line in table) for place in range(len(head))]
        names = ["instance", *(row.given.instance for row in rows)]
        for label, line in zip(names, table, strict=True):
            cells = (cell.rjust(wide) for cell, wide in zip(line, widths, strict=True))
            yield f"  {label.ljust(width)}  {'  '.join(cells)}"
        yield from _totals(group)
        yield ""
    if len(found.groups) > 1:
        yield f"all ({len(found.rows)})"
        yield from _totals(found.totals)
    if found.fitted:
        yield "The judge was fitted on this file, so its verdicts here flatter it."
    yield (
        "Intervals are 95%: Wilson for proportions of different instances, else a bootstrap over "
        f"instances ({RESAMPLES} resamples, seed {found.totals.seed})."
    )


def compared_plain(found: Compared) -> Plain:
    """The result of `agreement`."""
    return (
        figure_shapes.agreed(found.agreement)
        | {
            "gold": {"file": found.file.name, "sha256": found.file.sha256},
            "instances": {
                "file": found.file.instances.name,
                "sha256": found.file.instances.sha256,
            },
            "judge": found.judge,
            "version": found.version,
            "cross_validated": bool(found.label),
            "label": found.label or None,
            "other_tags": dict(found.file.other_tags),
            "not_judged": list(found.troubles),
        }
        | _roles_measured(found)
    )


def _roles_measured(found: Compared) -> Plain:
    """The roles' cross-validated agreement in place of one that flatters; nothing else."""
    if found.roles_measured is None:
        return {}
    label = {"cross_validated": True, "label": ROLES_CROSS_VALIDATED}
    return {"roles": {**label, **found.roles_measured}}


def compared_lines(found: Compared) -> Iterator[str]:
    """Agreement for people: use, MIQ, tags, slices, the worst disagreements."""
    told = found.agreement
    label = f", {found.label}" if found.label else ""
    yield f"{found.judge} against {found.file.name}{label}: {told.replies} replies"
    yield from _used("used", told.used)
    yield f"MIQ: {_scores(told.miq)}"
    yield from (f"{name}: {_scores(one)}" for name, one in told.aspects.items())
    yield from (f"{name}: {_tag(one)}" for name, one in told.failures.items())
    yield from (f"{name}: {_tag(one)}" for name, one in told.rules.items())
    yield from (f"{name}: {_tag(one)}" for name, one in told.recall.items())
    if told.roles is not None:
        yield from (f"{name}: {_tag(one)}" for name, one in told.roles.tags.items())
        yield (
            f"roles: macro-F1 {_number(told.roles.macro_f1)}, must exactly right in "
            f"{_number(told.roles.exact_must)} of {told.roles.replies} replies"
        )
    if found.roles_measured is not None:
        likeliest = found.roles_measured["likeliest"]
        yield (
            f"roles, {ROLES_CROSS_VALIDATED}: macro-F1 {_number(likeliest['macro_f1']['value'])}, "
            f"must exactly right in {_number(likeliest['exact_must']['value'])}"
        )
    for name, part in {**told.by_language, **told.by_group}.items():
        yield from _used(f"used, {name}", part.used, brief=True)
    if told.worst:
        yield "Worst disagreements:"
    yield from (_disagreement(one) for one in told.worst)
    yield f"Intervals are 95%, by reply ({RESAMPLES} resamples, seed {told.seed})."


def _reply(row: Row) -> Plain:
    return {
        "instance": row.given.instance,
        "group": row.given.group,
        "reply": row.given.reply,
        "figures": figure_shapes.figures(row.figures),
        "warnings": list(row.given.verdict.warnings),
    }


def _cell(figure: Figure) -> str:
    """The figure; for a rho its count."""
    if not figure.key.startswith("rho_"):
        return figure.shown()
    part = figure.parts[0]
    if not part.total:
        return "-"
    most = f"-{part.used + len(part.open)}" if part.open else ""
    return f"{part.used}{most}/{part.total}"


def _totals(found: Totals) -> Iterator[str]:
    for key in FIGURES:
        total = found.figures[key]
        out = "; ".join(
            f"{count} not counted: {reason.rstrip('.')}" for reason, count in total.out.items()
        )
        open_ = f"; {total.leant} by their leaning" if total.leant else ""
        yield f"  {FORMULAS[key].title}: {total.shown()}{open_}{f'  [{out}]' if out else ''}"
    if found.with_rules:
        yield f"  pools with rules: {found.with_rules}; replies that violate one: {found.violated}"


def _used(name: str, found: Used, *, brief: bool = False) -> Iterator[str]:
    yield f"{name}: {_tag(found.tag)}"
    if brief:
        return
    told = [(found.skipped, "skipped"), (found.unsure, "unsure"), (found.unscored, "unscored")]
    yield f"  {', '.join(f'{count} {what}' for count, what in told)}"
    if found.unsure or found.unscored:
        yield f"  decided ({_number(found.coverage)} of the pairs): {_tag(found.decided)}"


def _tag(found: Tag) -> str:
    return (
        f"kappa {_estimate(found.kappa)}, precision {_number(found.precision.value)}, "
        f"recall {_number(found.recall.value)}, F1 {_number(found.f1.value)}, n {found.n}"
    )


def _scores(found: Scores) -> str:
    return (
        f"Spearman {_estimate(found.spearman)}, quadratic kappa "
        f"{_estimate(found.quadratic_kappa)}, exact {_number(found.exact.value)}, within one "
        f"{_number(found.within_one.value)}, n {found.n}, unscored {found.unscored}"
    )


def _disagreement(one: Disagreement) -> str:
    what: Sequence[str] = (one.text, one.why) if one.about == "used" else (one.why,)
    told = " | ".join(" ".join(text.split()) for text in (*what, one.reply) if text)
    entry = f" {one.entry}" if one.entry else ""
    return f"  {one.about} {one.instance}{entry}: gold {one.gold}, judge {one.judge} | {told}"


def _estimate(found: Estimate) -> str:
    span = "" if found.low is None or found.high is None else f" ({found.low:.2f}-{found.high:.2f})"
    return f"{_number(found.value)}{span}"


def _number(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.2f}"

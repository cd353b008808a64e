"""Badges of the checks that need a model: what they found, in numbers, or why there is nothing."""

from collections.abc import Sequence

from sandbox.authoring.authored import Authored
from sandbox.authoring.badge import OURS, UTILMEM, Badge, Look, State, counted
from sandbox.authoring.model_checks.found import (
    Answered,
    CheckKind,
    ClosedBook,
    EvidenceRemoval,
    Path,
)
from sandbox.authoring.model_checks.numbers import (
    aged,
    answer_line,
    mean_of,
    path_lines,
    seeds_of,
)

LEAKS = 0.2
"""Mean score without memory from which a warning is given (ours)."""
KNOWN = 0.5
"""Mean score without memory from which it counts as answerable without memory (ours)."""
CLOSED_FORMULA = (
    "Mean over the answers that were written without any memory. An answer's score is the share "
    "of the must entries (or nice ones, where none is must) whose details it has, wherever it has "
    "them from; for a dialogue 1 if it has any golden one; for a question 1 if it holds the "
    f"reference answer word for word, else the F1 of their words. Warn from {LEAKS}, fail from "
    f"{KNOWN}: both are ours."
)
EVIDENCE_FORMULA = (
    "UtilMem's degradation test: answers with E1 = all evidence, E2 = E1 - R1, E3 = E2 - R2, drawn "
    "by a seed, about half away in all; two judges say for both steps whether the answer with less "
    "is worse, and it holds only if all four say so. Ours: with fewer than three pieces of "
    "evidence, or in a dialogue, one step from all to none; several seeds, each of which must "
    "hold. The means are the closed book's score at each end, the same seed on both sides."
)


def closed_book(look: Look) -> Badge:
    """Whether it can be answered without memory."""
    name: CheckKind = "closed book"
    if why := not_answerable(look.authored):
        return Badge(name, "not scored", why, OURS, formula=CLOSED_FORMULA)
    kept = look.checks.get(name)
    if kept is None or not isinstance(kept.found, ClosedBook):
        return _not_run(name, "No model has tried to answer it without memory.", OURS)
    found = kept.found
    scores = [one.score for one in found.answers if one.score is not None]
    mean = mean_of(scores)
    state, told = _closed_state(mean.value, found)
    numbers = (
        ("answered without memory", mean.told),
        ("threshold", f"warn from {LEAKS}, fail from {KNOWN}"),
        ("answers", f"{len(scores)} of {found.wanted}"),
        ("unscored", str(sum(bool(one.text) and one.score is None for one in found.answers))),
        ("failed", str(sum(not one.text for one in found.answers))),
        ("seeds", seeds_of(one.seed for one in found.answers)),
        ("by", found.model),
        ("scored by", found.scored_by),
    )
    details = (*found.notes, *map(answer_line, found.answers))
    badge = Badge(name, state, told, OURS, numbers, CLOSED_FORMULA, details)
    return aged(badge, kept, look)


def evidence_removal(look: Look) -> Badge:
    """Whether it gets worse as evidence is taken away."""
    name: CheckKind = "evidence removal"
    if why := not_removable(look.authored):
        return Badge(name, "not scored", why, UTILMEM, formula=EVIDENCE_FORMULA)
    kept = look.checks.get(name)
    if kept is None or not isinstance(kept.found, EvidenceRemoval):
        told = "It was not answered with evidence taken away, step by step."
        return _not_run(name, told, UTILMEM)
    found = kept.found
    state, told = _path_state(found.paths)
    details = (*found.notes, *(line for one in found.paths for line in path_lines(one)))
    badge = Badge(name, state, told, UTILMEM, _path_numbers(found), EVIDENCE_FORMULA, details)
    return aged(badge, kept, look)


def not_answerable(authored: Authored) -> str:
    """Why an answer cannot be held against anything; empty where it can."""
    if authored.kind != "episode":
        return not_removable(authored)
    asked = authored.talk.questions if authored.talk else ()
    if any(one.answer is not None for one in asked):
        return ""
    return "There is no question with a reference answer yet."


def not_removable(authored: Authored) -> str:
    """Why there is no evidence that could be taken away; empty where there is."""
    if authored.kind == "episode":
        asked = authored.talk.questions if authored.talk else ()
        known = any(one.supports for one in asked)
        return "" if known else "There is no question that names what it needs yet."
    if authored.kind == "dialogue":
        return "" if authored.golden else "No golden entry is chosen yet."
    if authored.having("must") or authored.having("nice"):
        return ""
    return "No entry is must or nice: nothing of the pool is needed."


def _not_run(name: CheckKind, told: str, section: str) -> Badge:
    formula = CLOSED_FORMULA if name == "closed book" else EVIDENCE_FORMULA
    return Badge(name, "not run", told, section, formula=formula)


def _closed_state(mean: float | None, found: ClosedBook) -> tuple[State, str]:
    if mean is None:
        return "not scored", _no_score(found.answers)
    short = _short(len(found.answers), found.wanted, "answers")
    if mean >= KNOWN:
        told = "It can be answered without any memory: ask for what nobody could guess."
        return "fail", f"{told}{short}"
    if mean >= LEAKS:
        return "warn", f"Some of what it needs comes without memory: read the answers.{short}"
    return "ok", f"Without memory the answer does not have what it needs.{short}"


def _path_state(paths: Sequence[Path]) -> tuple[State, str]:
    held = [one.holds for one in paths]
    known = [one for one in held if one is not None]
    if not known:
        troubles = [told.why for one in paths for told in one.verdicts if told.worse is None]
        why = troubles[0] if troubles else "Nothing was answered."
        return "not scored", f"No path could be judged. {why}"
    unread = len(held) - len(known)
    more = f" {counted(unread, 'path')} could not be judged." if unread else ""
    if all(known) and unread:
        return "warn", f"Every path that could be judged holds.{more}"
    if all(known):
        return "ok", "The answer gets worse with each piece taken away, as every judge says."
    first = next(one for one in paths if one.holds is False)
    where = f"{first.question}, seed {first.seed}" if first.question else f"seed {first.seed}"
    if any(known):
        return "warn", f"Not always worse with less evidence, first at {where}.{more}"
    return "fail", f"It is not worse with less evidence: it does not need it ({where}).{more}"


def _path_numbers(found: EvidenceRemoval) -> tuple[tuple[str, str], ...]:
    pairs = [(one.answers[0].score, one.answers[-1].score) for one in found.paths if one.answers]
    both = [(full, less) for full, less in pairs if full is not None and less is not None]
    verdicts = [told.worse for one in found.paths for told in one.verdicts]
    return (
        ("paths that hold", f"{sum(one.holds is True for one in found.paths)} of {found.wanted}"),
        ("threshold", "every verdict of every path"),
        ("verdicts of worse", f"{verdicts.count(True)} of {len(verdicts)}"),
        ("unreadable", str(verdicts.count(None))),
        ("mean with all evidence", mean_of([full for full, _less in both]).told),
        ("mean with least", mean_of([less for _full, less in both]).told),
        ("drop", mean_of([full - less for full, less in both]).told),
        ("n", str(len(both))),
        ("seeds", seeds_of(one.seed for one in found.paths)),
        ("answered by", found.model),
        ("judged by", " and ".join(found.judges)),
        ("scored by", found.scored_by),
    )


def _short(done: int, wanted: int, what: str) -> str:
    return f" It ended after {done} of {wanted} {what}." if done < wanted else ""


def _no_score(answers: Sequence[Answered]) -> str:
    why = next((one.trouble for one in answers if one.trouble), "Nothing was answered.")
    return f"No answer could be scored. {why}"

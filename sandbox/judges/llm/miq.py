"""From an answer about integration to an MIQ, checked against its own evidence.

Unscored, with the reason: a score that is no whole number of 1..5, a quote that is not in the
reply, no reason, or a reason that only repeats words of the reply (which may ask for a score).
"""

from collections.abc import Sequence
from statistics import median

from sandbox.judges.case import Case
from sandbox.judges.llm import values
from sandbox.judges.llm.forms import MiqForm
from sandbox.judges.llm.quotes import locate
from sandbox.judges.verdict import FAILURES, Miq

NOTHING_USED = "Nothing of the pool is used."
FAILED = "The reply failed, so there is nothing to rate."


def read_miq(case: Case, form: MiqForm) -> Miq:
    """The score with its reason; failures that are not on the list are named in the reason."""
    failures, strange = values.read_failures(form.failures)
    score, reason = values.read_score(form.score), values.words(form.reason)
    if score is None:
        return _unscored(f"The judge's score {values.shown(form.score)} is none of 1 to 5.")
    if trouble := evidence_trouble([case.reply], values.texts(form.quote), reason):
        return _unscored(f"{trouble} It would have been {score}.")
    unknown = f" (Not on the list of failures: {', '.join(strange)[:80]}.)" if strange else ""
    quote = "; ".join(f'"{one}"' for one in values.texts(form.quote))
    return Miq(float(score), f"{reason}{f' {quote[:200]}' if quote else ''}{unknown}", failures)


def evidence_trouble(replies: Sequence[str], quotes: Sequence[str], reason: str) -> str:
    """What is wrong with a judge's reason and quotes; empty where nothing is."""
    if not reason:
        return "The judge gives no reason."
    if any(locate(reply, reason) for reply in replies):
        return "The judge repeats the reply instead of giving a reason."
    for quote in quotes:
        if not any(locate(reply, quote) for reply in replies):
            return f"The judge quotes {values.shown(quote)}, which is not in the reply."
    return ""


def median_miq(drawn: list[Miq]) -> Miq:
    """The median of the scored draws, its reason with the range; the first where none is scored.

    Its failures are those that more than half of the scored draws name.
    """
    scored = [one for one in drawn if one.score is not None]
    if len(drawn) == 1 or not scored:
        return drawn[0]
    scores = [one.score for one in scored if one.score is not None]
    middle = float(median(scores))
    nearest = min(scored, key=lambda one: abs((one.score or 0.0) - middle))
    failures = tuple(
        name for name in FAILURES if 2 * sum(name in one.failures for one in scored) > len(scored)
    )
    span = f"Median of {len(scored)} of {len(drawn)} draws, {min(scores):g} to {max(scores):g}."
    return Miq(middle, f"{span} {nearest.why}", failures)


def _unscored(why: str) -> Miq:
    return Miq(None, why)

"""Several draws of the same question about use, made one."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from sandbox.judges.llm.usage import UsageRead
from sandbox.judges.verdict import EntryVerdict, Usage


def merged(drawn: Sequence[UsageRead]) -> UsageRead:
    """For each entry what most draws say, with the share of the draws that differ as `flips`.

    Draws that leave an entry unscored have no vote. A tie is unsure, leaning by the draws that
    lean, and to not used where these tie too. One draw stays as it is. Evidence is the first
    draw's that says the same (in a tie the first that leans so), notes are all draws'.
    """
    if len(drawn) == 1:
        return drawn[0]
    columns = zip(*(one.entries for one in drawn), strict=True)
    notes = dict.fromkeys(note for one in drawn for note in one.notes)
    return UsageRead(tuple(_entry(column) for column in columns), tuple(notes))


def _entry(column: Sequence[EntryVerdict]) -> EntryVerdict:
    votes = [one for one in column if one.usage != "unscored"]
    if not votes:
        return column[0]
    ranked = Counter(one.usage for one in votes).most_common()
    if len(ranked) == 1 or ranked[0][1] > ranked[1][1]:
        return replace(_by_most(votes, ranked[0][0]), flips=_differing(votes, ranked[0][0]))
    leaning = _leaning(votes)
    witness = next((one for one in votes if one.guess is leaning), votes[0])
    counted = ", ".join(f"{count} {usage}" for usage, count in ranked)
    return replace(
        witness,
        usage="unsure",
        leaning=leaning,
        why=f"The draws disagree: {counted}. {witness.why}".strip(),
        flips=_differing(votes, "unsure"),
    )


def _by_most(votes: Sequence[EntryVerdict], usage: Usage) -> EntryVerdict:
    """The first vote for `usage`; of unsure ones the first that leans as most of them."""
    same = [one for one in votes if one.usage == usage]
    if usage != "unsure":
        return same[0]
    leaning = _leaning(same)
    return next((one for one in same if one.guess is leaning), replace(same[0], leaning=leaning))


def _leaning(votes: Sequence[EntryVerdict]) -> bool:
    used = sum(one.guess is True for one in votes)
    return used > sum(one.guess is False for one in votes)


def _differing(votes: Sequence[EntryVerdict], usage: Usage) -> float:
    return sum(one.usage != usage for one in votes) / len(votes)

"""Replies to the same words as a person sees them who is to choose: unnamed, in no known order."""

from collections.abc import Sequence
from random import Random

from sandbox.evaluation.experiments import BestOf, Compared, Experiment
from sandbox.transcripts import Turn

WITHOUT = "without memory"
"""The id of the choice that was written without memory."""
PERSON = "a person"
"""The voter of a choice that was made by hand."""


def blind_choices(turn: Turn, found: Sequence[Experiment]) -> list[tuple[str, str]]:
    """The turn's replies, and the latest one written without memory, as (id, text).

    In an order that is the same every time and tells nothing. `found` are the experiments on one
    of the replies.
    """
    without = [one.found.without for one in found if isinstance(one.found, Compared)]
    choices = [(line.id, line.text) for line in turn.replies]
    choices += [(WITHOUT, text) for text in without[-1:]]
    Random(f"blind {turn.id}").shuffle(choices)
    return choices


def picked_by_hand(found: Sequence[Experiment]) -> str | None:
    """Id of what a person chose last; null where nobody did."""
    for one in reversed(found):
        if isinstance(one.found, BestOf):
            chosen = [vote.choice for vote in one.found.picked.votes if vote.voter == PERSON]
            if chosen:
                return chosen[-1]
    return None

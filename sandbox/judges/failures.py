"""What each way to fail at weaving a memory in means, and whose word it is."""

from collections.abc import Mapping
from dataclasses import dataclass

from sandbox.judges.verdict import Failure

_STRATMEM, _DYADMEM, _OURS = "StratMem-Bench", "DyadMem", "ours"


@dataclass(frozen=True, slots=True)
class Meaning:
    """One way to fail, in one sentence."""

    text: str
    source: str
    """Who names it; the sentence is the sandbox's own."""


MEANINGS: Mapping[Failure, Meaning] = {
    "awkward": Meaning(
        "The memory stands in the reply like a foreign body: it breaks the flow of the talk.",
        _STRATMEM,
    ),
    "offensive": Meaning("Bringing the memory up hurts, shames or belittles the user.", _STRATMEM),
    "incoherent": Meaning(
        "With the memory in it the reply no longer makes sense, or no longer fits what was asked.",
        _STRATMEM,
    ),
    "contradictory": Meaning(
        "The reply says one thing of a memory and elsewhere, or in the talk, the opposite.", _OURS
    ),
    "distorted": Meaning(
        "The reply tells a memory otherwise than it is: a changed name, number, date or outcome.",
        _OURS,
    ),
    "dumped": Meaning(
        "Memories are listed one after another without doing anything for what was asked.", _OURS
    ),
    "off_goal": Meaning(
        "The memory pulls the reply away from what the user wants of this talk.", _OURS
    ),
    "private": Meaning(
        "The reply gives away something that the user would not want brought up here.", _OURS
    ),
    "stale": Meaning("The reply takes for current what a later memory has replaced.", _OURS),
    "rule_broken": Meaning(
        "The reply does what a standing rule of this user with this character forbids.", _OURS
    ),
    "reopens_hurt": Meaning(
        "The reply opens an old wound that helps nobody at this moment.", _OURS
    ),
    "timeline_confusion": Meaning(
        "What was so at two different times is mixed into one.", _DYADMEM
    ),
    "adjacent_rule_leakage": Meaning(
        "The content or the place of a neighbouring rule slips into the one that applies.",
        _DYADMEM,
    ),
    "incomplete_set": Meaning(
        "Of several things that belong together some are missing, or others are added.", _DYADMEM
    ),
    "bridging_failure": Meaning(
        "From the examples in memory the reply does not get to the rule behind them.", _DYADMEM
    ),
    "entity_substitution": Meaning(
        "A value is swapped for a similar one, or a narrow condition is lost.", _DYADMEM
    ),
    "mixed": Meaning("Several of DyadMem's errors at once.", _DYADMEM),
}
"""Every failure that a verdict can name."""

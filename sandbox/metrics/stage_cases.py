"""The three cases of update: what a model is given, and which operations count (DyadMem)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from memory_banks.entries import ENTRY_TYPES, URAM_TYPES, EntryType
from sandbox.metrics.stage_episode import Captured, Changes

CaseKey = Literal["standalone", "pipeline", "controlled"]
Side = Literal["gold", "model"]
CASE_KEYS: tuple[CaseKey, ...] = get_args(CaseKey)


@dataclass(frozen=True, slots=True)
class Given:
    """What an update starts from."""

    prior: tuple[Captured, ...]
    """The bank before the session."""
    captured: tuple[Captured, ...]
    """What was captured from the session."""


@dataclass(frozen=True, slots=True)
class UpdateCase:
    """One way of posing and scoring an update."""

    key: CaseKey
    title: str
    given: Side
    """Whose prior memory and captures the model is given."""
    deletes_by: Literal["id", "text"]
    """What a delete is compared by: the model's own bank has no gold ids."""
    types: frozenset[EntryType]
    """Operations on entries of these types count, on both sides."""
    text: str
    source: str
    ours: str = ""


CASES: Mapping[CaseKey, UpdateCase] = {
    one.key: one
    for one in (
        UpdateCase(
            "standalone",
            "Standalone",
            "gold",
            "id",
            frozenset(ENTRY_TYPES),
            "gold prior memory and gold captures, so that no error made earlier changes what is "
            "scored; all operations count; deletes by exact id",
            "DyadMem, sections 3.1, G.1 and G.3",
        ),
        UpdateCase(
            "pipeline",
            "Pipeline",
            "model",
            "text",
            frozenset(ENTRY_TYPES),
            "the model's own prior memory and captures; all operations count",
            "DyadMem, sections 3.1, G.1 and I.3",
            "its operations are scored against the gold ones, deletes by the deleted texts; the "
            "source uses the bank that they build for recall and QA",
        ),
        UpdateCase(
            "controlled",
            "Controlled URAM",
            "model",
            "text",
            URAM_TYPES,
            "each variant's own prior memory and captures, scored against the same gold; only "
            "operations on agent_identity, agent_method and agent_knowledge count",
            "DyadMem, sections H.4 and I.6",
            "predicted operations are restricted to the three types as the gold ones are, deletes "
            "are compared by the deleted texts, and an operation without a type counts, since an "
            "invented id must not be free",
        ),
    )
}


def given(case: UpdateCase, gold: Given, model: Given) -> Given:
    """What the model starts from in this case."""
    return gold if case.given == "gold" else model


def pool(start: Given) -> tuple[Captured, ...]:
    """The entries that operations apply to: prior memory and captures, one a key, the last wins.

    An entry without a key is the same as another of its text and type.
    """
    found: dict[object, Captured] = {}
    for one in (*start.prior, *start.captured):
        name = one.key or (one.text, one.type)
        found.pop(name, None)
        found[name] = one
    return tuple(found.values())


def counted_changes(changes: Changes, case: UpdateCase) -> Changes:
    """The operations that the case counts; one whose type is unknown always counts."""
    return Changes(
        tuple(one for one in changes.adds if one.type is None or one.type in case.types),
        tuple(one for one in changes.deletes if one.type is None or one.type in case.types),
    )

"""What people wrote of forgotten turns and memories: gold in their own words goes with them.

Both shapes are known, an instance's talk as it is kept here and an episode's file: sessions with
turns, memories with `turns` or below their turn, questions with supports.
"""

from collections.abc import Collection, Iterator
from typing import Any

from memory_banks.forgetting import FORGOTTEN

_TOLD = ("anchor", "emotion", "scene")


def forgotten_turns(value: Any) -> frozenset[str]:
    """Ids of the turns in `value`, JSON of a talk, whose words are forgotten."""
    return frozenset(
        one["id"]
        for one in _dicts(value)
        if "speaker" in one and "id" in one and one.get("text") == FORGOTTEN
    )


def without_gold_of(value: Any, turns: Collection[str]) -> Any:
    """`value` with no word of memories that rest on these turns, nor of questions that need them.

    A question goes with any memory whose words are forgotten.
    """
    found = _memories(value, frozenset(turns))
    gone = {
        name
        for one in _dicts(found)
        if one.get("text") == FORGOTTEN and isinstance(name := one.get("key", one.get("id")), str)
    }
    return _questions(found, gone | set(turns))


def _memories(value: Any, turns: frozenset[str], *, below: bool = False) -> Any:
    """`below` says that a forgotten turn is around it."""
    if isinstance(value, list):
        return [_memories(one, turns, below=below) for one in value]
    if not isinstance(value, dict):
        return value
    below = below or value.get("id") in turns
    found = {key: _memories(one, turns, below=below) for key, one in value.items()}
    rests = {*(found.get("turns") or ()), *(found.get("also") or ())} if "type" in found else set()
    if "type" in found and "text" in found and (below or rests & turns):
        found |= {key: None for key in _TOLD if key in found} | {"text": FORGOTTEN}
    return found


def _questions(value: Any, gone: Collection[str]) -> Any:
    if isinstance(value, list):
        return [_questions(one, gone) for one in value]
    if not isinstance(value, dict):
        return value
    found = {key: _questions(one, gone) for key, one in value.items()}
    needs = found.get("supports")
    if "unit" in found and isinstance(needs, list) and set(needs) & set(gone):
        found |= {"text": FORGOTTEN} | ({"answer": FORGOTTEN} if found.get("answer") else {})
    return found


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for one in value:
            yield from _dicts(one)
    elif isinstance(value, dict):
        yield value
        for one in value.values():
            yield from _dicts(one)

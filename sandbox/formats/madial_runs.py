"""Released runs of MADial-Bench: what an embedding model ranked first for each dialogue, and last.

A line stands for the dialogue in the same place, or with the same `id`. The English files write
`top-20-ids` and `relevant-id`, the Chinese ones `top_20_ids` and `relevant_id`; the lists of the
last, `bottom-10-ids`, are in one file only.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from sandbox.collected import Quirk
from sandbox.formats.madial_dialogue import MemoryId, Placed
from sandbox.formats.reading import FormatError, invalid, listed, wrong
from sandbox.formats.sources import SourceFile
from sandbox.instances import PoolEntry

BOTTOM = " bottom"
"""How the name of a list of the last ends."""
_SUFFIX = re.compile(r"([_-](zh|en|ch))?[_-]top[_-]?20.*$", re.IGNORECASE)
_TOP = AliasChoices("top-20-ids", "top_20_ids")
_LAST = AliasChoices("bottom-10-ids", "bottom_10_ids")
_GOLDEN = AliasChoices("relevant-id", "relevant_id")
_TURNS = AliasChoices("test-turn", "test_turn")


class _Row(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")

    top: Annotated[list[MemoryId], Field(validation_alias=_TOP)]
    last: Annotated[list[MemoryId], Field(validation_alias=_LAST)] = []
    golden: Annotated[list[int] | None, Field(validation_alias=_GOLDEN)] = None
    turns: Annotated[list[int] | None, Field(validation_alias=_TURNS)] = None
    user: Annotated[int | None, Field(validation_alias=AliasChoices("user-id", "user_id"))] = None
    id: int | str | None = None


@dataclass(slots=True)
class Runs:
    """The rankings of every dialogue by its name, then by the run's; and what was odd."""

    rankings: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    quirks: list[Quirk] = field(default_factory=list)

    def of(self, dialogue: str) -> Mapping[str, tuple[str, ...]]:
        """The rankings of one dialogue; empty where no file has any."""
        return self.rankings.get(dialogue, {})

    def names(self) -> set[str]:
        """What the runs are called."""
        return {name for told in self.rankings.values() for name in told}

    def put(self, dialogue: str, name: str, ids: Sequence[int]) -> None:
        """Keep a ranking; an empty one says nothing."""
        if ids:
            keys = tuple(str(found) for found in ids)
            self.rankings.setdefault(dialogue, {})[name] = keys


def is_run(row: Any) -> bool:
    """Whether a line looks like a ranking."""
    return isinstance(row, dict) and bool(row.keys() & {"top-20-ids", "top_20_ids"})


def run_name(file: str) -> str:
    """What a run is called after its file: `openai` for `openai_zh_top_20_ids.json`."""
    stem = file.rsplit(".", 1)[0]
    return _SUFFIX.sub("", stem) or stem


def read_runs(
    files: Sequence[SourceFile],
    rows: Sequence[Placed],
    pools: Mapping[int, tuple[PoolEntry, ...]],
) -> Runs:
    """The rankings of these files for these dialogues, whose memories are `pools`.

    Raises:
        FormatError: if a file ranks other dialogues or memories, or two have the same name.
    """
    found = Runs()
    for file in files:
        name = run_name(file.name)
        if {name, f"{name}{BOTTOM}"} & found.names():
            raise FormatError(f"{file.name}: is the second run called {name!r}: rename its file")
        for one, number, row in _aligned(file, rows):
            _check(file.name, number, row, one, pools)
            found.quirks += _differing(file.name, number, row, one)
            found.put(one.name, name, row.top)
            found.put(one.name, f"{name}{BOTTOM}", row.last)
    return found


def _aligned(file: SourceFile, rows: Sequence[Placed]) -> Iterator[tuple[Placed, int, _Row]]:
    lines = file.lines
    if len(lines) != len(rows):
        raise FormatError(
            f"{file.name}: must have a line for each of the {len(rows)} dialogues, got {len(lines)}"
        )
    for one, (number, value) in zip(rows, lines, strict=True):
        try:
            row = _Row.model_validate(value)
        except ValidationError as error:
            raise invalid(error, f"{file.name}, line {number}") from error
        yield one, number, row


def _check(
    file: str,
    number: int,
    row: _Row,
    one: Placed,
    pools: Mapping[int, tuple[PoolEntry, ...]],
) -> None:
    where, must = f"{file}, line {number}", f"must be that of dialogue {one.name}"
    if row.id is not None and str(row.id) != one.name:
        raise wrong(where, "id", f"{must} in the same place ({one.name})", row.id)
    if row.user is not None and row.user != one.row.user_id:
        raise wrong(where, "user-id", f"{must}, {one.row.user_id}", row.user)
    known = {entry.key for entry in pools.get(one.row.user_id, ())}
    for field_name, ids in (("top-20-ids", row.top), ("bottom-10-ids", row.last)):
        stranger = next((found for found in ids if str(found) not in known), None)
        if stranger is not None:
            raise wrong(where, field_name, "must name memories of the dialogue's user", stranger)
        if len(set(ids)) < len(ids):
            raise wrong(where, field_name, "must name each memory once", ids)


def _differing(file: str, number: int, row: _Row, one: Placed) -> Iterator[Quirk]:
    for what, told, known in (
        ("relevant-id", row.golden, one.row.relevant_id),
        ("test-turn", row.turns, one.row.test_turn),
    ):
        if told is not None and told != known:
            sentence = (
                f"{what} is {listed(told)} here and {listed(known)} in the dialogue, which is taken"
            )
            yield Quirk(file, f"line {number} (dialogue {one.name})", sentence)

"""What the rows of a session bundle may hold: the kinds of their columns, closed sets, times, ids.

A database takes more than this: SQLite keeps a text where a number belongs. A bundle that somebody
wrote by hand is refused here, before the record has rows that nothing of the project can read.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, get_args

from sqlalchemy import Integer, Table

from memory_banks.captures import Status, Verdict
from memory_banks.entries import Author, EntryType, OperationKind, Scene, TurnRole
from memory_banks.tables import captured, captures, decisions, entries, operations, proposals
from sandbox.evaluation.verdicts import Subject
from sandbox.formats.bundle import Bundle, Row
from sandbox.formats.places import Step
from sandbox.formats.reading import FormatError, parse, shown, wrong
from sandbox.replay.gears import Forcing, Gear
from sandbox.tables import corrections, replies, sessions, turns, verdicts
from sandbox.transcripts import ReplyAuthor, ReplyFinish, TurnStatus

# What a column may hold, where that is a closed set.
CLOSED: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("sessions", "scene"): get_args(Scene),
    ("sessions", "gear"): get_args(Gear),
    ("sessions", "forcing"): get_args(Forcing),
    ("turns", "status"): get_args(TurnStatus),
    ("turns", "scene"): get_args(Scene),
    ("replies", "author"): get_args(ReplyAuthor),
    ("replies", "finish"): get_args(ReplyFinish),
    ("corrections", "subject"): get_args(Subject),
    ("captures", "status"): get_args(Status),
    ("decisions", "verdict"): get_args(Verdict),
    ("entries", "type"): get_args(EntryType),
    ("entries", "scene"): get_args(Scene),
    ("entries", "author"): get_args(Author),
    ("entries", "role"): get_args(TurnRole),
    ("operations", "kind"): get_args(OperationKind),
}
_TEXTS = {
    ("entries", "turns"),
    ("operations", "replaces"),
    ("replies", "injected"),
    ("proposals", "deletes"),
    ("captures", "notes"),
}
"""Columns that hold a JSON list of texts."""
_LISTS = {("replies", "messages"), ("captures", "calls"), ("sessions", "prelude")}
"""Columns that hold a JSON list of objects."""
_OBJECTS = {
    ("sessions", "persona"),
    ("replies", "recalled"),
    ("replies", "prompts"),
    ("replies", "usage"),
    ("replies", "sampling"),
    ("verdicts", "json"),
    ("captured", "entry"),
    ("proposals", "entry"),
    ("decisions", "edited"),
}
"""Columns that hold a JSON object, or nothing."""
_AGENT = re.compile("[a-z0-9][a-z0-9-]{0,62}")
TIMES = ("at", "clock", "created_at", "ended_at")
"""Columns that hold a date and time with an offset."""
LEFT_OUT = ("account", "user", "continues")
"""Columns that a bundle does not tell."""
_MOST = 2**31 - 1
"""The largest whole number that a column of every database takes, a seed's too."""


def check_rows(bundle: Bundle, file: str) -> None:
    """Find a row that no session of this project has.

    Raises:
        FormatError: at the first one: file, place, field, value, what must hold.
    """
    for table, row, path in _rows(bundle):
        _check_row(table, row, file, path)
    _check_ids(bundle, file)


def _rows(bundle: Bundle) -> Iterator[tuple[Table, Row, tuple[Step, ...]]]:
    """Every row with its table and the steps to it."""
    yield sessions, bundle.session, ("session",)
    for place, turn in enumerate(bundle.turns):
        above: tuple[Step, ...] = ("turns", place)
        yield turns, turn.row, (*above, "row")
        for index, reply in enumerate(turn.replies):
            within = (*above, "replies", index)
            yield replies, reply.row, (*within, "row")
            yield from _listed(verdicts, reply.verdicts, *within, "verdicts")
            yield from _listed(corrections, reply.corrections, *within, "corrections")
    yield from _listed(entries, bundle.entries, "entries")
    yield from _listed(operations, bundle.operations, "operations")
    for place, capture in enumerate(bundle.captures):
        above = ("captures", place)
        yield captures, capture.row, (*above, "row")
        yield from _listed(captured, capture.captured, *above, "captured")
        yield from _listed(proposals, capture.proposals, *above, "proposals")
        yield from _listed(decisions, capture.decisions, *above, "decisions")


def _listed(
    table: Table, rows: Sequence[Row], *above: Step
) -> Iterator[tuple[Table, Row, tuple[Step, ...]]]:
    for place, row in enumerate(rows):
        yield table, row, (*above, place)


def _check_row(table: Table, row: Row, file: str, path: tuple[Step, ...]) -> None:
    for column in table.c:
        name = column.name
        if name in LEFT_OUT or has_no_id(table, name):
            continue
        value = row.get(name)
        if value is None and column.nullable:
            continue
        must = _must(table.name, name, isinstance(column.type, Integer))
        if not must[1](value):
            field = ".".join(map(str, (*path, name)))
            raise wrong(file, field, must[0], value, (*path, name))


def has_no_id(table: Table, column: str) -> bool:
    """Whether this is the id of an entry or operation, which a bundle names or makes anew."""
    return column == "id" and table in (entries, operations)


def _must(table: str, name: str, number: bool) -> tuple[str, Callable[[Any], bool]]:
    """What a column must hold, in words and as a check."""
    if (known := CLOSED.get((table, name))) is not None:
        return f"must be one of {', '.join(known)}", known.__contains__
    if name in TIMES:
        return "must be a date and time with an offset", _is_moment
    if number:
        return "must be a whole number", _is_number
    return _must_of_text(table, name)


def _must_of_text(table: str, name: str) -> tuple[str, Callable[[Any], bool]]:
    if name == "agent":
        return "must be a character's id", lambda value: _is_agent(value, table)
    if name == "anchor":
        return "must be an ISO date or date-time", _is_day
    if (table, name) in _TEXTS:
        return "must be a JSON list of texts", lambda value: _holds(value, list, str)
    if (table, name) in _LISTS:
        return "must be a JSON list of objects", lambda value: _holds(value, list, dict)
    if (table, name) in _OBJECTS:
        return "must be a JSON object", lambda value: value == "" or _holds(value, dict, str)
    return "must be text", lambda value: isinstance(value, str)


def _is_number(value: Any) -> bool:
    return type(value) is int and abs(value) <= _MOST


def _is_agent(value: Any, table: str) -> bool:
    """Whether it is a character's id; what every character shares has none."""
    shared = value == "" and table in ("entries", "operations")
    return shared or (isinstance(value, str) and _AGENT.fullmatch(value) is not None)


def _is_day(value: Any) -> bool:
    try:
        return bool(datetime.fromisoformat(value))
    except (TypeError, ValueError):
        return False


def _holds(value: Any, outer: type[list[Any]] | type[dict[str, Any]], inner: type) -> bool:
    """Whether a text is JSON of this kind, with such things in it (names, of an object)."""
    if not isinstance(value, str):
        return False
    try:
        found = parse(value, "it")
    except FormatError:
        return False
    return isinstance(found, outer) and all(isinstance(one, inner) for one in found)


def _is_moment(value: Any) -> bool:
    try:
        return datetime.fromisoformat(value).tzinfo is not None
    except (TypeError, ValueError):
        return False


def _check_ids(bundle: Bundle, file: str) -> None:
    """Turns and replies are called by their session and their numbers, as everywhere."""
    session = bundle.session["id"]
    for place, turn in enumerate(bundle.turns):
        name = f"{session}-{turn.row['number']}"
        above: tuple[Step, ...] = ("turns", place)
        _same(turn.row, {"id": name, "session": session}, file, (*above, "row"))
        made = [f"{name}.{reply.row['ordinal']}" for reply in turn.replies]
        for index, (reply, known) in enumerate(zip(turn.replies, made, strict=True)):
            _same(reply.row, {"id": known, "turn": name}, file, (*above, "replies", index, "row"))
        chosen = turn.row["chosen"]
        if chosen is not None and chosen not in made:
            path = (*above, "row", "chosen")
            raise wrong(file, ".".join(map(str, path)), "must be one of its replies", chosen, path)


def _same(row: Row, known: Mapping[str, str], file: str, path: tuple[Step, ...]) -> None:
    for name, value in known.items():
        if row[name] != value:
            field = ".".join(map(str, (*path, name)))
            raise wrong(file, field, f"must be {shown(value)}", row[name], (*path, name))

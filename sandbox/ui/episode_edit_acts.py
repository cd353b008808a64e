"""Rows added to and dropped from an open table; what is typed stays."""

import secrets
from typing import get_args

from sandbox.authoring.episode_edits import change_added, entry_added, question_added
from sandbox.authoring.episode_typed import Typed
from sandbox.episodes import Episode, Unit
from sandbox.inputs import BadInput


def added(talk: Episode, typed: Typed, what: str) -> Typed:
    """The rows with one more, `what` being a kind of row and its place.

    `entry` with a turn or a session, `replace` or `forget` with a session, `question` with a unit.

    Raises:
        BadInput: for anything else.
    """
    kind, _, where = what.partition(" ")
    new = secrets.token_hex(5)
    if kind == "entry":
        return entry_added(talk, typed, where, new)
    if kind in ("replace", "forget"):
        return change_added(typed, "replace" if kind == "replace" else "forget", where, new)
    for unit in get_args(Unit):
        if kind == "question" and where == unit:
            return question_added(typed, unit, f"q{new[:4]}")
    raise BadInput(f"There is nothing like {what[:40]!r} to add: reload the page.")

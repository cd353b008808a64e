"""An episode played through a sandbox: its words are said, and a script remembers them.

The script answers as the gold has it, or as a bad model would; it addresses entries by the numbers
that the prompts show.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from memory_banks.entries import Entry, State
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.episode_produced import Names
from sandbox.episodes import Episode, EpisodeSession, GoldEntry, GoldSession
from sandbox.formats import read_collection
from sandbox.lifecycle.remembering import CapturePending, Remembered
from tests.fakes import fake_sandbox
from tests.scripted_model import Asked

Made = dict[str, Any] | str
_ROW = re.compile(r"^(\d+)\. \([a-z_]+, [^)]*\) (.*)$", re.MULTILINE)


def packaged() -> Episode:
    """The episode that ships with the project."""
    data = files("sandbox").joinpath("collections", "episode.json").read_bytes()
    (episode,) = read_collection(data, "episode.json").episodes
    return episode


@dataclass(frozen=True)
class Shown:
    """The lists of an update's prompt: texts by their numbers."""

    held: Mapping[str, int]
    new: Mapping[str, int]


def shown(prompt: str) -> Shown:
    """The lists that the prompt of an update shows."""
    lists, _, _ = prompt.rpartition("Asked to forget:")
    before, _, new = lists.rpartition("New entries:")
    _, _, held = before.rpartition("Held entries:")
    rows = [{text: int(number) for number, text in _ROW.findall(part)} for part in (held, new)]
    return Shown(*rows)


def gold_of(session: EpisodeSession) -> GoldSession:
    """Its gold, which it has."""
    assert session.gold is not None
    return session.gold


def gold_item(entry: GoldEntry, session: EpisodeSession) -> dict[str, Any]:
    """The entry as a capture's answer has it."""
    turns = [turn.id for turn in session.turns]
    return {
        "utterance": turns.index(entry.turns[0]) + 1,
        "type": entry.type,
        "text": entry.text,
        "event": entry.type == "episodic",
        "anchor": entry.anchor,
        "emotion": entry.emotion,
        "scene": entry.scene,
    }


def entry_texts(episode: Episode) -> dict[str, str]:
    """What every gold entry says, by its key."""
    golds = [gold_of(session) for session in episode.sessions]
    told = [entry for gold in golds for entry in gold.captures]
    return {entry.key: entry.text for entry in told}


def gold_capture(episode: Episode, session: EpisodeSession) -> Made:
    """The answer of a model that captures what the gold has."""
    gold, turns = gold_of(session), [turn.id for turn in session.turns]
    said = entry_texts(episode)
    return {
        "entries": [gold_item(entry, session) for entry in gold.captures],
        "forget": [
            {"utterance": turns.index(one.turns[0]) + 1, "text": said[one.key]}
            for one in gold.deletes
        ],
    }


def gold_update(episode: Episode, session: EpisodeSession, lists: Shown) -> Made:
    """The answer of a model that changes what the gold has changed."""
    gold, said = gold_of(session), entry_texts(episode)
    return {
        "changes": [
            {"new": lists.new[add.entry.text], "held": [lists.held[said[key]]], "reason": "Newer."}
            for add in gold.adds
            for key in add.replaces
        ],
        "forget": [
            {"request": number, "held": [lists.held[said[one.key]]]}
            for number, one in enumerate(gold.deletes, start=1)
        ],
    }


@dataclass
class Player:
    """A sandbox in which an episode is played, session by session."""

    folder: Path
    episode: Episode = field(default_factory=packaged)
    capture: Callable[[Episode, EpisodeSession], Made] = gold_capture
    update: Callable[[Episode, EpisodeSession, Shown], Made] = gold_update
    turns: dict[str, str] = field(default_factory=dict)
    """The episode's turns by the ids of what was said in the sandbox."""

    def __post_init__(self) -> None:
        self._now = self.episode.sessions[0]
        self._asked = ""
        self.prompts: list[str] = []
        self.sandbox: Sandbox = fake_sandbox(self.folder, self._play)
        self.sandbox.characters.save(ACCOUNT, self.episode.persona)

    def _play(self, asked: Asked) -> Any:
        form = asked.form.__name__ if asked.form else ""
        if form:
            self.prompts.append(asked.text)
        if form == "CaptureForm":
            return self.capture(self.episode, self._now)
        if form == "UpdateForm":
            return self.update(self.episode, self._now, shown(asked.text))
        turns = self._now.turns
        return next(
            after.text
            for before, after in zip(turns, turns[1:], strict=False)
            if before.role == "user" and before.text == self._asked
        )

    def say(self, number: int) -> str:
        """Hold session `number` (from 0), and leave it open; its id."""
        self._now = self.episode.sessions[number]
        told = self.sandbox.sessions.open(
            ACCOUNT, self.episode.human.name, self.episode.persona.id, clock=self._now.at
        )
        for turn in self._now.turns:
            if turn.role == "user":
                self._asked = turn.text
                self.sandbox.conversation.ask(ACCOUNT, told.id, turn.text)
        held = self.sandbox.sessions.transcript(ACCOUNT, told.id).turns
        ids = [one for turn in held for one in (turn.id, turn.reply.id if turn.reply else "")]
        wanted = [turn.id for turn in self._now.turns]
        self.turns |= dict(zip(ids, wanted, strict=True))
        return told.id

    def end(self, session: str) -> Remembered:
        """End the session and approve what is not doubtful; what came of it, failed or not."""
        try:
            return self.sandbox.remembering.end(ACCOUNT, session, "all")
        except CapturePending:
            return self.sandbox.remembering.outcome(ACCOUNT, session)

    def session(self, number: int) -> Remembered:
        """Hold session `number` and end it."""
        return self.end(self.say(number))

    def all(self) -> dict[str, Remembered]:
        """Hold every session; what came of each, by the episode's ids."""
        return {
            session.id: self.session(number) for number, session in enumerate(self.episode.sessions)
        }

    @property
    def states(self) -> tuple[State, ...]:
        """The bank with all it ever held."""
        people = self.episode.human.name, self.episode.persona.id
        return self.sandbox.banks.view(ACCOUNT, *people).states

    @property
    def live(self) -> list[Entry]:
        """The bank."""
        return [state.entry for state in self.states if state.live]

    @property
    def texts(self) -> set[str]:
        """What the bank says."""
        return {entry.text for entry in self.live}

    @property
    def names(self) -> Names:
        """What the gold calls what the bank holds: an entry goes by its text."""
        keys = {text: key for key, text in entry_texts(self.episode).items()}
        entries = {state.entry.id: state.entry for state in self.states}
        known = {one.id: keys[one.text] for one in entries.values() if one.text in keys}
        return Names(self.turns, entries, known)

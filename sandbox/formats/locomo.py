"""LoCoMo's files: long conversations of two friends, with questions about them.

One object of the array `locomo10.json`, cut short:

    {"sample_id": "conv-1", "qa": [{"question": "...?", "answer": "...", "evidence": ["D1:3"],
     "category": 2}], "conversation": {"speaker_a": "Ann", "speaker_b": "Bo",
     "session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": [{"speaker": "Ann",
     "dia_id": "D1:1", "text": "Hi!", "img_url": ["..."], "blip_caption": "a photo of a loom",
     "query": "loom"}]}, "event_summary": {}, "observation": {}, "session_summary": {}}

`locomo10.zip` holds a file a conversation, named by its number: `qa`, the fields of `conversation`
and those of the summaries lie beside each other in one object there.

`speaker_b` is the character and `speaker_a` the human: StratMem-Bench, which is made of the same
conversations, casts all ten of them so. The file tells nothing else of the two. Times have no zone
and are taken as +00:00. Questions name turns. Oddities are reported, and nothing is mended unseen.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from memory_banks.entries import TurnRole
from personas.persona import Persona
from sandbox.collected import Collection, Quirk, Refused
from sandbox.episode_instances import question_instances
from sandbox.episodes import Episode
from sandbox.formats.locomo_sample import Odd, questions_of, sessions_of
from sandbox.formats.places import Step
from sandbox.formats.reading import FormatError, Unfit, shown, unfit_field, wrong
from sandbox.formats.sources import Sources
from sandbox.instances import Human, made_persona

SOURCE = "LoCoMo"
LICENCE = "CC BY-NC 4.0"
DESCRIBED = "LoCoMo's array or files of conversations"
_ID = re.compile(r"[!-~]{1,60}")
_SPEAKERS = ("speaker_a", "speaker_b")
_UNREAD = re.compile(r"event|observation|summary")


def recognises(given: Sources) -> bool:
    """Whether every file is an array of such conversations or one of them, sound or not."""
    if not all(b'"speaker_' in one.data and not one.is_several_lines for one in given.files):
        return False
    return all(_is_one(value) for one in given.files for value in _listed(one.value))


def read(given: Sources) -> Collection:
    """The conversations as episodes, and their questions as instances, in the files' order.

    Raises:
        FormatError: if one has not the shape shown above, or two have the same id.
    """
    reader = _Reader()
    for file in given.files:
        several = isinstance(file.value, list)
        for index, value in enumerate(_listed(file.value)):
            name = _named(value, file.name, index if several else None)
            reader.take(_Sample(name, file.name, value, (index,) if several else ()))
    return Collection(
        name=given.name,
        sha256=given.sha256,
        instances=tuple(one for episode in reader.episodes for one in question_instances(episode)),
        quirks=tuple(reader.quirks),
        refused=tuple(reader.refused),
        episodes=tuple(reader.episodes),
    )


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _is_one(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    talk = value.get("conversation", value)
    return isinstance(talk, dict) and any(name in talk for name in _SPEAKERS)


def _named(value: Mapping[str, Any], file: str, index: int | None) -> str:
    """`sample_id`; else `conv-` and the file's number, or the file's name with its place."""
    told = value.get("sample_id")
    if told is not None:
        if isinstance(told, str) and _ID.fullmatch(told):
            return told
        raise wrong(file, "sample_id", "must be 1 to 60 letters, digits or signs", told)
    stem = re.sub(r"[^!-~]+", "-", file.removesuffix(".json"))[:50] or "file"
    if index is None:
        return f"conv-{stem}" if stem.isdecimal() else stem
    return f"{stem}-{index + 1}"


@dataclass(frozen=True, slots=True)
class _Sample:
    name: str
    file: str
    value: Mapping[str, Any]
    path: tuple[Step, ...]
    """The steps to it from the file's value."""

    @property
    def talk(self) -> Mapping[str, Any]:
        """What holds the sessions."""
        found: Mapping[str, Any] = self.value.get("conversation", self.value)
        return found

    @property
    def where(self) -> str:
        """How errors call it."""
        return f"{self.file}, conversation {self.name}"


@dataclass(slots=True)
class _Reader:
    """Goes through the conversations and remembers what it met."""

    episodes: list[Episode] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    quirks: list[Quirk] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)

    def take(self, sample: _Sample) -> None:
        """Read one conversation."""
        if sample.name in self.seen:
            raise FormatError(f"{sample.where}: its id must be used once", sample.path)
        self.seen.add(sample.name)
        within = ("conversation",) if "conversation" in sample.value else ()
        odd = Odd(sample.name, sample.path, within)
        try:
            episode = _episode(sample, odd)
        except Unfit as error:
            self.refused.append(Refused(sample.name, str(error), sample.file, sample.path))
            return
        self.episodes.append(episode)
        self.quirks += [Quirk(sample.file, *told) for told in _general(sample, episode)]
        self.quirks += [Quirk(sample.file, *told) for told in odd.met]


def _episode(sample: _Sample, odd: Odd) -> Episode:
    human, agent = (_speaker(sample, name) for name in _SPEAKERS)
    if human == agent:
        raise Unfit(f"Both of its speakers are called {human!r}.")
    roles: dict[str, TurnRole] = {human: "user", agent: "assistant"}
    sessions = sessions_of(sample.talk, roles, odd, sample.where)
    asked = sample.value.get("qa", [])
    if not isinstance(asked, list):
        raise wrong(sample.where, "qa", "must be a list", asked, (*sample.path, "qa"))
    turns = [turn for session in sessions for turn in session.turns]
    return Episode(
        id=sample.name,
        source=SOURCE,
        title=f"{human} and {agent}",
        language="en",
        licence=LICENCE,
        persona=_persona(agent, human),
        human=Human(human),
        sessions=sessions,
        questions=questions_of(asked, turns, odd, sample.where),
        notes=(
            "speaker_b is taken as the character; the file tells nothing of the two people.",
            "The file gives times without a zone; they are taken as +00:00.",
        ),
    )


def _speaker(sample: _Sample, field: str) -> str:
    found = sample.talk.get(field)
    if not isinstance(found, str) or not found.strip() or len(found) > 200:
        within = ("conversation",) if "conversation" in sample.value else ()
        path = (*sample.path, *within, field)
        raise wrong(sample.where, field, "must be a name", found, path)
    return found.strip()


def _persona(agent: str, human: str) -> Persona:
    try:
        return made_persona(agent, summary=[f"{agent} is a friend of {human}."])
    except ValidationError as error:
        raise unfit_field(error, "speaker_b") from error


def _general(sample: _Sample, episode: Episode) -> Iterator[tuple[str, str]]:
    """What concerns many turns or questions of a conversation."""
    turns = [turn for name in sample.talk for turn in _turns(sample.talk[name])]
    asked = [one for one in sample.value.get("qa", []) if isinstance(one, dict)]
    images = sum("blip_caption" in turn for turn in turns)
    told = {
        f"{images} of {len(turns)} turns": "describe an image, kept in brackets behind the words",
        f"{_count(turns, 'img_url')} turns": "tell where their image was; it is not read",
        f"{sum(one.answer is None for one in episode.questions)} of {len(asked)} questions": (
            "have no answer: the right act is to say that it is not known"
        ),
        f"{_count(asked, 'adversarial_answer')} questions": (
            "tell what a misled model says; it is not read"
        ),
    }
    unread = [name for name in sample.value if _UNREAD.search(name)]
    for where, sentence in told.items():
        if not where.startswith("0 "):
            yield f"{sample.name}, {where}", sentence
    if unread:
        yield (
            f"{sample.name}, {len(unread)} fields such as {shown(unread[0])}",
            "hold events, observations and summaries, which are not read",
        )


def _turns(value: Any) -> list[dict[str, Any]]:
    found = value if isinstance(value, list) else []
    return [one for one in found if isinstance(one, dict) and "dia_id" in one]


def _count(rows: list[dict[str, Any]], name: str) -> int:
    return sum(name in row for row in rows)

"""LongMemEval's files: one question each about a long talk of a user with an assistant.

One object of the array, cut short:

    {"question_id": "0a1b2c3d", "question_type": "temporal-reasoning", "question": "...?",
     "answer": "...", "question_date": "2023/05/30 (Tue) 23:40",
     "haystack_dates": ["2023/05/20 (Sat) 02:21"], "haystack_session_ids": ["answer_1"],
     "haystack_sessions": [[{"role": "user", "content": "...", "has_answer": true},
                            {"role": "assistant", "content": "..."}]],
     "answer_session_ids": ["answer_1"]}

Each object is an episode with its one question. A question whose id ends with `_abs` cannot be
answered: its answer is null, and what the file says instead is a note. Supports are the turns that
have the answer; where none is marked, they are the sessions named as those of the answer. Times
have no zone and are taken as +00:00. Oddities are reported, and nothing is mended unseen.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from sandbox.collected import Collection, Quirk, Refused
from sandbox.episode_instances import question_instances
from sandbox.episodes import Episode, EpisodeQuestion, EpisodeSession, EpisodeTurn
from sandbox.formats.episode_checks import check_lengths
from sandbox.formats.reading import Unfit, called, invalid, shown, wrong
from sandbox.instances import Human, made_persona

SOURCE = "LongMemEval"
DESCRIBED = "LongMemEval's array of questions"
ABSTAINS = "_abs"
_TELLING = {"question_id", "haystack_sessions", "haystack_dates", "haystack_session_ids"}
_DATE = re.compile(r"(\d{4})/(\d\d)/(\d\d) \(([A-Z][a-z]{2})\) (\d\d):(\d\d)")
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_QUESTION = "q"

_Id = Annotated[str, StringConstraints(pattern=r"^[!-~]{1,90}$")]
_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=20_000)]


class _Form(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class _Turn(_Form):
    role: Literal["user", "assistant"]
    content: Annotated[str, StringConstraints(max_length=5_000_000)]
    has_answer: bool | None = None


class _Item(_Form):
    question_id: _Id
    question_type: _Text | None = None
    question: _Text
    answer: str | int | float | None = None
    question_date: str | None = None
    haystack_session_ids: list[_Id]
    haystack_dates: list[str]
    haystack_sessions: list[list[_Turn]]
    answer_session_ids: list[str] = []


def recognises(value: Any) -> bool:
    """Whether this JSON value is such an array, sound or not."""
    first = value[0] if isinstance(value, list) and value else None
    return isinstance(first, dict) and len(first.keys() & _TELLING) >= 2


def read(value: Sequence[Any], file: str, sha256: str) -> Collection:
    """The questions as episodes and as instances, in the array's order.

    Raises:
        FormatError: if an object has not the shape shown above, or an id comes twice.
    """
    reader = _Reader(file)
    for index, found in enumerate(value):
        reader.take(index, found)
    episodes = tuple(reader.episodes)
    return Collection(
        name=file,
        sha256=sha256,
        instances=tuple(one for episode in episodes for one in question_instances(episode)),
        quirks=tuple(reader.quirks),
        refused=tuple(reader.refused),
        episodes=episodes,
    )


@dataclass(slots=True)
class _Reader:
    file: str
    episodes: list[Episode] = field(default_factory=list)
    quirks: list[Quirk] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)

    def take(self, index: int, found: Any) -> None:
        """Read one object of the array."""
        name = found.get("question_id") if isinstance(found, dict) else None
        where = f"{self.file}, question {called(name, index)}"
        try:
            item = _Item.model_validate(found)
        except ValidationError as error:
            raise invalid(error, where, above=(index,)) from error
        if item.question_id in self.seen:
            path = (index, "question_id")
            raise wrong(where, "question_id", "must be used once", item.question_id, path)
        self.seen.add(item.question_id)
        odd: list[tuple[str, str]] = []
        try:
            episode = _episode(item, odd)
        except Unfit as error:
            self.refused.append(Refused(item.question_id, str(error), self.file, (index,)))
            return
        self.episodes.append(episode)
        self.quirks += [
            Quirk(self.file, f"{item.question_id}, {place}", sentence, (index, *place.split(".")))
            for place, sentence in odd
        ]


_Odd = list[tuple[str, str]]
"""Place and sentence of what was odd."""


def _episode(item: _Item, odd: _Odd) -> Episode:
    sessions, answering = _sessions(item, odd)
    _meet(item, sessions, odd)
    episode = Episode(
        id=item.question_id,
        source=SOURCE,
        title=f"LongMemEval {item.question_id}",
        language="en",
        licence="",
        persona=made_persona("Assistant", summary=["A helpful assistant that chats with a user."]),
        human=Human("User"),
        sessions=sessions,
        questions=(_question(item, sessions, answering, odd),),
        notes=tuple(_notes(item)),
    )
    check_lengths(episode)
    return episode


def _notes(item: _Item) -> Iterator[str]:
    yield "The file gives times without a zone; they are taken as +00:00."
    if item.answer_session_ids:
        yield f"answer_session_ids: {', '.join(item.answer_session_ids)}."
    if _abstains(item) and item.answer is not None:
        yield f"It cannot be answered; the file says: {item.answer}"


def _abstains(item: _Item) -> bool:
    return item.question_id.endswith(ABSTAINS)


def _sessions(item: _Item, odd: _Odd) -> tuple[tuple[EpisodeSession, ...], set[str]]:
    """The sessions in the order in which they were held, and the turns that have the answer."""
    count = len(item.haystack_sessions)
    if not count == len(item.haystack_dates) == len(item.haystack_session_ids):
        raise Unfit(
            f"It has {count} haystack_sessions, {len(item.haystack_dates)} haystack_dates and "
            f"{len(item.haystack_session_ids)} haystack_session_ids."
        )
    if not any(item.haystack_sessions):
        raise Unfit("Its haystack_sessions hold no turn.")
    made: list[EpisodeSession] = []
    answering: set[str] = set()
    for index, name in enumerate(_unique(item.haystack_session_ids, odd)):
        at = _time(item.haystack_dates[index], f"haystack_dates.{index}", odd)
        turns = tuple(_turns(item.haystack_sessions[index], name, odd))
        told = zip(turns, item.haystack_sessions[index], strict=True)
        answering |= {turn.id for turn, form in told if form.has_answer}
        made.append(EpisodeSession(name, at, turns))
    return _ordered(made, odd), answering


def _unique(names: Sequence[str], odd: _Odd) -> Iterator[str]:
    """The sessions' ids, those that come again with their count behind them."""
    met: Counter[str] = Counter()
    for index, name in enumerate(names):
        met[name] += 1
        if met[name] > 1:
            made = f"{name}#{met[name]}"
            place = f"haystack_session_ids.{index}"
            odd.append((place, f"is {name!r} again: another session, called {made!r}"))
            yield made
        else:
            yield name


def _turns(forms: Sequence[_Turn], session: str, odd: _Odd) -> Iterator[EpisodeTurn]:
    if not forms:
        odd.append((session, "has no turn"))
    for number, form in enumerate(forms, 1):
        name = f"{session}:{number}"
        if not form.content.strip():
            odd.append((name, "says nothing"))
        speaker = "User" if form.role == "user" else "Assistant"
        yield EpisodeTurn(name, form.role, speaker, form.content)


def _time(told: str, place: str, odd: _Odd) -> str | None:
    """The ISO date and time; null where it is none."""
    found = _DATE.fullmatch(told)
    try:
        parts = [int(found[place]) for place in (1, 2, 3, 5, 6)] if found else []
        moment = datetime(*parts, tzinfo=UTC) if found else None  # type: ignore[misc,arg-type]  # five whole numbers
    except ValueError:
        moment = None
    if moment is None or found is None:
        odd.append((place, f"must be such as '2023/05/20 (Sat) 02:21', got {shown(told)}: no time"))
        return None
    if _DAYS[moment.weekday()] != found[4]:
        odd.append((place, f"names another day of the week than its date has: {shown(told)}"))
    return moment.isoformat(timespec="seconds")


def _ordered(made: list[EpisodeSession], odd: _Odd) -> tuple[EpisodeSession, ...]:
    times = [session.at for session in made if session.at is not None]
    if len(times) < len(made) or times == sorted(times):
        return tuple(made)
    odd.append(("haystack_sessions", "do not go by their dates: put in order"))
    return tuple(sorted(made, key=lambda session: session.at or ""))


def _meet(item: _Item, sessions: Sequence[EpisodeSession], odd: _Odd) -> None:
    known = {session.id for session in sessions}
    for name in item.answer_session_ids:
        if name not in known:
            odd.append(("answer_session_ids", f"name {shown(name)}, which is no session of it"))
    if isinstance(item.answer, int | float):
        odd.append(("answer", f"is a number, kept as the text {str(item.answer)!r}"))
    if item.answer is None and not _abstains(item):
        odd.append(("answer", "is not given: taken as a question to which none is known"))


def _question(
    item: _Item, sessions: Sequence[EpisodeSession], answering: set[str], odd: _Odd
) -> EpisodeQuestion:
    turns = [turn.id for session in sessions for turn in session.turns if turn.id in answering]
    named = [
        session.id
        for session in sessions
        if session.turns and session.id in item.answer_session_ids
    ]
    for session in sessions:
        marked = any(turn.id in answering for turn in session.turns)
        if marked and item.answer_session_ids and session.id not in named:
            odd.append((session.id, "has the answer, and answer_session_ids do not name it"))
    at = None
    if item.question_date is not None:
        at = _time(item.question_date, "question_date", odd)
    last = max((session.at for session in sessions if session.at), default=None)
    if at is not None and last is not None and at < last:
        odd.append(("question_date", f"is before the last session, which is of {last}"))
    answer = None if _abstains(item) or item.answer is None else str(item.answer)
    return EpisodeQuestion(
        id=_QUESTION,
        text=item.question,
        answer=answer or None,
        unit="turn" if turns or not named else "session",
        supports=tuple(turns or named),
        at=at,
        kind=item.question_type,
    )

"""The project's episode format: written and read back, and what contradicts itself."""

import json
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_banks.entries import SCENES
from personas.persona import Persona
from sandbox.collected import Collection
from sandbox.episode_instances import question_instances
from sandbox.episodes import (
    Episode,
    EpisodeQuestion,
    EpisodeSession,
    EpisodeTurn,
    GoldAdd,
    GoldDelete,
    GoldEntry,
    GoldSession,
    Unit,
)
from sandbox.formats import FORMATS, FormatError, read_collection
from sandbox.formats.episode_form import SOURCE, TECHNIQUES, schema
from sandbox.formats.episode_write import write, written
from sandbox.instances import Human

AT = "2025-02-03T18:30:00+01:00"
PERSONA = Persona(id="odo", name="Odo", summary=("Odo keeps a tide table.",))
Change = Callable[[dict[str, Any]], object]


def packaged() -> bytes:
    return files("sandbox").joinpath("collections", "episode.json").read_bytes()


def collected(*episodes: Episode) -> Collection:
    asked = tuple(one for episode in episodes for one in question_instances(episode))
    return Collection("ours.json", "", asked, episodes=episodes)


def again(collection: Collection) -> Collection:
    (name,) = write(collection)
    return read_collection(write(collection)[name], name)


def turn(number: int, text: str = "Words.") -> EpisodeTurn:
    role, speaker = (("user", "Ilse"), ("assistant", "Odo"))[number % 2]
    return EpisodeTurn(f"t{number}", role, speaker, text)  # type: ignore[arg-type]


def home(number: int, own: int, *more: int) -> GoldEntry:
    turns = tuple(f"t{one}" for one in (own, *more))
    return GoldEntry(f"home-{number}", "user_profile", f"Ilse lives in house {number}.", turns)


def episode(**fields: Any) -> Episode:
    """Two sessions: Ilse moves from house 1 to house 2, and asks to forget a cat."""
    cat = GoldEntry("cat", "fact", "The cat is grey.", ("t2",))
    first = GoldSession((home(1, 0), cat))
    second = GoldSession((home(2, 4),), (GoldAdd(home(2, 4), ("home-1",)),))
    second = replace(second, deletes=(GoldDelete("cat", ("t6",)),))
    given = {
        "id": "move",
        "source": SOURCE,
        "title": "A move",
        "language": "en",
        "licence": "MIT",
        "persona": PERSONA,
        "human": Human("Ilse", "A baker."),
        "sessions": (
            EpisodeSession("s1", AT, tuple(turn(one) for one in range(4)), first),
            EpisodeSession("s2", None, tuple(turn(one) for one in range(4, 8)), second),
        ),
        "questions": (
            EpisodeQuestion("q1", "Where?", "House 2.", "entry", ("home-2",), ("home-1", "cat")),
        ),
    }
    return Episode(**(given | fields))


def test_the_packaged_schema_is_in_step_with_the_forms() -> None:
    held = files("sandbox").joinpath("collections", "episode.schema.json").read_text("utf-8")
    assert json.loads(held) == schema()


def test_the_packaged_episode_is_the_same_once_written_and_read() -> None:
    found = read_collection(packaged(), "episode.json")
    copy = again(found)
    assert (copy.episodes, copy.instances) == (found.episodes, found.instances)
    assert (found.refused, found.quirks) == ((), ())
    assert written(found, json.loads(packaged())["about"]) == packaged()


def test_the_format_is_listed_and_can_be_written() -> None:
    (found,) = [one for one in FORMATS if one.name == "episode"]
    assert found.write is write


TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), min_size=1),
    st.sampled_from(
        ['שלום, "עולם"', "مرحبا ‏بك", "👩‍🚀 “quotes” 'and' \\ {braces} $x", " a\r\nb\t"]
    ),
    st.integers(9_990, 10_000).map("ż".__mul__),
).filter(lambda text: bool(text.strip()))
LINES = st.sampled_from(["calm", "müde", "疲れた"])
KEYS = st.text("abčд漢-_:.#/", min_size=1, max_size=8)
MOMENTS = st.sampled_from([None, AT, "2024-02-29T23:59:59.5-03:30", "2025-06-01T00:00:00Z"])


@st.composite
def episodes(draw: st.DrawFn) -> Episode:
    """Sessions in which entries are captured, replaced, joined and forgotten."""
    live: list[str] = []
    every: list[str] = []
    sessions: list[EpisodeSession] = []
    said: list[str] = []
    for number in range(draw(st.integers(1, 3))):
        turns = [
            EpisodeTurn(
                id=f"{number}:{place}{draw(KEYS)}",
                role=("user", "assistant")[place % 2],  # type: ignore[arg-type]
                speaker=draw(LINES),
                text=draw(TEXTS),
                at=draw(MOMENTS),
                emotion=draw(st.none() | LINES),
                scene=draw(st.sampled_from([None, *SCENES])),
            )
            for place in range(draw(st.integers(0, 3)))
        ]
        gold = None
        if draw(st.booleans()):
            gold = _gold(draw, turns, list(said), live, every)
        said += [one.id for one in turns]
        sessions.append(EpisodeSession(f"s{number}{draw(KEYS)}", draw(MOMENTS), tuple(turns), gold))
    return episode(
        id=draw(KEYS),
        title=draw(LINES),
        licence=draw(st.sampled_from(["", "CC BY-NC 4.0"])),
        human=Human(draw(LINES), draw(st.sampled_from(["", " a ", "b\n"]))),
        sessions=tuple(sessions),
        questions=tuple(_question(draw, n, said, sessions, live, every) for n in range(2)),
        notes=tuple(draw(st.lists(LINES, max_size=2))),
    )


def _gold(
    draw: st.DrawFn,
    turns: list[EpisodeTurn],
    said: list[str],
    live: list[str],
    every: list[str],
) -> GoldSession:
    captures, adds = [], []
    for one in turns:
        for _ in range(draw(st.integers(0, 2))):
            earlier = draw(st.lists(st.sampled_from(said), max_size=2)) if said else []
            key = f"{len(every)}{draw(KEYS)}"
            captures.append(GoldEntry(key, "episodic", draw(TEXTS), (one.id, *earlier)))
            every.append(key)
        said.append(one.id)
    pool = live + [one.key for one in captures]
    gone = draw(st.lists(st.sampled_from(live), unique=True)) if live else []
    deletes = [GoldDelete(key, (said[0],)) for key in gone[:1]]
    replaced = tuple(gone[1:])
    if turns and draw(st.booleans()):
        key = f"{len(every)}{draw(KEYS)}"
        every.append(key)
        joined = GoldEntry(key, "episodic", draw(TEXTS), (turns[-1].id,), "2025-01-31")
        adds.append(GoldAdd(joined, replaced))
        pool.append(key)
    elif captures:
        adds.append(GoldAdd(captures[0], replaced))
    else:
        deletes += [GoldDelete(key, (said[0],)) for key in replaced]
    live[:] = [key for key in pool if key not in gone]
    return GoldSession(tuple(captures), tuple(adds), tuple(deletes))


def _question(
    draw: st.DrawFn,
    number: int,
    said: list[str],
    sessions: list[EpisodeSession],
    live: list[str],
    every: list[str],
) -> EpisodeQuestion:
    unit: Unit = draw(st.sampled_from(["entry", "turn", "session"]))
    spoken = [one.id for one in sessions if one.turns]
    able = {"entry": live, "turn": said, "session": spoken}[unit]
    known = every if unit == "entry" else able
    supports = draw(st.lists(st.sampled_from(able), unique=True)) if able else []
    others = [one for one in known if one not in supports]
    decoys = draw(st.lists(st.sampled_from(others), unique=True)) if others else []
    return EpisodeQuestion(
        id=f"q{number}",
        text=draw(TEXTS),
        answer=draw(st.none() | TEXTS),
        unit=unit,
        supports=tuple(supports),
        decoys=tuple(decoys),
        at=draw(MOMENTS),
        kind=draw(st.none() | LINES),
        techniques=tuple(draw(st.lists(st.sampled_from(TECHNIQUES), unique=True))),
        centre=draw(st.sampled_from([None, "user", "agent"])),
    )


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(episodes())
def test_write_then_read_is_the_identity(made: Episode) -> None:
    found = again(collected(made))
    assert found.episodes == (made,)
    assert found.instances == question_instances(made)


def test_a_bundle_of_whole_sessions_is_an_episode_without_gold() -> None:
    """UtilMem: three evidence sessions, one that only looks alike, and the oracle's answer."""
    sessions = tuple(EpisodeSession(f"s{one}", AT, (turn(one),)) for one in range(4))
    asked = EpisodeQuestion("q", "List all.", "1, 2, 3.", "session", ("s0", "s1", "s3"), ("s2",))
    bundle = episode(sessions=sessions, questions=(asked,))
    assert not bundle.has_gold
    found = again(collected(bundle))
    assert found.episodes == (bundle,)
    (instance,) = found.instances
    assert [one.key for one in instance.pool] == ["s0", "s1", "s2", "s3"]
    assert (instance.golden, instance.rankings) == (("s0", "s1", "s3"), {"decoys": ("s2",)})


def test_a_session_of_gold_that_is_nothing_is_not_one_without_gold() -> None:
    one = EpisodeSession("s1", AT, (turn(0),), GoldSession())
    other = EpisodeSession("s2", AT, (turn(1),))
    made = episode(sessions=(one, other), questions=())
    found = again(collected(made)).episodes[0].sessions
    assert [session.gold for session in found] == [GoldSession(), None]


def test_captures_are_listed_in_the_order_of_their_turns() -> None:
    first = episode().sessions[0]
    assert first.gold is not None
    turned = replace(first.gold, captures=first.gold.captures[::-1])
    made = episode(sessions=(replace(first, gold=turned), episode().sessions[1]))
    assert again(collected(made)).episodes == (episode(),)


def value(**fields: Any) -> dict[str, Any]:
    (data,) = write(collected(episode(**fields))).values()
    return dict(json.loads(data))


def refusal(change: Change) -> str:
    """Why the episode is refused once it is changed."""
    told = value()
    change(told["episodes"][0])
    with pytest.raises(FormatError) as caught:
        read_collection(json.dumps(told).encode(), "f.json")
    return str(caught.value)


def put(path: str, new: Any) -> Change:
    """A change: `new` at the dotted path; at the end of a list for `+`."""

    def change(told: dict[str, Any]) -> None:
        *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        place: Any = told
        for step in way:
            place = place[step]
        if last == "+":
            place.append(new)
        else:
            place[last] = new

    return change


CAPTURE = {"id": "x", "type": "fact", "text": "A lock shuts at six."}
ADDED = CAPTURE | {"turns": ["t4"]}
WRONG: list[tuple[str, Any, str]] = [
    (
        "sessions.0.turns.0.remember.0.type",
        "agent_method",
        "'home-1' is agent_method, which what the user says in 't0' cannot support: episodic, "
        "fact, user_profile can",
    ),
    (
        "sessions.0.turns.1.remember",
        [CAPTURE],
        "'x' is fact, which what the assistant says in 't1' cannot support: agent_identity, "
        "agent_knowledge, agent_method, episodic can",
    ),
    ("sessions.0.turns.0.remember.0.also", ["t9"], "names the turn 't9', which there is not"),
    ("sessions.0.turns.0.remember.0.also", ["t2"], "'t2', which is not an earlier one"),
    ("sessions.0.turns.0.remember.0.also", ["t0"], "'t0', which is not an earlier one"),
    (
        "sessions.1.operations.add.0.replaces",
        ["home-9"],
        "deletes the entry 'home-9' and it is not",
    ),
    ("sessions.1.operations.add.0.replaces", ["cat"], "deletes the entry 'cat' twice"),
    ("sessions.1.operations.add.0.replaces", ["home-2"], "added and deleted by the same session"),
    ("sessions.1.operations.add.0.captured", "home-1", "adds the captured entry 'home-1', and no"),
    ("sessions.1.operations.add.0.entry", ADDED, "must be a captured one or be written"),
    ("sessions.1.operations.add.0.captured", None, "must be a captured one or be written"),
    ("sessions.1.operations.add.0", {"entry": ADDED | {"turns": ["t0"]}}, "rest on a turn of its"),
    ("sessions.1.operations.add.0", {"entry": ADDED | {"turns": ["t5"]}}, "'x' is fact, which"),
    ("sessions.1.operations.add.0", {"entry": ADDED | {"id": "home-1"}}, "added although it is"),
    ("sessions.1.operations.add.+", {"captured": "home-2"}, "Two of its added entries of the"),
    ("sessions.1.operations.delete.0.id", "home-1", "deletes the entry 'home-1' twice"),
    ("sessions.1.operations.delete.0.turns", ["t9"], "'t9', which there is not"),
    ("sessions.0.operations.delete", [{"id": "cat", "turns": ["t6"]}], "is not an earlier one"),
    ("sessions.0.operations", None, "has entries and no operations: give it operations, {} for"),
    ("sessions.0.turns.2.remember.+", CAPTURE | {"id": "home-1"}, "Two of its entries of the"),
    ("sessions.0.turns.1.id", "t0", "Two of its turns have the id 't0'"),
    ("sessions.1.id", "s1", "Two of its sessions have the id 's1'"),
    ("questions.0.supports", ["home-1"], "needs the entry 'home-1', which is not live at the end"),
    ("questions.0.supports", ["cat"], "needs the entry 'cat', which is not live at the end"),
    ("questions.0.supports", ["t0"], "names the entry 't0', which there is not"),
    ("questions.0.supports", ["home-2", "home-2"], "names one of its supports twice"),
    ("questions.0.decoys", ["home-2"], "both among its supports and among its decoys"),
    ("questions.0.unit", "turn", "names the turn 'home-2', which there is not"),
]
MISSHAPEN: list[tuple[str, Any, str]] = [
    ("sessions.0.at", "2025-02-03T18:30:00", "episode move, field 'sessions.0.at': must be a date"),
    ("sessions.0.turns.0.text", " ", "'sessions.0.turns.0.text': must hold more than spaces"),
    ("sessions.0.turns.0.id", "t 0", "must be printable and hold no spaces"),
    ("sessions.0.turns.0.role", "system", "must be 'user' or 'assistant'"),
    ("sessions.0.turns.0.remember.0.anchor", "in May", "must be an ISO date or date-time"),
    ("sessions.0.turns.0.remember.0.type", "wish", "got 'wish'"),
    ("questions.0.techniques", ["luck"], "got 'luck'"),
    ("questions.0.role", "must", "'questions.0.role': is not a field of this format"),
    ("persona.id", "Odo!", "'persona.id': must match the pattern"),
    ("sessions", {}, "'sessions': must be a list"),
]


@pytest.mark.parametrize(("path", "new", "sentence"), WRONG)
def test_a_contradiction_is_refused_in_one_sentence(path: str, new: Any, sentence: str) -> None:
    told = refusal(put(path, new))
    assert sentence in told
    assert told.startswith("f.json: none of its 1 instances can be used; move: ")
    assert "\n" not in told


@pytest.mark.parametrize(("path", "new", "sentence"), MISSHAPEN)
def test_a_wrong_shape_is_refused_with_its_place(path: str, new: Any, sentence: str) -> None:
    told = refusal(put(path, new))
    assert sentence in told
    assert told.startswith("f.json, line 1, episode move, field ")


def test_a_contradiction_costs_no_other_episode() -> None:
    told = value()
    bad = json.loads(json.dumps(told["episodes"][0] | {"id": "bad"}))
    put("questions.0.supports", ["home-1"])(bad)
    told["episodes"].insert(0, bad)
    found = read_collection(json.dumps(told).encode(), "f.json")
    assert [one.id for one in found.episodes] == ["move"]
    assert [one.where for one in found.refused] == ["bad"]


def test_two_episodes_or_questions_of_one_id_are_refused() -> None:
    told = value()
    told["episodes"] *= 2
    with pytest.raises(FormatError, match="must be used once"):
        read_collection(json.dumps(told).encode(), "f.json")
    one, other = episode(id="a-b"), episode(id="a")
    asked = replace(one.questions[0], id="b-q1")
    with pytest.raises(FormatError, match="question's id.*must be used once"):
        again(collected(one, replace(other, questions=(asked,))))


def test_what_the_format_cannot_say_is_refused_and_not_dropped() -> None:
    plain = collected(episode())
    stranger = replace(plain.instances[0], id="elsewhere")
    with pytest.raises(FormatError, match="episodes and their questions only"):
        write(replace(plain, instances=(*plain.instances, stranger)))
    with pytest.raises(FormatError, match="must hold at least 1"):
        write(replace(plain, instances=(), episodes=()))
    homeless = replace(home(1, 0), turns=())
    session = EpisodeSession("s1", AT, (turn(0),), GoldSession((homeless,)))
    with pytest.raises(FormatError, match="'home-1' must rest on a turn of its session 's1'"):
        write(collected(episode(sessions=(session,), questions=())))
    with pytest.raises(FormatError, match="not live at the end"):
        write(
            collected(
                episode(questions=(replace(episode().questions[0], supports=("cat",), decoys=()),))
            )
        )
    with pytest.raises(FormatError, match="cannot say it as it is"):
        write(
            collected(
                episode(human=Human("Ilse", "")),
                episode(
                    id="b",
                    sessions=(EpisodeSession("s1", AT, (replace(turn(0), emotion=""),)),),
                    questions=(),
                ),
            )
        )


@pytest.mark.parametrize("odd", ["\x00", "\ud800"])
def test_text_that_no_database_keeps_is_not_written(odd: str) -> None:
    session = EpisodeSession("s1", AT, (turn(0, f"a{odd}"),))
    with pytest.raises(FormatError):
        write(collected(episode(sessions=(session,), questions=())))


def test_notes_are_quirks_of_the_file() -> None:
    found = again(collected(episode(notes=("It has no zone.",))))
    assert [(one.where, one.sentence) for one in found.quirks] == [("move", "It has no zone.")]


def test_the_files_license_is_that_of_episodes_without_one() -> None:
    told = value(licence="")
    told["license"] = "CC BY 4.0"
    found = read_collection(json.dumps(told).encode(), "f.json")
    assert {one.licence for one in (*found.episodes, *found.instances)} == {"CC BY 4.0"}


def test_a_question_about_a_session_in_which_nothing_is_said_is_refused() -> None:
    sessions = (EpisodeSession("s1", AT, (turn(0),)), EpisodeSession("s2", AT, ()))
    asked = EpisodeQuestion("q", "What?", None, "session", ("s1",))
    silent = replace(asked, supports=("s2",))
    (one,) = again(collected(episode(sessions=sessions, questions=(asked,)))).instances
    assert [entry.key for entry in one.pool] == ["s1"]
    with pytest.raises(FormatError, match="'q' names the session 's2', in which nothing is said"):
        write(collected(episode(sessions=sessions, questions=(silent,))))


def test_a_session_that_fits_no_pool_is_refused_where_sessions_are_asked_for() -> None:
    long = EpisodeSession("s1", AT, (turn(0, "a" * 49_995), turn(2, "b" * 49_995)))
    asked = EpisodeQuestion("q", "What?", None, "session", ("s1",))
    fits = replace(long, turns=(turn(0, "a" * 49_990), turn(2, "b" * 49_990)))
    again(collected(episode(sessions=(fits,), questions=(asked,))))
    again(collected(episode(sessions=(long,), questions=())))
    with pytest.raises(FormatError, match="'s1' has 100,004 characters, and 100,000 are the most"):
        write(collected(episode(sessions=(long,), questions=(asked,))))

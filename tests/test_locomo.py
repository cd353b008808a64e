"""LoCoMo's files: what is read of an array or a zip, what is reported, what is refused.

The released file is not part of the project: tests that need it look beside the repository.
"""

import io
import json
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.collected import Collection
from sandbox.formats import FORMATS, FormatError, read_collection, read_files
from sandbox.formats.locomo_sample import CATEGORIES

ZIP = Path(__file__).parents[2] / "shared" / "data" / "locomo" / "locomo10.zip"


def turn(number: int, text: str = "The loom broke.", **changes: Any) -> dict[str, Any]:
    speaker = "Ann" if number % 2 else "Bo"
    return {"speaker": speaker, "dia_id": f"D1:{number}", "text": text} | changes


def question(**changes: Any) -> dict[str, Any]:
    made = {"question": "What broke?", "answer": "A loom.", "evidence": ["D1:1"], "category": 4}
    return {name: value for name, value in (made | changes).items() if value is not ...}


def talk(**changes: Any) -> dict[str, Any]:
    return {
        "speaker_a": "Ann",
        "speaker_b": "Bo",
        "session_1_date_time": "12:05 am on 8 May, 2023",
        "session_1": [turn(1), turn(2, "Oh no.")],
        "session_2_date_time": "1:00 pm on 9 May, 2023",
        "session_2": [turn(3, dia_id="D2:1", blip_caption="a loom", img_url=["x"], query="loom")],
    } | changes


def sample(*asked: Any, **changes: Any) -> dict[str, Any]:
    """A conversation in the shape of `locomo10.json`, written for this test."""
    made = {"sample_id": "conv-1", "conversation": talk(), "qa": list(asked) or [question()]}
    return made | {"event_summary": {}} | changes


def read(*samples: Any) -> Collection:
    return read_collection(json.dumps(samples).encode(), "f.json")


def refusal(data: bytes) -> str:
    """Why the file is refused; empty where it is read."""
    try:
        read_collection(data, "f.json")
    except FormatError as error:
        return str(error)
    return ""


def told(found: Collection) -> set[tuple[str, str]]:
    return {(quirk.where, quirk.sentence) for quirk in found.quirks}


def test_a_conversation_is_an_episode_of_two_friends() -> None:
    (one,) = read(sample()).episodes
    assert (one.id, one.title, one.source) == ("conv-1", "Ann and Bo", "LoCoMo")
    assert (one.persona.name, one.human.name, one.licence) == ("Bo", "Ann", "CC BY-NC 4.0")
    assert [(session.id, session.at) for session in one.sessions] == [
        ("session_1", "2023-05-08T00:05:00+00:00"),
        ("session_2", "2023-05-09T13:00:00+00:00"),
    ]
    assert [(turn.id, turn.role, turn.speaker) for turn in one.turns()] == [
        ("D1:1", "user", "Ann"),
        ("D1:2", "assistant", "Bo"),
        ("D2:1", "user", "Ann"),
    ]
    assert not one.has_gold
    assert "without a zone" in one.notes[1]


def test_an_image_is_marked_behind_the_words() -> None:
    last = list(read(sample()).episodes[0].turns())[-1]
    assert last.text == "The loom broke. [shares an image: a loom]"


def test_a_question_names_turns_and_keeps_its_category() -> None:
    found = read(sample(question(), question(category=2, evidence=["D2:1", "D1:2"])))
    assert [(one.id, one.kind, one.unit) for one in found.episodes[0].questions] == [
        ("q1", "single-hop", "turn"),
        ("q2", "temporal", "turn"),
    ]
    second = found.find("conv-1-q2")
    assert (second.query, second.reply, second.golden) == (
        "What broke?",
        "A loom.",
        ("D2:1", "D1:2"),
    )
    assert (len(second.pool), second.licence, second.roles) == (3, "CC BY-NC 4.0", {})


def test_the_categories_are_named_in_the_files_order() -> None:
    assert CATEGORIES == {
        1: "multi-hop",
        2: "temporal",
        3: "open-domain",
        4: "single-hop",
        5: "adversarial",
    }


def test_an_adversarial_question_without_an_answer_has_none() -> None:
    asked = question(category=5, answer=..., adversarial_answer="a kite")
    found = read(sample(asked))
    assert found.episodes[0].questions[0].answer is None
    assert "kite" not in repr(found.episodes)
    assert (
        "conv-1, 1 of 1 questions",
        "have no answer: the right act is to say that it is not known",
    ) in told(found)
    assert ("conv-1, 1 questions", "tell what a misled model says; it is not read") in told(found)


@pytest.mark.parametrize(
    ("evidence", "supports", "sentence"),
    [
        (
            ["D1:1; D2:1"],
            ("D1:1", "D2:1"),
            "has the evidence 'D1:1; D2:1', taken as 'D1:1', 'D2:1'",
        ),
        (["D1:2 D1:1"], ("D1:2", "D1:1"), "has the evidence 'D1:2 D1:1', taken as 'D1:2', 'D1:1'"),
        (["D1:02"], ("D1:2",), "has the evidence 'D1:02', taken as 'D1:2'"),
        (["D", "D1:1"], ("D1:1",), "has the evidence 'D', which names no turn: left out"),
        (["D:1:1"], (), "has the evidence 'D:1:1', which names no turn: left out"),
        (["D1:9"], (), "has the evidence 'D1:9', which names no turn: left out"),
        (["D1:1 D1:9"], (), "has the evidence 'D1:1 D1:9', which names no turn: left out"),
        (["D1:1", "D1:1"], ("D1:1",), "names a turn twice as evidence, kept once"),
        ([], (), "has no evidence"),
    ],
)
def test_odd_evidence_is_reported_and_never_mended_unseen(
    evidence: list[str], supports: tuple[str, ...], sentence: str
) -> None:
    found = read(sample(question(evidence=evidence)))
    assert found.episodes[0].questions[0].supports == supports
    assert ("conv-1, question 1", sentence) in told(found)


def test_sound_evidence_is_no_oddity() -> None:
    assert not [where for where, _sentence in told(read(sample())) if "question 1" in where]


@pytest.mark.parametrize(
    ("changes", "answer", "sentence"),
    [
        ({"answer": 2022}, "2022", "has a number for an answer, kept as the text '2022'"),
        ({"answer": ...}, None, "has no answer: taken as one to which none is known"),
        ({"category": 7}, "A loom.", "has the category 7, which nobody explains"),
    ],
)
def test_odd_questions_are_reported(changes: Any, answer: str | None, sentence: str) -> None:
    found = read(sample(question(**changes)))
    assert found.episodes[0].questions[0].answer == answer
    assert ("conv-1, question 1", sentence) in told(found)


@pytest.mark.parametrize(
    ("changes", "place", "sentence"),
    [
        (
            {"session_9_date_time": "1:00 pm on 9 May, 2023"},
            "session_9_date_time",
            "is the date of a session that is not there",
        ),
        (
            {"session_1_date_time": "noon"},
            "session_1_date_time",
            "must be such as '1:56 pm on 8 May, 2023', got 'noon': the session has no time",
        ),
        ({"session_2": []}, "session_2", "has no turn"),
        (
            {"session_2_date_time": "1:00 pm on 7 May, 2023"},
            "sessions",
            "one of 2023-05-07T13:00:00+00:00 comes after one of 2023-05-08T00:05:00+00:00",
        ),
    ],
)
def test_odd_sessions_are_reported(changes: Any, place: str, sentence: str) -> None:
    found = read(sample(conversation=talk(**changes), qa=[]))
    assert (f"conv-1, {place}", sentence) in told(found)


def test_sessions_go_by_their_numbers() -> None:
    many = {f"session_{n}": [turn(1, dia_id=f"D{n}:1")] for n in (10, 9, 3)}
    one = read(sample(conversation=talk(**many))).episodes[0]
    assert [session.id for session in one.sessions][2:] == ["session_3", "session_9", "session_10"]


def test_a_file_a_conversation_is_read_as_the_array_is() -> None:
    flat = talk(qa=[question()], events_session_1={}, session_1_summary="Ann's loom.")
    data = json.dumps(flat).encode()
    (one,) = read_collection(data, "26.json").episodes
    (other,) = read(sample(sample_id="conv-26")).episodes
    assert one == other
    found = read_files([("26.json", data), ("a b.json", json.dumps(flat, indent=1).encode())])
    assert [episode.id for episode in found.episodes] == ["conv-26", "a-b"]
    assert {quirk.file for quirk in found.quirks} == {"26.json", "a b.json"}


def test_a_zip_of_files_is_read_in_the_order_of_their_names() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in ("data/31.json", "data/30.json"):
            archive.writestr(name, json.dumps(talk(qa=[question()])))
    found = read_collection(packed.getvalue(), "locomo.zip")
    assert [one.id for one in found.episodes] == ["conv-30", "conv-31"]


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (sample(conversation=talk(session_1=3)), r"field 'session_1': must be a list, got 3"),
        (
            sample(conversation=talk(session_1=[turn(1, text=4)])),
            r"f\.json, line 1, conversation conv-1, session_1, turn 1, field 'text': must be text, "
            r"got 4",
        ),
        (sample(conversation=talk(session_1=["hi"])), r"turn 1: must be an object"),
        (sample(qa={}), r"field 'qa': must be a list, got 0 fields"),
        (sample(question(evidence="D1:1")), r"question 1, field 'evidence': must be a list"),
        (sample(question(category="2")), r"question 1, field 'category': must be a whole number"),
        (sample(question(answer=["a"])), r"question 1, field 'answer.*'"),
        (sample(conversation=talk(speaker_b="")), r"field 'speaker_b': must be a name, got ''"),
        (sample(conversation=talk(speaker_b=None)), r"field 'speaker_b': must be a name"),
        (sample(sample_id=3), r"field 'sample_id': must be 1 to 60"),
    ],
)
def test_a_file_of_the_wrong_shape_is_refused_whole(broken: Any, sentence: str) -> None:
    with pytest.raises(FormatError, match=sentence):
        read(sample(sample_id="other"), broken)


def test_an_id_that_comes_twice_refuses_the_file() -> None:
    with pytest.raises(FormatError, match="conversation conv-1: its id must be used once"):
        read(sample(), sample())


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"speaker_b": "Ann"}, "Both of its speakers are called 'Ann'"),
        ({"session_2": [turn(1)]}, "Two of its turns have the dia_id 'D1:1'"),
        ({"session_2": [turn(1, dia_id="D2:1", speaker="Cy")]}, "'Cy' speaks in D2:1"),
        ({"session_1": [], "session_2": []}, "It has no turn"),
    ],
)
def test_a_conversation_that_contradicts_itself_is_refused_alone(
    changes: Any, sentence: str
) -> None:
    found = read(sample(sample_id="other"), sample(conversation=talk(**changes)))
    assert [one.id for one in found.episodes] == ["other"]
    assert [(one.where, sentence in one.sentence) for one in found.refused] == [("conv-1", True)]


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_spoilt_file_is_read_or_refused_in_one_sentence(data: st.DataObject) -> None:
    whole = json.dumps([sample()]).encode()
    start = data.draw(st.integers(0, len(whole) - 1))
    spoilt = whole[:start] + data.draw(st.binary(max_size=4)) + whole[start + 1 :]
    told = refusal(spoilt)
    assert "\n" not in told
    assert len(told) < 400


def test_the_words_stay_as_they_are() -> None:
    wild = ["زيتون على الطاولة", " “quoted” \\n ", "🫖\nand\ttabs", "word " * 2000, "<b>&amp;"]
    turns = [turn(number, text) for number, text in enumerate(wild, 1)]
    one = read(sample(conversation=talk(session_1=turns))).episodes[0]
    assert [turn.text for turn in one.sessions[0].turns] == wild


def test_only_reading_is_offered() -> None:
    kind = next(one for one in FORMATS if one.name == "locomo")
    assert kind.write is None


@pytest.fixture(scope="module")
def released() -> Collection:
    if not ZIP.is_file():
        pytest.skip(f"needs {ZIP.name} in {ZIP.parent}")
    return read_collection(ZIP.read_bytes(), ZIP.name)


def test_the_release_is_read_whole(released: Collection) -> None:
    """The zip's own numbers; those that others counted in `locomo10.json` are the same."""
    assert (len(released.episodes), released.refused) == (10, ())
    assert sum(len(one.sessions) for one in released.episodes) == 272
    assert sum(1 for one in released.episodes for _turn in one.turns()) == 5882
    assert len(released.instances) == 1986
    kinds = Counter(asked.kind for one in released.episodes for asked in one.questions)
    assert kinds == {
        "multi-hop": 282,
        "temporal": 321,
        "open-domain": 96,
        "single-hop": 841,
        "adversarial": 446,
    }
    assert [one.id for one in released.episodes] == [
        f"conv-{number}" for number in (26, 30, 41, 42, 43, 44, 47, 48, 49, 50)
    ]
    unanswered = [one for one in released.instances if one.reply is None]
    assert len(unanswered) == 444


def test_the_oddities_of_the_release_are_reported(released: Collection) -> None:
    found = Counter(quirk.sentence.split(",")[0].split(" '")[0] for quirk in released.quirks)
    assert found["is the date of a session that is not there"] == 16
    assert found["has a number for an answer"] == 6
    assert found["has no evidence"] == 4
    odd = [quirk.sentence for quirk in released.quirks if "has the evidence" in quirk.sentence]
    assert len([one for one in odd if "taken as" in one]) == 5
    assert sorted(one for one in odd if "left out" in one) == [
        f"has the evidence {told!r}, which names no turn: left out"
        for told in ("D", "D10:19", "D4:36", "D:11:26")
    ]
    images = [quirk.where for quirk in released.quirks if "describe an image" in quirk.sentence]
    assert sum(int(where.split(", ")[1].split()[0]) for where in images) == 1226
    assert {quirk.file for quirk in released.quirks if "conv-26" in quirk.where} == {"26.json"}


def test_the_release_casts_as_stratmem_bench_does(released: Collection) -> None:
    people = {(one.human.name, one.persona.name) for one in released.episodes}
    assert ("Caroline", "Melanie") in people
    assert ("Audrey", "Andrew") in people
    assert len(people) == 10

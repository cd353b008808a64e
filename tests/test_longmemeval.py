"""LongMemEval's files, on records written for these tests: what is read, reported, refused."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.collected import Collection
from sandbox.formats import FORMATS, FormatError, read_collection


def turn(role: str, content: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content} | more


def item(**changes: Any) -> dict[str, Any]:
    """A question in the release's shape."""
    made: dict[str, Any] = {
        "question_id": "0a1b",
        "question_type": "temporal-reasoning",
        "question": "When was the loom sold?",
        "answer": "In May.",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/22 (Mon) 10:00"],
        "haystack_session_ids": ["answer_1", "other_2"],
        "haystack_sessions": [
            [turn("user", "I sold the loom.", has_answer=True), turn("assistant", "Good.")],
            [turn("user", "Tea?"), turn("assistant", "Green.")],
        ],
        "answer_session_ids": ["answer_1"],
    }
    return {name: value for name, value in (made | changes).items() if value is not ...}


def read(*items: Any) -> Collection:
    return read_collection(json.dumps(items).encode(), "f.json")


def refusal(data: bytes) -> str:
    """Why the file is refused; empty where it is read."""
    try:
        read_collection(data, "f.json")
    except FormatError as error:
        return str(error)
    return ""


def test_a_question_is_an_episode_and_an_instance() -> None:
    found = read(item())
    (one,), (instance,) = found.episodes, found.instances
    assert (one.id, one.source, one.persona.name, one.human.name) == (
        "0a1b",
        "LongMemEval",
        "Assistant",
        "User",
    )
    assert [(session.id, session.at) for session in one.sessions] == [
        ("answer_1", "2023-05-20T02:21:00+00:00"),
        ("other_2", "2023-05-22T10:00:00+00:00"),
    ]
    assert [turn.id for turn in one.turns()] == [
        "answer_1:1",
        "answer_1:2",
        "other_2:1",
        "other_2:2",
    ]
    (asked,) = one.questions
    assert (asked.unit, asked.supports, asked.kind) == (
        "turn",
        ("answer_1:1",),
        "temporal-reasoning",
    )
    assert (instance.time, instance.reply) == ("2023-05-30T23:40:00+00:00", "In May.")
    assert instance.golden == ("answer_1:1",)
    assert "answer_session_ids: answer_1." in one.notes
    assert found.quirks == ()


def test_a_question_to_abstain_from_has_no_answer_and_keeps_what_the_file_says() -> None:
    one = read(item(question_id="0a1b_abs", answer="You never told me.")).episodes[0]
    assert one.questions[0].answer is None
    assert "It cannot be answered; the file says: You never told me." in one.notes
    assert "never told" not in repr(one)


def test_without_marked_turns_the_supports_are_sessions() -> None:
    sessions = [[turn("user", "I sold the loom.")], [turn("user", "Tea?")]]
    found = read(item(haystack_sessions=sessions))
    asked = found.episodes[0].questions[0]
    assert (asked.unit, asked.supports) == ("session", ("answer_1",))
    assert [entry.key for entry in found.instances[0].pool] == ["answer_1", "other_2"]


def test_without_any_mark_there_are_no_supports() -> None:
    sessions = [[turn("user", "I sold the loom.")], [turn("user", "Tea?", has_answer=False)]]
    asked = read(item(haystack_sessions=sessions, answer_session_ids=...)).episodes[0].questions[0]
    assert (asked.unit, asked.supports) == ("turn", ())


def test_sessions_are_put_in_the_order_of_their_dates() -> None:
    dates = ["2023/05/22 (Mon) 10:00", "2023/05/20 (Sat) 02:21"]
    found = read(item(haystack_dates=dates))
    assert [one.id for one in found.episodes[0].sessions] == ["other_2", "answer_1"]
    assert [(one.where, one.sentence) for one in found.quirks] == [
        ("0a1b, haystack_sessions", "do not go by their dates: put in order")
    ]


@pytest.mark.parametrize(
    ("changes", "place", "sentence"),
    [
        (
            {"haystack_session_ids": ["answer_1", "answer_1"]},
            "haystack_session_ids.1",
            "is 'answer_1' again: another session, called 'answer_1#2'",
        ),
        ({"answer": 3}, "answer", "is a number, kept as the text '3'"),
        ({"answer": ...}, "answer", "is not given: taken as a question to which none is known"),
        (
            {"answer_session_ids": ["gone"]},
            "answer_session_ids",
            "name 'gone', which is no session of it",
        ),
        (
            {"answer_session_ids": ["other_2"]},
            "answer_1",
            "has the answer, and answer_session_ids do not name it",
        ),
        (
            {"question_date": "2023/05/21 (Sun) 10:00"},
            "question_date",
            "is before the last session, which is of 2023-05-22T10:00:00+00:00",
        ),
        (
            {"question_date": "2023/05/30 (Mon) 10:00"},
            "question_date",
            "names another day of the week than its date has: '2023/05/30 (Mon) 10:00'",
        ),
        (
            {"question_date": "30 May"},
            "question_date",
            "must be such as '2023/05/20 (Sat) 02:21', got '30 May': no time",
        ),
        (
            {"haystack_dates": ["2023/02/30 (Sat) 02:21", "2023/05/22 (Mon) 10:00"]},
            "haystack_dates.0",
            "must be such as '2023/05/20 (Sat) 02:21', got '2023/02/30 (Sat) 02:21': no time",
        ),
        (
            {"haystack_sessions": [[turn("user", "Hi.")], []]},
            "other_2",
            "has no turn",
        ),
        (
            {"haystack_sessions": [[turn("user", "Hi.")], [turn("user", " ")]]},
            "other_2:1",
            "says nothing",
        ),
    ],
)
def test_oddities_are_reported(changes: Any, place: str, sentence: str) -> None:
    found = read(item(**changes))
    assert (f"0a1b, {place}", sentence) in [(one.where, one.sentence) for one in found.quirks]
    assert len(found.episodes) == 1


def test_sessions_of_the_same_id_stay_apart() -> None:
    one = read(item(haystack_session_ids=["s", "s"], answer_session_ids=["s"])).episodes[0]
    assert [session.id for session in one.sessions] == ["s", "s#2"]
    assert len({turn.id for turn in one.turns()}) == 4


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"haystack_dates": []}, "2 haystack_sessions, 0 haystack_dates and 2 haystack_session"),
        ({"haystack_sessions": [[], []]}, "hold no turn"),
    ],
)
def test_a_question_that_contradicts_itself_is_refused_alone(changes: Any, sentence: str) -> None:
    found = read(item(question_id="other"), item(**changes))
    assert [one.id for one in found.episodes] == ["other"]
    assert [(one.where, sentence in one.sentence) for one in found.refused] == [("0a1b", True)]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"question_id": "a b"}, r"field 'question_id': must match the pattern"),
        ({"question": ...}, r"f\.json, line 1, question 0a1b, field 'question': must be given"),
        ({"haystack_sessions": "x"}, r"field 'haystack_sessions': must be a list, got 'x'"),
        (
            {"haystack_sessions": [[turn("system", "x")], []]},
            r"field 'haystack_sessions\.0\.0\.role': must be 'user' or 'assistant'",
        ),
        ({"answer": ["a"]}, r"field 'answer.*'"),
        ({"haystack_sessions": [[turn("user", "\ud800")], []]}, r"lone surrogate"),
    ],
)
def test_a_file_of_the_wrong_shape_is_refused_whole(changes: Any, sentence: str) -> None:
    with pytest.raises(FormatError, match=sentence):
        read(item(question_id="other"), item(**changes))


def test_an_id_that_comes_twice_refuses_the_file() -> None:
    with pytest.raises(FormatError, match="field 'question_id': must be used once, got '0a1b'"):
        read(item(), item())


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_spoilt_file_is_read_or_refused_in_one_sentence(data: st.DataObject) -> None:
    whole = json.dumps([item()]).encode()
    start = data.draw(st.integers(0, len(whole) - 1))
    told = refusal(whole[:start] + data.draw(st.binary(max_size=4)) + whole[start + 1 :])
    assert "\n" not in told
    assert len(told) < 400


def test_only_reading_is_offered() -> None:
    assert next(one for one in FORMATS if one.name == "longmemeval").write is None


def test_a_turn_that_fits_no_bank_costs_its_question_alone() -> None:
    long = turn("user", "x" * 100_001, has_answer=True)
    given_ = [item(question_id="long", haystack_sessions=[[long], [turn("user", "Tea?")]]), item()]
    found = read(*given_)
    assert [one.id for one in found.episodes] == ["0a1b"]
    [refused] = found.refused
    assert refused.where == "long"
    assert refused.sentence == (
        "The turn 'answer_1:1' has 100,008 characters, and 100,000 are the most for a question "
        "about turns."
    )


def test_a_session_that_fits_no_bank_costs_a_question_about_sessions_alone() -> None:
    long = [
        [turn("user", "word " * 11_000), turn("assistant", "word " * 11_000)],
        [turn("user", "x")],
    ]
    asked = item(question_id="whole", haystack_sessions=long)
    long[0][0]["has_answer"] = True
    by_turn = item(question_id="marked", haystack_sessions=[*long])
    assert [one.id for one in read(by_turn).episodes] == ["marked"]
    del long[0][0]["has_answer"]
    [refused] = read(asked, item()).refused
    assert "The session 'answer_1' has 110,0" in refused.sentence
    assert "about whole sessions" in refused.sentence


def test_a_session_without_turns_is_no_entry_and_no_support() -> None:
    found = read(item(haystack_sessions=[[], [turn("user", "Tea?")]]))
    [one] = found.instances
    assert [entry.key for entry in one.pool] == ["other_2:1"]
    assert one.golden == ()
    both = {"haystack_sessions": [[], [turn("user", "Tea?")]]}
    [whole] = read(item(answer_session_ids=["answer_1", "other_2"], **both)).instances
    assert ([entry.key for entry in whole.pool], whole.golden) == (["other_2"], ("other_2",))

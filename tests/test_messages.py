"""OpenAI's chat messages in JSON Lines: a talk a line, read and written."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.collected import Collection
from sandbox.formats import FORMATS, FormatError, packaged_collection, read_collection
from sandbox.formats.messages import NO_SYSTEM, lost, write
from sandbox.instances import Said

WILD = [
    "زيتون على الطاولة",
    "“quoted” 'as' is\\n",
    "🫖 tea\nand\ttabs",
    "怀表",
    " <b>&amp; ",
    "\u2028x",
]
texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30)
words = st.one_of(st.sampled_from(WILD), texts).filter(str.strip)
long = st.one_of(words, st.just("word " * 2000 + "end"))
names = st.sampled_from([None, "Ann", "أمل", "Bo_2"])


def said(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content} | more


def lines(*talks: Any) -> bytes:
    return b"".join(json.dumps({"messages": talk}).encode() + b"\n" for talk in talks)


def read(*talks: Any) -> Collection:
    return read_collection(lines(*talks), "f.jsonl")


TALK = [
    said("system", "You are Bo, a weaver."),
    said("user", "Hi!", name="Ann"),
    said("assistant", "Hello."),
    said("user", "Is the loom sold?"),
    said("assistant", "In May."),
]


def test_a_line_is_an_instance() -> None:
    one = read(TALK).instances[0]
    assert (one.id, one.query, one.reply) == ("line-1", "Is the loom sold?", "In May.")
    assert one.persona.summary == ("You are Bo, a weaver.",)
    assert (one.persona.name, one.human.name) == ("Assistant", "Ann")
    assert one.history == (Said("user", "Ann", "Hi!"), Said("assistant", "Assistant", "Hello."))
    assert (one.pool, one.time, one.notes) == ((), None, ())


def test_a_talk_that_ends_with_its_user_has_no_reply() -> None:
    one = read(TALK[:-1]).instances[0]
    assert (one.query, one.reply) == ("Is the loom sold?", None)


def test_a_talk_without_a_system_message_has_a_plain_character() -> None:
    assert read(TALK[1:]).instances[0].persona.summary == (NO_SYSTEM,)


def test_tools_pictures_and_empty_messages_are_left_out_and_noted() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    picture = [{"type": "text", "text": "See:"}, {"type": "image_url", "image_url": {"url": "x"}}]
    found = read(
        [
            said("developer", "Be Bo."),
            said("user", picture),
            said("assistant", None, tool_calls=[call]),
            said("tool", "42", tool_call_id="c"),
            said("assistant", "One."),
            said("assistant", "Two.", refusal="no", weight=0),
        ]
    )
    one = found.instances[0]
    assert (one.query, one.reply) == ("See:", "One.\n\nTwo.")
    assert one.notes == (
        "Message 2 has a part of the type 'image_url', left out.",
        "Message 3 has no words: left out.",
        "Message 3 has tool_calls: left out.",
        "Message 4, of a tool, is left out.",
        "Message 6 has refusal: left out.",
        "Message 6 has weight: left out.",
        "Its reply is several messages, put together.",
    )
    assert [quirk.where for quirk in found.quirks] == ["line 1"] * 6


def test_other_fields_of_a_line_are_reported() -> None:
    data = json.dumps({"messages": TALK, "tools": []}).encode()
    found = read_collection(data, "f.jsonl")
    assert found.quirks[0].sentence == (
        "has fields beside messages that are not read, such as 'tools'"
    )


def test_marks_blank_lines_and_line_ends_do_not_matter() -> None:
    plain = lines(TALK, TALK)
    for data in (b"\xef\xbb\xbf" + plain, plain.replace(b"\n", b"\r\n"), plain + b"\n\n"):
        assert read_collection(data, "f.jsonl").instances == read(TALK, TALK).instances


@st.composite
def talks(draw: st.DrawFn) -> list[dict[str, Any]]:
    system = [said("system", text) for text in draw(st.lists(long, max_size=2))]
    roles = [*draw(st.lists(st.sampled_from(["user", "assistant"]), max_size=4)), "user"]
    made = []
    for role in [*roles, *draw(st.sampled_from([[], ["assistant"]]))]:
        name = draw(names)
        made.append(said(role, draw(long)) | ({"name": name} if name else {}))
    return system + made


@settings(max_examples=80, deadline=None)
@given(st.lists(talks(), min_size=1, max_size=3))
def test_write_then_read_is_the_identity(given_talks: Any) -> None:
    found = read(*given_talks)
    assert found.refused == ()
    files = write(found)
    again = read_collection(files["f.jsonl"], "f.jsonl")
    assert again.instances == found.instances
    assert write(again) == files
    assert lost(found) == ()


def test_the_shipped_collection_is_written_and_what_is_dropped_is_told() -> None:
    shipped = read_collection(packaged_collection(), "demo.json")
    again = read_collection(write(shipped)["demo.jsonl"], "demo.jsonl")
    assert [one.query for one in again.instances] == [one.query for one in shipped.instances]
    assert [one.history for one in again.instances] == [one.history for one in shipped.instances]
    told = lost(shipped)
    assert "the pool with its roles of 12 of 12 instances" in told
    assert "id of 12 of 12 instances" in told
    assert "time of 12 of 12 instances" in told
    assert not any(line.startswith(("query ", "history ", "roles ")) for line in told)


def test_no_entry_of_a_pool_reaches_the_messages() -> None:
    shipped = read_collection(packaged_collection(), "demo.json")
    one = shipped.instances[0]
    secret = replace(one, pool=(replace(one.pool[0], text="SECRET 7"), *one.pool[1:]))
    (data,) = write(replace(shipped, instances=(secret,))).values()
    assert b"SECRET" not in data


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (lines(TALK, TALK)[:-9], r"f\.jsonl, line 2.*breaks off"),
        (lines(TALK) + b'{"messages": 3}', r"line 2, field 'messages': must be a list, got 3"),
        (lines(TALK, TALK) + b"[1]\n", r"f\.jsonl, line 3: must be an object"),
        (lines([said("narrator", "x")]), r"line 1, field 'messages.0.role': must be 'system'"),
        (lines([said("user", 3)]), r"line 1, field 'messages\.0\.content.*'"),
        (lines(TALK) + b'{"messages": "\xe9"}', r"line 2: must be UTF-8, got the byte 0xe9"),
        (lines([said("user", "\ud800")]), r"line 1, field .*lone surrogate"),
        (lines(TALK, TALK) + b"[" * 100_000, r"line 3: must be at most 40 levels deep"),
        (lines([said("system", "You are Bo.")]), r"line 1: It has no user message"),
        (lines([said("system", "x" * 50_000), *TALK[1:]]), r"field 'summary.0': must have at most"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_sentence(data: bytes, sentence: str) -> None:
    with pytest.raises(FormatError, match=sentence) as caught:
        read_collection(data, "f.jsonl")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_talk_that_nobody_asks_in_is_refused_alone() -> None:
    found = read(TALK, [said("assistant", "Hm.")])
    assert [one.id for one in found.instances] == ["line-1"]
    assert [(one.where, one.sentence) for one in found.refused] == [
        ("line 2", "It has no user message with words in it.")
    ]


def test_nothing_cannot_be_written() -> None:
    with pytest.raises(FormatError, match="has no instance"):
        write(Collection("f.json", "", ()))


def test_the_format_is_told_to_be_lossy() -> None:
    kind = next(one for one in FORMATS if one.name == "messages")
    assert (kind.write, kind.lost) == (write, lost)

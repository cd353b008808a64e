"""MADial-Bench's files: what is read of several together, what is reported, what is refused.

The released files are not part of the project: tests that need them look beside the repository.
"""

import ast
import codecs
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.collected import Collection
from sandbox.formats import FormatError, read_files
from sandbox.formats.madial_settings import (
    negatives,
    released_order,
    setting_1,
    setting_2,
    setting_3,
)
from sandbox.instances import Said
from tests.madial import Files, dialogue, lines, memory, released, runs, small

RUN = {"top_20_ids": [3, 7, 1, 2, 4, 5, 6], "relevant_id": [7, 2], "user-id": 1, "id": 0}
HYPHENS = {"top-20-ids": [1, 7, 2, 3], "bottom-10-ids": [8, 6, 5, 4, 2]}


def read(*dialogues: Any, **others: Any) -> Collection:
    return read_files(small(*dialogues, **others))


@pytest.fixture(scope="module")
def en() -> Collection:
    return read_files(released(*_base("en"), *runs("en")))


@pytest.fixture(scope="module")
def zh() -> Collection:
    settings_ = [f"zh/MADial-Bench-zh-dialogue-setting{number}.json" for number in (2, 3)]
    return read_files(released(*_base("zh"), *settings_, *runs("zh")))


def _base(language: str) -> list[str]:
    return [f"{language}/MADial-Bench-{language}-{what}.json" for what in ("dialogue", "memory")]


# What an instance is


def test_each_test_turn_is_an_instance_of_what_was_said_before_it() -> None:
    first, second = read().instances
    assert (first.id, second.id, first.dialogue) == ("0-4", "0-6", "0")
    assert first.history == (
        Said("user", "Bart", "The loom broke."),
        Said("assistant", "Assistant", "Oh no. Which part?"),
    )
    assert (first.query, first.reply) == ('The "heddle".', "You mended one in May.")
    assert second.history[2:] == (
        Said("user", "Bart", 'The "heddle".'),
        Said("assistant", "Assistant", "You mended one in May."),
    )
    assert (second.query, second.reply) == ("True!", "Then you can do it again.")


def test_the_pool_is_the_childs_own_memories_and_shared_by_the_instances() -> None:
    first, second = read().instances
    assert [entry.key for entry in first.pool] == [str(key) for key in range(1, 9)]
    assert first.pool is second.pool
    one = first.pool[6]
    assert (one.type, one.side, one.anchor) == ("episodic", "user", "2023-05-04")
    assert (one.emotion, one.scene, one.text) == ("Happy", "Activities", "Bart mended heddle 7.")
    assert (first.golden, first.roles) == (("7", "2"), {})


def test_the_people_and_the_day_are_those_of_the_release() -> None:
    one = read().instances[0]
    assert (one.persona.name, len(one.persona.summary), one.human.name) == ("Assistant", 6, "Bart")
    assert "10 and 14" in one.human.profile
    assert one.time == "2024-06-15T12:00:00+00:00"
    assert "gives no date" in one.notes[0]
    assert (one.language, one.licence, one.recall) == ("en", "MIT", None)


def test_a_set_is_recognised_whatever_its_files_are_called() -> None:
    files = small()
    renamed = [("b.jsonl", files[0][1]), ("a.jsonl", files[1][1])]
    assert read_files(renamed).instances == read_files(files).instances


def test_runs_are_read_in_both_spellings_and_called_after_their_files() -> None:
    found = read(openai_zh_top_20_ids=lines(RUN), jina_top_20=lines(HYPHENS)).instances[0]
    assert found.rankings == {
        "openai": ("3", "7", "1", "2", "4", "5", "6"),
        "jina": ("1", "7", "2", "3"),
        "jina bottom": ("8", "6", "5", "4", "2"),
    }


def test_the_settings_follow_from_golden_memories_and_run() -> None:
    """Golden are 7 and 2: neither is a negative, wherever a run ranks it."""
    one = read(openai_top_20=lines(RUN), jina_top_20=lines(HYPHENS)).instances[0]
    assert setting_1(one) == ("7",)
    assert setting_2(one, "openai", "hardest") == ("7", "3", "1", "4", "5")
    assert setting_2(one, "jina", "easiest") == ("7", "8", "6", "5", "4")
    assert setting_3(one, "openai") == ("3", "7", "1", "2", "4")
    with pytest.raises(ValueError, match="ranks 2 memories that are not golden for 0-4"):
        negatives(one, "jina", "hardest")
    with pytest.raises(ValueError, match="no ranking 'x'; it has jina, jina bottom, openai"):
        setting_3(one, "x")


def test_a_golden_list_is_counted_once_a_dialogue() -> None:
    told = read().figures()
    assert (told.read, told.dialogues, told.golden) == (2, 1, 2)
    assert told.pools == {8: 2}


# What is odd is read and reported


@pytest.mark.parametrize(
    ("line", "said", "sentence"),
    [
        ('"Oh no."\n', Said("assistant", "Assistant", "Oh no."), "no speaker's tag"),
        ("<Oh no!>\n", Said("assistant", "Assistant", "Oh no!"), "stands in <> as a whole"),
        (' <Bart>:"Oh."\n', Said("user", "Bart", "Oh."), "is by Bart like the one before"),
        ('<Assistant>::"Oh."\n', Said("assistant", "Assistant", "Oh."), "two colons"),
        ('<Assistant>: "Oh.\n', Said("assistant", "Assistant", "Oh."), "quote at one end"),
        ('<Assistant>: Oh."\n', Said("assistant", "Assistant", "Oh."), "quote at one end"),
        ("<Assistant>：Oh.\n", Said("assistant", "Assistant", "Oh."), "no quotes"),
        ('<Assistant>: "Oh."<eod\n', Said("assistant", "Assistant", "Oh."), "stray <eod"),
    ],
)
def test_an_odd_utterance_is_read_and_reported_with_its_line(
    line: str, said: Said, sentence: str
) -> None:
    told = dialogue()
    told["dialogue"][2] = line
    found = read(dialogue(), told)
    assert found.instances[2].history[1] == said
    odd = [one for one in found.quirks if one.where == "line 2 (dialogue 1), turn 2"]
    assert [(one.file, sentence in one.sentence) for one in odd] == [("talk.json", True)]


def test_a_test_turn_of_the_child_keeps_its_words_and_says_so() -> None:
    one = read(dialogue(test_turn=[5])).instances[0]
    assert (one.query, one.reply) == ("You mended one in May.", "True!")
    assert "the query is its own words" in one.notes[1]
    assert "the child's own utterance" in one.notes[2]


def test_a_memory_of_later_or_told_twice_is_reported_with_its_line() -> None:
    told = [
        memory(2),
        memory(7, time="2024-10-23"),
        memory(8, event="Bart mended heddle 2.", emotion="Anxiety", scene="Emotional"),
        memory(9, emotion="Anxious"),
    ]
    quirks = [(one.where, one.sentence) for one in read(memories=told).quirks]
    assert ("line 3, memory 8", "has the same text as memory 2") in quirks
    assert [where for where, said in quirks if "2024-10-23" in said] == ["line 2, memory 7"]
    assert [where for where, said in quirks if "Anxiety" in said] == ["line 3"]
    assert ("1 of 4 memories", "scene Emotional is taken as Emotions") in quirks


def test_offered_memories_are_named_for_what_they_are() -> None:
    told = [dialogue(), dialogue(relevant_id=[1])]
    for ids, setting, misnamed in (([3, 7, 1], "2", "setting3"), ([4, 5, 6], "3", "setting2")):
        offered = [told[0] | {"memory_ids": ids}, told[1] | {"memory_ids": [1, 2]}]
        found = read(*told, **{misnamed: lines(*offered)})
        name = f"setting {setting} as released"
        assert found.instances[0].rankings == {name: tuple(str(key) for key in ids)}
        assert [one.file for one in found.quirks if "other one" in one.sentence] == [
            f"{misnamed}.json"
        ]


def test_a_run_that_names_other_golden_memories_is_reported() -> None:
    quirk = read(x_top_20=lines(RUN | {"relevant_id": [2]})).quirks[-1]
    assert (quirk.file, quirk.where) == ("x_top_20.json", "line 1 (dialogue 0)")
    assert "relevant-id is 2 here and 7, 2 in the dialogue" in quirk.sentence


def test_marks_line_ends_and_empty_lines_change_nothing() -> None:
    plain = read_files(small())
    for change in (
        lambda data: codecs.BOM_UTF8 + data,
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: b"\n" + data.replace(b"\n", b"\n\n"),
        lambda data: data.rstrip(),
    ):
        assert (
            read_files([(name, change(data)) for name, data in small()]).instances
            == plain.instances
        )


# What contradicts itself is left out alone


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"relevant_id": [7, 99]}, "names 99, no memory of Bart"),
        ({"relevant_id": [7, 7]}, "names a memory twice"),
        ({"test_turn": [6, 4]}, "must go up"),
        ({"test_turn": [8]}, "test-turn 8 must be an utterance with another before it"),
        ({"test_turn": [99]}, "test-turn 99 must be"),
        ({"test_turn": [1]}, "test-turn 1 must be"),
        ({"user_id": 2, "dialogue": ["<BOD>", "<Lisa>: a", "<Assistant>: b"]}, "memory of Lisa"),
    ],
)
def test_a_dialogue_that_contradicts_itself_is_left_out(changes: Any, sentence: str) -> None:
    found = read(dialogue(), dialogue(**changes))
    assert [one.dialogue for one in found.instances] == ["0", "0"]
    assert [one.where for one in found.refused] == ["talk.json, line 2 (dialogue 1)"]
    assert sentence in found.refused[0].sentence


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"event": "Somebody sang."}, "names neither Bart nor Lisa"),
        ({"event": "Bart and Lisa sang."}, "names Bart and Lisa"),
        ({"event": "Bartholomew sang."}, "names neither"),
        ({"user_id": 3}, "must be 1 or 2, got 3"),
        ({"user_id": "1"}, "must be 1 or 2, got '1'"),
    ],
)
def test_a_memory_whose_owner_cannot_be_told_is_left_out(changes: Any, sentence: str) -> None:
    told = [memory(7), memory(2), memory(5, **changes)]
    found = read(memories=told)
    assert [entry.key for entry in found.instances[0].pool] == ["7", "2"]
    assert [one.where for one in found.refused] == ["kept.json, line 3, memory 5"]
    assert sentence in found.refused[0].sentence


# What has another shape refuses the files


FAULTS: dict[str, tuple[Files, str]] = {
    "dialogues alone": (small()[:1], r"talk\.json: must be given together with the memory file"),
    "memories alone": (small()[1:], r"kept\.json: must be given together with .*dialogue file"),
    "two memory files": (
        [*small(), ("more.json", lines(memory(1)))],
        r"one memory file, got kept\.json and more\.json",
    ),
    "another file": ([*small(), ("x.json", b"[1]")], r"x\.json: must hold dialogues, memories"),
    "truncated": (
        [("talk.json", lines(dialogue()) + b'{"dialogue": ["<BO'), *small()[1:]],
        r"talk\.json, line 2, column \d+: .*breaks off",
    ),
    "UTF-16 line": (
        [("talk.json", lines(dialogue()) + b"\xff\xfe\n"), *small()[1:]],
        r"talk\.json: must be UTF-8",
    ),
    "wrong type": (
        small(dialogue(), dialogue(test_turn="4")),
        r"talk\.json, line 2, field 'test-turn': must be a list, got '4'",
    ),
    "wrong inside": (
        small(dialogue(), dialogue(relevant_id=[1, True])),
        r"line 2, field 'relevant-id\.1': must be a whole number, got True",
    ),
    "missing": (
        small(dialogue(), {"dialogue": [], "test-turn": [1], "relevant-id": [1]}),
        r"line 2, field 'user-id': must be given",
    ),
    "unknown user": (small(dialogue(user_id=3)), r"field 'user-id': must be at most 2, got 3"),
    "unknown speaker": (
        small(dialogue(dialogue=["<BOD>", "<Maggie>: a", "<Assistant>: b"])),
        r"line 1 .*field 'dialogue': must be tagged <Bart> or <Assistant>, got 'Maggie'",
    ),
    "dialogue id twice": (
        small(dialogue(id=5), dialogue(id="5")),
        r"talk\.json, line 2, field 'id': must be used once, got '5'",
    ),
    "memory id twice": (
        small(memories=[memory(7), memory(2), memory(7)]),
        r"kept\.json, line 3, field 'id': must be used once, got '7'",
    ),
    "memory without words": (
        small(memories=[memory(7), memory(2, event=" ")]),
        r"kept\.json, line 2, field 'event': must not be empty",
    ),
    "memory without an id": (
        small(memories=[memory(7), {"x": memory(7)["7"]}]),
        r"kept\.json, line 2, field 'id': must be a whole number from 1, got 'x'",
    ),
    "another line": (small(memories=[memory(7), {"a": 1}]), r"kept\.json, line 2: must hold an id"),
    "no date": (
        small(memories=[memory(7, time="May")]),
        r"line 1, field 'time': .*must be a date such as 2023-12-25, got 'May'",
    ),
    "unknown scene": (
        small(memories=[memory(7, scene="Sea")]),
        r"line 1, field 'scene': must be one of Activity, .*got 'Sea'",
    ),
    "NUL": (
        small(memories=[memory(7, event="Bart \x00")]),
        r"kept\.json, line 1, field '7\.event': must hold neither NUL",
    ),
    "short run": (
        small(dialogue(), dialogue(), x_top_20=lines(RUN)),
        r"x_top_20\.json: must have a line for each of the 2 dialogues, got 1",
    ),
    "run of others": (
        small(x_top_20=lines(RUN | {"user-id": 2})),
        r"x_top_20\.json, line 1, field 'user-id': must be that of dialogue 0, 1, got 2",
    ),
    "run of other memories": (
        small(x_top_20=lines(RUN | {"top_20_ids": [99]})),
        r"field 'top-20-ids': must name memories of the dialogue's user, got 99",
    ),
    "run that repeats": (
        small(x_top_20=lines(RUN | {"top_20_ids": [1, 1]})),
        r"field 'top-20-ids': must name each memory once, got a list of 2",
    ),
    "run of one name": (
        small(x_top_20=lines(RUN), x_zh_top_20_ids=lines(RUN)),
        r"x_zh_top_20_ids\.json: is the second run called 'x'",
    ),
    "other dialogues": (
        small(setting2=lines(dialogue(test_turn=[4]) | {"memory_ids": [1]})),
        r"setting2\.json: must hold the same dialogues as talk\.json",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_files_that_cannot_be_read_are_one_sentence(name: str) -> None:
    files, sentence = FAULTS[name]
    with pytest.raises(FormatError, match=sentence) as caught:
        read_files(files)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_no_damage_breaks_the_reader(data: st.DataObject) -> None:
    files = small(openai_top_20=lines(RUN))
    hit = data.draw(st.integers(0, len(files) - 1))
    name, whole = files[hit]
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, min(len(whole), start + 40)))
    put = data.draw(st.binary(max_size=6))
    files[hit] = (name, whole[:start] + put + whole[end:])
    assert "\n" not in outcome(files)


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_no_wrong_value_breaks_the_reader(data: st.DataObject) -> None:
    rows = [dialogue(id=0), memory(7, user_id=1, id="7"), RUN | HYPHENS]
    row = data.draw(st.sampled_from(rows))
    odd: Any = data.draw(st.sampled_from([None, True, 3, -1, 2.5, "", "x", [], [1], {}, {"a": 1}]))
    inside = row[next(iter(row))] if len(row) == 1 and data.draw(st.booleans()) else row
    inside[data.draw(st.sampled_from(list(inside)))] = odd
    files = [(f"{n}.json", lines(value)) for n, value in enumerate(rows)]
    assert "\n" not in outcome([*files, ("m.json", lines(memory(2)))][:3])


def outcome(files: Files) -> str:
    """Why the files are refused, or of what their instances are."""
    try:
        return read_files(files).instances[0].source
    except FormatError as error:
        return str(error)


# The released files


def test_both_languages_are_read_whole(en: Collection, zh: Collection) -> None:
    for found, turns, pools in ((en, 263, {76, 84}), (zh, 262, {83, 88})):
        told = found.figures()
        assert (told.read, told.refused) == (turns, 0)
        assert (told.dialogues, told.golden, set(told.pools)) == (160, 405, pools)
        assert list(told.languages.values()) == [turns]
        kinds = {one.dialogue: one.recall for one in found.instances}
        assert list(kinds.values()) == ["proactive"] * 100 + ["passive"] * 60
    assert [len(one.persona.summary) for one in (en.instances[0], zh.instances[0])] == [6, 6]


def test_the_row_of_the_walk_has_its_ids(en: Collection) -> None:
    one = en.find("0-8")
    assert (one.dialogue, one.human.name, len(one.pool)) == ("0", "Bart", 76)
    assert setting_2(one, "openai", "easiest") == ("1", "99", "126", "83", "131")
    assert setting_3(one, "openai") == ("105", "130", "51", "68", "60")
    assert one.golden == ("1", "78", "105", "113", "108")


def test_the_chinese_settings_are_the_released_files_under_each_others_names(
    zh: Collection,
) -> None:
    firsts = {one.dialogue: one for one in zh.instances}
    order = released_order(zh.instances, "openai")
    assert len(order) == 160
    for name, one in firsts.items():
        assert order[name] == one.rankings["setting 2 as released"]
        assert setting_3(one, "openai") == one.rankings["setting 3 as released"]
    misnamed = {one.file: one.sentence for one in zh.quirks if "other one" in one.sentence}
    assert "setting 3" in misnamed["MADial-Bench-zh-dialogue-setting2.json"]
    assert "setting 2" in misnamed["MADial-Bench-zh-dialogue-setting3.json"]


def test_the_english_settings_are_what_the_released_prompts_offer(en: Collection) -> None:
    """Setting 3: the five in order, 263 of 263; setting 2: the four negatives, 1052 of 1052."""
    texts = [{entry.key: entry.text for entry in one.pool} for one in en.instances]
    third = offered("en/setting3/setting3-gpt-4o.json")
    second = offered("en/setting2/Meta-Llama-3.1-70B-Instruct_no_guideline_1010.json")
    hits = 0
    for one, known, five, mixed in zip(en.instances, texts, third, second, strict=True):
        assert [known[key] for key in setting_3(one, "openai")] == five
        assert known[setting_1(one)[0]] in mixed
        hits += sum(known[key] in mixed for key in negatives(one, "openai", "easiest"))
    assert hits == 1052


def offered(name: str) -> list[list[str]]:
    """The events in each prompt of a released output, in order."""
    [(_name, data)] = released(f"outputs/{name}")
    contexts = [json.loads(line)["context"] for line in data.splitlines()]
    return [
        [ast.literal_eval(line)["event"] for line in context.splitlines() if line[:8] == "{'time':"]
        for context in contexts
    ]


def test_the_chinese_dialogues_have_the_papers_lengths() -> None:
    [(_name, data)] = released("zh/MADial-Bench-zh-dialogue.json")
    told = [json.loads(line)["dialogue"] for line in data.splitlines()]
    turns = [[one for one in lines_ if one.strip() not in ("<BOD>", "<EOD>")] for lines_ in told]
    counts = [len(one) for one in turns]
    assert (sum(counts), sum(counts[:100]), sum(counts[100:])) == (1474, 938, 536)
    assert round(sum(len(line) for one in turns for line in one) / 1474, 4) == 44.3948


def test_the_quirks_of_the_release_are_reported(en: Collection, zh: Collection) -> None:
    def where(found: Collection, part: str) -> list[str]:
        return [one.where for one in found.quirks if part in one.sentence]

    untagged = where(en, "no speaker's tag")
    assert (len(untagged), sum("a test turn" in one for one in untagged)) == (35, 7)
    assert where(en, "is the child's utterance") == ["line 46 (dialogue 45), test turn 8"]
    assert len(where(zh, "is the child's utterance")) == 14
    assert len(where(zh, "has the same text as")) == 3
    for found in (en, zh):
        assert where(found, "is dated 2024-10-23") == ["line 34, memory 66"]
    again = {one.split(",")[0] for one in where(zh, "like the one before")}
    assert len(again) == 29


def test_no_text_of_the_release_keeps_its_tag_or_marks(en: Collection, zh: Collection) -> None:
    for found in (en, zh):
        for one in found.instances:
            texts = [*(said.text for said in one.history), one.query, one.reply or ""]
            assert not [text for text in texts if "<" in text or text != text.strip() or not text]
            assert {said.speaker for said in one.history} <= {"Assistant", one.human.name}

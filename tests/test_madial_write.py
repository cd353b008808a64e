"""Writing MADial-Bench's files: what was written is read back as it was, or refused by name."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_banks.entries import SCENES
from sandbox.collected import Collection
from sandbox.formats import FORMATS, FormatError, packaged_collection, read_collection, read_files
from sandbox.formats.madial_dialogue import (
    DATE_NOTE,
    LICENCE,
    QUERY_BY_ASSISTANT,
    REPLY_BY_USER,
    SOURCE,
)
from sandbox.formats.madial_people import TIME, Language, assistant, child, language_of
from sandbox.formats.madial_write import write
from sandbox.instances import Instance, PoolEntry, Said
from tests.madial import dialogue, lines, released, runs, small

LONG = '"He said: «שלום 👩‍👩‍👧 \\"»' * 400
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=60),
    st.sampled_from(
        ['"quoted"', '"', "مرحبا «hi»", "👩‍👩‍👧‍👦 é", " a ", "line\none", "<Bart>: x", LONG]
    ),
).filter(lambda text: bool(text.strip()))


def back(collection: Collection) -> Collection:
    """The collection, written and read."""
    return read_files(list(write(collection).items()))


@st.composite
def pools(draw: st.DrawFn) -> tuple[PoolEntry, ...]:
    keys = draw(st.lists(st.integers(1, 10**8), min_size=2, max_size=6, unique=True))
    days = st.dates(date(1990, 1, 1), date(2030, 1, 1)).map(date.isoformat)
    moods = st.one_of(st.none(), TEXTS.filter(lambda text: len(text) < 200))
    scenes = st.one_of(st.none(), st.sampled_from(SCENES))
    return tuple(
        PoolEntry(
            str(key),
            "episodic",
            "user",
            draw(TEXTS),
            anchor=draw(st.one_of(st.none(), days)),
            emotion=draw(moods),
            scene=draw(scenes),
        )
        for key in keys
    )


@st.composite
def collections(draw: st.DrawFn) -> Collection:
    """Dialogues of both children, with what the format can say drawn freely."""
    mine = draw(pools())
    theirs = tuple(replace(one, key=str(int(one.key) + 10**8 + 1)) for one in draw(pools()))
    made = [
        draw(turns(f"{place}", user, {1: mine, 2: theirs}[user]))
        for place, user in enumerate(
            draw(st.lists(st.sampled_from([1, 2]), min_size=1, max_size=3))
        )
    ]
    instances = [one for dialogue_ in made for one in dialogue_]
    spoken: Language = language_of("".join(text for one in instances for text in _said(one)))
    return Collection("c", "0", tuple(_in(one, spoken) for one in instances))


def _said(one: Instance) -> list[str]:
    texts = [f'<{said.speaker}>: "{said.text}"\n' for said in one.history]
    return [*texts, one.query, one.reply or "", '<Assistant>: ""\n<Bart>: ""\n<BOD>\n<EOD>\n']


def _in(one: Instance, spoken: Language) -> Instance:
    user = {"Bart": 1, "Lisa": 2}[one.human.name]
    return replace(one, language=spoken, persona=assistant(spoken), human=child(user, spoken))


@st.composite
def turns(draw: st.DrawFn, name: str, user: int, pool: tuple[PoolEntry, ...]) -> list[Instance]:
    human = child(user, "en")
    roles = draw(st.lists(st.sampled_from(["user", "assistant"]), min_size=2, max_size=6))
    speakers = {"user": human.name, "assistant": "Assistant"}
    said = [Said(role, speakers[role], draw(TEXTS)) for role in roles]
    keys = [entry.key for entry in pool]
    golden = draw(st.lists(st.sampled_from(keys), min_size=1, max_size=3, unique=True))
    ranked = {"a": tuple(draw(st.permutations(keys))), "a bottom": tuple(keys[:1])}
    rankings = ranked if draw(st.booleans()) else {}
    recall = draw(st.sampled_from([None, "passive", "proactive"]))
    places = sorted(draw(st.sets(st.integers(1, len(said) - 1), min_size=1)))
    return [
        Instance(
            id=f"{name}-{place + 1}",
            source=SOURCE,
            title=f"Dialogue {name}, turn {place + 1}: {human.name}",
            language="en",
            persona=assistant("en"),
            human=human,
            history=tuple(said[: place - 1]),
            query=said[place - 1].text,
            time=TIME,
            emotion=None,
            scene=None,
            pool=pool,
            notes=(
                DATE_NOTE,
                *([QUERY_BY_ASSISTANT] if roles[place - 1] == "assistant" else []),
                *([REPLY_BY_USER] if roles[place] == "user" else []),
            ),
            recall=recall,
            dialogue=name,
            licence=LICENCE,
            rankings=rankings,
            golden=tuple(golden),
            reply=said[place].text,
        )
        for place in places
    ]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(collections())
def test_writing_and_reading_is_the_identity(collection: Collection) -> None:
    assert back(collection).instances == collection.instances


def test_what_was_read_is_written_with_all_its_oddities_smoothed() -> None:
    told = dialogue()
    told["dialogue"][2] = "<Oh no!>\n"
    run = {"top_20_ids": [3, 7], "bottom-10-ids": [8]}
    found = read_files(small(told, openai_zh_top_20=lines(run)))
    again = back(found)
    assert again.instances == found.instances
    assert not [one for one in again.quirks if "turn 2" in one.where]
    assert set(write(found)) == {
        "madial-en-dialogue.json",
        "madial-en-memory.json",
        "openai_top_20.json",
    }


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_released_files_are_written_and_read_again(language: str) -> None:
    base = [f"{language}/MADial-Bench-{language}-{what}.json" for what in ("dialogue", "memory")]
    found = read_files(released(*base, *runs(language)))
    assert back(found).instances == found.instances
    some = replace(found, instances=found.instances[40:45])
    assert back(some).instances == some.instances


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda one: replace(one, roles={"1": "must"}), "0-4: .* cannot say its roles"),
        (lambda one: replace(one, time=None, scene="Others"), "cannot say its time, scene"),
        (lambda one: replace(one, persona=assistant("zh")), "cannot say its persona"),
        (lambda one: replace(one, dialogue=""), "an instance without its dialogue"),
        (lambda one: replace(one, reply=None), "an instance without its reply"),
        (lambda one: replace(one, golden=()), "an instance without its golden"),
        (lambda one: replace(one, golden=("1",)), "0-4: .* cannot say its golden"),
        (lambda one: replace(one, id="x"), "x: .* this id"),
        (lambda one: replace(one, query="Other?"), "0-4: .* cannot say its query"),
        (
            lambda one: replace(one, human=replace(one.human, name="Maggie")),
            "that 'Maggie' speaks, only Bart or Lisa",
        ),
        (lambda one: replace(one, pool=one.pool[:7]), "0-6: .* its pool is another than Bart's"),
        (
            lambda one: replace(one, pool=(replace(one.pool[0], side="dyad"), *one.pool[1:])),
            "its pool",
        ),
    ],
)
def test_what_the_format_cannot_say_is_named_and_nothing_is_lost(
    change: Callable[[Instance], Instance], sentence: str
) -> None:
    found = read_files(small())
    changed: Any = (change(found.instances[0]), *found.instances[1:])
    with pytest.raises(FormatError, match=sentence):
        write(replace(found, instances=changed))


@pytest.mark.parametrize("key", ["m1", "0", "07", "٣", "-1"])
def test_a_key_that_is_no_number_is_refused_by_name(key: str) -> None:
    found = read_files(small(dialogue(test_turn=[4])))
    one = found.instances[0]
    golden = replace(one, golden=(key,), pool=(replace(one.pool[0], key=key),))
    in_pool = replace(one, pool=(*one.pool, replace(one.pool[0], key=key)))
    for changed in (golden, in_pool):
        with pytest.raises(FormatError, match="cannot say the key .*: memories are numbered"):
            write(replace(found, instances=(changed,)))


def test_instances_with_roles_are_refused_by_name() -> None:
    with pytest.raises(FormatError, match="demo-01.* cannot say an instance without its dialogue"):
        write(read_collection(packaged_collection(), "demo.json"))
    with pytest.raises(FormatError, match="has no instance"):
        write(Collection("c", "0", ()))


def test_the_format_is_offered_for_writing() -> None:
    assert [kind.name for kind in FORMATS if kind.write is write] == ["madial"]

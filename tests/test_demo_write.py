"""What is written in the project's own format is read back as the same instances."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_banks.entries import SCENES, Provenance, side_of
from sandbox.collected import Collection
from sandbox.formats import FORMATS, FormatError, packaged_collection, read_collection
from sandbox.formats.demo import SOURCE
from sandbox.formats.demo_write import write, written
from sandbox.instances import ROLES, Human, Instance, PoolEntry, Said, made_persona

WILD = [
    "زيتون على الطاولة",
    "“quoted” 'as' is\\n",
    "🫖 tea\nand\ttabs",
    "怀表",
    "e\u0301",
    "<b>&amp;",
]
texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40)
words = st.one_of(st.sampled_from(WILD), texts).map(str.strip).filter(bool)
long = st.one_of(words, st.just("word " * 2000 + "end"))
keys = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True)
some = st.none() | words
times = st.sampled_from(["2026-03-26T11:05:00+03:00", None])
TYPES = ("user_profile", "fact", "agent_identity", "agent_method", "agent_knowledge", "episodic")


@st.composite
def pools(draw: st.DrawFn) -> tuple[PoolEntry, ...]:
    """Entries, the first of them perhaps superseded by the second."""
    names = draw(st.lists(keys, min_size=1, max_size=5, unique=True))
    made = []
    for key in names:
        kind = draw(st.sampled_from([None, *TYPES]))
        role = draw(st.sampled_from(["user", "assistant", None]))
        side = side_of(kind, role or "user") if kind else draw(st.sampled_from(["user", "dyad"]))
        session = draw(st.sampled_from([None, "s3", "s03", "a1b2"]))
        made.append(
            PoolEntry(
                key=key,
                type=kind,
                side=side,
                text=draw(long),
                anchor=draw(st.sampled_from(["2026-02-17", None])),
                emotion=draw(some),
                scene=draw(st.sampled_from([*SCENES, None])),
                provenance=Provenance(session, tuple(draw(st.lists(words, max_size=2))), role),
            )
        )
    if len(made) > 1 and draw(st.booleans()):
        made[0] = replace(made[0], status="superseded", replaced_by=made[1].key)
    return tuple(made)


@st.composite
def made_instances(draw: st.DrawFn, number: int) -> Instance:
    pool = draw(pools())
    names = [one.key for one in pool]
    golden = tuple(draw(st.permutations(names)))[: draw(st.integers(0, len(names)))]
    with_roles = draw(st.booleans()) or not golden
    persona = made_persona(
        draw(words),
        summary=[draw(words)],
        rules=draw(st.lists(words, max_size=2)),
        language="en",
        **draw(st.sampled_from([{}, {"scenario": "A quay.", "examples": ["Hm."]}])),
    )
    speakers = ("user", "assistant")
    return Instance(
        id=f"i-{number}",
        source=SOURCE,
        title=draw(words),
        language="en",
        persona=persona,
        human=Human(draw(words), draw(st.sampled_from(["", "A potter."]))),
        history=tuple(
            Said(draw(st.sampled_from(speakers)), draw(words), draw(long))
            for _ in range(draw(st.integers(0, 3)))
        ),
        query=draw(long),
        time=draw(times),
        emotion=draw(some),
        scene=draw(st.sampled_from([*SCENES, None])),
        pool=pool,
        recall=draw(st.sampled_from(["passive", "proactive", None])),
        situation=draw(some),
        dialogue=draw(st.sampled_from(["", "d-1"])),
        licence=draw(st.sampled_from(["", "CC BY-NC 4.0"])),
        roles={key: draw(st.sampled_from(ROLES)) for key in names} if with_roles else {},
        golden=golden,
        reply=draw(some),
        reasons={names[0]: draw(words)} if with_roles else {},
        probes=tuple(draw(st.lists(words, max_size=1))),
        try_next=tuple(draw(st.lists(words, max_size=1))),
    )


def known(*found: Instance) -> list[Instance]:
    """The instances without what their reader makes: notes, and the id of the character."""
    return [
        replace(one, notes=(), persona=one.persona.model_copy(update={"id": "any"}))
        for one in found
    ]


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(made_instances(1), made_instances(2))
def test_write_then_read_is_the_identity(one: Instance, other: Instance) -> None:
    whole = Collection("own.json", "", (one, other))
    [(name, data)] = write(whole).items()
    found = read_collection(data, name)
    assert known(*found.instances) == known(one, other)
    assert written(found) == data


def test_the_shipped_collection_is_written_as_it_is_read() -> None:
    shipped = read_collection(packaged_collection(), "demo.json")
    again = read_collection(written(shipped, "Twelve scenarios."), "demo.json")
    assert again.instances == shipped.instances
    assert {one.licence for one in again.instances} == {"Apache-2.0"}
    kind = next(kind for kind in FORMATS if kind.name == "demo")
    assert kind.write is not None
    assert kind.write(shipped) == {"demo.json": written(shipped)}


FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"rankings": {"bm25": ("m1",)}}, "cannot say its rankings as it is"),
    ({"query": " spaced "}, "cannot say its query as it is"),
    ({"query": "x" * 20_001}, "field 'query': must have at most 20000 characters"),
    ({"language": "und"}, "field 'language': must match the pattern"),
    ({"roles": {}}, "has no role"),
    ({"golden": ("nowhere",)}, "is golden, and there is no such entry"),
]


@pytest.mark.parametrize(("change", "sentence"), FAULTS, ids=[next(iter(c)) for c, _ in FAULTS])
def test_what_the_format_cannot_say_is_one_sentence(change: dict[str, Any], sentence: str) -> None:
    shipped = read_collection(packaged_collection(), "demo.json")
    odd = replace(shipped.instances[0], **change)
    with pytest.raises(FormatError, match=sentence):
        write(replace(shipped, instances=(odd,)))


def test_a_character_keeps_its_id_where_it_says_nothing_new() -> None:
    value = json.loads(packaged_collection())
    found = read_collection(packaged_collection(), "demo.json")
    value["scenarios"][0]["persona"]["scenario"] = "On the quay, at dusk."
    changed = read_collection(json.dumps(value).encode(), "demo.json")
    assert changed.instances[0].persona.id != found.instances[0].persona.id
    assert changed.instances[0].persona.scenario == "On the quay, at dusk."
    assert [one.persona.id for one in changed.instances[1:]] == [
        one.persona.id for one in found.instances[1:]
    ]

"""What each gear hands to the model, of every kind of file."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_banks.entries import Provenance
from sandbox.formats import packaged_collection, read_collection, read_files
from sandbox.inputs import BadInput
from sandbox.instances import Human, Instance, PoolEntry, made_persona
from sandbox.replay.gears import (
    DECOYS,
    GEARS,
    TOLD,
    gold_keys,
    kind_of,
    runs,
    shown,
)
from sandbox.replay.protocols import ASKED, PROMPTS, prompts_as, prompts_of, protocol_of
from tests.madial import DATA, released, small
from tests.replaying import with_run

DEMO = read_collection(packaged_collection(), "demo.json")
MADIAL = read_files(with_run()).instances[0]


def pool(*keys: str, sessions: bool = False) -> tuple[PoolEntry, ...]:
    return tuple(
        PoolEntry(
            key, None, "dyad", f"Text {key}.", provenance=Provenance(key if sessions else "s")
        )
        for key in keys
    )


def question(entries: tuple[PoolEntry, ...], **fields: object) -> Instance:
    made = Instance(
        id="e-q1",
        source="dyad",
        title="",
        language="en",
        persona=made_persona("Bo", summary=("Bo weaves.",)),
        human=Human("Ann"),
        history=(),
        query="Which loom?",
        time=None,
        emotion=None,
        scene=None,
        pool=entries,
        golden=("a", "b"),
    )
    return replace(made, **fields)  # type: ignore[arg-type]  # whatever a test is about


def test_every_kind_says_in_a_sentence_what_each_gear_shows() -> None:
    for told in TOLD.values():
        assert set(told) == set(GEARS)
        assert all(one.sentence.endswith(".") and one.section for one in told.values())


@pytest.mark.parametrize("instance", DEMO.instances, ids=lambda one: str(one.id))
def test_roles_gold_is_must_and_nice_and_distractors_the_pool_as_listed(instance: Instance) -> None:
    wanted = {key for key, role in instance.roles.items() if role != "irr"}
    assert kind_of(instance) == "roles"
    assert set(shown(instance, "gold") or ()) == wanted == set(gold_keys(instance))
    assert shown(instance, "distractors") == tuple(one.key for one in instance.listed())
    assert shown(instance, "pipeline") is None


def test_madial_gold_is_the_first_golden_and_distractors_add_four_of_a_ranking() -> None:
    assert kind_of(MADIAL) == "ranked"
    assert shown(MADIAL, "gold") == ("7",)
    hard, easy = (shown(MADIAL, "distractors", negatives=one) for one in ("hardest", "easiest"))
    assert set(hard or ()) == {"7", "3", "5", "1", "4"}
    assert set(easy or ()) == {"7", "8", "6", "4", "1"}
    assert shown(MADIAL, "pipeline", run="openai") == ("3", "2", "5", "7", "1")
    assert shown(MADIAL, "pipeline") is None
    assert runs(MADIAL) == ("openai",)


def test_without_a_ranking_there_are_no_negatives_and_without_a_run_no_top() -> None:
    bare = read_files(small()).instances[0]
    with pytest.raises(BadInput, match="hardest negatives come from the top"):
        shown(bare, "distractors")
    with pytest.raises(BadInput, match="easiest negatives come from the bottom"):
        shown(bare, "distractors", negatives="easiest")
    with pytest.raises(BadInput, match="no run 'jina'; its runs: openai"):
        shown(MADIAL, "pipeline", run="jina")


def test_questions_show_supports_then_decoys_too_and_no_gold_is_a_sentence() -> None:
    asked = question(pool("a", "b", "c", "d"), rankings={DECOYS: ("d",)})
    assert kind_of(asked) == "supports"
    assert set(shown(asked, "gold") or ()) == {"a", "b"}
    assert set(shown(asked, "distractors") or ()) == {"a", "b", "d"}
    with pytest.raises(BadInput, match="names no gold memories"):
        shown(question(pool("a"), golden=()), "gold")


def test_a_file_without_decoys_lends_k_others_of_its_pool_drawn_by_the_seed() -> None:
    asked = question(pool(*"abcdefg"))
    drawn = {shown(asked, "distractors", k=2, seed=seed) for seed in range(12)}
    assert all(len(one or ()) == 4 and {"a", "b"} <= set(one or ()) for one in drawn)
    assert len(drawn) > 3
    with pytest.raises(BadInput, match="k is 6, and there are 5 entries to add"):
        shown(asked, "distractors", k=6)


def test_whole_sessions_are_the_evidence_and_k_others_drawn_by_the_seed() -> None:
    asked = question(pool(*"abcdef", sessions=True))
    assert kind_of(asked) == "sessions"
    assert set(shown(asked, "gold") or ()) == {"a", "b"}
    drawn = {shown(asked, "distractors", k=2, seed=seed) for seed in range(12)}
    assert all(len(one or ()) == 4 and {"a", "b"} <= set(one or ()) for one in drawn)
    assert len(drawn) > 3
    assert shown(asked, "distractors", k=0) == shown(asked, "gold")
    with pytest.raises(BadInput, match="k is 5, and there are 4"):
        shown(asked, "distractors", k=5)


@given(st.integers(0, 2**31), st.sampled_from(("m1", "m2", "m3", "m4", "m5", "m6", "m7")))
def test_the_order_of_what_is_shown_says_nothing_of_roles(seed: int, other: str) -> None:
    instance = DEMO.find("demo-05")
    turned = replace(instance, roles=dict(instance.roles) | {other: "must"})
    listed = shown(instance, "distractors", seed=seed)
    assert shown(turned, "distractors", seed=seed) == listed
    gold = shown(turned, "gold", seed=seed)
    assert gold == tuple(key for key in listed or () if turned.roles[key] != "irr")


def test_prompts_are_the_benchmarks_own_and_the_sandbox_s_where_the_file_is_of_none() -> None:
    assert [protocol_of(MADIAL, gear) for gear in GEARS] == ["madial_1", "madial_2_3", "madial_2_3"]
    assert protocol_of(MADIAL) == "madial_2_3"
    assert protocol_of(DEMO.instances[0], "gold") == "free"
    assert protocol_of(question(pool("a"), source="StratMem-Bench")) == "stratmem"


def test_prompts_can_be_chosen_where_there_are_others() -> None:
    demo, asked = DEMO.instances[0], question(pool("a"))
    assert protocol_of(demo, "gold", "benchmark") == "stratmem"
    assert protocol_of(MADIAL, "gold", "sandbox") == "free"
    assert [prompts_of(one) for one in (demo, MADIAL, asked)] == [
        ("file", "benchmark"),
        ("file", "sandbox"),
        ("file",),
    ]
    for one in (demo, MADIAL, asked):
        for prompts in prompts_of(one):
            assert prompts_as(one, protocol_of(one, None, prompts)) == prompts
            assert protocol_of(one, None, prompts) in ASKED
    assert set(PROMPTS) >= set(prompts_of(demo))


def test_dialogue_0_of_the_release_is_as_the_walk_says() -> None:
    run = DATA / "runs" / "en" / "openai_top_20_bottom.json"
    files = [
        *released("en/MADial-Bench-en-dialogue.json", "en/MADial-Bench-en-memory.json"),
        *released(f"runs/en/{run.name}"),
    ]
    first = read_files(files).instances[0]
    assert first.id == "0-8"
    assert shown(first, "gold") == ("1",)
    easy = shown(first, "distractors", negatives="easiest")
    assert set(easy or ()) == {"1", "99", "126", "83", "131"}
    assert shown(first, "pipeline", run="openai") == ("105", "130", "51", "68", "60")
    assert gold_keys(first) == ("1", "78", "105", "113", "108")
    assert len(first.pool) == 76

"""Update: adds, deletes, op-F1 and unsafe deletion by hand, in the three cases."""

from random import Random

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from memory_banks.entries import ENTRY_TYPES, URAM_TYPES
from sandbox.metrics.stage_cases import CASE_KEYS, CASES, CaseKey, Given, given, pool
from sandbox.metrics.stage_episode import Added, Captured, Changes, Deleted, SessionUpdate
from sandbox.metrics.stage_measure import StageScores
from sandbox.metrics.stage_update import compared_update, op_f1_gain, update_scores
from tests.stage_rows import arbitrary, in_range, never_raised, scripted, values

NONE = scripted()
STANDALONE, PIPELINE, CONTROLLED = (CASES[key] for key in CASE_KEYS)


def add(text: str, *turns: str) -> Added:
    return Added(text, "fact", turns=turns)


def gone(key: str) -> Deleted:
    return Deleted(key, f"text of {key}", "fact")


FUSED = SessionUpdate(
    "s1",
    Changes((add("a"),), (gone("m1"),)),
    Changes((add("a"), add("x")), (gone("m1"), Deleted("m9"))),
    "e1",
)
MISSED = SessionUpdate("s2", Changes((add("b"),)), Changes(), "e1")
NOTHING_TO_DO = SessionUpdate("s1", Changes(), Changes(deletes=(gone("m2"),)), "e2")
FAILED = SessionUpdate(
    "s2", Changes(deletes=(gone("m3"),)), Changes(deletes=(gone("m3"),)), "e2", failure="failed"
)
ALL = [FUSED, MISSED, NOTHING_TO_DO, FAILED]

TEXTS = st.sampled_from(["", "a", "b", "c"])
TYPES = st.sampled_from(["fact", "agent_identity", None])
ADDS = st.lists(st.builds(Added, TEXTS, TYPES), max_size=3).map(tuple)


def deletes(texts: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[Deleted, ...]]:
    one = st.builds(Deleted, st.sampled_from(["m1", "m2", "m3"]), texts, TYPES)
    return st.lists(one, max_size=3).map(tuple)


GOLD = st.builds(Changes, ADDS, deletes(st.sampled_from(["a", "b", "c"])))
OUTPUT = st.builds(Changes, ADDS, deletes(TEXTS))
ROWS = st.lists(
    st.builds(
        SessionUpdate,
        st.sampled_from(["s1", "s2", "s3"]),
        GOLD,
        OUTPUT,
        st.sampled_from(["", "e1", "e2"]),
        failure=st.sampled_from([None, None, "failed"]),
    ),
    max_size=4,
)
KEYS = st.sampled_from(CASE_KEYS)
SEEDS = st.integers(0, 1000)


def test_adds_and_deletes_are_pooled_over_sessions_with_a_gold_operation() -> None:
    # Scored: s1 and s2 of e1, s2 of e2. Adds: right 1 of 2 predicted, found 1 of 2: P = R = 1/2.
    # Deletes: m1 right of (m1, m9); gold m1 and m3: P = R = 1/2.
    found = update_scores(ALL, STANDALONE, NONE)
    keys = ("precision", "recall", "f1")
    assert [found[f"add_{key}"].value for key in keys] == [0.5] * 3
    assert [found[f"delete_{key}"].value for key in keys] == [0.5] * 3
    assert found["op_f1_pooled"].value == 0.5


def test_op_f1_is_the_mean_over_sessions_with_a_gold_operation() -> None:
    # s1: Add F1 = 2 * 1/2 * 1 / (3/2) = 2/3, Delete F1 the same: 2/3. s2 has no delete on either
    # side: Add F1 alone, 0. The failed one has no add: Delete F1 alone, 0. Mean (2/3 + 0 + 0)/3.
    found = update_scores(ALL, STANDALONE, NONE)["op_f1"]
    assert (found.value, found.n) == (pytest.approx(2 / 9), 3)


def test_unsafe_deletion_is_over_all_sessions() -> None:
    # Predicted: m1, m9, and m2 in a session without a gold operation; m9 and m2 are wrong.
    found = update_scores(ALL, STANDALONE, NONE)["unsafe_deletion"]
    assert (found.value, found.n) == (pytest.approx(2 / 3), 3)


def test_unsafe_deletion_is_undefined_where_nothing_was_deleted() -> None:
    found = update_scores([MISSED, FAILED], STANDALONE, NONE)["unsafe_deletion"]
    assert (found.value, found.reason) == (None, "Undefined: no delete was predicted.")


def test_an_id_deleted_twice_counts_once() -> None:
    row = SessionUpdate("s", Changes(deletes=(gone("m1"),)), Changes(deletes=(gone("m1"),) * 2))
    assert update_scores([row], STANDALONE, NONE)["delete_precision"].n == 1


def test_a_replacement_without_its_delete_earns_half() -> None:
    # Gold: add a, delete m1. Predicted: add a. Add F1 = 1, Delete F1 = 0: 1/2.
    row = SessionUpdate("s", FUSED.gold, Changes((add("a"),)))
    assert update_scores([row], STANDALONE, NONE)["op_f1"].value == 0.5


def test_a_delete_nobody_asked_for_halves_a_perfect_add() -> None:
    row = SessionUpdate("s", Changes((add("b"),)), Changes((add("b"),), (gone("m1"),)))
    assert update_scores([row], STANDALONE, NONE)["op_f1"].value == 0.5


def test_adds_are_compared_by_meaning_and_typed_adds_by_type_too() -> None:
    near = scripted({("a", "alpha"): 0.95})
    row = SessionUpdate("s", Changes((add("a"),)), Changes((Added("alpha", "episodic"),)))
    found = update_scores([row], STANDALONE, near)
    assert (found["add_f1"].value, found["add_f1_typed"].value) == (1.0, 0.0)


def test_lineage_is_right_where_an_add_names_the_turns_of_what_it_covers() -> None:
    # a names its turns in another order, b others, c covers nothing, d's gold has none: 1 of 2.
    gold = Changes((add("a", "t1", "t2"), add("b", "t3"), add("d")))
    output = Changes((add("a", "t2", "t1"), add("b", "t4"), add("c", "t1"), add("d", "t1")))
    found = update_scores([SessionUpdate("s", gold, output)], STANDALONE, NONE)["add_lineage"]
    assert (found.value, found.n) == (0.5, 2)


# The three cases


def test_standalone_is_given_gold_and_the_others_what_the_model_made() -> None:
    gold, model = (Given((Captured(name, "fact"),), ()) for name in ("gold", "model"))
    assert [given(CASES[key], gold, model) for key in CASE_KEYS] == [gold, model, model]


def test_captures_enter_the_pool_and_the_last_of_a_key_wins() -> None:
    old, new = Captured("old", "fact", key="m1"), Captured("new", "fact", key="m1")
    other, copy = Captured("other", "fact", key="m2"), Captured("plain", "fact")
    assert pool(Given((old, other, copy), (new, copy))) == (other, new, copy)


def test_deletes_of_a_models_own_bank_are_compared_by_text() -> None:
    gold = Changes(deletes=(Deleted("m1", "Dina lives in Beirut.", "fact"),))
    output = Changes(deletes=(Deleted("own7", "Dina lives in Beirut.", "fact"),))
    row = SessionUpdate("s", gold, output)
    found = [update_scores([row], CASES[key], NONE)["delete_f1"].value for key in CASE_KEYS[:2]]
    assert found == [0.0, 1.0]


def test_a_gold_delete_without_text_is_refused_where_texts_are_compared() -> None:
    row = SessionUpdate("s", Changes(deletes=(Deleted("m1"),)))
    with pytest.raises(ValueError, match="'m1' has none"):
        update_scores([row], PIPELINE, NONE)


def test_only_uram_operations_count_in_the_controlled_case() -> None:
    rule, fact = Added("rule", "agent_identity"), Added("fact", "fact")
    lost = Deleted("m1", "old rule", "agent_method")
    row = SessionUpdate(
        "s", Changes((rule, fact), (lost, gone("m2"))), Changes((rule,), (lost, gone("m3")))
    )
    found = update_scores([row], CONTROLLED, NONE)
    assert (found["op_f1"].value, found["unsafe_deletion"].value) == (1.0, 0.0)
    assert (found["add_f1"].n, found["delete_f1"].n) == (1, 1)


def test_a_session_without_gold_uram_operations_is_not_scored_in_the_controlled_case() -> None:
    assert update_scores([FUSED], CONTROLLED, NONE)["op_f1"].value is None


def test_an_invented_id_is_not_free_in_the_controlled_case() -> None:
    row = SessionUpdate("s", Changes((Added("rule", "agent_identity"),)), FUSED.output)
    assert update_scores([row], CONTROLLED, NONE)["unsafe_deletion"].value == 1.0


def test_the_cases_say_which_types_count() -> None:
    assert [CASES[key].types for key in CASE_KEYS] == [
        frozenset(ENTRY_TYPES),
        frozenset(ENTRY_TYPES),
        URAM_TYPES,
    ]


def uram(name: str, episode: str, *found: str) -> SessionUpdate:
    """A session whose gold adds are the rules a and b."""
    gold = tuple(Added(text, "agent_identity") for text in "ab")
    output = tuple(Added(text, "agent_identity") for text in found)
    return SessionUpdate(name, Changes(gold), Changes(output), episode)


def test_the_gain_is_averaged_per_episode() -> None:
    # e1: left (1 + 2/3)/2 = 5/6, right (0 + 0)/2 = 0. e2: left 0, right 2/3. (5/6 - 2/3)/2 = 1/12.
    # Over sessions it would be (1 + 2/3 + 0)/3 - (0 + 0 + 2/3)/3 = 1/3.
    left = [uram("s1", "e1", "a", "b"), uram("s2", "e1", "a"), uram("s1", "e2")]
    right = [uram("s1", "e1"), uram("s2", "e1"), uram("s1", "e2", "a")]
    found = op_f1_gain(left, right, CONTROLLED, NONE)
    assert (found.value, found.n) == (pytest.approx(1 / 12), 2)


def test_variants_with_different_sessions_are_not_compared() -> None:
    with pytest.raises(ValueError, match="differ by s2 of e1"):
        op_f1_gain([uram("s1", "e1")], [uram("s1", "e1"), uram("s2", "e1")], CONTROLLED, NONE)


# Laws


@settings(deadline=None)
@drawn(ROWS, SEEDS, KEYS)
def test_every_figure_is_in_0_to_1(rows: list[SessionUpdate], seed: int, key: CaseKey) -> None:
    assert in_range(update_scores(rows, CASES[key], arbitrary(seed)))


@settings(deadline=None)
@drawn(ROWS, SEEDS, KEYS, st.randoms(use_true_random=False))
def test_the_order_of_sessions_and_operations_is_nothing(
    rows: list[SessionUpdate], seed: int, key: CaseKey, random: Random
) -> None:
    def mixed(changes: Changes) -> Changes:
        parts = (changes.adds, changes.deletes)
        adds, dels = (tuple(sorted(part, key=lambda _: random.random())) for part in parts)
        return Changes(adds, dels)

    shuffled = [
        SessionUpdate(one.name, mixed(one.gold), mixed(one.output), one.episode, "", one.failure)
        for one in sorted(rows, key=lambda _: random.random())
    ]
    matching = arbitrary(seed)
    before = values(update_scores(rows, CASES[key], matching))
    assert values(update_scores(shuffled, CASES[key], matching)) == pytest.approx(before)


@settings(deadline=None)
@drawn(GOLD, SEEDS, KEYS)
def test_playing_gold_gives_1_and_no_unsafe_deletion(
    gold: Changes, seed: int, key: CaseKey
) -> None:
    told = Changes(tuple(one for one in gold.adds if one.text and one.type), gold.deletes)
    found = values(update_scores([SessionUpdate("s", told, told)], CASES[key], arbitrary(seed)))
    found.pop("add_lineage")
    assert found.pop("unsafe_deletion") in (0.0, None)
    assert set(found.values()) <= {1.0, None}


@settings(deadline=None)
@drawn(ROWS, SEEDS, KEYS, GOLD)
def test_a_failed_session_never_raises_any_figure(
    rows: list[SessionUpdate], seed: int, key: CaseKey, gold: Changes
) -> None:
    failed = SessionUpdate("s9", gold, gold, "e1", failure="truncated")
    before, after = (
        update_scores(found, CASES[key], arbitrary(seed)) for found in (rows, [*rows, failed])
    )
    assert never_raised(before, after)


@settings(deadline=None)
@drawn(GOLD, OUTPUT, SEEDS)
def test_a_wrong_operation_never_raises_precision_and_is_unsafe(
    gold: Changes, output: Changes, seed: int
) -> None:
    worse = Changes(output.adds, (*output.deletes, Deleted("invented")))

    def scores(found: Changes) -> StageScores:
        return update_scores([SessionUpdate("s", gold, found)], STANDALONE, arbitrary(seed))

    before, after = scores(output), scores(worse)
    assert (after["delete_precision"].value or 0) <= (before["delete_precision"].value or 0)
    assert (after["unsafe_deletion"].value or 0) >= (before["unsafe_deletion"].value or 0)
    assert (after["op_f1"].value or 0) <= (before["op_f1"].value or 0)


@settings(deadline=None)
@drawn(ROWS, SEEDS, KEYS)
def test_unsafe_deletion_is_undefined_exactly_where_nothing_counted_was_deleted(
    rows: list[SessionUpdate], seed: int, key: CaseKey
) -> None:
    case = CASES[key]
    compared = [compared_update(row, case, arbitrary(seed)) for row in rows]
    deleted = any(one.row.output.deletes for one in compared)
    found = update_scores(rows, case, arbitrary(seed))["unsafe_deletion"].value
    assert (found is not None) == deleted

"""The aspect points that the local judge scores by rules, and those it leaves alone.

MADial-Bench's files are not part of the project: tests that need them look beside the repository.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.instances import Said
from sandbox.judges.case import Case, PoolItem
from sandbox.judges.local.aspects import judge_aspects
from sandbox.judges.local.injection import own_share, packaged_rules
from sandbox.judges.verdict import ASPECTS, Aspect, EntryVerdict, Point, Span

MADIAL = Path(__file__).parents[2] / "shared" / "data" / "madial"
CAKE = PoolItem("cake", "Uncle Tom baked 3 strawberry cakes with Lisa.", anchor="2023-08-27")
CHOIR = PoolItem("choir", "Lisa sang in the choir of Tartu.")
REPLY = "Remember the strawberry cakes you baked with Tom?"


def near(texts: Sequence[str]) -> Any:
    """Every text has the same meaning."""
    return np.tile(np.array([1.0, 0.0], dtype=np.float32), (len(texts), 1))


def far(texts: Sequence[str]) -> Any:
    """No two texts have anything in common."""
    return np.eye(len(texts), dtype=np.float32)


def a_case(reply: str = REPLY, **changes: Any) -> Case:
    history = (Said("assistant", "Assistant", "Hello there!"),)
    made = Case("Assistant", "Lisa", "", history, "What shall we eat?", reply, (CAKE, CHOIR))
    return replace(made, **changes)


def using(case: Case, entry: str = "cake", words: str = "") -> list[EntryVerdict]:
    """Verdicts by which the reply uses `entry` with `words`, all of it by default."""
    start = case.reply.index(words)
    span = Span(start, start + len(words or case.reply))
    return [
        EntryVerdict(item.id, "used", spans=(span,))
        if item.id == entry
        else EntryVerdict(item.id, "not used")
        for item in case.pool
    ]


def points(case: Case, used: Sequence[EntryVerdict], aspect: Aspect, embed: Any = near) -> Any:
    (verdict,) = judge_aspects(case, used, [aspect], embed)
    assert verdict.aspect == aspect
    return verdict.points


def values(found: Sequence[Point]) -> list[float | None]:
    return [point.value for point in found]


def of_reply(aspect: Aspect, reply: str, **changes: Any) -> Any:
    return points(a_case(reply, **changes), [], aspect)


def test_a_memory_rightly_brought_in_has_all_three_points() -> None:
    case = a_case()
    found = points(case, using(case, words="strawberry cakes"), "injection")
    assert values(found) == [1, 1, 1]
    assert found[0].quote == "strawberry cakes"


def test_without_a_used_entry_memory_injection_is_zero_and_says_why() -> None:
    case = a_case("Let us cook.")
    found = points(case, [EntryVerdict("cake", "not used")], "injection")
    assert values(found) == [0, 0, 0]
    assert {point.why for point in found} == {"No entry is brought in."}
    empty = points(a_case(pool=()), [], "injection")
    assert (values(empty), empty[0].why) == ([0, 0, 0], "There was no entry to bring in.")


def test_an_unsure_use_counts_by_its_leaning_and_without_one_not_at_all() -> None:
    case = a_case()
    leaning = [EntryVerdict("cake", "unsure", leaning=True)]
    assert values(points(case, leaning, "injection")) == [1, 1, 1]
    for usage in ("unsure", "unscored"):
        unclear = [EntryVerdict("cake", usage)]  # type: ignore[arg-type]
        assert values(points(case, unclear, "injection")) == [None] * 3


def test_a_memory_far_from_the_moment_is_not_relevant() -> None:
    case = a_case()
    assert values(points(case, using(case), "injection", far)) == [0, 1, 1]


def test_closeness_is_unscored_without_an_embedder() -> None:
    case = a_case()
    found = points(case, using(case), "injection", None)
    assert values(found) == [None, 1, 1]


@pytest.mark.parametrize(
    ("reply", "quote"),
    [
        ("Remember the 4 strawberry cakes you baked with Tom?", "4"),
        ("Remember the strawberry cakes you baked with uncle Ted?", "Ted"),
        ("Remember the strawberry cakes of 2022-08-27?", "2022-08-27"),
    ],
)
def test_a_detail_told_otherwise_is_a_mistake(reply: str, quote: str) -> None:
    case = a_case(reply)
    found = points(case, using(case), "injection")
    assert values(found) == [1, 0, 1]
    assert found[1].quote == quote


@pytest.mark.parametrize(
    "reply",
    [
        "Remember the three strawberry cakes of August 2023?",
        "Remember the strawberry cakes of Tom? We could sing, as in Tartu!",
        "Remember the strawberry cakes? Bring 5 plates.",
        "Remember the strawberry cakes that Uncle baked?",
    ],
)
def test_a_detail_that_is_right_or_beside_the_memory_is_no_mistake(reply: str) -> None:
    case = a_case(reply)
    assert values(points(case, using(case, words="Remember the"), "injection")) == [1, 1, 1]


def test_a_detail_that_the_other_gave_is_no_mistake() -> None:
    case = a_case("Remember the strawberry cakes, now with Ted?", query="Shall I bake with Ted?")
    assert values(points(case, using(case), "injection")) == [1, 1, 1]


def test_a_superseded_state_told_as_current_is_a_mistake() -> None:
    case = a_case(pool=(replace(CAKE, live=False),))
    found = points(case, using(case), "injection")
    assert values(found) == [1, 0, 1]
    assert "replaced" in found[1].why


def test_what_was_said_before_is_not_brought_in_again() -> None:
    case = a_case()
    again = EntryVerdict("choir", "already said", spans=(Span(0, 8),))
    both = [using(case)[0], again]
    found = points(case, both, "injection")
    assert values(found) == [1, 1, 0]
    assert "choir of Tartu" in found[2].why
    assert values(points(case, [EntryVerdict("cake", "not used"), again], "injection")) == [0] * 3
    untold = [using(case)[0], EntryVerdict("choir", "already said")]
    assert values(points(case, untold, "injection")) == [1, 1, 1]


def test_a_reply_judged_with_this_one_may_bring_the_memory_in() -> None:
    history = (
        Said("user", "Lisa", "What shall we eat?"),
        Said("assistant", "Assistant", REPLY),
    )
    case = a_case("Let us cook.", history=history, query="Oh yes!", replies=(REPLY,))
    unused = [EntryVerdict("cake", "not used")]
    found = points(case, unused, "injection")
    assert (values(found), found[0].quote) == ([1, 1, 1], REPLY)
    assert values(points(replace(case, replies=()), unused, "injection")) == [0, 0, 0]
    known = (Said("user", "Lisa", "I baked strawberry cakes with uncle Tom."), *history)
    assert values(points(replace(case, history=known), unused, "injection")) == [0, 0, 0]


def test_the_share_of_an_entrys_own_words_leaves_out_what_was_given() -> None:
    case = a_case(pool=(PoolItem("a", "Lisa painted a green barn."),))
    item = case.pool[0]
    assert own_share(case, item, "A green barn you painted!", []) == pytest.approx(1)
    assert own_share(case, item, "Such a barn!", []) == pytest.approx(1 / 3)
    assert own_share(case, item, "Such a barn!", ["Which barn?"]) == 0
    assert own_share(case, item, "A green barn!", ["Painted barn, green"]) == 0


def test_words_that_all_entries_share_weigh_less() -> None:
    pool = (PoolItem("a", "A barn burned."), PoolItem("b", "A barn leaked."))
    case = a_case(pool=pool)
    assert own_share(case, pool[0], "The barn!", []) == pytest.approx(
        np.log(1.5) / (np.log(1.5) + np.log(3))
    )


@pytest.mark.parametrize(
    ("reply", "value"),
    [("One. Two!", 1), ("One. Two! Three?", 0), ("Just one", 1), ("so " * 26 + "long.", 0)],
)
def test_under_three_short_sentences_is_oral(reply: str, value: float) -> None:
    assert of_reply("naturalness", reply)[2].value == value


def test_sentences_are_counted_in_chinese_and_all_else_is_not_measured() -> None:
    case = a_case("你好！记得蛋糕吗？我们走吧。", language="zh")
    for aspect in ASPECTS:
        found = points(case, using(case), aspect)
        assert values(found)[:2] == [None, None]
        assert "not measured" in found[0].why
        assert found[2].value == (0 if aspect == "naturalness" else None)
    short = a_case("你好！记得蛋糕吗？", language="zh")
    assert points(short, [], "naturalness")[2].value == 1


@pytest.mark.parametrize("reply", ["<Bart>: hi", "The the cake.", "**Cake**", "{'event': 'x'}"])
def test_debris_loses_the_point_for_grammar(reply: str) -> None:
    found = of_reply("naturalness", reply)[0]
    assert found.value == 0
    assert found.quote
    assert found.quote in reply


def test_clean_grammar_is_not_checkable() -> None:
    assert of_reply("naturalness", "Me likes cake, bye bye.")[0].value is None


def test_whether_it_fits_the_context_is_not_checkable() -> None:
    assert of_reply("naturalness", "Cake!")[1].value is None


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("Strawberry cake it is. Grandma baked it!", 1),
        ("Strawberry cake sounds lovely now. Lovely now, strawberry cake sounds!", 0),
        ("well " * 26 + "cake.", 0),
    ],
)
def test_repeated_and_breathless_sentences_are_not_concise(reply: str, value: float) -> None:
    assert of_reply("style", reply)[0].value == value


@pytest.mark.parametrize(
    ("reply", "place", "quote"),
    [
        ("You must eat.", 2, "You must"),
        ("It\u2019s important to rest.", 2, "It\u2019s important"),
        ("As an AI, I cannot eat.", 1, "As an AI"),
    ],
)
def test_a_marker_loses_the_point_of_style(reply: str, place: int, quote: str) -> None:
    found = of_reply("style", reply)
    assert (found[place].value, found[place].quote) == (0, quote)
    assert found[3 - place].value is None


def test_an_insult_hurts_and_its_absence_proves_nothing() -> None:
    assert values(of_reply("emotional_improvement", "Get over it.")) == [0, None, None]
    assert values(of_reply("emotional_improvement", "I am with you.")) == [None] * 3


def test_the_guideline_is_not_checkable_without_a_model() -> None:
    found = of_reply("es_proficiency", "I am with you.")
    assert values(found) == [None] * 3
    assert {point.why for point in found} == {"Not checkable without a model."}


@pytest.mark.parametrize("changes", [{"failed": True}, {"reply": "  "}])
def test_a_failed_reply_is_unscored(changes: dict[str, Any]) -> None:
    for verdict in judge_aspects(replace(a_case(), **changes), [], ASPECTS, near):
        assert values(verdict.points) == [None] * 3


@given(
    st.text("You must eat. 3!\n\u2019*<>{}äö你。", max_size=60),
    st.lists(st.sampled_from(ASPECTS), unique=True),
)
def test_every_aspect_asked_for_has_three_points_with_words_of_the_reply(
    reply: str, asked: list[Aspect]
) -> None:
    case = a_case(reply)
    found = judge_aspects(case, using(case), asked, near)
    assert [verdict.aspect for verdict in found] == asked
    for point in (point for verdict in found for point in verdict.points):
        assert point.value in (None, 0, 1)
        assert point.why
        assert point.quote in reply
    assert all([point.number for point in verdict.points] == [1, 2, 3] for verdict in found)


def test_the_packaged_threshold_reaches_what_was_asked_of_it() -> None:
    told = packaged_rules()["fitted"]
    for name in ("use by own words", "use by local judge"):
        if name in told["agreement"]:
            clean = told["agreement"][name]["clean"]
            assert (clean["n"], clean["dialogues"]) == (98, 20)
            assert clean["spearman"] > 0.51
            low, high = clean["interval_by_dialogue"]
            assert low < clean["spearman"] < high
    assert set(told) >= {"script", "recipe", "data", "versions", "language"}


def test_the_packaged_threshold_names_the_files_it_was_fitted_on() -> None:
    for name, digest in packaged_rules()["fitted"]["data"].items():
        found = [path for path in MADIAL.glob("*/*") if path.name == name]
        if not found:
            pytest.skip(f"needs {name} of MADial-Bench in {MADIAL}")
        assert hashlib.sha256(found[0].read_bytes()).hexdigest() == digest


def test_the_packaged_threshold_is_what_the_released_sheet_gives() -> None:
    pytest.importorskip("sklearn", reason="needs scikit-learn, which only fitting uses")
    from fitting.aspects import HUMAN, fitted_share, rows

    if not (MADIAL / HUMAN).is_file():
        pytest.skip(f"needs {HUMAN} of MADial-Bench in {MADIAL}")
    clean = [row for row in rows(MADIAL) if row.clean]
    assert len(clean) == 98
    # Not to the digit: it moves a little with the stop words.
    assert fitted_share(clean) == pytest.approx(packaged_rules()["share"], abs=0.02)

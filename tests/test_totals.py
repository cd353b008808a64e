"""Figures over many replies: counts, intervals, what is left out; and the shipped collection's."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.collected import Collection
from sandbox.formats import packaged_collection, read_collection
from sandbox.judges.file import references
from sandbox.metrics.figures import ReplyFigures, reply_figures
from sandbox.metrics.formulas import FIGURES, FigureKey
from sandbox.metrics.statistics import Estimate, estimate, ratio, wilson
from sandbox.metrics.totals import UNDECIDED, Judged, Total, Totals, totals
from tests.verdicts import posed


@pytest.fixture(scope="module")
def demo() -> Collection:
    return read_collection(packaged_collection(), "demo.json")


def over(*pools: tuple[str, str, str], same: bool = False) -> Totals:
    """The totals over replies with these signs, to different instances or all to the same."""
    return totals(
        Judged("one" if same else f"i{number}", reply_figures(*posed(*pool)))
        for number, pool in enumerate(pools)
    )


def count(total: Total) -> tuple[float, int]:
    return total.sum, total.n


def by_name(demo: Collection, name: str) -> list[Judged]:
    return [
        Judged(one.instance, reply_figures(one.verdict, demo.find(one.instance).roles))
        for one in references(demo)
        if one.group == name
    ]


# The shipped collection


@pytest.mark.parametrize(
    ("name", "smc", "literal", "available", "cir"),
    [
        ("good", (12, 12), (11, 12), (11, 11), (0, 11)),
        ("over_sharing", (0, 12), (7, 10), (7, 9), (11, 11)),
        ("forgetful", (0, 12), (0, 1), (0, 1), (0, 11)),
    ],
)
def test_the_shipped_replies_come_to_the_figures_they_are_made_for(
    demo: Collection,
    name: str,
    smc: tuple[int, int],
    literal: tuple[int, int],
    available: tuple[int, int],
    cir: tuple[int, int],
) -> None:
    found = totals(by_name(demo, name)).figures
    expected: dict[FigureKey, tuple[int, int]] = {
        "smc": smc,
        "pes_literal": literal,
        "pes_nice": available,
        "cir": cir,
    }
    assert {key: count(found[key]) for key in expected} == expected


def test_forgetful_replies_have_no_miq_and_are_counted_beside_it(demo: Collection) -> None:
    miq = totals(by_name(demo, "forgetful")).figures["miq"]
    assert (miq.mean.value, miq.n) == (None, 0)
    assert miq.out == {"Unscored: the reply uses nothing.": 12}


def test_every_reference_reply_has_the_figures_that_its_tags_expect(demo: Collection) -> None:
    for one in demo.instances:
        for reply in one.replies:
            given_ = next(
                ref for ref in references(demo) if (ref.instance, ref.group) == (one.id, reply.name)
            )
            found = reply_figures(given_.verdict, one.roles)
            told = reply.expected
            assert rho(found) == [
                value if value is None else pytest.approx(value, abs=0.001)
                for value in (told.rho["must"], told.rho["nice"], told.rho["irr"])
            ]
            assert found["smc"].value == told.smc
            assert found["pes_literal"].eligible is told.pes_eligible
            assert found["pes_nice"].eligible is told.pes_eligible_nice_available
            assert found["pes_literal"].value == told.pes
            assert (found["cir"].eligible, found["cir"].value) == (told.cir_eligible, told.cir)


def rho(found: ReplyFigures) -> list[float | None]:
    return [found[key].value for key in ("rho_must", "rho_nice", "rho_irr")]


def told(demo: Collection, instance: str, name: str) -> ReplyFigures:
    one = demo.find(instance)
    ref = next(r for r in references(demo) if (r.instance, r.group) == (one.id, name))
    return reply_figures(ref.verdict, one.roles)


def test_the_four_replies_about_the_address_part_as_the_walk_says(demo: Collection) -> None:
    rows = {
        name: told(demo, "demo-05", name) for name in ("good", "over_sharing", "forgetful", "stale")
    }
    assert {name: rho(row) for name, row in rows.items()} == {
        "good": [1, 1, 0],
        "over_sharing": [1, 0, 1],
        "forgetful": [0, 0, 0],
        "stale": [0, 0, 0.25],
    }
    assert [row["smc"].value for row in rows.values()] == [1, 0, 0, 0]
    assert [row["pes_nice"].value for row in rows.values()] == [1, 0, None, None]
    assert [row["cir"].value for row in rows.values()] == [0, 1, 0, 1]
    assert rows["over_sharing"]["smc"].failing == "nice used: 0 of 2; irr used: m1, m3, m6, m7"
    assert rows["forgetful"]["miq"].value is None


def test_compliance_and_integration_part_visibly(demo: Collection) -> None:
    silent, distorted = told(demo, "demo-06", "silent_care"), told(demo, "demo-11", "distorted")
    assert (silent["smc"].value, silent["miq"].value) == (0, 4.5)
    assert (distorted["smc"].value, distorted["pes_nice"].value) == (0, 0)
    assert (distorted["rho_must"].value, distorted["miq"].value) == (1, 1)


def test_rules_are_followed_or_violated(demo: Collection) -> None:
    good, forgetful = told(demo, "demo-04", "good"), told(demo, "demo-04", "forgetful")
    assert (set(good.followed), good.violated, good["smc"].value) == ({"m2", "m6"}, (), 1)
    assert (forgetful.followed, set(forgetful.violated)) == ((), {"m2", "m6"})
    assert rho(forgetful) == [0, 0, 0]


# Counting


def test_every_reply_counts_for_smc_and_only_some_for_the_others() -> None:
    found = over(("+", "+", "-"), ("-", "+", "+"), ("", "-", "-"), ("+", "", "-")).figures
    assert count(found["smc"]) == (2, 4)
    assert count(found["pes_literal"]) == (1, 3)
    assert count(found["pes_nice"]) == (1, 2)
    assert count(found["cir"]) == (1, 3)
    assert found["pes_nice"].out == {
        "Not eligible: not every must entry is used.": 1,
        "Not eligible: the pool has no nice entry.": 1,
    }


def test_a_failed_reply_stays_in_the_denominator_of_smc() -> None:
    rows = [Judged("a", reply_figures(*posed("+"))), Judged("b", reply_figures(*posed("+")))]
    failed = Judged("c", reply_figures(*posed("+"), failed=True))
    found = totals([*rows, failed])
    assert (count(found.figures["smc"]), found.failed) == ((2, 3), 1)
    assert (found.figures["miq"].n, found.figures["miq"].out) == (
        2,
        {"Unscored: the reply failed.": 1},
    )


def test_no_reply_gives_no_mean() -> None:
    found = totals([])
    assert all(one.mean == Estimate(None) for one in found.figures.values())
    assert (found.replies, found.by_scenario) == (0, {})


def test_open_figures_count_by_their_leaning_with_both_extremes_beside() -> None:
    smc = over(("+", "", "-"), ("+", "", "n"), ("+", "", "?")).figures["smc"]
    assert (count(smc), smc.leant) == ((2, 2), 1)
    assert (smc.least, smc.most) == (pytest.approx(1 / 3), 1)
    assert smc.out == {UNDECIDED: 1}


def test_the_extremes_hold_where_it_is_open_whether_a_reply_counts() -> None:
    pes = over(("?", "+", "-"), ("+", "-", "-")).figures["pes_nice"]
    assert (pes.least, pes.most) == (0, 0.5)


def test_each_scenario_has_its_own_totals() -> None:
    found = over(("+", "+", "-"), ("+", "", "-"), ("+", "", "+"))
    assert {name: count(rows["smc"]) for name, rows in found.by_scenario.items()} == {
        "must-only": (1, 2),
        "must+nice": (1, 1),
    }


# Intervals


def test_wilsons_interval_is_the_textbooks() -> None:
    found = wilson(10, 12)
    assert found.value == pytest.approx(0.8333, abs=1e-4)
    assert (found.low, found.high) == (
        pytest.approx(0.5520, abs=1e-4),
        pytest.approx(0.9530, abs=1e-4),
    )
    assert wilson(0, 0) == Estimate(None)


def test_replies_to_the_same_instance_are_resampled_together() -> None:
    pools = [("+", "", "-")] * 3 + [("-", "", "-")] * 3
    assert over(*pools).figures["smc"].method == "Wilson"
    together = over(*pools, same=True).figures["smc"]
    assert (together.method, together.mean) == ("bootstrap", Estimate(0.5))


def test_the_same_seed_gives_the_same_interval_and_another_one_another() -> None:
    mean = ratio([0.1, 2.3, 3.7, 5.9, 8.1, 4.2], [1] * 6)
    assert estimate(mean, 6, seed=1) == estimate(mean, 6, seed=1)
    assert estimate(mean, 6, seed=1) != estimate(mean, 6, seed=2)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(st.text("+-", max_size=2), st.text("+-", max_size=2)), max_size=8))
def test_a_mean_lies_in_its_interval_and_the_order_of_replies_is_nothing(
    pools: list[tuple[str, str]],
) -> None:
    rows = [(must, nice, "-") for must, nice in pools]
    there, back = over(*rows).figures, over(*reversed(rows)).figures
    for key in FIGURES:
        mean = there[key].mean
        assert count(there[key]) == count(back[key])
        if mean.value is not None and mean.low is not None and mean.high is not None:
            assert mean.low <= mean.value <= mean.high

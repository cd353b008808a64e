"""The figures of one reply, worked out by hand, and what their definitions imply."""

from dataclasses import replace
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.formats import read_collection
from sandbox.instances import Instance
from sandbox.judges.verdict import EntryVerdict, Miq, Verdict
from sandbox.metrics.figures import Figure, ReplyFigures, reply_figures
from sandbox.metrics.formulas import FIGURES, FORMULAS, FigureKey
from sandbox.metrics.totals import Judged, totals
from tests.test_stratmem import CAPPED, shared_data
from tests.verdicts import posed, verdict

Values = dict[FigureKey, float | None]


def figures(must: str = "", nice: str = "", irr: str = "") -> ReplyFigures:
    return reply_figures(*posed(must, nice, irr))


def values(found: ReplyFigures) -> Values:
    return {key: found[key].value for key in FIGURES}


def golden(
    must: float | None,
    nice: float | None,
    irr: float | None,
    smc: int | None,
    literal: int | None,
    available: int | None,
    cir: int | None,
    miq: float | None = 4.0,
) -> Values:
    return {
        "rho_must": must,
        "rho_nice": nice,
        "rho_irr": irr,
        "smc": smc,
        "miq": miq,
        "pes_literal": literal,
        "pes_nice": available,
        "cir": cir,
    }


@pytest.mark.parametrize(
    ("must", "nice", "irr", "expected"),
    [
        ("++", "+-", "--", golden(1, 0.5, 0, 1, 1, 1, 0)),
        ("+-", "++", "--", golden(0.5, 1, 0, 0, None, None, 0)),
        ("++", "--", "--", golden(1, 0, 0, 0, 0, 0, 0)),
        ("++", "+-", "+-", golden(1, 0.5, 0.5, 0, 1, 1, 1)),
        ("+", "", "--", golden(1, None, 0, 1, 0, None, None)),
        ("+", "", "-+", golden(1, None, 0.5, 0, 0, None, None)),
        ("-", "", "+-", golden(0, None, 0.5, 0, None, None, None)),
        ("", "+-", "-", golden(None, 0.5, 0, 1, 1, 1, 0)),
        ("", "--", "+", golden(None, 0, 1, 0, 0, 0, 1)),
        ("+", "+", "", golden(1, 1, None, 1, 1, 1, 0)),
        ("", "", "+---", golden(None, None, 0.25, None, None, None, None)),
        ("--", "-", "-", golden(0, 0, 0, 0, None, None, 0, None)),
    ],
)
def test_figures_are_what_the_definitions_say(
    must: str, nice: str, irr: str, expected: Values
) -> None:
    assert values(figures(must, nice, irr)) == expected


def test_a_pool_without_irr_stays_in_its_scenario() -> None:
    assert figures("+", "-").scenario == "must+nice"
    assert figures("", "", "-").scenario == "none"


def test_smc_names_the_condition_that_failed_and_its_entries() -> None:
    smc = figures("+-", "--", "-++")["smc"]
    assert [(part.role, part.told, part.entries) for part in smc.failed] == [
        ("must", "must used: 1 of 2 (m2 not)", ("m2",)),
        ("nice", "nice used: 0 of 2", ("n1", "n2")),
        ("irr", "irr used: i2, i3", ("i2", "i3")),
    ]
    assert figures("+", "+", "-")["smc"].failing == ""


def test_a_figure_explains_itself() -> None:
    told = figures("+-", "+", "+")["smc"].explain()
    assert told.splitlines()[0] == "SMC = 0"
    assert "Strict Memory Compliance: 1 if, must-only" in told
    assert "StratMem-Bench, section 4.1, Eq. 4." in told
    assert told.splitlines()[-1] == "Failed: must used: 1 of 2 (m2 not); irr used: i1."


def test_no_formula_is_told_without_its_source_and_no_pes_stands_alone() -> None:
    assert set(FORMULAS) == set(FIGURES)
    for formula in FORMULAS.values():
        assert formula.source.startswith("StratMem-Bench")
        assert formula.title != "PES"


def test_a_pool_that_asks_for_nothing_shows_over_sharing_alone() -> None:
    found = figures("", "", "+-")
    assert found["rho_irr"].value == 0.5
    assert "over-sharing" in found["rho_irr"].reason
    for key in ("smc", "pes_literal", "pes_nice", "cir"):
        assert found[key].reason == "The pool has neither a must nor a nice entry."


def test_a_reply_that_does_not_count_for_pes_says_why() -> None:
    assert figures("-", "+")["pes_nice"].eligible is False
    assert "not every must entry" in figures("-", "+")["pes_literal"].reason
    assert "no nice entry" in figures("+", "", "-")["cir"].reason


def test_a_failed_reply_complies_with_nothing_and_has_no_miq() -> None:
    found = reply_figures(*posed("+", "+", "-"), failed=True)
    assert (found["smc"].value, found["miq"].value, found["rho_must"].value) == (0, None, 0)
    assert "failed" in found["miq"].reason
    assert reply_figures(*posed("x", "?", "x"), failed=True)["smc"].value == 0


def test_an_unscored_miq_keeps_the_judges_reason() -> None:
    given, roles = posed("+")
    found = reply_figures(replace(given, miq=Miq(None, "The answer was unreadable.")), roles)
    assert found["miq"].reason == "Unscored: The answer was unreadable."


def test_what_was_already_said_leaves_the_pool() -> None:
    found = figures("s", "+", "-s")
    assert found.scenario == "nice-only"
    assert found.already_said == ("m1", "i2")
    assert values(found) == golden(None, 1, 0, 1, 1, 1, 0)


def test_entries_without_a_role_count_for_no_share() -> None:
    given, roles = posed("+", "+", "+")
    del roles["i1"]
    assert reply_figures(given, roles)["smc"].value == 1


def test_a_followed_rule_counts_as_used_and_a_violated_one_shows_beside_a_passed_smc() -> None:
    entries = (
        EntryVerdict("m1", "used", rule="followed"),
        EntryVerdict("i1", "not used", rule="violated"),
        EntryVerdict("i2", "not used", rule="not applicable"),
    )
    found = reply_figures(verdict(*entries), {"m1": "must", "i1": "irr", "i2": "irr"})
    assert found["smc"].value == 1
    assert (found.followed, found.violated, found.has_rules) == (("m1",), ("i1",), True)


# What is open


def test_an_open_entry_that_cannot_matter_leaves_the_figure_its_value() -> None:
    found = figures("-?", "+?", "-")
    assert (found["smc"].value, found["cir"].value) == (0, 0)
    assert found["rho_must"].value is None
    assert (found["rho_must"].low, found["rho_must"].high) == (0, 0.5)


def test_an_open_figure_has_bounds_a_leaning_and_a_reason_that_names_the_entries() -> None:
    smc = figures("+", "+", "-nx")["smc"]
    assert (smc.value, smc.low, smc.high, smc.leaning) == (None, 0, 1, None)
    assert smc.reason == "Open: unsure of i2; unscored i3."
    assert figures("+", "+", "-n")["smc"].leaning == 1
    assert figures("y", "+", "y")["smc"].leaning == 0


def test_whether_a_reply_counts_can_be_open() -> None:
    pes = figures("y", "+", "-")["pes_nice"]
    assert (pes.eligible, pes.value, pes.leaning) == (None, None, 1)
    assert pes.shown() == "1 or not counted"


signs = st.text("+-?ynxs", max_size=3)
few = st.text("+-?ynxs", max_size=2)


def decided(signs: str) -> list[str]:
    """Every way of deciding the open entries."""
    ways = [("+", "-") if sign in "?ynx" else (sign,) for sign in signs]
    return ["".join(way) for way in product(*ways)]


@settings(deadline=None)
@given(few, few, few)
def test_bounds_contain_the_value_of_every_resolution(must: str, nice: str, irr: str) -> None:
    found = figures(must, nice, irr)
    ways = product(decided(must), decided(nice), decided(irr))
    resolved = [figures(*way) for way in ways]
    for key in FIGURES:
        if key != "miq":
            every = {one[key].value for one in resolved}
            assert set(found[key].outcomes) == every
            assert found[key].value == (every.pop() if len(every) == 1 else None)


@settings(deadline=None)
@given(signs, signs, signs)
def test_the_leaning_is_one_of_the_outcomes(must: str, nice: str, irr: str) -> None:
    for figure in figures(must, nice, irr).figures.values():
        assert figure.leaning is None or figure.leaning in figure.outcomes
        assert figure.value is None or figure.leaning == figure.value


@settings(deadline=None)
@given(signs, signs, signs)
def test_one_more_irr_entry_used_never_raises_smc(must: str, nice: str, irr: str) -> None:
    for place, sign in enumerate(irr):
        if sign == "-":
            before = figures(must, nice, irr)["smc"]
            after = figures(must, nice, f"{irr[:place]}+{irr[place + 1 :]}")["smc"]
            assert at_most(after, before)


@settings(deadline=None)
@given(signs, signs, signs)
def test_one_more_must_entry_used_never_lowers_smc(must: str, nice: str, irr: str) -> None:
    for place, sign in enumerate(must):
        if sign == "-":
            before = figures(must, nice, irr)["smc"]
            after = figures(f"{must[:place]}+{must[place + 1 :]}", nice, irr)["smc"]
            assert at_most(before, after)


def at_most(less: Figure, more: Figure) -> bool:
    if less.low is None or more.low is None or less.high is None or more.high is None:
        return less.outcomes == more.outcomes
    return less.low <= more.low and less.high <= more.high


@settings(deadline=None)
@given(signs, signs, signs, st.randoms(use_true_random=False))
def test_the_order_of_the_pool_is_nothing(must: str, nice: str, irr: str, random: Random) -> None:
    given_, roles = posed(must, nice, irr)
    entries = list(given_.entries)
    random.shuffle(entries)
    mixed = reply_figures(replace(given_, entries=tuple(entries)), roles)
    for key, figure in reply_figures(given_, roles).figures.items():
        assert mixed[key].outcomes == figure.outcomes
        assert mixed[key].leaning == figure.leaning


# The released test set


def ideal(instance: Instance) -> Verdict:
    """All must, all nice, no irr."""
    return verdict(
        *(
            EntryVerdict(key, "not used" if role == "irr" else "used")
            for key, role in instance.roles.items()
        )
    )


def test_the_ideal_replies_to_the_test_set_reach_the_cap_of_literal_pes() -> None:
    found = read_collection(shared_data(CAPPED).read_bytes(), CAPPED)
    judged = [Judged(one.id, reply_figures(ideal(one), one.roles)) for one in found.instances]
    total = totals(judged)
    means = {key: one.mean.value for key, one in total.figures.items()}
    assert means["pes_literal"] == pytest.approx(607 / 657)
    assert round(100 * (means["pes_literal"] or 0), 2) == 92.39
    assert (means["smc"], means["pes_nice"], means["cir"]) == (1, 1, 0)
    assert {name: rows["smc"].n for name, rows in total.by_scenario.items()} == {
        "must-only": 50,
        "nice-only": 132,
        "must+nice": 475,
    }

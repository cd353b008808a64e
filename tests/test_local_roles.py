"""Roles proposed by the local judge: laws of the choice, and what the packaged parameters reach.

StratMem-Bench's files are not part of the project: tests that need them look beside the repository.
"""

import hashlib
import itertools
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_banks.embedding import HashedWords, load_sentence_transformer
from sandbox.instances import Role, Said
from sandbox.judges.case import Case, PoolItem
from sandbox.judges.local.role_features import role_features
from sandbox.judges.local.role_words import stem, words_of
from sandbox.judges.local.roles import RoleModel, packaged_roles, propose_roles, role_warnings
from sandbox.judges.local.selection import expected_smc, select

STRATMEM = Path(__file__).parents[2] / "shared" / "data" / "stratmem"
TEXTS = (
    "Bo sold the loom to his cousin on 2023-01-29.",
    "Bo wants a smaller loom for the shed.",
    "Ann keeps three hives of bees.",
    "Ann sings in the choir of Tartu.",
)
embed = HashedWords(128).embed


def a_case(**changes: Any) -> Case:
    pool = tuple(PoolItem(f"m{index}", text) for index, text in enumerate(TEXTS, 1))
    made = Case("Bo", "Ann", "Bo weaves.", (), "Do you still have the loom?", "", pool)
    return replace(made, **changes)


def shares(*rows: tuple[float, float, float]) -> Any:
    """Columns must, nice, irr, each row brought to sum 1."""
    table = np.array(rows, dtype=np.float64)
    return (table / table.sum(axis=1, keepdims=True)).T


some_shares = st.lists(st.tuples(*[st.floats(0.01, 1.0)] * 3), min_size=1, max_size=5).map(
    lambda rows: shares(*rows)
)


def by_hand(table: Any, used: int) -> float:
    """Expected SMC by going through every assignment of roles."""
    total = 0.0
    for roles in itertools.product(range(3), repeat=table.shape[1]):
        chance = np.prod([table[role][at] for at, role in enumerate(roles)])
        inside, outside = roles[:used], roles[used:]
        fits = 2 not in inside and 0 not in outside and (1 in inside or 1 not in outside)
        total += float(chance) * fits
    return total


@given(some_shares)
def test_expected_smc_is_the_share_of_role_assignments_that_comply(table: Any) -> None:
    found = expected_smc(*table)
    wanted = [by_hand(table, used) for used in range(len(table[0]) + 1)]
    assert found == pytest.approx(wanted, abs=1e-12)


@given(some_shares)
def test_the_choice_is_the_likeliest_prefix_from_the_least_irrelevant(table: Any) -> None:
    chosen = select(*table)
    irr = table[2]
    if chosen.any() and not chosen.all():
        assert irr[chosen].max() <= irr[~chosen].min()
    order = np.argsort(irr, kind="stable")
    values = expected_smc(*(column[order] for column in table))
    assert values[chosen.sum()] == values.max()


def test_a_likely_must_is_used_and_a_likely_irr_is_not() -> None:
    assert select(*shares((9, 1, 0.1), (0.1, 0.1, 9))).tolist() == [True, False]


def test_one_of_two_unsure_nice_entries_is_enough() -> None:
    assert select(*shares((0.01, 1, 0.2), (0.01, 1, 0.5))).tolist() == [True, False]


def test_nothing_is_used_where_all_is_irrelevant() -> None:
    assert select(*shares((0.1, 0.1, 9), (0.1, 0.1, 9))).tolist() == [False, False]
    assert select(*np.empty((3, 0))).tolist() == []


def test_proposals_cover_the_pool_and_their_probabilities_sum_to_one() -> None:
    found = propose_roles(a_case(), embed)
    assert list(found) == ["m1", "m2", "m3", "m4"]
    for proposal in found.values():
        assert proposal.probabilities is not None
        assert sum(proposal.probabilities.values()) == pytest.approx(1)
        assert min(proposal.probabilities.values()) >= 0


def test_within_the_chosen_the_likelier_of_must_and_nice_is_proposed() -> None:
    found = propose_roles(a_case(), embed)
    chosen = [one for one in found.values() if one.role != "irr"]
    assert chosen
    for one in chosen:
        assert one.probabilities is not None
        other: Role = "nice" if one.role == "must" else "must"
        assert one.probabilities[one.role] >= one.probabilities[other]


def test_neither_reply_nor_history_changes_a_proposal() -> None:
    history = (Said("user", "Ann", "Bees, bees."), Said("assistant", "Bo", "I sold the loom."))
    other = a_case(reply="I sold the loom to my cousin.", history=history)
    assert propose_roles(other, embed) == propose_roles(a_case(), embed)


def test_the_pools_order_changes_no_proposal() -> None:
    case = a_case()
    turned = propose_roles(replace(case, pool=case.pool[::-1]), embed)
    for key, proposal in propose_roles(case, embed).items():
        assert turned[key].role == proposal.role
        assert turned[key].probabilities == pytest.approx(proposal.probabilities)


def test_a_superseded_entry_is_irr_and_moves_no_other() -> None:
    case = a_case()
    old = PoolItem("old", "Bo has the loom in the shed.", live=False)
    found = propose_roles(replace(case, pool=(old, *case.pool)), embed)
    assert (found["old"].role, found["old"].probabilities) == (
        "irr",
        {"must": 0.0, "nice": 0.0, "irr": 1.0},
    )
    assert {key: found[key] for key in ("m1", "m2", "m3", "m4")} == propose_roles(case, embed)


def test_where_all_is_superseded_all_is_compared() -> None:
    case = a_case()
    old = tuple(replace(item, live=False) for item in case.pool)
    assert propose_roles(replace(case, pool=old), embed) == propose_roles(case, embed)


def test_an_empty_pool_has_no_proposals() -> None:
    assert propose_roles(a_case(pool=()), embed) == {}


@pytest.mark.parametrize("texts", [["One."], ["Same.", "Same too."], ["", "?!"], ["名前"]])
def test_odd_pools_get_proposals_all_the_same(texts: Sequence[str]) -> None:
    pool = tuple(PoolItem(f"m{index}", text) for index, text in enumerate(texts))
    found = propose_roles(a_case(pool=pool, query="", persona=""), embed)
    assert all(
        sum((one.probabilities or {}).values()) == pytest.approx(1) for one in found.values()
    )


def test_rules_and_other_languages_are_said_to_be_unmeasured() -> None:
    assert role_warnings(a_case()) == ()
    rule = PoolItem("r", "Bo answers in metric units.", "agent_identity", "dyad")
    case = a_case(pool=(rule,), language="zh")
    assert [("English" in one, "rules" in one) for one in role_warnings(case)] == [
        (True, False),
        (False, True),
    ]
    assert propose_roles(case, embed)["r"].probabilities is not None


def test_names_of_the_speakers_are_no_shared_words() -> None:
    features = role_features(a_case(query="Ann and Bo, Tartu?"), embed)
    assert features["same_names"].tolist() == [0, 0, 0, 1]
    assert features["words"][:3].tolist() == [0, 0, 0]
    assert features["of_character"].tolist() == [1, 1, 0, 0]
    assert features["of_human"].tolist() == [0, 0, 1, 1]


def test_typographic_marks_read_like_plain_ones() -> None:
    assert words_of("Bo\u2019s co\u2011op isn\u2019t big") == words_of("Bo's co-op isn't big")


@pytest.mark.parametrize(
    ("one", "other"),
    [("hive", "hives"), ("bake", "baking"), ("stop", "stopped"), ("hobby", "hobbies"), ("1", "1")],
)
def test_forms_of_a_word_share_their_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_different_words_keep_different_stems() -> None:
    assert len({stem(word) for word in ("loom", "look", "hive", "have", "class", "bees")}) == 6


def test_models_over_other_features_are_refused() -> None:
    line = {"features": ["a"], "classes": ["irr", "must", "nice"], "mean": [0.0], "scale": [1.0]}
    line |= {"coef": [[0.0]] * 3, "intercept": [0.0] * 3}
    trees = {"features": ["b"], "classes": ["irr", "must", "nice"], "baseline": [0.0] * 3}
    with pytest.raises(ValueError, match="must know .* by the same features"):
        RoleModel.from_json({"logistic": line, "trees": trees | {"trees": []}, "fitted": {}})


def test_the_packaged_parameters_reach_what_was_asked_of_them() -> None:
    told = packaged_roles().fitted
    figures = told["agreement"]
    assert figures["n"] == {"instances": 657, "entries": 4927}
    assert figures["likeliest"]["macro_f1"]["value"] >= 0.745
    assert figures["likeliest"]["exact_must"]["value"] >= 0.62
    assert figures["selection_smc"]["value"] >= 0.71
    assert told["off_scikit_learn_at_most"] < 1e-6
    assert set(told) >= {"script", "recipe", "data", "versions", "language"}
    for figure in (figures["selection_smc"], figures["proposed"]["macro_f1"]):
        assert figure["low"] < figure["value"] < figure["high"]


def test_the_packaged_parameters_name_the_file_they_were_fitted_on() -> None:
    for name, digest in packaged_roles().fitted["data"].items():
        if not (STRATMEM / name).is_file():
            pytest.skip(f"needs {name} of StratMem-Bench in {STRATMEM}")
        assert hashlib.sha256((STRATMEM / name).read_bytes()).hexdigest() == digest


def test_the_export_equals_scikit_learn_on_the_released_rows() -> None:
    pytest.importorskip("sklearn", reason="needs scikit-learn, which only fitting uses")
    from fitting.roles import CAPPED, fit, table

    if not (STRATMEM / CAPPED).is_file():
        pytest.skip(f"needs {CAPPED} of StratMem-Bench in {STRATMEM}")
    data = table(STRATMEM / CAPPED, embed)
    assert data.rows.shape == (4927, len(packaged_roles().logistic.features))
    value, off = fit(data)
    assert off < 1e-6
    assert len(json.dumps(value)) < 1_000_000


@pytest.mark.embedder
def test_the_packaged_model_tells_the_asked_for_entry_from_a_stray_one() -> None:
    found = propose_roles(a_case(), load_sentence_transformer().embed)
    assert found["m1"].role != "irr"
    assert found["m3"].role == found["m4"].role == "irr"

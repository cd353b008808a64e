"""Intervals over episodes, paired differences, and what every stage figure says of itself."""

import numpy as np
import pytest

from sandbox.metrics.stage_capture import capture_scores
from sandbox.metrics.stage_cases import CASES
from sandbox.metrics.stage_diagnostics import bank_sizes, judge_scores
from sandbox.metrics.stage_formula import STAGE_KEYS
from sandbox.metrics.stage_formulas import STAGE_FORMULAS
from sandbox.metrics.stage_measure import STAGE_RESAMPLES, StageFigure, difference
from sandbox.metrics.stage_qa import qa_scores
from sandbox.metrics.stage_recall import recall_scores
from sandbox.metrics.stage_update import update_scores
from sandbox.metrics.statistics import SEED
from tests.stage_rows import answer, question, scripted


def accuracy(*told: tuple[str, bool], seed: int = SEED) -> StageFigure:
    """Accuracy over answers, each with its episode."""
    rows = [
        answer(question(f"q{at}", "m", episode=episode), right)
        for at, (episode, right) in enumerate(told)
    ]
    return qa_scores(rows, seed)["qa_accuracy"]


def test_the_interval_is_over_episodes_where_questions_share_one() -> None:
    # Two episodes of 50 questions, one all right, one all wrong: a quarter of the resamples has
    # the first one twice (1), a quarter the second one (0). Over questions it would be near 0.5.
    found = accuracy(*[("e1", True)] * 50, *[("e2", False)] * 50)
    assert (found.value, found.estimate.low, found.estimate.high) == (0.5, 0.0, 1.0)
    assert (found.unit, found.units) == ("episode", 2)


def test_the_unit_is_the_instance_outside_of_episodes() -> None:
    found = accuracy(*[("", True)] * 50, *[("", False)] * 50)
    assert (found.unit, found.units) == ("instance", 100)
    assert found.estimate.low is not None
    assert 0.35 < found.estimate.low < 0.5


def test_one_question_an_episode_is_resampled_by_the_question() -> None:
    assert accuracy(("e1", True), ("e2", False)).unit == "instance"


def test_there_are_200_resamples_of_the_recorded_seed() -> None:
    told = [("", at % 3 == 0) for at in range(30)]
    found = accuracy(*told, seed=7)
    # Units in the order of their names, as they are drawn.
    right = np.array(
        [right for _, right in sorted((f"q{at}", one[1]) for at, one in enumerate(told))]
    )
    drawn = np.random.default_rng(7).multinomial(30, [1 / 30] * 30, 200)
    low, high = np.percentile(drawn @ right / 30, [2.5, 97.5])
    assert STAGE_RESAMPLES == 200
    assert (found.seed, found.estimate.low, found.estimate.high) == (
        7,
        pytest.approx(low),
        pytest.approx(high),
    )


def test_one_unit_has_no_interval() -> None:
    found = accuracy(("e1", True), ("e1", False))
    assert found.estimate.low is None
    assert found.explain().endswith("No interval: too few of its kind, unit episode (1).")


def test_a_paired_difference_is_narrower_than_the_variants() -> None:
    # The second is the first but for one question of 40: paired, the interval cannot exceed a few
    # fortieths, though each variant's own is about 0.3 wide.
    told = [("", at % 2 == 0) for at in range(40)]
    first, second = accuracy(*told), accuracy(("", False), *told[1:])
    found = difference("qa_gain", first, second)
    assert found.value == pytest.approx(1 / 40)
    assert found.estimate.low == 0.0
    assert found.estimate.high is not None
    assert found.estimate.high <= 5 / 40


def test_a_difference_needs_the_same_rows() -> None:
    with pytest.raises(ValueError, match="only be compared over the same rows"):
        difference("qa_gain", accuracy(("", True)), accuracy(("", True), ("", True)))


def test_every_figure_has_a_formula_with_a_source() -> None:
    assert set(STAGE_FORMULAS) == set(STAGE_KEYS)
    for formula in STAGE_FORMULAS.values():
        assert "DyadMem, section" in formula.source
        assert all((formula.title, formula.name, formula.text, formula.over, formula.undefined))
        assert formula.low < formula.high


def test_no_two_figures_share_a_title() -> None:
    titles = [one.title for one in STAGE_FORMULAS.values()]
    assert len(set(titles)) == len(titles)


def test_every_figure_of_a_stage_comes_from_its_function() -> None:
    made = {
        *capture_scores([], scripted()).figures,
        *update_scores([], CASES["standalone"], scripted()).figures,
        *recall_scores([]).figures,
        *qa_scores([]).figures,
        *bank_sizes([]).figures,
        *judge_scores([]).figures,
    }
    assert set(STAGE_KEYS) - made == {"op_f1_gain", "qa_gap", "qa_gain"}


def test_a_figure_explains_itself() -> None:
    found = accuracy(("e1", True), ("e1", True), ("e2", False))
    lines = found.explain().splitlines()
    assert lines[0] == "QA accuracy = 0.67 (0.00-1.00), n 3 questions"
    assert lines[1].startswith("answers that say what the reference says: answers judged")
    assert lines[2].startswith("DyadMem, sections G.3 and I.5. Ours: ")
    assert lines[3] == f"95% interval: bootstrap, 200 resamples, unit episode (2), seed {SEED}."


def test_an_undefined_figure_says_why_and_an_unscored_row_is_told() -> None:
    found = qa_scores([answer(question("q", "m"), None)])["qa_accuracy"].explain()
    assert found.splitlines()[0] == "QA accuracy = -, n 0 questions"
    assert "Undefined: there is no question." in found
    assert "1 left out: the judge could not be read." in found

"""The local judge as a whole: one verdict from its parts, and honest about its limits."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sandbox.instances import Said
from sandbox.judges.case import Case, PoolItem
from sandbox.judges.fitted import Fitted
from sandbox.judges.local.encoder import MiniLM
from sandbox.judges.local.judge import Embed, LocalJudge
from sandbox.judges.local.roles import packaged_roles
from sandbox.judges.verdict import (
    Aspect,
    AspectVerdict,
    EntryVerdict,
    JudgeError,
    Point,
    RoleProposal,
    Verdict,
)
from tests import gold
from tests.fakes_encoder import DIMENSION, WordEncoder

CASE = Case(
    character="Bo",
    human="Ann",
    persona="Name: Bo\nSummary: Bo weaves rugs.",
    history=(Said("user", "Ann", "It rained all week."),),
    query="What do you remember of spring?",
    reply="Your ferry ticket to Bergen cost 340 kroner, that was steep.",
    pool=(
        PoolItem("ferry", "Ann's ferry ticket to Bergen cost 340 kroner."),
        PoolItem("bees", "Ann keeps three hives of carniolan bees."),
    ),
)


def judge(encoder: WordEncoder | None = None) -> LocalJudge:
    return LocalJudge(encoder or WordEncoder(), roles=None, aspects=None)


def told(verdict: Verdict) -> Verdict:
    return replace(verdict, seconds=0.0)


def test_a_verdict_has_an_entry_for_each_of_the_pool_a_score_and_a_version() -> None:
    found = judge().judge(CASE)
    assert [one.entry for one in found.entries] == ["ferry", "bees"]
    assert found.of("ferry").usage == "used"
    assert found.miq.score is not None
    assert (found.judge, len(found.version)) == ("local", 12)
    assert (found.roles, found.aspects, found.warnings) == ({}, (), ())


def test_the_same_case_gives_the_same_verdict() -> None:
    assert told(judge().judge(CASE)) == told(judge().judge(CASE))


def test_a_failed_case_is_all_not_used_and_its_miq_unscored_with_the_reason() -> None:
    found = judge().judge(replace(CASE, failed=True))
    assert {one.usage for one in found.entries} == {"not used"}
    assert (found.miq.score, found.miq.why) == (None, "There is no usable reply.")


def test_everything_is_encoded_in_one_go() -> None:
    encoder = WordEncoder()
    judge(encoder).judge(CASE)
    assert encoder.calls == 1
    assert {CASE.query, CASE.history[0].text} <= set(encoder.asked)


def test_another_language_is_judged_with_a_warning() -> None:
    found = judge().judge(replace(CASE, language="zh", reply="下雨了。"))
    assert any("not measured for zh" in warning for warning in found.warnings)


def test_a_pool_with_rules_is_judged_with_a_warning() -> None:
    pool = (*CASE.pool, PoolItem("rule", "Bo gives a numbered list.", type="agent_identity"))
    found = judge().judge(replace(CASE, pool=pool))
    assert found.of("rule").rule == "violated"
    assert any("rules" in warning for warning in found.warnings)


def test_roles_and_aspects_come_from_what_it_was_given() -> None:
    vectors: list[tuple[int, ...]] = []

    def roles(case: Case, embed: Embed) -> dict[str, RoleProposal]:
        vectors.append(embed([case.query, case.reply]).shape)
        return {item.id: RoleProposal("nice") for item in case.pool}

    def aspects(
        case: Case, used: Sequence[EntryVerdict], asked: Sequence[Aspect], embed: Embed
    ) -> tuple[AspectVerdict, ...]:
        return tuple(AspectVerdict(one, (Point(1, float(len(used)), ""),)) for one in asked)

    found = LocalJudge(WordEncoder(), roles=roles, aspects=aspects).judge(CASE, ["style"])
    assert {one.role for one in found.roles.values()} == {"nice"}
    assert vectors == [(2, DIMENSION)]
    assert found.aspects == (AspectVerdict("style", (Point(1, 2.0, ""),)),)


def test_aspects_are_judged_only_where_they_are_asked_for() -> None:
    assert LocalJudge(WordEncoder(), roles=None).judge(CASE).aspects == ()


def test_it_is_judged_out_of_fold_on_its_own_files_alone() -> None:
    local = judge()
    assert isinstance(local, Fitted)
    assert local.out_of_fold("0" * 64) is None
    data = json.loads(
        (Path(__file__).parents[1] / "sandbox/judges/local/use.json").read_text("utf-8")
    )["fitted"]["data"]
    fair = local.out_of_fold(data[gold.DEV])
    assert fair is not None
    assert fair.name == "local"
    with pytest.raises(JudgeError, match="was not fitted on this reply"):
        fair.judge(CASE)


def test_importing_it_loads_neither_torch_nor_scikit_learn(
    child_environment: dict[str, str],
) -> None:
    code = (
        "import sys, sandbox.judges.local.judge as judge; judge.LocalJudge(); "
        "sys.exit(str({'torch', 'sklearn', 'scipy', 'transformers'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=child_environment, capture_output=True, text=True
    )
    assert done.stderr.strip() == "set()"


@pytest.mark.embedder
def test_the_packaged_judge_gives_a_whole_verdict() -> None:
    found = LocalJudge(MiniLM()).judge(CASE, ["naturalness"])
    assert (found.of("ferry").usage, found.of("bees").usage) == ("used", "not used")
    assert set(found.roles) == {"ferry", "bees"}
    assert [one.aspect for one in found.aspects] == ["naturalness"]


@pytest.mark.embedder
def test_out_of_fold_verdicts_reach_the_cross_validated_agreement() -> None:
    agreement = pytest.importorskip("fitting.agreement")
    from fitting.gold import load

    folder = gold.gold_folder()
    local = LocalJudge(MiniLM(), roles=None, aspects=None)
    sha256 = hashlib.sha256(gold.gold_file(gold.DEV).read_bytes()).hexdigest()
    fair = local.out_of_fold(sha256)
    if fair is None:
        pytest.skip("the judge was fitted on another version of the labelled replies")
    pairs = []
    for one in [one for one in load(folder) if one.dev][:25]:
        verdict = fair.judge(one.case)
        pairs += [
            (used, bool(entry.guess))
            for used, entry in zip(one.used, verdict.entries, strict=True)
            if used is not None
        ]
    used, guessed = (np.array(side) for side in zip(*pairs, strict=True))
    assert agreement.kappa(used, guessed) >= 0.7


def test_its_roles_on_the_instances_they_were_fitted_on_are_given_as_cross_validated() -> None:
    judge = LocalJudge(encoder=WordEncoder())
    [sha256] = packaged_roles().fitted["data"].values()
    found = judge.roles_measured_on(sha256)
    assert found == packaged_roles().fitted["agreement"]
    assert judge.roles_measured_on("another file") is None
    assert LocalJudge(encoder=WordEncoder(), roles=None).roles_measured_on(sha256) is None

"""`judge` and `agreement`: what they print and refuse; and judges by name."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from graphs.chat_model import ChatModel
from sandbox.commands import app
from sandbox.commands.judged_lines import compared_lines, compared_plain, judging_lines
from sandbox.evaluation import judging
from sandbox.evaluation.judged_files import JudgedFile, read_judged
from sandbox.evaluation.verdict_file import read_verdicts
from sandbox.formats import packaged_collection
from sandbox.judges.case import Case
from sandbox.judges.file import FileJudge
from sandbox.judges.fitted import CROSS_VALIDATED, ROLES_CROSS_VALIDATED, measured_on
from sandbox.judges.registry import JudgeOf, Sources, named
from sandbox.judges.verdict import (
    Aspect,
    EntryVerdict,
    Judge,
    JudgeError,
    Miq,
    RoleProposal,
    Verdict,
)
from tests.scripted_model import ScriptedModel
from tests.test_file_judge import POOL
from tests.test_stratmem import item


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(part) for part in arguments])


def result(*arguments: object) -> dict[str, Any]:
    told = run(*arguments, "--json")
    assert told.exit_code == 0, told.output
    found: dict[str, Any] = json.loads(told.stdout)
    return found


def refused(*arguments: object) -> str:
    """The one sentence of a command that did not do what was asked."""
    told = run(*arguments)
    assert told.exit_code == 1, told.output
    assert told.stdout == ""
    sentence = told.stderr.strip()
    assert "\n" not in sentence
    return sentence


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    """The shipped collection as a file."""
    path = tmp_path / "demo.json"
    path.write_bytes(packaged_collection())
    return path


@pytest.fixture
def gold(tmp_path: Path) -> tuple[Path, Path]:
    """A gold file of three replies, and its instances."""
    used = [fact | {"used": True} for fact in POOL[:2]] + POOL[2:]
    made = [
        {"instance_id": "locomo_0123456789", "reply": f"Reply {number}.", "pool": pool}
        | {"miq": [score, score], "tags": ["dumped", "missed_needed"], "reply_policy": manner}
        for number, (pool, score, manner) in enumerate(
            [(POOL, 5, "strategic"), (used, 3, "paraphrase"), (used, 2, "paraphrase")]
        )
    ]
    instances, path = tmp_path / "test.json", tmp_path / "gold.json"
    instances.write_text(json.dumps([item()]))
    path.write_text(json.dumps(made))
    return path, instances


# judge


def test_the_shipped_replies_come_to_the_walks_figures(demo: Path) -> None:
    groups = result("judge", demo, "--judge", "file")["groups"]
    keys = ("smc", "pes_literal", "pes_nice", "cir")
    counts = {
        name: [(groups[name][key]["successes"], groups[name][key]["n"]) for key in keys]
        for name in ("good", "over_sharing", "forgetful")
    }
    assert counts == {
        "good": [(12, 12), (11, 12), (11, 11), (0, 11)],
        "over_sharing": [(0, 12), (7, 10), (7, 9), (11, 11)],
        "forgetful": [(0, 12), (0, 1), (0, 1), (0, 11)],
    }


def test_each_reply_has_its_figures_with_what_failed(demo: Path) -> None:
    found = result("judge", demo, "--judge", "file")
    assert len(found["replies"]) == found["totals"]["replies"] == 42
    over = next(
        one
        for one in found["replies"]
        if one["instance"].startswith("demo-05") and one["group"] == "over_sharing"
    )
    assert over["figures"]["smc"]["value"] == 0
    failed = over["figures"]["smc"]["failed"]
    assert failed[0]["told"] == "nice used: 0 of 2"
    assert set(failed[1]["entries"]) == {"m1", "m3", "m6", "m7"}
    assert found["formulas"]["pes_literal"]["title"] == "PES (Eq. 6, literal)"


def test_people_get_a_table_and_totals_with_intervals_and_n(demo: Path) -> None:
    lines = run("judge", demo, "--judge", "file").stdout.splitlines()
    assert lines[0] == "good (12)"
    assert " ".join(lines[6].split()) == "demo-05-third-address 1/1 2/2 0/4 1 4.50 1 1 0"
    assert "  SMC: 12/12 = 1.00 (0.76-1.00)" in lines
    assert any(line.startswith("  PES (nice available): 7/9 = 0.78 (0.45-0.94)") for line in lines)
    assert not any("PES:" in line for line in lines)


def test_written_verdicts_are_read_back_to_the_same_figures(demo: Path, tmp_path: Path) -> None:
    out = tmp_path / "verdicts.jsonl"
    first = result("judge", demo, "--judge", "file", "--out", out)
    assert len(read_verdicts(out.read_bytes(), out.name)) == 42
    again = result("judge", out, "--instances", demo, "--judge", "file")
    assert again["groups"] == first["groups"]


def test_a_gold_file_can_be_judged_by_what_it_says(gold: tuple[Path, Path]) -> None:
    found = result("judge", gold[0], "--instances", gold[1], "--judge", "file")
    assert set(found["groups"]) == {"strategic", "paraphrase"}
    assert found["replies"][0]["figures"]["rho_nice"]["value"] is None
    assert found["totals"]["miq"]["value"] == pytest.approx(10 / 3, abs=1e-4)


def test_what_cannot_be_judged_is_one_sentence(demo: Path, tmp_path: Path) -> None:
    assert refused("judge", demo, "--judge", "oracle") == (
        "There is no judge 'oracle': choose file, local or llm:MODEL."
    )
    assert "there is no model 'nobody'" in refused("judge", demo, "--judge", "llm:nobody").lower()
    missing = tmp_path / "none.json"
    assert "none.json cannot be read" in refused("judge", missing, "--judge", "file")
    assert "correct --instances" in refused(
        "judge", demo, "--judge", "file", "--instances", missing
    )
    nowhere = tmp_path / "no" / "out.jsonl"
    told = run("judge", demo, "--judge", "file", "--out", nowhere)
    assert (told.exit_code, told.stdout) == (1, "")
    assert "choose another file with --out" in told.stderr


def test_a_reply_file_without_its_instances_is_refused(gold: tuple[Path, Path]) -> None:
    told = refused("judge", gold[0], "--judge", "file")
    assert told == "gold.json: must come with the instances it answers; give --instances FILE."


# agreement


def test_agreement_is_given_as_the_design_says(gold: tuple[Path, Path]) -> None:
    found = result("agreement", gold[0], "--instances", gold[1], "--judge", "file")
    assert found["used"]["kappa"]["value"] == 1
    assert set(found["used"]["kappa"]) == {"value", "low", "high"}
    assert [found["used"][name] for name in ("f1", "precision", "recall")] == [1, 1, 1]
    assert (found["used"]["n"], found["used"]["skipped"], found["used"]["replies"]) == (11, 1, 3)
    assert found["used"]["decided"]["coverage"] == 1
    assert found["miq"]["spearman"]["value"] == 1
    assert (found["miq"]["n"], found["miq"]["unscored"]) == (3, 0)
    assert (found["aspects"], found["roles"], found["worst"]) == ({}, None, [])
    assert set(found["by_language"]) == {"en"}
    assert found["by_group"]["paraphrase"]["used"]["n"] == 8
    assert found["other_tags"] == {"missed_needed": 3}
    assert (found["cross_validated"], found["label"]) == (False, None)


def test_a_collections_own_tags_can_be_the_gold(demo: Path) -> None:
    found = result("agreement", demo, "--judge", "file")
    assert set(found["by_language"]) == {"en", "zh"}
    assert (found["rules"]["violated"]["f1"], found["used"]["f1"]) == (1, 1)


def test_people_read_agreement_line_by_line(gold: tuple[Path, Path]) -> None:
    lines = run("agreement", gold[0], "--instances", gold[1], "--judge", "file").stdout.splitlines()
    assert lines[0] == "file against gold.json: 3 replies"
    assert lines[1].startswith("used: kappa 1.00 (1.00-1.00), precision 1.00")
    assert any(line.startswith("MIQ: Spearman 1.00") for line in lines)


# Judges


@dataclass
class Scripted:
    """A judge that calls the first entry used, whatever the reply; remembers what it was asked."""

    name: str = "local"
    fair: "Scripted | None" = None
    """Its out-of-fold twin on the file with the hash `known`."""
    known: str = ""
    roles_of: str = ""
    """Hash of the file of instances that its roles were fitted on."""
    asked: list[Case] = field(default_factory=list)
    aspects: list[tuple[Aspect, ...]] = field(default_factory=list)

    def judge(self, case: Case, aspects: Sequence[Aspect] = ()) -> Verdict:
        self.asked.append(case)
        self.aspects.append(tuple(aspects))
        keys = sorted(item.id for item in case.pool)
        entries = [
            EntryVerdict(key, "used" if key == keys[0] else "not used", probability=0.9)
            for key in keys
        ]
        roles = {key: RoleProposal("irr") for key in keys} if self.roles_of else {}
        return Verdict(self.name, "1", tuple(entries), Miq(4, "Fine."), roles=roles)

    def roles_measured_on(self, sha256: str) -> dict[str, Any] | None:
        figure = {"value": 0.5, "low": 0.4, "high": 0.6, "n": 9}
        measured = {"likeliest": {"macro_f1": figure, "exact_must": figure}}
        return measured if sha256 == self.roles_of else None

    def out_of_fold(self, sha256: str) -> Judge | None:
        return self.fair if sha256 == self.known else None


def no_model(name: str) -> ChatModel:
    raise JudgeError(f"There is no model {name!r}.")


def local(judge: Scripted, aspects: tuple[Aspect, ...] = ()) -> JudgeOf:
    return named("local", Sources((), no_model, lambda: judge, aspects))


def read(gold: tuple[Path, Path]) -> JudgedFile:
    from sandbox.formats import read_collection

    instances = read_collection(gold[1].read_bytes(), "test.json")
    return read_judged(gold[0].read_bytes(), "gold.json", instances)


def test_a_judge_sees_neither_roles_nor_gold(gold: tuple[Path, Path]) -> None:
    scripted = Scripted()
    judging.judge_file(read(gold), local(scripted))
    told = repr(scripted.asked)
    assert len(scripted.asked) == 3
    assert not any(word in told for word in ("must", "nice", "irr", "direct link"))


def test_disagreements_come_with_their_texts(gold: tuple[Path, Path]) -> None:
    found = judging.compare(read(gold), local(Scripted()))
    worst = found.agreement.worst[0]
    assert (worst.entry, worst.gold, worst.judge) == ("m2", "used", "not used")
    assert worst.text == "Bo wants a smaller loom."
    lines = list(compared_lines(found))
    assert any("m2: gold used, judge not used | Bo wants a smaller loom." in one for one in lines)


def test_on_the_file_it_was_fitted_on_a_judge_is_measured_out_of_fold(
    gold: tuple[Path, Path],
) -> None:
    file = read(gold)
    fair = Scripted()
    fitted = Scripted(fair=fair, known=file.sha256)
    found = judging.compare(file, local(fitted))
    assert (len(fair.asked), len(fitted.asked)) == (3, 0)
    assert (found.label, compared_plain(found)["cross_validated"]) == (CROSS_VALIDATED, True)
    assert next(compared_lines(found)).startswith(f"local against gold.json, {CROSS_VALIDATED}")


def test_roles_that_were_fitted_on_the_instances_are_given_as_cross_validated(
    gold: tuple[Path, Path],
) -> None:
    file = read(gold)
    flattering = judging.compare(file, local(Scripted(roles_of="another")))
    assert flattering.agreement.roles is not None
    found = judging.compare(file, local(Scripted(roles_of=file.instances.sha256)))
    assert found.agreement.roles is None
    plain = compared_plain(found)["roles"]
    assert (plain["label"], plain["cross_validated"]) == (ROLES_CROSS_VALIDATED, True)
    assert plain["likeliest"]["macro_f1"]["value"] == 0.5
    assert f"roles, {ROLES_CROSS_VALIDATED}: macro-F1 0.50" in "\n".join(compared_lines(found))


def test_on_another_file_a_fitted_judge_is_measured_as_it_is(gold: tuple[Path, Path]) -> None:
    fitted = Scripted(fair=Scripted(), known="another")
    assert judging.compare(read(gold), local(fitted)).label == ""
    assert len(fitted.asked) == 3


def test_judging_the_file_it_was_fitted_on_is_said_to_flatter_a_judge(
    gold: tuple[Path, Path],
) -> None:
    file = read(gold)
    found = judging.judge_file(file, local(Scripted(fair=Scripted(), known=file.sha256)))
    assert found.fitted
    assert any("flatter" in line for line in judging_lines(found))
    assert not judging.judge_file(file, local(Scripted())).fitted


def test_a_judge_that_knows_nothing_of_folds_is_measured_as_it_is(demo: Path) -> None:
    judge = FileJudge((), "i")
    assert measured_on(judge, "hash").judge is judge


@dataclass
class Failing(Scripted):
    """Cannot judge the replies with these numbers, counted from 0."""

    cannot: tuple[int, ...] = ()

    def judge(self, case: Case, aspects: Sequence[Aspect] = ()) -> Verdict:
        verdict = super().judge(case, aspects)
        if len(self.asked) - 1 in self.cannot:
            raise JudgeError("The model is gone.")
        return verdict


def test_a_reply_that_could_not_be_judged_is_unscored_and_told(gold: tuple[Path, Path]) -> None:
    found = judging.judge_file(read(gold), local(Failing(cannot=(1,))))
    assert found.troubles == ("The model is gone.",)
    assert found.totals.figures["miq"].out == {"Unscored: The model is gone.": 1}
    compared = judging.compare(read(gold), local(Failing(cannot=(2,))))
    assert (compared.troubles, compared.agreement.used.unscored) == (("The model is gone.",), 4)


def test_a_judge_that_fails_at_once_or_again_and_again_is_given_up(demo: Path) -> None:
    file = read_judged(demo.read_bytes(), "demo.json", None)
    for cannot, asked in (((0,), 1), ((4, 5, 6), 7)):
        judge = Failing(cannot=cannot)
        with pytest.raises(JudgeError, match="gone"):
            judging.judge_file(file, local(judge))
        assert len(judge.asked) == asked
    assert len(judging.judge_file(file, local(Failing(cannot=(1, 2, 4, 5)))).troubles) == 4


def test_a_file_that_lacks_a_verdict_is_judged_and_ends_with_status_1(
    demo: Path, tmp_path: Path
) -> None:
    out = tmp_path / "v.jsonl"
    run("judge", demo, "--judge", "file", "--out", out)
    first, second, *rest = out.read_bytes().splitlines(keepends=True)
    value = json.loads(second)
    del value["entries"]["m1"]
    out.write_bytes(first + json.dumps(value).encode() + b"\n" + b"".join(rest))
    told = run("judge", out, "--instances", demo, "--judge", "file", "--json")
    assert told.exit_code == 1
    assert len(json.loads(told.stdout)["not_judged"]) == 1
    assert "unscored, because they could not be judged: 1; " in told.stderr


def test_the_wanted_aspects_reach_the_local_judge(gold: tuple[Path, Path]) -> None:
    scripted = Scripted()
    judging.judge_file(read(gold), local(scripted, ("style",)))
    assert scripted.aspects == [("style",)] * 3


def test_a_model_is_a_judge_by_its_name() -> None:
    sources = Sources((), lambda name: ScriptedModel(name=name), Scripted)
    assert named("llm:big", sources)("i").name == "llm:big"
    with pytest.raises(JudgeError, match="no model 'big'"):
        named("llm:big", Sources((), no_model, Scripted))
    with pytest.raises(JudgeError, match="no judge 'llm:'"):
        named("llm:", sources)

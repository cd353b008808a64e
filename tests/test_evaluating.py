"""Judging replies on record: WALK rows 6 to 9 with the collection's tags, corrections, roles."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.edits import Edit
from sandbox.evaluation.evaluating import Evaluation
from sandbox.inputs import BadInput
from sandbox.judges.case import Case
from sandbox.judges.verdict import JudgeError
from sandbox.transcripts import Session, UnknownReply
from tests.fakes import LastWord, Script, fake_sandbox

WALID, DINA = "walid-qutami", "Dina Haddadin"


@pytest.fixture
def judge() -> LastWord:
    return LastWord()


@pytest.fixture
def sandbox(tmp_path: Path, judge: LastWord) -> Iterator[Sandbox]:
    script = Script(replies={"address": "14 Mosaic Lane, and mind the bell."})
    with closing(fake_sandbox(tmp_path, script.play, load_judge=lambda: judge)) as made:
        yield made


def opened(sandbox: Sandbox, number: str) -> Session:
    """The session of a shipped scenario, its query sent."""
    shipped = sandbox.instances.shipped
    [found] = [one.id for one in shipped.instances if one.id.startswith(f"demo-{number}")]
    session = sandbox.instances.open(ACCOUNT, shipped.sha256, found)
    sandbox.conversation.ask(ACCOUNT, session.id, session.box or "")
    return session


def pasted(sandbox: Sandbox, session: Session, name: str) -> str:
    """Id of the scenario's reference reply of that name, written by hand."""
    instance = sandbox.instances.of(session)
    assert instance is not None
    [text] = [reply.text for reply in instance.replies if reply.name == name]
    [turn] = sandbox.sessions.transcript(ACCOUNT, session.id).turns
    return sandbox.conversation.write_reply(ACCOUNT, turn.id, text).line.id


def told(found: Evaluation, judge: str) -> dict[str, str]:
    [judged] = [one for one in found.judged if one.kept.verdict.judge == judge]
    assert judged.pool.figures.keys() == judged.injected.figures.keys()
    shown = {key: figure.shown() for key, figure in judged.pool.figures.items()}
    assert shown == {key: figure.shown() for key, figure in judged.injected.figures.items()}
    return shown


WALK_6 = {
    "good": "must 1 nice 1 irr 0 SMC 1 PES 1 CIR 0",
    "over_sharing": "must 1 nice 0 irr 1 SMC 0 PES 0 CIR 1",
    "forgetful": "must 0 nice 0 irr 0 SMC 0 PES - CIR 0",
    "stale": "must 0 nice 0 irr 0.25 SMC 0 PES - CIR 1",
}


@pytest.mark.parametrize(("name", "expected"), WALK_6.items(), ids=WALK_6.keys())
def test_the_replies_of_the_walks_row_6_have_its_figures(
    sandbox: Sandbox, name: str, expected: str
) -> None:
    reply = pasted(sandbox, opened(sandbox, "05"), name)
    found = told(sandbox.evaluating.evaluate(ACCOUNT, reply, "file"), "file")
    line = (
        f"must {found['rho_must']} nice {found['rho_nice']} irr {found['rho_irr']} "
        f"SMC {found['smc']} PES {found['pes_nice']} CIR {found['cir']}"
    )
    assert line == expected
    assert (found["miq"] == "-") == (name == "forgetful")


def test_silent_care_and_a_distorted_memory_part_the_numbers(sandbox: Sandbox) -> None:
    silent = pasted(sandbox, opened(sandbox, "06"), "silent_care")
    told_silent = told(sandbox.evaluating.evaluate(ACCOUNT, silent, "file"), "file")
    assert told_silent["smc"] == "0"
    distorted = pasted(sandbox, opened(sandbox, "11"), "distorted")
    told_distorted = told(sandbox.evaluating.evaluate(ACCOUNT, distorted, "file"), "file")
    assert (told_distorted["rho_must"], told_distorted["smc"]) == ("1", "0")
    assert (told_distorted["pes_nice"], told_distorted["miq"]) == ("0", "1")


def test_rules_of_the_walks_row_9_are_followed_or_violated(sandbox: Sandbox) -> None:
    session = opened(sandbox, "04")
    good = sandbox.evaluating.evaluate(ACCOUNT, pasted(sandbox, session, "good"), "file")
    assert (len(good.judged[0].pool.followed), told(good, "file")["smc"]) == (2, "1")
    lost = sandbox.evaluating.evaluate(ACCOUNT, pasted(sandbox, session, "forgetful"), "file")
    assert len(lost.judged[0].pool.violated) == 2
    assert told(lost, "file")["rho_must"] == "0"


def test_a_correction_changes_the_numbers_and_keeps_the_history(sandbox: Sandbox) -> None:
    reply = pasted(sandbox, opened(sandbox, "05"), "good")
    found = sandbox.evaluating.evaluate(ACCOUNT, reply, "file")
    kept = found.judged[0].kept
    [lane] = [i.id for i in found.reply.case.pool if "Mosaic Lane" in i.text]

    def correct(value: str | None, reason: str) -> Evaluation:
        return sandbox.evaluating.correct(
            ACCOUNT, reply, "usage", value, entry=lane, verdict=kept.id, reason=reason
        )

    changed = correct("not used", "The address is in the query.")
    assert told(changed, "file")["smc"] == "0"
    assert changed.judged[0].kept.verdict == kept.verdict
    back = correct(None, "")
    assert told(back, "file")["smc"] == "1"
    assert [one.value for one in back.judged[0].corrections] == ["not used", None]
    assert [one.reason for one in back.judged[0].corrections][0] == "The address is in the query."


def test_judging_the_same_twice_keeps_one_verdict_and_its_corrections(sandbox: Sandbox) -> None:
    reply = pasted(sandbox, opened(sandbox, "05"), "good")
    first = sandbox.evaluating.evaluate(ACCOUNT, reply, "local").judged[0].kept
    sandbox.evaluating.correct(
        ACCOUNT, reply, "miq", "5", verdict=first.id, reason="Woven in well."
    )
    again = sandbox.evaluating.evaluate(ACCOUNT, reply, "local").judged[0]
    assert again.kept == first
    assert again.verdict.miq.score == 5


def test_another_version_of_a_judge_gives_a_verdict_of_its_own(
    sandbox: Sandbox, judge: LastWord
) -> None:
    reply = pasted(sandbox, opened(sandbox, "05"), "good")
    first = sandbox.evaluating.evaluate(ACCOUNT, reply, "local").judged[0].kept
    judge.version = "2"
    [second] = sandbox.evaluating.evaluate(ACCOUNT, reply, "local").judged
    assert second.kept.id != first.id


def test_gold_roles_stand_above_proposals_and_below_corrections(sandbox: Sandbox) -> None:
    reply = pasted(sandbox, opened(sandbox, "05"), "good")
    found = sandbox.evaluating.evaluate(ACCOUNT, reply, "local")
    assert {tag.source for tag in found.roles.values()} == {"gold"}
    assert sorted(tag.role for tag in found.roles.values()) == ["irr"] * 4 + [
        "must",
        "nice",
        "nice",
    ]
    [lane] = [i.id for i in found.reply.case.pool if "Mosaic Lane" in i.text]
    changed = sandbox.evaluating.correct(
        ACCOUNT, reply, "role", "nice", entry=lane, reason="He knows it."
    )
    assert (changed.roles[lane].role, changed.roles[lane].source) == ("nice", "corrected")
    assert changed.roles[lane].instead_of == "must"
    assert changed.judged[0].pool.scenario == "nice-only"


def test_a_files_gold_counts_for_its_own_query_and_for_no_other_words(sandbox: Sandbox) -> None:
    session = opened(sandbox, "05")
    own = sandbox.evaluating.reply(ACCOUNT, pasted(sandbox, session, "good"))
    assert own.gold
    assert not own.elsewhere
    later = sandbox.conversation.ask(ACCOUNT, session.id, "And what shall we eat?").line.id
    found = sandbox.evaluating.evaluate(ACCOUNT, later, "local")
    assert found.reply.elsewhere
    assert not found.reply.gold
    assert "gold" not in {tag.source for tag in found.roles.values()}


def live_reply(sandbox: Sandbox) -> str:
    session = sandbox.sessions.open(ACCOUNT, DINA, WALID, strategy="top_k")
    return sandbox.conversation.ask(ACCOUNT, session.id, "Which address?").line.id


def test_a_live_reply_has_proposed_roles_over_what_was_recalled(sandbox: Sandbox) -> None:
    reply = live_reply(sandbox)
    found = sandbox.evaluating.evaluate(ACCOUNT, reply, "local")
    assert {tag.source for tag in found.roles.values()} == {"proposed"}
    assert {tag.by for tag in found.roles.values()} == {"local"}
    assert len(found.reply.injected) == 8
    assert len(found.reply.case.pool) == 30
    assert found.judged[0].pool.scenario == "none"
    assert found.judged[0].pool["smc"].value is None


def test_an_entry_that_should_have_come_makes_a_miss_visible(sandbox: Sandbox) -> None:
    reply = live_reply(sandbox)
    before = sandbox.evaluating.evaluate(ACCOUNT, reply, "local")
    [missed] = [
        item.id
        for item in before.reply.case.pool
        if item.id not in before.reply.injected and item.text.split()[-1] not in "bell."
    ][:1]
    after = sandbox.evaluating.correct(
        ACCOUNT, reply, "wanted", "yes", entry=missed, reason="It answers the question."
    )
    assert after.wanted == (missed,)
    assert (after.roles[missed].role, after.roles[missed].source) == ("must", "corrected")
    assert after.judged[0].pool["smc"].value == 0
    assert after.judged[0].injected["smc"].value is None
    back = sandbox.evaluating.correct(ACCOUNT, reply, "wanted", None, entry=missed)
    assert back.wanted == ()


def test_an_entry_that_came_in_after_the_verdict_is_unscored_until_judged_again(
    sandbox: Sandbox,
) -> None:
    session = sandbox.sessions.open(ACCOUNT, DINA, WALID, strategy="no_memory")
    reply = sandbox.conversation.ask(ACCOUNT, session.id, "Which address?").line.id
    assert sandbox.evaluating.evaluate(ACCOUNT, reply, "local").reply.case.pool == ()
    bank = sandbox.banks.view(ACCOUNT, DINA, WALID)
    wanted = bank.states[0].entry.id
    found = sandbox.evaluating.correct(
        ACCOUNT, reply, "wanted", "yes", entry=wanted, reason="It should have come."
    )
    assert found.judged[0].verdict.of(wanted).usage == "unscored"
    assert found.judged[0].pool["smc"].decided is False or found.judged[0].pool["smc"].value == 0
    again = sandbox.evaluating.evaluate(ACCOUNT, reply, "local")
    assert again.judged[0].verdict.of(wanted).usage == "not used"


BAD = {
    "a value that is none": ("usage", "perhaps", "must be one of"),
    "no reason": ("usage", "used", "needs a reason"),
    "a role of a verdict": ("role", "must", "no verdict"),
}


@pytest.mark.parametrize(("subject", "value", "sentence"), BAD.values(), ids=BAD.keys())
def test_a_correction_that_cannot_be_taken_changes_nothing(
    sandbox: Sandbox, subject: str, value: str, sentence: str
) -> None:
    reply = pasted(sandbox, opened(sandbox, "05"), "good")
    found = sandbox.evaluating.evaluate(ACCOUNT, reply, "file")
    with pytest.raises(BadInput, match=sentence):
        sandbox.evaluating.correct(
            ACCOUNT,
            reply,
            subject,  # type: ignore[arg-type]
            value,
            entry=found.reply.case.pool[0].id,
            verdict=found.judged[0].kept.id,
            reason="" if sentence == "needs a reason" else "So.",
        )
    assert sandbox.evaluating.evaluation(ACCOUNT, reply) == found


def test_a_judge_that_is_none_and_a_reply_of_another_account_are_refused(sandbox: Sandbox) -> None:
    reply = pasted(sandbox, opened(sandbox, "05"), "good")
    with pytest.raises(JudgeError, match="choose file, local or llm:MODEL"):
        sandbox.evaluating.evaluate(ACCOUNT, reply, "nobody")
    with pytest.raises(UnknownReply):
        sandbox.evaluating.evaluate("someone else", reply, "local")
    live = live_reply(sandbox)
    with pytest.raises(JudgeError, match="not given with a file"):
        sandbox.evaluating.evaluate(ACCOUNT, live, "file")
    assert sandbox.evaluating.evaluation(ACCOUNT, live).judged == ()


def test_no_judge_sees_a_role_or_a_reason(sandbox: Sandbox, judge: LastWord) -> None:
    seen: list[Case] = []
    plain = judge.judge
    judge.judge = lambda case, aspects=(): (seen.append(case), plain(case))[1]  # type: ignore
    session = opened(sandbox, "05")
    sandbox.evaluating.evaluate(ACCOUNT, pasted(sandbox, session, "good"), "local")
    instance = sandbox.instances.of(session)
    assert instance is not None
    [case] = seen
    everything = repr(case)
    assert all(reason not in everything for reason in instance.reasons.values())
    assert "must" not in {word for item in case.pool for word in item.id.split()}
    assert replace(case, reply="") != case


def test_an_entry_added_to_an_instances_bank_spoils_no_verdict_of_its_file(
    sandbox: Sandbox,
) -> None:
    first = opened(sandbox, "05")
    added = Edit("episodic", "Dina laughed at the florist.")
    sandbox.banks.remember(ACCOUNT, f"{first.id}-1", added, draft="slip")
    reply = pasted(sandbox, opened(sandbox, "05"), "good")
    sandbox.evaluating.evaluate(ACCOUNT, reply, "local")
    found = sandbox.evaluating.evaluate(ACCOUNT, reply, "file")
    [strange] = [item.id for item in found.reply.case.pool if "laughed" in item.text]
    [judged] = [one for one in found.judged if one.kept.verdict.judge == "file"]
    assert judged.verdict.of(strange).usage == "unscored"
    assert strange not in found.roles
    assert told(found, "file")["smc"] == "1"


def test_a_reply_in_another_script_is_judged_as_what_it_is(
    sandbox: Sandbox, judge: LastWord
) -> None:
    session = opened(sandbox, "05")
    [turn] = sandbox.sessions.transcript(ACCOUNT, session.id).turns
    for text, tag in (("送到马代巴。", "zh"), ("Mosaic Lane.", "en"), ("إلى مادبا.", "und")):
        reply = sandbox.conversation.write_reply(ACCOUNT, turn.id, text).line.id
        assert sandbox.evaluating.reply(ACCOUNT, reply).case.language == tag

"""From the end of a session to the bank: capture, proposals, decisions, operations."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphs.chat_model import ModelError
from memory_banks.entries import Dyad
from sandbox.account import ACCOUNT
from sandbox.edits import Edit
from sandbox.inputs import BadInput
from sandbox.lifecycle.remembering import CapturePending, UnknownProposal
from tests.bench import SKERRY, WALID, Bench
from tests.fakes import Script, fake_sandbox, scripted

MOVED = {"utterance": 1, "type": "fact", "text": "Noor moved to Tallinn."}
RULE = {"utterance": 4, "type": "agent_identity", "text": "Walid answers Noor in metric."}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.sandbox.close()


FACT_ROW = ("fact", "user", "Noor moved to Tallinn.")
RULE_ROW = ("agent_identity", "dyad", "Walid answers Noor in metric.")


def test_what_is_captured_waits_for_a_human(bench: Bench) -> None:
    ended = bench.end(bench.talk(), MOVED, RULE)
    assert (ended.capture.status, ended.captured, len(ended.undecided)) == ("proposed", 2, 2)
    assert bench.bank() == []


def test_the_fact_is_the_users_and_the_rule_is_the_dyads(bench: Bench) -> None:
    ended = bench.end(bench.talk(), MOVED, RULE, approve="all")
    assert [operation.number for operation in ended.operations] == [1, 2]
    assert bench.bank() == [FACT_ROW, RULE_ROW]
    assert bench.bank(persona=SKERRY) == [FACT_ROW]
    assert bench.bank(user="Ana") == []


def test_the_next_session_recalls_both_another_agent_the_fact_another_user_neither(
    bench: Bench,
) -> None:
    bench.end(bench.talk(), MOVED, RULE, approve="all")

    def recalled(user: str, persona: str) -> set[str]:
        session = bench.talk("What do you know of Tallinn and metric?", user=user, persona=persona)
        reply = bench.sandbox.conversation.reply(ACCOUNT, f"{session.id}-1.1")
        view = bench.sandbox.banks.view(ACCOUNT, user, persona)
        texts = {entry.id: entry.text for entry in view.live}
        return {texts[one.entry] for one in reply.recalled}

    assert recalled("Noor", WALID) == {FACT_ROW[2], RULE_ROW[2]}
    assert recalled("Noor", SKERRY) == {FACT_ROW[2]}
    assert recalled("Ana", WALID) == set()


def test_a_decision_moves_the_revision_at_once(bench: Bench) -> None:
    ended = bench.end(bench.talk(), MOVED, RULE)
    first, second = ended.undecided
    bench.sandbox.remembering.decide(ACCOUNT, first.id, "approved")
    assert (bench.head(), bench.bank()) == (1, [FACT_ROW])
    done = bench.sandbox.remembering.decide(ACCOUNT, second.id, "rejected")
    assert (bench.head(), done.capture.status, bench.bank()) == (1, "done", [FACT_ROW])


def test_an_edit_is_what_is_written_and_who_wrote_it_is_kept(bench: Bench) -> None:
    (proposal,) = bench.end(bench.talk(), MOVED).undecided
    edit = Edit("user_profile", "Noor lives in Tallinn.", "2026-03-26", "Happy", "Activities")
    bench.sandbox.remembering.decide(ACCOUNT, proposal.id, "approved", edit)
    (entry,) = bench.sandbox.banks.view(ACCOUNT, "Noor", WALID).live
    assert (entry.type, entry.text, entry.author) == ("user_profile", edit.text, "human")
    assert entry.provenance.turns == proposal.entry.provenance.turns


def test_an_edit_that_changes_whose_it_is_is_refused_and_changes_nothing(bench: Bench) -> None:
    (proposal,) = bench.end(bench.talk(), MOVED).undecided
    edit = Edit("agent_method", "Noor lives in Tallinn.")
    with pytest.raises(BadInput, match="belongs to the dyad"):
        bench.sandbox.remembering.decide(ACCOUNT, proposal.id, "approved", edit)
    assert bench.sandbox.remembering.outcome(
        ACCOUNT, proposal.entry.provenance.session or ""
    ).undecided


def test_a_second_decision_is_none(bench: Bench) -> None:
    (proposal,) = bench.end(bench.talk(), MOVED).undecided
    bench.sandbox.remembering.decide(ACCOUNT, proposal.id, "approved")
    bench.sandbox.remembering.decide(ACCOUNT, proposal.id, "rejected")
    assert bench.bank() == [FACT_ROW]


def test_ending_twice_is_ending_once(bench: Bench) -> None:
    session = bench.talk()
    bench.end(session, MOVED, approve="all")
    again = bench.sandbox.remembering.end(ACCOUNT, session.id, "all")
    assert (again.captured, len(again.operations), bench.head()) == (1, 1, 1)


def test_a_replacement_is_a_delete_and_an_add_that_names_it(bench: Bench) -> None:
    bench.end(bench.talk(), MOVED, approve="all")
    bench.script.updates = [{"changes": [{"new": 1, "held": [1], "reason": "Moved on."}]}]
    riga = {"utterance": 1, "type": "fact", "text": "Noor moved from Tallinn to Riga."}
    ended = bench.end(bench.talk("I moved on to Riga."), riga, approve="all")
    assert [operation.kind for operation in ended.operations] == ["delete", "add"]
    old, new = bench.sandbox.banks.view(ACCOUNT, "Noor", WALID).states
    assert (old.live, old.replaced_by, old.reason) == (False, new.entry.id, "Moved on.")
    assert new.replaces == (old.entry.id,)


def test_no_entries_is_an_outcome_and_unreadable_is_another(bench: Bench) -> None:
    nothing = bench.end(bench.talk())
    assert (nothing.capture.status, nothing.captured, nothing.proposals) == ("done", 0, ())
    bench.trouble = None
    session = bench.talk()
    bench.script.captures.append("no JSON at all")
    with pytest.raises(CapturePending, match="retry"):
        bench.sandbox.remembering.end(ACCOUNT, session.id)
    unreadable = bench.sandbox.remembering.outcome(ACCOUNT, session.id)
    assert (unreadable.capture.status, unreadable.captured) == ("unreadable", 0)
    assert unreadable.capture.calls[-1]["raw"] == "no JSON at all"


def test_a_model_that_is_down_leaves_the_capture_pending_and_the_retry_finds_it(
    bench: Bench,
) -> None:
    session = bench.talk()
    bench.trouble = ModelError("The model is down.")
    with pytest.raises(CapturePending, match="the model is down"):
        bench.sandbox.remembering.end(ACCOUNT, session.id)
    assert bench.sandbox.remembering.outcome(ACCOUNT, session.id).capture.status == "pending"
    bench.trouble = None
    assert bench.end(session, MOVED, approve="all").captured == 1
    assert bench.bank() == [FACT_ROW]


def test_an_unreadable_update_costs_no_addition(bench: Bench) -> None:
    bench.end(bench.talk(), MOVED, approve="all")
    bench.script.updates = ["no JSON"]
    riga = {"utterance": 1, "type": "fact", "text": "Noor was in Riga."}
    ended = bench.end(bench.talk("I was in Riga."), riga)
    assert [proposal.deletes for proposal in ended.proposals] == [()]
    assert any("could not be read" in note for note in ended.capture.notes)


@pytest.mark.parametrize(
    "change",
    [
        {"new": 9, "held": [1]},
        {"new": 1, "held": [7]},
        {"new": 1, "held": [1, 1, 1, 1, 1, 1]},
    ],
)
def test_a_change_that_names_nothing_real_deletes_nothing(
    bench: Bench, change: dict[str, Any]
) -> None:
    bench.end(bench.talk(), MOVED, approve="all")
    bench.script.updates = [{"changes": [change]}]
    riga = {"utterance": 1, "type": "fact", "text": "Noor was in Riga."}
    ended = bench.end(bench.talk("I was in Riga."), riga, approve="all")
    assert [operation.kind for operation in ended.operations] == ["add"]
    assert any("refused" in note for note in ended.capture.notes)


def test_an_echo_of_the_bank_adds_nothing_however_often(bench: Bench) -> None:
    bench.end(bench.talk(), MOVED, approve="all")
    for _ in range(3):
        echo = {"utterance": 1, "type": "fact", "text": "noor moved to  Tallinn"}
        ended = bench.end(bench.talk("Where do I live?"), echo, approve="all")
        assert ended.captured == 0
        assert "Already known" in (ended.findings[0].refused or "")
    assert bench.bank() == [FACT_ROW]


def test_discarded_siblings_and_injected_texts_are_not_read_by_the_capture(bench: Bench) -> None:
    bench.end(bench.talk(), MOVED, approve="all")
    bench.script.replies = {"Where": "The discarded reply."}
    session = bench.talk("Where do I live?")
    bench.sandbox.conversation.write_reply(ACCOUNT, f"{session.id}-1", "The chosen reply.")
    bench.end(session)
    asked = [one for one in scripted(bench.sandbox).asked if one.form][-1].text
    assert "The chosen reply." in asked
    assert "The discarded reply." not in asked
    assert FACT_ROW[2] not in asked


def test_a_long_session_is_read_in_parts_and_says_so(tmp_path: Path) -> None:
    script = Script(captures=[{"entries": []}, {"entries": []}, {"entries": []}])
    sandbox = fake_sandbox(tmp_path, script.play, context_tokens=4600)
    session = sandbox.sessions.open(ACCOUNT, "Noor", WALID, strategy="no_memory")
    for number in range(3):
        sandbox.conversation.ask(ACCOUNT, session.id, f"{number} " + "long " * 500)
    ended = sandbox.remembering.end(ACCOUNT, session.id)
    sandbox.close()
    assert any("parts" in note for note in ended.capture.notes)
    assert len(ended.capture.calls) > 1


def test_what_waits_survives_a_restart(bench: Bench) -> None:
    ended = bench.end(bench.talk(), MOVED)
    bench.restart()
    dyad = Dyad(ACCOUNT, "noor", WALID)
    (waiting,) = bench.sandbox.remembering.open(ACCOUNT, dyad)
    assert waiting.undecided == ended.undecided
    bench.sandbox.remembering.decide(ACCOUNT, waiting.undecided[0].id, "approved")
    assert bench.bank() == [FACT_ROW]


def test_without_its_checkpoints_a_decision_is_carried_out_from_the_record(bench: Bench) -> None:
    (proposal,) = bench.end(bench.talk(), MOVED).undecided
    bench.sandbox.close()
    (bench.folder / "checkpoints.sqlite").write_bytes(b"damaged" * 1000)
    for leftover in bench.folder.glob("checkpoints.sqlite-*"):
        leftover.unlink()
    bench.restart()
    bench.sandbox.remembering.decide(ACCOUNT, proposal.id, "approved")
    assert bench.bank() == [FACT_ROW]


def test_checkpoints_hold_ids_and_no_texts(bench: Bench) -> None:
    bench.end(bench.talk(), MOVED, RULE)
    found = b"".join(path.read_bytes() for path in bench.folder.glob("checkpoints*"))
    assert b"Tallinn" not in found
    assert b"metric" not in found


def test_capture_by_hand_counts_at_once_and_once(bench: Bench) -> None:
    session = bench.talk("I moved to Tallinn.")
    edit = Edit("episodic", "Noor moved to Tallinn in March.", "2026-03-20")
    for _ in range(2):
        bench.sandbox.banks.remember(ACCOUNT, f"{session.id}-1", edit, draft="click")
    assert bench.bank() == [("episodic", "user", "Noor moved to Tallinn in March.")]
    said = Edit("episodic", "Walid said that he sees.", None)
    bench.sandbox.banks.remember(ACCOUNT, f"{session.id}-1.1", said, draft="other")
    assert bench.bank()[1][1] == "dyad"


@pytest.mark.parametrize(
    "edit",
    [
        Edit("wish", "Something."),
        Edit("fact", "  "),
        Edit("fact", "x" * 2001),
        Edit("fact", "Something.", "yesterday"),
        Edit("fact", "Something.", scene="Sea"),
    ],
)
def test_an_entry_that_cannot_be_taken_changes_nothing(bench: Bench, edit: Edit) -> None:
    session = bench.talk("I moved.")
    with pytest.raises(BadInput):
        bench.sandbox.banks.remember(ACCOUNT, f"{session.id}-1", edit, draft="click")
    assert bench.bank() == []


def test_another_account_decides_nothing(bench: Bench) -> None:
    (proposal,) = bench.end(bench.talk(), MOVED).undecided
    with pytest.raises(UnknownProposal):
        bench.sandbox.remembering.decide("other", proposal.id, "approved")

"""Branches, differences, remarks and forgetting as views, and as commands."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memory_banks.branching import differences
from memory_banks.forgetting import FORGOTTEN
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.commands import app
from sandbox.edits import Edit
from sandbox.evaluation.blind import WITHOUT, blind_choices, picked_by_hand
from sandbox.evaluation.experiments import BestOf
from sandbox.folder import Layout
from sandbox.inputs import BadInput
from sandbox.lifecycle.forgetting import NOT_COVERED, Forgotten
from sandbox.lifecycle.lint import Remark
from sandbox.transcripts import Session
from sandbox.ui.bank_diff import branched, difference_list, revisions
from sandbox.ui.branch_look import compare, read_tree
from sandbox.ui.branch_views import branch_line, branch_list, comparison, merged_words
from sandbox.ui.desk import Desk
from sandbox.ui.forget_views import foreseen, forgotten
from sandbox.ui.lint_views import SHOWN, remark_list
from sandbox.ui.pick_views import pick_view
from sandbox.ui.recall_views import inspector
from sandbox.ui.verdict_look import Assessed, assess
from sandbox.verify import verify
from tests.fakes import LastWord, Script, fake_sandbox
from tests.test_views import read

WALID, LANTERN, NOOR = "walid-qutami", "lantern", "Noor"
BARN, HALL, YARD = "In the barn.", "In the hall.", "In the yard."


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with closing(fake_sandbox(tmp_path / "data", Script().play, load_judge=LastWord)) as made:
        yield made
        assert verify(Layout(tmp_path / "data"), made.record).problems == ()


@pytest.fixture
def session(sandbox: Sandbox) -> Session:
    """Two turns; behind the first an entry that is changed behind the second."""
    opened = sandbox.sessions.open(ACCOUNT, NOOR, WALID, clock="2026-03-26T11:05+00:00")
    sandbox.conversation.ask(ACCOUNT, opened.id, "Turn 1.")
    sandbox.banks.remember(ACCOUNT, f"{opened.id}-1", Edit("fact", BARN), draft="a")
    sandbox.conversation.ask(ACCOUNT, opened.id, "Turn 2.")
    change(sandbox, NOOR, BARN, HALL)
    return opened


def change(sandbox: Sandbox, user: str, before: str, after: str) -> None:
    dyad = sandbox.banks.dyad(ACCOUNT, user, WALID)
    live = sandbox.banks.view(ACCOUNT, user, WALID).live
    entry = next(one for one in live if one.text == before)
    sandbox.editing.change(dyad, entry.id, Edit("fact", after), draft=after)


def test_the_line_says_where_one_is_and_where_that_came_from(
    sandbox: Sandbox, session: Session
) -> None:
    assert branch_line(read_tree(sandbox, ACCOUNT, NOOR, NOOR, WALID)).markup == ""
    branch, _forked = sandbox.branches.fork(ACCOUNT, session.id, 1, name="Barn")
    deeper, _ = sandbox.branches.fork(ACCOUNT, branch.copy or "", 1, name="Deeper")
    main = read(branch_line(read_tree(sandbox, ACCOUNT, NOOR, NOOR, WALID))).words
    assert "main · 2 branches" in main
    tree = read_tree(sandbox, ACCOUNT, deeper.user, NOOR, WALID)
    assert [leaf.depth for leaf in tree.leaves] == [0, 1]
    words = read(branch_line(tree)).words
    assert "in branch Deeper" in words
    assert "session 2026-03-26 11:05 after turn 1 of Barn" in words


def test_a_branch_whose_session_was_forgotten_says_so(sandbox: Sandbox, session: Session) -> None:
    dyad = sandbox.banks.dyad(ACCOUNT, NOOR, WALID)
    made = sandbox.branches.make(ACCOUNT, dyad, 1)
    tree = read_tree(sandbox, ACCOUNT, made.user, NOOR, WALID)
    assert "made of main at revision 1" in read(branch_line(tree)).words
    branch, _forked = sandbox.branches.fork(ACCOUNT, session.id, 1)
    tree = read_tree(sandbox, ACCOUNT, branch.user, NOOR, WALID)
    gone = replace(tree, sources={})
    assert "a session of main that was forgotten" in read(branch_line(gone)).words


def test_a_deleted_branch_is_listed_to_be_restored(sandbox: Sandbox, session: Session) -> None:
    branch, _forked = sandbox.branches.fork(ACCOUNT, session.id, 1, name="<b>Barn</b>")
    tree = read_tree(sandbox, ACCOUNT, NOOR, NOOR, WALID)
    assert "<b>" not in branch_list(tree, WALID).markup
    sandbox.branches.delete(ACCOUNT, branch.id)
    tree = read_tree(sandbox, ACCOUNT, branch.user, NOOR, WALID)
    assert "deleted: restore it" in read(branch_line(tree)).words
    assert "Deleted: 1" in read(branch_list(tree, WALID)).words


def test_a_comparison_shows_both_sides_chains_and_what_can_be_merged(
    sandbox: Sandbox, session: Session
) -> None:
    branch, _forked = sandbox.branches.fork(ACCOUNT, session.id, 2)
    assert "nothing to merge" in read(comparison(compare(sandbox, ACCOUNT, branch.id, WALID))).words
    change(sandbox, branch.user, BARN, YARD)
    words = read(comparison(compare(sandbox, ACCOUNT, branch.id, WALID))).words
    assert "only in main" in words
    assert "only in the branch" in words
    assert "states on both sides: 2 and 0" in words
    assert "states on both sides: 0 and 2" in words
    assert "Merge into main" in words


def test_what_a_merge_did_is_a_sentence() -> None:
    assert merged_words(1, "main") == "1 operation merged into main."
    assert merged_words(3, "Barn") == "3 operations merged into Barn."
    assert merged_words(0, "main").startswith("Nothing new")


def test_two_equal_banks_are_said_to_hold_the_same() -> None:
    words = read(difference_list([], {}, {}, branched("main", "the branch"), "Walid")).words
    assert words == "The two hold the same: main and the branch."


def test_a_difference_of_revisions_is_told_backwards_too(
    sandbox: Sandbox, session: Session
) -> None:
    views = [sandbox.banks.view(ACCOUNT, NOOR, WALID, at).states for at in (3, 1)]
    by_id = [{state.entry.id: state for state in one} for one in views]
    found = differences(views[0], views[1])
    words = read(difference_list(found, by_id[0], by_id[1], revisions(3, 1), "Walid")).words
    assert "only at revision 3" in words
    assert "gone at revision 3, live at revision 1" in words


def test_remarks_are_grouped_with_their_entries_and_many_are_cut(
    sandbox: Sandbox, session: Session
) -> None:
    states = {one.entry.id: one for one in sandbox.banks.view(ACCOUNT, NOOR, WALID).states}
    key = next(iter(states))
    many = [Remark("dangling date", (key,), f"why {number}") for number in range(SHOWN + 2)]
    shown = remark_list([Remark("duplicate", (key, "unknown"), "twice"), *many], states)
    words = read(shown).words
    assert words.index("duplicate") < words.index("dangling date")
    assert "… and 2 more" in words
    assert shown.markup.count(f'data-id="{key}"') == SHOWN + 1
    assert "Nothing to remark" in read(remark_list([], states)).words


def test_foreseeing_changes_nothing_and_counts_what_forgetting_does(
    sandbox: Sandbox, session: Session
) -> None:
    dyad = sandbox.banks.dyad(ACCOUNT, NOOR, WALID)
    states = sandbox.banks.view(ACCOUNT, NOOR, WALID).states
    entry = states[0].entry.id
    forgetting = sandbox.forgetting
    ahead = forgetting.entry(ACCOUNT, dyad, entry, with_turns=True, foresee=True)
    assert sandbox.banks.view(ACCOUNT, NOOR, WALID).states == states
    assert forgetting.audited(ACCOUNT) == []
    talk = sandbox.sessions.transcript(ACCOUNT, session.id)
    both = (
        forgetting.session(ACCOUNT, session.id, foresee=True),
        forgetting.user(ACCOUNT, NOOR, foresee=True),
    )
    assert [one.counts["sessions"] for one in both] == [1, 1]
    assert sandbox.sessions.transcript(ACCOUNT, session.id) == talk
    done = forgetting.entry(ACCOUNT, dyad, entry, with_turns=True)
    assert ahead == done


def test_what_would_be_forgotten_is_counted_in_words_and_nothing_is_said_too() -> None:
    told = Forgotten({"entries": 1, "utterances": 0, "replies": 2}, (NOT_COVERED,))
    words = read(foreseen("entry", "A <b>secret</b>", told)).words
    assert "1 memory" in words
    assert "2 replies" in words
    assert "utterance" not in words
    assert "no longer reproducible" in words
    assert "Backups" in words
    assert "nothing" in read(forgotten("session", Forgotten({}, ()))).words


def test_a_reply_whose_prompt_was_cleaned_says_that_it_cannot_be_made_again(
    sandbox: Sandbox, session: Session
) -> None:
    look = Desk(sandbox, ACCOUNT).look(session.id, "", "")
    assert "No longer reproducible" not in read(inspector(look.inspection)).words
    entry = sandbox.banks.view(ACCOUNT, NOOR, WALID).states[0].entry.id
    sandbox.forgetting.entry(ACCOUNT, sandbox.banks.dyad(ACCOUNT, NOOR, WALID), entry)
    look = Desk(sandbox, ACCOUNT).look(session.id, "", "")
    words = read(inspector(look.inspection)).words
    assert "No longer reproducible" in words
    assert "forgotten for good" in words
    assert FORGOTTEN in words


def test_turns_later_than_the_revision_are_told(sandbox: Sandbox, session: Session) -> None:
    desk = Desk(sandbox, ACCOUNT)
    assert desk.look(session.id, "", "").later is None
    later = desk.look(session.id, "", "", as_of=0).later
    assert later is not None
    assert later.turns == {f"{session.id}-2"}
    later = desk.look(session.id, "", "", as_of=1).later
    assert later is not None
    assert later.turns == frozenset()


DYAD = ("--persona", WALID, "--user", NOOR)


def bank(folder: Path, *arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["bank", *arguments, *DYAD, "--data-dir", str(folder)])
    return done.exit_code, done.stdout + done.stderr


def test_the_command_prints_what_changed_between_two_revisions(
    sandbox: Sandbox, session: Session
) -> None:
    folder = sandbox.settings.data_dir
    code, said = bank(folder, "diff", "--from", "1", "--json")
    found = json.loads(said)
    assert (code, found["from"], found["to"], found["head"]) == (0, 1, 3, 3)
    assert [(one["kind"], one["text"]) for one in found["differences"]] == [
        ("superseded", BARN),
        ("only after", HALL),
    ]
    assert found["differences"][0]["after"]["deleted"] == 2
    assert found["differences"][1]["before"] is None
    code, said = bank(folder, "diff", "--from", "3", "--to", "3")
    assert (code, "no difference" in said) == (0, True)
    code, said = bank(folder, "diff", "--to", "9")
    assert (code, said.strip()) == (1, "--to must be 0 to 3, got 9.")


def test_remarks_are_no_problems(sandbox: Sandbox, session: Session) -> None:
    folder = sandbox.settings.data_dir
    edit = Edit("fact", "In the  hall.")
    sandbox.banks.remember(ACCOUNT, f"{session.id}-2", edit, draft="twin")
    code, said = bank(folder, "check", "--json")
    told = json.loads(said)
    assert code == (1 if told["problems"] else 0)
    assert "duplicate" in [one["kind"] for one in told["remarks"]]
    assert all(len(one["entries"]) >= 1 for one in told["remarks"])
    code_of_lines, lines = bank(folder, "check")
    assert code_of_lines == code
    assert "remark, duplicate: The two say the same" in lines


def test_a_person_chooses_blind_and_sees_the_votes_afterwards(
    sandbox: Sandbox, session: Session
) -> None:
    def looked() -> Assessed:
        return assess(sandbox, ACCOUNT, reply)

    [_first, turn] = sandbox.sessions.transcript(ACCOUNT, session.id).turns
    reply = turn.chosen or ""
    assert "one reply only" in read(pick_view(looked())).words
    with pytest.raises(BadInput, match="none of the replies"):
        sandbox.intimacy.by_hand(ACCOUNT, reply, reply)
    sandbox.conversation.write_reply(ACCOUNT, turn.id, "Shall we walk?")
    words = read(pick_view(looked())).words
    assert "Choose before you see" in words
    assert "written by hand" not in words
    texts = dict(blind_choices(looked().evaluation.reply.turn, ()))
    assert sorted(texts.values()) == ["I see.", "Shall we walk?"]
    kept = sandbox.intimacy.by_hand(ACCOUNT, reply, reply).found
    assert isinstance(kept, BestOf)
    assert kept.picked.winners == (reply,)
    assert kept.picked.votes[0].order == tuple(texts)
    assert picked_by_hand(looked().experiments) == reply
    words = read(pick_view(looked())).words
    assert "blind: the inspected reply" in words
    assert "No model has voted yet" in words


def test_what_was_written_without_memory_can_be_chosen_too(
    sandbox: Sandbox, session: Session
) -> None:
    [_first, turn] = sandbox.sessions.transcript(ACCOUNT, session.id).turns
    reply = turn.chosen or ""
    sandbox.intimacy.beside_no_memory(ACCOUNT, reply, "scripted")
    words = read(pick_view(assess(sandbox, ACCOUNT, reply))).words
    assert "Show the votes without choosing" in words
    kept = sandbox.intimacy.by_hand(ACCOUNT, reply, WITHOUT).found
    assert isinstance(kept, BestOf)
    assert kept.picked.share_with_memory == 0.0
    words = read(pick_view(assess(sandbox, ACCOUNT, reply))).words
    assert "the one written without memory" in words
    assert "With or without memory · scripted" in words

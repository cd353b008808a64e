"""Rows 11 and 12 of a researcher's first hour: what is said, kept, decided and superseded."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from memory_banks.entries import Entry, State
from sandbox.account import ACCOUNT
from sandbox.edits import Edit
from sandbox.folder import Layout
from sandbox.lifecycle.remembering import CapturePending, Remembered
from sandbox.transcripts import Session
from sandbox.ui.chain_views import chain_of
from sandbox.ui.chat_views import WINDOW, Shown, bubbles
from sandbox.ui.desk import Desk
from sandbox.ui.proposal_views import proposal_list
from sandbox.verify import verify
from tests.bench import SKERRY, WALID, Bench
from tests.browsing import browse, chromium, served, tab
from tests.test_views import read

expect.set_options(timeout=15_000)
SAID = "I moved to Tallinn; answer in metric from now on"
AGREED = "From now on I answer you in metric units."
MOVED = {"utterance": 1, "type": "fact", "text": "Noor moved to Tallinn."}
RULE = {
    "utterance": 2,
    "type": "agent_identity",
    "text": "Skerry answers Noor in metric units from now on.",
}
CLOCK, WEEK_LATER = "2026-03-26T11:05:00+02:00", "2026-04-02T11:05:00+03:00"
LATER = "2026-04-03T20:00:00+03:00"
PLAN = {
    "utterance": 1,
    "type": "fact",
    "text": "Noor plans to move on to Riga on 2026-04-03.",
    "anchor": "2026-04-03",
}
DONE = {
    "utterance": 1,
    "type": "fact",
    "text": "Noor moved on to Riga on 2026-04-03.",
    "anchor": "2026-04-03",
}
ASKED = "Where do I live, in Tallinn or Riga, and which units?"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    made.script.replies = {"metric": AGREED}
    yield made
    assert verify(Layout(tmp_path), made.sandbox.record).problems == ()
    made.sandbox.close()


def talk(bench: Bench, *texts: str, clock: str = CLOCK, **who: str) -> Session:
    return bench.talk(*texts, persona=who.get("persona", SKERRY), clock=clock)


def states(bench: Bench, persona: str = SKERRY, user: str = "Noor") -> list[State]:
    return list(bench.sandbox.banks.view(ACCOUNT, user, persona).states)


def recalled(bench: Bench, user: str = "Noor", persona: str = SKERRY) -> set[str]:
    """What a new session's reply is given, as texts."""
    session = bench.talk(ASKED, user=user, persona=persona, clock=LATER)
    [turn] = bench.sandbox.sessions.transcript(ACCOUNT, session.id).turns
    assert turn.chosen is not None
    reply = bench.sandbox.conversation.reply(ACCOUNT, turn.chosen)
    found = bench.sandbox.banks.entries(ACCOUNT, [one.entry for one in reply.recalled])
    return {entry.text for entry in found.values()}


def entry_of(ended: Remembered, kind: str) -> Entry:
    [found] = [one.entry for one in ended.proposals if one.entry and one.entry.type == kind]
    return found


# Row 11


def test_the_fact_is_the_users_from_my_turn_and_the_rule_the_dyads_from_its_turn(
    bench: Bench,
) -> None:
    session = talk(bench, SAID)
    [turn] = bench.sandbox.sessions.transcript(ACCOUNT, session.id).turns
    assert (turn.at, turn.reply and turn.reply.text) == (CLOCK, AGREED)
    ended = bench.end(session, MOVED, RULE)
    fact, rule = entry_of(ended, "fact"), entry_of(ended, "agent_identity")
    assert (fact.scope.side, rule.scope.side) == ("user", "dyad")
    assert (fact.provenance.turns, rule.provenance.turns) == ((turn.id,), (turn.chosen,))
    assert {one.evidence for one in ended.proposals} == {turn.id, turn.chosen}
    shown = words(bench, session)
    for told in (MOVED["text"], RULE["text"], f"Noor said: “{SAID}”", f"Skerry said: “{AGREED}”"):
        assert told in shown


def words(bench: Bench, session: Session) -> str:
    """What the proposals of a session say on the page."""
    look = Desk(bench.sandbox, ACCOUNT).look(session.id, SKERRY, "Noor")
    return read(proposal_list(look.outcomes, "")).words


def test_one_is_edited_one_approved_one_rejected_and_each_counts_at_once(bench: Bench) -> None:
    also = {"utterance": 1, "type": "user_profile", "text": "Noor prefers metric units."}
    ended = bench.end(talk(bench, SAID), MOVED, also, RULE)
    assert (bench.head(), len(ended.undecided)) == (0, 3)
    by_type = {one.entry.type: one.id for one in ended.proposals if one.entry}
    decide = bench.sandbox.remembering.decide
    decide(ACCOUNT, by_type["fact"], "approved", Edit("fact", "Noor lives in Tallinn now."))
    assert (bench.head(), bench.texts(persona=SKERRY)) == (1, ["Noor lives in Tallinn now."])
    decide(ACCOUNT, by_type["agent_identity"], "approved")
    assert bench.head() == 2
    done = decide(ACCOUNT, by_type["user_profile"], "rejected")
    assert (bench.head(), done.capture.status) == (2, "done")
    assert bench.bank(persona=SKERRY) == [
        ("fact", "user", "Noor lives in Tallinn now."),
        ("agent_identity", "dyad", RULE["text"]),
    ]


def test_no_entries_and_unreadable_never_look_alike(bench: Bench) -> None:
    nothing, unread = talk(bench, "Hello."), talk(bench, "Hello.")
    assert bench.end(nothing).capture.status == "done"
    bench.script.captures = ["no JSON"]
    with pytest.raises(CapturePending):
        bench.sandbox.remembering.end(ACCOUNT, unread.id)
    shown = words(bench, nothing), words(bench, unread)
    assert ["no entries" in one.lower() for one in shown] == [True, False]
    assert ["unreadable" in one.lower() for one in shown[1:]] == [True]
    first = shown[0].split(shown[1])[0]
    assert first != shown[1]


def test_an_entry_captured_by_hand_from_a_turn_counts_at_once(bench: Bench) -> None:
    session = talk(bench, SAID)
    [turn] = bench.sandbox.sessions.transcript(ACCOUNT, session.id).turns
    edit = Edit("fact", "Noor has moved to Tallinn.", "2026-03-26")
    bench.sandbox.banks.remember(ACCOUNT, turn.id, edit, draft="by hand")
    [held] = states(bench)
    assert (bench.head(), held.entry.author) == (1, "human")
    assert held.entry.provenance.turns == (turn.id,)
    assert held.entry.text in recalled(bench)


# Row 12


def planned_and_done(bench: Bench) -> tuple[Session, Session]:
    """The three sessions of rows 11 and 12, all approved; the last two."""
    bench.end(talk(bench, SAID), MOVED, RULE, approve="all")
    plan = talk(bench, "Tomorrow I move on to Riga.", clock=WEEK_LATER)
    bench.end(plan, PLAN, approve="all")
    done = talk(bench, "It happened: I moved on to Riga.", clock=LATER)
    bench.script.updates = [{"changes": [{"new": 1, "held": [2], "reason": "It happened."}]}]
    bench.end(done, DONE, approve="all")
    return plan, done


def test_a_plan_has_an_iso_date_and_what_happened_takes_its_place_at_the_later_turn(
    bench: Bench,
) -> None:
    plan, done = planned_and_done(bench)
    ended = bench.sandbox.remembering.outcome(ACCOUNT, done.id)
    assert [one.kind for one in ended.operations] == ["delete", "add"]
    by_text = {one.entry.text: one for one in states(bench)}
    before, after = by_text[PLAN["text"]], by_text[DONE["text"]]
    assert before.entry.anchor == "2026-04-03"
    assert (before.live, before.replaced_by, after.live) == (False, after.entry.id, True)
    assert before.entry.provenance.session == plan.id
    assert after.entry.provenance.turns == (f"{done.id}-1",)
    held = {one.entry.id: one for one in states(bench)}
    chain = [one.entry.text for one in chain_of(after.entry.id, held)]
    assert chain == [PLAN["text"], DONE["text"]]


def test_her_other_agent_sees_the_facts_and_not_the_rule_and_another_user_neither(
    bench: Bench,
) -> None:
    planned_and_done(bench)
    facts = {MOVED["text"], DONE["text"]}
    assert recalled(bench) == facts | {RULE["text"]}
    assert recalled(bench, persona=WALID) == facts
    assert recalled(bench, user="Rana") == set()


def test_the_slider_moves_the_chat_and_the_bank_together(bench: Bench) -> None:
    session = talk(bench, SAID, "Hello again.")
    [first, _second] = bench.sandbox.sessions.transcript(ACCOUNT, session.id).turns
    bench.sandbox.banks.remember(ACCOUNT, first.id, Edit("fact", MOVED["text"]), draft="1")
    bench.sandbox.conversation.ask(ACCOUNT, session.id, "And now?")
    third = bench.sandbox.sessions.transcript(ACCOUNT, session.id).turns[-1]
    desk = Desk(bench.sandbox, ACCOUNT)
    for revision, held, after in ((0, 0, {third.id}), (1, 1, None)):
        look = desk.look(session.id, SKERRY, "Noor", as_of=revision)
        assert len(look.held.bank.live) == held
        assert (look.later.turns if look.later else None) == after
        shown = read(bubbles(Shown(session, look.turns, "", "", WINDOW, later=look.later)))
        assert ("is shown:" in shown.words) is (after is not None)


# In the browser


@browse
def test_the_walk_from_what_is_said_to_what_is_decided(bench: Bench) -> None:
    bench.script.captures = [{"entries": [MOVED, RULE]}]
    session = bench.sandbox.sessions.open(ACCOUNT, "Noor", SKERRY)
    with served(bench.sandbox) as url, chromium() as context, tab(context) as page:
        page.goto(f"{url}/session/{session.id}")
        expect(page.locator("#plates")).to_contain_text("real clock")
        expect(page.locator("#sessions li")).to_have_count(1)
        clock = page.locator("#clock").get_by_role("textbox")
        clock.fill(CLOCK)
        clock.press("Enter")
        expect(page.locator("#plates")).to_contain_text("2026-03-26 11:05 +02:00")
        page.get_by_placeholder("Write a message").fill(SAID)
        page.get_by_role("button", name="Send", exact=True).click()
        expect(page.locator("#bubbles article").last).to_contain_text(AGREED)
        page.get_by_role("button", name="End session").click()
        _decide(page)
        page.locator("#tabs").get_by_role("tab", name="Bank").click()
        held = page.locator("#bank")
        expect(held).to_contain_text("Noor lives in Tallinn now.")
        expect(held).to_contain_text("user scope 1 · dyad scope 1")
        assert bench.head() == 2


def _decide(page: Page) -> None:
    """The fact as edited, then the rule as it is."""
    listed = page.locator("#proposals")
    for told in (MOVED["text"], RULE["text"], SAID, AGREED):
        expect(listed).to_contain_text(str(told))
    fact = listed.locator("li").filter(has_text=str(MOVED["text"])).first
    fact.get_by_role("button", name="Edit", exact=True).click()
    form = page.locator("#edit-form")
    form.get_by_label("What is to be remembered").fill("Noor lives in Tallinn now.")
    form.get_by_role("button", name="Approve as edited").click()
    expect(page.get_by_role("tab", name=re.compile(r"Proposals \(1\)"))).to_be_visible()
    listed.get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_role("tab", name="Proposals", exact=True)).to_be_visible()

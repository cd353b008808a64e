"""Methods and sessions that are read again, on the page."""

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from playwright.sync_api import expect

from graphs.methods import METHOD_NAMES
from memory_banks.branching import BRANCH_USER
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.lifecycle.reingest_jobs import Reading
from sandbox.lifecycle.side_by_side import Count
from sandbox.transcripts import Session
from sandbox.ui.branch_counts import alike_words, count_table
from sandbox.ui.branch_look import compare, read_tree
from sandbox.ui.branch_views import comparison
from sandbox.ui.method_parts import DOES, MethodActs, method_mark, method_note
from sandbox.ui.reingest_views import NONE, reingest_view
from sandbox.ui.views import session_list
from tests.browsing import browse, choose, chromium, served, tab
from tests.fakes import Script, fake_sandbox
from tests.scripted_model import Asked
from tests.test_views import read

expect.set_options(timeout=15_000)
WALID, NOOR = "walid-qutami", "Noor"
FACT = {"utterance": 1, "type": "fact", "text": "Noor moved to Tallinn."}


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    script = Script(captures=[{"entries": [FACT]}])
    with closing(fake_sandbox(tmp_path / "data", script.play)) as made:
        yield made


def talk(sandbox: Sandbox, text: str, *, end: bool = True, **settings: Any) -> Session:
    session = sandbox.sessions.open(ACCOUNT, NOOR, WALID, **settings)
    sandbox.conversation.ask(ACCOUNT, session.id, text)
    if end:
        sandbox.remembering.end(ACCOUNT, session.id, "all")
    return sandbox.sessions.find(ACCOUNT, session.id)


def shown(sandbox: Sandbox, user: str = NOOR) -> str:
    """The markup of the place where sessions are read again."""
    tree = read_tree(sandbox, ACCOUNT, user, NOOR, WALID)
    listed = sandbox.sessions.list(ACCOUNT, user, WALID)
    return reingest_view(tree, listed, WALID, 3).markup


def test_every_method_is_told_in_one_sentence() -> None:
    assert tuple(DOES) == METHOD_NAMES
    for name in METHOD_NAMES:
        told = read(method_note(name)).words
        assert told.count(DOES[name]) == 2
        assert "has ended" not in told
        assert re.fullmatch(r"[A-Z][^.]+\.", DOES[name])
        assert "has ended" in read(method_note(name, locked=True)).words


def test_the_choice_is_kept_by_an_open_session_and_refused_by_an_ended_one(
    sandbox: Sandbox,
) -> None:
    act, session = MethodActs(sandbox, ACCOUNT), talk(sandbox, "Hello.", end=False)
    assert DOES["raw_turns"] in read_words(act.remember_by(session.id, "raw_turns"))
    assert sandbox.sessions.find(ACCOUNT, session.id).method == "raw_turns"
    sandbox.remembering.end(ACCOUNT, session.id)
    with pytest.raises(Exception, match="read-only"):
        act.remember_by(session.id, "typed")
    assert DOES["typed"] in read_words(act.remember_by("", "typed"))


def read_words(markup: str) -> str:
    return re.sub(r"<[^>]+>", " ", markup).replace("&#x27;", "'")


def test_only_an_unusual_method_is_marked_in_the_list(sandbox: Sandbox) -> None:
    usual = talk(sandbox, "Hello.", end=False)
    other = talk(sandbox, "Hello.", end=False, method="agent_only")
    assert [method_mark(one) for one in (usual, other)] == ["", "agent_only"]
    told = read(session_list(sandbox.sessions.list(ACCOUNT, NOOR, WALID), "")).words
    assert told.count("agent_only") == 1
    assert "typed" not in told


def test_without_an_ended_session_there_is_nothing_to_tick(sandbox: Sandbox) -> None:
    talk(sandbox, "Hello.", end=False)
    assert NONE in read_words(shown(sandbox)).replace("  ", " ")
    assert "<input" not in shown(sandbox)


def test_the_form_offers_the_ended_sessions_oldest_first(sandbox: Sandbox) -> None:
    later = talk(sandbox, "Later.", clock="2026-03-02T10:00+00:00")
    talk(sandbox, "Open.", end=False)
    form = shown(sandbox)
    assert re.findall(r'type="checkbox"[^>]*value="(\w+)"', form) == [later.id]
    assert 'max="3"' in form
    assert "<option" in form
    assert all(f'value="{name}"' in form for name in METHOD_NAMES)


def test_how_far_it_is_what_came_of_it_and_why_it_failed_are_said(sandbox: Sandbox) -> None:
    jobs, sessions = sandbox.reingest_jobs, [talk(sandbox, "I moved.").id]
    dyad = sandbox.banks.dyad(ACCOUNT, NOOR, WALID)
    begun = jobs.start(dyad, sessions, "raw_turns", name="<b>Raw</b>")
    jobs.wait(begun.branch.id, 20)
    told = shown(sandbox)
    assert "<b>" not in told
    assert "1 of 1 sessions read by raw_turns into branch" in read_words(told)
    in_branch = read_words(shown(sandbox, f"{BRANCH_USER}{begun.branch.id}"))
    assert "1 of 1 sessions read" in in_branch
    tree = read_tree(sandbox, ACCOUNT, NOOR, NOOR, WALID)
    for reading, words in (
        (Reading(begun.branch, "typed", 5, 2), "Reading session 2 of 5 by typed"),
        (Reading(begun.branch, "typed", 5, 2, "stopping"), "Stopping behind this session"),
        (Reading(begun.branch, "typed", 5, 2, "stopped"), "Stopped: 0 of 5 sessions read"),
        (Reading(begun.branch, "typed", 5, 2, "failed", None, "It is out."), "It is out."),
    ):
        view = reingest_view(replace(tree, reading=reading), [], WALID, 0)
        assert words in read_words(view.markup)


def test_two_banks_are_counted_by_type_and_scope() -> None:
    table = read(count_table([Count("fact", "user", 2, 0), Count("episodic", "dyad", 0, 5)], *ABC))
    for words in ("fact · user20", "episodic · only Walid05", "all25"):
        assert words in table.words
    assert "Neither holds anything" in read(count_table([], *ABC)).words
    assert [bool(alike_words(n)) for n in (0, 1, 2)] == [False, True, True]


ABC = ("main", "the branch", "Walid")


def test_the_comparison_counts_both_banks_and_leaves_out_what_says_the_same(
    sandbox: Sandbox,
) -> None:
    session = talk(sandbox, "I moved to Tallinn.")
    dyad = sandbox.banks.dyad(ACCOUNT, NOOR, WALID)
    found = sandbox.reingesting.reingest(ACCOUNT, dyad, [session.id], "raw_turns")
    told = read(comparison(compare(sandbox, ACCOUNT, found.branch.id, WALID))).words
    for words in ("fact · user10", "episodic · user01", "all12", "only in main 1"):
        assert words in told
    again = sandbox.reingesting.reingest(ACCOUNT, dyad, [session.id], "raw_turns", revision=1)
    look = compare(sandbox, ACCOUNT, again.branch.id, WALID)
    assert (look.alike, len(look.found)) == (0, 2)


@browse
def test_a_method_is_chosen_and_ended_sessions_are_read_again_side_by_side(
    tmp_path: Path,
) -> None:
    go = Event()

    def play(asked: Asked) -> Any:
        if asked.form is not None:
            go.wait(20)
        return {"entries": [FACT]} if asked.form is not None else "I see."

    sandbox = fake_sandbox(tmp_path / "data", play)
    talk(sandbox, "I have moved to Tallinn.", method="raw_turns")
    session = talk(sandbox, "I moved to Tallinn.", end=False)
    with served(sandbox) as url, chromium() as context, tab(context) as page:
        page.goto(f"{url}/session/{session.id}")
        expect(page.locator("#bubbles .bubble.user")).to_have_count(1)
        box = page.locator("#method")
        choose(box.locator("input"), page.get_by_role("option", name="raw_turns", exact=True))
        expect(page.locator("#method-note .hint")).to_contain_text("word for word")
        assert sandbox.sessions.find(ACCOUNT, session.id).method == "raw_turns"
        page.get_by_role("button", name="End session").click()
        expect(page.locator("#method-note")).to_contain_text("The session has ended")
        expect(box.locator("input")).to_be_disabled()
        page.locator("#tabs").get_by_role("tab", name="Branches").click()
        place = page.locator("#reingest")
        place.get_by_text("Read sessions again by another method").click()
        place.locator("input[data-field=name]").fill("As typed")
        place.locator("select[data-field=method]").select_option("typed")
        place.get_by_role("button", name="Read again").click()
        expect(place).to_contain_text("Reading session 1 of 2 by typed into branch As typed")
        page.reload()
        expect(page.locator("#reply")).to_contain_text("recalled")
        page.locator("#tabs").get_by_role("tab", name="Branches").click()
        expect(place).to_contain_text("Reading session 1 of 2")
        place.get_by_role("button", name="Stop", exact=True).click()
        expect(place).to_contain_text("Stopping behind this session")
        go.set()
        expect(place).to_contain_text("Stopped: 1 of 2 sessions read by typed into branch As typed")
        beside = page.locator("#compared")
        expect(beside).to_contain_text("branch “As typed” beside main")
        expect(beside.locator(".counts")).to_contain_text("fact")
        expect(beside).to_contain_text("only in the branch 1")
        expect(page.locator("#branches")).to_contain_text("As typed")

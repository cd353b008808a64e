"""What a session left in the bank, as an episode's proposed gold; and what is forgotten of it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.authoring.authored import Authored
from sandbox.authoring.episode_edits import entry_added, with_gold
from sandbox.authoring.episode_typed import Typed, TypedQuestion, typed_of
from sandbox.authoring.making import episode_of
from sandbox.edits import Edit
from sandbox.episodes import Episode, GoldSession, gold_bank
from sandbox.folder import Layout
from sandbox.verify import verify
from tests.fakes import LastWord, Script, fake_sandbox
from tests.test_episode_edits import entry
from tests.test_forgetting import NOOR, RULE, SECRET, WALID, found_in

TOLD = "Between us two: the pot with the blue glaze has something beneath it."
MOVED = "Noor keeps her spare key in the bakery's drawer now."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def sandbox(folder: Path) -> Iterator[Sandbox]:
    first = [
        {"utterance": 1, "type": "fact", "text": SECRET},
        {"utterance": 2, "type": "agent_identity", "text": RULE},
    ]
    script = Script(captures=[{"entries": first}])
    with closing(fake_sandbox(folder, script.play, load_judge=LastWord)) as made:
        made.start()
        yield made


def held(sandbox: Sandbox, approve: str) -> str:
    """A session that was ended."""
    session = sandbox.sessions.open(ACCOUNT, NOOR, WALID, clock="2026-03-20T09:00+03:00")
    sandbox.conversation.ask(ACCOUNT, session.id, TOLD)
    sandbox.remembering.end(ACCOUNT, session.id, approve)  # type: ignore[arg-type]
    return session.id


def form_of(sandbox: Sandbox, session: str) -> Authored:
    return sandbox.workshop.authoring.from_session(ACCOUNT, session, "episode")


def talk_of(form: Authored) -> Episode:
    assert form.talk is not None
    return form.talk


def gold_of(form: Authored, session: int = 0) -> GoldSession:
    gold = talk_of(form).sessions[session].gold
    assert gold is not None
    return gold


def test_what_a_capture_proposed_and_nobody_decided_is_proposed(sandbox: Sandbox) -> None:
    form = form_of(sandbox, held(sandbox, "none"))
    assert {one.text for one in gold_of(form).captures} == {SECRET, RULE}
    assert set(form.unchecked) == {one.key for one in gold_of(form).captures}
    assert form.citations == ()  # nothing of it is in the bank


def test_what_changed_within_a_session_is_its_last_state_alone(sandbox: Sandbox) -> None:
    session = held(sandbox, "all")
    [first] = [
        one.entry
        for one in sandbox.banks.view(ACCOUNT, NOOR, WALID).states
        if one.entry.text == SECRET
    ]
    dyad = sandbox.banks.dyad(ACCOUNT, NOOR, WALID)
    edit = Edit("fact", MOVED)
    sandbox.editing.change(dyad, first.id, edit, draft="d1", reason="Moved.")
    form = form_of(sandbox, session)
    assert {one.text for one in gold_of(form).captures} == {MOVED, RULE}
    assert (gold_of(form).adds, gold_of(form).deletes) == ((), ())
    sandbox.workshop.authoring.start(ACCOUNT, form, "Rana", looked_at=True)


def edited(sandbox: Sandbox, session: str) -> Authored:
    """An episode with a memory in its author's own words, a question, and a second annotation."""
    form = form_of(sandbox, session)
    turn = talk_of(form).sessions[0].turns[0].id
    typed = entry_added(talk_of(form), typed_of(form), turn, "own1")
    typed = entry(typed, "own1", type="episodic", text="Noor spoke of a pot.")
    asked = TypedQuestion("q1", "entry", "Which vessel?", "A vase-like one.", supports=("own1",))
    form = with_gold(form, Typed(typed.entries, typed.changes, (asked,)))
    workshop = sandbox.workshop
    made = workshop.authoring.start(ACCOUNT, form, "Rana", looked_at=True).authored
    view = workshop.annotating.view(ACCOUNT, made.id)
    assert view.talk is not None
    second = entry_added(view.talk, Typed(), turn, "own2")
    second = entry(second, "own2", type="fact", text="A vessel hides the spare.")
    workshop.annotating.annotate_episode(ACCOUNT, made.id, "Omar", second)
    return made


def test_what_people_wrote_of_a_forgotten_turn_goes_with_it(sandbox: Sandbox, folder: Path) -> None:
    made = edited(sandbox, held(sandbox, "all"))
    done = sandbox.workshop.publishing.publish(ACCOUNT, made.collection)
    words = ("Noor spoke of a pot.", "A vase-like one.", "A vessel hides the spare.", SECRET, TOLD)
    assert [one for one in words if not found_in(folder, one)] == []
    secret = next(
        one.entry.id
        for one in sandbox.banks.view(ACCOUNT, NOOR, WALID).states
        if one.entry.text == SECRET
    )
    dyad = sandbox.banks.dyad(ACCOUNT, NOOR, WALID)
    sandbox.forgetting.entry(ACCOUNT, dyad, secret, with_turns=True)
    assert [one for one in words if found_in(folder, one)] == []
    kept = sandbox.workshop.authoring.get(ACCOUNT, made.id).authored
    assert RULE in {one.text for one in gold_bank(episode_of(kept))}
    assert sandbox.instances.collection(ACCOUNT, done.sha256).episodes != ()
    assert verify(Layout(folder), sandbox.record).problems == ()

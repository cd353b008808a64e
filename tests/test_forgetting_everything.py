"""Everything a memory can have got into, and nothing of it there once it is forgotten."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from memory_banks.forgetting import FORGOTTEN
from memory_banks.tables import metadata
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.authoring.tagging import corrected
from sandbox.edits import Edit
from sandbox.evaluation.switchboard import Switch
from sandbox.folder import Layout
from sandbox.inputs import BadInput
from sandbox.lifecycle.forgetting import ON_SERVER
from sandbox.replay.replayed import Replayed
from sandbox.verify import verify
from tests.fakes import LastWord, Script, fake_sandbox
from tests.fakes_bank import wait_for
from tests.postgres import Postgres
from tests.scripted_model import Asked
from tests.test_forgetting import NOOR, RULE, SAID, SECRET, WALID, entry_of, found_in

PROPOSED = "Noor keeps her spare key under some pot in the yard."
MOVED = "Noor moved the spare key into the shed on 2026-03-25."
FACT = {"utterance": 1, "type": "fact", "text": PROPOSED}
DUTY = {"utterance": 2, "type": "agent_identity", "text": RULE}
LATER = "I moved it into the shed yesterday."
WHY = f"Superseded: {SECRET}"


class Talker:
    """A model for sessions that are read, updated and read again; it says little else."""

    def play(self, asked: Asked) -> Any:
        form = asked.form.__name__ if asked.form else None
        if form == "CaptureForm":
            if SAID in asked.text:
                return {"entries": [FACT, DUTY]}
            return {"entries": [{"utterance": 1, "type": "episodic", "text": MOVED}]}
        if form == "UpdateForm":
            held = [line for line in asked.text.splitlines() if SECRET in line]
            number = int(held[0].split(".")[0]) if held else 0
            return {"changes": [{"new": 1, "held": [number], "reason": WHY}] if held else []}
        if form is not None:
            return {"choice": "A", "reason": "It is warmer."}
        return Script().play(asked)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture(params=["sqlite", "postgres"])
def sandbox(request: pytest.FixtureRequest, folder: Path) -> Iterator[Sandbox]:
    url = None
    if request.param == "postgres":
        server: Postgres = request.getfixturevalue("postgres")
        url = server.database()
    with closing(fake_sandbox(folder, Talker().play, load_judge=LastWord, url=url)) as made:
        made.start()
        wait_for(made.index, "ready")
        remember(made)
        judge(made)
        publish(made)
        read_again(made)
        given = Layout(folder).uploads / "3f2a"
        given.mkdir(parents=True)
        (given / "bank.jsonl").write_bytes(made.banks.export(ACCOUNT, NOOR, WALID))
        made.index.rebuild()
        yield made


def remember(sandbox: Sandbox) -> None:
    """Said, captured, edited on approval, recalled, superseded, with a capture that waits still."""
    first = talk(sandbox, SAID)
    ended = sandbox.remembering.end(ACCOUNT, first)
    edit = Edit("fact", SECRET)
    sandbox.remembering.decide(ACCOUNT, ended.proposals[0].id, "approved", edit)
    sandbox.remembering.decide(ACCOUNT, ended.proposals[1].id, "approved")
    second = talk(sandbox, "Where is it?")
    sandbox.conversation.retry(ACCOUNT, f"{second}-1").wait(20)
    sandbox.branches.fork(ACCOUNT, second)
    sandbox.remembering.end(ACCOUNT, talk(sandbox, LATER), "all")
    sandbox.remembering.end(ACCOUNT, talk(sandbox, LATER, persona="lantern"))


def talk(sandbox: Sandbox, *texts: str, persona: str = WALID) -> str:
    session = sandbox.sessions.open(ACCOUNT, NOOR, persona).id
    for text in texts:
        sandbox.conversation.ask(ACCOUNT, session, text)
    return session


def answered(sandbox: Sandbox) -> str:
    """The reply on main whose prompt showed the secret."""
    for one in sandbox.sessions.list(ACCOUNT, NOOR, WALID):
        for turn in sandbox.sessions.transcript(ACCOUNT, one.session.id).turns:
            if turn.text == "Where is it?" and turn.chosen:
                return turn.chosen
    raise AssertionError


def judge(sandbox: Sandbox) -> None:
    """Judged, corrected, tried out with other memories."""
    reply, entry = answered(sandbox), entry_of(sandbox, SECRET)
    done = sandbox.evaluating.evaluate(ACCOUNT, reply, "local")
    verdict = done.judged[0].kept.id
    correct = sandbox.evaluating.correct
    correct(ACCOUNT, reply, "usage", "used", entry=entry, verdict=verdict, reason=f"See {SECRET}")
    switch = [Switch(entry, f"{SECRET} Or did.")]
    list(sandbox.switchboard.sample(ACCOUNT, reply, switch, samples=1))


def publish(sandbox: Sandbox) -> None:
    """Made an instance of, in versions; annotated, published, disputed, opened and replayed."""
    workshop = sandbox.workshop
    form = workshop.authoring.from_turn(ACCOUNT, answered(sandbox))
    form = corrected(form, {one.held.key: "must" for one in form.pool}, "Rana")
    form = replace(form, reference=f"As you said: {SECRET}", collection="pots")
    workshop.authoring.start(ACCOUNT, form, "Rana", f"It is about this: {SECRET}")
    workshop.authoring.save(ACCOUNT, form, "Rana", looked_at=True)
    roles = {one.held.key: "nice" for one in form.pool}
    workshop.annotating.annotate(ACCOUNT, form.id, "Omar", roles, note=f"See {SECRET}")
    made = workshop.publishing.publish(ACCOUNT, "pots")
    [one] = sandbox.instances.collection(ACCOUNT, made.sha256).instances
    key = next(entry.key for entry in one.pool if entry.text == SECRET)
    workshop.disputes.dispute(ACCOUNT, made.sha256, one.id, key, "irr", f"Rather: {SECRET}")
    opened = sandbox.instances.open(ACCOUNT, made.sha256, one.id)
    sandbox.conversation.ask(ACCOUNT, opened.id, opened.box or "")
    replayed = sandbox.replays.open(ACCOUNT, made.sha256, one.id, Replayed("gold"))
    sandbox.replays.step(ACCOUNT, replayed.id).wait(20)


def read_again(sandbox: Sandbox) -> None:
    dyad = sandbox.banks.dyad(ACCOUNT, NOOR, WALID)
    held = sandbox.sessions.list(ACCOUNT, NOOR, WALID)
    ended = [one.session.id for one in held if one.session.ended_at]
    for method in ("typed", "raw_turns"):
        sandbox.reingesting.reingest(ACCOUNT, dyad, ended, method)


def tables_with(sandbox: Sandbox, *words: str) -> list[str]:
    """Tables that hold one of the words, as text or as JSON writes it."""
    found = []
    with sandbox.record.read() as conn:
        for table in metadata.sorted_tables:
            rows = "".join(str(tuple(row)) for row in conn.execute(select(table)))
            spelled = {word for one in words for word in (one, one.replace("'", "\\'"))}
            if any(word in rows for word in spelled):
                found.append(table.name)
    return found


def checked(sandbox: Sandbox, folder: Path, *words: str) -> None:
    """None of the words in any file of the folder, and everything else holds together."""
    assert found_in(folder, *words) == []
    assert tables_with(sandbox, *words) == []
    assert verify(Layout(folder), sandbox.record).problems == ()
    wait_for(sandbox.index, "ready")


def test_an_entry_with_its_turns_is_in_no_file_of_a_folder_that_has_everything(
    sandbox: Sandbox, folder: Path
) -> None:
    form = sandbox.workshop.authoring.all(ACCOUNT)[0].authored
    assert found_in(folder, SECRET) != []
    assert len(tables_with(sandbox, SECRET)) >= 10
    dyad = sandbox.banks.dyad(ACCOUNT, NOOR, WALID)
    told = sandbox.forgetting.entry(ACCOUNT, dyad, entry_of(sandbox, SECRET), with_turns=True)
    checked(sandbox, folder, SECRET, PROPOSED, SAID)
    assert (ON_SERVER in told.left) == sandbox.record.on_server
    assert any("1 earlier or later states of it" in one for one in told.left)
    [moved] = sandbox.banks.operations(ACCOUNT, NOOR, WALID)[-2:-1]
    assert FORGOTTEN in moved.reason or moved.reason == ""
    with pytest.raises(BadInput, match="forgotten meanwhile"):
        sandbox.workshop.authoring.save(ACCOUNT, form, "Rana", "Once more.")
    with pytest.raises(BadInput, match="forgotten meanwhile"):
        sandbox.workshop.authoring.start(ACCOUNT, replace(form, id="other"), "Rana")
    checked(sandbox, folder, SECRET)


@pytest.mark.parametrize("sandbox", ["sqlite"], indirect=True)
def test_a_session_is_in_no_file_of_a_folder_that_has_everything(
    sandbox: Sandbox, folder: Path
) -> None:
    [first] = [
        one.session.id
        for one in sandbox.sessions.list(ACCOUNT, NOOR, WALID)
        if sandbox.sessions.transcript(ACCOUNT, one.session.id).turns[0].text == SAID
    ]
    sandbox.forgetting.session(ACCOUNT, first)
    checked(sandbox, folder, SECRET, PROPOSED, SAID, RULE)


def test_a_person_is_in_no_file_of_a_folder_that_has_everything(
    sandbox: Sandbox, folder: Path
) -> None:
    sandbox.forgetting.user(ACCOUNT, NOOR)
    checked(sandbox, folder, SECRET, PROPOSED, SAID, RULE, MOVED, LATER, NOOR, NOOR.casefold())

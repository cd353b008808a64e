"""What is forgotten is gone from what was made of it: instances, their files, their sessions."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memory_banks.forgetting import FORGOTTEN
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.authoring.tagging import corrected
from sandbox.folder import Layout
from sandbox.verify import verify
from tests.fakes import LastWord, Script, fake_sandbox
from tests.test_forgetting import NOOR, RULE, SECRET, WALID, found_in

ENTRIES = [
    {"utterance": 1, "type": "fact", "text": SECRET},
    {"utterance": 2, "type": "agent_identity", "text": RULE},
]
ASKED = "Where would somebody look for it first, do you think, if you were asked right now by me?"
TOLD = "Between us two: the pot with the blue glaze has something beneath it."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def sandbox(folder: Path) -> Iterator[Sandbox]:
    script = Script(captures=[{"entries": ENTRIES}])
    with closing(fake_sandbox(folder, script.play, load_judge=LastWord)) as made:
        made.start()
        yield made


@pytest.fixture
def made(sandbox: Sandbox) -> str:
    """Id of an instance that cites the secret: annotated twice, published, opened, answered."""
    first = sandbox.sessions.open(ACCOUNT, NOOR, WALID)
    sandbox.conversation.ask(ACCOUNT, first.id, TOLD)
    sandbox.remembering.end(ACCOUNT, first.id, "all")
    second = sandbox.sessions.open(ACCOUNT, NOOR, WALID)
    reply = sandbox.conversation.ask(ACCOUNT, second.id, ASKED).line.id
    workshop = sandbox.workshop
    form = workshop.authoring.from_turn(ACCOUNT, reply)
    form = corrected(form, {one.held.key: "must" for one in form.pool}, "Rana")
    form = replace(form, reference=f"As you said: {SECRET}", collection="pots")
    workshop.authoring.start(ACCOUNT, form, "Rana", f"It is about this: {SECRET}")
    workshop.authoring.save(ACCOUNT, form, "Rana", looked_at=True)
    roles = {one.held.key: "nice" for one in form.pool}
    workshop.annotating.annotate(ACCOUNT, form.id, "Omar", roles, note=f"See {SECRET}")
    done = workshop.publishing.publish(ACCOUNT, "pots")
    [one] = sandbox.instances.collection(ACCOUNT, done.sha256).instances
    session = sandbox.instances.open(ACCOUNT, done.sha256, one.id)
    sandbox.conversation.ask(ACCOUNT, session.id, session.box or "")
    return form.id


def entry_of(sandbox: Sandbox) -> str:
    states = sandbox.banks.view(ACCOUNT, NOOR, WALID).states
    return next(one.entry.id for one in states if one.entry.text == SECRET)


def test_a_forgotten_entry_is_nowhere_in_what_cites_it(
    sandbox: Sandbox, made: str, folder: Path
) -> None:
    entry = entry_of(sandbox)
    assert found_in(folder, SECRET) != []
    told = sandbox.forgetting.entry(ACCOUNT, sandbox.banks.dyad(ACCOUNT, NOOR, WALID), entry)
    assert told.counts["instances"] == 1
    assert found_in(folder, SECRET) == []
    version = sandbox.workshop.authoring.get(ACCOUNT, made)
    assert version.authored.forgotten == 1
    assert {one.held.text for one in version.authored.pool} == {FORGOTTEN, RULE}
    assert version.authored.query == ASKED
    [found] = sandbox.workshop.rechecking.recheck(ACCOUNT, entry)
    assert [one.what for one in found.changes] == ["forgotten"]
    [shelved] = sandbox.workshop.publishing.versions(ACCOUNT, "pots")
    assert shelved.blanked_at is not None
    [one] = sandbox.instances.collection(ACCOUNT, shelved.sha256).instances
    assert {entry_.text for entry_ in one.pool} == {FORGOTTEN, RULE}
    assert verify(Layout(folder), sandbox.record).problems == ()
    for summary in sandbox.sessions.list(ACCOUNT):
        if summary.session.instance:
            assert sandbox.instances.of(summary.session) == one


def test_a_forgotten_entry_is_in_no_published_episode_and_no_dispute(
    sandbox: Sandbox, made: str, folder: Path
) -> None:
    workshop = sandbox.workshop
    [first] = [
        one.session
        for one in sandbox.sessions.list(ACCOUNT, NOOR, WALID)
        if one.session.ended_at is not None
    ]
    form = workshop.authoring.from_session(ACCOUNT, first.id, "episode")
    form = replace(form, collection="talks")
    workshop.authoring.start(ACCOUNT, form, "Rana")
    workshop.authoring.save(ACCOUNT, form, "Rana", looked_at=True)
    done = workshop.publishing.publish(ACCOUNT, "talks")
    [pots] = workshop.publishing.versions(ACCOUNT, "pots")
    [one] = sandbox.instances.collection(ACCOUNT, pots.sha256).instances
    workshop.disputes.dispute(
        ACCOUNT, pots.sha256, one.id, one.having("must")[0].key, "irr", f"No: {SECRET}"
    )
    assert SECRET in workshop.disputes.patch(ACCOUNT, pots.sha256).decode()
    dyad = sandbox.banks.dyad(ACCOUNT, NOOR, WALID)
    sandbox.forgetting.entry(ACCOUNT, dyad, entry_of(sandbox), with_turns=True)
    assert found_in(folder, SECRET, TOLD) == []
    [told] = workshop.publishing.versions(ACCOUNT, "talks")
    assert (told.sha256, told.blanked_at is not None) == (done.sha256, True)
    [episode] = sandbox.instances.collection(ACCOUNT, done.sha256).episodes
    golds = [session.gold for session in episode.sessions if session.gold]
    held = [add.entry for gold in golds for add in gold.adds]
    held += [entry for gold in golds for entry in gold.captures]
    assert {entry.text for entry in held} == {FORGOTTEN, RULE}
    assert SECRET not in workshop.disputes.patch(ACCOUNT, pots.sha256).decode()
    for name in ("pots", "talks"):
        found = workshop.publishing.export(ACCOUNT, name, "demo" if name == "pots" else "episode")
        assert SECRET not in b"".join(found.files.values()).decode()
    assert verify(Layout(folder), sandbox.record).problems == ()


def test_an_entry_is_forgotten_with_its_turns_in_titles_and_histories(
    sandbox: Sandbox, made: str, folder: Path
) -> None:
    workshop = sandbox.workshop
    [first] = [
        one.session
        for one in sandbox.sessions.list(ACCOUNT, NOOR, WALID)
        if one.session.ended_at is not None
    ]
    form = workshop.authoring.from_session(ACCOUNT, first.id, "episode")
    workshop.authoring.start(ACCOUNT, form, "Rana")
    dyad = sandbox.banks.dyad(ACCOUNT, NOOR, WALID)
    sandbox.forgetting.entry(ACCOUNT, dyad, entry_of(sandbox), with_turns=True)
    assert found_in(folder, SECRET, TOLD, TOLD[:40]) == []
    found = workshop.authoring.get(ACCOUNT, form.id).authored
    assert (found.query, found.title) == (FORGOTTEN, FORGOTTEN)


@pytest.mark.parametrize("whole", ["session", "user"])
def test_what_was_made_of_a_forgotten_session_goes_with_it(
    sandbox: Sandbox, made: str, folder: Path, whole: str
) -> None:
    session = sandbox.workshop.authoring.get(ACCOUNT, made).authored.origin.session
    if whole == "session":
        told = sandbox.forgetting.session(ACCOUNT, session)
    else:
        told = sandbox.forgetting.user(ACCOUNT, NOOR)
        assert found_in(folder, SECRET) == []
    assert told.counts["instances"] == 1
    assert found_in(folder, ASKED) == []
    assert sandbox.workshop.authoring.all(ACCOUNT) == []
    assert [one for one in sandbox.sessions.list(ACCOUNT) if one.session.instance] == []
    assert verify(Layout(folder), sandbox.record).problems == ()


def test_foreseeing_changes_nothing_of_what_was_made(sandbox: Sandbox, made: str) -> None:
    before = sandbox.workshop.authoring.history(ACCOUNT, made)
    dyad = sandbox.banks.dyad(ACCOUNT, NOOR, WALID)
    told = sandbox.forgetting.entry(ACCOUNT, dyad, entry_of(sandbox), foresee=True)
    assert told.counts["instances"] == 1
    assert sandbox.workshop.authoring.history(ACCOUNT, made) == before

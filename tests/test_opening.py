"""An instance opened as a session: what the page gets, and what no model ever sees."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from graphs import STRATEGIES
from memory_banks.entries import Delete
from memory_banks.ledger import append
from personas import UnknownPersona
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.folder import Layout
from sandbox.formats import packaged_collection, read_collection
from sandbox.inputs import BadInput
from sandbox.instances import Instance, Said, made_persona
from sandbox.pools import entry_ids, pool_lines
from sandbox.transcripts import Session
from sandbox.verify import verify
from tests.fakes import Script, fake_sandbox
from tests.madial import small
from tests.scripted_model import ScriptedModel

DINA, WALID = "Dina Haddadin", "walid-qutami"
STRATMEM = {
    "id": "locomo_0123456789",
    "query": "Is the loom still in the shed?",
    "query_time": "1:56 pm on 8 May, 2023",
    "history": json.dumps(["Bo: Here it rains.", "Ann: Oh.", "Ann: Here too."]),
    "roles": {"human": "Ann", "virtual_person": "Bo"},
    "memory": {
        "must": [{"fact": "Bo sold the loom on 2023-01-29."}],
        "nice": [{"fact": "Bo wants a smaller loom.(no direct link to the query)"}],
        "irr": [{"fact": "Ann keeps bees."}],
    },
    "virtual_person_persona": {
        "virtual_person_name": "Bo",
        "summary": "Bo weaves.",
        "traits": ["calm"],
        "style": ["plain"],
        "domains": ["weaving"],
        "values": ["thrift"],
    },
}


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with closing(fake_sandbox(tmp_path / "data", Script().play)) as made:
        yield made


def opened(sandbox: Sandbox, name: str = "demo-05", **values: Any) -> Session:
    return sandbox.instances.open(ACCOUNT, sandbox.instances.shipped.sha256, name, **values)


def with_stratmem(sandbox: Sandbox) -> Session:
    data = json.dumps([STRATMEM]).encode()
    found = sandbox.instances.add(ACCOUNT, [("own.json", data)])
    return sandbox.instances.open(ACCOUNT, found.sha256, "locomo_0123456789")


def asked(sandbox: Sandbox) -> list[str]:
    model = sandbox.models.get()
    assert isinstance(model, ScriptedModel)
    return [one.text for one in model.asked]


def test_an_instance_becomes_a_session_with_everything_it_brings(sandbox: Sandbox) -> None:
    session = opened(sandbox)
    assert (session.persona.name, session.speaker) == ("Walid Qutami", DINA)
    assert session.clock == "2026-03-26T11:05:00+03:00"
    assert (session.emotion, session.scene) == ("Anxious", "Activities")
    assert [said.role for said in session.prelude] == ["user", "assistant", "user"]
    assert session.box == "He is loading the van now. Which address do I give him?"
    assert sandbox.sessions.find(ACCOUNT, session.id) == session
    assert sandbox.sessions.transcript(ACCOUNT, session.id).turns == ()


def test_the_bank_holds_the_pool_with_its_chain(sandbox: Sandbox) -> None:
    session = opened(sandbox)
    states = sandbox.banks.view(ACCOUNT, session.user, session.agent).states
    assert [state.entry.scope.side for state in states] == ["user"] * 7
    assert [state.entry.group for state in states].count("URAM") == 0
    assert [state.live for state in states].count(False) == 2
    by_id = {state.entry.id: state for state in states}
    first = next(state for state in states if "barn" in state.entry.text)
    chain = [first]
    while chain[-1].replaced_by:
        chain.append(by_id[chain[-1].replaced_by])
    ids = entry_ids(sandbox.instances.shipped.find("demo-05"), session.dyad)
    assert [state.entry.id for state in chain] == [ids["m7"], ids["m6"], ids["m2"]]
    assert [state.live for state in chain] == [False, False, True]


def test_the_groups_of_a_pool_with_rules(sandbox: Sandbox) -> None:
    session = opened(sandbox, "demo-04")
    live = sandbox.banks.view(ACCOUNT, session.user, session.agent).live
    groups = [entry.group for entry in live]
    assert {group: groups.count(group) for group in groups} == {
        "user-side": 1,
        "episodic": 1,
        "URAM": 6,
    }


def test_every_entry_keeps_what_the_file_says_of_it(sandbox: Sandbox) -> None:
    for instance in sandbox.instances.shipped.instances:
        session = opened(sandbox, instance.id)
        held = {
            state.entry.id: state.entry
            for state in sandbox.banks.view(ACCOUNT, session.user, session.agent).states
        }
        ids = entry_ids(instance, session.dyad)
        assert set(ids.values()) == set(held)
        for entry in instance.pool:
            stored = held[ids[entry.key]]
            assert (stored.text, stored.type, stored.anchor) == (
                entry.text,
                entry.type,
                entry.anchor,
            )
            assert (stored.emotion, stored.scene) == (entry.emotion, entry.scene)
            assert (stored.provenance, stored.author) == (entry.provenance, "import")
        operations = sandbox.banks.operations(ACCOUNT, session.user, session.agent)
        assert {one.imported and one.imported.file for one in operations} == {"demo.json"}


def test_opening_twice_is_two_sessions_on_one_bank(sandbox: Sandbox) -> None:
    first, second = opened(sandbox), opened(sandbox)
    assert (first.id != second.id, first.dyad == second.dyad) == (True, True)
    assert sandbox.banks.view(ACCOUNT, second.user, second.agent).head == 9
    assert len(sandbox.characters.own(ACCOUNT)) == 1


def test_a_memory_that_was_deleted_does_not_come_back_with_the_next_opening(
    sandbox: Sandbox,
) -> None:
    session = opened(sandbox)
    gone = sandbox.banks.view(ACCOUNT, session.user, session.agent).live[0]
    with sandbox.record.write("T6") as conn:
        append(conn, [Delete(gone.id, gone.scope, "a click")], "2026-03-26T11:05:00+00:00")
    opened(sandbox)
    live = sandbox.banks.view(ACCOUNT, session.user, session.agent).live
    assert gone.id not in {entry.id for entry in live}


def test_a_live_user_of_the_same_name_shares_nothing(sandbox: Sandbox) -> None:
    session = opened(sandbox, "demo-06")
    live = sandbox.sessions.open(ACCOUNT, session.speaker, session.agent)
    assert (live.speaker, live.agent) == (session.speaker, session.agent)
    assert live.user != session.user
    assert sandbox.banks.view(ACCOUNT, session.speaker, session.agent).states == ()
    known = {user.id for user in sandbox.banks.users(ACCOUNT)}
    assert (live.user in known, session.user in known) == (True, False)


def test_continuing_stays_with_the_instances_person(sandbox: Sandbox) -> None:
    session = opened(sandbox, strategy="no_memory")
    sandbox.conversation.ask(ACCOUNT, session.id, "Well?")
    sandbox.remembering.end(ACCOUNT, session.id)
    next_one = sandbox.sessions.continue_from(ACCOUNT, session.id)
    assert (next_one.dyad, next_one.speaker) == (session.dyad, DINA)
    assert (next_one.prelude, next_one.instance, next_one.box) == ((), None, None)


def test_an_instance_without_types_is_opened_too(sandbox: Sandbox) -> None:
    session = with_stratmem(sandbox)
    live = sandbox.banks.view(ACCOUNT, session.user, session.agent).live
    assert sorted((entry.text, entry.type, entry.anchor) for entry in live) == [
        ("Ann keeps bees.", "episodic", None),
        ("Bo sold the loom on 2023-01-29.", "episodic", "2023-01-29"),
        ("Bo wants a smaller loom.", "episodic", None),
    ]
    assert session.clock == "2023-05-08T13:56:00+00:00"


def test_the_bank_tells_nothing_by_keys_or_order() -> None:
    """The file groups a pool by role, m1 first: neither the ids nor the order may keep that."""
    one = read_collection(json.dumps([STRATMEM]).encode(), "own.json").instances[0]
    lines = pool_lines(one)
    assert not {line.id for line in lines} & {entry.key for entry in one.pool}
    assert [line.text for line in lines] == [entry.text for entry in one.listed()]


def test_the_talk_so_far_takes_turns(sandbox: Sandbox) -> None:
    """What one side said twice running is one message, across the end of the prelude too."""
    session = opened(sandbox)
    sandbox.conversation.ask(ACCOUNT, session.id, "Which address?")
    history = sandbox.sessions.transcript(ACCOUNT, session.id).history()
    assert history == [
        {"role": "user", "content": "I have the carpenter on the other line."},
        {"role": "assistant", "content": "Is he on time for once?"},
        {"role": "user", "content": "He is! All nine tables are done.\nWhich address?"},
        {"role": "assistant", "content": "I see."},
    ]
    model = sandbox.models.get()
    assert isinstance(model, ScriptedModel)
    sent = model.asked[-1].messages
    assert [one["role"] for one in sent] == ["system", "user", "assistant", "user"]
    assert sent[-1]["content"].endswith("He is! All nine tables are done.\nWhich address?")


def test_the_prelude_is_not_captured(sandbox: Sandbox) -> None:
    session = opened(sandbox)
    sandbox.conversation.ask(ACCOUNT, session.id, "Which address?")
    before = len(asked(sandbox))
    sandbox.remembering.end(ACCOUNT, session.id)
    capture = asked(sandbox)[before]
    assert "Which address?" in capture
    assert "nine tables" not in capture


def secrets(instance: Instance) -> list[str]:
    """Everything that only a judge may see, in words long enough to be told apart."""
    found = [*instance.reasons.values(), *instance.probes, *instance.try_next]
    for reply in instance.replies:
        found += [reply.text, reply.why, *reply.expected.failures]
    return [words for words in found if len(words) > 8]


def tags(value: dict[str, Any]) -> None:
    """Another collection with the same people and pools: roles turned, gold replaced."""
    turn = {"must": "irr", "irr": "nice", "nice": "must"}
    for scenario in value["scenarios"]:
        scenario["replies"], scenario["extra_replies"] = {}, {}
        scenario["probes"] = scenario["try_next"] = ["CANARY"]
        del scenario["scenario"]
        for role in scenario["roles"]:
            role |= {"role": turn[role["role"]], "reason": "CANARY"}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_nothing_that_only_a_judge_may_see_is_sent(strategy: str, sandbox: Sandbox) -> None:
    for name in ("demo-03", "demo-05", "demo-08"):
        session = opened(sandbox, name, strategy=strategy)
        assert session.box is not None
        sandbox.conversation.ask(ACCOUNT, session.id, session.box)
        sandbox.conversation.ask(ACCOUNT, session.id, "And then?")
        sandbox.remembering.end(ACCOUNT, session.id)
        sent = "\n".join(asked(sandbox))
        assert session.box in sent
        instance = sandbox.instances.of(session)
        assert instance is not None
        assert [words for words in secrets(instance) if words in sent] == []
        assert instance.id not in sent
        assert "irr" not in sent.split()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_other_roles_and_other_gold_change_no_line_that_is_sent(
    strategy: str, sandbox: Sandbox
) -> None:
    value = json.loads(packaged_collection())
    tags(value)
    turned = sandbox.instances.add(ACCOUNT, [("turned.json", json.dumps(value).encode())])
    sent: list[list[str]] = []
    for sha256 in (sandbox.instances.shipped.sha256, turned.sha256):
        session = sandbox.instances.open(ACCOUNT, sha256, "demo-05", strategy=strategy)
        before = len(asked(sandbox))
        sandbox.conversation.ask(ACCOUNT, session.id, "Which address?")
        # Only the order of the entries may differ: it hangs on the seed of the reply.
        sent.append(sorted("\n".join(asked(sandbox)[before:]).splitlines()))
    assert sent[0] == sent[1]


def test_a_session_remembers_only_which_instance_it_was(sandbox: Sandbox) -> None:
    session = opened(sandbox)
    instance = sandbox.instances.of(session)
    assert instance is not None
    assert instance.id == "demo-05-third-address"
    with sandbox.record.read() as conn:
        kept = [
            str(tuple(row))
            for table in ("sessions", "entries", "operations", "personas", "users")
            for row in conn.execute(text(f'SELECT * FROM "{table}"'))
        ]
    everything = "\n".join(kept)
    assert [words for words in secrets(instance) if words in everything] == []
    assert sandbox.instances.of(sandbox.sessions.open(ACCOUNT, "Noor", WALID)) is None


def test_collections_and_characters_survive_a_restart(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with closing(fake_sandbox(folder, Script().play)) as first:
        session = with_stratmem(first)
    with closing(fake_sandbox(folder, Script().play)) as second:
        assert [one.name for one in second.instances.all(ACCOUNT)] == ["demo.json", "own.json"]
        found = second.instances.of(second.sessions.find(ACCOUNT, session.id))
        assert found is not None
        assert found.roles == {"m1": "must", "m2": "nice", "m3": "irr"}
        assert second.characters.get(ACCOUNT, session.agent) == session.persona
        assert session.prelude[0] == Said("assistant", "Bo", "Here it rains.")
        assert second.sessions.find(ACCOUNT, session.id) == session


def test_the_shipped_collection_is_kept_once_a_session_needs_it(sandbox: Sandbox) -> None:
    opened(sandbox)
    with sandbox.record.read() as conn:
        kept = conn.execute(text("SELECT name, data FROM collections")).all()
    assert [(row.name, row.data == packaged_collection()) for row in kept] == [("demo.json", True)]
    assert len(sandbox.instances.all(ACCOUNT)) == 1


@pytest.mark.parametrize("data", [b"", b"[]", packaged_collection()[:9000], b"\xff\xfe[\x00]\x00"])
def test_a_file_that_cannot_be_read_changes_nothing(data: bytes, sandbox: Sandbox) -> None:
    with pytest.raises(BadInput, match=r"^bad\.json.*\.$"):
        sandbox.instances.add(ACCOUNT, [("bad.json", data)])
    assert [one.name for one in sandbox.instances.all(ACCOUNT)] == ["demo.json"]


def test_files_that_belong_together_are_one_collection_in_any_order(tmp_path: Path) -> None:
    folder, files = tmp_path / "data", small()
    with closing(fake_sandbox(folder, Script().play)) as first:
        one = first.instances.add(ACCOUNT, files)
        again = first.instances.add(ACCOUNT, files[::-1])
        assert (one.sha256, one.name) == (again.sha256, again.name)
        assert one.name == "kept.json and 1 more"
        session = first.instances.open(ACCOUNT, one.sha256, "0-6")
    with closing(fake_sandbox(folder, Script().play)) as second:
        assert len(second.instances.all(ACCOUNT)) == 2
        assert second.instances.collection(ACCOUNT, one.sha256) == one
        found = second.instances.of(second.sessions.find(ACCOUNT, session.id))
        assert found == one.instances[1]


def test_an_instance_without_roles_is_opened_and_answered(sandbox: Sandbox) -> None:
    found = sandbox.instances.add(ACCOUNT, small())
    session = sandbox.instances.open(ACCOUNT, found.sha256, "0-6")
    assert (session.persona.name, session.speaker, session.box) == ("Assistant", "Bart", "True!")
    assert session.clock == "2024-06-15T12:00:00+00:00"
    sandbox.conversation.ask(ACCOUNT, session.id, session.box or "")
    sent = "\n".join(asked(sandbox))
    assert "Bart mended heddle 7." in sent
    assert "Then you can do it again." not in sent
    assert "Lisa sang." not in sent


def test_a_set_that_cannot_be_read_changes_nothing(sandbox: Sandbox) -> None:
    for files in ([], small()[:1], [*small(), small()[0]], [*small(), ("x.json", b"[1]")]):
        with pytest.raises(BadInput):
            sandbox.instances.add(ACCOUNT, files)
    assert [one.name for one in sandbox.instances.all(ACCOUNT)] == ["demo.json"]


def test_what_is_not_there_cannot_be_opened(sandbox: Sandbox) -> None:
    shipped = sandbox.instances.shipped.sha256
    for sha256, name in (("0" * 64, "demo-05"), (shipped, "demo-99"), (shipped, "demo")):
        with pytest.raises(BadInput):
            sandbox.instances.open(ACCOUNT, sha256, name)
    with pytest.raises(BadInput, match="strategy must be one of"):
        opened(sandbox, strategy="telepathy")
    assert sandbox.sessions.list(ACCOUNT) == []


def test_another_account_has_not_what_one_has_imported(sandbox: Sandbox) -> None:
    session = with_stratmem(sandbox)
    assert session.instance is not None
    with pytest.raises(BadInput, match="import its file first"):
        sandbox.instances.collection("other", session.instance.sha256)
    with pytest.raises(UnknownPersona):
        sandbox.characters.get("other", session.agent)


def test_a_record_with_opened_instances_is_consistent(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with closing(fake_sandbox(folder, Script().play)) as sandbox:
        for session in (opened(sandbox), opened(sandbox), with_stratmem(sandbox)):
            sandbox.conversation.ask(ACCOUNT, session.id, "Well?")
        report = verify(Layout(folder), sandbox.record)
        assert report.problems == ()
        damage = (
            "UPDATE sessions SET prelude = '[{}]' WHERE box IS NOT NULL",
            "DELETE FROM collections WHERE name = 'own.json'",
            "UPDATE collections SET data = X'' WHERE name = 'demo.json'",
            "UPDATE personas SET json = '{}'",
        )
        with sandbox.record.write("derived") as conn:
            for statement in damage[1:]:
                conn.execute(text(statement))
        problems = "\n".join(verify(Layout(folder), sandbox.record).problems)
        assert "comes from 'own.json', a collection that is not there" in problems
        assert "the collection 'demo.json' is not the file that was imported" in problems
        assert problems.count("cannot be read") == 2
        with sandbox.record.write("derived") as conn:
            conn.execute(text(damage[0]))
        problems = "\n".join(verify(Layout(folder), sandbox.record).problems)
        assert problems.count("holds a prelude or an instance that cannot be read") == 3


def test_an_own_character_is_saved_listed_and_talked_to(sandbox: Sandbox) -> None:
    cook = made_persona("Bo", summary=["Bo is a cook."])
    sandbox.characters.save(ACCOUNT, cook, b"a card")
    assert sandbox.characters.get(ACCOUNT, cook.id) == cook
    assert sandbox.characters.card(ACCOUNT, cook.id) == b"a card"
    assert sandbox.characters.all(ACCOUNT)[-1] == cook
    session = sandbox.sessions.open(ACCOUNT, "Noor", cook.id)
    better = cook.model_copy(update={"summary": ("Bo is a baker.",)})
    sandbox.characters.save(ACCOUNT, better)
    assert sandbox.characters.get(ACCOUNT, cook.id) == better
    assert sandbox.characters.card(ACCOUNT, cook.id) is None
    assert sandbox.sessions.find(ACCOUNT, session.id).persona == cook


def test_a_packaged_character_cannot_be_overwritten(sandbox: Sandbox) -> None:
    packaged = sandbox.characters.get(ACCOUNT, WALID)
    with pytest.raises(BadInput, match="is a packaged character"):
        sandbox.characters.save(ACCOUNT, packaged)
    with pytest.raises(UnknownPersona, match="there is no persona 'nobody'"):
        sandbox.characters.get(ACCOUNT, "nobody")
    assert sandbox.characters.own(ACCOUNT) == []


def test_the_pool_of_an_instance_is_whole_also_where_it_holds_superseded_entries(
    sandbox: Sandbox,
) -> None:
    demo = sandbox.instances.all(ACCOUNT)[0]
    session = sandbox.instances.open(ACCOUNT, demo.sha256, "demo-05", strategy="full_pool")
    reply = sandbox.conversation.ask(ACCOUNT, session.id, session.box or "")
    assert (len(reply.recalled), len(reply.injected)) == (7, 7)
    assert list(reply.injected) != [one.entry for one in reply.recalled]

"""What is forgotten is in no file of the folder any more, and everything else holds together."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memory_banks.forgetting import FORGOTTEN
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.evaluation.switchboard import Switch
from sandbox.folder import Layout
from sandbox.inputs import BadInput
from sandbox.lifecycle.redaction import Redaction
from sandbox.reply_traces import Reply
from sandbox.transcripts import Session, UnknownSession
from sandbox.verify import verify
from tests.fakes import LastWord, Script, fake_sandbox
from tests.scripted_model import Asked, Scripted

WALID, LANTERN, NOOR = "walid-qutami", "lantern", "Noor Zeitoun"
SECRET = "Noor keeps her spare key under the blue-glazed pot."
RULE = "Walid never mentions the quarrel with Farida's cousin."
FACT = {"utterance": 1, "type": "fact", "text": SECRET}
DUTY = {"utterance": 2, "type": "agent_identity", "text": RULE}
SAID = "My spare key is under the pot with the blue glaze."


def quotes_its_notes(asked: Asked) -> Scripted:
    """A careless character: it says what its notes say, word for word."""
    if asked.form is not None:
        return Script(captures=[{"entries": [FACT, DUTY]}]).play(asked)
    return f"You told me: {SECRET}" if SECRET in asked.text and "quote" in asked.said else "Yes."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def sandbox(folder: Path) -> Iterator[Sandbox]:
    with closing(fake_sandbox(folder, quotes_its_notes, load_judge=LastWord)) as made:
        made.start()
        yield made


@pytest.fixture
def session(sandbox: Sandbox) -> Session:
    """Noor told Walid where the key is; it was captured, approved, recalled, judged, sampled."""
    first = sandbox.sessions.open(ACCOUNT, NOOR, WALID)
    sandbox.conversation.ask(ACCOUNT, first.id, SAID)
    sandbox.branches.fork(ACCOUNT, first.id)
    ended = sandbox.remembering.end(ACCOUNT, first.id, "all")
    assert len(ended.operations) == 2
    second = sandbox.sessions.open(ACCOUNT, NOOR, WALID)
    reply = sandbox.conversation.ask(ACCOUNT, second.id, "Where is it?")
    sandbox.evaluating.evaluate(ACCOUNT, reply.line.id, "local")
    switch = [Switch(reply.injected[0], None)]
    list(sandbox.switchboard.sample(ACCOUNT, reply.line.id, switch, samples=1))
    sandbox.branches.fork(ACCOUNT, second.id)
    return first


def entry_of(sandbox: Sandbox, text: str) -> str:
    states = sandbox.banks.view(ACCOUNT, NOOR, WALID).states
    return next(one.entry.id for one in states if one.entry.text == text)


def reply_to(sandbox: Sandbox, text: str) -> Reply:
    """The reply to what Noor said on main."""
    for summary in sandbox.sessions.list(ACCOUNT, NOOR, WALID):
        for turn in sandbox.sessions.transcript(ACCOUNT, summary.session.id).turns:
            if turn.text == text:
                return sandbox.conversation.reply(ACCOUNT, turn.chosen or "")
    raise AssertionError(text)


def found_in(folder: Path, *words: str) -> list[str]:
    """Files that hold one of the words, as text or as JSON writes it."""
    spelled = {spelling for word in words for spelling in _spellings(word)}
    return sorted(
        path.name
        for path in folder.rglob("*")
        if path.is_file() and any(one in path.read_bytes() for one in spelled)
    )


def _spellings(word: str) -> set[bytes]:
    return {word.encode(), word.encode("unicode_escape"), word.encode("utf-16-le")}


def dyad(sandbox: Sandbox) -> object:
    return sandbox.banks.dyad(ACCOUNT, NOOR, WALID)


def test_a_forgotten_entry_is_in_no_file_and_its_replies_are_marked(
    sandbox: Sandbox, session: Session, folder: Path
) -> None:
    entry = entry_of(sandbox, SECRET)
    assert found_in(folder, SECRET) != []
    told = sandbox.forgetting.entry(ACCOUNT, dyad(sandbox), entry)  # type: ignore[arg-type]
    assert found_in(folder, SECRET) == []
    assert told.counts["entries"] == 2  # main and the branch that was made after it was captured
    assert told.counts["replies"] == 2
    state = next(
        one for one in sandbox.banks.view(ACCOUNT, NOOR, WALID).states if one.entry.id == entry
    )
    assert (state.live, state.entry.text, state.entry.emotion) == (False, FORGOTTEN, None)
    reply = reply_to(sandbox, "Where is it?")
    assert reply.usage["forgotten"] is True
    assert any(FORGOTTEN in message["content"] for message in reply.messages)
    assert RULE in str(reply.messages)
    assert verify(Layout(folder), sandbox.record).problems == ()


def test_its_words_in_the_talk_stay_and_are_said_until_forgotten_with_its_turns(
    sandbox: Sandbox, session: Session, folder: Path
) -> None:
    second = sandbox.sessions.open(ACCOUNT, NOOR, WALID)
    sandbox.conversation.ask(ACCOUNT, second.id, "Please quote.")
    told = sandbox.forgetting.entry(ACCOUNT, dyad(sandbox), entry_of(sandbox, SECRET))  # type: ignore[arg-type]
    assert "1 utterances still say it word for word" in told.left[0]
    assert found_in(folder, SECRET) != []
    assert found_in(folder, SAID) != []


def test_with_its_turns_the_words_that_it_came_from_go_too(
    sandbox: Sandbox, session: Session, folder: Path
) -> None:
    entry = entry_of(sandbox, SECRET)
    assert found_in(folder, SAID) != []
    sandbox.forgetting.entry(ACCOUNT, dyad(sandbox), entry, with_turns=True)  # type: ignore[arg-type]
    assert found_in(folder, SECRET, SAID) == []
    [turn] = sandbox.sessions.transcript(ACCOUNT, session.id).turns
    assert turn.text == FORGOTTEN
    assert turn.reply is not None
    assert turn.reply.text == "Yes."
    assert verify(Layout(folder), sandbox.record).problems == ()


def test_a_forgotten_session_leaves_nothing_it_said_or_taught(
    sandbox: Sandbox, session: Session, folder: Path
) -> None:
    told = sandbox.forgetting.session(ACCOUNT, session.id)
    assert found_in(folder, SECRET, RULE, SAID) == []
    assert told.counts["sessions"] == 2  # and its fork
    with pytest.raises(UnknownSession):
        sandbox.sessions.find(ACCOUNT, session.id)
    assert [one.live for one in sandbox.banks.view(ACCOUNT, NOOR, WALID).states] == [False] * 2
    assert verify(Layout(folder), sandbox.record).problems == ()


def test_a_forgotten_person_leaves_not_even_a_name(
    sandbox: Sandbox, session: Session, folder: Path
) -> None:
    other = sandbox.sessions.open(ACCOUNT, "Basma", WALID)
    sandbox.conversation.ask(ACCOUNT, other.id, "I am Basma.")
    sandbox.forgetting.user(ACCOUNT, NOOR)
    assert found_in(folder, SECRET, RULE, SAID, NOOR, NOOR.casefold()) == []
    assert sandbox.banks.view(ACCOUNT, NOOR, WALID).states == ()
    assert [one.session.id for one in sandbox.sessions.list(ACCOUNT)] == [other.id]
    assert sandbox.banks.user(ACCOUNT, NOOR) is None
    assert verify(Layout(folder), sandbox.record).problems == ()


def test_an_audit_line_stays_without_the_words(sandbox: Sandbox, session: Session) -> None:
    sandbox.forgetting.entry(ACCOUNT, dyad(sandbox), entry_of(sandbox, SECRET))  # type: ignore[arg-type]
    [(at, kind, counts)] = sandbox.forgetting.audited(ACCOUNT)
    assert (at[:10], kind) == ("2026-03-26", "entry")
    assert '"entries":2' in counts.replace(" ", "")


def test_recall_never_finds_a_forgotten_entry(sandbox: Sandbox, session: Session) -> None:
    sandbox.forgetting.entry(ACCOUNT, dyad(sandbox), entry_of(sandbox, SECRET))  # type: ignore[arg-type]
    bank = sandbox.previews.recall(ACCOUNT, dyad(sandbox), SECRET, history=True)  # type: ignore[arg-type]
    assert all(one.similarity < 0.9 for one in bank if not one.live)
    assert {one.entry.text for one in bank} == {RULE, FORGOTTEN}


def test_a_forgotten_entry_does_not_come_back_with_a_file(
    sandbox: Sandbox, session: Session, folder: Path
) -> None:
    exported = sandbox.banks.export(ACCOUNT, NOOR, WALID)
    sandbox.forgetting.entry(ACCOUNT, dyad(sandbox), entry_of(sandbox, SECRET))  # type: ignore[arg-type]
    sandbox.banks.import_file(ACCOUNT, NOOR, WALID, exported, "old.jsonl")
    assert found_in(folder, SECRET) == []


def test_what_is_not_there_is_refused_and_nothing_is_noted(
    sandbox: Sandbox, session: Session
) -> None:
    entry = entry_of(sandbox, SECRET)
    elsewhere = sandbox.banks.dyad(ACCOUNT, NOOR, LANTERN)
    with pytest.raises(BadInput, match="no such entry"):
        sandbox.forgetting.entry(ACCOUNT, elsewhere, entry_of(sandbox, RULE))
    with pytest.raises(BadInput, match="no such entry"):
        sandbox.forgetting.entry("another", dyad(sandbox), entry)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="Nobody is called"):
        sandbox.forgetting.user(ACCOUNT, "nobody")
    assert sandbox.forgetting.audited(ACCOUNT) == []
    sandbox.forgetting.entry(ACCOUNT, dyad(sandbox), entry)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="forgotten already"):
        sandbox.forgetting.entry(ACCOUNT, dyad(sandbox), entry)  # type: ignore[arg-type]


REDACTED = {
    "whatever blanks are between": (
        "a  long\n text here",
        "say: a long text here!",
        "say: [forgotten]!",
    ),
    "a short text on its own line": ("Tea.", "- Tea.\n- Teapot.", "- [forgotten]\n- Teapot."),
    "a short text inside others stays": ("Tea.", "I like Tea. A lot.", "I like Tea. A lot."),
    "with signs of a pattern": ("costs $5 (or more)", "it costs $5 (or more)", "it [forgotten]"),
    "a numbered line": ("Tea.", "3. (fact, no date) Tea.", "3. (fact, no date) [forgotten]"),
}


@pytest.mark.parametrize(("words", "text", "clean"), REDACTED.values(), ids=REDACTED.keys())
def test_words_are_taken_out(words: str, text: str, clean: str) -> None:
    assert Redaction([words]).text(text) == clean
    assert Redaction([words]).holds(text) == (text != clean)
    assert Redaction([words]).text(clean) == clean


def test_words_are_taken_out_of_every_string_of_json_and_keys_stay() -> None:
    redaction = Redaction(["a long enough text"])
    assert redaction.json('{"a long enough text": ["x", {"y": "a long  enough text"}]}') == (
        '{"a long enough text":["x",{"y":"[forgotten]"}]}'
    )


def test_an_index_that_is_not_running_is_removed_from_disk(folder: Path) -> None:
    with closing(fake_sandbox(folder, quotes_its_notes, load_judge=LastWord)) as first:
        first.start()
        session = first.sessions.open(ACCOUNT, NOOR, WALID)
        first.conversation.ask(ACCOUNT, session.id, SAID)
        first.remembering.end(ACCOUNT, session.id, "all")
        first.index.rebuild()
    assert list((folder / "index").glob("g-*")) != []
    with closing(fake_sandbox(folder, quotes_its_notes, load_judge=LastWord)) as second:
        second.forgetting.user(ACCOUNT, NOOR)
        assert list((folder / "index").glob("g-*")) == []
        assert verify(Layout(folder), second.record).problems == ()

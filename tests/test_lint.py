"""Remarks on a bank: what they say, and what they leave alone."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_banks.entries import Dyad, Entry, EntryType, Provenance, Side, State
from sandbox.account import ACCOUNT
from sandbox.edits import Edit
from sandbox.lifecycle.lint import CHANCES, KINDS, RELATED, Remark, Talk, _content, _jaccard, lint
from tests.fakes import Script, fake_sandbox

DYAD = Dyad("local", "noor", "walid")


def held(
    key: str,
    text: str,
    *,
    type_: EntryType = "fact",
    side: Side = "user",
    session: str | None = None,
    live: bool = True,
) -> State:
    told_in = Provenance(session)
    entry = Entry(key, DYAD.scope(side), type_, text, author="capture", provenance=told_in)
    return State(entry, 1, None if live else 2, (), None, "")


def talk(
    said: Mapping[str, Sequence[str]] | None = None,
    injected: Mapping[str, Sequence[str]] | None = None,
    chances: Mapping[str, int] | None = None,
    recalled: frozenset[str] = frozenset(),
) -> Talk:
    return Talk(said or {}, injected or {}, chances or {}, recalled)


def told(states: Sequence[State], found: Talk | None = None) -> list[str]:
    remarks: list[Remark] = lint(states, found or talk(), "Walid Qutami", "Noor Zeitoun")
    names = {state.entry.id: state.entry.key for state in states}
    return [f"{one.kind}: {' '.join(names[entry] for entry in one.entries)}" for one in remarks]


REMARKED = {
    "the same words": (["Noor likes mint tea.", "noor likes  mint tea"], ["duplicate: a b"]),
    "nearly the same": (
        ["Noor always drinks hot mint tea at home.", "Noor always drinks hot mint tea."],
        ["duplicate: a b"],
    ),
    "another number": (
        ["The gate is 90 cm wide.", "The gate is 80 cm wide."],
        ["contradiction: a b"],
    ),
    "a denial": (
        ["Noor eats fish on Fridays.", "Noor never eats fish on Fridays."],
        ["contradiction: a b"],
    ),
    "a day that moves": (["Noor flies home tomorrow."], ["dangling date: a"]),
    "a date that stays": (["On 2026-03-02 Noor flew home."], []),
    "who is I?": (["I like mint tea."], ["wrong owner: a"]),
    "the agent's in the user's": (["Walid owns a van."], ["wrong owner: a"]),
    "different things": (["Noor owns a van.", "Noor's sister lives in Salt."], []),
}


@pytest.mark.parametrize(("texts", "remarks"), REMARKED.values(), ids=REMARKED.keys())
def test_a_remark_says_what_to_look_at(texts: list[str], remarks: list[str]) -> None:
    assert told([held("abc"[i], text) for i, text in enumerate(texts)]) == remarks


def test_entries_of_different_scopes_are_not_compared() -> None:
    same = "Walid answers Noor in metric."
    one, other = held("a", same), held("b", same, side="dyad", type_="agent_identity")
    assert "duplicate: a b" not in told([one, other])


def test_dead_entries_get_no_remark() -> None:
    assert told([held("a", "Noor flies tomorrow.", live=False)]) == []


def test_a_capture_of_what_memory_had_shown_is_an_echo() -> None:
    echo = held("a", "Noor's supper is in the courtyard at 14 Mosaic Lane.", session="s")
    shown = {"s": ["The supper of Noor is in the courtyard, 14 Mosaic Lane, Madaba."]}
    said = {"s": ["Where is the supper?", "In the courtyard, 14 Mosaic Lane."]}
    assert told([echo], talk(said, shown)) == ["echo: a"]
    assert told([echo], talk(said, {"other": shown["s"]})) == []


def test_an_entry_that_its_session_does_not_speak_of_is_unsupported() -> None:
    state = held("a", "Noor collects Byzantine coins.", session="s")
    assert told([state], talk({"s": ["Good morning!", "Good morning, Noor."]})) == []
    assert told([state], talk({"s": ["Good morning!", "Good morning."]})) == ["unsupported: a"]
    assert told([state], talk({})) == []


def test_what_a_person_wrote_needs_no_support_by_the_talk() -> None:
    by_hand = replace(held("a", "x").entry, text="Noor collects coins.", author="human")
    state = replace(held("a", "x"), entry=replace(by_hand, provenance=Provenance("s")))
    assert told([state], talk({"s": ["Good morning!", "Good morning."]})) == []


def test_an_entry_that_no_reply_was_shown_is_said_after_enough_chances() -> None:
    state = held("a", "Noor likes mint tea.")
    few, enough = {state.entry.id: CHANCES - 1}, {state.entry.id: CHANCES}
    assert told([state], talk(chances=few)) == []
    assert told([state], talk(chances=enough)) == ["never recalled: a"]
    assert told([state], talk(chances=enough, recalled=frozenset({state.entry.id}))) == []


def test_a_bank_of_thousands_is_looked_over_without_comparing_every_pair() -> None:
    states = [held(f"k{i}", f"Noor filed letter {i} from office{i % 97}.") for i in range(3000)]
    states.append(held("z", "Noor filed letter 17 from office17."))
    assert "duplicate: k17 z" in told(states)


WORDS = ["red", "green", "blue", "tea", "van", "gate", "salt", "moon", "7", "9"]
words = st.lists(st.sampled_from(WORDS), max_size=6)


@given(st.lists(words, max_size=7))
def test_no_pair_that_shares_enough_words_is_missed(several: list[list[str]]) -> None:
    states = [held(f"k{i}", " ".join(some) or "!") for i, some in enumerate(several)]
    sets = {one.entry.key: _content(one.entry.text) for one in states}
    alike = {
        f"{one} {other}"
        for i, one in enumerate(sets)
        for other in list(sets)[i + 1 :]
        if sets[one] and _jaccard(sets[one], sets[other]) >= 0.8
    }
    found = {line.split(": ")[1] for line in told(states) if line.startswith(("dup", "contra"))}
    assert alike <= found
    assert RELATED < 0.8
    assert [line.split(":")[0] for line in told(states)] == sorted(
        (line.split(":")[0] for line in told(states)), key=lambda kind: [*KINDS].index(kind)
    )


def test_a_sandbox_looks_over_its_bank_with_the_talk_on_record(tmp_path: Path) -> None:
    with closing(fake_sandbox(tmp_path, Script().play)) as sandbox:
        session = sandbox.sessions.open(ACCOUNT, "Noor", "walid-qutami")
        for number in range(1, CHANCES + 2):
            sandbox.conversation.ask(ACCOUNT, session.id, f"Turn {number}.")
            edit = Edit("episodic", f"Noor collects Byzantine coins no. {number} tomorrow.")
            sandbox.banks.remember(ACCOUNT, f"{session.id}-{number}", edit, draft=f"{number}")
        found = sandbox.linting.remarks(ACCOUNT, "Noor", "walid-qutami")
        kinds = {one.kind for one in found}
        assert "contradiction" in kinds
        assert "never recalled" not in kinds
        assert sandbox.linting.remarks(ACCOUNT, "Nobody", "walid-qutami") == []

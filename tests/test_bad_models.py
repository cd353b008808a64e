"""Models that answer badly lose nothing, and every failure is counted and shown.

The cases are those that people report of other systems: facts that vanish when they are told
again, memories that breed, updates that hit their neighbour, wishes to forget that forget too much.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphs.chat_model import ModelError
from memory_banks.entries import Dyad
from sandbox import api
from sandbox.account import ACCOUNT
from sandbox.edits import Edit
from sandbox.inputs import BadInput
from sandbox.lifecycle.remembering import CapturePending
from tests.bench import WALID, Bench
from tests.fakes import scripted


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.sandbox.close()


def said(text: str, utterance: int = 1, entry_type: str = "user_profile", **more: Any) -> dict:
    return {"utterance": utterance, "type": entry_type, "text": text, **more}


def hold(bench: Bench, *texts: str) -> None:
    """A bank that holds these texts."""
    for text in texts:
        bench.end(bench.talk(text), said(text), approve="all")
    assert bench.texts() == list(texts)


def change(new: int, *held: int) -> dict[str, Any]:
    return {"changes": [{"new": new, "held": list(held), "reason": "So it is."}]}


HOUNDS = "Noor keeps two greyhounds."


@pytest.mark.parametrize("again", ["Noor keeps  two greyhounds", "NOOR KEEPS TWO GREYHOUNDS!"])
def test_telling_a_fact_again_neither_deletes_nor_doubles_it(bench: Bench, again: str) -> None:
    hold(bench, HOUNDS)
    bench.script.updates = [change(1, 1)]
    ended = bench.end(bench.talk("I keep two greyhounds."), said(again), approve="all")
    assert (bench.texts(), ended.captured) == ([HOUNDS], 0)
    assert ended.capture.notes == ("1 of 1 findings were refused.",)


def test_a_deletion_that_nobody_asked_for_is_refused_and_shown(bench: Bench) -> None:
    hold(bench, HOUNDS)
    bench.script.updates = [{"changes": [{"new": 0, "held": [1]}]}]
    ended = bench.end(bench.talk("They run fast."), said("Noor's dogs run fast."), approve="all")
    assert HOUNDS in bench.texts()
    assert any("nobody asked" in note for note in ended.capture.notes)


def test_a_contradiction_never_leaves_nothing(bench: Bench) -> None:
    hold(bench, "Noor loves aniseed.")
    bench.script.updates = [change(1, 1)]
    now = said("Noor dislikes aniseed.")
    ended = bench.end(bench.talk("I can't stand aniseed any more."), now, approve="all")
    assert [one.kind for one in ended.operations] == ["delete", "add"]
    old, new = bench.sandbox.banks.view(ACCOUNT, "Noor", WALID).states
    assert (old.live, old.replaced_by, new.live) == (False, new.entry.id, True)


def test_an_update_that_hits_its_neighbour_deletes_nothing(bench: Bench) -> None:
    hold(bench, "Noor dislikes ghost stories.", "Noor plays the viola.")
    bench.script.updates = [change(1, 2)]
    told = bench.talk("Actually I enjoy ghost stories now.")
    bench.end(told, said("Noor enjoys ghost stories now."), approve="all")
    assert bench.texts()[:2] == ["Noor dislikes ghost stories.", "Noor plays the viola."]


def test_bad_operations_cost_no_good_one(bench: Bench) -> None:
    hold(bench, "Noor has a loom.", "Noor has a boat.")
    good = {"new": 1, "held": [1], "reason": "Sold."}
    bad: list[Any] = [{"new": "x", "held": [2]}, {"held": None}, "merge", {"new": 1, "held": [12]}]
    bench.script.updates = [{"changes": [*bad, good]}]
    sold = said("Noor sold the loom.")
    ended = bench.end(bench.talk("I sold the loom."), sold, {"text": "Has a kiln"}, approve="all")
    assert bench.texts() == ["Noor has a boat.", "Noor sold the loom."]
    assert sum("refused" in note for note in ended.capture.notes) == len(bad) + 1
    assert [one.refused is None for one in ended.findings] == [True, False]


def test_a_memory_that_was_shown_and_deleted_does_not_come_back_by_an_echo(bench: Bench) -> None:
    hold(bench, "Noor is allergic to kiwi.")
    session = bench.talk("What am I allergic to, kiwi?")
    reply = bench.sandbox.conversation.reply(ACCOUNT, f"{session.id}-1.1")
    assert reply.injected
    dyad = Dyad(ACCOUNT, "noor", WALID)
    bench.sandbox.editing.delete(dyad, reply.injected[0], draft="d")
    echo = said("Noor is allergic to kiwi.", 2, "episodic")
    assert bench.end(session, echo, approve="all").captured == 0
    assert bench.texts() == []


def test_recalled_memories_and_the_character_do_not_breed(bench: Bench) -> None:
    hold(bench, "Noor runs a bindery in Ghent.")
    persona = bench.sandbox.characters.get(ACCOUNT, WALID)
    for _ in range(10):
        echoes = [
            said("User runs a bindery in Ghent"),
            said("In Ghent, Noor runs a bindery!", 2, "episodic"),
            said(persona.summary, 2, "agent_knowledge"),
        ]
        assert bench.end(bench.talk("What do I do?"), *echoes, approve="all").captured == 0
    assert bench.texts() == ["Noor runs a bindery in Ghent."]


def test_a_failure_is_never_no_facts(bench: Bench) -> None:
    session = bench.talk("My kiln exploded on Tuesday.")
    answers: list[str | None] = [None, None, "", '{"entries": [', '{"ops": []}']
    for answer in answers:
        bench.trouble = ModelError("HTTP 500.") if answer is None else None
        bench.script.captures = [] if answer is None else [answer]
        with pytest.raises(CapturePending):
            bench.sandbox.remembering.end(ACCOUNT, session.id)
        status = bench.sandbox.remembering.outcome(ACCOUNT, session.id).capture.status
        assert status == ("pending" if answer is None else "unreadable")
    bench.end(session, said("Noor's kiln exploded.", entry_type="episodic"), approve="all")
    assert bench.texts() == ["Noor's kiln exploded."]


def test_an_update_that_fails_is_retried_behind_the_capture(bench: Bench) -> None:
    hold(bench, HOUNDS)
    session = bench.talk("I have a kiln.")
    bench.script.captures = [{"entries": [said("Noor has a kiln.")]}]
    bench.script.updates = [ModelError("The model is down.")]  # type: ignore[list-item]
    with pytest.raises(CapturePending):
        bench.sandbox.remembering.end(ACCOUNT, session.id)
    waiting = bench.sandbox.remembering.outcome(ACCOUNT, session.id)
    assert (waiting.capture.status, waiting.captured) == ("captured", 1)
    bench.sandbox.remembering.end(ACCOUNT, session.id, "all")
    assert bench.texts() == [HOUNDS, "Noor has a kiln."]


def test_the_agents_words_are_not_the_users(bench: Bench) -> None:
    bench.script.replies = {"sourdough": "I feed mine rye every morning; I never use tap water."}
    session = bench.talk("Explain how a sourdough starter works.")
    ended = bench.end(
        session,
        said("Noor feeds the starter rye every morning.", 2),
        said("Noor never uses tap water and feeds a starter rye every morning."),
        said("Walid feeds a starter rye every morning.", 1),
        approve="all",
    )
    assert (ended.captured, bench.texts()) == (0, [])


def test_dates_are_told_by_the_sessions_clock_alone(bench: Bench) -> None:
    session = bench.talk("I sprained my wrist yesterday.", clock="2021-02-26T23:30:00+01:00")
    wrist = said("Noor sprained a wrist on 2021-02-25.", entry_type="episodic", anchor="2021-02-25")
    bench.end(session, wrist, approve="all")
    asked = [one for one in scripted(bench.sandbox).asked if one.form][0].text
    assert "Friday 2021-02-26" in asked
    assert "Thursday 2021-02-25" in asked
    assert "2026" not in asked
    (entry,) = bench.sandbox.banks.view(ACCOUNT, "Noor", WALID).live
    assert entry.anchor == "2021-02-25"


def test_braces_and_templates_reach_the_model_byte_for_byte(bench: Bench) -> None:
    held = 'Noor uses {char} and {"a": 1} in notes, {0.__class__}, {% raw %}, $user.'
    hold(bench, held)
    wild = "answer as {your response} $session {{user}}'s {{{{x}}}}"
    bench.end(bench.talk(wild), said("Noor likes braces."), approve="all")
    capture, update = [one.text for one in scripted(bench.sandbox).asked if one.form][-2:]
    assert wild in capture
    assert held in update


ASKED = {"utterance": 1, "text": "Noor has a cat."}


def test_what_the_user_asks_to_forget_is_proposed_with_the_words_that_ask(bench: Bench) -> None:
    hold(bench, "Noor has a cat.", HOUNDS)
    bench.script.updates = [{"changes": [], "forget": [{"request": 1, "held": [1]}]}]
    session = bench.talk("Please forget that I have a cat.")
    ended = bench.end(session, forget=[ASKED])
    (proposal,) = ended.undecided
    assert (proposal.entry, proposal.evidence, proposal.doubt) == (None, f"{session.id}-1", None)
    assert ended.captured == 0
    [shown] = api.remembered_fields(bench.sandbox, ACCOUNT, ended)["proposals"]
    assert (shown["text"], shown["deletes"][0]["text"]) == (None, "Noor has a cat.")
    with pytest.raises(BadInput, match="Nothing takes the place"):
        bench.sandbox.remembering.decide(ACCOUNT, proposal.id, "approved", Edit("fact", "Cat."))
    done = bench.sandbox.remembering.decide(ACCOUNT, proposal.id, "approved")
    assert ([one.kind for one in done.operations], bench.texts()) == (["delete"], [HOUNDS])
    assert done.capture.status == "done"


def test_forgetting_everything_waits_for_a_human_even_where_all_is_approved(bench: Bench) -> None:
    texts = [f"Noor owns boat {name}." for name in ("Alba", "Bora", "Cirrus", "Dorado", "Etna")]
    hold(bench, *texts)
    every = {"request": 1, "held": [1, 2, 3, 4, 5]}
    bench.script.updates = [{"changes": [], "forget": [every]}]
    session = bench.talk("Forget everything about my boats.")
    wish = {"utterance": 1, "text": "Noor's boats"}
    ended = bench.end(session, forget=[wish], approve="all")
    assert bench.texts() == texts
    assert [one.doubt is None for one in ended.undecided] == [False]
    assert ended.plain == ()
    assert any("5 of 5" in note for note in ended.capture.notes)
    bench.sandbox.remembering.decide(ACCOUNT, ended.undecided[0].id, "approved")
    assert bench.texts() == []


def test_a_doubtful_entry_waits_while_all_others_are_approved(bench: Bench) -> None:
    session = bench.talk("I keep two greyhounds and sing.")
    ended = bench.end(session, said("I keep two greyhounds."), said("Noor sings."), approve="all")
    assert bench.texts() == ["Noor sings."]
    assert [one.entry.text for one in ended.undecided if one.entry] == ["I keep two greyhounds."]


def test_a_human_rescues_what_was_refused(bench: Bench) -> None:
    session = bench.talk("Answer me in metric.")
    ended = bench.end(session, said("Walid answers Noor in metric.", 1, "agent_identity"))
    assert ended.captured == 0
    rescue = bench.sandbox.remembering.rescue
    rescue(ACCOUNT, session.id, 0, Edit("user_profile", "Noor wants answers in metric."))
    rescue(ACCOUNT, session.id, 0, Edit("agent_identity", "A second time is none."))
    (entry,) = bench.sandbox.banks.view(ACCOUNT, "Noor", WALID).live
    assert (entry.type, entry.author, entry.text) == (
        "user_profile",
        "human",
        "Noor wants answers in metric.",
    )
    assert entry.provenance.turns == (f"{session.id}-1",)


@pytest.mark.parametrize("ordinal", [1, 2, 7])
def test_only_what_was_refused_and_names_an_utterance_is_rescued(
    bench: Bench, ordinal: int
) -> None:
    session = bench.talk("I sing.")
    bench.end(session, said("x", entry_type="wish"), said("Noor sings."), said("Lost.", 9))
    with pytest.raises(BadInput):
        bench.sandbox.remembering.rescue(ACCOUNT, session.id, ordinal, Edit("fact", "Kept."))
    assert bench.texts() == []

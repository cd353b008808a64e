"""What the page shows, as pure functions: texts stay texts, and every state says what it is."""

import re
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import Any

import gradio as gr
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphs.chat_model import Message
from memory_banks.captures import Capture, Decision, Finding, Proposal
from memory_banks.entries import Dyad, Entry, ImportedFrom, Operation, Provenance, State
from memory_banks.index import IndexState
from personas.persona import Persona, SampleUser
from sandbox.banks import BankView
from sandbox.inputs import BadInput
from sandbox.instances import InstanceRef, Said
from sandbox.lifecycle.remembering import Remembered
from sandbox.live import Progress
from sandbox.previews import Previewed
from sandbox.reply_traces import Reply, Traced
from sandbox.sessions import SessionSummary
from sandbox.transcripts import ReplyLine, Session, Turn
from sandbox.ui.bank_views import ROWS, Asked, bank_list
from sandbox.ui.chain_views import chain_of
from sandbox.ui.chat_views import INTERRUPTED, Shown, bubbles, growing, initial, plates
from sandbox.ui.desk import Desk
from sandbox.ui.diff_views import prompt_diff
from sandbox.ui.machine import index_part
from sandbox.ui.markup import ATTRIBUTES, ELEMENTS, Html, element
from sandbox.ui.page import build_page
from sandbox.ui.people_views import choices
from sandbox.ui.prompt_views import cells, section_tokens
from sandbox.ui.proposal_views import Outcome, Quote, proposal_list
from sandbox.ui.recall_views import GONE, Inspection, inspector
from sandbox.ui.theme import COLOURS, page_look
from sandbox.ui.timeline_views import previewed, timeline
from sandbox.ui.times import short_time, shown_time
from sandbox.ui.troubles import told
from sandbox.ui.views import (
    Machine,
    Part,
    banner,
    character_door,
    door_title,
    file_door,
    imported_words,
    profile,
    sample_door,
    session_list,
)
from tests.fakes import Script, fake_sandbox

DYAD = Dyad("local", "dina", "walid")
PERSONA = Persona(
    id="walid",
    name="Walid",
    summary=("Leads a band.",),
    greeting="What is on fire?",
    openers=("Where to?", "Who comes?"),
    sample_user=SampleUser(name="Dina", profile="A bride.", bank="walid"),
)


class Reader(HTMLParser):
    """Reads markup as a browser would: its words, elements and attributes."""

    def __init__(self, markup: str) -> None:
        super().__init__(convert_charrefs=True)
        self.words = ""
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.ids: dict[str, list[str]] = {}
        """What the buttons tell, by their `data-on`."""
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.elements.add(tag)
        self.attributes |= set(given)
        if tag == "button" and given.get("data-on"):
            self.ids.setdefault(given["data-on"] or "", []).append(given.get("data-id") or "")

    def handle_data(self, data: str) -> None:
        self.words += data


def read(view: Html) -> Reader:
    return Reader(view.markup)


def entry(key: str = "k", **values: Any) -> Entry:
    side = values.pop("side", "user")
    told_by = Provenance("s", ("s-1",), "user")
    return Entry(
        key,
        DYAD.scope(side),
        values.pop("type", "fact"),
        values.pop("text", "The supper is in Madaba."),
        provenance=told_by,
        **values,
    )


def session(**values: Any) -> Session:
    plain = Session(
        id="s",
        account="local",
        user="dina",
        agent="walid",
        persona=PERSONA,
        speaker="Dina",
        clock=None,
        emotion=None,
        scene=None,
        strategy="top_k",
        model=None,
        continues=None,
        created_at="2026-03-26T11:05:00+03:00",
        ended_at=None,
    )
    return replace(plain, **values)


def line(turn: str, ordinal: int = 1, text: str = "To Madaba.", **values: Any) -> ReplyLine:
    return ReplyLine(
        f"{turn}.{ordinal}",
        turn,
        ordinal,
        values.get("author", "model"),
        text,
        values.get("finish", "stop"),
    )


def turn(number: int = 1, *lines: ReplyLine, text: str = "Where to?", **values: Any) -> Turn:
    plain = Turn(
        id=f"s-{number}",
        session="s",
        number=number,
        text=text,
        at="2026-03-26T11:05:00+03:00",
        emotion=None,
        scene=None,
        status="answered" if lines else "open",
        trouble=None,
        chosen=lines[-1].id if lines else None,
        replies=lines,
    )
    return replace(plain, **values)


def reply(**values: Any) -> Reply:
    plain = Reply(
        line=line("s-1"),
        strategy="top_k",
        model="lab",
        sampling={},
        seed=7,
        revision=3,
        query="Where to?",
        searched="exact",
        recalled=(),
        injected=(),
        messages=(),
        prompts={},
        usage={"seconds": 1.25, "prompt_tokens": 90, "completion_tokens": None, "left_out": 0},
        created_at="2026-03-26T11:05:00+03:00",
    )
    return replace(plain, **values)


def inspected(made: Reply, entries: dict[str, Entry], persona: str, **values: Any) -> Html:
    return inspector(Inspection(made, persona, entries, **values))


def proposal(
    ordinal: int, entry_: Entry, decision: Decision | None = None, **values: Any
) -> Proposal:
    return Proposal(
        id=f"p{ordinal}",
        capture="c",
        entry=entry_,
        deletes=values.get("deletes", ()),
        reason=values.get("reason", ""),
        evidence=values.get("evidence", "s-1"),
        decision=decision,
    )


def outcome(status: Any = "proposed", *proposals: Proposal, **values: Any) -> Outcome:
    capture = Capture("c", DYAD, "s", status, values.get("calls", ()), values.get("notes", ()))
    return Outcome(
        remembered=Remembered(
            capture, values.get("findings", ()), proposals, values.get("operations", ())
        ),
        persona="Walid",
        current=values.get("current", True),
        quotes={"s-1": Quote("Dina", values.get("quote", "We moved it."))},
        held=values.get("held", {}),
    )


def shown(*turns: Turn, **values: Any) -> Shown:
    plain = Shown(session(), turns, selected="", writing="")
    return replace(plain, **values)


# Text is text

TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40).map(
    lambda text: f"<b a='{text}'>&amp;{text}\"`${{{text}}}{{{{{text}}}}}"
)


def everything(text: str) -> list[Html]:
    """Every view, with `text` in every place that somebody can write into."""
    named = PERSONA.model_copy(
        update={"name": text, "summary": (text,), "greeting": text, "openers": (text,)}
    )
    now = "2026-03-26T11:05:00+03:00"
    hosted = session(persona=named, speaker=text, clock=now, continues=text, ended_at=now)
    held = entry(text=text, anchor=text, emotion=text, scene=text)
    dead = State(held, 1, 2, (), None, text)
    stuck = turn(2, text=text, at=text, emotion=text, scene=text, trouble=text)
    before = replace(hosted, prelude=(Said("user", text, text), Said("assistant", text, text)))
    talk = Shown(hosted, (turn(1, line("s-1", text=text)), stuck), "s-1.1", "")
    traced = Traced(held.id, {text: 0.5}, text)
    made = reply(
        model=text, query=text, recalled=(traced,), messages=({"role": "user", "content": text},)
    )
    refused = Finding(0, {"text": text, "type": text}, None, text)
    unreadable = outcome(
        "unreadable", notes=(text,), findings=(refused,), calls=({"raw": text},), current=False
    )
    proposed = outcome(
        "proposed",
        proposal(1, held, reason=text, deletes=(held.id,)),
        held={held.id: held},
        quote=text,
    )
    state = Machine((Part(text, text, "failed", text),), text, text, (text,))
    return [
        banner(state),
        sample_door([named]),
        character_door([named]),
        door_title(text, text, text),
        file_door(text, text),
        profile(text, text),
        plates(hosted),
        bubbles(talk),
        bubbles(Shown(before, (), "", "")),
        bubbles(Shown(replace(hosted, speaker="Dina"), (), "", "")),
        growing(hosted, Progress("s-1", text, "writing", None, None)),
        inspected(
            made,
            {held.id: held},
            text,
            states={held.id: dead},
            quotes={"s-1": Quote(text, text)},
            times={1: text},
            before=replace(made, messages=({"role": "user", "content": f"{text} not"},)),
        ),
        timeline(
            [
                Operation(
                    "o",
                    DYAD.scope("user"),
                    1,
                    "add",
                    held.id,
                    (),
                    text,
                    text,
                    text,
                    ImportedFrom(text, text),
                )
            ],
            {held.id: dead},
            text,
        ),
        previewed([Previewed(held, 0.5, False, None)], text, 3, text),
        inspected(replace(made, injected=(held.id,)), {held.id: held}, text),
        bank_list(BankView(DYAD, 2, 2, (dead,)), text, text, Asked(state="all")),
        proposal_list([unreadable, proposed]),
    ]


@settings(deadline=None)
@given(TEXTS)
def test_no_text_becomes_markup_and_none_of_it_is_lost(text: str) -> None:
    for view in everything(text):
        seen = read(view)
        assert seen.elements <= ELEMENTS
        assert seen.attributes <= set(ATTRIBUTES.values())
        assert text in seen.words


def test_no_attribute_loads_links_styles_or_runs_anything() -> None:
    names = set(ATTRIBUTES.values())
    assert not names & {"src", "href", "style", "srcdoc", "action", "formaction", "id", "name"}
    assert not [name for name in names if name.startswith("on")]


@pytest.mark.parametrize("name", ["script", "a", "img", "style", "iframe", "form", "svg"])
def test_an_element_off_the_list_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="element must be one of"):
        element(name)


def test_an_attribute_off_the_list_is_refused() -> None:
    with pytest.raises(ValueError, match="attribute must be one of"):
        element("p", onclick="x")


def test_an_attribute_that_is_null_or_false_is_left_out() -> None:
    assert element("p", title=None, open=False, disabled=True).markup == "<p disabled></p>"


def test_an_instance_is_named_on_the_plates_and_said_to_have_its_own_bank() -> None:
    of = InstanceRef("demo.json", "0" * 64, "demo-05")
    moment = session(instance=of, emotion="Anxious", scene="Activities", profile="A bride.")
    words = read(plates(moment)).words
    for fact in ("instance demo-05", "Anxious / Activities", "knows who I am"):
        assert fact in words
    assert "knows who I am" not in read(plates(session())).words
    assert "instance demo-05 Its bank is its own" in read(profile("D", "", "demo-05")).words


# The chat


def test_both_name_plates_are_there_with_the_sessions_clock() -> None:
    words = read(plates(session(clock="2026-03-26T11:05:00+03:00"))).words
    assert ("Walid" in words, "Dina" in words) == (True, True)
    assert "clock 2026-03-26 11:05 +03:00" in words


def test_an_ended_session_says_that_it_is_read_only() -> None:
    assert "read-only" in read(plates(session(ended_at="2026-03-26T12:00:00+03:00"))).words


def test_before_the_first_turn_there_are_a_greeting_and_the_sample_users_openers() -> None:
    seen = read(bubbles(shown()))
    assert "What is on fire?" in seen.words
    assert len(seen.ids["opener"]) == 2
    assert "opener" not in read(bubbles(shown(session=session(speaker="Noor")))).ids


def test_a_session_opened_in_the_middle_begins_with_what_was_said_before() -> None:
    before = Said("user", "D.", "The van is late."), Said("assistant", "W.", "How late?")
    seen = read(bubbles(shown(session=session(prelude=before))))
    assert "DinasaidbeforeThevanislate.WalidsaidbeforeHowlate?" in "".join(seen.words.split())
    assert "What is on fire?" not in seen.words


def test_after_the_first_turn_there_are_no_openers() -> None:
    assert "opener" not in read(bubbles(shown(turn(1, line("s-1"))))).ids


def test_only_the_last_turn_of_an_open_session_can_be_changed() -> None:
    two = turn(1, line("s-1")), turn(2, line("s-2"))
    seen = read(bubbles(shown(*two)))
    assert (seen.ids["retry"], seen.ids["edit"]) == (["s-2"], ["s-2"])
    ended = read(bubbles(shown(*two, session=session(ended_at="2026-03-26T12:00:00Z"))))
    assert not {"retry", "edit", "option_select"} & set(ended.ids)


def test_nothing_can_be_changed_while_a_reply_is_being_written() -> None:
    seen = read(bubbles(shown(turn(1, line("s-1")), writing="s-1")))
    assert not {"retry", "edit"} & set(seen.ids)


def test_the_chosen_sibling_is_counted_and_its_neighbours_can_be_chosen() -> None:
    lines = line("s-1", 1), line("s-1", 2, "To Salt."), line("s-1", 3)
    seen = read(bubbles(shown(turn(1, *lines, chosen="s-1.2"))))
    assert "reply 2 of 3" in seen.words
    assert seen.ids["option_select"] == ["s-1.1", "s-1.3"]
    assert "To Salt." in seen.words


@pytest.mark.parametrize(
    ("finish", "words"),
    [("stopped", "stopped by you"), ("length", "cut at the token limit"), ("written", "by hand")],
)
def test_a_reply_says_how_it_ended(finish: str, words: str) -> None:
    assert words in read(bubbles(shown(turn(1, line("s-1", finish=finish))))).words


def test_a_turn_without_reply_says_why_and_how_to_go_on() -> None:
    seen = read(bubbles(shown(turn(1, trouble="The model is down: start it."))))
    assert "The model is down: start it." in seen.words
    assert seen.ids["retry"] == ["s-1"]
    assert INTERRUPTED in read(bubbles(shown(turn(1)))).words


def test_a_turn_whose_reply_is_being_written_is_in_no_trouble() -> None:
    assert "retry" not in read(bubbles(shown(turn(1), writing="s-1"))).ids


def test_only_the_last_turns_are_shown_and_the_rest_is_counted() -> None:
    turns = [turn(number, line(f"s-{number}"), text=f"say {number}.") for number in range(1, 36)]
    seen = read(bubbles(shown(*turns, window=30)))
    assert ("say 5." in seen.words, "say 6." in seen.words) == (False, True)
    assert "Show earlier (5 more turns)" in seen.words
    assert "expand" not in read(bubbles(shown(*turns, window=60))).ids


def test_a_growing_reply_says_that_it_is_not_saved() -> None:
    assert (
        "not saved yet"
        in read(growing(session(), Progress("t", "So", "writing", None, None))).words
    )
    assert "thinking" in read(growing(session(), Progress("t", "", "writing", None, None))).words
    assert not growing(session(), Progress("t", "So", "saved", "t.1", None))
    assert not growing(session(), None)


@pytest.mark.parametrize(("name", "letter"), [("dina", "D"), ("«élan»", "É"), ("…", "·")])
def test_a_name_has_an_initial(name: str, letter: str) -> None:
    assert initial(name) == letter


# The inspector


def test_recalled_entries_are_told_apart_from_those_in_the_prompt() -> None:
    near, far = entry("a", text="Near."), entry("b", text="Far.", type="episodic", side="dyad")
    made = reply(
        recalled=(
            Traced(near.id, {"dense": 0.4123, "lexical": None}, None),
            Traced(far.id, {"dense": 0.1}, "Below the closest."),
        ),
        injected=(near.id,),
    )
    words = read(inspected(made, {near.id: near, far.id: far}, "Walid")).words
    assert "In the prompt, in this order: 1 of 2 recalled" in words
    assert "dense 0.412lexical –" in words
    assert "Below the closest." in words.partition("Recalled, not in the prompt: 1")[2]
    assert "recalled 2→injected 1→used not evaluated" in words
    assert "only Walid" in words


def test_injected_entries_are_in_the_order_of_the_prompt() -> None:
    first, second = entry("a", text="One."), entry("b", text="Two.")
    traced = tuple(Traced(one.id, {}, None) for one in (first, second))
    made = reply(recalled=traced, injected=(second.id, first.id))
    words = read(inspected(made, {first.id: first, second.id: second}, "Walid")).words
    assert words.index("Two.") < words.index("One.")


def test_an_entry_that_is_gone_from_the_ledger_is_said_to_be() -> None:
    made = reply(recalled=(Traced("x", {}, None),), injected=("x",))
    assert GONE in read(inspected(made, {}, "Walid")).words


def test_how_a_reply_was_made_is_told() -> None:
    words = read(inspected(reply(), {}, "Walid")).words
    for fact in ("lab", "top_k", "7", "1.2", "90 read, ? written", "revision3"):
        assert fact in words
    assert "Nothing was recalled" in words


def test_a_reply_by_hand_recalled_nothing() -> None:
    by_hand = reply(line=line("s-1", author="human"), model=None, seed=None, usage={})
    assert "Written by hand: nothing was recalled" in read(inspected(by_hand, {}, "W")).words


def test_without_a_reply_the_inspector_says_what_to_do() -> None:
    assert "send a message" in read(inspector(None)).words


def test_an_entry_shows_who_said_it_and_its_chain_of_states_with_what_came_later() -> None:
    barn, hall, price = (state.entry for state in states()[:4] if state.entry.key != "rule")
    known = {state.entry.id: state for state in states()}
    made = reply(recalled=(Traced(hall.id, {}, None), Traced(price.id, {}, "Far.")), revision=1)
    view = inspected(
        made,
        {hall.id: hall, price.id: price},
        "Walid",
        states=known,
        quotes={"s-1": Quote("Dina", "We moved it.")},
        times={1: "2026-03-26T11:05:00+00:00", 2: "2026-03-27T09:00:00+00:00"},
    )
    words = read(view).words
    assert "from 1 turn · chain of 2 states" in words
    assert "s-1 Dina: “We moved it.”" in words
    assert re.search(r"r12026-03-26 11:05 .*gone at r2In the barn\.", words)
    assert re.search(r"r22026-03-27 09:00 .*this one · later than this reply", words)
    assert "deleted: asked to forget" in words
    assert [state.entry.id for state in chain_of(barn.id, known)] == [barn.id, hall.id]


def test_a_chain_ends_where_entries_replace_each_other_in_a_ring() -> None:
    ring = [entry("a"), entry("b")]
    known = {
        one.id: State(one, number, None, (other.id,), other.id, "")
        for number, one, other in [(1, *ring), (2, *reversed(ring))]
    }
    assert [state.added for state in chain_of(ring[0].id, known)] == [1, 2]
    assert chain_of("unknown", known) == []


@dataclass
class Row:
    """What one line of the inspector shows."""

    entry: str
    scores: tuple[str, ...]
    fell: bool


def rows_of(markup: str) -> dict[str, list[Row]]:
    """The lines of both lists of the inspector, in order."""
    lists = re.findall(r'<[ou]l class="entries (injected|fallen)">(.*?)</[ou]l></section>', markup)
    found: dict[str, list[Row]] = {"injected": [], "fallen": []}
    for name, inner in lists:
        begins = r'<li data-id="(?=[0-9a-f]{32}"[^>]*><div class="measure">)'
        for part in re.split(begins, inner)[1:]:
            measure = part.partition('<div class="entry">')[0]
            scores = tuple(re.findall(r'<span class="score">([^<]*)</span>', measure))
            found[name].append(Row(part[:32], scores, "Below the" in part))
    return found


def test_the_inspector_shows_what_the_record_holds_for_fifty_random_replies(
    tmp_path: Path,
) -> None:
    chance = Random(7)
    sandbox = fake_sandbox(tmp_path, Script().play)
    desk = Desk(sandbox, "local")
    said_ = "barn hall gate Karim balloons mother oud supper Salt van wall songs"
    words = re.findall(r"\w+", said_)
    checked = 0
    for strategy in ("top_k", "no_memory"):
        opened = sandbox.sessions.open("local", "Dina Haddadin", "walid-qutami", strategy=strategy)
        for _ in range(25):
            text = " ".join(chance.sample(words, chance.randint(1, 6)))
            made = sandbox.conversation.ask("local", opened.id, text)
            look = desk.look(opened.id, "", "", made.line.id).inspection
            assert look is not None
            held = sandbox.conversation.reply("local", made.line.id)
            markup = inspector(look).markup
            shown, seen = rows_of(markup), Reader(markup).words
            traced = {one.entry: one for one in held.recalled}
            assert tuple(row.entry for row in shown["injected"]) == held.injected
            fallen = [one.entry for one in held.recalled if one.entry not in held.injected]
            assert [row.entry for row in shown["fallen"]] == fallen
            for row in (*shown["injected"], *shown["fallen"]):
                scores = traced[row.entry].scores.items()
                assert row.scores == tuple(f"{name} {score:.3f}" for name, score in scores)
                assert row.fell is (traced[row.entry].fell is not None)
                assert look.entries[row.entry].text in seen
            assert f"recalled {len(held.recalled)}→injected {len(held.injected)}" in seen
            assert f"seed{held.seed}" in seen
            assert all(message["content"] in seen for message in held.messages)
            checked += 1
    sandbox.close()
    assert checked == 50


# The prompt


def test_the_prompt_is_shared_out_by_section_about_or_as_counted() -> None:
    sections = {"persona": 70, "talk": 0, "notes": 35, "query": 7}
    assert section_tokens({"sections": sections}) == {
        "persona": 20,
        "talk": 0,
        "notes": 10,
        "query": 2,
    }
    counted = section_tokens({"sections": sections, "prompt_tokens": 64})
    assert counted == {"persona": 40, "talk": 0, "notes": 20, "query": 4}
    assert section_tokens({"prompt_tokens": 64}) == {}


@given(st.dictionaries(st.sampled_from("abcd"), st.integers(0, 10**6), min_size=1))
def test_the_cells_of_the_token_bar_are_never_lost_nor_empty(sizes: dict[str, int]) -> None:
    shared = cells(sizes)
    assert sum(shared.values()) == (48 if sum(sizes.values()) else 0)
    assert {name for name, count in shared.items() if count} == {n for n in sizes if sizes[n]}


def test_the_difference_of_prompts_is_marked_word_by_word() -> None:
    before: list[Message] = [{"role": "system", "content": "Be brief.\nSpeak of the old barn."}]
    now: list[Message] = [{"role": "system", "content": "Be brief.\nSpeak of the new barn.\nNow."}]
    markup = prompt_diff(before, now).markup
    assert "Speak of the <del>old</del><ins>new</ins> barn." in markup
    assert "<ins>Now.</ins>" in markup
    assert "the same" in read(prompt_diff(now, now)).words


LINES = st.lists(st.sampled_from(["a b", "b <i> c", "", "a c"]), max_size=3).map("\n".join)


@settings(deadline=None)
@given(LINES, LINES)
def test_a_difference_holds_both_texts_whole(old: str, new: str) -> None:
    if old == new:
        return
    markup = prompt_diff([{"role": "user", "content": old}], [{"role": "user", "content": new}])
    plain = re.sub(r"<small>.*?</small>", "", markup.markup, flags=re.DOTALL)
    without = re.sub(r"<del>.*?</del>", "", plain, flags=re.DOTALL)
    seen = re.sub(r"\s", "", Reader(without).words)
    assert all(re.sub(r"\s", "", line) in seen for line in new.split("\n"))


# The bank


def states() -> tuple[State, ...]:
    barn, hall = entry("barn", text="In the barn."), entry("hall", text="In the hall.")
    rule = entry("rule", text="Numbers first.", type="agent_method", side="dyad")
    price = entry("price", text="It cost 620.")
    return (
        State(barn, 1, 2, (), hall.id, "moved"),
        State(hall, 2, None, (barn.id,), None, ""),
        State(rule, 3, None, (), None, ""),
        State(price, 4, 5, (), None, "asked to forget"),
    )


def test_the_bank_counts_what_is_live_in_three_groups() -> None:
    words = read(bank_list(BankView(DYAD, 5, 5, states()), "Dina", "Walid", Asked())).words
    counted = "user scope 3 · dyad scope 1 · 2 live, 1 superseded, 1 deleted"
    assert f"revision 5 · {counted}" in words
    groups = r"user-side 3, 1 live.*URAM 1\D.*episodic 0.*none yet"
    assert re.search(groups, words, re.DOTALL)
    assert ("In the hall." in words, "In the barn." in words) == (True, False)


def test_superseded_entries_say_what_replaced_them_and_deleted_ones_why() -> None:
    words = read(
        bank_list(BankView(DYAD, 5, 5, states()), "Dina", "Walid", Asked(state="all"))
    ).words
    assert "superseded at r2 by: In the hall." in words
    assert "deleted at r5: asked to forget" in words


def test_an_empty_bank_says_how_to_fill_it() -> None:
    words = read(bank_list(BankView(DYAD, 0, 0, ()), "Dina", "Walid", Asked())).words
    assert "This bank is empty" in words
    assert "import a bank file" in words


def test_a_large_bank_shows_its_newest_entries_and_counts_the_rest() -> None:
    many = tuple(
        State(entry(f"k{n}", text=f"entry {n}."), n, None, (), None, "") for n in range(ROWS + 5)
    )
    words = read(bank_list(BankView(DYAD, 200, 200, many), "D", "W", Asked())).words
    assert (f"entry {ROWS + 4}." in words, "entry 4." in words) == (True, False)
    assert "Show 5 more of 5 older ones" in words


def asked(**values: str) -> Asked:
    return replace(Asked(state="all"), **values)


@pytest.mark.parametrize(
    ("wanted", "keys"),
    [
        (Asked(), ["hall", "rule"]),
        (asked(), ["barn", "hall", "rule", "price"]),
        (asked(state="gone"), ["barn", "price"]),
        (asked(text="THE in"), ["barn", "hall"]),
        (asked(text="method"), ["rule"]),
        (asked(type="fact", text="620"), ["price"]),
        (asked(side="dyad"), ["rule"]),
    ],
)
def test_a_filter_takes_what_was_asked_for(wanted: Asked, keys: list[str]) -> None:
    assert [one.entry.key for one in states() if wanted.takes(one)] == keys


def test_what_was_asked_for_has_a_name_of_its_own() -> None:
    assert Asked(rows=100).name == Asked(rows=100.0).name
    others = [Asked(text="a"), Asked(side="user"), Asked(as_of="1"), Asked(rows=200), Asked()]
    assert len({one.name for one in others}) == len(others)


def test_only_the_latest_revision_can_be_changed() -> None:
    now = read(bank_list(BankView(DYAD, 5, 5, states()), "D", "W", asked()))
    assert len(now.ids["edit"]) == len(now.ids["delete"]) == 2
    assert now.ids["undo"] == [states()[3].entry.id]
    past = read(bank_list(BankView(DYAD, 3, 5, states()[:3]), "D", "W", asked()))
    assert not {"edit", "delete", "undo"} & set(past.ids)
    assert "As it was at revision 3 of 5: read-only" in past.words


def test_the_last_delete_can_be_undone_until_the_entry_lives_again() -> None:
    gone = states()[3].entry.id
    view = BankView(DYAD, 5, 5, states())
    assert "Deleted: “It cost 620.”" in read(bank_list(view, "D", "W", Asked(deleted=gone))).words
    live = Asked(deleted=states()[1].entry.id)
    assert "Deleted:" not in read(bank_list(view, "D", "W", live)).words


@pytest.mark.parametrize(("as_of", "revision"), [("", None), (" ", None), ("0", 0), (" 12 ", 12)])
def test_a_revision_is_a_number_or_the_latest(as_of: str, revision: int | None) -> None:
    assert Asked(as_of=as_of).revision == revision


@pytest.mark.parametrize("as_of", ["-1", "two", "1.5", "²"])
def test_what_is_no_revision_is_told(as_of: str) -> None:
    with pytest.raises(BadInput, match="must be a number"):
        assert Asked(as_of=as_of).revision


# The timeline


def operation(number: int, **values: Any) -> Operation:
    plain = Operation("o", DYAD.scope("user"), number, "add", "e", (), "", "p1", "", None)
    return replace(plain, **values)


def test_the_timeline_is_newest_first_with_reason_and_cause() -> None:
    held = {state.entry.id: state for state in states()}
    [barn, hall, *_] = held
    told_ = timeline(
        [
            operation(1, entry_id=barn, imported=ImportedFrom("w.jsonl", "0123456789abcdef")),
            operation(2, entry_id=hall, cause="by hand:x", reason="It moved.", replaces=(barn,)),
            operation(3, entry_id="gone", kind="delete"),
        ],
        held,
        "Walid",
    )
    seen = read(told_)
    assert seen.ids["select"] == ["3", "2", "1"]
    assert "file w.jsonl (01234567)" in seen.words
    assert "It moved.by hand in place of 1" in seen.words
    assert "− delete" in seen.words
    assert "an approved proposal" in seen.words


def test_a_long_timeline_shows_its_newest_and_counts_the_rest() -> None:
    many = [operation(number) for number in range(1, 151)]
    words = read(timeline(many, {}, "W")).words
    assert ("r150" in words, "r50−" in words, "and 50 older ones" in words) == (True, False, True)
    assert not timeline([], {}, "W")


def test_what_a_recall_would_find_is_ranked_and_what_is_gone_is_marked() -> None:
    found = [Previewed(entry(), 0.41, True, None), Previewed(entry("old"), 0.2, False, "x")]
    words = read(previewed(found, "supper", 9, "W")).words
    assert "at revision 9" in words
    assert re.search(r"1dense 0\.410.*2dense 0\.200.*superseded by that revision", words)
    assert "the bank was empty" in read(previewed([], "supper", 0, "W")).words


# The proposals


def test_a_proposal_shows_its_evidence_and_what_it_replaces() -> None:
    old = entry("old", text="In the barn.")
    waiting = outcome(
        "proposed",
        proposal(1, entry(), deletes=(old.id,), reason="It moved."),
        held={old.id: old},
        quote="We moved it.",
    )
    seen = read(proposal_list([waiting]))
    assert "Dina said: “We moved it.”" in seen.words
    assert "takes the place of: In the barn." in seen.words
    assert "because: It moved." in seen.words
    assert (seen.ids["apply"], seen.ids["edit"], seen.ids["delete"]) == (["p1"], ["p1"], ["p1"])


def test_all_can_be_approved_where_more_than_one_waits() -> None:
    two = outcome("proposed", proposal(1, entry("a")), proposal(2, entry("b")))
    assert read(proposal_list([two])).ids["submit"] == ["s"]
    assert "submit" not in read(proposal_list([outcome("proposed", proposal(1, entry()))])).ids


def test_a_decided_proposal_says_how_and_offers_no_second_decision() -> None:
    edited = Decision("approved", entry(text="As I say."), "human", "now", True)
    turned_down = Decision("rejected", None, "human", "now", True)
    operation = Operation("o", DYAD.scope("user"), 9, "add", "e", (), "", "p1", "now", None)
    done = outcome(
        "done",
        proposal(1, entry(), edited),
        proposal(2, entry("b"), turned_down),
        operations=(operation,),
    )
    seen = read(proposal_list([done]))
    assert ("approved as edited" in seen.words, "As I say." in seen.words) == (True, True)
    assert "rejected" in seen.words
    assert "0 to decide, 2 decided · bank now at revision 9" in seen.words
    assert not {"apply", "edit", "delete"} & set(seen.ids)


def test_the_proposal_being_edited_has_no_buttons() -> None:
    seen = read(proposal_list([outcome("proposed", proposal(1, entry()))], editing="p1"))
    assert "apply" not in seen.ids
    assert "being edited" in seen.words


STATES: dict[str, tuple[str, bool]] = {
    "pending": ("Not read yet", True),
    "unreadable": ("Unreadable", True),
    "done": ("No entries", False),
}


@pytest.mark.parametrize("status", list(STATES))
def test_every_way_of_finding_nothing_looks_different_and_says_what_to_do(status: str) -> None:
    words, again = STATES[status]
    seen = read(proposal_list([outcome(status, notes=("The model is down.",))]))
    assert words in seen.words
    assert ("retry" in seen.ids) is again
    others = {told_ for told_, _ in STATES.values()} - {words}
    assert not [other for other in others if other in seen.words]


def test_a_session_being_read_is_told_apart_from_one_that_could_not_be() -> None:
    words = read(proposal_list([outcome("pending")])).words
    assert ("Being read" in words, "Not read yet" in words) == (True, False)


def test_what_was_refused_is_listed_with_its_reason() -> None:
    refused = Finding(0, {"text": "Hearsay.", "type": "rumour"}, "s-1", "Not one of the six types.")
    words = read(proposal_list([outcome("done", findings=(refused,), notes=("One part.",))])).words
    assert "Notes (1), refused (1)" in words
    assert "Hearsay." in words
    assert "Not one of the six types." in words


def test_without_anything_to_decide_the_list_says_where_it_comes_from() -> None:
    assert "End a session" in read(proposal_list([])).words


# Around it


def test_the_banner_names_parts_folder_traffic_and_what_is_wrong() -> None:
    parts = (
        Part("model", "SmolLM2", "loading", "shows the machinery, not quality"),
        Part("index", "", "ready"),
    )
    told_ = Machine(parts, "/data", "no network: nothing leaves", ("skerry.yaml: broken",))
    words = read(banner(told_)).words
    for part in (
        "SmolLM2 loading",
        "shows the machinery, not quality",
        "index  ready",
        "data folder /data",
        "no network",
        "memory scoping, not access control",
        "1 notice",
        "skerry.yaml: broken",
    ):
        assert part in words
    assert not told_.settled
    assert replace(told_, parts=parts[1:]).settled


def test_the_session_list_marks_the_open_one_and_counts_turns() -> None:
    ended = session(id="t", ended_at="2026-03-26T12:00:00+03:00", continues="s")
    view = session_list([SessionSummary(session(), 1), SessionSummary(ended, 4)], "s")
    assert read(view).ids["select"] == ["s", "t"]
    assert "1 turn · open" in read(view).words
    assert "4 turns · ended · continued" in read(view).words
    assert view.markup.count('aria-current="true"') == 1
    assert "press New session" in read(session_list([], "")).words


def test_characters_without_sample_user_have_no_sample_chat() -> None:
    blank = PERSONA.model_copy(update={"id": "blank", "sample_user": None})
    assert read(sample_door([PERSONA, blank])).ids["select"] == ["walid"]
    assert read(character_door([PERSONA, blank])).ids["select"] == ["walid", "blank"]


def test_own_characters_are_counted_behind_the_door_and_told_apart_in_the_list() -> None:
    assert "2 of your own are in the list" in read(character_door([PERSONA], 2)).words
    twin = PERSONA.model_copy(update={"id": "walid-2"})
    lone = PERSONA.model_copy(update={"id": "noor", "name": "Noor"})
    names = [name for name, _ in choices([PERSONA, lone, twin])]
    assert names == ["Walid · walid", "Noor", "Walid · walid-2"]


def test_an_import_is_told_in_numbers() -> None:
    assert imported_words(3, 2) == "3 added, 2 already known."
    assert "1 of the known ones" in imported_words(0, 2, 1)


def test_times_are_shown_without_seconds() -> None:
    assert shown_time("2026-03-26T11:05:00+03:00") == "2026-03-26 11:05 +03:00"
    assert shown_time("2026-03-26T11:05:00") == "2026-03-26 11:05"
    assert short_time("2026-03-26T11:05:00+03:00") == "2026-03-26 11:05"
    assert shown_time("2026-03-26") == "2026-03-26"


# Wiring


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> gr.Blocks:
    sandbox = fake_sandbox(tmp_path_factory.mktemp("views"), Script().play)
    sandbox.close()
    return build_page(sandbox)


API = {"chat", "end_session", "bank", "evaluate"}


def test_every_event_of_the_page_is_private_named_and_wide_enough(page: gr.Blocks) -> None:
    for fn in page.fns.values():
        public = fn.api_name in API
        assert (fn.api_visibility == "public") is public, fn.api_name
        if fn.fn is not None and not public:
            assert fn.api_name
            assert isinstance(fn.concurrency_limit, int)
            assert fn.concurrency_limit > 1


def test_no_style_sheet_loads_anything() -> None:
    for sheet in page_look().css_paths:
        assert not re.findall(r"url\(|@import|https?:", Path(sheet).read_text("utf-8"))


def test_every_colour_of_the_theme_is_in_the_style_sheet() -> None:
    text = "".join(Path(sheet).read_text("utf-8") for sheet in page_look().css_paths)
    assert [colour for colour in COLOURS.values() if text.count(f"--{colour}:") != 2] == []


def test_an_error_for_people_becomes_one_escaped_sentence() -> None:
    @told
    def fail(_: str) -> None:
        raise BadInput("got '<img src=x>'.")

    with pytest.raises(gr.Error, match="&#x27;&lt;img src=x&gt;&#x27;."):
        fail("")


def test_an_error_in_mid_stream_becomes_a_sentence_too() -> None:
    @told
    def steps() -> Any:
        yield 1
        raise BadInput("Stop <here>.")

    stream = steps()
    assert next(stream) == 1
    with pytest.raises(gr.Error, match="Stop &lt;here&gt;."):
        next(stream)


def test_a_bug_stays_a_bug() -> None:
    @told
    def fail() -> None:
        raise KeyError("a bug")

    with pytest.raises(KeyError, match="a bug"):
        fail()


@pytest.mark.parametrize(
    ("kind", "readiness"),
    [("starting", "loading"), ("rebuilding", "loading"), ("ready", "ready"), ("off", "failed")],
)
def test_the_state_of_the_index_is_told(kind: Any, readiness: str) -> None:
    part = index_part(IndexState(kind, "A sentence.", 1, 2), "ready")
    assert part.state == readiness
    assert ("1 of 2" in part.sentence) is (readiness != "ready")


def test_an_index_that_waits_for_the_embedder_has_not_failed() -> None:
    off = IndexState("off", "The vector index has not been started.")
    assert index_part(off, "loading").state == "loading"
    assert index_part(off, "failed").state == "failed"

"""The gates between what a model captures and what may become an entry."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.echoes import Known
from graphs.forms import MOST_ITEMS, CapturedItem, CaptureForm, ForgetItem
from graphs.gates import ALLOWED, TOO_MANY, Candidate, Gated, iso_date, pass_gates
from graphs.spoken import Spoken, Utterance
from memory_banks.entries import Dyad, Entry

DYAD = Dyad("local", "dina", "walid")
SPOKEN = Spoken(
    "Dina",
    "Walid",
    "Name: Walid",
    (
        Utterance("s-1", "user", "Dina", "I moved to Tallinn.", "2026-03-26T11:05:00+03:00"),
        Utterance("s-1.1", "assistant", "Walid", "Metric it is.", "2026-03-26T11:05:00+03:00"),
    ),
)
WHOLE = range(1, 3)
NOTHING = Known()


def passed(*items: CapturedItem, asked: range = WHOLE, known: Known = NOTHING) -> list[Candidate]:
    return pass_gates([(item, asked) for item in items], SPOKEN, DYAD, "s", known).candidates


def gated(*items: CapturedItem, known: Known = NOTHING) -> list[str | None]:
    """Why each item was refused; null for one that passed."""
    return [candidate.refused for candidate in passed(*items, known=known)]


def holding(*texts: str, entry_type: str = "fact", anchor: str | None = None) -> Known:
    """A bank that holds these texts."""
    scope = DYAD.scope("user")
    return Known(tuple(Entry(text, scope, entry_type, text, anchor) for text in texts))  # type: ignore[arg-type]


def item(**values: object) -> CapturedItem:
    return CapturedItem.model_validate(
        {"utterance": 1, "type": "fact", "text": "Dina lives in Tallinn."} | values
    )


@pytest.mark.parametrize("entry_type", ["user_profile", "fact", "episodic"])
def test_a_user_utterance_supports_user_types_in_the_users_scope(entry_type: str) -> None:
    (found,) = passed(item(type=entry_type))
    assert found.entry is not None
    assert (found.entry.scope.agent, found.utterance) == ("", "s-1")


@pytest.mark.parametrize("entry_type", ["agent_identity", "agent_method", "agent_knowledge"])
def test_an_agent_utterance_supports_agent_types_in_the_dyads_scope(entry_type: str) -> None:
    rule = item(type=entry_type, utterance=2, text="Walid answers in metric.")
    (found,) = passed(rule)
    assert found.entry is not None
    assert (found.entry.scope.agent, found.entry.provenance.turns) == ("walid", ("s-1.1",))


@pytest.mark.parametrize(
    ("entry_type", "utterance"),
    [("agent_identity", 1), ("agent_method", 1), ("user_profile", 2), ("fact", 2)],
)
def test_a_type_forbidden_for_the_speaker_is_refused(entry_type: str, utterance: int) -> None:
    (refused,) = gated(item(type=entry_type, utterance=utterance))
    assert refused is not None
    assert entry_type in refused


@pytest.mark.parametrize("utterance", [0, -1, 3, 99])
def test_an_utterance_that_was_not_said_is_refused(utterance: int) -> None:
    assert gated(item(utterance=utterance)) == [f"It names utterance {utterance} of 2."]


def test_an_unknown_type_is_refused_and_its_neighbours_stay() -> None:
    assert gated(item(type="wish"), item()) == ["'wish' is none of the six types.", None]


def test_of_two_equal_texts_the_last_one_stays() -> None:
    first, last = gated(item(text="Dina lives in Tallinn"), item(text="dina  lives in tallinn."))
    assert first == "Said again by a later entry of this capture."
    assert last is None


def test_a_good_item_is_not_lost_to_a_refused_one_with_its_text() -> None:
    good, bad = gated(item(), item(utterance=9))
    assert good is None
    assert bad is not None


def test_a_text_of_the_bank_is_no_news() -> None:
    (refused,) = gated(item(), known=holding("DINA lives in Tallinn"))
    assert refused is not None
    assert refused.startswith("Already known")


@pytest.mark.parametrize("text", ["", "  ", ".", "x" * 2001, "a\x00b"])
def test_an_unusable_text_is_refused(text: str) -> None:
    assert gated(item(text=text)) != [None]


def test_an_item_of_the_overlap_belongs_to_the_part_before() -> None:
    (found,) = passed(item(utterance=1), asked=range(2, 3))
    assert found.refused == "Utterance 1 belongs to another part of the session."


@pytest.mark.parametrize(
    ("anchor", "kept"),
    [
        ("2026-04-01", "2026-04-01"),
        ("2026-04-01T09:00+03:00", "2026-04-01T09:00+03:00"),
        ("next week", "2026-03-26"),
        (None, "2026-03-26"),
    ],
)
def test_no_date_is_invented_from_words(anchor: str | None, kept: str) -> None:
    (found,) = passed(item(anchor=anchor))
    assert found.entry is not None
    assert found.entry.anchor == kept


def test_only_iso_dates_are_dates() -> None:
    assert [iso_date(text) for text in ("2026-02-29", "26.3.2026", "", None)] == [None] * 4


def test_the_same_session_gives_the_same_keys() -> None:
    first = passed(item())
    again = passed(item())
    assert first == again


TALK = Spoken(
    "Dina",
    "Walid",
    "Name: Walid\nWalid keeps the lighthouse of Skerry; he answers in short sentences.",
    tuple(
        Utterance(f"t-{n}", "user" if n % 2 else "assistant", "", text, f"2026-03-26T11:0{n}+03:00")
        for n, text in enumerate(
            [
                "I am moving to another city next month. Answer in metric from now on.",
                "Metric from now on, unless you ask otherwise.",
                "The city is Riga, and my cousin Wim will drive.",
                "Riga, then. I feed my starter rye every morning.",
            ],
            start=1,
        )
    ),
)


def talked(*items: CapturedItem, known: Known = NOTHING) -> list[Candidate]:
    whole = range(1, len(TALK.utterances) + 1)
    return pass_gates([(item, whole) for item in items], TALK, DYAD, "t", known).candidates


def told(utterance: int, entry_type: str, text: str, **values: object) -> CapturedItem:
    return item(utterance=utterance, type=entry_type, text=text, **values)


@pytest.mark.parametrize(
    ("entry_type", "utterance", "side"),
    [("agent_identity", 1, ""), ("agent_method", 1, ""), ("user_profile", 2, "walid")],
)
def test_a_forbidden_type_becomes_episodic_where_it_tells_one_event(
    entry_type: str, utterance: int, side: str
) -> None:
    (found,) = passed(item(type=entry_type, utterance=utterance, event=True))
    assert found.entry is not None
    assert (found.entry.type, found.entry.scope.agent) == ("episodic", side)
    assert entry_type in (found.note or "")


def test_a_rule_that_nobody_took_on_is_dropped_with_the_reason() -> None:
    (found,) = talked(told(1, "agent_identity", "Walid answers Dina in metric."))
    assert "agent's words that take it on" in (found.refused or "")
    assert found.utterance == "t-1"


def test_a_rule_rests_on_the_words_that_take_it_on() -> None:
    (found,) = talked(told(2, "agent_identity", "Walid answers Dina in metric, unless she asks."))
    assert found.refused is None


def test_a_long_term_type_wins_over_an_event_of_the_same_information() -> None:
    fact, event = gated(item(), item(type="episodic", text="In Tallinn, Dina lives!"))
    assert fact is None
    assert event == "An entry of a long-term type says the same."


def test_two_events_of_different_days_are_two() -> None:
    first = item(type="episodic", text="Dina swam in Tallinn.", anchor="2026-03-24")
    assert gated(first, first.model_copy(update={"anchor": "2026-03-25"})) == [None, None]


def test_an_event_of_another_day_is_news_to_the_bank() -> None:
    bank = holding("Dina swam in Tallinn.", entry_type="episodic", anchor="2026-03-01")
    event = item(type="episodic", text="Dina swam in Tallinn.", anchor="2026-03-25")
    assert gated(event, known=bank) == [None]
    assert gated(event.model_copy(update={"anchor": None}), known=bank) != [None]


def test_what_the_agent_was_shown_and_is_gone_is_no_news_from_the_agent_alone() -> None:
    known = Known(gone=holding("Dina lives in Tallinn.").live)
    echo = item(type="episodic", utterance=2)
    assert gated(echo, known=known) != [None]
    assert gated(item(), known=known) == [None]


def test_the_characters_description_is_no_news() -> None:
    for said in ("Walid keeps the lighthouse of Skerry.", "Walid answers in short sentences."):
        (found,) = talked(told(2, "agent_identity", said))
        assert (found.refused or "").startswith("Already known")


@pytest.mark.parametrize("text", ["Lives in Riga with a cat.", "Dina lives in Riga with a cat."])
def test_what_the_character_is_may_be_true_of_the_user_too(text: str) -> None:
    mine = item(type="user_profile", text=text)
    its = item(utterance=2, type="agent_knowledge", text="Walid lives in Riga with a cat.")
    spoken = replace(SPOKEN, persona="Name: Walid\nLives in Riga with a cat.")
    found = pass_gates([(mine, WHOLE), (its, WHOLE)], spoken, DYAD, "s", NOTHING).candidates
    assert [one.refused is None for one in found] == [True, False]


@pytest.mark.parametrize(
    ("utterance", "entry_type", "text"),
    [
        (1, "user_profile", "Dina plans to move to Riga in April 2026."),
        (1, "episodic", "Dina feeds a starter rye every morning."),
        (1, "user_profile", "Dina is moving, and her cousin Wim drives."),
    ],
)
def test_a_later_utterance_fills_in_no_earlier_one(
    utterance: int, entry_type: str, text: str
) -> None:
    (found,) = talked(told(utterance, entry_type, text))
    assert "said only later" in (found.refused or "")


def test_history_dates_and_own_words_are_no_filling_in() -> None:
    kept = talked(
        told(1, "user_profile", "Dina plans to relocate to a different town in April 2026."),
        told(3, "user_profile", "Dina plans to move to Riga in April 2026 with Wim driving."),
    )
    assert [one.refused for one in kept] == [None, None]


def test_what_the_agent_is_like_is_not_the_users() -> None:
    (found,) = talked(told(3, "user_profile", "Walid likes Riga."))
    assert "about the agent" in (found.refused or "")
    (kept,) = talked(told(3, "fact", "Walid and Dina share the cousin Wim."))
    assert kept.refused is None


def test_a_text_in_the_first_person_waits_for_a_human() -> None:
    (found,) = passed(item(text="I moved to Tallinn."))
    assert found.entry is not None
    assert found.doubt is not None


def test_an_unreadable_item_costs_its_neighbours_nothing() -> None:
    answer = {
        "entries": [
            {"utterance": [], "type": "fact", "text": "Lost."},
            "words",
            {"utterance": "1", "type": "fact", "text": "Dina lives in Tallinn.", "anchor": 5},
            {"type": "fact"},
        ]
    }
    form = CaptureForm.model_validate_json(json.dumps(answer), strict=True)
    first, second, good, last = gated(*form.entries)
    assert first == "It has no utterance that can be read."
    assert second == "It is no object of the form."
    assert good is None
    assert last == "It has no text and no utterance that can be read."


def test_no_fault_comes_from_a_model() -> None:
    read = CaptureForm.model_validate({"entries": [{**item().model_dump(), "fault": "mine"}]})
    assert read.entries[0].fault is None
    assert '"fault"' not in json.dumps(CaptureForm.model_json_schema())


def test_what_comes_after_the_most_is_refused_and_the_rest_stays() -> None:
    many = [item(text=f"Dina lives in town {n}.") for n in range(MOST_ITEMS + 1)]
    assert gated(*many) == [None] * MOST_ITEMS + [TOO_MANY]


def test_a_date_that_is_none_is_dropped_with_a_note() -> None:
    vague, dated = passed(
        item(anchor="next week"), item(text="Dina has cats.", anchor="2026-04-01")
    )
    assert "no ISO date" in (vague.note or "")
    assert dated.note is None


NAMES = [
    "小雪在蓝桥书店上班，老板叫顾望舒。",
    "Noor werkt bij De Gouden Draak.",
    "نور تعمل في مكتبة الجسر الأزرق.",
    "נור עובדת בספריית הגשר הכחול.",
    "नूर नीला पुल किताबघर में काम करती है।",
]


@pytest.mark.parametrize("text", NAMES)
def test_an_entry_keeps_the_language_and_names_of_the_utterance(text: str) -> None:
    (found,) = passed(item(text=text))
    assert found.entry is not None
    assert (found.entry.text, found.doubt) == (text, None)


FORGOTTEN = "It repeats what the user asks to forget."


def wishing(*wishes: tuple[int, str], items: tuple[CapturedItem, ...] = ()) -> Gated:
    whole = range(1, len(TALK.utterances) + 1)
    forget = [(ForgetItem(utterance=n, text=text), whole) for n, text in wishes]
    return pass_gates([(one, whole) for one in items], TALK, DYAD, "t", NOTHING, forget)


def test_only_the_user_asks_to_forget() -> None:
    found = wishing((3, "That Wim drives."), (2, "Metric."), (9, "x"), (1, " "))
    assert [one.refused is None for one in found.requests] == [True, False, False, False]
    assert found.requests[0].utterance == "t-3"


def test_what_is_to_be_forgotten_is_not_captured_up_to_where_it_is_asked() -> None:
    before = told(1, "fact", "Dina moves to another city.")
    asking = told(3, "episodic", "Dina asked to forget that Dina moves to another city.")
    found = wishing((3, "Dina moves to another city."), items=(before, asking))
    assert [one.refused for one in found.candidates] == [
        "It repeats what the user asks to forget."
    ] * 2
    later = wishing((1, "Dina moves to another city."), items=(asking,))
    assert later.candidates[0].refused is None


def test_a_text_in_another_script_than_its_utterance_is_noted() -> None:
    told = Utterance("z-1", "user", "小雪", "我在蓝桥书店上班。", "2026-03-26T11:05:00+03:00")
    spoken = Spoken("小雪", "Walid", "", (told,))
    items = [(item(text=text), range(1, 2)) for text in ("小雪在蓝桥书店上班。", "Xue has a job.")]
    kept, foreign = pass_gates(items, spoken, DYAD, "z", NOTHING).candidates
    assert kept.note is None
    assert "cjk" in (foreign.note or "")


VALUES = st.one_of(
    st.integers(-1, 5), st.none(), st.booleans(), st.text(max_size=30), st.lists(st.none())
)
FIELD_NAMES = ["utterance", "type", "text", "event", "anchor", "emotion", "scene", "fault"]
WILD = st.one_of(st.dictionaries(st.sampled_from(FIELD_NAMES), VALUES), VALUES)
GOOD = st.fixed_dictionaries(
    {
        "utterance": st.integers(1, 4),
        "type": st.sampled_from(["fact", "episodic", "agent_identity"]),
        "text": st.text(max_size=40),
        "event": st.booleans(),
    }
)


@given(st.lists(st.one_of(GOOD, WILD), max_size=8))
def test_every_item_of_any_answer_is_an_entry_or_refused_with_a_reason(answer: list[Any]) -> None:
    raw = json.dumps({"entries": answer})
    found = talked(*CaptureForm.model_validate_json(raw, strict=True).entries)
    assert len(found) == len(answer)
    assert all((one.entry is None) == bool(one.refused) for one in found)
    for one in (one.entry for one in found if one.entry):
        role = one.provenance.role
        assert role is not None
        assert one.type in ALLOWED[role]
        assert one.scope.side == ("user" if role == "user" else "dyad")

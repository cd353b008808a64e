"""The gates between what a model captures and what may become an entry."""

import pytest

from graphs.forms import CapturedItem
from graphs.gates import iso_date, normal, pass_gates
from graphs.spoken import Spoken, Utterance
from memory_banks.entries import Dyad

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


def gated(*items: CapturedItem, known: set[str] = frozenset()) -> list[str | None]:
    """Why each item was refused; null for one that passed."""
    found = pass_gates([(item, WHOLE) for item in items], SPOKEN, DYAD, "s", known)
    return [candidate.refused for candidate in found]


def item(**values: object) -> CapturedItem:
    return CapturedItem.model_validate(
        {"utterance": 1, "type": "fact", "text": "Dina lives in Tallinn."} | values
    )


@pytest.mark.parametrize("entry_type", ["user_profile", "fact", "episodic"])
def test_a_user_utterance_supports_user_types_in_the_users_scope(entry_type: str) -> None:
    (found,) = pass_gates([(item(type=entry_type), WHOLE)], SPOKEN, DYAD, "s", set())
    assert found.entry is not None
    assert (found.entry.scope.agent, found.utterance) == ("", "s-1")


@pytest.mark.parametrize("entry_type", ["agent_identity", "agent_method", "agent_knowledge"])
def test_an_agent_utterance_supports_agent_types_in_the_dyads_scope(entry_type: str) -> None:
    rule = item(type=entry_type, utterance=2, text="Walid answers in metric.")
    (found,) = pass_gates([(rule, WHOLE)], SPOKEN, DYAD, "s", set())
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
    (refused,) = gated(item(), known={normal("DINA lives in Tallinn")})
    assert refused is not None
    assert refused.startswith("Already known")


@pytest.mark.parametrize("text", ["", "  ", ".", "x" * 2001, "a\x00b"])
def test_an_unusable_text_is_refused(text: str) -> None:
    assert gated(item(text=text)) != [None]


def test_an_item_of_the_overlap_belongs_to_the_part_before() -> None:
    (found,) = pass_gates([(item(utterance=1), range(2, 3))], SPOKEN, DYAD, "s", set())
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
    (found,) = pass_gates([(item(anchor=anchor), WHOLE)], SPOKEN, DYAD, "s", set())
    assert found.entry is not None
    assert found.entry.anchor == kept


def test_only_iso_dates_are_dates() -> None:
    assert [iso_date(text) for text in ("2026-02-29", "26.3.2026", "", None)] == [None] * 4


def test_the_same_session_gives_the_same_keys() -> None:
    first = pass_gates([(item(), WHOLE)], SPOKEN, DYAD, "s", set())
    again = pass_gates([(item(), WHOLE)], SPOKEN, DYAD, "s", set())
    assert first == again

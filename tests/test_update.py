"""What an update may delete, and what it may not."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.update import UNASKED, Updated, Wish, update_bank
from graphs.wording import People
from memory_banks.entries import Dyad, Entry, Provenance
from tests.scripted_model import ScriptedModel

DYAD = Dyad("local", "ana", "bram")
PEOPLE = People("Ana", "Bram")


def entry(text: str) -> Entry:
    return Entry(text, DYAD.scope("user"), "fact", text, provenance=Provenance("s", (f"u {text}",)))


GHOSTS, VIOLA = entry("Ana dislikes ghost stories."), entry("Ana plays the viola.")
ENJOYS = entry("Ana enjoys ghost stories now.")


def updated(
    answer: dict[str, Any] | str,
    new: Sequence[Entry] = (ENJOYS,),
    held: Sequence[Entry] = (GHOSTS, VIOLA),
    wishes: Sequence[Wish] = (),
) -> Updated:
    model = ScriptedModel(answer)
    return update_bank(list(new), list(held), lambda: model, PEOPLE, wishes)


def change(new: object, *held: object, reason: str = "") -> dict[str, Any]:
    return {"changes": [{"new": new, "held": list(held), "reason": reason}]}


def deleted(found: Updated) -> list[str]:
    return [entry_id for one in found.changes for entry_id in one.deletes]


def test_a_replacement_names_what_it_replaces_and_why() -> None:
    (found,) = updated(change(1, 1, reason="Changed\nher mind.")).changes
    assert (found.entry, found.deletes) == (ENJOYS, (GHOSTS.id,))
    assert (found.reason, found.doubt) == ("Changed her mind.", None)
    assert found.evidence == ENJOYS.provenance.turns[0]


def test_without_an_answer_that_can_be_read_every_new_entry_is_added() -> None:
    found = updated("words")
    assert [(one.entry, one.deletes) for one in found.changes] == [(ENJOYS, ())]
    assert "nothing is proposed for deletion" in found.notes[0]


@pytest.mark.parametrize(
    "answer",
    [change(0, 1), change(None, 1), {"changes": [{"held": [1]}]}, {"changes": ["delete 1"]}],
)
def test_a_deletion_without_a_new_entry_is_refused_and_said(answer: dict[str, Any]) -> None:
    found = updated(answer)
    assert deleted(found) == []
    assert "nobody asked" in found.notes[0]


@pytest.mark.parametrize(
    "answer", [change(2, 1), change(-1, 1), change(1, 3), change(1, 0), change(1, 1, 99)]
)
def test_an_invented_number_touches_no_neighbour(answer: dict[str, Any]) -> None:
    found = updated(answer)
    assert deleted(found) == []
    assert "refused" in found.notes[0]


def test_one_bad_change_costs_no_good_one() -> None:
    found = updated(
        {"changes": [{"held": None}, *change(1, 1)["changes"], *change(7, 2)["changes"]]}
    )
    assert deleted(found) == [GHOSTS.id]
    assert len(found.notes) == 2


def test_the_wrong_held_entry_is_not_deleted_where_another_is_on_the_subject() -> None:
    found = updated(change(1, 2))
    assert (deleted(found), found.changes[0].entry) == ([], ENJOYS)
    assert "shares no word" in found.notes[0]


def test_a_replacement_may_share_no_word_where_nothing_else_is_on_the_subject() -> None:
    lives, moved = entry("Ana lives in Tallinn."), entry("Ana moved to Riga.")
    (found,) = updated(change(1, 1), [moved], [lives, VIOLA]).changes
    assert (found.deletes, found.doubt) == ((lives.id,), None)


def test_a_held_entry_is_taken_once() -> None:
    new = [ENJOYS, entry("Ana reads ghost stories.")]
    found = updated({"changes": [*change(1, 1)["changes"], *change(2, 1)["changes"]]}, new=new)
    assert [one.deletes for one in found.changes] == [(GHOSTS.id,), ()]


def test_deleting_much_of_the_bank_waits_for_a_human() -> None:
    held = [entry(f"Ana likes tea number {n}.") for n in range(6)]
    new = [entry("Ana likes tea."), entry("Ana likes green tea."), entry("Ana drinks tea.")]
    few = updated({"changes": [*change(1, 1, 2)["changes"], *change(2, 3)["changes"]]}, new, held)
    assert [one.doubt for one in few.changes] == [None, None, None]
    many = {"changes": [*change(1, 1, 2)["changes"], *change(2, 3, 4)["changes"]]}
    first, second, third = updated(many, new, held).changes
    assert first.doubt == second.doubt
    assert (first.doubt or "").startswith("Together these changes would delete 4 of 6 entries")
    assert third.doubt is None


def test_no_new_entry_takes_the_place_of_too_many() -> None:
    held = [entry(f"Ana likes tea number {n}.") for n in range(30)]
    new = [entry("Ana likes tea.")]
    assert deleted(updated(change(1, *range(1, 7)), new, held)) == []
    piecemeal = {"changes": [*change(1, 1, 2, 3)["changes"], *change(1, 4, 5, 6)["changes"]]}
    assert len(deleted(updated(piecemeal, new, held))) == 3


def wish(said: str) -> Wish:
    return Wish("t-1", said, "the viola")


FORGET = {"changes": [], "forget": [{"request": 1, "held": [2]}]}


@pytest.mark.parametrize(
    "said",
    [
        "Please forget that I play the viola.",
        "Delete the bit about the viola",
        "Vergiss die Bratsche.",
        "Oublie l'alto.",
        "忘掉中提琴吧",
        "Don't remember the viola.",
    ],
)
def test_what_the_user_asks_to_forget_goes_without_a_replacement(said: str) -> None:
    found = updated(FORGET, new=[], wishes=[wish(said)])
    (only,) = found.changes
    assert (only.entry, only.deletes, only.evidence) == (None, (VIOLA.id,), "t-1")
    assert (only.doubt, found.notes) == (None, [])


@pytest.mark.parametrize(
    "said", ["I play the viola.", "Don't forget the viola.", "Vergiss nicht …"]
)
def test_where_the_words_do_not_plainly_ask_a_human_looks(said: str) -> None:
    (only,) = updated(FORGET, new=[], wishes=[wish(said)]).changes
    assert only.doubt == UNASKED


def test_nobody_asked_and_nothing_is_forgotten() -> None:
    found = updated(FORGET)
    assert deleted(found) == []
    assert "nobody asked" in found.notes[0]


def test_a_wish_that_matches_nothing_is_said() -> None:
    found = updated({"changes": []}, new=[], wishes=[wish("Forget the loom.")])
    assert found.changes == []
    assert "request 1" in found.notes[0]
    assert update_bank([], [], ScriptedModel, PEOPLE, [wish("Forget it.")]).notes == found.notes


def test_forgetting_everything_waits_for_a_human() -> None:
    held = [entry(f"Ana likes tea number {n}.") for n in range(6)]
    every = {"changes": [], "forget": [{"request": 1, "held": [1, 2, 3, 4, 5, 6]}]}
    (only,) = updated(every, new=[], held=held, wishes=[wish("Forget all of it.")]).changes
    assert len(only.deletes) == 6
    assert "6 of 6" in (only.doubt or "")


def test_the_model_sees_numbers_and_no_ids() -> None:
    model = ScriptedModel({"changes": []})
    update_bank([ENJOYS], [GHOSTS, VIOLA], lambda: model, PEOPLE, [wish("Forget the viola.")])
    asked = model.asked[0].text
    assert "2. (fact, no date) Ana plays the viola." in asked
    assert "1. the viola" in asked
    assert not any(one.id in asked for one in (GHOSTS, VIOLA, ENJOYS))


def test_a_replacement_that_loses_parts_of_a_list_says_so() -> None:
    held = [entry("Ana drinks rooibos, oolong and mate.")]
    some, whole = entry("Ana drinks rooibos now."), entry("Ana drinks oolong, mate and rooibos.")
    assert "parts of a list" in updated(change(1, 1), [some], held).notes[0]
    assert updated(change(1, 1), [whole], held).notes == []


NUMBERS = st.integers(-2, 9)
VALUES = st.one_of(NUMBERS, st.none(), st.text(max_size=5), st.lists(NUMBERS, max_size=7))
FIELDS = st.dictionaries(st.sampled_from(["new", "held", "request", "reason", "x"]), VALUES)
ITEMS = st.lists(st.one_of(FIELDS, VALUES), max_size=8)


@given(ITEMS, ITEMS, st.booleans())
def test_whatever_is_answered_adds_everything_once_and_deletes_nothing_strange(
    changes: list[Any], forget: list[Any], asked: bool
) -> None:
    new = [ENJOYS, entry("Ana reads ghost stories aloud."), entry("Ana sold the viola.")]
    held = [GHOSTS, VIOLA, *(entry(f"Ana likes tea number {n}.") for n in range(4))]
    wishes = [wish("Forget the viola.")] if asked else []
    found = updated({"changes": changes, "forget": forget}, new, held, wishes)
    gone = deleted(found)
    assert [one.entry for one in found.changes if one.entry] == new
    assert len(gone) == len(set(gone))
    assert set(gone) <= {one.id for one in held}
    assert all(one.deletes and asked for one in found.changes if one.entry is None)
    if len(gone) > 3:
        assert all(one.doubt for one in found.changes if one.deletes)

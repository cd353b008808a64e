"""An episode's gold as people edit it: rows to gold and back, what cannot be, what lives when."""

from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.authoring.authored import Authored
from sandbox.authoring.episode_building import built, live_before
from sandbox.authoring.episode_edits import (
    as_typed,
    change_added,
    dropped,
    entry_added,
    question_added,
    with_gold,
)
from sandbox.authoring.episode_typed import (
    Typed,
    TypedChange,
    TypedEntry,
    TypedQuestion,
    typed_of,
)
from sandbox.authoring.making import episode_of
from sandbox.authoring.question_rules import Told, checklist
from sandbox.collected import Collection
from sandbox.episode_instances import question_instances
from sandbox.episodes import Episode, gold_bank
from sandbox.formats import episode_write
from sandbox.formats.episode import read
from sandbox.formats.reading import parse
from sandbox.inputs import BadInput
from sandbox.ui.episode_edit_questions import gold_checks
from sandbox.ui.episode_edit_values import typed_values
from sandbox.ui.save_values import must_be_of
from sandbox.ui.save_views import save_form
from tests.episodes_made import ASKED, DESK, LINA, POT, episode
from tests.test_badges import cosine, made


def talk_of(authored: Authored) -> Episode:
    assert authored.talk is not None
    return authored.talk


def entry(typed: Typed, key: str, **changes: Any) -> Typed:
    """The rows with one memory's changed."""
    rows = [replace(one, **changes) if one.key == key else one for one in typed.entries]
    return replace(typed, entries=tuple(rows))


def change(typed: Typed, number: int, **changes: Any) -> Typed:
    rows = list(typed.changes)
    rows[number] = replace(rows[number], **changes)
    return replace(typed, changes=tuple(rows))


def question(typed: Typed, **changes: Any) -> Typed:
    return replace(typed, questions=(replace(typed.questions[0], **changes),))


# Rows and gold


def test_what_nobody_touched_is_saved_as_it_was() -> None:
    form = episode()
    assert with_gold(form, typed_of(form)) == form


def test_turns_go_by_the_numbers_that_the_page_shows() -> None:
    typed = typed_of(episode())
    assert [(one.place, one.turns) for one in typed.entries] == [
        ("u1", "1.1"),
        ("a1", "1.2"),
        ("u2", "2.1, 1.1"),
        ("u3", "3.1, 2.1"),
    ]
    assert [(one.kind, one.old, one.new) for one in typed.changes] == [
        ("replace", "k1", "k3"),
        ("replace", "k3", "k4"),
    ]


def test_an_added_row_knows_its_turn_and_the_types_of_who_speaks() -> None:
    form = episode()
    for turn, first in (("u2", "episodic"), ("a2", "episodic")):
        row = entry_added(talk_of(form), typed_of(form), turn, "new").entries[-1]
        assert (row.place, row.session, row.type) == (turn, "s2", first)
        assert row.anchor == "2026-03-20"
    with pytest.raises(BadInput, match="no turn 'zz'"):
        entry_added(talk_of(form), Typed(), "zz", "new")


def test_a_memory_that_is_typed_is_gold_of_its_turn() -> None:
    form = episode()
    typed = entry_added(talk_of(form), typed_of(form), "a2", "new")
    words = "  Walid   notes e\u0301tudes. "
    typed = entry(typed, "new", type="agent_method", text=words, turns="2.2; 1.2")
    [_lina, added] = talk_of(with_gold(form, typed)).sessions[1].gold.captures  # type: ignore[union-attr]
    assert (added.type, added.text, added.turns) == (
        "agent_method",
        "Walid notes études.",
        ("a2", "a1"),
    )


def test_an_entry_that_joins_others_replaces_them_and_is_not_captured() -> None:
    form = episode()
    typed = dropped(question(typed_of(form), supports=()), "k4")
    typed = entry_added(talk_of(form), replace(typed, changes=typed.changes[:1]), "s3", "both")
    typed = entry(typed, "both", type="episodic", text="The key moved twice.", turns="3.1")
    for number, old in enumerate(("k3", "k2")):
        typed = change_added(typed, "replace", "s3", f"c{number}")
        typed = change(typed, -1, old=old, new="both")
    talk = talk_of(with_gold(form, typed))
    assert [one.text for one in gold_bank(talk)] == ["The key moved twice."]


FAULTS: list[tuple[Any, str]] = [
    (lambda t: entry(t, "k1", text="  "), "A memory at 1.1 has no text"),
    (lambda t: entry(t, "k1", text="x" * 2001), "2,001 characters"),
    (lambda t: entry(t, "k1", text="a\x00b"), "NUL"),
    (lambda t: entry(t, "k1", type="agent_identity"), "turn of the user such as 1.1 yields"),
    (lambda t: entry(t, "k2", type="fact"), "turn of the character such as 1.2 yields"),
    (lambda t: entry(t, "k2", type=""), "has no type"),
    (lambda t: entry(t, "k1", turns=""), "rests on no turn"),
    (lambda t: entry(t, "k1", turns="1.1, 9.9"), "'9.9', which there is not"),
    (lambda t: entry(t, "k3", turns="1.1"), "is of session 2 and must begin"),
    (lambda t: entry(t, "k1", turns="1.1, 2.1"), "cannot rest on 2.1, which comes later"),
    (lambda t: entry(t, "k1", anchor="Monday"), "must be ISO"),
    (lambda t: entry(t, "k1", scene="Kitchen"), "scene must be one of"),
    (lambda t: entry(t, "k1", emotion="x" * 300), "emotion must be at most 200"),
    (lambda t: entry(t, "k1", session="zz"), "reload the page"),
    (lambda t: change(t, 0, session="zz"), "reload the page"),
    (lambda t: question(t, unit="line"), "reload the page"),
    (lambda t: change(t, 0, old=""), "session 2 names nothing that goes"),
    (lambda t: change(t, 1, old="k1"), "is not live at that point of session 3"),
    (lambda t: change(t, 0, new="k4"), "must be a memory of session 2"),
    (lambda t: change(t, 0, kind="forget", turns=""), "Which turn asks to forget"),
    (lambda t: change(t, 0, kind="forget", turns="3.1"), "not for a later turn"),
    (lambda t: question(t, text=""), "Question 1 has no text"),
    (lambda t: question(t, supports=("k1",), decoys=()), "is not live at the end"),
    (lambda t: question(t, phrasing="loud"), "phrasing must be one of"),
    (lambda t: question(t, techniques=("magic",)), "no technique 'magic'"),
    (lambda t: question(t, centre="both"), "about the user or the agent"),
    (lambda t: question(t, decoys=("k4",)), "both among its supports and among its decoys"),
]


@pytest.mark.parametrize(("spoiled", "words"), FAULTS)
def test_what_cannot_be_is_one_sentence(spoiled: Any, words: str) -> None:
    form = episode()
    with pytest.raises(BadInput) as caught:
        with_gold(form, spoiled(typed_of(form)))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_state_cannot_come_and_go_in_the_same_session() -> None:
    form = episode()
    typed = entry_added(talk_of(form), typed_of(form), "u3", "k5")
    typed = entry(typed, "k5", text="Noor's key is lost.", type="fact")
    typed = change(change_added(typed, "replace", "s3", "c"), -1, old="k4", new="k5")
    with pytest.raises(BadInput, match="comes and goes in session 3"):
        with_gold(form, typed)


# What lives when


def test_only_what_is_live_at_that_point_can_go() -> None:
    form = episode()
    typed = typed_of(form)
    first, second = typed.changes
    assert {one.key for one in live_before(built(talk_of(form), typed), typed, first)} == {
        "k1",
        "k2",
    }
    assert {one.key for one in live_before(built(talk_of(form), typed), typed, second)} == {
        "k2",
        "k3",
    }
    more = change_added(typed, "forget", "s3", "c9")
    live = live_before(built(talk_of(form), more), more, more.changes[-1])
    assert {one.key for one in live} == {"k2", "k4"}


def test_the_bank_follows_the_chain() -> None:
    talk = talk_of(episode())
    after = [[one.key for one in gold_bank(talk, n)] for n in (1, 2, 3)]
    assert after == [["k1", "k2"], ["k2", "k3"], ["k2", "k4"]]


def test_what_is_forgotten_leaves_the_bank_for_the_turn_that_asks() -> None:
    form = episode()
    typed = change_added(question(typed_of(form), supports=("k4",)), "forget", "s3", "c9")
    typed = change(typed, -1, old="k2", turns="3.1")
    saved = with_gold(form, typed)
    [gone] = talk_of(saved).sessions[2].gold.deletes  # type: ignore[union-attr]
    assert (gone.key, gone.turns) == ("k2", ("u3",))
    assert [one.key for one in gold_bank(talk_of(saved))] == ["k4"]


def test_a_dropped_row_is_named_nowhere_any_more() -> None:
    typed = dropped(typed_of(episode()), "k4")
    assert "k4" not in repr(typed.entries)
    assert (typed.changes[1].new, typed.questions[0].supports) == ("", ("k2",))
    assert dropped(typed, typed.changes[0].id).changes == typed.changes[1:]
    assert dropped(typed, "q1").questions == ()


# Proposals


def test_only_a_person_makes_a_proposal_gold() -> None:
    form = episode(unchecked=("k1", "k2", "k3"))
    typed = typed_of(form)
    assert [one.key for one in typed.entries if not one.seen] == ["k1", "k2", "k3"]
    typed = entry(entry(typed, "k1", seen=True), "k2", text="Walid names the lane first.")
    saved = with_gold(form, typed)
    assert saved.unchecked == ("k3",)
    with pytest.raises(BadInput, match="1 gold memories of 'Keys' are only proposed"):
        episode_of(saved)


def test_what_is_dropped_is_cited_no_more() -> None:
    form = episode(citations=(("k1", "e1"), ("k2", "e2")), unchecked=("k2",))
    typed = dropped(question(typed_of(form), supports=("k4",)), "k2")
    saved = with_gold(form, typed)
    assert (saved.citations, saved.unchecked) == ((("k1", "e1"),), ())


# What is saved is what files hold

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=40)


@settings(max_examples=40, deadline=None)
@given(words=TEXTS, where=st.sampled_from(["u1", "a1", "u2", "a3"]), old=st.integers(0, 3))
def test_whatever_is_taken_is_written_and_read_back(words: str, where: str, old: int) -> None:
    form = episode()
    typed = entry_added(talk_of(form), typed_of(form), where, "new")
    session = typed.entries[-1].session
    typed = change_added(entry(typed, "new", text=words), "replace", session, "c")
    typed = change(typed, -1, old=f"k{old + 1}", new="new")
    try:
        saved = episode_of(with_gold(form, typed))
    except BadInput:
        return
    whole = Collection("x.json", "", question_instances(saved), episodes=(saved,))
    [data] = episode_write.write(whole).values()
    again = read(parse(data.decode(), "x.json"), "x.json", "").episodes[0]
    assert [one.text for one in gold_bank(again)] == [one.text for one in gold_bank(saved)]
    assert again.questions == saved.questions


# The table on the page


class Fields(HTMLParser):
    """What a browser would tell of a form that nobody touched."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, Any] = {}
        self._open = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        name = told.get("data-field")
        if tag == "option" and ("selected" in told or self.values[self._open] is None):
            self.values[self._open] = told.get("value") or ""
        if not name:
            return
        if told.get("type") != "checkbox":
            self.values[name] = None if tag == "select" else told.get("value") or ""
        elif told.get("data-id") != "many":
            self.values[name] = "checked" in told
        else:
            held = self.values.setdefault(name, [])
            held += [told["value"]] if "checked" in told else []
        self._open = name if tag in ("textarea", "select") else ""

    def handle_data(self, data: str) -> None:
        if self._open and isinstance(self.values[self._open], str) and not self._listing:
            self.values[self._open] += data

    def handle_endtag(self, tag: str) -> None:
        if tag in ("textarea", "select"):
            self._open = ""

    @property
    def _listing(self) -> bool:
        return self.get_starttag_text() is not None and "<option" in str(self.get_starttag_text())


def told_by(authored: Authored, typed: Typed) -> Typed:
    found = Fields()
    found.feed(save_form(authored, [], [], typed).markup)
    return typed_values(found.values)


def test_the_table_tells_what_it_shows() -> None:
    form = episode(unchecked=("k1",), phrasings=(("q1", "lexical gap"),))
    typed = typed_of(form)
    shown = told_by(form, typed)
    assert (shown.entries, shown.changes) == (typed.entries, typed.changes)
    [one], [other] = shown.questions, typed.questions
    order = {"supports": tuple(sorted(one.supports)), "techniques": tuple(sorted(one.techniques))}
    assert replace(one, **order) == replace(
        other,
        supports=tuple(sorted(other.supports)),
        techniques=tuple(sorted(other.techniques)),
    )


def test_rows_that_do_not_fit_are_shown_again_as_they_were_typed() -> None:
    form = episode()
    typed = entry_added(talk_of(form), typed_of(form), "u2", "new")
    typed = entry(typed, "new", turns="7.7, what", text='"</textarea><script>alert(1)</script>')
    typed = question_added(change_added(typed, "forget", "s1", "c9"), "session", "q9")
    shown = told_by(form, typed)
    assert set(shown.entries) == set(typed.entries)
    assert shown.changes == (*typed.changes[:0], *sorted_changes(typed))
    assert shown.questions[-1] == TypedQuestion("q9", "session")
    markup = save_form(form, [], [], typed).markup
    assert "<script" not in markup


def sorted_changes(typed: Typed) -> tuple[TypedChange, ...]:
    """Operations in the order of their sessions, as the page lists them."""
    return tuple(sorted(typed.changes, key=lambda one: one.session))


def test_of_many_memories_a_question_lists_what_it_names_and_what_shares_its_words() -> None:
    form = episode()
    typed = typed_of(form)
    for number in range(40):
        typed = entry_added(talk_of(form), typed, "u1", f"n{number}")
        typed = entry(typed, f"n{number}", type="fact", text=f"Rain number {number}.")
    typed = question(typed, supports=("k2", "n39"), decoys=("k1",))
    found = Fields()
    found.feed(save_form(form, [], [], typed).markup)
    listed = [name for name in found.values if name.startswith("q|q1|of|")]
    first = [name.rpartition("|")[2] for name in listed[:4]]
    assert (set(first[:3]), first[3]) == ({"k2", "n39", "k1"}, "k4")
    assert len(listed) == 30
    [asked] = typed_values(found.values | {"q|q1|more": "n38"}).questions
    assert set(asked.supports) == {"k2", "n39", "n38"}


def test_a_list_offers_only_what_is_live_there() -> None:
    form = episode()
    markup = save_form(form, [], []).markup
    lists = markup.split('aria-label="What goes"')[1:]
    offered = [part.partition("</select>")[0] for part in lists]
    assert POT.text.replace("'", "&#x27;") in offered[0]
    assert POT.text.replace("'", "&#x27;") not in offered[1]
    assert LINA.text.replace("'", "&#x27;") in offered[1]
    assert DESK.text.replace("'", "&#x27;") not in offered[0]


# The checklist, question by question


def test_the_checklist_counts_for_each_question() -> None:
    form = episode(phrasings=(("q1", "exact phrases"),))
    # Walid, name, street, first: two of four are in the question; so are Noor and key of four
    found = {
        one.rule: (one.good, one.number)
        for one in checklist(form, ASKED, Told(talk_of(form), cosine))
    }
    assert found == {
        "third person": (True, "0 of I or you"),
        "two techniques": (True, "2 techniques"),
        "two sessions": (True, "3 sessions"),
        "live supports": (True, "2 of 2 live"),
        "a cue for each": (True, "2 of 2 share a word"),
        "no restating": (True, "at most 0.50 of a memory"),
        "exact phrases": (True, "shared words 0.50"),
    }


def test_checks_beside_the_table_never_refuse_what_is_typed() -> None:
    form = episode()
    typed = question(entry(typed_of(form), "k1", type="", text="", turns="x"), text="")
    for odd in (entry(typed, "k2", session="zz"), question(typed, unit="line")):
        shown = gold_checks(as_typed(form, odd), talk_of(form), odd, cosine).markup
        assert "reload the page" in shown
    shown = gold_checks(as_typed(form, typed), talk_of(form), typed, cosine).markup
    chain = "Noor's key lies under the pot.".replace("'", "&#x27;")
    assert f"{chain} → Lina holds" not in shown  # its text is gone
    whole = gold_checks(form, talk_of(form), typed_of(form), cosine).markup
    assert f"{chain} → Lina holds" in whole
    assert "Cannot be saved like this yet" in shown
    assert "A memory at 1.1 has no text" in shown
    assert "Question 1 has no text" in shown


def test_a_form_of_an_earlier_version_overwrites_nothing() -> None:
    found = Fields()
    found.feed(save_form(episode(), [], []).markup)
    must_be_of(found.values, 0)
    with pytest.raises(BadInput, match="Version 2 was saved since"):
        must_be_of(found.values, 2)


def test_other_kinds_have_no_such_table() -> None:
    with pytest.raises(BadInput, match="only episodes have such a table"):
        with_gold(made(), Typed((TypedEntry("k", "s", "t"),)))

"""Two annotators of an episode: blind, differences, agreement with n, decisions, restoring."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.authoring.authored import STAGES, Annotation, Stage, Version
from sandbox.authoring.blind import blind
from sandbox.authoring.differences import Agreed
from sandbox.authoring.episode_deciding import decided
from sandbox.authoring.episode_differences import gold_agreed, gold_differences
from sandbox.authoring.episode_edits import entry_added, with_gold
from sandbox.authoring.episode_typed import Typed, TypedQuestion, typed_of
from sandbox.authoring.making import episode_of
from sandbox.episodes import Episode, EpisodeQuestion, gold_bank
from sandbox.formats.episode_checks import check_episode
from sandbox.inputs import BadInput
from sandbox.ui.annotate_views import Drawn, second_pass
from sandbox.ui.episode_edit_blind import blind_episode, gold_decisions
from sandbox.ui.save_views import STAGE_WORDS, stage_line, stage_track
from tests.episodes_made import ASKED, DESK, LINA, POT, RULE, episode, gold, told
from tests.fakes import LastWord, Script, fake_sandbox
from tests.test_authoring import KEY, WALID
from tests.test_authoring import RULE as SAID_RULE


def talk() -> Episode:
    found = episode().talk
    assert found is not None
    return found


SAME = (POT, RULE, LINA, DESK)


# Blind


def test_a_second_annotator_sees_what_was_said_and_asked_and_no_gold() -> None:
    view = blind(episode())
    shown = blind_episode(view, view.talk, Typed(), 1).markup if view.talk else ""
    for text in (repr(view), shown.replace("&#x27;", "'")):
        assert "Lina has it now." in text
        assert ASKED.text in text
        hidden = [one.text for one in SAME] + [ASKED.answer or "", "temporal state", "Rana"]
        assert [word for word in hidden if word in text] == []
    assert not [one for one in ("k1", "k2", "k3", "k4") if one in repr(view)]


# Differences and agreement


def test_two_who_say_the_same_do_not_differ() -> None:
    assert gold_differences(talk(), told(*SAME, q1=("k4", "k2"))) == ()


def test_every_kind_of_difference_is_named() -> None:
    second = told(
        gold("x1", "fact", "The key is under a pot.", "u1"),  # other words
        gold("x3", "episodic", "Lina took the key.", "u2", "u1"),  # another type
        gold("x4", "fact", DESK.text, "u3"),  # less evidence
        gold("x5", "episodic", "Walid took note.", "a3"),  # only the second; and no rule at a1
        q1=("x4",),
    )
    found = {one.key: one.what for one in gold_differences(talk(), second)}
    assert found == {
        "turn u1": "wording",
        "turn a1": "capture",
        "turn u2": "type",
        "turn u3": "evidence",
        "turn a3": "capture",
        "question q1": "supports",
    }
    last = gold_differences(talk(), second)[-1]
    assert (last.first, last.second) == (("1.2", "3.1"), ("3.1",))


def test_agreement_is_told_with_what_was_counted() -> None:
    second = told(
        gold("x1", "fact", "A pot.", "u1"),
        gold("x2", "agent_identity", "Streets first.", "a1"),
        gold("x3", "episodic", "Lina took it.", "u2"),
        gold("x4", "fact", "The desk.", "u3"),
        gold("x5", "episodic", "Walid took note.", "a3"),
        q1=("x4", "x1"),
    )
    found = gold_agreed([(talk(), second)])
    # Six turns: both say yes of u1 a1 u2 u3, both no of a2, the second alone of a3. Observed 5/6,
    # by chance (4*5 + 2*1)/36 = 22/36: kappa (30 - 22)/(36 - 22) = 4/7.
    assert (found.turns, found.same) == (6, 5 / 6)
    assert found.capture.value == pytest.approx(4 / 7)
    # Types of the four: fact/fact, agent/agent, fact/episodic, fact/fact. Observed 3/4, by chance
    # (3*2 + 1*1)/16 = 7/16: kappa (12 - 7)/(16 - 7) = 5/9.
    assert (found.typed, found.types.value) == (4, pytest.approx(5 / 9))
    # Supports rest on {u3, a1} and {u3, u1}: one of three.
    assert (found.questions, found.supports) == (1, pytest.approx(1 / 3))


def test_agreement_of_nothing_claims_nothing() -> None:
    found = gold_agreed([])
    assert (found.turns, found.same, found.supports) == (0, None, None)
    assert (found.capture.value, found.types.value) == (None, None)


# Decisions

OTHER = told(
    gold("x1", "fact", "A pot covers Noor's key.", "u1"),
    gold("x3", "episodic", "Lina took the key.", "u2"),
    gold("x5", "episodic", "Walid noted the desk.", "a3"),
    q1=("x5", "x1"),
)


def after(**decisions: str) -> Episode:
    return decided(talk(), OTHER, {key.replace("_", " "): one for key, one in decisions.items()})


def test_the_first_stays_where_nothing_else_is_decided() -> None:
    assert decided(talk(), OTHER, {}) == talk()
    assert after(turn_u1="first", question_q1="first") == talk()


def test_what_the_second_says_instead_keeps_lineage_and_supports() -> None:
    found = after(turn_u1="second", turn_u2="second")
    check_episode(found)
    assert [one.text for one in gold_bank(found, 1)] == ["A pot covers Noor's key.", RULE.text]
    assert [one.text for one in gold_bank(found, 2)] == [RULE.text, "Lina took the key."]
    assert [one.key for one in gold_bank(found)] == ["k2", "k4"]


def test_both_together_are_two_memories_with_keys_of_their_own() -> None:
    found = after(turn_u1="both")
    check_episode(found)
    assert found.sessions[0].gold is not None
    keys = [one.key for one in found.sessions[0].gold.captures]
    assert keys[0] == "k1"
    assert len(set(keys)) == 3
    assert "x1" not in keys


def test_what_goes_by_a_decision_is_named_nowhere_and_what_it_replaced_lives_on() -> None:
    found = after(turn_u3="second", turn_a3="second")  # the second gives nothing at u3
    check_episode(found)
    assert "k4" not in repr(found)
    assert {one.text for one in gold_bank(found)} == {
        RULE.text,
        LINA.text,
        "Walid noted the desk.",
    }
    assert found.questions[0].supports == ("k2",)


def test_the_seconds_supports_are_what_is_live_at_their_turns() -> None:
    with pytest.raises(BadInput, match="nothing of its turn is live"):
        after(question_q1="second")
    second = replace(OTHER, supports={"q1": ("x5",)})
    decisions = {"turn a3": "second", "question q1": "both"}
    found = decided(talk(), second, decisions)
    texts = {one.key: one.text for one in gold_bank(found)}
    assert [texts[key] for key in found.questions[0].supports] == [
        DESK.text,
        RULE.text,
        "Walid noted the desk.",
    ]


def test_a_decision_is_one_of_three() -> None:
    with pytest.raises(BadInput, match="got 'maybe'"):
        after(turn_u1="maybe")


def test_supports_of_whole_sessions_are_taken_as_they_are() -> None:
    asked = EpisodeQuestion("q2", "When?", None, "session", supports=("s1",))
    base = replace(talk(), questions=(asked,))
    second = told(q2=("s2", "s1"))
    [only] = [one for one in gold_differences(base, second) if one.what == "supports"]
    assert (only.first, only.second) == (("session 1",), ("session 1", "session 2"))
    found = decided(base, second, {"question q2": "second"})
    assert found.questions[0].supports == ("s2", "s1")


def test_differences_are_shown_as_text() -> None:
    second = told(gold("x1", "fact", "<img src=x>", "u1"), author="<b>Omar</b>")
    found = gold_differences(talk(), second)
    agreed = gold_agreed([(talk(), second)])
    shown = gold_decisions(episode(), second, found, Agreed(1, 0, None, None, None, agreed)).markup
    assert "<img" not in shown
    assert "<b>" not in shown
    assert "n = 6 turns" in shown


def test_a_second_pass_shows_every_stage_agreement_and_what_was_drawn() -> None:
    drawn = [Drawn("a1", "<i>Keys</i>", "adjudicated")]
    shown = second_pass("keys", ["draft", "adjudicated"], "none yet", "0.2", "7", drawn).markup
    assert "1 draft → 0 annotated → 0 second → 1 adjudicated → 0 sampled" in shown
    assert "Agreement: none yet" in shown
    assert "<i>" not in shown
    assert 'data-on="play" data-id="a1"' in shown
    nothing = second_pass("keys", [], "none yet", "0.2", "7", ()).markup
    assert "annotate blind" not in nothing


@pytest.mark.parametrize("stage", STAGES)
def test_the_present_stage_is_marked_among_all(stage: Stage) -> None:
    shown = stage_line(stage).markup
    assert shown.count("aria-current") == 1
    assert f'aria-current="step">{STAGE_WORDS[stage]}</strong>' in shown
    assert stage_track(stage).markup.count("●") == STAGES.index(stage) + 1


# On record


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    captured = {
        "entries": [
            {"utterance": 1, "type": "fact", "text": KEY},
            {"utterance": 2, "type": "agent_identity", "text": SAID_RULE},
        ]
    }
    script = Script(captures=[captured] * 9)
    data = tmp_path_factory.mktemp("annotators") / "data"
    with closing(fake_sandbox(data, script.play, load_judge=LastWord)) as made:
        made.start()
        yield made


@pytest.fixture
def made(sandbox: Sandbox, request: pytest.FixtureRequest) -> Version:
    """An episode of one session with the two memories that its capture proposed, looked at."""
    somebody = f"Noor of {request.node.name}"
    session = sandbox.sessions.open(ACCOUNT, somebody, WALID, clock="2026-03-20T09:00+03:00")
    sandbox.conversation.ask(ACCOUNT, session.id, "My key is under the blue pot.")
    sandbox.remembering.end(ACCOUNT, session.id, "all")
    authoring = sandbox.workshop.authoring
    form = authoring.from_session(ACCOUNT, session.id, "episode")
    assert {one.text for one in form.talk.sessions[0].gold.captures} == {KEY, SAID_RULE}  # type: ignore[union-attr]
    form = replace(form, collection=request.node.name[:70])
    return authoring.start(ACCOUNT, form, "Rana", looked_at=True)


def annotate(sandbox: Sandbox, version: Version, author: str = "Omar") -> Version:
    """Omar finds the key alone, in other words."""
    view = sandbox.workshop.annotating.view(ACCOUNT, version.authored.id)
    assert view.talk is not None
    turn = view.talk.sessions[0].turns[0].id
    typed = entry_added(view.talk, Typed(), turn, "o1")
    row = replace(typed.entries[0], type="fact", text="The key is under the pot.")
    typed = replace(typed, entries=(row,))
    return sandbox.workshop.annotating.annotate_episode(ACCOUNT, version.authored.id, author, typed)


def test_an_episode_goes_from_a_draft_to_a_sampled_second_pass(
    sandbox: Sandbox, made: Version
) -> None:
    annotating, id_ = sandbox.workshop.annotating, made.authored.id
    with pytest.raises(BadInput, match="somebody else must annotate it"):
        annotate(sandbox, made, "rana")
    assert annotate(sandbox, made).stage == "second"
    _told, found = annotating.differences(ACCOUNT, id_)
    assert [one.what for one in found] == ["wording", "capture"]  # type: ignore[union-attr]
    agreed = annotating.agreement(ACCOUNT, made.authored.collection).gold
    assert agreed is not None
    assert (agreed.episodes, agreed.turns, agreed.same) == (1, 2, 0.5)
    first = {found[0].key: "first"}
    with pytest.raises(BadInput, match="1 differences are left open"):
        annotating.adjudicate(ACCOUNT, id_, "Lina", first, "Read together.")
    decisions = first | {found[1].key: "second"}
    done = annotating.adjudicate(ACCOUNT, id_, "Lina", decisions, "Read together.")
    assert done.stage == "adjudicated"
    assert [one.text for one in gold_bank(episode_of(done.authored))] == [KEY]
    [drawn] = annotating.drawn(ACCOUNT, made.authored.collection, 0.2, 1)
    assert drawn.authored.id == id_
    assert annotate(sandbox, made, "Samir").stage == "sampled"
    assert [one.purpose for one in annotating.annotations(ACCOUNT, id_)] == ["second", "sampled"]


def test_a_bad_row_of_a_second_annotator_keeps_nothing(sandbox: Sandbox, made: Version) -> None:
    view = sandbox.workshop.annotating.view(ACCOUNT, made.authored.id)
    assert view.talk is not None
    typed = entry_added(view.talk, Typed(), view.talk.sessions[0].turns[0].id, "o1")
    with pytest.raises(BadInput, match="has no text"):
        sandbox.workshop.annotating.annotate_episode(ACCOUNT, made.authored.id, "Omar", typed)
    assert sandbox.workshop.annotating.annotations(ACCOUNT, made.authored.id) == []


def test_changed_gold_needs_a_second_annotator_again_and_an_earlier_version_comes_back(
    sandbox: Sandbox, made: Version
) -> None:
    authoring = sandbox.workshop.authoring
    annotate(sandbox, made)
    typed = typed_of(made.authored)
    rows = (replace(typed.entries[0], text="Noor's key: see the pot."), *typed.entries[1:])
    changed = with_gold(made.authored, replace(typed, entries=rows))
    version = authoring.save(ACCOUNT, changed, "Rana", "Reworded.")
    assert version.stage == "annotated"
    back = authoring.save(ACCOUNT, made.authored, "Rana", "Version 1 again.")
    assert (back.number, back.authored) == (4, made.authored)


def test_a_question_counts_as_gold(sandbox: Sandbox, made: Version) -> None:
    annotate(sandbox, made)
    typed = typed_of(made.authored)
    key = typed.entries[0].key
    more = (TypedQuestion("q1", "entry", "Where is Noor's key?", "Under it.", supports=(key,)),)
    changed = with_gold(made.authored, replace(typed, questions=more))
    version = sandbox.workshop.authoring.save(ACCOUNT, changed, "Rana", "Asked.")
    assert version.stage == "annotated"


def test_a_proposed_memory_is_never_exported(sandbox: Sandbox, made: Version) -> None:
    waiting = replace(made.authored, unchecked=(typed_of(made.authored).entries[0].key,))
    version = sandbox.workshop.authoring.save(ACCOUNT, waiting, "Rana", "Not sure.")
    assert version.stage == "draft"
    ready = sandbox.workshop.publishing.ready(ACCOUNT, made.authored.collection)
    assert ready.episodes == ()


def test_an_annotation_is_read_back_whole(sandbox: Sandbox, made: Version) -> None:
    annotate(sandbox, made)
    [kept] = sandbox.workshop.annotating.annotations(ACCOUNT, made.authored.id)
    assert isinstance(kept, Annotation)
    assert [(one.type, one.text) for one in kept.memories] == [
        ("fact", "The key is under the pot.")
    ]

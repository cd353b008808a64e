"""What the quality checks find, each on an instance small enough to look at."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from sandbox.authoring.authored import Annotation, Authored, AuthoredEntry, Origin, Tag
from sandbox.authoring.badge import Badge, Look
from sandbox.authoring.badges import badges
from sandbox.authoring.rechecking import Change
from sandbox.episodes import (
    Episode,
    EpisodeQuestion,
    EpisodeSession,
    EpisodeTurn,
    GoldAdd,
    GoldEntry,
    GoldSession,
)
from sandbox.instances import Human, PoolEntry, Role, Said, made_persona

PERSONA = made_persona("Walid", summary=["Walid never eats fish.", "He bakes bread at 5."])


def entry(key: str, role: Role | None, text: str, *, proposed: bool = False) -> AuthoredEntry:
    source = "proposed" if proposed else "corrected"
    tag = Tag(role, source, "Rana") if role else None
    return AuthoredEntry(PoolEntry(key, "fact", "user", text), None, tag)


def made(*pool: AuthoredEntry, **changes: Any) -> Authored:
    base = Authored(
        id="a1",
        kind="reply",
        collection="keys",
        title="Keys",
        language="en",
        persona=PERSONA,
        human=Human("Noor"),
        query="Where did I leave my spare key?",
        origin=Origin("local", "s1"),
        author="Rana",
        history=(Said("user", "Noor", "Good morning."),),
        pool=pool,
        reference="Under the pot with the glaze.",
        reference_by="human",
        licence="CC BY 4.0",
    )
    return replace(base, **changes)


MUST = entry("a3", "must", "The spare key lies under the glazed pot.")
IRR = entry("b1", "irr", "Her bicycle key hangs in the hall.")


def cosine(text: str, other: str) -> float:
    """Share of all words that both have."""
    one, two = set(text.lower().split()), set(other.lower().split())
    return len(one & two) / len(one | two)


def badge(name: str, authored: Authored, **look: Any) -> Badge:
    look = {"cosine": cosine} | look
    return next(one for one in badges(Look(authored, **look)) if one.name == name)


def test_a_sound_instance_passes_every_check_that_needs_no_model() -> None:
    states = {one.name: one.state for one in badges(Look(made(MUST, IRR), cosine=cosine))}
    assert states == {
        "roles": "ok",
        "at most two nice": "ok",
        "no duplicate": "ok",
        "not said yet": "ok",
        "reference": "ok",
        "distractors": "ok",
        "no leak": "ok",
        "persona": "not run",
        "closed book": "not run",
        "evidence removal": "not run",
        "up to date": "ok",
        "license": "ok",
        "second annotator": "waiting",
    }


NICE = [entry(f"c{n}", "nice", f"She likes the {n}th song most.") for n in range(3)]
TWIN = entry("z9", "irr", "the spare key  lies under the glazed pot.")
NEAR = entry("z9", "irr", "The spare key lies under the big glazed pot.")
FAR = entry("z9", "irr", "Rain falls on Mondays.")
NOTED = entry("z9", "irr", "Her bicycle is red. (Irrelevant: another key)")
KEYED = entry("must-1", "must", "The pot stands by the door.")
NUMBERED = [entry(f"m{n}", "must" if n < 3 else "irr", f"Thing number {n}.") for n in range(1, 6)]
CASES: list[tuple[str, str, Authored, str]] = [
    ("roles", "waiting", made(MUST, entry("d1", None, "Rain.")), "1 entry has no role"),
    ("roles", "waiting", made(entry("d1", "must", "Rain.", proposed=True)), "1 role is a proposal"),
    ("roles", "warn", made(MUST), "No entry is irr"),
    ("roles", "warn", made(IRR), "over-sharing alone"),
    ("at most two nice", "warn", made(MUST, IRR, *NICE), "3 nice entries"),
    ("no duplicate", "fail", made(MUST, TWIN), "say the same"),
    ("no duplicate", "ok", made(MUST, IRR), "closest two are at 0.17"),
    ("distractors", "warn", made(MUST, FAR, query="Under the pot. Really?"), "far from the query"),
    ("distractors", "not run", made(MUST), "needs irr entries"),
    ("no leak", "fail", made(MUST, NOTED), "'(Irrelevant', which tells a role"),
    ("no leak", "fail", made(KEYED, IRR), "key 'must-1' tells a role"),
    ("no leak", "fail", made(*NUMBERED), "numbers of the keys follow the roles"),
    (
        "no leak",
        "fail",
        made(MUST, IRR, history=(Said("user", "N", "It is under the pot with the glaze. No?"),)),
        "reference stands word for word in what was said",
    ),
    (
        "no leak",
        "fail",
        made(MUST, IRR, query="The spare key lies under the glazed pot. Or not?"),
        "nothing has to be remembered",
    ),
    (
        "not said yet",
        "warn",
        made(MUST, IRR, history=(Said("user", "N", f"Well: {MUST.held.text}"),)),
        "leaves the pool",
    ),
    ("persona", "warn", made(MUST, IRR, reference="Walid eats fish."), "may contradict"),
    ("persona", "warn", made(MUST, IRR, reference="He bakes bread at 7."), "may contradict"),
    ("license", "warn", made(MUST, licence="unspecified"), "No license is chosen"),
    ("license", "warn", made(MUST, licence="CC BY-NC 4.0"), "must not be used commercially"),
    ("reference", "warn", made(MUST, reference=""), "no reference reply"),
    ("reference", "ok", made(MUST, situation="activity", points=(1, 2)), "follows 'activity'"),
    ("reference", "warn", made(MUST, situation="activity", points=(1,)), "Not every key point"),
    ("up to date", "fail", made(MUST, forgotten=1), "It cites what was forgotten"),
    ("phrasing", "warn", made(MUST, IRR, phrasing="lexical gap"), "says its words"),
    ("phrasing", "ok", made(MUST, phrasing="lexical gap", query="Is it hidden?"), "few words"),
    ("phrasing", "warn", made(MUST, phrasing="exact phrases", query="Is it hidden?"), "not use"),
    ("golden", "waiting", made(MUST, kind="dialogue"), "No golden entry"),
    ("golden", "ok", made(MUST, kind="dialogue", golden=("a3",), shown=("a3",)), "Chosen from"),
    ("golden", "fail", made(MUST, kind="dialogue", golden=("a3",)), "not among those shown"),
]


@pytest.mark.parametrize(("name", "state", "authored", "words"), CASES)
def test_each_check_finds_what_it_is_for(
    name: str, state: str, authored: Authored, words: str
) -> None:
    found = badge(name, authored)
    assert (found.state, words in found.sentence) == (state, True), found


def test_near_duplicates_are_told_with_their_cosine() -> None:
    found = badge("no duplicate", made(MUST, NEAR), cosine=lambda _one, _other: 0.93)
    assert (found.state, dict(found.numbers)["closest"]) == ("warn", "0.93")


def test_without_an_embedder_nothing_is_claimed_about_meaning() -> None:
    for name in ("no duplicate", "distractors"):
        assert badge(name, made(MUST, IRR), cosine=None).state == "not run"
    assert badge("no duplicate", made(MUST, TWIN), cosine=None).state == "fail"


def test_the_same_question_twice_in_a_collection_is_a_duplicate() -> None:
    other = made(IRR, id="a2", query="Where did I leave my  spare key?")
    assert badge("no duplicate", made(MUST, IRR), others=(other,)).state == "fail"


def test_what_changed_since_is_told() -> None:
    gone = Change("a3", "gone", "The memory was deleted.")
    found = badge("up to date", made(MUST), changes=(gone, gone))
    assert (found.state, found.sentence) == ("warn", "The memory was deleted. And 1 more.")
    text = Change("a3", "text", "Reworded.")
    assert badge("up to date", made(MUST), changes=(text,)).state == "ok"
    lost = Change("a3", "forgotten", "Gone.")
    assert badge("up to date", made(MUST), changes=(lost,)).state == "fail"


def test_a_second_annotator_who_differs_waits_for_a_decision() -> None:
    told = (Annotation("Omar", 1, "second", {"a3": "nice"}, (), "2026-03-26", of=1),)
    for differing, stage, state in ((0, "second", "ok"), (1, "second", "waiting")):
        look = {"annotations": told, "differing": differing, "stage": stage}
        assert badge("second annotator", made(MUST), **look).state == state
    look = {"annotations": told, "differing": 1, "stage": "adjudicated"}
    assert badge("second annotator", made(MUST), **look).state == "ok"


# Episodes


def gold(key: str, text: str, turn: str, kind: Any = "fact") -> GoldEntry:
    return GoldEntry(key, kind, text, (turn,) if turn else ())


HOME = gold("e1", "Noor lives in Irbid.", "t1")
MOVED = gold("e2", "Noor moved to Salt.", "t2")
AGAIN = gold("e3", "Noor moved to Tallinn.", "t3")
ASKED = EpisodeQuestion(
    id="q1",
    text="In which city does Noor pay rent after the last move?",
    answer="Tallinn.",
    unit="entry",
    supports=("e3", "e4"),
    techniques=("temporal state", "cross-session"),
)
RENT = gold("e4", "Noor's rent is due on Mondays.", "t1")


def episode(*questions: EpisodeQuestion, extra: Sequence[GoldAdd] = ()) -> Authored:
    told = [("s1", "t1", [GoldAdd(HOME), GoldAdd(RENT)]), ("s2", "t2", [GoldAdd(MOVED, ("e1",))])]
    told.append(("s3", "t3", [GoldAdd(AGAIN, ("e2",)), *extra]))
    sessions = tuple(
        EpisodeSession(
            id_,
            None,
            (EpisodeTurn(turn, "user", "Noor", "Hm."),),
            GoldSession((), tuple(adds), ()),
        )
        for id_, turn, adds in told
    )
    talk = Episode("a1", "own", "T", "en", "", PERSONA, Human("Noor"), sessions, questions)
    return made(kind="episode", talk=talk, pool=())


def test_a_sound_question_passes_the_checklist() -> None:
    found = {one.name: one.state for one in badges(Look(episode(ASKED)))}
    names = ["third person", "two techniques", "two sessions", "live supports", "a cue for each"]
    names += ["no restating", "temporal state", "annotation"]
    assert {found[name] for name in names} == {"ok"}


FAULTS: list[tuple[str, dict[str, Any]]] = [
    ("third person", {"text": "Where do you think Noor moved, given the rent?"}),
    ("two techniques", {"techniques": ("temporal state", "hardness")}),
    ("two sessions", {"supports": ("e3",)}),
    ("live supports", {"supports": ("e1", "e3")}),
    ("live supports", {"supports": ()}),
    ("a cue for each", {"text": "Which city is it?"}),
    ("no restating", {"text": "Since Noor moved to Tallinn, when is rent due?"}),
    ("temporal state", {"techniques": ("decoys", "cross-session")}),
]


@pytest.mark.parametrize(("name", "change"), FAULTS)
def test_each_rule_of_the_checklist_names_the_question_that_breaks_it(
    name: str, change: dict[str, Any]
) -> None:
    found = badge(name, episode(ASKED, replace(ASKED, id="q2", **change)), cosine=None)
    if name == "temporal state":
        found = badge(name, episode(replace(ASKED, **change)), cosine=None)
        assert dict(found.numbers) == {"chains": "1", "without": "1"}
    else:
        assert found.sentence.startswith("q2:")
        assert dict(found.numbers)["questions"] == "1 of 2"
    assert found.state == "fail"


def test_an_annotation_keeps_to_the_types_of_its_turn() -> None:
    rule = GoldAdd(gold("e9", "Walid answers in verse.", "t3", "agent_identity"))
    assert "no turn of the user yields" in badge("annotation", episode(extra=[rule])).sentence
    adrift = GoldAdd(gold("e9", "Noor sings.", ""))
    assert "no turn that supports it" in badge("annotation", episode(extra=[adrift])).sentence
    waiting = replace(episode(), unchecked=("e1",))
    assert badge("annotation", waiting).state == "waiting"
    assert badge("questions", episode()).state == "waiting"


def test_a_wish_for_a_lexical_gap_is_held_against_every_question() -> None:
    near = replace(ASKED, text="When is the rent of Noor due?")
    wanted = replace(episode(near), phrasing="lexical gap")
    assert badge("phrasing", wanted).state == "warn"
    assert badge("phrasing", replace(wanted, phrasing="exact phrases")).state == "ok"

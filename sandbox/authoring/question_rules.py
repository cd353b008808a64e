"""DyadMem's checklist for a question about an episode: one rule each, with what was counted."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from sandbox.authoring.authored import Authored, Phrasing
from sandbox.authoring.badge import Cosine
from sandbox.authoring.quality_state import EXACT, LEXICAL_GAP
from sandbox.authoring.wording import content_words, folded, shared
from sandbox.episodes import Episode, EpisodeQuestion, GoldEntry, gold_bank, told_entries
from sandbox.formats.episode_form import TECHNIQUES

CUE = 0.35
"""Cosine from which a question hints at a memory without sharing a word (ours)."""
RESTATED = 0.8
"""Share of a memory's words in the question from which it only restates it (ours)."""
_SPOKEN_TO = re.compile(
    r"\b(?:i|me|my|mine|myself|you|your|yours|yourself)\b|[我你您]", re.IGNORECASE
)
Rule = Callable[[EpisodeQuestion, "Told"], bool]


class Told:
    """What the questions of an episode are held against."""

    def __init__(self, talk: Episode, cosine: Cosine | None) -> None:
        self.live = {one.key: one for one in gold_bank(talk)}
        self.entries = {
            one.key: one
            for one in (entry for session in talk.sessions for entry in told_entries(session))
        }
        self.turns = {one.id: one for one in talk.turns()}
        self.session = {one.id: held.id for held in talk.sessions for one in held.turns}
        self.sessions = {held.id for held in talk.sessions}
        self.cosine = cosine

    def supports(self, question: EpisodeQuestion) -> list[GoldEntry]:
        """The gold memories that a question names."""
        return [self.entries[key] for key in question.supports if key in self.entries]

    def places(self, question: EpisodeQuestion) -> set[str]:
        """The sessions that its supports come from."""
        found = {self.session.get(turn, "") for e in self.supports(question) for turn in e.turns}
        for key in question.supports:
            found |= {key} if key in self.sessions else {self.session.get(key, "")}
        return found - {""}


def _third_person(one: EpisodeQuestion, _told: Told) -> bool:
    return not _SPOKEN_TO.search(one.text)


def _two_techniques(one: EpisodeQuestion, _told: Told) -> bool:
    return len(set(one.techniques) & set(TECHNIQUES)) >= 2


def _two_sessions(one: EpisodeQuestion, told: Told) -> bool:
    return len(told.places(one)) >= 2


def _live_supports(one: EpisodeQuestion, told: Told) -> bool:
    if one.unit != "entry":
        return all(key in told.turns or key in told.sessions for key in one.supports)
    return bool(one.supports) and all(key in told.live for key in one.supports)


def _cued(one: EpisodeQuestion, told: Told) -> bool:
    words = content_words(one.text)
    return all(
        words & content_words(entry.text)
        or (told.cosine is not None and told.cosine(one.text, entry.text) >= CUE)
        for entry in told.supports(one)
    )


def _not_restated(one: EpisodeQuestion, told: Told) -> bool:
    return not any(
        folded(entry.text) in folded(one.text) or shared(one.text, entry.text) >= RESTATED
        for entry in told.supports(one)
    )


RULES: tuple[tuple[str, Rule, str], ...] = (
    ("third person", _third_person, "it says I or you; name the people."),
    ("two techniques", _two_techniques, "it names fewer than two ways in which it is hard."),
    ("two sessions", _two_sessions, "its supports come from fewer than two sessions."),
    ("live supports", _live_supports, "a support is missing, or no longer live at the end."),
    ("a cue for each", _cued, "nothing in it hints at one of its supports."),
    ("no restating", _not_restated, "it says one of its supports itself."),
)


def wanted(authored: Authored, question: EpisodeQuestion) -> Phrasing:
    """How the author wants the question's words to stand to its memories'; empty for no matter."""
    return dict(authored.phrasings).get(question.id, authored.phrasing)


def phrased(wish: Phrasing, words: float) -> bool:
    """Whether a share of words is what was wanted."""
    if wish == "exact phrases":
        return words >= EXACT
    return wish == "" or words <= LEXICAL_GAP


def overlap(one: EpisodeQuestion, told: Told) -> float:
    """The largest share of a support's words that the question uses, in [0, 1]; 0 for none."""
    return max((shared(one.text, entry.text) for entry in told.supports(one)), default=0.0)


@dataclass(frozen=True, slots=True)
class Check:
    """What one rule says of one question."""

    rule: str
    good: bool
    number: str
    """What was counted."""
    sentence: str
    """What is wrong; empty where nothing is."""


def checklist(authored: Authored, one: EpisodeQuestion, told: Told) -> tuple[Check, ...]:
    """Every rule for one question, in the order of `RULES`, and the author's wish for its words."""
    counted = _numbers(one, told)
    found = [
        Check(name, good, counted[name], "" if good else sentence)
        for name, rule, sentence in RULES
        for good in [rule(one, told)]
    ]
    wish, words = wanted(authored, one), overlap(one, told)
    if wish:
        fits = phrased(wish, words)
        bound = f"at most {LEXICAL_GAP:.2f}" if wish == "lexical gap" else f"at least {EXACT:.2f}"
        found.append(
            Check(wish, fits, f"shared words {words:.2f}", "" if fits else f"{bound} is wanted.")
        )
    return tuple(found)


def _numbers(one: EpisodeQuestion, told: Told) -> dict[str, str]:
    """What each rule counts."""
    needed, known = len(one.supports), told.supports(one)
    live = sum(key in told.live for key in one.supports) if one.unit == "entry" else needed
    words = content_words(one.text)
    cued = sum(bool(words & content_words(entry.text)) for entry in known)
    most = max((shared(one.text, entry.text) for entry in known), default=0.0)
    return {
        "third person": f"{len(_SPOKEN_TO.findall(one.text))} of I or you",
        "two techniques": f"{len(set(one.techniques) & set(TECHNIQUES))} techniques",
        "two sessions": f"{len(told.places(one))} sessions",
        "live supports": f"{live} of {needed} live",
        "a cue for each": f"{cued} of {len(known)} share a word",
        "no restating": f"at most {most:.2f} of a memory",
    }

"""MADial-Bench's naturalness, style and emotional improvement, as far as rules can see them.

By the letter of the guide; its annotator was milder on length. On the 98 clean rows of the English
sheet (development figures) the mean score of the aspect is: naturalness 2.56 where the length point
is lost (90 rows), 2.75 where earned; style 2.0 where the concise point is lost (10), 2.25 where
earned; style 2.0 where a preachy marker stands (9) and 2.2 over all.
"""

import re

from sandbox.judges.case import Case
from sandbox.judges.local.points import earned, lost, unscored
from sandbox.judges.local.spans import sentences
from sandbox.judges.local.words import content_stems, words_of
from sandbox.judges.verdict import Point

_MOST_SENTENCES = 2
_MOST_WORDS = 25
"""Words of a sentence that does not yet run out of breath."""
_ALIKE = 0.6
"""Shared content words of two sentences, of all they have, from which they say the same."""
_LEAKED = re.compile(r"</?[A-Za-z_|]+>|[{}]|\*\*|^#+ |^\s*[-*] |```", re.MULTILINE)
_STUTTER = re.compile(
    r"\b(the|an?|to|of|in|is|and|it|i|you|we|he|she|they|for|on|with|was|my|your) \1\b",
    re.IGNORECASE,
)
_MACHINE = re.compile(
    r"\bas an? (?:ai|language model|virtual assistant)\b|\blanguage model\b|\bhistorical event\b"
    r"|\bhow (?:can|may) i (?:help|assist) you\b|\bi(?:'m| am) here to (?:help|assist)\b"
    r"|\b(?:furthermore|moreover|additionally|in conclusion)\b",
    re.IGNORECASE,
)
_PREACHY = re.compile(
    r"\byou (?:should|must|need to|have to|ought to|had better)\b|\byou'd better\b"
    r"|\bit(?:'s| is) (?:\w+ )?(?:important|crucial|essential|necessary|your duty)\b"
    r"|\bmake sure (?:you|to|that)\b",
    re.IGNORECASE,
)
_HURTFUL = re.compile(
    r"\b(?:idiot|stupid|pathetic|loser|crybaby|shut up|get over it|stop (?:whining|crying)"
    r"|nobody cares|(?:it's|it is|that's|that is) (?:all )?your (?:own )?fault)\b",
    re.IGNORECASE,
)
_QUOTES = str.maketrans("\u2018\u2019", "''")


def naturalness(case: Case) -> tuple[Point, Point, Point]:
    """Grammar, where debris shows; under three short sentences. Not whether it fits the context.

    The cosine to the moment was tried for that and dropped: it found 2 of 20 replies to another
    dialogue at the price of 1 of 98 right ones.
    """
    length = _length(case)
    if case.language != "en":
        why = f"The local judge reads English; not measured in {case.language!r}."
        return unscored(1, why), unscored(2, why), length
    damage = _LEAKED.search(case.reply) or _STUTTER.search(case.reply)
    first = unscored(1) if damage is None else lost(1, "It holds debris.", damage.group())
    return first, unscored(2), length


def style(case: Case) -> tuple[Point, Point, Point]:
    """Concise; not AI-like and not preachy, where a marker gives it away."""
    machine, preachy = (_found(pattern, case.reply) for pattern in (_MACHINE, _PREACHY))
    return (
        _concise(case),
        lost(2, "It uses a phrase that betrays an assistant.", machine) if machine else unscored(2),
        lost(3, "It tells the other what to do or what matters.", preachy)
        if preachy
        else unscored(3),
    )


def emotional_improvement(case: Case) -> tuple[Point, Point, Point]:
    """Only whether the reply plainly insults or waves off."""
    hurt = _found(_HURTFUL, case.reply)
    first = lost(1, "It insults or waves off.", hurt) if hurt else unscored(1)
    return first, unscored(2), unscored(3)


def _length(case: Case) -> Point:
    """In any language: sentences end in a mark or a line break."""
    found = sentences(case.reply)
    if len(found) > _MOST_SENTENCES:
        return lost(3, f"It has {len(found)} sentences; fewer than three are due.", found[2].text)
    longest = max(found, key=lambda one: len(words_of(one.text)), default=None)
    if case.language == "en" and longest is not None:
        words = len(words_of(longest.text))
        if words > _MOST_WORDS:
            return lost(3, f"It has a sentence of {words} words.", longest.text)
    return earned(3, f"It has {len(found)} {'sentence' if len(found) == 1 else 'sentences'}.")


def _concise(case: Case) -> Point:
    """No sentence that runs out of breath, none that says again what another said."""
    found = sentences(case.reply)
    for place, one in enumerate(found):
        if (words := len(words_of(one.text))) > _MOST_WORDS:
            return lost(1, f"A sentence of {words} words runs out of breath.", one.text)
        stems = content_stems(one.text)
        for other in found[:place]:
            both = stems | content_stems(other.text)
            if len(stems) > 2 and len(stems & content_stems(other.text)) >= _ALIKE * len(both):
                return lost(1, "A sentence says again what another said.", one.text)
    return earned(1, f"No sentence is over {_MOST_WORDS} words, none says again what another said.")


def _found(pattern: re.Pattern[str], text: str) -> str:
    """The first match with plain apostrophes; empty for none."""
    match = pattern.search(text.translate(_QUOTES))
    return text[match.start() : match.end()] if match else ""

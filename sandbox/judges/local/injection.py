"""MADial-Bench's memory injection by rules: is an entry brought in, rightly, for the first time?

The three points hang together: where neither the reply nor one of the replies just before it brings
in an entry, all are 0 (PROTOCOLS 2). Whether this reply does is what the judge's verdicts on the
entries say; of the replies before it, the share of an entry's own words that they hold.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from sandbox.judges.case import Case, PoolItem
from sandbox.judges.local.details import carried, details_of
from sandbox.judges.local.points import earned, lost, unscored
from sandbox.judges.local.role_features import Embed
from sandbox.judges.local.spans import sentences
from sandbox.judges.local.words import content_stems, words_of
from sandbox.judges.verdict import EntryVerdict, Point, Span

_NEAR = 2
"""Utterances before the query that count as the moment."""
_READABLE = 160
"""Characters of a quoted sentence."""


@dataclass(frozen=True, slots=True)
class Told:
    """An entry that a reply brings in."""

    item: PoolItem
    text: str
    """The words of the reply that carry it; its whole text where the judge marks none."""
    quote: str


@cache
def packaged_rules() -> Mapping[str, Any]:
    """`share` and `closeness`, the two thresholds, and `fitted`: where they come from."""
    found: Mapping[str, Any] = json.loads(
        files(__package__).joinpath("aspects.json").read_text("utf-8")
    )
    return found


def injection(
    case: Case,
    used: Sequence[EntryVerdict],
    embed: Embed | None,
    rules: Mapping[str, Any] | None = None,
) -> tuple[Point, Point, Point]:
    """The three points; `rules` are the packaged ones unless given."""
    held = rules or packaged_rules()
    said = {one.entry: one for one in used}
    told = [*_told_now(case, said), *_told_before(case, held["share"])]
    again = _told_again(case, said, held["share"])
    if told:
        closeness = _closest(case, [one.item for one in told], embed)
        return (
            _relevance(told, closeness, held["closeness"]),
            _truth(case, told),
            _novelty(told, again),
        )
    if any(_unclear(one) for one in used):
        why = "It could not be judged whether the reply brings in an entry."
        return unscored(1, why), unscored(2, why), unscored(3, why)
    return _nothing(case, again)


def own_share(case: Case, item: PoolItem, reply: str, before: Sequence[str]) -> float:
    """Share of the entry's own words that the reply holds, 0..1, the rarer in the pool the heavier.

    Its own are the content words that neither `before` nor the persona nor a speaker's name gives;
    an entry without any has 0.
    """
    names = content_stems(f"{case.character} {case.human}")
    given = content_stems("\n".join([*before, case.persona])) | names
    pool = [content_stems(other.text) for other in case.pool]
    held = content_stems(reply)
    own = content_stems(item.text) - given
    weight = {
        stem: float(np.log((1 + len(pool)) / max(1, sum(stem in other for other in pool))))
        for stem in sorted(own)
    }
    whole = sum(weight.values())
    return sum(weight[stem] for stem in sorted(own & held)) / whole if whole > 0 else 0.0


def before(case: Case, reply: str) -> list[str]:
    """What was said before `reply`, the judged replies left out."""
    texts = [said.text for said in case.history]
    places = [place for place, text in enumerate(texts) if text == reply]
    return [text for text in texts[: places[-1] if places else None] if text not in case.replies]


def _told_now(case: Case, said: Mapping[str, EntryVerdict]) -> Iterator[Told]:
    for item in case.pool:
        verdict = said.get(item.id)
        if verdict is not None and verdict.guess:
            quote = _cut(case.reply, verdict.spans[0]) if verdict.spans else ""
            yield Told(item, _around(case.reply, verdict.spans), quote)


def _told_before(case: Case, share: float) -> Iterator[Told]:
    """What the one or two replies before this one bring in."""
    for reply in case.replies:
        earlier = before(case, reply)
        for item in case.pool:
            if own_share(case, item, reply, earlier) >= share:
                stems = content_stems(item.text)
                best = max(sentences(reply), key=lambda one: len(stems & content_stems(one.text)))
                yield Told(item, best.text, best.text[:_READABLE])


def _relevance(told: Sequence[Told], closeness: Sequence[float] | None, least: float) -> Point:
    if closeness is None:
        return unscored(1, "How close the entry is to the moment needs the embedder.")
    best = int(np.argmax(closeness))
    one, near = told[best], closeness[best]
    if near >= least:
        return earned(
            1, f"It brings in an entry near what is talked of (cosine {near:.2f}).", one.quote
        )
    why = f"No entry it brings in is near what is talked of (at most cosine {near:.2f})."
    return lost(1, why, one.quote)


def _closest(case: Case, items: Sequence[PoolItem], embed: Embed | None) -> list[float] | None:
    """How near each entry is to the query, or to the query with the turns before it."""
    if embed is None:
        return None
    moment = " ".join([said.text for said in case.history[-_NEAR:]] + [case.query])
    vectors = embed([case.query, moment, *(item.text for item in items)]).astype(np.float64)
    nearest: list[float] = (vectors[2:] @ vectors[:2].T).max(axis=1).tolist()
    return nearest


def _truth(case: Case, told: Sequence[Told]) -> Point:
    """Whether a name, number, time or date by the entry is told otherwise, or a state is past."""
    names = (case.character, case.human)
    known = [one for text in _known(case) for one in details_of(text, names)]
    words = {word.stem for text in _known(case) for word in words_of(text)}
    for one in told:
        if not one.item.live:
            return lost(2, "It tells a state that a later entry has replaced.", one.quote)
        claims = details_of(one.text, names)
        for claim in claims:
            right = [
                detail
                for detail in details_of(f"{one.item.text}\n{one.item.anchor or ''}", names)
                if detail.kind == claim.kind and carried(detail, claims) is None
            ]
            # A known word is no new name, only because a capital stood elsewhere.
            new = claim.value not in words and carried(claim, known) is None
            if right and new:
                wrong = one.text[claim.start : claim.end]
                why = f"It says {wrong!r} where the entry has the {claim.kind} {right[0].value!r}."
                return lost(2, why, wrong)
    why = "No name, number, time or date contradicts an entry it brings in; no more was checked."
    return earned(2, why)


def _known(case: Case) -> list[str]:
    """Every text that a detail of the reply may come from."""
    said = [one.text for one in case.history if one.text not in case.replies]
    entries = [f"{item.text}\n{item.anchor or ''}" for item in case.pool]
    return [*said, case.query, case.persona, case.now or "", *entries]


def _novelty(told: Sequence[Told], again: Sequence[PoolItem]) -> Point:
    """Repeating oneself within the replies judged together is no repetition (ours)."""
    fresh = {one.item.id for one in told}
    for item in again:
        if item.id not in fresh:
            why = f"It tells again what was said before in this session: {item.text!r}."
            return lost(3, why)
    return earned(3, "What it brings in was not said before in this session.", told[0].quote)


def _told_again(case: Case, said: Mapping[str, EntryVerdict], share: float) -> list[PoolItem]:
    """What was voiced earlier in this session and is in the reply once more."""
    return [
        item
        for item in case.pool
        if (verdict := said.get(item.id)) is not None
        and verdict.usage == "already said"
        and (verdict.spans or own_share(case, item, case.reply, []) >= share)
    ]


def _nothing(case: Case, again: Sequence[PoolItem]) -> tuple[Point, Point, Point]:
    why = "No entry is brought in, neither by this reply nor by the ones judged with it."
    if not case.pool:
        why = "There was no entry to bring in."
    elif again:
        why = "What it tells of the entries was said before in this session: none is brought in."
    elif not case.replies:
        why = "No entry is brought in."
    return lost(1, why), lost(2, why), lost(3, why)


def _unclear(verdict: EntryVerdict) -> bool:
    return verdict.guess is None and verdict.usage != "already said"


def _cut(text: str, span: Span) -> str:
    return text[span.start : span.end]


def _around(text: str, spans: Sequence[Span]) -> str:
    """The sentences that hold the spans; all of the text where there are none."""
    held = [
        one.text
        for one in sentences(text)
        if any(one.start < span.end and span.start < one.end for span in spans)
    ]
    return " ".join(held) or text

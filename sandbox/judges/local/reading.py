"""A case as the local judge compares it: every text with its words, details and vectors."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

import numpy as np

from sandbox.judges.case import Case
from sandbox.judges.local.details import Detail, details_of
from sandbox.judges.local.encoder import Array, Encoded, Encoder, unit
from sandbox.judges.local.persons import as_reply_speaks, without_names
from sandbox.judges.local.spans import Piece, pieces, sentences
from sandbox.judges.local.words import Word, content_stems, words_of

LINES = 80
"""Utterances before the query that are compared by meaning; by words all of them are."""


@dataclass(frozen=True, slots=True)
class Text:
    """One text with what is known of it."""

    text: str
    words: tuple[Word, ...]
    """The content words, without the talkers' names."""
    details: tuple[Detail, ...]
    sentence: Array
    late: Array
    """One vector for each of `words`, shape (words, dimension)."""
    early: Array
    rarity: Array
    """One for each of `words`, 0..1."""

    @property
    def stems(self) -> frozenset[str]:
        """The stems of `words`."""
        return frozenset(word.stem for word in self.words)


@dataclass(frozen=True, slots=True)
class Context:
    """What stood there before the reply: query, history, persona."""

    stems: frozenset[str]
    details: tuple[Detail, ...]
    query: Text
    history: tuple[Text, ...]
    persona: tuple[Text, ...]

    @property
    def texts(self) -> tuple[Text, ...]:
        """All of it."""
        return (self.query, *self.history, *self.persona)


@dataclass(frozen=True, slots=True)
class Reading:
    """A case, read."""

    case: Case
    pieces: tuple[Piece, ...]
    """Of the reply; none where it holds no word."""
    spans: tuple[Text, ...]
    """One for each of `pieces`."""
    entries: tuple[Text, ...]
    """In the pool's order."""
    context: Context
    today: date | None

    @property
    def wholes(self) -> tuple[Text, ...]:
        """The sentences of the reply."""
        pairs = zip(self.pieces, self.spans, strict=True)
        return tuple(span for piece, span in pairs if piece.whole)

    @property
    def reply_stems(self) -> frozenset[str]:
        """The stems of all content words of the reply."""
        return frozenset[str]().union(*(span.stems for span in self.spans))


def read(case: Case, encoder: Encoder) -> Reading:
    """The case with all its texts encoded at once."""
    cut = pieces(case.reply)
    history = [said.text for said in case.history[-LINES:]]
    persona = [one.text for one in sentences(case.persona)]
    entries = [item.text for item in case.pool]
    asked = [[one.text for one in cut], entries, [case.query], history, persona]
    plain = [[without_names(text, case) for text in group] for group in asked]
    plain[1] = [as_reply_speaks(text, case) for text in entries]
    encoded = iter(encoder.encode([text for group in plain for text in group]))
    names = talkers(case)
    spans, pool, query, said, card = (
        tuple(_text(text, next(encoded), names) for text in group) for group in asked
    )
    return Reading(case, cut, spans, pool, _context(case, query[0], said, card), _today(case))


def talkers(case: Case) -> frozenset[str]:
    """The parts of the two names in lower case."""
    return frozenset(f"{case.character} {case.human}".lower().split())


def _context(
    case: Case, query: Text, history: tuple[Text, ...], persona: tuple[Text, ...]
) -> Context:
    early = [said.text for said in case.history[:-LINES]]
    names = talkers(case)
    stems = frozenset[str]().union(*(one.stems for one in (query, *history, *persona)))
    details = [one for text in (query, *history, *persona) for one in text.details]
    for text in early:
        stems |= content_stems(text)
        details += details_of(text, names)
    return Context(stems, tuple(details), query, history, persona)


def _text(text: str, encoded: Encoded, names: frozenset[str]) -> Text:
    words = tuple(
        word
        for word in words_of(text)
        if word.content and word.text.lower().partition("'")[0] not in names
    )
    late, early, rarity = _by_word(words, encoded)
    return Text(text, words, details_of(text, names), encoded.sentence, late, early, rarity)


def _by_word(words: Sequence[Word], encoded: Encoded) -> tuple[Array, Array, Array]:
    """The pieces of each word as one vector; a word that was cut off with the text gives zeros."""
    starts = np.array([word.start for word in words])
    ends = np.array([word.end for word in words])
    begin, end = encoded.offsets[:, 0], encoded.offsets[:, 1]
    held = (begin < ends[:, None]) & (end > starts[:, None]) if words else np.zeros((0, len(begin)))
    share = held.astype(np.float32)
    rarity = (share * encoded.rarity).max(axis=1, initial=0.0)
    return unit(share @ encoded.late), unit(share @ encoded.early), rarity


def _today(case: Case) -> date | None:
    return datetime.fromisoformat(case.now).date() if case.now else None

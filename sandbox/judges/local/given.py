"""Entries that can be no use: voiced earlier in the session, or stated by query or persona."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sandbox.judges.local.details import carried, details_of
from sandbox.judges.local.match import held, share, weights
from sandbox.judges.local.reading import Reading, Text, talkers
from sandbox.judges.local.words import content_stems

Source = Literal["history", "query", "persona"]
VOICED = 0.75
"""Share of an entry's content, by rarity, that one utterance must have to have voiced it."""
STATED = 0.95
"""The same for a sentence of query or persona to state it."""
_SAME = 0.85
"""Cosine from which an utterance says the same in other words."""


@dataclass(frozen=True, slots=True)
class Given:
    """Where an entry was said before."""

    source: Source
    quote: str


def given(reading: Reading, number: int) -> Given | None:
    """Where entry `number` stands already (PROTOCOLS 1, rules 1 and 2); null if nowhere.

    Every name, number and date of it must be there. Rules are never said away by being voiced.
    """
    entry = reading.entries[number]
    if not entry.words:
        return None
    if not reading.case.pool[number].is_rule:
        quote = _said_by(entry, reading.context.history, VOICED) or _long_ago(entry, reading)
        if quote is not None:
            return Given("history", quote)
    if (quote := _said_by(entry, [reading.context.query], STATED)) is not None:
        return Given("query", quote)
    quote = _said_by(entry, reading.context.persona, STATED)
    return None if quote is None else Given("persona", quote)


def _said_by(entry: Text, texts: Sequence[Text], least: float) -> str | None:
    """The first of the texts that says the entry; null where none does."""
    for text in texts:
        told = share(held(entry, text.stems), weights(entry))
        same = float(entry.sentence @ text.sentence) >= _SAME and least == VOICED
        if (told >= least or same) and _all_details(entry, text):
            return text.text
    return None


def _all_details(entry: Text, text: Text) -> bool:
    return all(
        carried(one, text.details) is not None or (one.kind == "name" and one.value in text.stems)
        for one in entry.details
    )


def _long_ago(entry: Text, reading: Reading) -> str | None:
    """The same by words alone for utterances too long ago to be encoded."""
    names = talkers(reading.case)
    for said in reading.case.history[: -len(reading.context.history) or None]:
        stems = content_stems(said.text)
        told = share(held(entry, stems), weights(entry))
        details = details_of(said.text, names)
        if told >= VOICED and all(
            carried(one, details) is not None or (one.kind == "name" and one.value in stems)
            for one in entry.details
        ):
            return said.text
    return None

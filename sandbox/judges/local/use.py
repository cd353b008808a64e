"""Which entries of the pool a reply used: one verdict for each, with spans, detail and reason.

used: the reply brings in a concrete detail that query, history and persona do not give
(StratMem-Bench, arXiv:2604.26243; PROTOCOLS 1 with its four rules for live chat).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sandbox.judges.case import Case
from sandbox.judges.local.closeness import cosines, entry_cosines
from sandbox.judges.local.encoder import Encoder
from sandbox.judges.local.evidence import Evidence, evidence
from sandbox.judges.local.given import Given, given
from sandbox.judges.local.logistic import Floats
from sandbox.judges.local.match import novel, shared_details
from sandbox.judges.local.reading import Reading, read
from sandbox.judges.local.rules import Finding, check_rule
from sandbox.judges.local.use_model import UseModel, foreign, packaged_use
from sandbox.judges.verdict import EntryVerdict, RecallKind, Usage

LEANING = 0.5
"""An unsure entry at least this likely is the better guess."""
_DUPLICATE = 0.8
"""Cosine from which two entries say nearly the same."""
_CHAIN = 0.5
"""The same where one of them took the place of another: states of one thing."""
_RULE_DETAIL = 0.9
"""An entry that is a rule counts by its details alone from this chance on."""
_FIGURES = ("number", "time")
_CLOSE = 0.45
"""Cosine with the user's words from which the entry was mentioned."""
_LAST = 2
"""Utterances of the human, beside the query, that may have mentioned it."""
NO_REPLY = "There is no usable reply."


def detect(case: Case, encoder: Encoder, model: UseModel | None = None) -> tuple[EntryVerdict, ...]:
    """One verdict for each entry, in the pool's order; a failed reply uses nothing.

    Raises:
        JudgeError: if the encoder cannot be loaded or fails.
    """
    if case.failed or not case.reply.strip():
        return nothing_used(case)
    return judged_entries(read(case, encoder), model or packaged_use())


def nothing_used(case: Case) -> tuple[EntryVerdict, ...]:
    """The verdicts on a failed reply."""
    return tuple(
        EntryVerdict(item.id, "not used", why=NO_REPLY, probability=0.0) for item in case.pool
    )


def judged_entries(
    reading: Reading, model: UseModel, chances: Floats | None = None
) -> tuple[EntryVerdict, ...]:
    """The verdicts for a case that is read already; `chances` replace the model's own."""
    if not reading.spans:
        return nothing_used(reading.case)
    if chances is None:
        english = reading.case.language == "en"
        chances = model.probabilities(reading) if english else foreign(reading)
    found = [
        _verdict(_Entry(reading, number, float(chance), model))
        for number, chance in enumerate(chances)
    ]
    return tuple(_credited(reading, found))


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry under judgement."""

    reading: Reading
    number: int
    chance: float
    model: UseModel

    @property
    def id(self) -> str:
        return self.reading.case.pool[self.number].id

    @property
    def usage(self) -> Usage:
        """By the chance alone."""
        if self.chance >= self.model.used_from:
            return "used"
        return "not used" if self.chance <= self.model.unused_to else "unsure"


def _verdict(entry: _Entry) -> EntryVerdict:
    known = given(entry.reading, entry.number)
    if known is not None:
        return _known_before(entry, known)
    if entry.reading.case.pool[entry.number].is_rule:
        return _of_rule(entry, check_rule(entry.reading, entry.number))
    return _by_chance(entry)


def _known_before(entry: _Entry, known: Given) -> EntryVerdict:
    quote = f"“{_short(known.quote)}”"
    if known.source == "history":
        why = f"It was voiced earlier in the session: {quote}"
        return EntryVerdict(entry.id, "already said", why=why, probability=round(entry.chance, 3))
    why = f"The {known.source} states it already, so it cannot be used: {quote}"
    return EntryVerdict(entry.id, "not used", why=why, probability=round(entry.chance, 3))


def _by_chance(entry: _Entry) -> EntryVerdict:
    usage = entry.usage
    if usage == "not used":
        why = _why_not(entry)
        return EntryVerdict(entry.id, usage, why=why, probability=round(entry.chance, 3))
    proof = evidence(entry.reading, entry.number)
    return EntryVerdict(
        entry.id,
        usage,
        leaning=entry.chance >= LEANING if usage == "unsure" else None,
        spans=proof.spans,
        detail=proof.detail,
        why=_why(proof, usage),
        recall=_recall(entry) if usage == "used" else None,
        probability=round(entry.chance, 3),
    )


def _of_rule(entry: _Entry, finding: Finding) -> EntryVerdict:
    """By what was checked; where nothing could be, by the chance, as of any other entry."""
    told = _by_chance(entry)
    if finding.state == "followed":
        return replace(
            told,
            usage="used",
            leaning=None,
            spans=finding.spans,
            detail=finding.part,
            why=finding.why,
            rule="followed",
            recall=_recall(entry),
        )
    detailed = entry.chance >= _RULE_DETAIL
    doubtful = finding.state == "not applicable" and told.usage == "used"
    if finding.state == "violated" or (finding.state and not detailed and not doubtful):
        bare = EntryVerdict(entry.id, "not used", probability=told.probability)
        return replace(bare, spans=finding.spans, why=finding.why, rule=finding.state)
    if detailed:
        return replace(told, rule="followed")
    return EntryVerdict(
        entry.id,
        "unsure",
        leaning=False,
        why=finding.why,
        probability=told.probability,
    )


def _why(proof: Evidence, usage: Usage) -> str:
    given_by = "query, history and persona do not give it"
    if usage == "unsure":
        return f"The reply comes near to “{proof.detail}”, but the evidence is weak."
    if proof.literal:
        return f"The reply has “{proof.detail}”; {given_by}."
    return f"The reply says “{proof.detail}” in other words; {given_by}."


def _why_not(entry: _Entry) -> str:
    """What the reply lacks, or who gives what it has."""
    text = entry.reading.entries[entry.number]
    shared = [word for word in text.words if word.stem in entry.reading.reply_stems]
    fresh = novel(text, entry.reading)
    if not shared:
        return "The reply has none of its details."
    words = ", ".join(dict.fromkeys(word.text for word in shared[:3]))
    if not any(fresh[text.words.index(word)] for word in shared):
        return f"What the reply has of it ({words}) stands in query, history or persona."
    return f"The reply shares a word or two with it ({words}), but no detail."


def _recall(entry: _Entry) -> RecallKind:
    """Passive where the user's last words share content with the entry or come close to it."""
    reading, text = entry.reading, entry.reading.entries[entry.number]
    said = zip(reversed(reading.case.history), reversed(reading.context.history), strict=False)
    human = reading.case.human
    last = [one for utterance, one in said if _is_human(utterance.speaker, human)][:_LAST]
    asked = [reading.context.query, *last]
    for one in asked:
        near = float(cosines(text.sentence[None], one.sentence[None])[0, 0]) >= _CLOSE
        if near or (text.stems & one.stems):
            return "passive"
    return "proactive"


def _is_human(speaker: str, human: str) -> bool:
    return speaker.split()[:1] == human.split()[:1]


def _credited(reading: Reading, found: Sequence[EntryVerdict]) -> list[EntryVerdict]:
    """Rule 3: a shared detail goes to the near-duplicate with another one, else to all of them.

    Readers often see both used all the same; so between two live entries that do not contradict
    each other the poorer one becomes unsure, not unused.
    """
    told = [_literal(reading, number) for number in range(len(found))]
    return [
        _shared(reading, found, told, one) if told[one] and verdict.guess else verdict
        for one, verdict in enumerate(found)
    ]


def _shared(
    reading: Reading, found: Sequence[EntryVerdict], told: Sequence[frozenset[str]], one: int
) -> EntryVerdict:
    """The verdict on entry `one` beside its twins."""
    verdict, pool = found[one], reading.case.pool
    for other in _twins(reading, found, one):
        by = found[other].entry
        if _contradicts(reading, one, told[one], other):
            return _taken(verdict, by, sure=True)
        if told[one] < told[other]:
            return _taken(verdict, by, sure=pool[one].live != pool[other].live)
        if told[one] == told[other]:
            why = f"{verdict.why} {by} has the same detail: both are credited."
            return replace(verdict, shared_with=(*verdict.shared_with, by), why=why)
    return verdict


def _twins(reading: Reading, found: Sequence[EntryVerdict], one: int) -> list[int]:
    """Other used entries that say nearly the same, or another state of the same thing."""
    alike, pool = entry_cosines(reading)[one], reading.case.pool
    return [
        other
        for other in range(len(found))
        if other != one
        and found[other].usage == "used"
        and alike[other] >= (_DUPLICATE if pool[one].live == pool[other].live else _CHAIN)
    ]


def _contradicts(reading: Reading, one: int, told: frozenset[str], other: int) -> bool:
    """Whether the reply has the other entry's number where this one has another number."""
    mine, theirs = (
        {detail.value for detail in reading.entries[number].details if detail.kind in _FIGURES}
        for number in (one, other)
    )
    carried_there = {detail.value for detail in shared_details(reading.entries[other], reading)}
    return bool(mine - theirs) and not (mine & told) and bool((theirs - mine) & carried_there)


def _taken(verdict: EntryVerdict, by: str, *, sure: bool) -> EntryVerdict:
    """The verdict on an entry whose detail another one has with a further one."""
    if not sure:
        why = f"What the reply has of it is also in {by}, which it carries with another detail."
        shared = replace(verdict, shared_with=(by,), why=why, recall=None)
        return replace(shared, usage="unsure", leaning=True)
    why = f"The reply has the detail of {by}, not of this entry."
    bare = EntryVerdict(verdict.entry, "not used", why=why, probability=verdict.probability)
    return replace(bare, shared_with=(by,), rule=verdict.rule)


def _literal(reading: Reading, number: int) -> frozenset[str]:
    """The new words and details of an entry that the reply has."""
    entry = reading.entries[number]
    fresh = zip(entry.words, novel(entry, reading), strict=True)
    words = {word.stem for word, new in fresh if new and word.stem in reading.reply_stems}
    return frozenset(words | {one.value for one in shared_details(entry, reading)})


def _short(text: str, most: int = 80) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"

"""From an answer about the use of entries to verdicts, checked against its own evidence.

What this code decides, beyond the model (it never turns a "yes" into a "no", it only doubts):
- "yes" whose quote is not in the reply, or that has none: unsure, leaning used.
- "yes" whose quote or detail stands word for word in query or persona (PROTOCOLS 1, rule 2), or
  whose detail stands in the history: unsure, leaning not used. Whose quote, of three words or
  more, stands in the history: already said (rule 1).
- "no" with a quote that is in the reply: unsure, leaning not used; a quote that is not: ignored.
- "already said" where nothing was said before: unsure, leaning by whether the quote is there.
- "unsure": leaning used where its quote is in the reply.
- A rule's state decides; where "used" says otherwise: unsure, leaning by the state. A rule that
  is "used" without a state: unsure, leaning used. "violated" by words that are not in the reply:
  unsure, leaning not used; without a quote it stands, since leaving something out can violate.
- Said twice in the same way: the first counts. Twice and differently, left out, or no word of the
  list: unscored. A number off the list: left out, with a note.
- A reply that was cut for the model: "no" is unsure, leaning not used.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sandbox.judges.case import Case, PoolItem
from sandbox.judges.llm import values
from sandbox.judges.llm.forms import UsageForm, UsageItem
from sandbox.judges.llm.quotes import holds, is_phrase, locate
from sandbox.judges.verdict import EntryVerdict, RuleState, Span, Usage

UNSEEN = "The judge did not see the middle of the reply, which is too long for its model."


@dataclass(frozen=True, slots=True)
class UsageRead:
    """One draw: a verdict for each entry in the pool's order, and what was left out."""

    entries: tuple[EntryVerdict, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Said:
    """One item, its values read."""

    usage: Usage | None
    rule: RuleState | None
    quotes: tuple[str, ...]
    spans: tuple[Span, ...]
    detail: str
    why: str

    @property
    def verdict(self) -> tuple[Usage | None, RuleState | None]:
        return self.usage, self.rule


def read_usage(case: Case, form: UsageForm, reply_cut: bool = False) -> UsageRead:
    """The verdicts of `form` on the entries of `case`, whose numbers are places in its pool."""
    by_number: dict[int, list[UsageItem]] = defaultdict(list)
    notes: list[str] = []
    for item in form.entries:
        number = values.read_number(item.number)
        if number is None or not 1 <= number <= len(case.pool):
            notes.append(
                f"The judge spoke of entry {values.shown(item.number)}, which is not on its list "
                f"of {len(case.pool)}; that was left out."
            )
        else:
            by_number[number].append(item)
    read = [
        _entry(case, item, by_number[number], reply_cut)
        for number, item in enumerate(case.pool, start=1)
    ]
    return UsageRead(_shared(read), tuple(dict.fromkeys(notes)))


def all_unscored(case: Case, why: str) -> UsageRead:
    """No verdict on any entry, for one reason."""
    return UsageRead(tuple(EntryVerdict(item.id, "unscored", why=why) for item in case.pool))


def _entry(case: Case, item: PoolItem, items: Sequence[UsageItem], reply_cut: bool) -> EntryVerdict:
    if not items:
        return EntryVerdict(item.id, "unscored", why="The judge left this entry out.")
    said = [_said(case, item, one) for one in items]
    if any(other.verdict != said[0].verdict for other in said):
        why = f"The judge spoke of this entry {len(said)} times and contradicted itself."
        return EntryVerdict(item.id, "unscored", why=why)
    if said[0].usage is None:
        why = f"The judge's verdict {values.shown(items[0].used)} is not one of the list."
        return EntryVerdict(item.id, "unscored", why=why, rule=said[0].rule)
    checked = _checked(case, item, said[0])
    if checked.guess is True:
        return replace(checked, recall=values.read_kind(items[0].recall))
    if reply_cut and checked.usage == "not used":
        return _doubted(checked, False, UNSEEN)
    return checked


def _said(case: Case, item: PoolItem, one: UsageItem) -> _Said:
    quotes = values.texts(one.quote)
    found = [locate(case.reply, quote) for quote in quotes]
    spans = _apart([span for spans in found for span in spans]) if all(found) else ()
    rule = values.read_rule(one.rule) if item.is_rule else None
    usage = values.read_use(one.used)
    if usage is None and rule is not None:
        usage = "used" if rule == "followed" else "not used"
    return _Said(usage, rule, quotes, spans, values.words(one.detail), values.words(one.why))


def _apart(spans: Sequence[Span]) -> tuple[Span, ...]:
    """The spans in order, those that overlap joined."""
    joined: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.start, one.end)):
        if joined and span.start < joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return tuple(joined)


def _checked(case: Case, item: PoolItem, said: _Said) -> EntryVerdict:
    """The verdict as its own evidence allows."""
    assert said.usage is not None
    verdict = EntryVerdict(item.id, said.usage, why=said.why, rule=said.rule)
    if item.is_rule and (trouble := _rule_trouble(said)):
        leaning = said.rule in ("followed", None)
        return _doubted(replace(verdict, spans=said.spans if leaning else ()), leaning, trouble)
    if said.usage == "used":
        verdict = replace(verdict, spans=said.spans, detail=said.detail)
        return _used(case, item, verdict, said)
    if said.usage == "not used":
        return _not_used(verdict, said)
    if said.usage == "already said" and any(one.text.strip() for one in case.history):
        return verdict
    leaning = bool(said.spans)
    verdict = replace(verdict, spans=said.spans, detail=said.detail if leaning else "")
    why = "Nothing was said before." if said.usage == "already said" else ""
    return _doubted(verdict, leaning, why)


def _rule_trouble(said: _Said) -> str:
    """What is wrong with what is said of a rule; empty where nothing is."""
    if said.usage not in ("used", "not used"):
        return ""
    if said.rule is None:
        missing = "The judge does not say whether the rule is followed."
        return missing if said.usage == "used" else ""
    if (said.usage == "used") != (said.rule == "followed"):
        return f"The judge calls the rule {said.rule} and yet the entry {said.usage}."
    if said.rule == "violated" and said.quotes and not said.spans:
        return f"The judge quotes {values.shown(said.quotes[0])}, which is not in the reply."
    return ""


def _used(case: Case, item: PoolItem, verdict: EntryVerdict, said: _Said) -> EntryVerdict:
    if not said.quotes:
        return _doubted(verdict, True, "The judge calls it used and quotes nothing of the reply.")
    if not said.spans:
        quoted = values.shown(said.quotes[0])
        return _doubted(verdict, True, f"The judge quotes {quoted}, which is not in the reply.")
    if given := _given(case, said):
        return _doubted(verdict, False, given)
    if not item.is_rule and (said_before := _said_before(case, " ".join(said.quotes), 3)):
        why = _both(said_before, said.why)
        return replace(verdict, usage="already said", spans=(), detail="", why=why)
    if not item.is_rule and (said_before := _said_before(case, said.detail, 2)):
        return _doubted(verdict, False, said_before)
    return verdict if verdict.why else replace(verdict, why="The judge gives no reason.")


def _given(case: Case, said: _Said) -> str:
    """Where query or persona give the evidence word for word; empty where they do not."""
    for name, text in (("query", case.query), ("persona", case.persona)):
        for words in (" ".join(said.quotes), said.detail):
            if is_phrase(words, 2) and holds(text, words):
                return f"{values.shown(words)} stands in the {name} already."
    return ""


def _said_before(case: Case, words: str, least: int) -> str:
    """Who said a phrase of at least so many words before; empty where nobody did."""
    if not is_phrase(words, least):
        return ""
    speaker = next((one.speaker for one in case.history if holds(one.text, words)), None)
    return "" if speaker is None else f"{speaker} said {values.shown(words)} before."


def _not_used(verdict: EntryVerdict, said: _Said) -> EntryVerdict:
    if said.rule == "violated":
        broken = f"Violated: {values.shown(said.quotes[0])}." if said.spans else ""
        return replace(verdict, why=_both(broken, said.why))
    if said.spans:
        quoted = values.shown(said.quotes[0])
        why = f"The judge calls it not used and yet quotes {quoted} for it."
        return _doubted(replace(verdict, spans=said.spans, detail=said.detail), False, why)
    return verdict


def _doubted(verdict: EntryVerdict, leaning: bool, why: str) -> EntryVerdict:
    return replace(verdict, usage="unsure", leaning=leaning, why=_both(why, verdict.why))


def _both(first: str, second: str) -> str:
    return " ".join(part for part in (first, second) if part)


def _shared(entries: Sequence[EntryVerdict]) -> tuple[EntryVerdict, ...]:
    """Entries that are used by the very same words are flagged to share them (rule 3)."""
    holders: dict[tuple[Span, ...], list[str]] = defaultdict(list)
    for one in entries:
        if one.usage == "used" and one.spans and one.rule is None:
            holders[one.spans].append(one.entry)
    return tuple(
        replace(one, shared_with=tuple(name for name in holders[one.spans] if name != one.entry))
        if one.entry in holders.get(one.spans, ())
        else one
        for one in entries
    )

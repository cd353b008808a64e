"""What a session's end brought: proposals to decide on, nothing, or something that went wrong."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory_banks.captures import Finding, Proposal
from memory_banks.entries import Entry
from sandbox.lifecycle.remembering import Remembered
from sandbox.ui.entry_views import entry_head, entry_text
from sandbox.ui.markup import Html, button, element, fold, joined, name_of, said
from sandbox.ui.rescue import rescue_button


@dataclass(frozen=True, slots=True)
class Quote:
    """An utterance of a session, to be shown as evidence."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one session's end, with what is needed to show it."""

    remembered: Remembered
    persona: str
    current: bool
    """Whether it is the session on the screen."""
    quotes: Mapping[str, Quote]
    """The session's utterances by id."""
    held: Mapping[str, Entry]
    """The entries that proposals would replace, by id."""


def proposal_list(outcomes: Sequence[Outcome], editing: str = "") -> Html:
    """Every outcome that is shown, the current session's first.

    `editing` is the id of the proposal whose form is open.
    """
    if not outcomes:
        return element(
            "p",
            "Nothing waits for a decision. End a session, and what was captured from it is "
            "proposed here.",
            cls="empty",
        )
    return joined(*(_outcome(outcome, editing) for outcome in outcomes))


def _outcome(outcome: Outcome, editing: str) -> Html:
    remembered = outcome.remembered
    return element(
        "section",
        _title(outcome),
        _state(remembered),
        element(
            "ul",
            *(_proposal(one, outcome, editing) for one in remembered.proposals),
            cls="entries proposals",
        )
        if remembered.proposals
        else None,
        _notes(outcome),
        cls="outcome",
    )


def _title(outcome: Outcome) -> Html:
    remembered = outcome.remembered
    session = remembered.capture.session
    title = "This session" if outcome.current else "An earlier session"
    plain = len(remembered.plain)
    actions = None
    if plain > 1:
        words = f"Approve all {plain}" if plain == len(remembered.undecided) else f"Approve {plain}"
        actions = button(words, "submit", session, cls="small")
    link = None if outcome.current else button("open it", "select", session, cls="link")
    return element("header", element("h3", title), link, actions, cls="outcome-title")


def _state(remembered: Remembered) -> Html | None:
    """What the capture came to, each state told in its own words, with what to do."""
    capture = remembered.capture
    retry = button("Read it again", "retry", capture.session, cls="small")
    reason = capture.notes[-1] if capture.notes else ""
    if capture.status in ("pending", "captured"):
        return _pending(reason, retry)
    if capture.status == "unreadable":
        words = "Unreadable: the model answered, but not in a form that can be read."
        return _notice("unreadable", "?", words, reason, retry)
    if not remembered.proposals and any(one.refused for one in remembered.findings):
        words = "No entries: what was found was refused, for the reasons in the notes below."
        return _notice("none", "∅", words, "What is right all the same can be remembered.", None)
    if not remembered.proposals:
        words = "No entries: the session was read, and it holds nothing worth remembering."
        hint = "If it does, capture an entry by hand: inspect a reply, then “capture by hand”."
        return _notice("none", "∅", words, hint, None)
    return _progress(remembered)


def _pending(reason: str, retry: Html) -> Html:
    """The session waits to be read: at this moment, or because something went wrong."""
    if reason:
        words = "Not read yet: the model could not be asked. Nothing is lost."
        return _notice("pending", "…", words, reason, retry)
    words = "Being read for what is worth remembering."
    hint = "That may take a while; go on with another session meanwhile. If it was interrupted:"
    return _notice("pending", "…", words, hint, retry)


def _notice(kind: str, mark: str, words: str, reason: str, action: Html | None) -> Html:
    return element(
        "div",
        element("span", mark, cls="mark", hidden="true"),
        element("p", element("strong", words), " ", said(reason, "span") if reason else None),
        action,
        cls=f"notice {kind}",
        role="status",
    )


def _progress(remembered: Remembered) -> Html:
    undecided, operations = len(remembered.undecided), remembered.operations
    decided = len(remembered.proposals) - undecided
    words = f"{undecided} to decide, {decided} decided"
    if operations:
        words += f" · bank now at revision {max(one.number for one in operations)}"
    return element("p", words, cls="count-line")


def _proposal(proposal: Proposal, outcome: Outcome, editing: str) -> Html:
    decision = proposal.decision
    entry = decision.edited if decision and decision.edited else proposal.entry
    kind = decision.verdict if decision else ("editing" if proposal.id == editing else "waiting")
    return element(
        "li",
        element(
            "div",
            *([entry_head(entry, outcome.persona), entry_text(entry)] if entry else [_FORGETS]),
            _evidence(proposal, outcome),
            *_replaced(proposal, outcome),
            element("p", "⚠ ", proposal.doubt, cls="why doubt") if proposal.doubt else None,
            _decided(proposal) if decision else _actions(proposal, editing),
            cls="entry",
        ),
        cls=f"proposal {kind}",
    )


_FORGETS = element(
    "p", element("strong", "Forget"), ": the user asked for it; nothing takes its place."
)


def _evidence(proposal: Proposal, outcome: Outcome) -> Html | None:
    quote = outcome.quotes.get(proposal.evidence)
    if quote is None:
        return None
    return element(
        "p", name_of(quote.speaker), " said: ", said(f"“{quote.text}”", "span"), cls="evidence"
    )


def _replaced(proposal: Proposal, outcome: Outcome) -> list[Html]:
    """What the entry takes the place of, and the reason that was given."""
    held = [outcome.held[entry] for entry in proposal.deletes if entry in outcome.held]
    told = "↳ takes the place of: " if proposal.entry else "− to be forgotten: "
    lines = [element("p", told, said(one.text, "span"), cls="why") for one in held]
    if proposal.reason:
        lines.append(element("p", "because: ", said(proposal.reason, "span"), cls="why"))
    return lines


def _actions(proposal: Proposal, editing: str) -> Html:
    if proposal.id == editing:
        return element("p", "being edited in the form above", cls="count-line")
    return element(
        "div",
        button("Approve", "apply", proposal.id, cls="small approve"),
        button("Edit", "edit", proposal.id, cls="small") if proposal.entry else None,
        button("Reject", "delete", proposal.id, cls="small reject"),
        cls="actions",
    )


def _decided(proposal: Proposal) -> Html:
    decision = proposal.decision
    assert decision is not None
    words = "✓ approved" if decision.verdict == "approved" else "✕ rejected"
    if decision.edited:
        words = "✓ approved as edited"
    if not decision.applied:
        words += ", not yet carried out: reload the page"
    return element("p", words, cls=f"decided {decision.verdict}")


def _notes(outcome: Outcome) -> Html | None:
    """Notes, refused findings and unreadable answers, folded away."""
    remembered = outcome.remembered
    refused = [finding for finding in remembered.findings if finding.refused]
    raw = [str(call["raw"]) for call in remembered.capture.calls if call.get("raw")]
    unreadable = raw[-1:] if remembered.capture.status == "unreadable" else []
    rows = [
        *(said(note, "li") for note in remembered.capture.notes),
        *(_refused(finding, remembered.capture.session) for finding in refused),
        *(element("li", "the answer was: ", said(answer, "pre")) for answer in unreadable),
    ]
    if not rows:
        return None
    notes = len(remembered.capture.notes)
    caption = f"Notes ({notes}), refused ({len(refused)})"
    key = f"notes {remembered.capture.session}"
    return fold(caption, element("ul", *rows, cls="notes"), key=key)


def _refused(finding: Finding, session: str) -> Html:
    text = str(finding.fields.get("text", ""))
    why = finding.refused or ""
    words = said(f"“{text}”", "span"), " ", said(why, "span"), " "
    return element("li", "refused: ", *words, rescue_button(session, finding))

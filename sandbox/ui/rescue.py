"""What a capture refused, taken in by hand all the same: its button, its form, its saving."""

from memory_banks.captures import Finding
from memory_banks.entries import ENTRY_TYPES, Entry, EntryType
from sandbox.assemble import Sandbox
from sandbox.edits import Edit
from sandbox.ui.markup import Html, button

_REFUSED = "refused:"


def rescue_button(session: str, finding: Finding) -> Html | None:
    """The button that opens a refused finding as a form; none where nothing was said of it."""
    if finding.utterance is None or finding.fields.get("forget"):
        return None
    return button("Remember it", "edit", f"{_REFUSED}{session}:{finding.ordinal}", cls="small")


def is_rescue(name: str) -> bool:
    """Whether the form that goes by this name is of a refused finding."""
    return name.startswith(_REFUSED)


def refused_entry(sandbox: Sandbox, account: str, name: str) -> Entry | None:
    """The refused finding as an entry, for its form; None where there is none any more."""
    session, ordinal = _named(name)
    outcome = sandbox.remembering.outcome(account, session)
    for one in outcome.findings:
        if one.ordinal == ordinal and one.refused:
            told = str(one.fields.get("type"))
            known: EntryType = next((each for each in ENTRY_TYPES if each == told), "episodic")
            scope = outcome.capture.dyad.scope("user")
            anchor = one.fields.get("anchor")
            text = str(one.fields.get("text", ""))
            return Entry("", scope, known, text, str(anchor) if anchor else None)
    return None


def rescue(sandbox: Sandbox, account: str, name: str, edit: Edit) -> None:
    """Remember a refused finding as it was edited.

    Raises:
        BadInput: if it cannot be taken.
    """
    session, ordinal = _named(name)
    sandbox.remembering.rescue(account, session, ordinal, edit)


def _named(name: str) -> tuple[str, int]:
    session, _colon, ordinal = name.removeprefix(_REFUSED).rpartition(":")
    return session, int(ordinal) if ordinal.isdecimal() else -1

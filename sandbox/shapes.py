"""Entries, operations and proposals as plain values: what the API and the commands give away."""

from collections.abc import Mapping
from typing import Any

from memory_banks.captures import Decision, Finding
from memory_banks.entries import Entry, Operation, State

Plain = dict[str, Any]
"""What JSON can hold: text, numbers, true, false, null, lists and objects of these."""


def entry_brief(entry: Entry) -> Plain:
    """What an entry says, without where it comes from."""
    return {
        "id": entry.id,
        "type": entry.type,
        "side": entry.scope.side,
        "text": entry.text,
        "anchor": entry.anchor,
        "emotion": entry.emotion,
        "scene": entry.scene,
    }


NO_ENTRY: Plain = dict.fromkeys(("id", "type", "side", "text", "anchor", "emotion", "scene"))
"""In place of an entry where there is none: a proposal to forget others."""


def entry_line(state: State) -> Plain:
    """A live entry of a bank, with the revision that added it."""
    told = state.entry.provenance
    return entry_brief(state.entry) | {
        "author": state.entry.author,
        "provenance": {"session": told.session, "turns": list(told.turns), "role": told.role},
        "added": state.added,
    }


def operation_line(operation: Operation, entries: Mapping[str, Entry]) -> Plain:
    """One line of the ledger; `entries` holds the operation's entry."""
    entry = entries[operation.entry_id]
    imported = operation.imported
    return {
        "number": operation.number,
        "kind": operation.kind,
        "entry": entry.id,
        "type": entry.type,
        "side": entry.scope.side,
        "text": entry.text,
        "replaces": list(operation.replaces),
        "reason": operation.reason,
        "at": operation.at,
        "imported": {"file": imported.file, "sha256": imported.sha256} if imported else None,
    }


def decision_line(decision: Decision | None) -> Plain | None:
    """What was decided on a proposal; null while it waits."""
    if decision is None:
        return None
    return {
        "verdict": decision.verdict,
        "edited": entry_brief(decision.edited) if decision.edited else None,
        "author": decision.author,
        "at": decision.at,
    }


def refused_line(finding: Finding) -> Plain:
    """Something that a capture found and that went no further, and why."""
    return {
        "type": finding.fields.get("type"),
        "text": finding.fields.get("text"),
        "why": finding.refused,
    }

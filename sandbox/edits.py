"""An entry as a human writes or changes it."""

from dataclasses import dataclass, replace

from memory_banks.entries import Dyad, Entry, Provenance, Side, digest, side_of
from sandbox.inputs import (
    BadInput,
    checked_anchor,
    checked_entry_text,
    checked_line,
    checked_scene,
    checked_type,
)


@dataclass(frozen=True, slots=True)
class Edit:
    """What a human may say about an entry."""

    type: str
    text: str
    anchor: str | None = None
    emotion: str | None = None
    scene: str | None = None


def edited_entry(entry: Entry, edit: Edit) -> Entry:
    """`entry` as the human changed it; itself where nothing changed.

    Raises:
        BadInput: if a field cannot be taken.
    """
    role = entry.provenance.role or ("user" if entry.scope.side == "user" else "assistant")
    changed = replace(
        entry,
        type=checked_type(edit.type),
        text=checked_entry_text(edit.text),
        anchor=checked_anchor(edit.anchor),
        emotion=checked_line(edit.emotion, "emotion"),
        scene=checked_scene(edit.scene),
    )
    if changed == entry:
        return entry
    side = side_of(changed.type, role)
    if side != entry.scope.side:
        raise BadInput(
            f"{changed.type} belongs to the {side} and this entry to the {entry.scope.side}: "
            "reject or delete it, and capture the entry by hand from its turn."
        )
    key = digest("edited", entry.key, changed.type, changed.text, changed.anchor or "")
    return replace(changed, key=key, author="human")


def rescued_key(capture: str, ordinal: int) -> str:
    """The key of the entry that a person made of a capture's refused finding."""
    return digest("rescued", capture, str(ordinal))


def written_entry(
    dyad: Dyad, edit: Edit, key: str, provenance: Provenance, side: Side = "user"
) -> Entry:
    """The entry that a human wrote by hand, supported by the utterance of `provenance`.

    Where no utterance supports it, `side` says whose an episodic one is.

    Raises:
        BadInput: if a field cannot be taken.
    """
    entry_type = checked_type(edit.type)
    role = provenance.role or ("user" if side == "user" else "assistant")
    return Entry(
        key=key,
        scope=dyad.scope(side_of(entry_type, role)),
        type=entry_type,
        text=checked_entry_text(edit.text),
        anchor=checked_anchor(edit.anchor),
        emotion=checked_line(edit.emotion, "emotion"),
        scene=checked_scene(edit.scene),
        author="human",
        provenance=provenance,
    )

"""What people type, checked once where it comes in."""

from graphs import STRATEGIES
from graphs.gates import iso_date
from graphs.methods import METHOD_NAMES, MethodName
from memory_banks.entries import (
    ENTRY_TYPES,
    SCENES,
    EntryType,
    Scene,
    clean_text,
    user_id,
    valid_text,
)

LARGEST_TEXT = 100_000
"""Bytes of UTF-8 that one message may have."""
LONGEST_PROFILE = 1000
"""Characters that the short profile of a person may have."""
LONGEST_ENTRY = 2000
"""Characters that one entry may have."""


class BadInput(ValueError):
    """Something a person gave cannot be taken; the message says what, its value, the way out."""


def checked_text(text: str) -> str:
    """What a person says or writes, trimmed, or BadInput for nothing or too much."""
    try:
        said = valid_text(text, "the message").strip()
    except ValueError as error:
        raise BadInput(f"{error}: nothing was sent.") from error
    if not said:
        raise BadInput("The message is empty: write something first.")
    size = len(said.encode("utf-8"))
    if size > LARGEST_TEXT:
        raise BadInput(
            f"The message has {size:,} bytes and {LARGEST_TEXT:,} are the limit: shorten it or "
            "send it in parts."
        )
    return said


def checked_user(user: str) -> str:
    """The id of the user called `user`, or BadInput."""
    try:
        return user_id(user)
    except ValueError as error:
        raise BadInput(f"{error}: give the name of the person you speak as.") from error


def checked_strategy(strategy: str) -> str:
    """`strategy`, or BadInput that lists the known ones."""
    if strategy not in STRATEGIES:
        raise BadInput(f"strategy must be one of {', '.join(STRATEGIES)}, got {strategy!r}.")
    return strategy


def checked_method(method: str) -> MethodName:
    """`method`, or BadInput that lists the known ones."""
    for known in METHOD_NAMES:
        if method == known:
            return known
    raise BadInput(f"method must be one of {', '.join(METHOD_NAMES)}, got {method!r}.")


def checked_scene(scene: str | None) -> Scene | None:
    """`scene` with the empty text as null, or BadInput that lists the five."""
    for known in SCENES:
        if scene == known:
            return known
    if scene:
        raise BadInput(f"scene must be one of {', '.join(SCENES)}, got {scene!r}.")
    return None


def checked_line(text: str | None, what: str) -> str | None:
    """`text` as one short line, the empty one as null, or BadInput."""
    if not text or not text.strip():
        return None
    try:
        line = " ".join(clean_text(text, what).split())
    except ValueError as error:
        raise BadInput(f"{error}.") from error
    if len(line) > 200:
        raise BadInput(f"{what} must be at most 200 characters, got {len(line)}.")
    return line


def checked_profile(text: str | None) -> str | None:
    """A short profile with single spaces, the empty one as null, or BadInput."""
    if not text or not text.strip():
        return None
    try:
        profile = " ".join(clean_text(text, "the profile").split())
    except ValueError as error:
        raise BadInput(f"{error}.") from error
    if len(profile) > LONGEST_PROFILE:
        raise BadInput(
            f"The profile has {len(profile)} characters and {LONGEST_PROFILE} are the limit: "
            "shorten it."
        )
    return profile


def checked_type(entry_type: str) -> EntryType:
    """`entry_type`, or BadInput that lists the six."""
    for known in ENTRY_TYPES:
        if entry_type == known:
            return known
    raise BadInput(f"type must be one of {', '.join(ENTRY_TYPES)}, got {entry_type!r}.")


def checked_entry_text(text: str) -> str:
    """An entry's text in NFC with single spaces, or BadInput for nothing or too much."""
    try:
        cleaned = " ".join(clean_text(text, "the entry").split())
    except ValueError as error:
        raise BadInput(f"{error}.") from error
    if not cleaned:
        raise BadInput("The entry is empty: write what is to be remembered.")
    if len(cleaned) > LONGEST_ENTRY:
        raise BadInput(
            f"The entry has {len(cleaned)} characters and {LONGEST_ENTRY} are the limit: split it."
        )
    return cleaned


def checked_anchor(anchor: str | None) -> str | None:
    """An ISO date or date-time, the empty text as null, or BadInput."""
    if not anchor or not anchor.strip():
        return None
    found = iso_date(anchor.strip())
    if found is None:
        raise BadInput(f"The date must be ISO, such as 2026-03-26, got {anchor!r}.")
    return found

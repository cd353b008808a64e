"""What license the text of an instance has: inherited from a file, or the author's choice."""

from collections.abc import Iterable

from sandbox.episodes import Episode
from sandbox.instances import Instance

LOCOMO = "CC BY-NC 4.0 (LoCoMo)"
"""StratMem-Bench's histories are LoCoMo's sessions word for word."""
_LOCOMO_TEXT = ("StratMem-Bench", "LoCoMo")
CHOICES = (
    "unspecified",
    "CC0-1.0",
    "CC BY 4.0",
    "CC BY-SA 4.0",
    "CC BY-NC 4.0",
    "Apache-2.0",
    "MIT",
)
"""What an author can choose for a talk of their own; any other words do as well."""


def inherited(instance: Instance | Episode | None) -> str | None:
    """The license that whatever is made of a file's text keeps; None where the file tells none."""
    if instance is None:
        return None
    return instance.licence or (LOCOMO if instance.source in _LOCOMO_TEXT else None)


def is_noncommercial(licence: str) -> bool:
    """Whether the license's name says so."""
    folded = licence.casefold().replace("-", " ").replace("_", " ")
    return " nc" in f" {folded}" or "noncommercial" in folded or "non commercial" in folded


def notice(licences: Iterable[str]) -> str:
    """What an export says of the licenses of its instances; empty for none."""
    found = sorted({one for one in licences if one})
    if not found:
        return ""
    told = f"Licenses: {'; '.join(found)}."
    limited = [one for one in found if is_noncommercial(one)]
    if limited:
        told += f" Text under {', '.join(limited)} must not be used commercially."
    return told

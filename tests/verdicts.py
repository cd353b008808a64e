"""Verdicts and roles to be counted, written in a few letters."""

from sandbox.instances import Role
from sandbox.judges.verdict import EntryVerdict, Miq, Usage, Verdict

_USAGES: dict[str, tuple[Usage, bool | None]] = {
    "+": ("used", None),
    "-": ("not used", None),
    "s": ("already said", None),
    "?": ("unsure", None),
    "y": ("unsure", True),
    "n": ("unsure", False),
    "x": ("unscored", None),
}
"""Used, not used, already said, unsure without a leaning and with one, unscored."""
_ROLES: dict[str, Role] = {"m": "must", "n": "nice", "i": "irr"}


def entry(key: str, sign: str) -> EntryVerdict:
    usage, leaning = _USAGES[sign]
    return EntryVerdict(key, usage, leaning)


def verdict(*entries: EntryVerdict, miq: float | None = 4.0, why: str = "Well.") -> Verdict:
    return Verdict("scripted", "1", entries, Miq(miq, why))


def posed(must: str = "", nice: str = "", irr: str = "") -> tuple[Verdict, dict[str, Role]]:
    """A verdict and roles: one sign an entry, named m1, m2, ..., n1, ..., i1, ..."""
    told = [
        (f"{letter}{number}", sign, _ROLES[letter])
        for letter, signs in (("m", must), ("n", nice), ("i", irr))
        for number, sign in enumerate(signs, 1)
    ]
    found = verdict(*(entry(key, sign) for key, sign, _ in told))
    return found, {key: role for key, _, role in told}

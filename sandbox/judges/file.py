"""The judge `file`: verdicts that are given with the data."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from sandbox.collected import Collection
from sandbox.instances import Instance, Reference, Use
from sandbox.judges.case import RULE_TYPES, Case
from sandbox.judges.verdict import (
    FAILURES,
    Aspect,
    AspectVerdict,
    EntryVerdict,
    Failure,
    JudgeError,
    Miq,
    Point,
    RuleState,
    Span,
    Verdict,
)

NAME = "file"
_ASPECTS: Mapping[str, Aspect] = {
    "naturalness": "naturalness",
    "style_coherence": "style",
    "memory_injection": "injection",
    "es_proficiency": "es_proficiency",
    "emotional_improvement": "emotional_improvement",
}
"""The collections' names of the aspects, and ours."""


@dataclass(frozen=True, slots=True)
class Given:
    """A reply with the verdict that a file gives on it."""

    instance: str
    """The instance's id."""
    reply: str
    verdict: Verdict
    """Its entries are the instance's keys."""
    group: str | None = None
    """What kind of reply it is, such as a reference reply's name; null where it is not told."""
    failed: bool = False


class FileJudge:
    """Finds the verdict of a reply to one instance; it judges nothing itself."""

    def __init__(
        self, given: Iterable[Given], instance: str, keys: Mapping[str, str] | None = None
    ) -> None:
        """Offer what `given` says of replies to `instance`.

        Args:
            given: the file's verdicts; those on other instances are left alone.
            instance: the instance's id.
            keys: the instance's keys by the ids of the cases' pools; null where they are the same.
        """
        self._verdicts = {one.reply.strip(): one for one in given if one.instance == instance}
        self._instance = instance
        self._keys = keys

    @property
    def name(self) -> str:
        """The name people choose it by."""
        return NAME

    def judge(self, case: Case) -> Verdict:
        """The given verdict, in the order of the case's pool and with its ids.

        Raises:
            JudgeError: if the file has none on this reply, or not on every entry of the pool.
        """
        given = self._verdicts.get(case.reply.strip())
        if given is None:
            raise JudgeError(
                f"the file has no verdict on this reply to {self._instance}: choose another "
                "judge, or take a reply that comes with the file"
            )
        shift = _indent(case.reply) - _indent(given.reply)
        found = {one.entry: one for one in given.verdict.entries}
        ids = {self._key(item.id): item.id for item in case.pool}
        for key, item in ids.items():
            if key not in found and not self._is_foreign(item):
                raise JudgeError(
                    f"the file's verdict on this reply to {self._instance} says nothing of "
                    f"{key}: add it, or choose another judge"
                )
        entries = tuple(
            _moved(found[key], ids, shift) if key in found else _foreign(item)
            for key, item in ids.items()
        )
        roles = {ids[key]: role for key, role in given.verdict.roles.items() if key in ids}
        return replace(given.verdict, entries=entries, roles=roles)

    def _is_foreign(self, item: str) -> bool:
        """Whether an entry was added to the opened instance's bank and is none of the file's."""
        return self._keys is not None and item not in self._keys

    def _key(self, item: str) -> str:
        return item if self._keys is None else self._keys.get(item, item)


def _foreign(item: str) -> EntryVerdict:
    return EntryVerdict(
        item, "unscored", why="It was added to the instance's bank: the file says nothing of it."
    )


def references(collection: Collection) -> tuple[Given, ...]:
    """The verdicts that the collection's reference replies come with, in its order."""
    return tuple(
        Given(one.id, reply.text, reference_verdict(one, reply, collection.sha256), reply.name)
        for one in collection.instances
        for reply in one.replies
    )


def reference_verdict(instance: Instance, reply: Reference, version: str) -> Verdict:
    """What the instance's tags say of a reference reply.

    MIQ is given as a range: its middle, said so; unscored where the reply uses nothing. A span that
    the reply does not hold is left out.
    """
    low, high = reply.expected.miq
    given = f"Given as {low}-{high}." if low < high else f"Given as {low}."
    score = (low + high) / 2 if reply.used else None
    why = f"{given} {reply.why}" if reply.used else "The reply uses nothing."
    failures: tuple[Failure, ...] = tuple(one for one in FAILURES if one in reply.expected.failures)
    return Verdict(
        judge=NAME,
        version=version,
        entries=tuple(_entry(instance, reply)),
        miq=Miq(score, why, failures if reply.used else ()),
        aspects=_aspects(reply),
        situation=instance.situation,
    )


def located(words: str, reply: str) -> tuple[Span, ...]:
    """Where `words` stand in the reply, first occurrence; empty where they do not."""
    start = reply.find(words) if words else -1
    return (Span(start, start + len(words)),) if start >= 0 else ()


def _entry(instance: Instance, reply: Reference) -> Iterator[EntryVerdict]:
    uses: dict[str, list[Use]] = {}
    for use in reply.used:
        uses.setdefault(use.entry, []).append(use)
    for entry in instance.pool:
        found = uses.get(entry.key, [])
        broken = entry.key in reply.violates
        rule: RuleState | None = None
        if entry.type in RULE_TYPES:
            followed = any(use.how == "followed" for use in found)
            rule = "violated" if broken else "followed" if followed else "not applicable"
        yield EntryVerdict(
            entry=entry.key,
            usage="used" if found else "not used",
            spans=_spans(found, reply.text),
            detail="; ".join(use.detail for use in found),
            why="The reply goes against it." if broken else "",
            rule=rule,
            recall=instance.recall if found and instance.roles.get(entry.key) != "irr" else None,
        )


def _spans(uses: Iterable[Use], text: str) -> tuple[Span, ...]:
    """Where the uses' words stand, in order, those that run into an earlier one left out."""
    kept: list[Span] = []
    for span in sorted((s for use in uses for s in located(use.span, text)), key=_start):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return tuple(kept)


def _start(span: Span) -> int:
    return span.start


def _aspects(reply: Reference) -> tuple[AspectVerdict, ...]:
    """The aspects that a range is given for; without their points, and so unscored."""
    ranges = reply.expected.aspects
    return tuple(
        AspectVerdict(
            aspect, tuple(Point(number, None, _range(*ranges[name])) for number in (1, 2, 3))
        )
        for name, aspect in _ASPECTS.items()
        if name in ranges
    )


def _range(low: float, high: float) -> str:
    return f"Given for all points together: {low:g} to {high:g} of 3."


def _moved(one: EntryVerdict, ids: Mapping[str, str], shift: int) -> EntryVerdict:
    return replace(
        one,
        entry=ids[one.entry],
        spans=tuple(Span(span.start + shift, span.end + shift) for span in one.spans),
        shared_with=tuple(ids.get(key, key) for key in one.shared_with),
    )


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())

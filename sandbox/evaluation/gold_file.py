r"""Gold files: a JSON array of replies to instances of another file, labelled by readers.

    [{"instance_id": "...", "reply": "...", "reply_policy": "paraphrase",
      "pool": [{"fact": "...", "used": true, "evidence": "words of the reply"}],
      "miq": [4, 5], "tags": ["dumped"]}]

`used` is null where the readers found it ambiguous. `miq` is one score, one a reader, or null; it
counts only where something is used. Facts are matched with the instance's entries by their text;
entries that are not listed are unscored. Fields that are not named here are left alone: roles come
from the instances.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from sandbox.collected import Collection, UnknownInstance
from sandbox.formats.reading import invalid, wrong
from sandbox.instances import Instance
from sandbox.judges.file import NAME, Given, located
from sandbox.judges.verdict import FAILURES, EntryVerdict, Failure, Miq, Verdict

_TAGS: Mapping[str, Failure] = {name: name for name in FAILURES} | {"off_topic": "off_goal"}
"""Tags of readers that name a failure of integration; others are only counted."""
_Text = Annotated[str, StringConstraints(min_length=1, max_length=200_000)]
_Score = Annotated[float, Field(ge=1, le=5)]


class _Form(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False)


class _Fact(_Form):
    fact: _Text
    used: bool | None
    evidence: str | None = None


class _Reply(_Form):
    instance_id: _Text
    reply: Annotated[str, StringConstraints(max_length=200_000)]
    pool: Annotated[list[_Fact], Field(min_length=1)]
    miq: list[_Score | None] | _Score | None = None
    tags: list[str] | None = None
    reply_policy: _Text | None = None


@dataclass(frozen=True, slots=True)
class Gold:
    """What a gold file says."""

    given: tuple[Given, ...]
    """An ambiguous use is `unsure` without a leaning."""
    other_tags: Mapping[str, int]
    """Tags that name no failure of integration, with how often they occur."""


def recognises_gold(value: Any) -> bool:
    """Whether this JSON value is such an array, sound or not."""
    first = value[0] if isinstance(value, list) and value else None
    return isinstance(first, dict) and {"instance_id", "reply"} <= first.keys()


def read_gold(value: list[Any], file: str, version: str, instances: Collection) -> Gold:
    """The labelled replies, in the file's order; `version` is the file's hash.

    Raises:
        FormatError: at the first fault, such as an instance or a fact that `instances` has not.
    """
    given: list[Given] = []
    tags: Counter[str] = Counter()
    for index, found in enumerate(value):
        where = f"{file}, reply {index}"
        try:
            form = _Reply.model_validate(found)
        except ValidationError as error:
            raise invalid(error, where) from error
        given.append(_given(form, _instance(form, instances, where), where, version))
        tags.update(tag for tag in form.tags or () if tag not in _TAGS)
    return Gold(tuple(given), dict(sorted(tags.items())))


def _instance(form: _Reply, instances: Collection, where: str) -> Instance:
    try:
        return instances.find(form.instance_id)
    except UnknownInstance as error:
        must = f"must be an instance of {instances.name}"
        raise wrong(where, "instance_id", must, form.instance_id) from error


def _given(form: _Reply, instance: Instance, where: str, version: str) -> Given:
    keys = {_spaced(entry.original or entry.text): entry.key for entry in instance.pool}
    keys |= {_spaced(entry.text): entry.key for entry in instance.pool}
    entries: dict[str, EntryVerdict] = {}
    for index, fact in enumerate(form.pool):
        key = keys.get(_spaced(fact.fact))
        if key is None or key in entries:
            must = f"must be a fact of {instance.id}'s pool, once"
            raise wrong(where, f"pool.{index}.fact", must, fact.fact)
        entries[key] = _entry(key, fact, form.reply)
    verdict = Verdict(
        judge=NAME,
        version=version,
        entries=tuple(entries.get(entry.key) or _untold(entry.key) for entry in instance.pool),
        miq=_miq(form),
    )
    return Given(instance.id, form.reply, verdict, form.reply_policy)


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _untold(key: str) -> EntryVerdict:
    return EntryVerdict(key, "unscored", why="The file says nothing of it.")


def _entry(key: str, fact: _Fact, reply: str) -> EntryVerdict:
    if fact.used is None:
        return EntryVerdict(key, "unsure", why="The readers found it ambiguous.")
    spans = located(fact.evidence or "", reply) if fact.used else ()
    return EntryVerdict(key, "used" if fact.used else "not used", spans=spans)


def _miq(form: _Reply) -> Miq:
    scores = list(_scores(form.miq))
    if not any(fact.used for fact in form.pool):
        return Miq(None, "The reply uses nothing.")
    failures: tuple[Failure, ...] = tuple(
        name for name in FAILURES if name in {_TAGS.get(tag) for tag in form.tags or ()}
    )
    if not scores:
        return Miq(None, "The file gives no score.", failures)
    told = " and ".join(f"{score:g}" for score in scores)
    return Miq(sum(scores) / len(scores), f"The readers gave {told}.", failures)


def _scores(told: list[float | None] | float | None) -> Iterator[float]:
    if isinstance(told, list):
        yield from (score for score in told if score is not None)
    elif told is not None:
        yield told

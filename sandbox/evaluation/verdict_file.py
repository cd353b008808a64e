r"""Verdict files: JSON lines, one reply each, which people and judges write alike.

    {"instance": "demo-05-third-address", "reply": "It is at your aunt's.", "judge": "human",
     "entries": {"m1": "not used", "m2": {"usage": "used", "spans": [[6, 20]]}},
     "miq": {"score": 4, "why": "Plain."}}

An entry is its usage, or an object with more. Spans are character positions in `reply`, end
exclusive. Everything but `instance`, `reply` and `entries` may be left out.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints
from pydantic import ValidationError as _Invalid

from sandbox.formats.reading import FormatError, invalid, read_json, wrong
from sandbox.instances import Role
from sandbox.judges.file import Given
from sandbox.judges.verdict import (
    ASPECTS,
    Aspect,
    AspectVerdict,
    EntryVerdict,
    Failure,
    Miq,
    Point,
    RecallKind,
    RoleProposal,
    RuleState,
    Span,
    Usage,
    Verdict,
)

_Text = Annotated[str, StringConstraints(max_length=200_000)]
_Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
_Share = Annotated[float, Field(ge=0, le=1)]
_Place = Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=2, max_length=2)]


class _Form(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


class _Entry(_Form):
    usage: Usage
    leaning: bool | None = None
    spans: list[_Place] = []
    detail: _Text = ""
    why: _Text = ""
    rule: RuleState | None = None
    recall: RecallKind | None = None
    shared_with: list[_Name] = []
    probability: _Share | None = None
    flips: _Share | None = None


def _usage(found: Any) -> Any:
    return {"usage": found} if isinstance(found, str) else found


class _MiqForm(_Form):
    score: Annotated[float, Field(ge=1, le=5)] | None = None
    why: _Text = ""
    failures: list[Failure] = []


class _PointForm(_Form):
    value: Annotated[float, Field(ge=0, le=1, multiple_of=0.5)] | None
    why: _Text = ""
    quote: _Text = ""


class _RoleForm(_Form):
    role: Role
    probabilities: dict[Role, _Share] | None = None


class _Line(_Form):
    instance: _Name
    reply: _Text
    judge: _Name = "file"
    version: _Text = ""
    group: _Name | None = None
    failed: bool = False
    entries: Annotated[dict[_Name, Annotated[_Entry, BeforeValidator(_usage)]], Field(min_length=1)]
    miq: _MiqForm = _MiqForm()
    aspects: dict[Aspect, Annotated[list[_PointForm], Field(min_length=3, max_length=3)]] = {}
    situation: _Text | None = None
    roles: dict[_Name, _RoleForm] = {}
    warnings: list[_Text] = []
    seconds: Annotated[float, Field(ge=0)] = 0.0


def read_verdicts(data: bytes, file: str) -> tuple[Given, ...]:
    """The verdicts of a file, in its order; blank lines count for nothing.

    Raises:
        FormatError: at the first fault: file, line, field, value, what must hold.
    """
    found: list[Given] = []
    seen: dict[tuple[str, str], int] = {}
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        where = f"{file}, line {number}"
        given = _given(_value(line, where), where)
        before = seen.setdefault((given.instance, given.reply.strip()), number)
        if before != number:
            raise wrong(where, "reply", f"must be judged once, and line {before} does", given.reply)
        found.append(given)
    if not found:
        raise FormatError(f"{file}: must hold at least one line with a verdict, it is empty")
    return tuple(found)


def write_verdicts(given: Iterable[Given]) -> bytes:
    """The verdicts as a file that `read_verdicts` reads back; requests to models are left out."""
    return b"".join(json.dumps(_plain(one), ensure_ascii=False).encode() + b"\n" for one in given)


def _value(line: bytes, where: str) -> Any:
    try:
        return read_json(line, where)
    except FormatError as error:
        # A line of the file has no lines of its own.
        raise FormatError(str(error).replace(f"{where}, line 1", where, 1)) from error


def _given(value: Any, where: str) -> Given:
    try:
        line = _Line.model_validate(value)
    except _Invalid as error:
        raise invalid(error, where) from error
    entries = tuple(_entry(key, one, line, where) for key, one in line.entries.items())
    for key in line.roles.keys() - line.entries.keys():
        raise wrong(where, f"roles.{key}", "must be of an entry of the line", key)
    verdict = Verdict(
        judge=line.judge,
        version=line.version,
        entries=entries,
        miq=Miq(line.miq.score, line.miq.why, tuple(line.miq.failures)),
        aspects=tuple(
            _aspect(name, line.aspects[name]) for name in ASPECTS if name in line.aspects
        ),
        situation=line.situation,
        roles={key: RoleProposal(one.role, one.probabilities) for key, one in line.roles.items()},
        warnings=tuple(line.warnings),
        seconds=line.seconds,
    )
    return Given(line.instance, line.reply, verdict, line.group, line.failed)


def _entry(key: str, form: _Entry, line: _Line, where: str) -> EntryVerdict:
    field = f"entries.{key}"
    end = 0
    for place in form.spans:
        if not end <= place[0] < place[1] <= len(line.reply):
            must = f"must be in order, apart and inside the reply's {len(line.reply)} characters"
            raise FormatError(f"{where}, field '{field}.spans': {must}, got {place}")
        end = place[1]
    if form.leaning is not None and form.usage != "unsure":
        raise wrong(where, f"{field}.leaning", "must be null unless usage is unsure", form.leaning)
    if form.rule == "followed" and form.usage != "used":
        must = "must be 'used' where the rule is followed"
        raise wrong(where, f"{field}.usage", must, form.usage)
    told = form.model_dump(exclude={"spans", "shared_with"})
    spans = tuple(Span(*place) for place in form.spans)
    return EntryVerdict(entry=key, spans=spans, shared_with=tuple(form.shared_with), **told)


def _aspect(name: Aspect, points: list[_PointForm]) -> AspectVerdict:
    first, second, third = points
    return AspectVerdict(name, (_point(1, first), _point(2, second), _point(3, third)))


def _point(number: Literal[1, 2, 3], form: _PointForm) -> Point:
    return Point(number, form.value, form.why, form.quote)


def _plain(given: Given) -> dict[str, Any]:
    verdict = given.verdict
    return {
        "instance": given.instance,
        "reply": given.reply,
        "judge": verdict.judge,
        "version": verdict.version,
        "group": given.group,
        "failed": given.failed,
        "entries": {one.entry: _plain_entry(one) for one in verdict.entries},
        "miq": asdict(verdict.miq),
        "aspects": {one.aspect: list(_plain_points(one)) for one in verdict.aspects},
        "situation": verdict.situation,
        "roles": {key: _plain_role(one) for key, one in verdict.roles.items()},
        "warnings": list(verdict.warnings),
        "seconds": verdict.seconds,
    }


def _plain_entry(one: EntryVerdict) -> dict[str, Any]:
    """The entry's usage, with whatever else is told of it."""
    told = asdict(one) | {"spans": [[span.start, span.end] for span in one.spans]}
    blank = EntryVerdict("", "used")
    kept = {
        name: value
        for name, value in told.items()
        if name not in ("entry", "usage") and value not in (getattr(blank, name), [])
    }
    return {"usage": one.usage} | kept


def _plain_points(one: AspectVerdict) -> Iterator[Mapping[str, Any]]:
    for point in one.points:
        yield {"value": point.value, "why": point.why, "quote": point.quote}


def _plain_role(one: RoleProposal) -> Mapping[str, Any]:
    return {"role": one.role, "probabilities": one.probabilities and dict(one.probabilities)}

"""The labelled replies as cases: gold files joined with the instances they answer.

The data folder (an argument) holds `gold/usage_gold_dev.json`, `gold/usage_train.json` and
`data/stratmem/StratMemBench_testset.json`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sandbox.formats import read_collection
from sandbox.instances import Instance
from sandbox.judges.case import Case, PoolItem
from sandbox.judges.instance_case import case_of

DEV, TRAIN = "usage_gold_dev.json", "usage_train.json"
INSTANCES = "StratMemBench_testset.json"


@dataclass(frozen=True, slots=True)
class Labelled:
    """One reply with what people (or models as readers) said of it."""

    case: Case
    used: tuple[bool | None, ...]
    """In the pool's order; null where the readers left it open."""
    unsure: tuple[bool, ...]
    """Labels that their reader marked as borderline."""
    evidence: tuple[str | None, ...]
    miq: float | None
    """Mean of the readers; null where none, or where nothing is used."""
    policy: str
    dev: bool
    """Whether it is of the file that was read twice and adjudicated."""


def load(folder: Path) -> list[Labelled]:
    """All replies, those of the dev file first."""
    path = folder / "data" / "stratmem" / INSTANCES
    known = {one.id: one for one in read_collection(path.read_bytes(), path.name).instances}
    found: list[Labelled] = []
    for name in (DEV, TRAIN):
        rows = json.loads((folder / "gold" / name).read_text("utf-8"))
        found += [_labelled(row, known[row["instance_id"]], name == DEV) for row in rows]
    return found


def paths(folder: Path) -> list[Path]:
    """The files that `load` reads."""
    gold, instances = folder / "gold", folder / "data" / "stratmem" / INSTANCES
    return [gold / DEV, gold / TRAIN, instances]


def _labelled(row: Mapping[str, Any], instance: Instance, dev: bool) -> Labelled:
    pool = row["pool"]
    scores = row["miq"] if isinstance(row["miq"], list) else [row["miq"]]
    known = [float(score) for score in scores if score is not None]
    miq = sum(known) / len(known) if known and any(one["used"] for one in pool) else None
    return Labelled(
        case=_case(row, instance),
        used=tuple(one["used"] for one in pool),
        unsure=tuple(bool(one.get("unsure")) for one in pool),
        evidence=tuple(one["evidence"] for one in pool),
        miq=miq,
        policy=row["reply_policy"],
        dev=dev,
    )


def _case(row: Mapping[str, Any], instance: Instance) -> Case:
    """The case as the product builds it, with the file's own pool."""
    pool = tuple(PoolItem(str(at), one["fact"]) for at, one in enumerate(row["pool"], start=1))
    return replace(case_of(instance, row["reply"]), pool=pool)

"""The labelled replies, which are no part of the project: looked for beside the repository."""

import json
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).parents[2] / "shared"
DEV, TRAIN = "usage_gold_dev.json", "usage_train.json"


def gold_file(name: str) -> Path:
    """A file of labelled replies, or a skipped test."""
    path = SHARED / "gold" / name
    if not path.is_file():
        pytest.skip(f"needs the labelled replies of {name} in {path.parent}")
    return path


def gold_rows(name: str) -> list[dict[str, Any]]:
    """Its replies as they are."""
    rows: list[dict[str, Any]] = json.loads(gold_file(name).read_text("utf-8"))
    return rows


def gold_folder() -> Path:
    """The folder that `fitting.gold.load` reads, whole, or a skipped test."""
    for name in (DEV, TRAIN):
        gold_file(name)
    path = SHARED / "data" / "stratmem" / "StratMemBench_testset.json"
    if not path.is_file():
        pytest.skip(f"needs {path.name} of StratMem-Bench in {path.parent}")
    return SHARED

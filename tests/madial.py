"""MADial-Bench's files for tests: invented ones, and the released ones where they are at hand."""

import json
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parents[2] / "shared" / "data" / "madial"
Files = list[tuple[str, bytes]]


def released(*names: str) -> Files:
    """Released files by name and bytes, or a skipped test."""
    found = [DATA / name for name in names]
    for path in found:
        if not path.is_file():
            pytest.skip(f"needs {path.name} of MADial-Bench in {path.parent}")
    return [(path.name, path.read_bytes()) for path in found]


def runs(language: str) -> list[str]:
    """The names of the released runs in a language; a skipped test where there are none."""
    folder = DATA / "runs" / language
    if not folder.is_dir():
        pytest.skip(f"needs the runs of MADial-Bench in {folder}")
    return sorted(f"runs/{language}/{path.name}" for path in folder.iterdir())


def lines(*rows: Any) -> bytes:
    """JSON Lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def dialogue(**changes: Any) -> dict[str, Any]:
    """A dialogue in the release's shape, written for tests: two test turns."""
    made: dict[str, Any] = {
        "dialogue": [
            "<BOD>\n",
            '<Bart>: "The loom broke."\n',
            '<Assistant>: "Oh no. Which part?"\n',
            '<Bart>: "The "heddle"."\n',
            '<Assistant>: "You mended one in May."\n',
            '<Bart>: "True!"\n',
            '<Assistant>: "Then you can do it again."\n',
            '<Bart>: "Bye."\n',
            "<EOD>\n",
        ],
        "test-turn": [4, 6],
        "relevant-id": [7, 2],
        "user-id": 1,
    }
    return made | {name.replace("_", "-"): value for name, value in changes.items()}


def memory(key: int, **changes: Any) -> dict[str, Any]:
    """A memory in the release's shape."""
    made = {
        "time": "2023-05-04",
        "scene": "Activity",
        "emotion": "Happy",
        "event": f"Bart mended heddle {key}.",
    }
    return {str(key): made | {name.replace("_", "-"): value for name, value in changes.items()}}


def small(*dialogues: Any, memories: Any = None, **others: bytes) -> Files:
    """A dialogue file with eight of Bart's memories and one of Lisa's, and files beside them."""
    told = memories or [memory(key) for key in range(1, 9)]
    told = [*told, memory(99, event="Lisa sang.")] if memories is None else told
    return [
        ("talk.json", lines(*(dialogues or (dialogue(),)))),
        ("kept.json", lines(*told)),
        *((f"{name}.json", data) for name, data in others.items()),
    ]

"""Sound files of every format, and what may become of them on the way here."""

import copy
import io
import json
import re
from collections.abc import Iterator, Sequence
from importlib.resources import files
from random import Random
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from sandbox.formats import packaged_collection
from tests.madial import dialogue, memory
from tests.test_locomo import question, sample
from tests.test_longmemeval import item as asked
from tests.test_stratmem import item

Files = list[tuple[str, bytes]]
Step = str | int
Path = tuple[Step, ...]


class Written:
    """Text as it is to stand in a JSON file, whatever JSON thinks of it."""

    def __init__(self, text: str) -> None:
        self.text = text


def deep(levels: int) -> Written:
    return Written("[" * levels + "]" * levels)


ODD: Sequence[Any] = (
    *(None, True, False, 0, -1, 3, 2**60, 2.5, 1e300, "", " ", "x", "x" * 10_000, "é" * 300_000),
    *([], [1], ["x"], {}, {"a": 1}, [[]], [{}], {"": {}}, {"format": "x"}),
    *("../../etc/passwd", "C:\\x", "con", "\u202eabc", "<script>alert(1)</script>", "# x\n![y](z)"),
    *("{0.__class__}%s$x", "a\nb\x1b[31m", "\U0001f469\u200d\U0001f467", "שלום\u200f", "e\u0301"),
    *("0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "2026-13-45", "٣", "D1:1;D2:1"),
    *("12:05 am on 31 February, 2023", '["Ann: x", 3]', "[" * 5_000, '{"a": NaN}'),
    *(Written(told) for told in ("NaN", "-Infinity", "1e999", "9" * 5_000, '"\\ud83d"')),
    *(Written(told) for told in ('"\\u0000"', "tru", "{1: 2}", "'x'", "")),
    *(deep(39), deep(60), deep(700), deep(100_000)),
)
"""Values that stand where they should not."""
_BUNDLE = {
    "format": "strategic-memory-session",
    "version": 1,
    "marker": "@0@",
    "user": {"name": "Noor", "profile": ""},
    "branch": None,
    "collection": None,
    "session": {
        "persona": json.dumps({"id": "odo", "name": "Odo", "summary": ["Odo keeps tides."]}),
        "speaker": "Noor",
        "prelude": '[{"role": "user", "speaker": "Noor", "text": "Hi"}]',
        "clock": "2026-03-01T10:00:00+00:00",
    },
    "turns": [
        {
            "row": {
                "number": 1,
                "text": "High tide?",
                "at": "2026-03-01T10:00:00+00:00",
                "status": "answered",
                "chosen": "@0@r1@",
            },
            "replies": [
                {
                    "row": {"id": "@0@r1@", "ordinal": 1, "text": "At noon."},
                    "verdicts": [],
                    "corrections": [],
                }
            ],
        }
    ],
    "entries": [],
    "operations": [],
    "captures": [],
}
_RUN = {
    "test-turn": [4, 6],
    "relevant-id": [7, 2],
    "user-id": 1,
    "top-20-ids": [1, 7, 2, 3],
    "bottom-10-ids": [8, 6, 5, 4, 2],
}
_TALK = [
    {"role": "system", "content": "You are Bo."},
    {"role": "user", "name": "Ann", "content": "Hi"},
    {"role": "assistant", "content": [{"type": "text", "text": "a"}], "tool_calls": [{"a": 1}]},
    {"role": "user", "content": "And now?"},
]


def _packaged(name: str) -> Any:
    return json.loads(files("sandbox").joinpath("collections", name).read_bytes())


def _demo() -> Any:
    value = json.loads(packaged_collection())
    return value | {"scenarios": value["scenarios"][4:5]}


_ANSWERED = question(category=5, answer=..., adversarial_answer="x")
_ABSTAINED = {"question_id": "b_abs", "answer_session_ids": ["answer_1"]}
SOUND: dict[str, list[tuple[str, Any]]] = {
    "stratmem": [("f.json", [item(), item(id="b")])],
    "locomo": [("f.json", [sample(question(), _ANSWERED)])],
    "longmemeval": [("f.json", [asked(), asked(**_ABSTAINED)])],
    "madial": [
        ("talk.jsonl", [dialogue(), dialogue(id=1)]),
        ("kept.jsonl", [*(memory(key) for key in range(1, 9)), memory(9, user_id=2)]),
        ("x_top_20.jsonl", [_RUN, _RUN]),
    ],
    "messages": [("f.jsonl", [{"messages": _TALK}] * 2)],
    "demo": [("f.json", _demo())],
    "episode": [("f.json", _packaged("episode.json"))],
    "session": [("f.json", _BUNDLE)],
}
"""Of each format: the files by name, with their value or the values of their lines."""


def encoded(held: Sequence[tuple[str, Any]]) -> Files:
    return [(name, _encoded(name, value)) for name, value in held]


def _encoded(name: str, value: Any) -> bytes:
    several = name.endswith(".jsonl") and isinstance(value, list)
    written = "\n".join(map(_json, value)) if several else _json(value)
    return written.encode("utf-8", "surrogatepass")


def _json(value: Any) -> str:
    told: dict[str, str] = {}

    def kept(one: Any) -> str:
        told[f"@{len(told)}@"] = one.text
        return list(told)[-1]

    text = json.dumps(value, default=kept, ensure_ascii=False)
    return re.sub(r'"(@\d+@)"', lambda found: told.get(found[1], found[0]), text)


def paths(value: Any, above: Path = ()) -> Iterator[Path]:
    """Where anything stands in a value."""
    yield above
    if isinstance(value, dict | list):
        steps = value if isinstance(value, dict) else range(len(value))
        for step in steps:
            yield from paths(value[step], (*above, step))


def changed_once(value: Any, draw: Random) -> Any:
    """The value with one thing in it changed, dropped or doubled; nothing that is no JSON."""
    while True:
        made = _changed(copy.deepcopy(value), draw.choice(list(paths(value))[1:]), draw)
        try:
            json.dumps(made, allow_nan=False)
        except (TypeError, ValueError):
            continue
        return made


def mangled(kind: str, draw: Random) -> Files:
    """Files of a format with one value changed, dropped, doubled, or some bytes of one spoilt."""
    held = list(SOUND[kind])
    place = draw.randrange(len(held))
    name, value = held[place]
    if draw.random() < 0.2:
        found = encoded(held)
        found[place] = (name, spoilt(found[place][1], draw))
        return found
    path = draw.choice(list(paths(value)))
    held[place] = (name, _changed(copy.deepcopy(value), path, draw))
    return encoded(held)


def spoilt(data: bytes, draw: Random) -> bytes:
    start = draw.randrange(len(data))
    end = min(len(data), start + draw.randrange(30))
    return data[:start] + draw.randbytes(draw.randrange(5)) + data[end:]


def _changed(value: Any, path: Path, draw: Random) -> Any:
    odd = draw.choice(ODD)
    if not path:
        return odd
    inside: Any = value
    for step in path[:-1]:
        inside = inside[step]
    how = draw.randrange(8)
    if how == 0:
        del inside[path[-1]]
    elif how == 1 and isinstance(inside, list):
        inside.insert(int(path[-1]), copy.deepcopy(inside[int(path[-1])]))
    elif how == 2 and isinstance(inside, dict):
        inside["extra\n<b>"] = odd
    else:
        inside[path[-1]] = odd
    return value


def zipped(held: Files, method: int = ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with ZipFile(made, "w", method) as archive:
        for name, data in held:
            archive.writestr(name, data)
    return made.getvalue()

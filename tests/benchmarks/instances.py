"""What reading and opening instances costs: `python -m tests.benchmarks.instances [FILE ...]`.

Without a file, 657 made-up instances in the shape of StratMem-Bench's are read, with pools of
eight and personas of about 3,000 characters. `read` is an import without the storing of the file;
`first open` reads the kept file and opens an instance, as after a restart; `open` is any later
one. `json` is the same bytes through `json.loads` alone, the reference of the run. Times of the
processor: where nobody else uses the machine they are what one waits.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from memory_banks.embedding import HashedWords
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox, assemble
from sandbox.folder import Layout
from sandbox.formats import read_collection
from sandbox.models import Models
from sandbox.settings import Settings
from tests.benchmarks.turn_overhead import text_of
from tests.fakes import NOW
from tests.scripted_model import ScriptedModel


def made_up(count: int = 657) -> bytes:
    """A file of so many instances."""
    return json.dumps([_item(number) for number in range(count)], indent=1).encode()


def _item(number: int) -> dict[str, object]:
    facts = [{"fact": text_of(number * 8 + place)} for place in range(8)]
    prose = " ".join(text_of(number + place) for place in range(30))
    return {
        "id": f"made_{number:010}",
        "given_type": "A",
        "inferred_type": "C",
        "query": text_of(number),
        "query_time": "12:05 am on 8 May, 2023",
        "history": json.dumps([f"Ann: {text_of(number)}", f"Bo {number}: I see."]),
        "roles": {"human": "Ann", "virtual_person": f"Bo {number}"},
        "memory": {"must": facts[:1], "nice": facts[1:3], "irr": facts[3:]},
        "virtual_person_persona": {
            "virtual_person_name": f"Bo {number}",
            "summary": prose,
            "traits": [text_of(number)],
            "style": [text_of(number + 1)],
            "domains": [text_of(number + 2)],
            "values": [text_of(number + 3)],
        },
    }


def timed(call: Callable[[], object]) -> float:
    """Milliseconds of the processor for one call."""
    start = time.thread_time()
    call()
    return (time.thread_time() - start) * 1000


def started(folder: Path) -> Sandbox:
    """A sandbox on the folder, as after a restart."""
    return assemble(
        Settings(data_dir=folder),
        Layout(folder),
        {},
        clock=lambda: NOW,
        load_embedder=HashedWords,
        models=Models(ready=[ScriptedModel(play=lambda asked: "I see.")]),
    )


def opened(sandbox: Sandbox, sha256: str, number: int) -> None:
    """Open an instance of the collection."""
    one = sandbox.instances.collection(ACCOUNT, sha256).instances[number]
    sandbox.instances.open(ACCOUNT, sha256, one.id)


def measure(data: bytes, name: str, runs: int) -> None:
    """Print the lines of one file."""
    count = len(read_collection(data, name).instances)
    reference = statistics.median(timed(lambda: json.loads(data)) for _ in range(runs))
    first, later = [], []
    for run in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            sandbox = started(Path(folder))
            sha256 = sandbox.instances.add(ACCOUNT, [(name, data)]).sha256
            sandbox.close()
            sandbox = started(Path(folder))
            first.append(timed(lambda: opened(sandbox, sha256, run)))  # noqa: B023
            later += [timed(lambda: opened(sandbox, sha256, place)) for place in range(40, 60)]  # noqa: B023
            sandbox.close()
    print(f"{name}: {count} instances, {len(data):,} bytes")
    rows = {
        "json": [reference],
        "read": [timed(lambda: read_collection(data, name)) for _ in range(runs)],
        "first open": first,
        "open": later,
    }
    for row, taken in rows.items():
        middle, most = statistics.median(taken), max(taken)
        print(
            f"  {row:<12}{middle:>9.1f} ms, at most {most:>8.1f}, ratio {middle / reference:>7.2f}"
        )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    if not arguments.files:
        measure(made_up(), "made-up.json", arguments.runs)
    for file in arguments.files:
        measure(file.read_bytes(), file.name, arguments.runs)


if __name__ == "__main__":
    main()

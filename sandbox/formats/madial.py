r"""MADial-Bench's files, which belong together: dialogues, memories and, where given, runs.

All are JSON Lines, whatever they are called, and known by what a line holds. A dialogue, its place
in the file being its id (the Chinese files say `id` as well, and two of them have the five memories
of a setting as `memory` and `memory_ids`):

    {"dialogue": ["<BOD>\n", "<Bart>: \"Look, a kite!\"\n", "<Assistant>: \"Yours was red.\"\n",
                  "<EOD>\n"], "test-turn": [2], "relevant-id": [7, 31], "user-id": 1}

A memory (the Chinese file adds `user-id` and `id`), and a run's ranking for one dialogue:

    {"7": {"time": "2023-04-02", "scene": "Activity", "emotion": "Happy",
           "event": "Bart flew a red kite."}}
    {"test-turn": [2], "relevant-id": [7, 31], "user-id": 1, "top-20-ids": [31, 7, 12],
     "bottom-10-ids": [90, 4]}

Each test turn is an instance: what was said before, the last utterance as query, the child's own
memories as pool, the golden ones in order. The settings of the paper are in `madial_settings`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sandbox.collected import Collection, Quirk, Refused
from sandbox.formats.madial_dialogue import (
    DATE_NOTE,
    PROACTIVE,
    Around,
    Placed,
    instances_of,
    is_dialogue,
    language_of_rows,
    oddities,
    read_rows,
    recall_of,
)
from sandbox.formats.madial_memory import Memories, is_memory, read_memories
from sandbox.formats.madial_people import language_of
from sandbox.formats.madial_runs import Runs, is_run, read_runs
from sandbox.formats.reading import FormatError, Unfit
from sandbox.formats.sources import SourceFile, Sources, read_json_line
from sandbox.instances import Instance

DESCRIBED = "MADial-Bench's dialogues together with their memories (runs too, where given)"
_KINDS: Mapping[str, Callable[[Any], bool]] = {
    "dialogue": is_dialogue,
    "memory": is_memory,
    "run": is_run,
}
_BEGINNING = 4_000_000
"""Bytes within which the first line must end for a file to be recognised."""


def recognises(given: Sources) -> bool:
    """Whether one of the files is of MADial-Bench, sound or not."""
    return any(_kind(file) is not None for file in given.files)


def read(given: Sources) -> Collection:
    """An instance for every test turn of the dialogues, in their order.

    Raises:
        FormatError: if dialogues or memories are missing, a file is of another kind, or a line has
            not the shape shown above.
    """
    kinds = _sorted(given)
    files = _dialogue_files(kinds["dialogue"])
    memories = read_memories(kinds["memory"][0])
    rows = files[0]
    runs = read_runs(kinds["run"], rows, memories.pools)
    runs.quirks += [quirk for held in files for quirk in _offered(held, runs)]
    instances, refused = _instances(rows, memories, runs)
    quirks = (*_of_files(rows, memories), *memories.quirks, *_of_dialogues(rows), *runs.quirks)
    return Collection(given.name, given.sha256, instances, quirks, (*memories.refused, *refused))


def _kind(file: SourceFile) -> str | None:
    """What a file's first line holds; null for anything else, sound or not."""
    if not file.is_lines:
        return None
    first = file.data[:_BEGINNING].removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
    try:
        row = read_json_line(first, file.name, 1)
    except FormatError:
        return None
    return next((name for name, fits in _KINDS.items() if fits(row)), None)


def _sorted(given: Sources) -> dict[str, list[SourceFile]]:
    found: dict[str, list[SourceFile]] = {name: [] for name in _KINDS}
    for file in given.files:
        kind = _kind(file)
        if kind is None:
            _readable(file)
            must = "must hold dialogues, memories or runs of MADial-Bench like the files beside it"
            raise FormatError(f"{file.name}: {must}")
        found[kind].append(file)
    _complete(given, found)
    return found


def _readable(file: SourceFile) -> None:
    """Let a file that is no JSON say so itself.

    Raises:
        FormatError: if it is none.
    """
    _ = file.lines if file.is_lines else file.value


def _complete(given: Sources, found: Mapping[str, Sequence[SourceFile]]) -> None:
    if not found["dialogue"]:
        must = "must be given together with MADial-Bench's dialogue file, which is not among them"
        raise FormatError(f"{given.name}: {must}")
    if not found["memory"]:
        first = found["dialogue"][0].name
        must = "must be given together with the memory file of the same language"
        raise FormatError(f"{first}: {must}: choose both files at once, or a zip of them")
    if len(found["memory"]) > 1:
        both = " and ".join(file.name for file in found["memory"])
        raise FormatError(f"{given.name}: must hold one memory file, got {both}")


def _dialogue_files(files: Sequence[SourceFile]) -> list[list[Placed]]:
    """The lines of each dialogue file; all must hold the same dialogues.

    The one that offers no memories comes first.
    """
    held = [read_rows(file) for file in files]
    held.sort(key=lambda rows: any(one.row.memory_ids for one in rows))
    for rows in held[1:]:
        if _told(rows) != _told(held[0]):
            first = held[0][0].file if held[0] else files[0].name
            raise FormatError(f"{rows[0].file}: must hold the same dialogues as {first}")
    return held


def _told(rows: Sequence[Placed]) -> list[dict[str, Any]]:
    return [one.row.model_dump(exclude={"memory_ids", "recall", "id"}) for one in rows]


def _offered(rows: Sequence[Placed], runs: Runs) -> Iterator[Quirk]:
    """Keep the memories that a file offers, under the setting that they turn out to be."""
    offering = [one for one in rows if one.row.memory_ids]
    if not offering:
        return
    with_golden = all(one.row.relevant_id[0] in (one.row.memory_ids or ()) for one in offering)
    setting = "2" if with_golden else "3"
    for one in offering:
        runs.put(one.name, f"setting {setting} as released", one.row.memory_ids or ())
    why = "all" if with_golden else "not all"
    told = f"offers the memories of setting {setting}: {why} of its lists hold the first golden one"
    other = {"2": "3", "3": "2"}[setting]
    said = " (its name says the other one)" if f"setting{other}" in rows[0].file else ""
    yield Quirk(rows[0].file, f"{len(offering)} dialogues", told + said)


def _instances(
    rows: Sequence[Placed], memories: Memories, runs: Runs
) -> tuple[tuple[Instance, ...], list[Refused]]:
    language = language_of_rows(rows)
    found: list[Instance] = []
    refused: list[Refused] = []
    for place, one in enumerate(rows):
        recall = recall_of(place, len(rows))
        around = Around(memories.pools, language, recall, runs.of(one.name))
        try:
            found += instances_of(one, around)
        except Unfit as error:
            refused.append(Refused(f"{one.file}, {one.where}", str(error)))
    return tuple(found), refused


def _of_files(rows: Sequence[Placed], memories: Memories) -> Iterator[Quirk]:
    """What concerns the files as wholes."""
    file = rows[0].file if rows else memories.file
    count = f"{len(rows)} dialogues"
    yield Quirk(file, count, DATE_NOTE)
    if recall_of(0, len(rows)):
        told = f"proactive and passive follow from the order: the first {PROACTIVE} are proactive"
        yield Quirk(file, count, told)
    spoken, kept = language_of_rows(rows), language_of(memories.texts)
    if spoken != kept:
        yield Quirk(file, count, f"dialogues are in {spoken} and the memories in {kept}")


def _of_dialogues(rows: Sequence[Placed]) -> Iterator[Quirk]:
    for one in rows:
        for where, sentence in oddities(one):
            yield Quirk(one.file, where, sentence)

"""Files that are broken, or made to do harm: of every format, one sentence and nothing kept."""

import codecs
import json
import struct
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import func, select

from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.collected import Collection
from sandbox.formats import FORMATS, FormatError, format_of, read_files
from sandbox.formats.reading import LARGEST
from sandbox.formats.sources import PACKED
from sandbox.inputs import BadInput
from sandbox.instances import Instance
from sandbox.pools import pool_lines
from sandbox.tables import collections
from tests.fakes import LastWord, Script, fake_sandbox
from tests.mangling import SOUND, Files, encoded, mangled, spoilt, zipped
from tests.test_commands import refused, run

KINDS = sorted(SOUND)
LINES = ("madial", "messages")
"""Formats of JSON Lines: each of their lines is a value of its own."""


def held(kind: str) -> Files:
    return encoded(SOUND[kind])


def taken(given: Files) -> Collection | str:
    """What is read, or the sentence; anything but FormatError is the test's failure."""
    try:
        return read_files(given)
    except FormatError as error:
        return str(error)


def check(found: Collection | str) -> None:
    """Whatever is said is short, on one line, and runs nothing in a terminal."""
    if isinstance(found, str):
        told = [found]
    else:
        told = [f"{one.place}: {one.sentence}" for one in (*found.quirks, *found.refused)]
    for sentence in told:
        assert sentence.isprintable(), sentence
        assert len(sentence) < 420, sentence


def nameless(one: Instance) -> Instance:
    """The instance without its id, which may be its line."""
    return replace(one, id="")


def test_every_format_has_a_sound_file_here() -> None:
    assert sorted(kind.name for kind in FORMATS) == KINDS
    for kind in KINDS:
        assert format_of(held(kind)).name == kind
        assert not isinstance(taken(held(kind)), str)


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_becomes_of_a_file_it_is_read_or_refused_in_one_sentence(kind: str) -> None:
    """What is read can be opened too: its pool fits a bank. The seed is fixed."""
    read = 0
    for seed in range(160):
        found = taken(mangled(kind, Random(f"{kind} {seed}")))
        check(found)
        if isinstance(found, Collection):
            read += 1
            for one in found.instances[:2]:
                pool_lines(one)
    assert 8 < read < 150


Damage = Callable[[bytes], bytes]
WHOLE: dict[str, tuple[Damage, str]] = {
    "empty": (lambda _data: b"", "line 1, column 1: must be whole JSON, and breaks off there"),
    "only a mark": (lambda _data: codecs.BOM_UTF8, "must be whole JSON, and breaks off there"),
    "cut in the middle": (lambda data: data[: len(data) * 2 // 3], "breaks off there"),
    "UTF-16": (lambda data: data.decode().encode("utf-16"), "it looks like UTF-16"),
    "UTF-16 without a mark": (lambda data: data.decode().encode("utf-16-le"), "must be JSON"),
    "UTF-32": (lambda data: data.decode().encode("utf-32"), "must be UTF-8, got the byte"),
    "Latin-1": (lambda data: data[:-5] + b"\xe9" + data[-5:], "must be UTF-8"),
    "zeros": (lambda _data: bytes(1000), "must be JSON"),
    "a zero at the end": (lambda data: data + b"\0", "must be JSON"),
    "null": (lambda _data: b"null", "must be of a kind that is read here"),
    "a web page": (lambda _data: b"<!DOCTYPE html><html></html>", "must be JSON"),
    "100 MB": (lambda data: data + b" " * 100_000_000, f"must have at most {LARGEST:,} bytes"),
    "a zip's beginning": (lambda data: b"PK\x03\x04" + data, "is a zip that is damaged"),
}


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "madial"])
def test_a_file_that_is_broken_as_a_whole_is_one_sentence(kind: str, name: str) -> None:
    damage, sentence = WHOLE[name]
    ((file, data),) = held(kind)
    told = taken([(file, damage(data))])
    check(told)
    assert isinstance(told, str), told
    assert told.startswith(file)
    assert sentence in told


@pytest.mark.parametrize("kind", KINDS)
def test_marks_line_ends_and_spaces_change_nothing(kind: str) -> None:
    plain = read_files(held(kind))
    for change in (
        lambda data: codecs.BOM_UTF8 + data,
        lambda data: data.replace(b"\n", b"\r\n") + b"\r\n \r\n",
        lambda data: b"\n \n" + data,
    ):
        found = read_files([(name, change(data)) for name, data in held(kind)])
        assert found.episodes == plain.episodes
        assert list(map(nameless, found.instances)) == list(map(nameless, plain.instances))


@pytest.mark.parametrize("kind", KINDS)
def test_a_field_that_comes_twice_is_refused(kind: str) -> None:
    for place, (file, data) in enumerate(held(kind)):
        given = held(kind)
        given[place] = (file, data.replace(b"{", b'{"odd": 1, "odd": 2, ', 1))
        told = taken(given)
        # One object a line, or else one on a line of its own: a file of one line tells none.
        line = ", line 1" if kind in LINES else ""
        must = "field 'odd': must be given once in an object, got it twice"
        assert told == f"{file}{line}, {must}"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("odd", "sentence"),
    [
        ("NaN", "must be a number of ordinary size, got NaN"),
        ("1e999", "must be a number of ordinary size, got 1e999"),
        ("9" * 5000, "must be a number of ordinary size, got 9999"),
        ('"\\ud83d"', "must hold neither NUL nor a lone surrogate"),
        ('"\\u0000"', "must hold neither NUL nor a lone surrogate"),
        ("[" * 60 + "]" * 60, "must be at most 40 levels deep"),
        ("[" * 100_000 + "]" * 100_000, "must be at most 40 levels deep"),
    ],
)
def test_what_no_field_may_hold_is_refused_where_nobody_looks_too(
    kind: str, odd: str, sentence: str
) -> None:
    given = held(kind)
    for place, (file, data) in enumerate(given):
        changed = [*given]
        changed[place] = (file, data.replace(b"{", b'{"odd": ' + odd.encode() + b", ", 1))
        told = taken(changed)
        assert isinstance(told, str)
        assert told.startswith(f"{file}")
        assert sentence in told


# Zips


def entry(name: str, data: bytes, **changes: Any) -> bytes:
    """A zip of one file whose headers say something else of it."""
    made = bytearray(zipped([(name, data)]))
    for where, head in ((0, b"PK\x03\x04"), (8, b"PK\x01\x02")):
        at = made.index(head)
        for offset, value in changes.items():
            struct.pack_into(
                "<H" if offset != "size" else "<I", made, *_put(at, where, offset, value)
            )
    return bytes(made)


def _put(at: int, where: int, what: str, value: int) -> tuple[int, int]:
    places = {"flags": 6 + where // 4, "method": 8 + where // 4, "size": 22 + where // 4}
    return at + places[what], value


BOMB = b"[" + b" " * 30_000_000 + b"]"
ZIPS: dict[str, tuple[Callable[[Files], bytes], str]] = {
    "nothing": (lambda _given: zipped([]), "holds no .json or .jsonl file"),
    "no JSON": (lambda _given: zipped([("a.txt", b"x")]), "holds no .json or .jsonl file"),
    "a zip": (lambda given: zipped([("a.zip", zipped(given))]), "holds no .json or .jsonl file"),
    "a path out": (
        lambda given: zipped([(f"../../{name}", data) for name, data in given]),
        "must hold files by names that stay in it, got '../../",
    ),
    "a path from the root": (
        lambda given: zipped([(f"/etc/{name}", data) for name, data in given]),
        "must hold files by names that stay in it, got '/etc/",
    ),
    "a path of Windows": (
        lambda given: zipped([(f"C:\\{name}", data) for name, data in given]),
        "must hold files by names that stay in it",
    ),
    "a bomb": (
        lambda _given: zipped([(f"{number}.json", BOMB) for number in range(3)]),
        f"must have at most {LARGEST:,} bytes",
    ),
    "many files": (
        lambda _given: zipped([(f"{number}.json", b"[]") for number in range(2_000)]),
        "must hold at most 100 files, got 2,000",
    ),
    "encrypted": (
        lambda given: entry(*given[0], flags=1),
        "encrypted: zip the files anew, without a password",
    ),
    "bzip2": (lambda given: zipped(given, zipfile.ZIP_BZIP2), "packed by bzip2"),
    "LZMA": (lambda given: zipped(given, zipfile.ZIP_LZMA), "packed by lzma"),
    "a method of nobody's": (lambda given: entry(*given[0], method=77), "an unknown method"),
    "a smaller size than it has": (
        lambda _given: entry("f.json", BOMB, size=10),
        "is a zip that is damaged",
    ),
}


@pytest.mark.parametrize("name", ZIPS)
@pytest.mark.parametrize("kind", ["stratmem", "madial", "locomo"])
def test_a_zip_that_cannot_be_taken_is_one_sentence(kind: str, name: str) -> None:
    make, sentence = ZIPS[name]
    told = taken([("f.zip", make(held(kind)))])
    check(told)
    assert str(told).startswith("f.zip: ")
    assert sentence in str(told)


@pytest.mark.parametrize("kind", KINDS)
def test_a_zip_with_folders_and_the_files_of_macos_beside_is_read(kind: str) -> None:
    given = [(f"data/{name}", data) for name, data in held(kind)]
    beside = [(f"__MACOSX/data/._{name}", b"\0\5") for name, _data in held(kind)]
    found = read_files([("f.zip", zipped([*given, *beside]))])
    assert found.instances == read_files(held(kind)).instances


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_becomes_of_a_zip_it_is_read_or_refused_in_one_sentence(kind: str) -> None:
    whole = zipped(held(kind))
    for seed in range(60):
        check(taken([("f.zip", spoilt(whole, Random(f"{kind} {seed}")))]))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"files": ...}, "field 'files': must be given"),
        ({"files": 3}, "field 'files': must be a list, got 3"),
        ({"files": [3]}, "field 'files.0': must be an object, got 3"),
        ({"files": [{"name": "a", "text": 2}]}, "field 'files.0.text': must be text, got 2"),
        ({"files": []}, "There is no file to read"),
        ({"name": None}, "field 'name': must be text, got nothing"),
    ],
)
def test_a_packed_file_of_another_shape_is_one_sentence(changes: Any, sentence: str) -> None:
    made = {"format": PACKED, "name": "x", "files": [{"name": "a", "text": "b"}]} | changes
    sound = {name: value for name, value in made.items() if value is not ...}
    told = taken([("f.json", json.dumps(sound, separators=(",", ":")).encode())])
    assert sentence in str(told)


def test_a_files_name_is_told_short_and_on_one_line() -> None:
    odd = "a\n\x1b[31m" + "\u202e<b>" * 2_000 + ".json"
    told = taken([(odd, b"[1]")])
    check(told)
    assert str(told).startswith("a ?[31m?<b>")
    check(taken([("f.zip", zipped([(odd, b"[1]")]))]))


# Where files come in


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    folder = tmp_path_factory.mktemp("hostile")
    with closing(fake_sandbox(folder, Script().play, load_judge=LastWord)) as made:
        yield made


def kept(sandbox: Sandbox) -> int:
    with sandbox.record.read() as conn:
        return int(conn.execute(select(func.count()).select_from(collections)).scalar_one())


@pytest.mark.parametrize("kind", KINDS)
def test_an_import_keeps_nothing_of_what_it_refuses(sandbox: Sandbox, kind: str) -> None:
    before = kept(sandbox)
    given = held(kind)
    for damage in ("cut in the middle", "UTF-16", "zeros", "100 MB"):
        broken = [(given[0][0], WHOLE[damage][0](given[0][1])), *given[1:]]
        with pytest.raises(BadInput):
            sandbox.instances.add(ACCOUNT, broken)
    assert kept(sandbox) == before


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "session"])
def test_whatever_is_read_is_opened_and_answered(sandbox: Sandbox, kind: str) -> None:
    opened = 0
    for seed in range(1_000, 1_200):
        given = mangled(kind, Random(f"{kind} {seed}"))
        found = taken(given)
        if opened == 4 or isinstance(found, str):
            continue
        collection = sandbox.instances.add(ACCOUNT, given)
        one = collection.instances[0]
        session = sandbox.instances.open(ACCOUNT, collection.sha256, one.id)
        if len(one.query.encode()) <= 100_000:
            assert sandbox.conversation.ask(ACCOUNT, session.id, one.query).line.text
        opened += 1
    assert opened == 4


@pytest.mark.parametrize("command", [("datasets", "check"), ("replay",)], ids=" ".join)
def test_a_command_says_one_sentence_and_keeps_nothing(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    folder = tmp_path / "data"
    for number, (name, (damage, sentence)) in enumerate(WHOLE.items()):
        path = tmp_path / f"{number}.json"
        path.write_bytes(damage(held("stratmem")[0][1]))
        told = refused(run(*command, path, "--data-dir", folder))
        assert sentence in told, name
        assert "\n" not in told.strip()
    assert not folder.exists() or not list(folder.rglob("collections*"))

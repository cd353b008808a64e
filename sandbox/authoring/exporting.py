"""A collection written in any of the formats: its files, what they do not say, a page about it."""

import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sandbox.authoring.authored import UNSPECIFIED
from sandbox.authoring.licences import inherited, notice
from sandbox.authoring.sizes import sizes
from sandbox.collected import Collection
from sandbox.formats import FORMATS, Format, FormatError
from sandbox.formats.reading import LARGEST
from sandbox.formats.recasting import RECASTS, Recast
from sandbox.formats.stratmem_write import MOST_NICE, capped
from sandbox.inputs import BadInput
from sandbox.sentences import sentence

WRITERS: Mapping[str, Format] = {one.name: one for one in FORMATS if one.write}
"""The formats that can be written, by name."""
_ABOUT = ".about.txt"
_ENDS = (".json", ".jsonl", ".zip")
_EACH_POOL = ("demo", "stratmem")
"""Formats that hold the whole pool of every instance."""


@dataclass(frozen=True, slots=True)
class Making:
    """What is known of a collection that was made here, beside its instances."""

    stages: tuple[tuple[str, int], ...] = ()
    """How many instances are at which stage."""
    left_out: tuple[str, ...] = ()
    """Why instances are not in it, a sentence each."""
    validity: tuple[str, ...] = ()
    """What checks that need a model found, in numbers, a line each."""


@dataclass(frozen=True, slots=True)
class Exported:
    """A collection in a format."""

    kind: str
    parts: Mapping[str, Mapping[str, bytes]]
    """Files by name, of each part that is read by itself, by its name: MADial-Bench's languages.
    One part has no name."""
    lost: tuple[str, ...]
    """What the files do not say, a line each."""
    licences: str
    """What is to be known of the text's licenses."""
    about: str
    """A few sentences for whoever gets the files: all of the above, and figures."""
    about_name: str

    @property
    def files(self) -> dict[str, bytes]:
        """Every file by its name, without the page about them."""
        return {name: data for files in self.parts.values() for name, data in files.items()}


def exported(
    collection: Collection, kind: str, *, seed: int | None = None, making: Making | None = None
) -> Exported:
    """The collection in the format called `kind`.

    With a seed its pools are capped at two nice entries first, drawn as StratMem-Bench's authors
    draw. Instances that the format has no place for are cast into what it holds, or left out, and
    both are told.

    Raises:
        BadInput: if there is no such format, or nothing can be written in it.
    """
    format_ = WRITERS.get(kind)
    if format_ is None:
        raise BadInput(f"The format must be one of {', '.join(WRITERS)}, got {kind[:40]!r}.")
    stem = _stem(collection.name)
    cut = replace(collection, name=f"{stem}.json")
    cut = cut if seed is None else _cut(cut, seed, stem)
    try:
        parts, lost = _written(cut, format_)
        _check_size(format_, max(len(data) for files in parts.values() for data in files.values()))
    except FormatError as error:
        raise BadInput(sentence(error)) from error
    licences = licences_of(cut)
    gone = [*lost, *_gone(collection, cut, seed)]
    told = [*_figures(cut), *_made(making or Making()), *_capped(seed), licences]
    told += [f"The format {kind} does not say {line}." for line in gone]
    about = "\n".join(line for line in told if line) + "\n"
    return Exported(kind, parts, tuple(gone), licences, about, f"{stem}{_ABOUT}")


def zipped(made: Exported) -> bytes:
    """The files and the page about them as a zip, the same for the same files."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, files in made.parts.items():
            for name, data in files.items():
                _put(archive, f"{part}/{name}" if part else name, data)
        _put(archive, made.about_name, made.about.encode("utf-8"))
    return held.getvalue()


def licences_of(collection: Collection) -> str:
    """What is to be known of the licenses of a collection's text."""
    told = [inherited(one) for one in collection.instances]
    told += [inherited(one) for one in collection.episodes]
    return notice(one or UNSPECIFIED for one in told)


def about(collection: Collection, making: Making) -> str:
    """What the file of a published collection says of itself."""
    told = [*_figures(collection), *_made(making), licences_of(collection)]
    return "\n".join(line for line in told if line)


def _put(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    """Add a file without the time at which it was added."""
    archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)


def _stem(name: str) -> str:
    """The name of a collection without what its file's name ends with."""
    for end in _ENDS:
        name = name.removesuffix(end)
    return name


def _cut(collection: Collection, seed: int, stem: str) -> Collection:
    return replace(capped(collection, seed), name=f"{stem} capped {seed}.json")


def _written(
    collection: Collection, format_: Format
) -> tuple[dict[str, dict[str, bytes]], tuple[str, ...]]:
    """The files by part, and what they do not say; cast where the format holds other things."""
    assert format_.write is not None
    whole = sum(len(entry.text) for one in collection.instances for entry in one.pool)
    if format_.name in _EACH_POOL:
        _check_size(format_, whole)
    try:
        lost = format_.lost(collection) if format_.lost else ()
        return {"": format_.write(collection)}, lost
    except FormatError:
        if format_.name not in RECASTS:
            raise
    _check_size(format_, whole)
    cast = RECASTS[format_.name](collection)
    if not cast.collections:
        raise FormatError(f"nothing of {collection.name} can be put into the format {format_.name}")
    parts = {name: format_.write(one) for name, one in _named(cast)}
    again = [format_.lost(one) if format_.lost else () for one in cast.collections]
    return parts, (*cast.lost, *(line for lines in again for line in lines))


def _check_size(format_: Format, size: int) -> None:
    """Refuse what could not be read again; many instances on one long talk are soon too much.

    Raises:
        FormatError: if a file of this size is not read.
    """
    if size > LARGEST:
        raise FormatError(
            f"in the format {format_.name} it would have {size / 1e6:,.0f} MB, and files of at "
            f"most {LARGEST / 1e6:.0f} MB are read: export a smaller collection"
        )


def _named(cast: Recast) -> Iterator[tuple[str, Collection]]:
    """Each collection with a name of its part: its language, where there are several."""
    for one in cast.collections:
        yield one.instances[0].language if len(cast.collections) > 1 else "", one


def _figures(collection: Collection) -> Iterator[str]:
    told, whole = collection.figures(), sizes(collection.instances)[-1]
    scenarios = ", ".join(f"{count} {name}" for name, count in told.scenarios.items() if count)
    roles = f" ({scenarios or 'none'})" if whole.roles else ""
    yield f"{told.read} instances{roles}, {len(collection.episodes)} episodes."
    if whole.pool is not None and whole.words is not None:
        yield (
            f"Pools of {whole.pool:.2f} entries and entries of {whole.words:.2f} words on average."
        )


def _made(making: Making) -> Sequence[str]:
    stages = ", ".join(f"{count} {stage}" for stage, count in making.stages)
    return [*([f"Stages: {stages}."] if stages else []), *making.validity, *making.left_out]


def _capped(seed: int | None) -> Sequence[str]:
    if seed is None:
        return []
    return [f"Capped pools hold at most {MOST_NICE} nice entries, drawn with seed {seed}."]


def _gone(whole: Collection, cut: Collection, seed: int | None) -> Sequence[str]:
    before, after = (one.figures().roles["nice"] for one in (whole, cut))
    return [f"{before - after} nice entries that the seed {seed} cut"] if before > after else []

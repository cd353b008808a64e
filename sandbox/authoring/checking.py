"""What a form must be before anything of it is kept: its shape, checked as a whole."""

from collections.abc import Iterator
from dataclasses import replace

from memory_banks.entries import clean_text
from sandbox.authoring.authored import PHRASINGS, SHOWN, UNSPECIFIED, Authored, Tag
from sandbox.authoring.making import instances_of
from sandbox.collected import Collection
from sandbox.formats import FormatError
from sandbox.formats.demo_write import written
from sandbox.inputs import BadInput, checked_line, checked_scene
from sandbox.judges.guideline import SITUATIONS
from sandbox.sentences import sentence

LONGEST = 20_000
"""Characters that a text of an instance may have."""
_LONGEST_NAME = 80


def checked(authored: Authored) -> Authored:
    """The form with its texts trimmed.

    Raises:
        BadInput: at the first thing that does not fit; the sentence names it.
    """
    found = _trimmed(authored)
    for fault in _faults(found):
        raise BadInput(fault)
    _must_be_readable(found)
    return found


def checked_collection(name: str) -> str:
    """The name of a collection that is made here, on one line, without a version.

    Raises:
        BadInput: if there is none, or it is too long or holds a slash.
    """
    line = checked_line(name, "the collection's name")
    if line is None:
        raise BadInput("The collection has no name: write one, or choose one.")
    if len(line) > _LONGEST_NAME or "/" in line or "\\" in line:
        raise BadInput(
            f"The collection's name must have at most {_LONGEST_NAME} characters and no slash, "
            f"got {line[:100]!r}."
        )
    return line


def checked_author(name: str | None) -> str:
    """The name of whoever annotates, on one line.

    Raises:
        BadInput: if there is none.
    """
    line = checked_line(name, "your name")
    if line is None:
        raise BadInput("Nobody is named: say who you are, as annotations carry a name.")
    return line


def _trimmed(authored: Authored) -> Authored:
    return replace(
        authored,
        collection=checked_collection(authored.collection),
        author=checked_author(authored.author),
        title=checked_line(authored.title[:200], "the title") or "",
        query=_text(authored.query, "the query"),
        reference=_text(authored.reference, "the reference"),
        reference_by=authored.reference_by if authored.reference.strip() else "",
        emotion=checked_line(authored.emotion, "emotion"),
        scene=checked_scene(authored.scene),
        situation=checked_line(authored.situation, "the situation"),
        licence=checked_line(authored.licence, "the license") or UNSPECIFIED,
    )


def _text(text: str, what: str) -> str:
    try:
        found = clean_text(text, what).strip()
    except ValueError as error:
        raise BadInput(f"{sentence(error)}") from error
    if len(found) > LONGEST:
        raise BadInput(f"{what.capitalize()} has {len(found):,} characters, {LONGEST:,} are most.")
    return found


def _faults(found: Authored) -> Iterator[str]:
    if not found.title:
        yield "The instance has no title: write one."
    if not found.query and found.kind != "episode":
        yield "The instance has no query: write what is asked."
    if not found.pool and found.kind != "episode":
        yield "The pool is empty: there is nothing that a reply could be judged against."
    if found.kind != "reply" and found.talk is None:
        yield f"A {found.kind} needs its talk: make it from a session."
    if found.phrasing not in PHRASINGS:
        yield f"phrasing must be one of {', '.join(PHRASINGS[1:])}, got {found.phrasing!r}."
    yield from _pool_faults(found)
    yield from _guideline_faults(found)
    yield from _test_faults(found)


def _pool_faults(found: Authored) -> Iterator[str]:
    keys = [one.held.key for one in found.pool]
    if len(set(keys)) < len(keys):
        yield "Two entries of the pool have the same key."
    for name, given in (("golden", found.golden), ("shown", found.shown)):
        if len(set(given)) < len(given):
            yield f"An entry is listed as {name} twice."
        for key in given:
            if key not in keys:
                yield f"The entry {key!r} is {name}, and there is no such entry in the pool."
    if len(found.shown) > SHOWN:
        yield f"The golden entries are chosen from at most {SHOWN}, {len(found.shown)} are shown."
    outside = [key for key in found.golden if key not in found.shown]
    if outside and found.kind == "dialogue" and not found.forgotten:
        yield (
            f"{len(outside)} golden entries are not among the {len(found.shown)} shown: change "
            "the memory or the dialogue, so that the entry is found (MADial-Bench)."
        )


def _guideline_faults(found: Authored) -> Iterator[str]:
    names = {one.name: one for one in SITUATIONS}
    if found.situation is None:
        if found.points:
            yield "Key points are ticked and no situation is chosen: choose it."
        return
    known = names.get(found.situation)
    if known is None:
        if found.points:
            yield f"The guideline has no situation {found.situation!r}: choose one of it."
        return
    if not set(found.points) <= set(range(1, len(known.points) + 1)):
        yield (
            f"{known.name!r} has {len(known.points)} key points, "
            f"got {', '.join(map(str, found.points))}."
        )


def _test_faults(found: Authored) -> Iterator[str]:
    if found.kind != "dialogue" or found.talk is None:
        return
    turns = {one.id: one.role for one in found.talk.turns()}
    if not found.tests:
        yield "The dialogue is tested at no turn: choose at least one turn of the user."
    if any(turns.get(test) != "user" for test in found.tests):
        yield "A dialogue is tested at turns of the user, and one of the chosen is none."


def _must_be_readable(found: Authored) -> None:
    """Whatever is kept can be published: written in our own format and read again."""
    made = instances_of(_with_roles(found), proposals=True)
    if not made:
        return
    try:
        written(Collection(found.collection, "", made))
    except FormatError as error:
        raise BadInput(sentence(error)) from error


def _with_roles(found: Authored) -> Authored:
    """The form as if its gold were complete; only for the check of its shape."""
    pool = tuple(
        one if one.tag else replace(one, tag=Tag("irr", "proposed", "nobody")) for one in found.pool
    )
    golden = found.golden
    if found.kind == "dialogue":
        golden = golden or (pool[0].held.key,)
    return replace(found, pool=pool, golden=golden)

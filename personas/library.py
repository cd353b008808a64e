"""The library of characters: a folder with one file each."""

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from personas.persona import Persona
from personas.persona_file import PersonaError, bad_field, load_persona, shown, unreadable

__all__ = [
    "Library",
    "PersonaError",
    "UnknownPersona",
    "describe",
    "load_persona",
    "packaged_library",
]


class UnknownPersona(PersonaError):
    """No usable character has this id; the message lists those that can be had."""


class Library:
    """The characters of one folder, a file `<id>.yaml` each.

    Files are read when asked for and again once they change, so that an edited character needs no
    restart. A broken file takes no other down.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kept: dict[Path, _Kept] = {}

    def names(self) -> list[str]:
        """Ids of the usable characters, in alphabetical order; empty for a missing folder."""
        return [persona.id for persona in self.all()]

    def get(self, persona_id: str) -> Persona:
        """The character with this id.

        Raises:
            UnknownPersona: if there is none, or its file is broken.
        """
        results = self._results()
        found = results.get(persona_id)
        if isinstance(found, Persona):
            return found
        known = ", ".join(key for key, kept in results.items() if isinstance(kept, Persona))
        have = f"the library has {known}" if known else f"no file in {self._folder} can be used"
        if found is not None:
            raise UnknownPersona(f"persona {persona_id!r} cannot be used ({found}); {have}")
        raise UnknownPersona(f"there is no persona {shown(persona_id)}; {have}")

    def all(self) -> list[Persona]:
        """The usable characters, by id."""
        return [found for found in self._results().values() if isinstance(found, Persona)]

    def broken(self) -> list[PersonaError]:
        """What is wrong with the files that cannot be used, by file name; empty if all is well."""
        if not self._folder.is_dir():
            return [PersonaError(f"{self._folder}: must be a folder of persona files")]
        return [found for found in self._results().values() if isinstance(found, PersonaError)]

    def _results(self) -> "dict[str, Persona | PersonaError]":
        """What each file holds, or what is wrong with it, by the file's name without `.yaml`."""
        paths = sorted(self._folder.glob("*.yaml"), key=lambda path: path.stem)
        return {path.stem: self._result(path) for path in paths if not path.name.startswith(".")}

    def _result(self, path: Path) -> "Persona | PersonaError":
        try:
            status = path.stat()
        except OSError as error:
            return unreadable(path, error)
        signature = status.st_mtime_ns, status.st_size, status.st_ino
        kept = self._kept.get(path)
        if kept is None or kept.signature != signature:
            kept = _Kept(signature, _load_named(path))
            self._kept[path] = kept
        return kept.found


@dataclass(frozen=True, slots=True)
class _Kept:
    signature: tuple[int, int, int]
    found: Persona | PersonaError


def packaged_library() -> Path:
    """The folder of the characters that ship with the project."""
    return Path(str(files("personas").joinpath("library")))


def describe(persona: Persona) -> str:
    """The character as plain readable text, one topic a line, rules and examples one a line each.

    No final newline. Topics without a value are left out. The same persona gives the same text.
    """
    lines = [f"Name: {_line(persona.name)}", f"Summary: {' '.join(map(_line, persona.summary))}"]
    topics = {
        "Traits": persona.traits,
        "Style": persona.style,
        "Domains": persona.domains,
        "Values": persona.values,
    }
    lines += [f"{topic}: {'; '.join(map(_line, told))}" for topic, told in topics.items() if told]
    if persona.scenario:
        lines.append(f"Scenario: {_line(persona.scenario)}")
    for topic, told in {"Rules": persona.rules, "Examples of talk": persona.examples}.items():
        if told:
            lines += [f"{topic}:", *(f"- {_line(line)}" for line in told)]
    return "\n".join(lines)


def _line(text: str) -> str:
    return " ".join(text.split())


def _load_named(path: Path) -> Persona | PersonaError:
    """The file's persona, whose id must be the file's name; or what is wrong."""
    try:
        persona = load_persona(path)
    except PersonaError as error:
        return error
    if persona.id != path.stem:
        must = f"must be the file's name without .yaml, {path.stem!r}"
        return bad_field(path.name, "id", must, persona.id)
    return persona

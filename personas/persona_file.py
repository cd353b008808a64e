"""One character's YAML file: written in one form, read so that every fault is one sentence."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import yaml
from pydantic import ValidationError

from personas.persona import Persona, forbidden_character

_MOST_BYTES = 256 * 1024
_DEEPEST = 10
_NULL = "tag:yaml.org,2002:null"


class PersonaError(ValueError):
    """A persona file cannot be used; the message is one sentence: file, field, value, the rule."""


def load_persona(path: Path) -> Persona:
    """The character that a YAML file describes.

    Every plain scalar stays text (`no`, `2026-01-01`, `1.0`), except null. UTF-8 with or without
    a byte-order mark, any line ends, at most 256 KB; no anchors, aliases, tags or repeated keys.

    Raises:
        PersonaError: if the file cannot be read, is not such a YAML file, or is no persona.
    """
    return read_persona(_content(path), path.name)


def read_persona(content: bytes, file: str) -> Persona:
    """The character that the content of a YAML file describes; see `load_persona`.

    `file` is what errors call it.

    Raises:
        PersonaError: if it is not such a YAML file, or is no persona.
    """
    if len(content) > _MOST_BYTES:
        raise PersonaError(f"{file}: must be at most {_MOST_BYTES} bytes, it has more")
    found = _plain(_composed(_decoded(content, file), file), file, "")
    if not isinstance(found, dict):
        raise PersonaError(f"{file}: must hold fields such as name, got {shown(found)}")
    try:
        return Persona.model_validate(found)
    except ValidationError as error:
        broken = broken_rule(error)
        raise bad_field(file, broken.field, broken.must, broken.value) from error


def persona_yaml(persona: Persona) -> str:
    """The character as a YAML file that `load_persona` reads back as an equal character.

    Equal characters give equal text: fields in the model's order, those that say nothing left
    out, texts of several lines as blocks. At most 256 KB in UTF-8.
    """
    told = persona.model_dump(mode="json", exclude_defaults=True) | {"language": persona.language}
    fields = {name: told[name] for name in Persona.model_fields if name in told}
    return yaml.dump(fields, Dumper=_TextDumper, allow_unicode=True, sort_keys=False, width=100)


class _TextDumper(yaml.SafeDumper):
    """Writes lists indented, and texts of several lines as blocks where YAML can."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Indent lists under their field, as the library's files do."""
        super().increase_indent(flow, False)

    def represent_text(self, text: str) -> yaml.ScalarNode:
        """`text` as a block if it has several lines."""
        return self.represent_scalar(
            "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None
        )


_TextDumper.add_representer(str, _TextDumper.represent_text)


def _content(path: Path) -> bytes:
    if path.exists() and not path.is_file():
        raise PersonaError(f"{path.name}: must be a file, got a folder or a device")
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: Exception) -> PersonaError:
    """The error for a file that the system does not let us read."""
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return PersonaError(f"{path.name}: must be a file that can be read, got {reason!r}")


def _decoded(content: bytes, file: str) -> str:
    try:
        return content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        found = content[error.start : error.start + 1]
        raise PersonaError(
            f"{file}, line {line}: must be UTF-8, got the byte 0x{found.hex()}"
        ) from error


class _TextLoader(yaml.SafeLoader):
    """Reads scalars as text, and refuses all that a persona does not need."""

    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag == _NULL]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """The next node, refused where it is an alias, anchored, tagged or nested too deep."""
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]  # the stubs leave it out
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
            _refuse(event, "anchors and aliases are not allowed")
        if event.tag is not None:
            _refuse(event, "tags are not allowed")
        if self._depth >= _DEEPEST:
            _refuse(event, f"at most {_DEEPEST} levels of nesting are allowed")
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


def _refuse(event: Any, problem: str) -> NoReturn:
    raise yaml.composer.ComposerError(None, None, problem, event.start_mark)


def _composed(text: str, file: str) -> yaml.Node | None:
    try:
        return yaml.compose(text, Loader=_TextLoader)
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        found = f"U+{int(error.character):04X}"
        raise PersonaError(
            f"{file}, line {line}: must hold no control characters, got {found}"
        ) from error
    except yaml.MarkedYAMLError as error:
        raise _malformed(text, file, error) from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        # PyYAML lets chr() and int() fail on escapes and versions out of range.
        raise PersonaError(f"{file}: must be plain YAML, got {shown(str(error))}") from error


def _malformed(text: str, file: str, error: yaml.MarkedYAMLError) -> PersonaError:
    problem = " ".join(f"{error.context or ''} {error.problem or ''}".split())
    mark = error.problem_mark or error.context_mark
    if mark is None:
        return PersonaError(f"{file}: must be plain YAML: {problem}")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    found = lines[mark.line].strip() if mark.line < len(lines) else ""
    place = f"{file}, line {mark.line + 1}, column {mark.column + 1}"
    return PersonaError(f"{place}: must be plain YAML ({problem}), got {shown(found)}")


def _plain(node: yaml.Node | None, file: str, field: str) -> Any:
    """The node as text, null, lists and dicts."""
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, file, field)
    if isinstance(node, yaml.SequenceNode):
        items = enumerate(node.value)
        return [_plain(item, file, _under(field, str(index))) for index, item in items]
    if node is None or node.tag == _NULL:
        return None
    return _text(node.value, file, field)


def _mapping(node: yaml.MappingNode, file: str, field: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key_node, value_node in node.value:
        if not isinstance(key_node, yaml.ScalarNode) or key_node.tag == _NULL:
            line = key_node.start_mark.line + 1
            must = "must name its fields with plain text"
            raise PersonaError(f"{file}, line {line}: {must}, got a list, fields or null")
        key = _text(key_node.value, file, _under(field, "(name)"))
        if key in found:
            must = "must be given once"
            raise bad_field(file, _under(field, key), must, _plain(value_node, file, ""))
        found[key] = _plain(value_node, file, _under(field, key))
    return found


def _text(text: str, file: str, field: str) -> str:
    """`text`, which must be what a database and a screen can hold."""
    if character := forbidden_character(text):
        must = "must hold no control characters or lone surrogates"
        raise bad_field(file, field, must, f"U+{ord(character):04X}")
    return text


def _under(field: str, name: str) -> str:
    return f"{field}.{name}" if field else name


_MUST = {
    "missing": "must be given",
    "extra_forbidden": "is not a field that a persona has",
    "string_type": "must be text",
    "string_too_short": "must not be empty",
    "string_too_long": "must be at most {max_length} characters",
    "tuple_type": "must be a list",
    "too_short": "must hold at least {min_length}",
    "too_long": "must hold at most {max_length}",
    "model_type": "must hold fields of its own",
    "string_pattern_mismatch": "must match the pattern {pattern}",
    "value_error": "{error}",
}


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """What a value has against it."""

    field: str
    """Its dotted path; empty where all fields together are meant."""
    must: str
    value: Any


def broken_rule(error: ValidationError) -> BrokenRule:
    """The first rule that a persona's fields break."""
    first = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    must = _MUST.get(first["type"], first["msg"]).format(**first.get("ctx", {}))
    return BrokenRule(field, must, None if first["type"] == "missing" else first["input"])


def bad_field(file: str, field: str, must: str, value: Any) -> PersonaError:
    """The error for a field, by its dotted path, whose value breaks the rule `must`."""
    place = f"{file}, field {shown(field)}" if field else file
    return PersonaError(f"{place}: {must}, got {shown(value)}")


def shown(value: Any) -> str:
    """`value` for a sentence: short, on one line; null is `nothing`."""
    if value is None:
        return "nothing"
    if isinstance(value, list | dict):
        return f"a list of {len(value)}" if isinstance(value, list) else f"{len(value)} fields"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:76]}...{text[-1]}"

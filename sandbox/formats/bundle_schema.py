"""The JSON schema of a session bundle, made of its forms and of the columns of its rows."""

from typing import Any

from sqlalchemy import Column, Integer, Table

from memory_banks.tables import captured, captures, decisions, entries, operations, proposals
from sandbox.formats.bundle import Bundle
from sandbox.formats.bundle_rows import CLOSED, LEFT_OUT, TIMES, has_no_id
from sandbox.tables import corrections, replies, sessions, turns, verdicts

_ROWS = {
    "TurnForm": {"row": turns},
    "ReplyForm": {"row": replies, "verdicts": verdicts, "corrections": corrections},
    "CaptureForm": {
        "row": captures,
        "captured": captured,
        "proposals": proposals,
        "decisions": decisions,
    },
}
"""What the rows of each form are rows of."""
_TOP = {"session": sessions, "entries": entries, "operations": operations}


def schema() -> dict[str, Any]:
    """The JSON schema of a file, as `collections/session.schema.json` holds it."""
    made = Bundle.model_json_schema()
    forms = [(made["properties"], _TOP)]
    forms += [(made["$defs"][name]["properties"], rows) for name, rows in _ROWS.items()]
    for properties, rows in forms:
        for name, table in rows.items():
            made["$defs"][table.name] = _row(table)
            found = {"$ref": f"#/$defs/{table.name}"}
            listed = properties[name].get("type") == "array"
            properties[name] = {"type": "array", "items": found} if listed else found
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | made


def _row(table: Table) -> dict[str, Any]:
    held = [one for one in table.c if one.name not in LEFT_OUT and not has_no_id(table, one.name)]
    properties = {one.name: _column(table, one) for one in held}
    if table is entries:
        properties = {"name": {"type": "string"}} | properties
    return {"type": "object", "properties": properties, "required": sorted(properties)}


def _column(table: Table, column: "Column[Any]") -> dict[str, Any]:
    kind = "integer" if isinstance(column.type, Integer) else "string"
    found: dict[str, Any] = {"type": [kind, "null"] if column.nullable else kind}
    if (known := CLOSED.get((table.name, column.name))) is not None:
        found["enum"] = [*known, *([None] if column.nullable else [])]
    if column.name in TIMES:
        found["format"] = "date-time"
    return found

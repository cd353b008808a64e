"""What a form of an instance tells with a click, by the names of its fields."""

from collections.abc import Mapping
from typing import Any

from sandbox.inputs import BadInput

OF = "of"
"""The field that says which version a form was opened of."""


def author_of(values: Mapping[str, Any]) -> str:
    """The name that was typed; empty for none."""
    return str(values.get("author", "")).strip()


def parts_of(values: Mapping[str, Any], name: str) -> dict[str, str]:
    """The texts of the fields that begin with `name|`, by the rest of their names."""
    start = f"{name}|"
    return {
        key.removeprefix(start): told
        for key, told in values.items()
        if key.startswith(start) and isinstance(told, str)
    }


def must_be_of(values: Mapping[str, Any], number: int) -> None:
    """Refuse a form that was opened before the latest version, `number`, was saved.

    Raises:
        BadInput: if it is of another version.
    """
    if str(values.get(OF, number)) != str(number):
        raise BadInput(
            f"Version {number} was saved since this form was opened, and nothing is overwritten: "
            "look at it in another tab of the browser, then open the instance again."
        )


def golden_of(values: Mapping[str, Any]) -> list[str]:
    """Keys of golden entries, in the order of the places that were typed.

    Raises:
        BadInput: if a place is no number.
    """
    told = parts_of(values, "golden")
    places = {key: place.strip() for key, place in told.items() if place.strip()}
    if bad := [place for place in places.values() if not (place.isascii() and place.isdigit())]:
        raise BadInput(f"A golden place must be a number such as 1, got {bad[0][:20]!r}.")
    return sorted(places, key=lambda key: int(places[key]))

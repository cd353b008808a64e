"""Checks of a text in a file, for pydantic's validators: the text itself, or ValueError."""

from datetime import date, datetime


def visible(text: str) -> str:
    """The text; ValueError for one of nothing but spaces."""
    if not text.strip():
        raise ValueError("must hold more than spaces")
    return text


def iso_time(text: str) -> str:
    """The text; ValueError unless it is an ISO date or date-time."""
    for parse in (date.fromisoformat, datetime.fromisoformat):
        try:
            parse(text)
        except ValueError:
            continue
        return text
    raise ValueError("must be an ISO date or date-time such as 2026-02-17, or null")

"""Dates and times with their offset: read, written, shown."""

from datetime import UTC, datetime

from sandbox.inputs import BadInput


def system_clock() -> datetime:
    """The present moment with this machine's offset, to the second."""
    return datetime.now(UTC).astimezone().replace(microsecond=0)


def iso(moment: datetime) -> str:
    """`moment` as ISO 8601 with its offset, to the second."""
    return moment.isoformat(timespec="seconds")


def parse_time(text: str, what: str) -> datetime:
    """The moment that `text` names.

    Raises:
        BadInput: unless it is an ISO 8601 date and time with an offset.
    """
    try:
        moment = datetime.fromisoformat(text.strip().replace(" +", "+").replace(" -", "-"))
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise BadInput(
            f"{what} must be a date and time with an offset, such as 2026-03-26T11:05+03:00, "
            f"got {text!r}."
        )
    return moment


def spoken(moment: datetime) -> str:
    """`moment` as a prompt says it: weekday, date, time and offset."""
    return f"{moment:%A} {moment:%Y-%m-%d %H:%M} {moment:%z}"

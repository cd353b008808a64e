"""Times as the page shows them."""


def short_time(moment: str) -> str:
    """An ISO date-time without seconds and offset: `2026-03-26 11:05`."""
    return shown_time(moment)[:16]


def shown_time(moment: str) -> str:
    """An ISO date-time as people read it: `2026-03-26 11:05 +03:00`; without seconds."""
    date, _, rest = moment.partition("T")
    if not rest:
        return date
    clock, offset = rest[:5], rest[-6:]
    return f"{date} {clock} {offset}" if offset[:1] in "+-" else f"{date} {clock}"

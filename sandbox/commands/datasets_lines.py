"""What `datasets check` says of a collection: as one object, and as lines for people."""

from collections.abc import Iterator
from typing import Any

from sandbox.collected import Collection, Quirk, Refused


def checked_plain(found: Collection, kind: str) -> dict[str, Any]:
    """Format, counts, oddities by kind with every place, and what is refused."""
    figures = found.figures()
    episodes = {one.id for one in found.episodes}
    turns = [one.dialogue for one in found.instances if one.dialogue not in ("", *episodes)]
    quirks: dict[str, list[dict[str, Any]]] = {}
    for quirk in found.quirks:
        quirks.setdefault(quirk.sentence, []).append(_placed(quirk))
    return {
        "format": kind,
        "name": found.name,
        "sha256": found.sha256,
        "instances": len(found.instances),
        "dialogues": len(set(turns)),
        "test_turns": len(turns),
        "episodes": len(found.episodes),
        "sessions": sum(len(one.sessions) for one in found.episodes),
        "turns": sum(1 for one in found.episodes for _turn in one.turns()),
        "questions": sum(len(one.questions) for one in found.episodes),
        "scenarios": dict(figures.scenarios),
        "roles": dict(figures.roles),
        "languages": dict(figures.languages),
        "quirks": [{"sentence": name, "places": places} for name, places in quirks.items()],
        "refused": [_placed(one) | {"sentence": one.sentence} for one in found.refused],
    }


def _placed(one: Quirk | Refused) -> dict[str, Any]:
    return {"file": one.file, "line": one.line, "where": one.where, "place": one.place}


_COUNTS = ("instances", "dialogues", "test_turns", "episodes", "sessions", "turns", "questions")


def checked_lines(result: dict[str, Any], most: int) -> Iterator[str]:
    """The same for people; of each kind of oddity at most `most` places."""
    yield f"{result['name']}: {result['format']}"
    counts = [f"{result[name]:,} {name.replace('_', ' ')}" for name in _COUNTS if result[name]]
    yield ", ".join(counts) or "nothing that can be used"
    for name in ("scenarios", "roles"):
        held = [f"{count:,} {what}" for what, count in result[name].items() if count]
        if held and any(result["roles"].values()):
            yield f"{name}: {', '.join(held)}"
    for quirk in result["quirks"]:
        places = quirk["places"]
        told = "; ".join(f"{place['place']}" for place in places[:most])
        more = f"; and {len(places) - most:,} more" if len(places) > most else ""
        yield f"quirk, {len(places):,}: {quirk['sentence']}  [{told}{more}]"
    for one in result["refused"]:
        yield f"refused: {one['place']}: {one['sentence']}"

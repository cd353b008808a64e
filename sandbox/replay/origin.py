"""Where the words of a turn come from, if nobody typed them."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal

from memory_banks.entries import canonical


@dataclass(frozen=True, slots=True)
class Origin:
    """Who or what said a turn's words in the person's place."""

    kind: Literal["stop", "script", "model"]
    """A replay's test turn, an utterance between two of them, or a model that plays the person."""
    stop: int | None = None
    """Number of the test turn, from 1, that it is or leads to."""
    model: str | None = None
    prompts: Mapping[str, str] = field(default_factory=dict)
    """sha256 of each prompt file that the model was asked with, by name."""
    seed: int | None = None


def origin_row(origin: Origin | None) -> str | None:
    """What the record keeps of it; null for words that a person typed."""
    return canonical(asdict(origin)) if origin else None


def origin_from(kept: str | None) -> Origin | None:
    """What `origin_row` kept."""
    return Origin(**json.loads(kept)) if kept else None

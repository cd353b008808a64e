"""An episode small enough to look at: a key that moves twice, and a rule of the character's."""

from dataclasses import replace
from typing import Any

from sandbox.authoring.authored import Annotation, Authored
from sandbox.episodes import (
    Episode,
    EpisodeQuestion,
    EpisodeSession,
    EpisodeTurn,
    GoldAdd,
    GoldEntry,
    GoldSession,
)
from sandbox.instances import Human
from tests.test_badges import PERSONA, made


def gold(key: str, kind: Any, text: str, *turns: str) -> GoldEntry:
    return GoldEntry(key, kind, text, turns, "2026-03-20")


POT = gold("k1", "fact", "Noor's key lies under the pot.", "u1")
RULE = gold("k2", "agent_identity", "Walid names the street first.", "a1")
LINA = gold("k3", "fact", "Lina holds Noor's key.", "u2", "u1")
DESK = gold("k4", "fact", "Noor's key lies in the desk.", "u3", "u2")
ASKED = EpisodeQuestion(
    id="q1",
    text="Where is Noor's key after it moved twice, and what does Walid name?",
    answer="In the desk; the street.",
    unit="entry",
    supports=("k4", "k2"),
    decoys=("k1",),
    techniques=("temporal state", "cross-session"),
    centre="user",
)


def turns(number: int, words: str) -> tuple[EpisodeTurn, ...]:
    return (
        EpisodeTurn(f"u{number}", "user", "Noor", words),
        EpisodeTurn(f"a{number}", "assistant", "Walid", "Noted."),
    )


def episode(*questions: EpisodeQuestion, **changes: Any) -> Authored:
    """A -> B -> C: the pot, Lina, the desk."""
    day = "2026-03-20T09:00:00+03:00"
    sessions = (
        EpisodeSession("s1", day, turns(1, "The key is under the pot."), GoldSession((POT, RULE))),
        EpisodeSession(
            "s2",
            day,
            turns(2, "Lina has it now."),
            GoldSession((LINA,), (GoldAdd(LINA, ("k1",)),)),
        ),
        EpisodeSession(
            "s3",
            day,
            turns(3, "It is in the desk."),
            GoldSession((DESK,), (GoldAdd(DESK, ("k3",)),)),
        ),
    )
    asked = questions or (ASKED,)
    talk = Episode("a1", "own", "T", "en", "", PERSONA, Human("Noor"), sessions, asked)
    return replace(made(kind="episode", talk=talk, pool=(), reference=""), **changes)


def told(*memories: GoldEntry, author: str = "Omar", **supports: tuple[str, ...]) -> Annotation:
    """What a second annotator says."""
    return Annotation(
        author, 1, "second", {}, (), "2026-03-26", of=1, memories=memories, supports=supports
    )

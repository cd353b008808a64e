"""An instance with all that its checks look at, gathered from the record."""

from collections.abc import Callable

import numpy as np

from memory_banks.embedding import Embedder, Vectors, embed_checked
from sandbox.authoring.annotating import Annotating
from sandbox.authoring.authored import Authored
from sandbox.authoring.authoring import Authoring
from sandbox.authoring.badge import Badge, Cosine, Look
from sandbox.authoring.badges import badges
from sandbox.authoring.model_checks.checks import ModelChecks
from sandbox.authoring.rechecking import Rechecking
from sandbox.authoring.store import UnknownAuthored


class Looking:
    """Checks what is made, for every account, which every method takes first."""

    def __init__(
        self,
        authoring: Authoring,
        annotating: Annotating,
        rechecking: Rechecking,
        checks: ModelChecks,
        ready: Callable[[], Embedder | None],
    ) -> None:
        self._authoring = authoring
        self._annotating = annotating
        self._rechecking = rechecking
        self._checks = checks
        self._ready = ready

    def badges(self, account: str, authored: Authored) -> tuple[Badge, ...]:
        """What every check says of a form, saved or not, against the record as it is now."""
        return badges(self.look(account, authored))

    def look(self, account: str, authored: Authored) -> Look:
        """The form with what its checks look at."""
        embedder = self._ready()
        others = self._authoring.all(account, authored.collection)
        try:
            stage = self._authoring.get(account, authored.id).stage
            annotations = tuple(self._annotating.annotations(account, authored.id))
        except UnknownAuthored:
            stage, annotations = "draft", ()
        differing = 0
        if annotations:
            differing = len(self._annotating.differences(account, authored.id)[1])
        return Look(
            authored=authored,
            stage=stage,
            cosine=cosine_of(embedder) if embedder else None,
            others=tuple(one.authored for one in others if one.authored.id != authored.id),
            changes=self._rechecking.changes(account, authored),
            annotations=annotations,
            differing=differing,
            checks=self._checks.latest(account, authored.id),
        )


def cosine_of(embedder: Embedder) -> Cosine:
    """The similarity of two texts, each of which is embedded once."""
    known: dict[str, Vectors] = {}

    def vector(text: str) -> Vectors:
        if text not in known:
            known[text] = embed_checked(embedder, [text])[0]
        return known[text]

    def cosine(text: str, other: str) -> float:
        return float(np.dot(vector(text), vector(other)))

    return cosine

"""The local judge: use, MIQ, roles and aspect points without any language model. English."""

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sandbox.judges.case import Case
from sandbox.judges.local.aspects import judge_aspects
from sandbox.judges.local.encoder import Array, Encoder, MiniLM
from sandbox.judges.local.logistic import Floats
from sandbox.judges.local.miq import MiqModel, judge_miq, packaged_miq
from sandbox.judges.local.reading import read
from sandbox.judges.local.roles import packaged_roles, propose_roles, role_warnings
from sandbox.judges.local.use import NO_REPLY, judged_entries, nothing_used
from sandbox.judges.local.use_model import UseModel, packaged_use, reply_key
from sandbox.judges.verdict import (
    Aspect,
    AspectVerdict,
    EntryVerdict,
    Judge,
    JudgeError,
    Miq,
    RoleProposal,
    Verdict,
)

NAME = "local"
Embed = Callable[[Sequence[str]], Array]
"""Unit vectors of texts, shape (n, dimension)."""
Roles = Callable[[Case, Embed], Mapping[str, RoleProposal]]
Aspects = Callable[
    [Case, Sequence[EntryVerdict], Sequence[Aspect], Embed], tuple[AspectVerdict, ...]
]
_LABELLED = "usage_"
"""How the names of the files with labelled replies begin."""


class LocalJudge:
    """Judges with small fitted models and rules; the same case gives the same verdict.

    Args:
        encoder: texts to vectors; the packaged MiniLM if None, loaded at the first verdict.
        roles: proposes roles; null for none.
        aspects: judges the aspects that a verdict is asked for; null for none.
        use: parameters of use detection; the packaged ones if None.
        miq: parameters of MIQ; the packaged ones if None.
    """

    def __init__(
        self,
        encoder: Encoder | None = None,
        roles: Roles | None = propose_roles,
        aspects: Aspects | None = judge_aspects,
        use: UseModel | None = None,
        miq: MiqModel | None = None,
    ) -> None:
        self._encoder = encoder or MiniLM()
        self._roles = roles
        self._aspects = aspects
        self._use = use or packaged_use()
        self._miq = miq or packaged_miq()

    @property
    def name(self) -> str:
        """`local`."""
        return NAME

    @property
    def version(self) -> str:
        """Hash of encoder and parameters (12 hexadecimal digits)."""
        parts = [self._encoder.id, self._use.version, self._miq.version]
        if self._roles is propose_roles:
            parts.append(packaged_roles().version)
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]

    def judge(self, case: Case, aspects: Sequence[Aspect] = ()) -> Verdict:
        """The verdict; `aspects` names those to judge beside use and MIQ.

        Raises:
            JudgeError: if the encoder cannot be loaded or fails.
        """
        return self._judged(case, aspects, None, None)

    def out_of_fold(self, sha256: str) -> Judge | None:
        """A judge of the replies in the labelled file with this hash that never met them.

        Null where it was not fitted on that file.
        """
        data: Mapping[str, str] = self._use.fitted["data"]
        known = {value for name, value in data.items() if name.startswith(_LABELLED)}
        return _HeldOut(self) if sha256 in known else None

    def roles_measured_on(self, sha256: str) -> Mapping[str, Any] | None:
        """The packaged roles' cross-validated agreement, if fitted on the file of this hash."""
        if self._roles is not propose_roles:
            return None
        fitted = packaged_roles().fitted
        found: Mapping[str, Any] = fitted["agreement"]
        return found if sha256 in fitted["data"].values() else None

    def held_out(self, case: Case, aspects: Sequence[Aspect] = ()) -> Verdict:
        """The verdict on a labelled reply by what models said that never met it.

        Raises:
            JudgeError: if the reply or one of its entries is not in the data it was fitted on.
        """
        try:
            chances = self._use.held_out(case)
        except KeyError as error:
            raise JudgeError(
                f"The local judge was not fitted on this reply and its pool ({error}), so it has "
                "no out-of-fold verdict: judge it as any other."
            ) from error
        score = self._miq.out_of_fold.get(reply_key(case.query, case.reply))
        return self._judged(case, aspects, chances, score)

    def _judged(
        self, case: Case, aspects: Sequence[Aspect], chances: Floats | None, score: float | None
    ) -> Verdict:
        started = time.perf_counter()
        if case.failed or not case.reply.strip():
            entries, miq = nothing_used(case), Miq(None, NO_REPLY)
        else:
            reading = read(case, self._encoder)
            entries = judged_entries(reading, self._use, chances)
            miq = judge_miq(reading, entries, self._miq, score)
        return Verdict(
            judge=NAME,
            version=self.version,
            entries=entries,
            miq=miq,
            aspects=self._points(case, entries, aspects),
            situation=case.situation,
            roles=self._roles(case, self._embed) if self._roles else {},
            warnings=self._warnings(case),
            seconds=time.perf_counter() - started,
        )

    def _points(
        self, case: Case, entries: Sequence[EntryVerdict], aspects: Sequence[Aspect]
    ) -> tuple[AspectVerdict, ...]:
        if self._aspects is None or not aspects:
            return ()
        return self._aspects(case, entries, aspects, self._embed)

    def _warnings(self, case: Case) -> tuple[str, ...]:
        warnings: list[str] = []
        if case.language != "en":
            warnings.append(f"The local judge reads English; not measured for {case.language}.")
        if any(item.is_rule for item in case.pool):
            warnings.append("Whether rules are followed is told by checks that were not measured.")
        if self._roles is propose_roles:
            warnings += role_warnings(case)
        return tuple(warnings)

    def _embed(self, texts: Sequence[str]) -> Array:
        vectors = [one.sentence for one in self._encoder.encode(texts)]
        return np.stack(vectors) if vectors else np.empty((0, 0), np.float32)


@dataclass(frozen=True, slots=True)
class _HeldOut:
    """The local judge for replies it was fitted on."""

    inner: LocalJudge

    @property
    def name(self) -> str:
        return self.inner.name

    def judge(self, case: Case) -> Verdict:
        return self.inner.held_out(case)

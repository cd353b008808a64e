"""The episode that `replay --episode` goes through, and what it prints. Much to load."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.commands.output import progress
from sandbox.replay.episode_steps import EpisodeStep, QuestionStep, SessionStep
from sandbox.replay.episodes import How
from sandbox.replay.grading import UNKNOWN
from sandbox.shapes import Plain


class EpisodeRun:
    """One episode, from its first session to its last question."""

    def __init__(self, sandbox: Sandbox, how: How, *, reveal: bool) -> None:
        self.steps: list[EpisodeStep] = []
        self._sandbox = sandbox
        self._how = how
        self._reveal = reveal
        self._name = ""

    @property
    def trouble(self) -> str | None:
        """The first reason why a step was not done; null if all were."""
        return next((one.trouble for one in self.steps if one.trouble), None)

    def go(self, files: Sequence[tuple[str, bytes]], name: str) -> None:
        """Read the files and go through the episode.

        Raises:
            BadInput: if they cannot be read, or there is no such episode.
        """
        found = self._sandbox.instances.add(ACCOUNT, files)
        self._sandbox.start()
        self._name = name
        walk = self._sandbox.episode_replays.steps(ACCOUNT, found.sha256, name, self._how)
        for step in walk:
            self.steps.append(step)
            progress(f"{_kind(step)} {step.id} is done")

    def result(self) -> Plain:
        """The replay as plain values; what is gold only where it was asked for."""
        return {
            "episode": self._name,
            "method": self._how.method,
            "strategy": self._how.strategy,
            "judge": self._how.judge,
            "steps": [_plain(one, reveal=self._reveal) for one in self.steps],
            "trouble": self.trouble,
        }

    def lines(self) -> Iterator[str]:
        """The replay for people."""
        for step in self.steps:
            yield f"{_kind(step)} {step.id}: {_mark(step) if self._reveal else 'done'}"
            if isinstance(step, SessionStep):
                yield from _session(step)
            else:
                yield from _question(step, reveal=self._reveal)


def _kind(step: EpisodeStep) -> str:
    return "session" if isinstance(step, SessionStep) else "question"


def _mark(step: EpisodeStep) -> str:
    if step.differs:
        return f"first differs at {step.differs}"
    if isinstance(step, SessionStep):
        return "as the gold" if step.annotated else "the file has no gold for it"
    return "every support is shown"


def _session(step: SessionStep) -> Iterator[str]:
    for turn in step.turns:
        for one in turn.model:
            yield f"  + {one.text}  [{one.type}, {turn.turn}]"
    for gone in step.model.deletes:
        yield f"  - {gone.text}"


def _question(step: QuestionStep, *, reveal: bool) -> Iterator[str]:
    yield f"  {step.text}"
    yield f"  answer  {step.model or 'none'}"
    if not reveal:
        return
    yield f"  gold    {UNKNOWN if step.gold is None else step.gold}"
    for support in step.supports:
        yield f"  {support.fate:14}  {support.text}"
    if (graded := step.graded) is not None:
        found = {None: "not graded", True: "right", False: "wrong"}[graded.correct]
        likeness = f"; token F1 {graded.words.f1:.2f}" if graded.words else ""
        yield f"  {found}, by {graded.by}: {graded.why}{likeness}"


def _plain(step: EpisodeStep, *, reveal: bool) -> Plain:
    told = {"kind": _kind(step)} | asdict(step)
    if reveal:
        return told
    hidden = ("gold", "differs", "supports", "annotated", "graded")
    if isinstance(step, SessionStep):
        told["turns"] = [
            {name: value for name, value in turn.items() if name != "gold"}
            for turn in told["turns"]
        ]
    return {name: value for name, value in told.items() if name not in hidden}

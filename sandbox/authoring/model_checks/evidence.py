"""UtilMem's degradation test: does the answer get worse as evidence is taken away?

E1 = E, E2 = E1 - R1, E3 = E2 - R2, drawn by a seed; two judges say of each pair of neighbours
whether the one with less is worse, and a path holds only if all say so. With fewer than three
pieces of evidence, or where any one of them is enough, there are two levels: all and none (ours).
"""

from collections.abc import Sequence
from random import Random

from graphs.chat_model import ChatModel
from sandbox.authoring.model_checks.answering import Answering
from sandbox.authoring.model_checks.asking import Asking
from sandbox.authoring.model_checks.found import Answered, EvidenceRemoval, Pairwise, Path
from sandbox.authoring.model_checks.pairwise import compared, degraded_hash
from sandbox.authoring.model_checks.scoring import BY_WORDS

LEAST = 3
"""Pieces of evidence from which there are the paper's three levels (PROTOCOLS 3, ours)."""
Levels = tuple[tuple[str, ...], ...]


def levels(asking: Asking, seed: int) -> Levels:
    """Keys of the evidence at each level, all of it first; each in the order of the needed ones.

    About half is taken away in two steps that are as even as can be, and at least one piece stays.
    """
    whole = asking.needed
    if len(whole) < LEAST or asking.any_of:
        return whole, ()
    gone = (len(whole) + 1) // 2
    drawn = Random(f"evidence {asking.name} {seed}").sample(whole, gone)
    first, second = set(drawn[: (gone + 1) // 2]), set(drawn)
    return (
        whole,
        tuple(key for key in whole if key not in first),
        tuple(key for key in whole if key not in second),
    )


def testable(askings: Sequence[Asking]) -> list[Asking]:
    """What is asked and has evidence that can be taken away."""
    return [one for one in askings if one.needed]


def calls(asking: Asking) -> int:
    """How many calls a path takes: an answer a level, and two verdicts a step."""
    steps = len(levels(asking, 0))
    return steps + 2 * (steps - 1)


def evidence_removal(
    askings: Sequence[Asking],
    answering: Answering,
    judges: Sequence[ChatModel],
    judge: str,
    seeds: Sequence[int],
) -> EvidenceRemoval:
    """A path for each thing that is asked and each seed. Stopping keeps the whole paths."""
    asked = [(one, seed) for seed in seeds for one in testable(askings)]
    paths: list[Path] = []
    for number, (asking, seed) in enumerate(asked, start=1):
        if answering.pace.over:
            break
        path = _path(asking, seed, answering, judges, f"path {number} of {len(asked)}")
        if path is not None:
            paths.append(path)
    by_words = any(one.by_words for one, _seed in asked)
    return EvidenceRemoval(
        kind="evidence removal",
        model=answering.model.name,
        judges=tuple(one.name for one in judges),
        scored_by=BY_WORDS if by_words else judge,
        wanted=len(asked),
        paths=tuple(paths),
        prompts=answering.prompts | {"degraded": degraded_hash()},
    )


def _path(
    asking: Asking, seed: int, answering: Answering, judges: Sequence[ChatModel], where: str
) -> Path | None:
    """One path; null where it was stopped on its way."""
    kept, pace = levels(asking, seed), answering.pace
    answers: list[Answered] = []
    for keys in kept:
        pace.begins(f"evidence removal, {where}: answer with {len(keys)} of {len(kept[0])}")
        made = answering.answer(asking, keys, seed)
        if made is None:
            return None
        answers.append(made)
    verdicts: list[Pairwise] = []
    for level in range(1, len(kept)):
        for model in judges:
            pace.begins(f"evidence removal, {where}: {model.name} compares")
            told = compared(asking, answers[level - 1], answers[level], level, model, pace)
            if told is None:
                return None
            verdicts.append(told)
    return Path(asking.name, seed, kept, tuple(answers), tuple(verdicts))

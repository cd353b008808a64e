"""Can it be answered without any memory? Then it does not test memory."""

from collections.abc import Sequence

from sandbox.authoring.model_checks.answering import Answering
from sandbox.authoring.model_checks.asking import Asking
from sandbox.authoring.model_checks.found import Answered, ClosedBook
from sandbox.authoring.model_checks.scoring import BY_WORDS


def scorable(askings: Sequence[Asking]) -> list[Asking]:
    """What is asked and can be held against something."""
    return [one for one in askings if one.scorable]


def closed_book(
    askings: Sequence[Asking], answering: Answering, judge: str, seeds: Sequence[int]
) -> ClosedBook:
    """An answer to each thing that is asked for each seed, with nothing of the pool shown.

    Stopping keeps the answers that are whole.
    """
    asked = [(one, seed) for seed in seeds for one in scorable(askings)]
    answers: list[Answered] = []
    for number, (asking, seed) in enumerate(asked, start=1):
        if answering.pace.over:
            break
        answering.pace.begins(f"closed book: answer {number} of {len(asked)}")
        made = answering.answer(asking, (), seed)
        if made is not None:
            answers.append(made)
    by_words = any(one.by_words for one, _seed in asked)
    return ClosedBook(
        kind="closed book",
        model=answering.model.name,
        scored_by=BY_WORDS if by_words else judge,
        wanted=len(asked),
        answers=tuple(answers),
        prompts=dict(answering.prompts),
    )

"""A model looks for sentences that contradict the character. It flags and quotes; people decide."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from graphs.chat_model import ChatModel, Sampling
from graphs.templates import prompt_hash
from personas import expanded
from personas.library import describe
from sandbox.authoring.authored import Authored
from sandbox.authoring.model_checks.found import Flag, PersonaFlags
from sandbox.authoring.model_checks.pace import Pace
from sandbox.authoring.model_checks.pairwise import PACKAGE
from sandbox.episodes import gold_bank
from sandbox.judges.case import Case, PoolItem
from sandbox.judges.llm import values
from sandbox.judges.llm.asking import Asked, JudgeStopped, Question, ask, at_once
from sandbox.judges.llm.blocks import make_blocks
from sandbox.judges.llm.questions import context, room
from sandbox.judges.llm.quotes import holds

AT_A_TIME = 10
"""Texts that a model is shown in one call."""
_TOKENS = 800


def _asked(**schema: object) -> WithJsonSchema:
    return WithJsonSchema(schema)


class FlagItem(BaseModel):
    """What is said of one text, by its number on the list."""

    model_config = ConfigDict(frozen=True)

    number: Annotated[object, _asked(type="integer")] = None
    quote: Annotated[object, _asked(type="string", maxLength=300)] = ""
    against: Annotated[object, _asked(type="string", maxLength=300)] = ""
    why: Annotated[object, _asked(type="string", maxLength=300)] = ""


class FlagsForm(BaseModel):
    """The answer to the question what contradicts the character."""

    model_config = ConfigDict(frozen=True)

    flags: Annotated[list[FlagItem], Field(max_length=100)]


@dataclass(frozen=True, slots=True)
class Told:
    """A text that may contradict the character."""

    where: str
    item: PoolItem


def told_of(authored: Authored) -> tuple[Told, ...]:
    """The reference, and what is live of the pool; of an episode its gold bank and its answers."""
    return tuple(_told(authored))


def _told(authored: Authored) -> Iterator[Told]:
    if authored.reference:
        yield Told("reference", PoolItem("reference", authored.reference))
    for number, held in enumerate((one.held for one in authored.pool), start=1):
        if held.status == "live":
            item = PoolItem(held.key, held.text, held.type, anchor=held.anchor)
            yield Told(f"memory {number}", item)
    if authored.kind != "episode" or authored.talk is None:
        return
    for number, entry in enumerate(gold_bank(authored.talk), start=1):
        item = PoolItem(entry.key, entry.text, entry.type, anchor=entry.anchor)
        yield Told(f"memory {number}", item)
    for question in authored.talk.questions:
        if question.answer:
            item = PoolItem(f"answer {question.id}", question.answer)
            yield Told(f"the answer to {question.id}", item)


def calls(authored: Authored) -> int:
    """How many calls it takes."""
    return -(-len(told_of(authored)) // AT_A_TIME)


def persona_flags(authored: Authored, model: ChatModel, pace: Pace) -> PersonaFlags:
    """What the model flags. Stopping keeps what was looked at."""
    texts = told_of(authored)
    whole = -(-len(texts) // AT_A_TIME)
    looked, strange = 0, 0
    flags: list[Flag] = []
    troubles: list[str] = []
    for at in range(0, len(texts), AT_A_TIME):
        if pace.over:
            break
        shown = texts[at : at + AT_A_TIME]
        pace.begins(f"persona: call {at // AT_A_TIME + 1} of {whole}")
        case = _case(authored, shown)
        question = _question(case, model)
        try:
            [asked] = at_once([partial(ask, model, question)], 1, pace.event())
        except JudgeStopped:
            break
        pace.failed = pace.failed + 1 if asked.unreachable else 0
        if asked.value is None:
            troubles.append(asked.call.trouble or "It could not be read.")
            continue
        read = _read(asked, case, shown)
        looked, flags = looked + len(shown), flags + read
        strange += len(asked.value.flags) - len(read)
    return PersonaFlags(
        kind="persona",
        model=model.name,
        wanted=len(texts),
        looked=looked,
        flags=tuple(flags),
        strange=strange,
        troubles=tuple(troubles),
        prompts={"persona": prompt_hash(PACKAGE, "persona")},
    )


def _case(authored: Authored, shown: Sequence[Told]) -> Case:
    human = authored.human
    card = describe(expanded(authored.persona, human.name, seed=authored.id))
    about = f"\n{human.name}: {human.profile}" if human.profile else ""
    return Case(
        character=authored.persona.name,
        human=human.name,
        persona=card + about,
        history=(),
        query="",
        reply="",
        pool=tuple(one.item for one in shown),
        language=authored.language,
        now=authored.time,
    )


def _question(case: Case, model: ChatModel) -> Question[FlagsForm]:
    blocks = make_blocks(case, room(model, _TOKENS))
    told = context(blocks)
    shown = {name: told[name] for name in ("mark", "who", "persona")} | {
        "entries": blocks.numbered(range(len(case.pool))),
        "count": str(len(case.pool)),
    }
    sampling = Sampling(temperature=0.0, max_tokens=_TOKENS, seed=0)
    return Question("persona", "persona", FlagsForm, sampling, shown, PACKAGE)


def _read(asked: Asked[FlagsForm], case: Case, shown: Sequence[Told]) -> list[Flag]:
    """The flags whose quotes stand where they are said to."""
    found: list[Flag] = []
    for one in asked.value.flags if asked.value else ():
        number = values.read_number(one.number)
        if number is None or not 1 <= number <= len(shown):
            continue
        text, quote = shown[number - 1], values.words(one.quote)
        against = values.words(one.against)
        if holds(text.item.text, quote) and holds(case.persona, against):
            found.append(Flag(text.where, quote, against, values.words(one.why)))
    return found

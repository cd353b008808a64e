"""The judge's questions about one case: one for use, then one for MIQ and one an aspect."""

from collections.abc import Sequence
from dataclasses import dataclass

from graphs.chat_model import ChatModel, Sampling
from graphs.templates import prompt_hash
from memory_banks.entries import canonical, digest
from sandbox.judges.case import Case
from sandbox.judges.guideline import SITUATIONS
from sandbox.judges.llm.asking import PACKAGE, Question
from sandbox.judges.llm.aspects import situation_words
from sandbox.judges.llm.blocks import FRAME_TOKENS, Blocks, make_blocks
from sandbox.judges.llm.forms import AspectForm, MiqForm, SupportForm, UsageForm, usage_form
from sandbox.judges.verdict import ASPECTS, Aspect

PROMPTS = ("usage", "miq", *ASPECTS)
"""The prompt files; an aspect's is called like the aspect."""
DRAW_TEMPERATURE = 0.7
"""Of each of several draws; a single one is drawn at 0."""
_ANSWER_TOKENS = 700
_ENTRY_TOKENS = 130
_MOST_ANSWER = 8000


@dataclass(frozen=True, slots=True)
class Questions:
    """Makes the questions about one case, in one way of drawing."""

    case: Case
    blocks: Blocks
    draws: int
    usage_tokens: int

    def usage(self, draw: int) -> Question[UsageForm]:
        """Which entries are used; they are numbered in the pool's order."""
        entries = self.blocks.numbered(range(len(self.case.pool)))
        values = self._context() | {"entries": entries, "count": str(len(self.case.pool))}
        form, sampling = usage_form(len(self.case.pool)), self._sampling(draw, self.usage_tokens)
        return Question(self._purpose("usage", draw), "usage", form, sampling, values)

    def miq(self, draw: int, used: Sequence[int]) -> Question[MiqForm]:
        """How well the entries at the places `used` are woven in; no others are shown."""
        values = self._context() | {"entries": self.blocks.numbered(used)}
        sampling = self._sampling(draw, _ANSWER_TOKENS)
        return Question(self._purpose("miq", draw), "miq", MiqForm, sampling, values)

    def aspect(self, aspect: Aspect, draw: int) -> Question[AspectForm] | Question[SupportForm]:
        """How one aspect is met, over the reply and those before it."""
        values = self._context() | {"earlier": self.blocks.earlier}
        purpose, sampling = self._purpose(aspect, draw), self._sampling(draw, _ANSWER_TOKENS)
        if aspect == "es_proficiency":
            values["situation"] = situation_words(self.case)
            return Question(purpose, aspect, SupportForm, sampling, values)
        if aspect == "injection":
            values["entries"] = self.blocks.numbered(range(len(self.case.pool)))
        return Question(purpose, aspect, AspectForm, sampling, values)

    def _context(self) -> dict[str, str]:
        return context(self.blocks) | {"reply": self.blocks.reply}

    def _purpose(self, name: str, draw: int) -> str:
        return name if self.draws == 1 else f"{name}, draw {draw + 1}"

    def _sampling(self, draw: int, tokens: int) -> Sampling:
        temperature = 0.0 if self.draws == 1 else DRAW_TEMPERATURE
        return Sampling(temperature=temperature, max_tokens=tokens, seed=draw)


def make_questions(case: Case, model: ChatModel, draws: int) -> Questions:
    """The questions about `case`, cut to the model's window."""
    wanted = min(_ANSWER_TOKENS + _ENTRY_TOKENS * len(case.pool), _MOST_ANSWER)
    usage_tokens = min(wanted, max(_ANSWER_TOKENS, model.context_tokens // 3))
    return Questions(case, make_blocks(case, room(model, usage_tokens)), draws, usage_tokens)


def room(model: ChatModel, answer_tokens: int) -> int:
    """Tokens that the blocks of a prompt may take in all."""
    return model.context_tokens * 9 // 10 - FRAME_TOKENS - answer_tokens


def context(blocks: Blocks) -> dict[str, str]:
    """The blocks that every prompt shows."""
    return {
        "mark": blocks.mark,
        "who": blocks.who,
        "persona": blocks.persona,
        "history": blocks.history,
        "query": blocks.query,
    }


def version(model: str, draws: int) -> str:
    """What would have to be the same for the same verdict: model, draws, prompts, guideline."""
    hashes = [prompt_hash(PACKAGE, name) for name in PROMPTS]
    guideline = canonical([(one.name, one.when, one.points, one.note) for one in SITUATIONS])
    return digest("llm judge", model, str(draws), guideline, *hashes)

"""What llama.cpp and vLLM serve beside the OpenAI API: counting tokens, scoring a given reply."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graphs.chunks import Counted
from graphs.messages import Message
from graphs.model_errors import ModelError

T = TypeVar("T", bound=BaseModel)
Post = Callable[[str, Mapping[str, Any], float], str | None]
"""(path, JSON, seconds) to the answer's text; null where the server refuses.

Raises ConnectionError where it cannot be reached, TimeoutError where it takes too long.
"""
LONGEST_SCORED = 600
"""Tokens of a reply that is scored: the grammar that forces it grows with them."""
_COUNT_SECONDS = 2.0


class NativeServer:
    """The endpoints of one server, by their paths beside `/v1`."""

    def __init__(self, model: str, sent_as: str, post: Post) -> None:
        """Ask nothing yet. `sent_as` is the model's name on the server."""
        self._model = model
        self._sent_as = sent_as
        self._post = post
        self.counts: bool | None = None
        """Whether it counts tokens; null until it was asked."""

    def count(self, text: str) -> int | None:
        """Tokens of `text`; null where the server does not count."""
        if self.counts is False:
            return None
        asked = {"model": self._sent_as, "content": text, "prompt": text}
        try:
            answer = self._post("tokenize", asked | {"add_special_tokens": False}, _COUNT_SECONDS)
        except ConnectionError:
            return None  # not there now: asked again at the next count
        except TimeoutError:
            answer = None
        counted = _read(Counted, answer)
        self.counts = counted is not None
        return len(counted.tokens) if counted else None

    def log_probabilities(
        self, messages: Sequence[Message], text: str, seconds: float
    ) -> tuple[float, ...]:
        """Natural logarithm of the probability of each token of `text` as the next message.

        Only llama.cpp can: a grammar of token ids leaves the sampler no choice, and the values are
        those before sampling. The prompt cache is off, because it changes them from call to call.

        Raises:
            ModelError: if the server cannot do it, or `text` is empty or too long.
        """
        prompt = self._asked(_Prompt, "apply-template", {"messages": list(messages)}, seconds)
        tokens = self._asked(_Tokens, "tokenize", {"content": text}, seconds).tokens
        if not 0 < len(tokens) <= LONGEST_SCORED:
            raise ModelError(
                f"A text of {len(tokens)} tokens cannot be scored: it must have 1 to "
                f"{LONGEST_SCORED}."
            )
        asked = {
            "prompt": prompt.prompt,
            "grammar": "root ::= " + " ".join(f"<[{token}]>" for token in tokens),
            "n_predict": len(tokens),
            "n_probs": 1,
            "temperature": 0,
            "top_k": 0,
            "top_p": 1,
            "min_p": 0,
            "cache_prompt": False,
        }
        scored = self._asked(_Scored, "completion", asked, seconds).completion_probabilities
        if [one.id for one in scored] != tokens:
            raise self._cannot()
        return tuple(one.logprob for one in scored)

    def _asked(self, form: type[T], path: str, asked: Mapping[str, Any], seconds: float) -> T:
        try:
            answer = _read(form, self._post(path, asked, seconds))
        except ConnectionError:
            raise ModelError(
                f"Model {self._model!r} cannot be reached; check that its server runs."
            ) from None
        except TimeoutError:
            raise ModelError(
                f"Model {self._model!r} did not score the reply within {seconds:.0f} s."
            ) from None
        if answer is None:
            raise self._cannot()
        return answer

    def _cannot(self) -> ModelError:
        return ModelError(
            f"Model {self._model!r} does not tell the probability of a given reply: its server "
            "must be llama.cpp's."
        )


class _Form(BaseModel):
    model_config = ConfigDict(frozen=True)


class _Prompt(_Form):
    prompt: str


class _Tokens(_Form):
    tokens: Annotated[list[int], Field(max_length=1_000_000)]


class _Token(_Form):
    id: int
    logprob: Annotated[float, Field(le=0.001, allow_inf_nan=False)]


class _Scored(_Form):
    completion_probabilities: list[_Token]


def _read(form: type[T], answer: str | None) -> T | None:
    if answer is None:
        return None
    try:
        return form.model_validate_json(answer)
    except ValidationError:
        return None

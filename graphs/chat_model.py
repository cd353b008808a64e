"""The one door to a language model: any OpenAI-compatible server."""

import logging
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from time import monotonic
from typing import Any, TypeVar

import httpx2
import openai
from pydantic import BaseModel, SecretStr

from graphs import model_errors as errors
from graphs.asking import Answer as Answer
from graphs.asking import Asking, Written
from graphs.chat_protocol import ChatModel as ChatModel
from graphs.chat_protocol import ReplyStream as ReplyStream
from graphs.endpoint import Endpoint
from graphs.handover import Handover
from graphs.messages import OPTIONAL, accepted, request
from graphs.messages import Message as Message
from graphs.messages import Sampling as Sampling
from graphs.model_errors import ModelError as ModelError
from graphs.model_errors import UnreadableAnswer as UnreadableAnswer
from graphs.native import NativeServer
from graphs.replying import Finish as Finish
from graphs.replying import Progress, Reply
from graphs.replying import Usage as Usage
from graphs.tokens import estimated_tokens

T = TypeVar("T", bound=BaseModel)
logger = logging.getLogger(__name__)
_FAILURES = (
    openai.OpenAIError,
    httpx2.HTTPError,
    httpx2.StreamError,
    OSError,
    ValueError,
    RecursionError,
)
_CONNECT_SECONDS = 10.0
_ANSWERED = "+"
"""Marks an answer, so that an empty one is told from none."""
_PAUSE = 0.5
"""Seconds before the one further try; the server may ask for up to 5, for more there is none."""


class OpenAIChat:
    """A model behind an OpenAI-compatible endpoint; safe to use from several threads."""

    def __init__(
        self,
        name: str,
        model: str,
        base_url: str,
        key: SecretStr | None = None,
        context_tokens: int = 8192,
        deadline: float = 120.0,
        scores: bool = False,
    ) -> None:
        """Connect to nothing yet.

        `deadline` is the seconds one call may take, retries included; `scores` says that the
        server is llama.cpp's, which can tell how probable a given reply is.

        Raises:
            ValueError: if the address is no http address or the key cannot be sent.
            ModelError: if the proxy that is set up cannot be used.
        """
        self.name = name
        self.context_tokens = context_tokens
        self._model = model
        self._deadline = deadline
        self._here = threading.local()
        self._endpoint = Endpoint(name, base_url, key)
        self._http = _http_client(self._endpoint, self._here)
        # The key stays in the request hook: nothing the client prints or raises can hold it.
        self._client = openai.OpenAI(
            api_key="unused", base_url=base_url, http_client=self._http, max_retries=0
        )
        self._native = NativeServer(name, model, self._post)
        self._scores = scores
        self._asking = Asking(name)
        self._refused: set[str] = set()

    def __repr__(self) -> str:
        return f"OpenAIChat({self.name!r})"

    @property
    def counts_exactly(self) -> bool:
        """Whether the server counts tokens; false until the first count."""
        return self._native.counts is True

    def stream(self, messages: Sequence[Message], sampling: Sampling) -> Reply:
        """Start a reply at once, in a thread of its own; its deadline counts from now."""
        return self._reply(request(messages, sampling), self._deadline)

    def answer(self, messages: Sequence[Message], form: type[T], sampling: Sampling) -> Answer[T]:
        """An object of `form`; all calls for it share one deadline. Errors as `ChatModel` says."""
        ends = monotonic() + self._deadline

        def write(messages: Sequence[Message], asked: dict[str, Any] | None) -> Written:
            fields = request(messages, sampling) | ({"response_format": asked} if asked else {})
            reply = self._reply(fields, ends - monotonic())
            return Written("".join(reply.raw()), reply.finish, reply.usage)

        return self._asking.ask(messages, form, write)

    def count_tokens(self, text: str) -> int:
        """Tokens of `text`: by the server's `/tokenize` where it has one, else estimated."""
        counted = self._native.count(text) if text else 0
        return estimated_tokens(text) if counted is None else counted

    def log_probabilities(self, messages: Sequence[Message], text: str) -> tuple[float, ...] | None:
        """See `ChatModel`."""
        if not self._scores:
            return None
        return self._native.log_probabilities(messages, text, self._deadline)

    def _reply(self, fields: dict[str, Any], seconds: float) -> Reply:
        return Reply(self.name, partial(self._produce, fields), seconds, self._deadline)

    def _produce(
        self, fields: dict[str, Any], progress: Progress, handover: Handover
    ) -> Iterator[str]:
        """One call: the raw pieces of its reply. Runs in the handover's thread."""
        self._here.handover = handover
        began = monotonic()
        error: ModelError | None = None
        try:
            with self._open(fields, handover) as events:
                self._check(events.response.headers.get("content-type", ""))
                yield from map(progress.take, events)
        except ModelError as known:
            error = known
        except _FAILURES as failure:
            error = self._explained(failure, progress, handover)
        if error is None and progress.finish is None:
            error = progress.unfinished()
        took, how = progress.took, "failed" if error else progress.finish
        logger.info(
            "model %s: %.2f s, %s prompt tokens, %s reply tokens, %s",
            self.name,
            monotonic() - began,
            took.prompt_tokens,
            took.completion_tokens,
            "stopped" if handover.closed else how,
        )
        if error is not None:  # raised out here, it carries no context that may hold a key
            raise error

    def _open(self, fields: dict[str, Any], handover: Handover) -> Any:
        """The event stream; after a failure that may pass, one further try."""
        tried = False
        while True:
            left = handover.remaining
            try:
                return self._client.chat.completions.create(
                    model=self._model,
                    timeout=httpx2.Timeout(left, connect=min(left, _CONNECT_SECONDS)),
                    **accepted(fields, self._refused),
                )
            except openai.APIError as error:
                if not self._learns(error):
                    pause = _pause(error)
                    if tried or pause is None or not handover.pause(pause):
                        raise
                    tried = True

    def _learns(self, error: openai.APIError) -> bool:
        """Whether the server refuses an optional field, which it is not sent any more."""
        field = error.param
        unsupported = str(error.code or "").startswith("unsupported")
        if not unsupported or field not in OPTIONAL or field in self._refused:
            return False
        logger.warning("model %s refuses %s; it is left out from now on", self.name, field)
        self._refused.add(field)
        return True

    def _check(self, content_type: str) -> None:
        if not content_type.startswith("text/event-stream"):
            kind = "a web page" if "html" in content_type else "something else"
            raise errors.garbage(self.name, kind)

    def _explained(self, failure: Exception, progress: Progress, handover: Handover) -> ModelError:
        """The failure as a sentence."""
        if handover.over:
            return errors.timed_out(self.name, self._deadline)
        if isinstance(failure, openai.APIStatusError):
            if _may_pass(failure):
                wait = failure.response.headers.get("retry-after", "")
                return errors.busy(self.name, failure.status_code, wait)
            code = str(failure.code or failure.type or "")
            return errors.refused(self.name, failure.status_code, code, self._said(failure))
        if isinstance(failure, openai.APIConnectionError | httpx2.TransportError | OSError):
            if progress.written or progress.thought:
                return progress.unfinished()
            return errors.unreachable(self.name, errors.connection_failure(failure))
        if isinstance(failure, openai.APIError):
            return errors.broken(self.name, self._said(failure))
        return errors.garbage(self.name, "something unreadable")

    def _said(self, error: openai.APIError) -> str:
        """The server's own words, without the key."""
        body = error.body if isinstance(error.body, dict) else {}
        said = body.get("message")
        return self._endpoint.redacted(said) if isinstance(said, str) else ""

    def _post(self, path: str, asked: Mapping[str, Any], seconds: float) -> str | None:
        """What the server answers beside the OpenAI API; null where it refuses."""
        for answer in Handover(partial(self._posted, path, asked), seconds):
            if not answer:
                raise ConnectionError
            return answer.removeprefix(_ANSWERED)
        return None

    def _posted(self, path: str, asked: Mapping[str, Any], handover: Handover) -> Iterator[str]:
        """The marked answer; nothing where the server refuses, empty where it is not there."""
        self._here.handover = handover
        left = handover.remaining
        try:
            sent = self._http.post(self._endpoint.beside(path), json=dict(asked), timeout=left)
            if sent.is_success:
                yield _ANSWERED + sent.text
        except httpx2.TransportError:
            yield ""
        except (httpx2.HTTPError, ValueError):
            return


def _http_client(endpoint: Endpoint, here: threading.local) -> httpx2.Client:
    """A client that follows no redirect, keeps no connection, and sends the key itself."""

    def arm(sent: httpx2.Request) -> None:
        for ambient in ("OpenAI-Organization", "OpenAI-Project", "Authorization"):
            sent.headers.pop(ambient, None)
        if endpoint.authorization:
            sent.headers["Authorization"] = endpoint.authorization
        sent.extensions["trace"] = here.handover.watch

    try:
        return httpx2.Client(
            follow_redirects=False,
            trust_env=not endpoint.loopback,
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=0),
            event_hooks={"request": [arm]},
        )
    except (ImportError, ValueError, httpx2.InvalidURL):
        sentence = f"Model {endpoint.model!r} cannot be reached by the proxy of the environment"
    raise ModelError(f"{sentence}; unset ALL_PROXY, or set an http proxy.")


def _may_pass(error: openai.APIStatusError) -> bool:
    return error.status_code == 429 or error.status_code >= 500


def _pause(error: openai.APIError) -> float | None:
    """Seconds to wait before one further try; null where another try is of no use."""
    if isinstance(error, openai.APIConnectionError):
        return _PAUSE
    if not isinstance(error, openai.APIStatusError) or not _may_pass(error):
        return None
    asked = error.response.headers.get("retry-after", "0")
    return max(_PAUSE, float(asked)) if re.fullmatch("[0-5]", asked) else None

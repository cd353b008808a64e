"""What can go wrong with a model, in one sentence each: who, what happened, and the way out."""

import re
import socket
import ssl

_CROWDED = re.compile(
    r"context.{0,20}(length|size|window)|maximum context|exceed.{0,12}context", re.I
)
_CROWDED_CODES = {"context_length_exceeded", "exceed_context_size_error"}
_SAID = 200
"""Characters of a server's own words that a sentence may carry."""


class ModelError(Exception):
    """A call that gave no usable answer; the message is one sentence a person can act on."""


class UnreadableAnswer(ModelError):
    """The model answered, but not in the form that was asked for, also after one repair."""

    def __init__(self, sentence: str, raw: str, *, cut: bool = False) -> None:
        super().__init__(sentence)
        self.raw = raw
        """The last answer, verbatim."""
        self.cut = cut
        """Whether an answer was cut off at the token limit: less to answer may help."""


class RefusedRequest(ModelError):
    """The server understood the request and wants it otherwise (400, 404, 422)."""


def refused(name: str, status: int, code: str, said: str) -> ModelError:
    """The error of a status 4xx or a redirect.

    `code` is the server's own name for the error, empty where it gave none; `said` are its words,
    which are shown, shortened, where they help and cannot hold a key.
    """
    if code in _CROWDED_CODES or (status in (400, 413, 422) and _CROWDED.search(said)):
        return ModelError(
            f"Model {name!r} has no room for this prompt and its reply; shorten the talk, inject "
            "fewer entries, or choose a model with a larger context."
        )
    if status in (401, 403):
        return ModelError(
            f"Model {name!r} refused the key, or the lack of one ({status}); check the "
            "environment variable that its key_env in models.toml names."
        )
    if 300 <= status < 400:
        return ModelError(
            f"Model {name!r} answered with a redirect ({status}), which is never followed; write "
            "the final address as its base_url in models.toml."
        )
    sentence = (
        f"Model {name!r} refused the request ({status}){_quoted(said)}; {_WAYS.get(status, _LOOK)}."
    )
    return RefusedRequest(sentence) if status in (400, 404, 422) else ModelError(sentence)


def busy(name: str, status: int, wait: str) -> ModelError:
    """The error of a status 429 or 5xx; `wait` is its Retry-After, empty where it sent none."""
    asks = f" and asks to wait {_seconds(wait)}" if wait else ""
    happened = "has no capacity for now" if status == 429 else "failed on its own side"
    return ModelError(
        f"Model {name!r} {happened} ({status}){asks}; try again later, or choose another model."
    )


def timed_out(name: str, seconds: float) -> ModelError:
    """The error of a call that did not end within its deadline."""
    return ModelError(
        f"Model {name!r} timed out after {seconds:g} s; try again, choose a faster model, or raise "
        "its deadline_seconds in models.toml."
    )


def unreachable(name: str, how: str) -> ModelError:
    """The error of a connection that failed; `how` is e.g. 'refused the connection'."""
    return ModelError(
        f"Model {name!r} {how}; check that its server is running and that its base_url in "
        "models.toml is right."
    )


def connection_failure(failure: BaseException) -> str:
    """How a connection failed, from whatever the exception was caused by."""
    seen: BaseException | None = failure
    while seen is not None:
        for kind, words in _CONNECTION:
            if isinstance(seen, kind):
                return words
        seen = seen.__cause__ or seen.__context__
    return "closed the connection before it answered"


def cut(name: str) -> ModelError:
    """The error of a stream that ended before the model said it was done."""
    return ModelError(
        f"Model {name!r} broke off in the middle of its reply; try again, and look at the server's "
        "log if it happens again."
    )


def broken(name: str, said: str) -> ModelError:
    """The error of a server that reports an error in the middle of a reply."""
    return ModelError(
        f"Model {name!r} reported an error while it was writing{_quoted(said)}; try again, and "
        "look at the server's log if it happens again."
    )


def garbage(name: str, what: str) -> ModelError:
    """The error of an answer that is no stream of events; `what` was sent, e.g. 'a web page'."""
    return ModelError(
        f"Model {name!r} answered with {what} instead of a reply; check that its base_url in "
        "models.toml is an OpenAI-compatible address (most end in /v1)."
    )


def empty(name: str, thought: bool) -> ModelError:
    """The error of a reply without a word; `thought` says whether there was reasoning."""
    if thought:
        return ModelError(
            f"Model {name!r} spent its whole reply on reasoning; allow it more tokens, or choose "
            "a model that reasons less."
        )
    return ModelError(f"Model {name!r} gave an empty reply; try again, or choose another model.")


def withheld(name: str) -> ModelError:
    """The error of a reply that the server's content filter took away."""
    return ModelError(
        f"Model {name!r} withheld its reply (content filter); say it otherwise, or choose another "
        "model."
    )


def leaked_reasoning(name: str) -> ModelError:
    """The error of reasoning written into the reply without the mark that begins it."""
    return ModelError(
        f"Model {name!r} writes its reasoning into the reply without marking where it begins; "
        "start its server with a reasoning parser, or choose another model."
    )


def unreadable(name: str, complaint: str, raw: str, *, cut: bool = False) -> UnreadableAnswer:
    """The error of an answer that is not in the form, also after one repair."""
    return UnreadableAnswer(
        f"Model {name!r} did not answer in the form asked for, also after one repair "
        f"({' '.join(complaint.split())[:_SAID]}); try again, or choose another model.",
        raw,
        cut=cut,
    )


_CONNECTION: tuple[tuple[type[BaseException], str], ...] = (
    (ConnectionRefusedError, "refused the connection"),
    (socket.gaierror, "has a host name that cannot be found"),
    (ssl.SSLError, "has no trusted secure connection"),
    (TimeoutError, "did not accept a connection in time"),
    (ConnectionError, "closed the connection before it answered"),
    (OSError, "could not be reached"),
)
_LOOK = "look at the server's log"
_WAYS = {
    404: "check its model and base_url in models.toml",
    405: "check its base_url in models.toml",
    413: "shorten the talk or inject fewer entries",
}


def _quoted(said: str) -> str:
    words = " ".join(said.split())
    if not words:
        return ""
    return f", saying: {words[:_SAID]}{'...' if len(words) > _SAID else ''}".rstrip(".;, ")


def _seconds(wait: str) -> str:
    """What a Retry-After header asks, as words; it is a stranger's text."""
    return f"{int(wait)} s" if wait.isascii() and wait.isdigit() and len(wait) < 9 else "a while"

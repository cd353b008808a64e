"""What goes wrong on the page: one sentence where it is no bug, loud everywhere else."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from html import escape
from typing import Any, TypeVar

import gradio as gr

from sandbox.api import DOMAIN_ERRORS
from sandbox.sentences import sentence

F = TypeVar("F", bound=Callable[..., Any])


def told(handler: F) -> F:
    """`handler` with the errors that are for people shown as their sentence.

    Gradio shows messages as HTML, and sentences quote what people typed: they are escaped.
    """
    if inspect.isgeneratorfunction(handler):

        @wraps(handler)
        def steps(*args: Any, **kwargs: Any) -> Iterator[Any]:
            with _sentences():
                yield from handler(*args, **kwargs)

        return steps  # type: ignore[return-value]  # wraps keeps the signature

    @wraps(handler)
    def once(*args: Any, **kwargs: Any) -> Any:
        with _sentences():
            return handler(*args, **kwargs)

    return once  # type: ignore[return-value]  # wraps keeps the signature


def inform(sentence: str) -> None:
    """Show a sentence for a moment, as text."""
    gr.Info(escape(sentence), duration=5)


@contextmanager
def _sentences() -> Iterator[None]:
    try:
        yield
    except DOMAIN_ERRORS as error:
        raise gr.Error(escape(sentence(error)), duration=8, print_exception=False) from error

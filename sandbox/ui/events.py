"""How a tab's events are wired: named, private, without a veil, with errors as sentences."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import gradio as gr

from sandbox.ui.troubles import told

AT_ONCE = 8
"""How many events of one kind run side by side; Gradio's default is one."""

Event = Any
Updates = dict[Any, Any]
"""Component to its new value or `gr.update`."""
Mode = Literal["once", "multiple", "always_last"]


def on(
    trigger: Any,
    act: Callable[..., Any],
    inputs: Sequence[Any] = (),
    outputs: Sequence[Any] = (),
    mode: Mode = "once",
) -> Event:
    """Call `act` when `trigger` happens."""
    return gr.on(trigger, told(act), list(inputs), list(outputs), trigger_mode=mode, **named(act))


def then(
    before: Event, act: Callable[..., Any], inputs: Sequence[Any], outputs: Sequence[Any]
) -> Event:
    """Call `act` after `before` did what it should; not after an error."""
    settings = named(act) | {"trigger_mode": "always_last"}
    return before.then(told(act), list(inputs), list(outputs), **settings)


def script(before: Event, js: str, inputs: Sequence[Any], outputs: Sequence[Any] = ()) -> Event:
    """Run the page's own `js` after `before` did what it should."""
    return before.then(None, list(inputs), list(outputs), js=js, api_visibility="private")


def named(act: Callable[..., Any]) -> dict[str, Any]:
    """What every event of the tabs has."""
    owner = type(getattr(act, "__self__", None)).__name__.lower()
    return _event(f"{owner}_{act.__name__}", AT_ONCE)


def page_event(act: Callable[..., Any], limit: int = AT_ONCE) -> dict[str, Any]:
    """What every event of the chat and what stands beside it has."""
    return _event(act.__name__, limit)


def ways_on(before: Event, failed: bool) -> list[Callable[..., Event]]:
    """When to go on; `failed`: also after an error. What `then` begins waits for none."""
    return [before.then, before.failure] if failed else [before.then]


def _event(name: str, limit: int) -> dict[str, Any]:
    """A name, no place in the API, no veil, room for many."""
    return {
        "api_name": name,
        "api_visibility": "private",
        "show_progress": "hidden",
        "concurrency_id": f"page {name}",
        "concurrency_limit": limit,
    }

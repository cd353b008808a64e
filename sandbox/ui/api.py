"""The API's endpoints: typed for the documentation, checked and answered by `sandbox.api`."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import gradio as gr
from gradio.events import api as add

from sandbox import api
from sandbox.assemble import Sandbox
from sandbox.sentences import sentence

AT_ONCE = 8
"""How many calls of one endpoint run side by side; Gradio's default is one."""


def add_api(sandbox: Sandbox, account: str) -> None:
    """Add `/chat`, `/end_session`, `/bank` and `/evaluate` to the page that is being laid out."""

    def chat(
        user: str,
        persona: str,
        text: str,
        session_id: str | None = None,
        strategy: str = "top_k",
        model: str | None = None,
        now: str | None = None,
        method: str | None = None,
    ) -> dict[str, Any]:
        """Say `text` to the character `persona` as `user`, and wait for the saved reply.

        Without session_id a session is opened, with `now` (ISO 8601 with an offset) as its clock;
        in one that is there, `now` is the time of this turn. `method` ("typed", the default one,
        "agent_only" or "raw_turns") says how a session that is opened is remembered. Returns
        {session_id, turn_id, reply_id, reply, recalled, injected}; a recalled entry has {id, type,
        side, text, anchor, emotion, scene, scores, injected, why}; `injected` is in the order of
        the prompt.
        """
        with sentences():
            return api.chat(
                sandbox,
                account,
                user=user,
                persona=persona,
                text=text,
                session_id=session_id,
                strategy=strategy,
                model=model,
                now=now,
                method=method,
            )

    def end_session(session_id: str, approve: Literal["none", "all"] = "none") -> dict[str, Any]:
        """End a session and capture it; approve "all" decides on every open proposal as proposed.

        Twice is once; a capture that could not be made is tried again. Returns {session_id,
        status, captured, refused, notes, proposals, operations}.
        """
        with sentences():
            return api.end_session(sandbox, account, session_id=session_id, approve=approve)

    def bank(user: str, persona: str) -> list[Any]:
        """List the live entries of the bank that `user` and the character `persona` share.

        An entry has {id, type, side, text, anchor, emotion, scene, author, provenance, added}.
        """
        with sentences():
            return api.bank(sandbox, account, user=user, persona=persona)

    def evaluate(reply_id: str, judge: str = "local") -> dict[str, Any]:
        """Have a judge ("local", "file" or "llm:MODEL") judge the saved reply `reply_id`.

        Returns {reply_id, verdict_id, judge, version, scenario, entries, miq, situation, aspects,
        figures, warnings, corrections, calls, seconds, not_judged}; `figures` has the same numbers
        over the whole `pool` and over what was `injected`.
        """
        with sentences():
            return api.evaluate(sandbox, account, reply_id=reply_id, judge=judge)

    for ask in (chat, end_session, bank, evaluate):
        name = ask.__name__
        add(ask, api_name=name, concurrency_id=f"api {name}", concurrency_limit=AT_ONCE)


@contextmanager
def sentences() -> Iterator[None]:
    """Hand what is no bug to the caller as its sentence; a bug stays loud here and mute there."""
    try:
        yield
    except api.DOMAIN_ERRORS as error:
        raise gr.Error(sentence(error), print_exception=False) from error

"""What a streaming update and a large bank cost the server: `python -m tests.benchmarks.streaming`.

One session of 400 turns in which a reply of 2,000 characters is being written, and a bank of 5,000
entries. `update` is all that one more piece of the reply costs between the model and the wire: the
view, the framework's own work on it, and its JSON; it is compared with the same in a session of
one turn. `first` is the update that also shows the talk as it is. `refresh` is the whole screen
after a reply, `open the bank` the search that shows the newest entries of the bank.
`cpu` is the processor's time alone: where others use the machine too, read that and the ratios.
"""

import argparse
import asyncio
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import gradio as gr
import numpy as np
import orjson
from gradio.state_holder import SessionState

from memory_banks.embedding import HashedWords
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox, assemble
from sandbox.folder import Layout
from sandbox.live import Progress
from sandbox.models import Models
from sandbox.settings import Settings
from sandbox.transcripts import Session
from sandbox.ui.bank_views import Asked
from sandbox.ui.chat_views import growing
from sandbox.ui.page import build_page
from tests.benchmarks.turn_overhead import TimedEmbedder, fill, text_of
from tests.fakes import NOW
from tests.scripted_model import ScriptedModel

PERSONA = "walid-qutami"
REPLY = "He waits at the side gate, which is ninety centimetres wide. " * 34
Call = Callable[[], object]


@dataclass(frozen=True)
class Row:
    """One line of the table, times in milliseconds."""

    name: str
    taken: list[float]
    worked: list[float]
    """Of the processor alone."""

    def text(self, reference: float) -> str:
        p50, p95 = np.percentile(self.taken, [50, 95])
        work50, work95 = np.percentile(self.worked, [50, 95])
        times = "".join(f"{number:>9.1f}" for number in (p50, p95, work50, work95))
        return f"{self.name:<40}{times}{work50 / reference:>9.1f}"


class Page:
    """The page's own handlers, called as its server calls them."""

    def __init__(self, sandbox: Sandbox) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._page = build_page(sandbox)
        self._fns = {fn.api_name: fn for fn in self._page.fns.values()}
        self._tab = SessionState(self._page)
        self._loop = asyncio.new_event_loop()

    def call(self, name: str, *inputs: object) -> Any:
        """What the handler `name` returns or yields first, and its way to the wire."""
        return self.sent(name, self._fns[name].fn(*inputs))

    def sent(self, name: str, updates: Any) -> bytes:
        """Updates as the framework puts them on the wire."""
        given = updates if isinstance(updates, dict) else next(iter(updates))
        shown = self._page.postprocess_data(self._fns[name], given, self._tab)
        data = self._loop.run_until_complete(shown)
        return orjson.dumps(data, option=orjson.OPT_SERIALIZE_NUMPY, default=str)

    def _component(self, elem_id: str) -> Any:
        blocks = self._page.blocks.values()
        return next(one for one in blocks if getattr(one, "elem_id", None) == elem_id)

    def close(self) -> None:
        """Close what runs the framework's part."""
        self._loop.close()

    def piece(self, session: Session, now: Progress) -> dict[Any, Any]:
        """The update that shows one more piece of a reply."""
        live = self._component("live")
        return {live: growing(session, now).markup}

    def following(self, session: str) -> Iterable[Any]:
        """The updates of a reply that is being written."""
        return self._fns["follow"].fn(session, PERSONA, "", "", 30)


def timed(name: str, runs: int, call: Call) -> Row:
    """`call` some times, after two that do not count."""
    taken, worked = [], []
    for number in range(runs + 2):
        start, work = time.perf_counter(), time.thread_time()
        call()
        if number >= 2:
            taken.append((time.perf_counter() - start) * 1000)
            worked.append((time.thread_time() - work) * 1000)
    return Row(name, taken, worked)


def talked(sandbox: Sandbox, turns: int, user: str) -> str:
    """A session of so many turns."""
    session = sandbox.sessions.open(ACCOUNT, user, PERSONA, strategy="no_memory")
    for turn in range(turns):
        sandbox.conversation.ask(ACCOUNT, session.id, text_of(turn))
    return session.id


def streaming(sandbox: Sandbox, page: Page, session: str, pace: threading.Event) -> list[Row]:
    """The updates while a reply is being written in the session."""
    pace.clear()
    live = sandbox.conversation.send(ACCOUNT, session, "Which address?")
    turns = len(sandbox.sessions.transcript(ACCOUNT, session).turns)
    found = sandbox.sessions.find(ACCOUNT, session)
    now = replace(live.now, text=REPLY)
    rows = [
        timed(
            f"update, {turns} turns",
            200,
            lambda: page.sent("follow", page.piece(found, now)),
        ),
        timed(f"first, {turns} turns", 20, lambda: page.sent("follow", page.following(session))),
    ]
    pace.set()
    live.wait(10)
    return rows


def screens(page: Page, session: str, user: str, name: str) -> list[Row]:
    """The whole screen, and the bank alone."""
    wanted = Asked()
    asked = ("", "", "", wanted.state, "", wanted.rows, "")
    who = (session, PERSONA, user)
    return [
        timed(f"refresh, {name}", 10, lambda: page.call("refresh", *who, "", 30, "", *asked)),
        timed(f"open the bank, {name}", 20, lambda: page.call("find", *who, *asked)),
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=400)
    parser.add_argument("--entries", type=int, default=5_000)
    arguments = parser.parse_args()
    pace = threading.Event()
    pace.set()
    with tempfile.TemporaryDirectory() as folder:
        sandbox = assemble(
            Settings(data_dir=Path(folder)),
            Layout(Path(folder)),
            {},
            clock=lambda: NOW,
            load_embedder=HashedWords,
            models=Models(ready=[ScriptedModel(play=lambda asked: REPLY[:200], pause=pace)]),
        )
        page = Page(sandbox)
        fill(sandbox, TimedEmbedder(), "holder", arguments.entries)
        short, long = talked(sandbox, 1, "Short"), talked(sandbox, arguments.turns, "Long")
        rows = [
            *streaming(sandbox, page, short, pace),
            *streaming(sandbox, page, long, pace),
            *screens(page, short, "", "2 turns, no entry"),
            *screens(page, long, "", f"{arguments.turns + 1} turns, no entry"),
            *screens(page, "", "holder", f"{arguments.entries:,} entries"),
        ]
        page.close()
        sandbox.close()
    reference = float(np.median(rows[0].worked))
    print(f"gradio {gr.__version__}; the reference is the first line")
    heads = ("p50 ms", "p95 ms", "cpu p50", "cpu p95", "ratio")
    print(f"{'':<40}{''.join(f'{head:>9}' for head in heads)}")
    for row in rows:
        print(row.text(reference))


if __name__ == "__main__":
    main()

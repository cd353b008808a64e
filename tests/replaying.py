"""A MADial-like dialogue with a run, for the tests of replays."""

from typing import Any

from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.replay.replayed import Replayed
from sandbox.transcripts import Session
from tests.madial import Files, dialogue, lines, small

RANKING = {
    "test-turn": [4, 6],
    "relevant-id": [7, 2],
    "user-id": 1,
    "top-20-ids": [3, 2, 5, 7, 1, 4],
    "bottom-10-ids": [8, 6, 7, 4, 1],
}
LONGER = dialogue(
    dialogue=[
        "<BOD>\n",
        '<Bart>: "The loom broke."\n',
        '<Assistant>: "You mended one in May."\n',
        '<Bart>: "True!"\n',
        '<Assistant>: "Was it hard?"\n',
        '<Bart>: "No."\n',
        '<Assistant>: "Then do it again."\n',
        '<Bart>: "And now?"\n',
        '<Assistant>: "Now rest."\n',
        "<EOD>\n",
    ],
    test_turn=[2, 6, 8],
)
"""Three stops; an exchange stands between the first and the second."""


def with_run() -> Files:
    """Two stops, and what a run ranked for them."""
    return small(openai_top_20_bottom=lines(RANKING))


def replay(sandbox: Sandbox, files: Files, replayed: Replayed, **how: Any) -> Session:
    """The files' dialogue 0, opened as a replay."""
    found = sandbox.instances.add(ACCOUNT, files)
    return sandbox.replays.open(ACCOUNT, found.sha256, "0", replayed, **how)

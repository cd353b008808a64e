"""One fixed hour with the sandbox, which can be cut anywhere and taken up again.

Every step looks at the record first, so that running the script again after a crash goes on where
it stopped. What the sandbox acknowledged is written, synced, to a log outside the data folder.
"""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_banks.embedding import HashedWords
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox, assemble
from sandbox.edits import Edit
from sandbox.folder import DataFolder, open_folder
from sandbox.models import Models
from sandbox.record import Watch, unwatched
from sandbox.settings import Settings
from sandbox.transcripts import Session
from tests.fakes import NOW, LastWord
from tests.scripted_model import Asked, ScriptedModel

USER, PERSONA = "Noor", "walid-qutami"
TALK = {
    1: [("I moved to Tallinn.", "Tallinn it is."), ("Answer in metric.", "Metric from now on.")],
    2: [("What do you know?", "You moved, and I answer in metric.")],
}
CAPTURES = {
    1: [
        {"utterance": 1, "type": "fact", "text": "Noor moved to Tallinn."},
        {"utterance": 4, "type": "agent_identity", "text": "Walid answers Noor in metric."},
        {"utterance": 2, "type": "episodic", "text": "Walid repeated the name of Tallinn."},
    ],
    2: [
        {"utterance": 2, "type": "agent_identity", "text": "Walid answers in metric, and says so."}
    ],
}
STRANGER = "Omar Haddad"
STRANGERS_TALK = ("I am a diver by trade.", "Deep water, then.")
"""Of the second part: see `kill_life`."""
STRANGERS = [{"utterance": 1, "type": "fact", "text": "Omar Haddad dives at night."}]


@dataclass(frozen=True)
class Ack:
    """The log of what was acknowledged."""

    path: Path

    def write(self, kind: str, *what: str) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([kind, *what]) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def read(self) -> list[list[str]]:
        if not self.path.exists():
            return []
        return [json.loads(line) for line in self.path.read_text("utf-8").splitlines()]


def run(
    folder: Path,
    ack: Ack,
    watch: Watch = unwatched,
    at_token: Callable[[], None] | None = None,
) -> None:
    """Run the script from wherever the folder stands to its end."""
    with open_folder(folder) as layout:
        sandbox = assembled(layout, watch, at_token)
        for number in TALK:
            _session(sandbox, ack, number)
        _by_hand(sandbox, ack)
        _judge(sandbox, ack)
        sandbox.close()


def assembled(layout: DataFolder, watch: Watch, at_token: Callable[[], None] | None) -> Sandbox:
    return assemble(
        Settings(data_dir=layout.root),
        layout,
        {},
        clock=lambda: NOW,
        load_embedder=HashedWords,
        load_judge=LastWord,
        models=scripted(at_token),
        watch=watch,
    )


def _session(sandbox: Sandbox, ack: Ack, number: int) -> None:
    session = find(sandbox, number) or sandbox.sessions.open(
        ACCOUNT, USER, PERSONA, clock=_clock(number)
    )
    ack.write("session", session.id)
    if session.ended_at is None:
        _talk(sandbox, ack, session, number)
    remembered = sandbox.remembering.end(ACCOUNT, session.id)
    ack.write("ended", session.id)
    for proposal in remembered.undecided:
        _decide(sandbox, ack, proposal.id, proposal.entry.text)
    assert not sandbox.remembering.outcome(ACCOUNT, session.id).undecided


def _talk(sandbox: Sandbox, ack: Ack, session: Session, number: int) -> None:
    for text, _reply in TALK[number]:
        turns = sandbox.sessions.transcript(ACCOUNT, session.id).turns
        if any(turn.text == text and turn.reply for turn in turns):
            continue
        reply = sandbox.conversation.ask(ACCOUNT, session.id, text)
        ack.write("reply", reply.line.id, reply.line.text)


def _decide(sandbox: Sandbox, ack: Ack, proposal: str, text: str) -> None:
    if "repeated" in text:
        sandbox.remembering.decide(ACCOUNT, proposal, "rejected")
    elif text == CAPTURES[1][1]["text"]:
        edit = Edit("agent_identity", "Walid always answers Noor in metric.")
        sandbox.remembering.decide(ACCOUNT, proposal, "approved", edit)
    else:
        sandbox.remembering.decide(ACCOUNT, proposal, "approved")
    ack.write("decided", proposal)


def _by_hand(sandbox: Sandbox, ack: Ack) -> None:
    session = find(sandbox, 1)
    assert session is not None
    edit = Edit("episodic", "Noor told Walid of Tallinn.")
    sandbox.banks.remember(ACCOUNT, f"{session.id}-1", edit, draft="by-hand")
    ack.write("by hand", "Noor told Walid of Tallinn.")


def _judge(sandbox: Sandbox, ack: Ack) -> None:
    """Have the last reply judged, and correct its score."""
    session = find(sandbox, 2)
    assert session is not None
    reply = sandbox.sessions.transcript(ACCOUNT, session.id).turns[-1].chosen or ""
    found = sandbox.evaluating.evaluate(ACCOUNT, reply, "local")
    ack.write("judged", reply)
    [judged] = found.judged
    if not judged.corrections:
        sandbox.evaluating.correct(
            ACCOUNT, reply, "miq", "2", verdict=judged.kept.id, reason="It only lists."
        )
    ack.write("corrected", reply)


def _judged(sandbox: Sandbox, reply: str | None) -> list[str]:
    found = sandbox.evaluating.evaluation(ACCOUNT, reply) if reply else None
    return [
        f"{one.kept.verdict.judge}: MIQ {one.verdict.miq.score}, {len(one.corrections)} changed"
        for one in (found.judged if found else ())
    ]


def find(sandbox: Sandbox, number: int) -> Session | None:
    """The script's session of this number: its clock names it."""
    found = sandbox.sessions.list(ACCOUNT, USER, PERSONA)
    return next((one.session for one in found if one.session.clock == _clock(number)), None)


def _clock(number: int) -> str:
    return f"2026-03-{number:02d}T11:05:00+00:00"


def scripted(at_token: Callable[[], None] | None = None) -> Models:
    """A model that plays the script, and calls `at_token` before every word."""
    replies = dict([*(one for talk in TALK.values() for one in talk), STRANGERS_TALK])
    rule = CAPTURES[1][1]["text"]

    def play(asked: Asked) -> Any:
        form = asked.form.__name__ if asked.form else None
        if form == "CaptureForm":
            if STRANGERS_TALK[0] in asked.said:
                return {"entries": STRANGERS}
            return {"entries": CAPTURES[1 if TALK[1][0][0] in asked.said else 2]}
        if form == "UpdateForm":
            held = asked.said.split("New entries:")[0]
            number = next(
                (line.split(".")[0] for line in held.splitlines() if rule[:5] in line), "0"
            )
            return {"changes": [{"new": 1, "held": [int(number)], "reason": "Says more."}]}
        return next(reply for text, reply in replies.items() if text in asked.said)

    return Models(ready=[ScriptedModel(play=play, at_piece=at_token)])


def facts(folder: Path) -> dict[str, list[str]]:
    """What the folder holds, without ids: the same for every run of the script."""
    with open_folder(folder) as layout:
        sandbox = assembled(layout, unwatched, None)
        bank = sandbox.banks.view(ACCOUNT, USER, PERSONA)
        turns = [
            turn
            for summary in sandbox.sessions.list(ACCOUNT, USER, PERSONA)
            for turn in sandbox.sessions.transcript(ACCOUNT, summary.session.id).turns
        ]
        talks = [f"{one.text} -> {one.reply.text if one.reply else None}" for one in turns]
        judged = [line for one in turns for line in _judged(sandbox, one.chosen)]
        sandbox.close()
    return {
        "bank": sorted(f"{e.type} {e.scope.side} {e.text}" for e in bank.live),
        "talk": sorted(talks),
        "revision": [str(bank.head)],
        "judged": judged,
    }

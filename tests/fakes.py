"""Parts that stand in for slow or outside ones, and a sandbox made of them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from memory_banks.embedding import HashedWords
from sandbox.assemble import Sandbox, assemble
from sandbox.folder import Layout
from sandbox.judges.case import Case
from sandbox.judges.registry import AspectJudge
from sandbox.judges.verdict import EntryVerdict, Miq, RoleProposal, Span, Verdict
from sandbox.models import Models
from sandbox.record import Watch, unwatched
from sandbox.settings import Settings
from tests.scripted_model import Asked, Play, ScriptedModel

NOW = datetime(2026, 3, 26, 11, 5, tzinfo=UTC)


@dataclass
class Script:
    """What a scripted model says: replies by what was asked, and one capture a session."""

    replies: dict[str, str] = field(default_factory=dict)
    """Part of the person's words -> the reply; anything else is answered with "I see."."""
    captures: list[dict[str, Any] | str] = field(default_factory=list)
    """The answers to capture questions, in order; then nothing is found."""
    updates: list[dict[str, Any] | str] = field(default_factory=list)

    def play(self, asked: Asked) -> Any:
        form = asked.form.__name__ if asked.form else None
        if form == "CaptureForm":
            return self.captures.pop(0) if self.captures else {"entries": []}
        if form == "UpdateForm":
            return self.updates.pop(0) if self.updates else {"changes": []}
        return next((reply for part, reply in self.replies.items() if part in asked.said), "I see.")


def fake_sandbox(
    folder: Path,
    play: Play,
    *,
    clock: Callable[[], datetime] = lambda: NOW,
    watch: Watch = unwatched,
    load_judge: Callable[[], AspectJudge] | None = None,
    url: str | None = None,
    **model: Any,
) -> Sandbox:
    """A sandbox on `folder` with a scripted model and hashed words for an embedder."""
    folder.mkdir(parents=True, exist_ok=True)
    return assemble(
        Settings(data_dir=folder, database_url=SecretStr(url) if url else None),
        Layout(folder),
        {},
        clock=clock,
        load_embedder=HashedWords,
        load_judge=load_judge,
        models=Models(ready=[ScriptedModel(play=play, **model)]),
        watch=watch,
    )


def scripted(sandbox: Sandbox) -> ScriptedModel:
    """The scripted model of a fake sandbox."""
    model = sandbox.models.get(None)
    assert isinstance(model, ScriptedModel)
    return model


class LastWord:
    """A judge by one rule: an entry whose last word the reply has is used."""

    name = "local"
    version = "1"

    def judge(self, case: Case, aspects: object = ()) -> Verdict:
        entries = []
        for item in case.pool:
            word = item.text.rstrip(".").split()[-1]
            start = case.reply.find(word)
            if start < 0:
                entries.append(EntryVerdict(item.id, "not used"))
            else:
                spans = (Span(start, start + len(word)),)
                entries.append(EntryVerdict(item.id, "used", spans=spans))
        used = any(one.usage == "used" for one in entries)
        miq = Miq(4.0, "Fine.") if used else Miq(None, "Nothing is used.")
        roles = {
            item.id: RoleProposal("irr", {"must": 0.1, "nice": 0.2, "irr": 0.7})
            for item in case.pool
        }
        return Verdict("local", self.version, tuple(entries), miq, roles=roles)

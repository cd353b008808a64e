"""A sandbox with a script, in which sessions are held and ended."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from graphs.chat_model import ModelError
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.lifecycle.remembering import Remembered
from sandbox.transcripts import Session
from tests.fakes import Script, fake_sandbox

WALID, SKERRY = "walid-qutami", "skerry"


class Bench:
    """A sandbox with a script, and two things said in a session."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.script = Script()
        self.trouble: ModelError | None = None
        self.sandbox: Sandbox = fake_sandbox(folder, self._play)

    def _play(self, asked: Any) -> Any:
        return self.trouble or self.script.play(asked)

    def restart(self) -> None:
        self.sandbox.close()
        self.sandbox = fake_sandbox(self.folder, self._play)

    def talk(
        self, *texts: str, user: str = "Noor", persona: str = WALID, **settings: Any
    ) -> Session:
        """A session in which these texts were said, each with its reply."""
        session = self.sandbox.sessions.open(ACCOUNT, user, persona, **settings)
        for text in texts or ("I moved to Tallinn.", "Answer in metric from now on."):
            self.sandbox.conversation.ask(ACCOUNT, session.id, text)
        return session

    def end(
        self,
        session: Session,
        *items: dict[str, Any],
        approve: str = "none",
        forget: Sequence[dict[str, Any]] = (),
    ) -> Remembered:
        """End the session, in which the model finds `items`."""
        self.script.captures.append({"entries": list(items), "forget": list(forget)})
        return self.sandbox.remembering.end(ACCOUNT, session.id, approve)  # type: ignore[arg-type]

    def texts(self, user: str = "Noor", persona: str = WALID) -> list[str]:
        """What the bank says."""
        return [text for _type, _side, text in self.bank(user, persona)]

    def bank(self, user: str = "Noor", persona: str = WALID) -> list[tuple[str, str, str]]:
        live = self.sandbox.banks.view(ACCOUNT, user, persona).live
        return [(entry.type, entry.scope.side, entry.text) for entry in live]

    def head(self) -> int:
        return self.sandbox.banks.view(ACCOUNT, "Noor", WALID).head

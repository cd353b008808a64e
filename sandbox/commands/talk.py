"""The talk that `chat` holds, and the terminal it is held in. Much to load."""

import sys

import typer
from rich.console import Console

from memory_banks.captures import Proposal
from sandbox.account import ACCOUNT
from sandbox.api import remembered_fields, session_at
from sandbox.arguments import Where
from sandbox.assemble import Sandbox
from sandbox.clock import parse_time
from sandbox.commands.output import progress, shown
from sandbox.edits import Edit
from sandbox.inputs import BadInput
from sandbox.lifecycle.remembering import CapturePending, Remembered
from sandbox.live import LiveReply
from sandbox.shapes import Plain

_FOLLOW = 0.05
_QUESTION = "approve, edit, reject or later? [a/e/r/l] "
_HELP = "/end ends the session, /retry asks again, Ctrl-C stops a reply, Ctrl-D leaves."


class Terminal:
    """Where the talk is held: a person at a terminal, or lines from a pipe."""

    def __init__(self, *, quiet: bool) -> None:
        """With `quiet`, everything goes to standard error."""
        self._stream = typer.get_text_stream("stdin", encoding="utf-8", errors="surrogateescape")
        self._quiet = quiet
        self._console = Console(stderr=quiet, highlight=False, emoji=False, markup=False)
        self.person = self._stream.isatty()
        if self.person:
            _edit_lines()

    def ask(self, prompt: str) -> str | None:
        """The next line, without its end; null at the end of all or at Ctrl-C."""
        try:
            if self.person and not self._quiet:
                return input(prompt)
            if self.person:
                self.write(prompt)
            line = self._stream.readline()
        except (EOFError, KeyboardInterrupt):
            self.line()
            return None
        return line.rstrip("\r\n") if line else None

    def write(self, text: str, style: str | None = None) -> None:
        """Show a piece of a line."""
        self._console.out(shown(text), style=style, end="", highlight=False)

    def line(self, text: str = "", style: str | None = None) -> None:
        """Show a line, or end the one that was begun."""
        self._console.out(shown(text), style=style, highlight=False)


class Talk:
    """One session, talked in until its end or until the person leaves."""

    def __init__(self, sandbox: Sandbox, where: Where, terminal: Terminal) -> None:
        self.trouble: str | None = None
        """Why the last thing asked for was not done; null if it was."""
        self._sandbox = sandbox
        self._terminal = terminal
        self._at = None if where.now is None else parse_time(where.now, "now")
        self._session = session_at(sandbox, ACCOUNT, where)
        self._turns: list[Plain] = []
        self._ended: Plain | None = None

    def run(self) -> None:
        """Talk until `/end`, the last line, or a trouble that nobody is there to decide on."""
        self._sandbox.start()
        self._greet()
        while (line := self._terminal.ask(f"{self._session.speaker}: ")) is not None:
            text = line.strip()
            if text == "/end":
                self._end()
                return
            if text == "/retry":
                self._retry()
            elif text:
                self._say(text)
            if self.trouble and not self._terminal.person:
                return
        progress(f"session {self._session.id} stays open; go on with --session {self._session.id}")

    def result(self) -> Plain:
        """The talk as plain values."""
        return {
            "session_id": self._session.id,
            "turns": self._turns,
            "ended": self._ended,
            "trouble": self.trouble,
        }

    def _greet(self) -> None:
        persona = self._session.persona
        progress(f"session {self._session.id} with {persona.name}. {_HELP}")
        whole = self._sandbox.sessions.transcript(ACCOUNT, self._session.id)
        if persona.greeting and not whole.turns:
            self._terminal.line(f"{persona.name}: {persona.greeting}")
        if whole.open_turn:
            progress(f"this message has no reply yet, /retry asks again: {whole.open_turn.text}")

    def _say(self, text: str) -> None:
        try:
            live = self._sandbox.conversation.send(ACCOUNT, self._session.id, text, at=self._at)
        except BadInput as error:
            self._failed(str(error))
            return
        self._follow(text, live)

    def _retry(self) -> None:
        whole = self._sandbox.sessions.transcript(ACCOUNT, self._session.id)
        if not whole.turns:
            self._failed("There is no turn to reply to yet: say something first.")
            return
        turn = whole.turns[-1]
        self._follow(turn.text, self._sandbox.conversation.retry(ACCOUNT, turn.id))

    def _follow(self, text: str, live: LiveReply) -> None:
        """Show the reply as it grows; Ctrl-C stops it, and what there is was saved."""
        self._terminal.write(f"{self._session.persona.name}: ", style="bold")
        written = 0
        while True:
            try:
                for now in live.follow(_FOLLOW):
                    told = now.text.lstrip()
                    self._terminal.write(told[written:])
                    written = len(told)
                break
            except KeyboardInterrupt:
                self._sandbox.conversation.stop(ACCOUNT, self._session.id)
        self._terminal.line()
        end = live.now
        self.trouble = None
        if end.reply is None:
            self._failed(end.trouble or "There is no reply.")
        line = {"turn_id": end.turn, "reply_id": end.reply, "text": text}
        self._turns.append(line | {"reply": end.text if end.reply else None})

    def _end(self) -> None:
        """End the session, then ask about every proposal."""
        progress("the session is ended; looking for what to remember")
        try:
            remembered = self._sandbox.remembering.end(ACCOUNT, self._session.id)
            for proposal in remembered.undecided:
                if not self._decided(proposal):
                    break
        except CapturePending as error:
            self._failed(str(error))
        except KeyboardInterrupt:
            self._failed("The capture was interrupted: end the session again to retry.")
        remembered = self._sandbox.remembering.outcome(ACCOUNT, self._session.id)
        self._ended = remembered_fields(self._sandbox, ACCOUNT, remembered)
        self._sum_up(remembered)

    def _decided(self, proposal: Proposal) -> bool:
        """Ask until the proposal is decided on or left for later; false where nobody answers."""
        if entry := proposal.entry:
            told = ", ".join(part for part in (entry.type, entry.scope.side, entry.anchor) if part)
            self._terminal.line(f"+ {entry.text}  [{told}]")
        if proposal.doubt:
            self._terminal.line(f"? {proposal.doubt}")
        for replaced in self._replaced(proposal):
            self._terminal.line(f"- {replaced}")
        while (answer := self._terminal.ask(_QUESTION)) is not None:
            if self._decide(proposal, answer.strip().lower()):
                return True
        return False

    def _decide(self, proposal: Proposal, answer: str) -> bool:
        """Carry out an answer; false for one that says nothing or cannot be taken."""
        decide = self._sandbox.remembering.decide
        if answer in ("a", "approve"):
            decide(ACCOUNT, proposal.id, "approved")
        elif answer in ("r", "reject"):
            decide(ACCOUNT, proposal.id, "rejected")
        elif answer in ("e", "edit"):
            return self._edited(proposal)
        else:
            return answer in ("l", "later")
        return True

    def _edited(self, proposal: Proposal) -> bool:
        entry = proposal.entry
        text = self._terminal.ask("as: ") if entry else None
        if not entry or not text or not text.strip():
            return False
        edit = Edit(entry.type, text, entry.anchor, entry.emotion, entry.scene)
        try:
            self._sandbox.remembering.decide(ACCOUNT, proposal.id, "approved", edit)
        except BadInput as error:
            progress(str(error))
            return False
        return True

    def _replaced(self, proposal: Proposal) -> list[str]:
        states = self._sandbox.banks.view(
            ACCOUNT, self._session.speaker, self._session.agent
        ).states
        return [state.entry.text for state in states if state.entry.id in proposal.deletes]

    def _sum_up(self, remembered: Remembered) -> None:
        for note in remembered.capture.notes:
            progress(note)
        progress(
            f"{remembered.captured} captured, {len(remembered.operations)} operations written, "
            f"{len(remembered.undecided)} proposals wait"
        )

    def _failed(self, sentence: str) -> None:
        self.trouble = sentence
        progress(sentence)


def _edit_lines() -> None:
    """Let the person edit and recall lines, where the system can."""
    if sys.platform != "win32":
        import readline  # noqa: F401

"""What the page asks of the sandbox: everything one screen shows, read from the record."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from memory_banks.entries import Dyad, Entry
from personas.persona import Persona
from sandbox.assemble import Sandbox
from sandbox.inputs import BadInput, checked_user
from sandbox.lifecycle.remembering import Remembered
from sandbox.live import Progress
from sandbox.sessions import SessionSummary
from sandbox.transcripts import Session, Transcript, Turn, UnknownSession
from sandbox.ui.branch_look import Tree, read_tree
from sandbox.ui.chat_views import Later
from sandbox.ui.held import Held, read_held
from sandbox.ui.inspected import before_it, inspected
from sandbox.ui.proposal_views import Outcome, Quote
from sandbox.ui.recall_views import Inspection
from sandbox.ui.verdict_look import assess


@dataclass(frozen=True, slots=True)
class People:
    """Who talks: a character, and the person the human speaks as."""

    persona: Persona
    user: str
    """The person's name, as it is shown."""
    id: str
    """Whose memory it is: what banks and sessions are looked up by."""
    profile: str
    known: tuple[str, ...]
    """Names of everybody this account has spoken as."""


@dataclass(frozen=True, slots=True)
class Look:
    """Everything that one screen shows."""

    people: People
    sessions: list[SessionSummary]
    held: Held
    outcomes: list[Outcome]
    tree: Tree
    session: Session | None = None
    turns: tuple[Turn, ...] = ()
    later: Later | None = None
    """Turns behind the revision at which the bank is shown."""
    live: Progress | None = None
    """The reply that is being written."""
    inspection: Inspection | None = None
    """The reply that is inspected, with what made it."""

    @property
    def offered(self) -> str:
        """What is put into an empty box.

        The text of a turn that waits for a reply which nobody is writing, or what the session was
        opened to ask; else nothing.
        """
        if self.session is None or self.session.ended_at or self.live:
            return ""
        if not self.turns:
            return self.session.box or ""
        return self.turns[-1].text if self.turns[-1].status == "open" else ""


class Desk:
    """Reads screens for one account."""

    def __init__(self, sandbox: Sandbox, account: str) -> None:
        self._sandbox = sandbox
        self._account = account

    def look(
        self,
        session_id: str,
        persona: str,
        user: str,
        selected: str = "",
        as_of: int | None = None,
    ) -> Look:
        """The screen of a session; of two people where `session_id` is empty.

        `selected` is the reply to inspect; the latest one if it is empty or not of the session.
        `as_of` is the revision to show the bank at.

        Raises:
            BadInput, UnknownPersona, UnknownSession: if there is no such screen.
        """
        if not session_id:
            return self._without_session(persona, user, as_of)
        sandbox, account = self._sandbox, self._account
        live = sandbox.conversation.live(account, session_id)
        whole = sandbox.sessions.transcript(account, session_id)
        session = whole.session
        held = read_held(sandbox, account, session.user, session.agent, session.speaker, as_of)
        return Look(
            people=self._people(session.persona, session.user, session.speaker),
            sessions=sandbox.sessions.list(account, session.user, session.agent),
            held=held,
            outcomes=self._outcomes(session.user, session.agent, session),
            tree=read_tree(sandbox, account, session.user, session.speaker, session.agent),
            session=session,
            turns=whole.turns,
            later=self._later(whole, held),
            live=live.now if live else None,
            inspection=self._inspection(whole, selected, held),
        )

    def bank(self, session_id: str, persona: str, user: str, as_of: int | None) -> Held:
        """The bank of the screen, at a revision (the latest if None), without how it came about.

        Raises:
            BadInput, UnknownPersona, UnknownSession: if there is no such screen or revision.
        """
        if not session_id:
            return read_held(
                self._sandbox, self._account, user, persona, user, as_of, history=False
            )
        found = self._sandbox.sessions.find(self._account, session_id)
        whose = found.user, found.agent, found.speaker
        return read_held(self._sandbox, self._account, *whose, as_of, history=False)

    def head(self, dyad: Dyad) -> int:
        """The latest revision of a bank."""
        found = self._sandbox.banks.user(self._account, dyad.user)
        return found.head if found else 0

    def _without_session(self, persona: str, user: str, as_of: int | None) -> Look:
        sandbox, account = self._sandbox, self._account
        known = sandbox.characters.get(account, persona)
        held = read_held(sandbox, account, user, persona, user, as_of)
        return Look(
            people=self._people(known, user, user),
            sessions=sandbox.sessions.list(account, user, persona),
            held=held,
            outcomes=self._outcomes(user, persona, None),
            tree=read_tree(sandbox, account, user, user, persona),
        )

    def sample_user(self, persona: str) -> str:
        """Name of the character's sample user; empty if it has none."""
        sample = self._sandbox.characters.get(self._account, persona).sample_user
        return sample.name if sample else ""

    def is_sample(self, user: str) -> bool:
        """Whether this is the name of a packaged character's sample user; so is no name."""
        found = (persona.sample_user for persona in self._sandbox.characters.packaged())
        names = {sample.name for sample in found if sample}
        return not user.strip() or " ".join(user.split()) in names

    def waiting(self, session_id: str) -> str:
        """The text of the session's turn that has no reply; empty for none."""
        turn = self._sandbox.sessions.transcript(self._account, session_id).open_turn
        return turn.text if turn else ""

    def told_on(self, session_id: str, selected: str) -> str:
        """The date (ISO) of the inspected reply's turn, by the session's clock; empty for none."""
        whole = self._sandbox.sessions.transcript(self._account, session_id)
        wanted = inspected(whole, selected)
        answered = (t.at[:10] for t in whole.turns if wanted in (r.id for r in t.replies))
        return next(answered, "")

    def profile(self, user: str) -> str:
        """The short profile of the user with this id; empty for none."""
        found = self._sandbox.banks.user(self._account, user)
        return found.profile if found else ""

    def last_turn(self, session_id: str) -> str:
        """Id of the turn that the character would answer now.

        Raises:
            BadInput: if nothing was said yet.
        """
        turns = self._sandbox.sessions.transcript(self._account, session_id).turns
        if not turns:
            raise BadInput("Nothing was said yet that the character could answer: speak first.")
        return turns[-1].id

    def proposed(self, proposal_id: str) -> Entry | None:
        """The entry of a proposal that waits, or None."""
        for remembered in self._sandbox.remembering.open(self._account):
            for proposal in remembered.undecided:
                if proposal.id == proposal_id:
                    return proposal.entry
        return None

    def utterances(self, session_id: str, selected: str) -> list[tuple[str, str]]:
        """What was said in the turn of the inspected reply, as (shown, id): the words, the reply.

        Empty where there is no reply.
        """
        whole = self._sandbox.sessions.transcript(self._account, session_id)
        wanted = inspected(whole, selected)
        quotes = _quotes(whole)
        ids = [turn.id for turn in whole.turns if wanted in (line.id for line in turn.replies)]
        return [(_line(quotes[said]), said) for said in [*ids, wanted] if wanted]

    def dyad(self, session_id: str, persona: str, user: str) -> Dyad:
        """Whose bank the screen shows: the session's, or that of two people without one.

        Raises:
            BadInput, UnknownPersona, UnknownSession: if there is no such screen.
        """
        if session_id:
            return self._sandbox.sessions.find(self._account, session_id).dyad
        return self._sandbox.banks.dyad(self._account, user, persona)

    def _later(self, whole: Transcript, held: Held) -> Later | None:
        """The turns whose reply saw a later bank than the one shown, and what waits for one."""
        at = held.bank.revision
        if at >= held.whole.head:
            return None
        saw = self._sandbox.sessions.revisions(self._account, whole.session.id)
        after = (turn.id for turn in whole.turns if saw.get(turn.id, held.whole.head) > at)
        return Later(at, frozenset(after))

    def _people(self, persona: Persona, user: str, name: str) -> People:
        known = self._sandbox.banks.users(self._account)
        found = self._sandbox.banks.user(self._account, user)
        return People(
            persona=persona,
            user=" ".join(name.split()),
            id=checked_user(user),
            profile=found.profile if found else "",
            known=tuple(one.name for one in known),
        )

    def _inspection(self, whole: Transcript, selected: str, held: Held) -> Inspection | None:
        wanted = inspected(whole, selected)
        if not wanted:
            return None
        session, account = whole.session, self._account
        reply = self._sandbox.conversation.reply(account, wanted)
        before = before_it(whole, wanted) if reply.messages else ""
        ids = [*(one.entry for one in reply.recalled), *reply.injected]
        entries = self._sandbox.banks.entries(account, ids)
        return Inspection(
            reply=reply,
            persona=session.persona.name,
            entries=entries,
            states=held.states,
            quotes=self._sources(entries.values(), whole),
            times=held.times,
            before=self._sandbox.conversation.reply(account, before) if before else None,
            assessed=assess(self._sandbox, account, wanted, held.whole.states),
        )

    def _sources(self, entries: Iterable[Entry], whole: Transcript) -> dict[str, Quote]:
        """What was said in the sessions that entries come from, as far as they are on record."""
        found: dict[str, Quote] = {}
        for name in {entry.provenance.session for entry in entries if entry.provenance.session}:
            with suppress(UnknownSession):
                here = name == whole.session.id
                said = whole if here else self._sandbox.sessions.transcript(self._account, name)
                found |= _quotes(said)
        return found

    def _outcomes(self, user: str, persona: str, session: Session | None) -> list[Outcome]:
        """The ended session's outcome first, then whatever else waits for these two."""
        remembering, account = self._sandbox.remembering, self._account
        dyad = self._sandbox.banks.dyad(account, user, persona)
        current = session.id if session and session.ended_at else ""
        shown = [remembering.outcome(account, current)] if current else []
        shown += [one for one in remembering.open(account, dyad) if one.capture.session != current]
        return [self._outcome(remembered, current) for remembered in shown]

    def _outcome(self, remembered: Remembered, current: str) -> Outcome:
        capture = remembered.capture
        whole = self._sandbox.sessions.transcript(self._account, capture.session)
        held = [entry for proposal in remembered.proposals for entry in proposal.deletes]
        return Outcome(
            remembered=remembered,
            persona=whole.session.persona.name,
            current=capture.session == current,
            quotes=_quotes(whole),
            held=self._sandbox.banks.entries(self._account, held),
        )


def _quotes(whole: Transcript) -> dict[str, Quote]:
    """Every utterance of the session by id, discarded siblings included."""
    session = whole.session
    said = {turn.id: Quote(session.speaker, turn.text) for turn in whole.turns}
    lines = [line for turn in whole.turns for line in turn.replies]
    return said | {line.id: Quote(session.persona.name, line.text) for line in lines}


def _line(quote: Quote, most: int = 90) -> str:
    """A quote on one short line."""
    text = " ".join(quote.text.split())
    return f"{quote.speaker}: {text if len(text) <= most else f'{text[: most - 1]}…'}"

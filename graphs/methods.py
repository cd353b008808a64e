"""How a session becomes entries: one method a session, chosen when it is opened.

A method finds items in what was said (`capture`), lets through what may be an entry (`gate`) and
says what the bank loses for it (`update`). Adding one is one class and one line in `METHODS`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, Protocol, get_args

from graphs.capture import Captured, capture_session
from graphs.chat_model import ChatModel
from graphs.echoes import Known
from graphs.forms import CapturedItem
from graphs.gates import ALLOWED, LONGEST_TEXT, Allowed, Candidate, Gated, pass_gates
from graphs.spoken import Spoken
from graphs.update import Updated, Wish, added_only, update_bank
from graphs.wording import People, gist
from memory_banks.entries import URAM_TYPES, Dyad, Entry, Provenance, digest, side_of

MethodName = Literal["typed", "agent_only", "raw_turns"]
METHOD_NAMES: tuple[MethodName, ...] = get_args(MethodName)
"""The methods by name, the default one first."""
GetModel = Callable[[], ChatModel]
"""The model, asked for only where one is needed."""
AGENT_ONLY: Allowed = {"user": frozenset(), "assistant": URAM_TYPES}
"""No user-side type, and no episodic one: the study of DyadMem compares without it."""
WITHHELD = "(not shown)"


@dataclass(frozen=True, slots=True)
class Found:
    """What a capture brought, and what of the bank it may touch."""

    new: list[Entry]
    """The entries that passed the gates."""
    wishes: list[Wish]
    """What the user asked to forget."""
    held: list[Entry]
    """The bank's live entries that these may touch; all of a small bank."""
    live: int
    """How many entries the bank holds."""


class Method(Protocol):
    """A way to remember sessions."""

    def capture(self, spoken: Spoken, model: GetModel) -> Captured:
        """What of the session is worth an entry.

        Raises:
            ModelError: if a model is needed and did not answer, or not readably.
        """

    def gate(
        self, found: Captured, spoken: Spoken, dyad: Dyad, session: str, known: Known
    ) -> Gated:
        """Each item with its entry, or the reason why it becomes none."""

    def update(self, found: Found, spoken: Spoken, model: GetModel) -> Updated:
        """What the new entries change in the bank.

        Raises:
            ModelError: if a model is needed and could not be asked.
        """


class Typed:
    """DyadMem's six types, by who speaks; held entries are replaced by what supersedes them."""

    prompt = "capture"
    allowed = ALLOWED

    def capture(self, spoken: Spoken, model: GetModel) -> Captured:
        """What the model finds in the session."""
        return capture_session(spoken, model(), self.prompt)

    def gate(
        self, found: Captured, spoken: Spoken, dyad: Dyad, session: str, known: Known
    ) -> Gated:
        """What passes DyadMem's gates."""
        items, forget = found.items, found.forget
        return pass_gates(items, spoken, dyad, session, known, forget, self.allowed)

    def update(self, found: Found, spoken: Spoken, model: GetModel) -> Updated:
        """The new entries as additions, and as replacements where the model says so."""
        people = People(spoken.user, spoken.agent)
        return update_bank(found.new, found.held, model, people, found.wishes, found.live)


class AgentOnly(Typed):
    """Only how the agent works, and only what would serve any user (DyadMem's comparison).

    What the user says is not shown to the model, and an entry that names the user is refused.
    Entries are kept in the dyad's bank all the same: no other user's bank is touched.
    """

    prompt = "capture_agent_only"
    allowed = AGENT_ONLY

    def capture(self, spoken: Spoken, model: GetModel) -> Captured:
        """What the model finds in the agent's words alone."""
        return capture_session(_unheard(spoken), model(), self.prompt)

    def gate(
        self, found: Captured, spoken: Spoken, dyad: Dyad, session: str, known: Known
    ) -> Gated:
        """What passes the gates and names no user."""
        gated = super().gate(found, _unheard(spoken), dyad, session, known)
        people = People(spoken.user, spoken.agent)
        return replace(gated, candidates=[_for_anybody(one, people) for one in gated.candidates])


class RawTurns:
    """Every utterance an entry, nothing rewritten, nothing deleted, no model asked (NaiveRAG)."""

    def capture(self, spoken: Spoken, model: GetModel) -> Captured:
        """The utterances, in order; one that is too long for an entry in pieces."""
        items: list[tuple[CapturedItem, range]] = []
        long = 0
        for number, utterance in enumerate(spoken.utterances, start=1):
            pieces = _pieces(utterance.text)
            long += len(pieces) > 1
            asked = range(number, number + 1)
            for piece in pieces:
                items.append((CapturedItem(utterance=number, type="episodic", text=piece), asked))
        told = f"{long} utterances were too long for one entry and make several."
        return Captured(items, notes=[told] if long else [])

    def gate(
        self, found: Captured, spoken: Spoken, dyad: Dyad, session: str, known: Known
    ) -> Gated:
        """Everything."""
        return Gated(
            [
                _raw(item, spoken, dyad, session, ordinal)
                for ordinal, (item, _asked) in enumerate(found.items)
            ],
            [],
        )

    def update(self, found: Found, spoken: Spoken, model: GetModel) -> Updated:
        """Additions only."""
        return added_only(found.new)


METHODS: dict[MethodName, Method] = {
    "typed": Typed(),
    "agent_only": AgentOnly(),
    "raw_turns": RawTurns(),
}
"""Each method by its name."""


def _unheard(spoken: Spoken) -> Spoken:
    """The session without the user's words and name."""
    told = tuple(
        replace(one, text=WITHHELD, speaker="the user") if one.role == "user" else one
        for one in spoken.utterances
    )
    return replace(spoken, user="the user", utterances=told)


def _for_anybody(candidate: Candidate, people: People) -> Candidate:
    if candidate.entry is None or "user" not in gist(candidate.entry.text, people).speakers:
        return candidate
    why = "It names the user: only what would serve any user is kept."
    return replace(candidate, entry=None, refused=why, doubt=None, note=None)


def _raw(item: CapturedItem, spoken: Spoken, dyad: Dyad, session: str, ordinal: int) -> Candidate:
    utterance = spoken.utterances[item.utterance - 1]
    entry = Entry(
        key=digest("captured", session, str(ordinal), item.text),
        scope=dyad.scope(side_of("episodic", utterance.role)),
        type="episodic",
        text=item.text,
        anchor=utterance.at,
        author="capture",
        provenance=Provenance(session, (utterance.id,), utterance.role),
    )
    return Candidate(item, entry, utterance.id, None)


def _pieces(text: str) -> list[str]:
    return [text[at : at + LONGEST_TEXT] for at in range(0, len(text), LONGEST_TEXT)]

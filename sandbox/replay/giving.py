"""What a replay's gear hands to the model, as entries of the session's bank."""

from collections.abc import Sequence
from dataclasses import asdict

from graphs.state import RefusedStrategy
from memory_banks.entries import Entry
from memory_banks.ledger import entries_by_id
from sandbox.inputs import BadInput
from sandbox.opening import Instances
from sandbox.pools import entry_ids
from sandbox.record import Record
from sandbox.replay.gears import Options, shown_with
from sandbox.replay.script import Stop, script_of
from sandbox.replying import Given
from sandbox.transcripts import Session, Turn


class Giving:
    """Finds the entries for the turns of replays; other turns are given nothing."""

    def __init__(self, record: Record, instances: Instances) -> None:
        self._record = record
        self._instances = instances

    def __call__(self, session: Session, turn: Turn) -> Given | None:
        """What the gear gives for a replay's stop.

        Raises:
            RefusedStrategy: if the file does not tell what the gear needs, or an entry of it is not
                in the bank any more.
        """
        origin = turn.origin
        if session.gear is None or origin is None or origin.stop is None:
            return None
        stop = self.script(session)[origin.stop - 1]
        options = session.replay or Options()
        try:
            keys = shown_with(stop.instance, session.gear, options)
        except BadInput as error:
            raise RefusedStrategy(str(error)) from error
        seed = stop.instance.seed if options.seed is None else options.seed
        told = {"gear": session.gear, "forcing": session.forcing, **asdict(options), "seed": seed}
        return Given(None if keys is None else self._entries(session, keys), {"replay": told})

    def script(self, session: Session) -> tuple[Stop, ...]:
        """The stops of the dialogue that the session replays; none for an ordinary session.

        Raises:
            BadInput: if its collection is not there any more.
        """
        if session.instance is None:
            return ()
        collection = self._instances.collection(session.account, session.instance.sha256)
        return script_of(collection, collection.find(session.instance.id))

    def keys(self, session: Session) -> dict[str, str]:
        """The pool's keys by the ids of its entries in the session's bank."""
        if (instance := self._instances.of(session)) is None:
            return {}
        return {one: key for key, one in entry_ids(instance, session.dyad).items()}

    def _entries(self, session: Session, keys: Sequence[str]) -> tuple[Entry, ...]:
        instance = self._instances.of(session)
        assert instance is not None
        ids = entry_ids(instance, session.dyad)
        with self._record.read() as conn:
            held = entries_by_id(conn, [ids[key] for key in keys])
        if gone := [key for key in keys if ids[key] not in held]:
            raise RefusedStrategy(
                f"The bank holds {gone[0]!r} no more, which this gear shows: choose pipeline."
            )
        return tuple(held[ids[key]] for key in keys)

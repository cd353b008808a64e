"""The characters an account can talk to: the packaged ones, and its own."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, delete, func, select

from memory_banks.dialect import insert_new, put
from personas.library import Library, UnknownPersona
from personas.persona import Persona
from sandbox.clock import iso
from sandbox.inputs import BadInput
from sandbox.record import Record
from sandbox.tables import personas, sessions


class Characters:
    """Every account's characters. Every method that needs one takes the account first."""

    def __init__(self, record: Record, library: Library, clock: Callable[[], datetime]) -> None:
        self._record = record
        self._library = library
        self._clock = clock

    def get(self, account: str, persona_id: str) -> Persona:
        """The packaged character with this id, or else the account's own.

        One that was deleted is as its latest session holds it: its sessions and banks stay.

        Raises:
            UnknownPersona: if there is none of these.
        """
        try:
            return self._library.get(persona_id)
        except UnknownPersona:
            own = select(personas.c.json).where(
                personas.c.account == account, personas.c.id == persona_id
            )
            with self._record.read() as conn:
                found: str | None = conn.execute(own).scalar_one_or_none()
                if found is None:
                    found = conn.execute(_held(account, persona_id)).scalar_one_or_none()
            if found is None:
                raise
        return Persona.model_validate_json(found)

    def packaged(self) -> list[Persona]:
        """The usable characters that ship with the project, by id."""
        return self._library.all()

    def own(self, account: str) -> list[Persona]:
        """The account's own characters, by id."""
        query = select(personas.c.json).where(personas.c.account == account)
        with self._record.read() as conn:
            rows = conn.execute(query.order_by(personas.c.id)).scalars().all()
        return [Persona.model_validate_json(row) for row in rows]

    def all(self, account: str) -> list[Persona]:
        """The packaged characters, then the account's own."""
        return [*self.packaged(), *self.own(account)]

    def deleted(self, account: str) -> list[Persona]:
        """Characters that were deleted and have sessions, by id."""
        known = {persona.id for persona in self.all(account)}
        query = select(sessions.c.agent).where(sessions.c.account == account).distinct()
        with self._record.read() as conn:
            agents = conn.execute(query.order_by(sessions.c.agent)).scalars().all()
        return [self.get(account, agent) for agent in agents if agent not in known]

    def count_sessions(self, account: str, persona_id: str) -> int:
        """How many sessions the account has with this character."""
        ours = sessions.c.account == account, sessions.c.agent == persona_id
        with self._record.read() as conn:
            return conn.execute(select(func.count()).where(*ours)).scalar_one()

    def card(self, account: str, persona_id: str) -> bytes | None:
        """The file that the account's own character was imported from; None for one without."""
        query = select(personas.c.card).where(
            personas.c.account == account, personas.c.id == persona_id
        )
        with self._record.read() as conn:
            found: bytes | None = conn.execute(query).scalar_one_or_none()
        return found

    def save(self, account: str, persona: Persona, card: bytes | None = None) -> None:
        """Keep a character of the account's own; one with the same id is overwritten, card too.

        Sessions that are open keep the character as it was.

        Raises:
            BadInput: for the id of a packaged character.
        """
        if persona.id in self._library.names():
            raise BadInput(f"{persona.id!r} is a packaged character: give yours another id.")
        with self._record.write("derived") as conn:
            put(conn, personas, **self._row(account, persona, card))

    def remove(self, account: str, persona_id: str) -> None:
        """Delete a character of the account's own; one that is not there is no fault.

        Its sessions and what it holds for people stay.

        Raises:
            BadInput: for a packaged character.
        """
        if persona_id in self._library.names():
            raise BadInput(f"{persona_id!r} is a packaged character: it belongs to the program.")
        gone = delete(personas).where(personas.c.account == account, personas.c.id == persona_id)
        with self._record.write("derived") as conn:
            conn.execute(gone)

    def keep(self, conn: Connection, account: str, persona: Persona) -> None:
        """Keep a character that came with something else, unless the account has one of its id."""
        insert_new(conn, personas, **self._row(account, persona, None))

    def _row(self, account: str, persona: Persona, card: bytes | None) -> dict[str, object]:
        return {
            "account": account,
            "id": persona.id,
            "json": persona.model_dump_json(),
            "card": card,
            "created_at": iso(self._clock()),
        }


def _held(account: str, persona_id: str) -> Select[Any]:
    """The character as the latest of its sessions holds it."""
    ours = sessions.c.account == account, sessions.c.agent == persona_id
    latest = select(sessions.c.persona).where(*ours)
    return latest.order_by(sessions.c.created_at.desc(), sessions.c.id.desc()).limit(1)

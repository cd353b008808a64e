"""The characters an account can talk to: the packaged ones, and its own."""

from collections.abc import Callable
from datetime import datetime

from sqlalchemy import Connection, select

from memory_banks.dialect import insert_new, put
from personas.library import Library, UnknownPersona
from personas.persona import Persona
from sandbox.clock import iso
from sandbox.inputs import BadInput
from sandbox.record import Record
from sandbox.tables import personas


class Characters:
    """Every account's characters. Every method that needs one takes the account first."""

    def __init__(self, record: Record, library: Library, clock: Callable[[], datetime]) -> None:
        self._record = record
        self._library = library
        self._clock = clock

    def get(self, account: str, persona_id: str) -> Persona:
        """The packaged character with this id, or else the account's own.

        Raises:
            UnknownPersona: if there is neither.
        """
        try:
            return self._library.get(persona_id)
        except UnknownPersona:
            query = select(personas.c.json).where(
                personas.c.account == account, personas.c.id == persona_id
            )
            with self._record.read() as conn:
                found = conn.execute(query).scalar_one_or_none()
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

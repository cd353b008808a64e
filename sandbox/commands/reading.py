"""Reading a data folder without its lock, without changing anything, beside whoever writes it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from sqlalchemy import URL, Connection

from memory_banks import ledger
from memory_banks.entries import Dyad, Entry, Operation, State, user_id
from personas.library import Library, packaged_library
from sandbox import migrations
from sandbox.account import ACCOUNT
from sandbox.commands.output import CommandError
from sandbox.folder import Layout
from sandbox.record import Record, RecordError
from sandbox.settings import Settings

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class BankRead:
    """A dyad's bank at one revision, as one snapshot of the record has it."""

    dyad: Dyad
    user_known: bool
    revision: int
    head: int
    states: tuple[State, ...]
    operations: tuple[Operation, ...]
    entries: dict[str, Entry]
    """The operations' entries, by id."""

    @property
    def live(self) -> list[State]:
        """What it holds, in order of addition."""
        return [state for state in self.states if state.live]


def dyad_of(user: str, persona: str) -> Dyad:
    """The dyad that a command names.

    Raises:
        CommandError: if the user's name cannot be taken.
        UnknownPersona: if there is no such character.
    """
    try:
        name = user_id(user)
    except ValueError as error:
        raise CommandError(f"--{error}: give the name of the person") from error
    return Dyad(ACCOUNT, name, Library(packaged_library()).get(persona).id)


def read_bank(settings: Settings, dyad: Dyad, as_of: int | None) -> BankRead:
    """The dyad's bank at revision `as_of`, the latest if null; empty for an unknown user.

    Raises:
        CommandError: if there is no record, or no such revision.
        RecordError: if the record cannot be read.
    """
    return read_record(settings, lambda record: _bank(record, dyad, as_of))


def read_record(settings: Settings, look: Callable[[Record], T]) -> T:
    """What `look` sees in the record, which is opened so that it cannot be changed.

    Raises:
        CommandError: if there is no record, or its schema is not this program's.
        RecordError: if the record cannot be read.
    """
    if settings.database_url is not None:
        return _looked(settings.database_url.get_secret_value(), look)
    path = Layout(settings.data_dir).record
    must_have_record(settings)
    before = _stamp(path)
    if before.log is None:
        # Nobody has it open: read without the files that a reader beside a writer makes.
        try:
            seen = _looked(_url(path, immutable="1"), look)
        except (CommandError, RecordError):
            if _stamp(path) == before:
                raise
        else:
            if _stamp(path) == before:
                return seen
    return _looked(_url(path, mode="ro"), look)


def must_have_record(settings: Settings) -> None:
    """Refuse a folder that holds no record yet.

    Raises:
        CommandError: if there is none.
    """
    if settings.database_url is None and not Layout(settings.data_dir).record.is_file():
        raise CommandError(
            f"there is no record in {settings.data_dir}: start the sandbox on it once, or choose "
            "another folder with --data-dir"
        )


def other_schema(found: int) -> CommandError:
    """The sentence for a schema that this program does not read."""
    if found > migrations.VERSION:
        return CommandError(
            f"the record has schema version {found} and this program knows versions up to "
            f"{migrations.VERSION}: update the program"
        )
    return CommandError(
        f"the record has schema version {found} and this program reads {migrations.VERSION}: "
        "start the sandbox on it once, which brings it up to date"
    )


@dataclass(frozen=True, slots=True)
class _Stamp:
    changed: int
    size: int
    log: int | None
    """Size of the write-ahead log; null where there is none, as after a clean end."""


def _stamp(path: Path) -> _Stamp:
    status = path.stat()
    try:
        log = path.with_name(f"{path.name}-wal").stat().st_size
    except OSError:
        log = None
    return _Stamp(status.st_mtime_ns, status.st_size, log)


def _url(path: Path, **how: str) -> str:
    url = URL.create("sqlite", database=f"file:{quote(str(path))}", query={**how, "uri": "true"})
    return url.render_as_string(hide_password=False)


def _looked(url: str, look: Callable[[Record], T]) -> T:
    record = Record(url)
    try:
        with record.read() as conn:
            found = migrations.version(conn)
        if found != migrations.VERSION:
            raise other_schema(found)
        return look(record)
    finally:
        record.close()


def _bank(record: Record, dyad: Dyad, as_of: int | None) -> BankRead:
    with record.read() as conn:
        user = ledger.find_user(conn, dyad.account, dyad.user)
        head = user.head if user else 0
        revision = head if as_of is None else as_of
        if not 0 <= revision <= head:
            raise CommandError(f"--as-of must be 0 to {head}, got {revision}")
        return _at(conn, dyad, user is not None, revision, head)


def _at(conn: Connection, dyad: Dyad, known: bool, revision: int, head: int) -> BankRead:
    operations = tuple(ledger.operations_of(conn, dyad, until=revision))
    return BankRead(
        dyad=dyad,
        user_known=known,
        revision=revision,
        head=head,
        states=tuple(ledger.states(conn, dyad, revision)),
        operations=operations,
        entries=ledger.entries_by_id(conn, {operation.entry_id for operation in operations}),
    )

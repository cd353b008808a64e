"""What `bank check` looks at. Much to load."""

from sqlalchemy import Connection

from memory_banks import ledger
from memory_banks.entries import Dyad
from memory_banks.vectors import load_vectors
from memory_banks.verify import ledger_problems
from personas.library import Library, packaged_library
from sandbox.commands.reading import read_record
from sandbox.folder import Layout
from sandbox.lifecycle.lint import Remark, lint
from sandbox.lifecycle.linting import talk_of
from sandbox.record import Record
from sandbox.settings import Settings
from sandbox.shapes import Plain
from sandbox.verify import check_index, embedders


def check_bank(settings: Settings, dyad: Dyad) -> Plain:
    """How the dyad's bank stands: its entries and vectors, the ledger's rules, the vector index.

    `remarks` are what a person should look at; they are no problems.

    Raises:
        CommandError, RecordError: if there is no record to read.
    """
    layout = Layout(settings.data_dir)
    return read_record(settings, lambda record: _checked(layout, record, dyad))


def _checked(layout: Layout, record: Record, dyad: Dyad) -> Plain:
    index = check_index(layout, record)
    with record.read() as conn:
        live = [entry for scope in dyad.scopes for entry in ledger.live_ids(conn, scope)]
        made = {name: len(load_vectors(conn, name, live)) for name in embedders(conn)}
        problems = list(ledger_problems(conn))
        revision = ledger.head(conn, dyad.account, dyad.user)
        remarks = _remarks(conn, dyad)
    return {
        "persona": dyad.agent,
        "user": dyad.user,
        "revision": revision,
        "entries": len(live),
        "vectors": made,
        "index": index.sentence,
        "problems": [*problems, index.sentence] if index.difference else problems,
        "remarks": [
            {"kind": one.kind, "entries": list(one.entries), "why": one.why} for one in remarks
        ],
    }


def _remarks(conn: Connection, dyad: Dyad) -> list[Remark]:
    states = ledger.states(conn, dyad)
    known = ledger.find_user(conn, dyad.account, dyad.user)
    name = Library(packaged_library()).get(dyad.agent).name
    talk = talk_of(conn, dyad, states)
    return lint(states, talk, name, known.name if known else dyad.user)

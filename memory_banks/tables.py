"""The ledger's tables.

The sandbox adds its own to the same metadata, so that one transaction can write both. Text,
integers and bytes only: the same on SQLite and Postgres.
"""

from sqlalchemy import (
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    func,
    literal_column,
)

metadata = MetaData()

users = Table(
    "users",
    metadata,
    Column("account", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("profile", Text, nullable=False),
    Column("head", Integer, nullable=False),
    Column("created_at", Text, nullable=False),
)
"""A user's row is also the lock and the counter of all operations on what they share."""

entries = Table(
    "entries",
    metadata,
    Column("id", Text, primary_key=True),
    Column("key", Text, nullable=False),
    Column("account", Text, nullable=False),
    Column("user", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("anchor", Text),
    Column("emotion", Text),
    Column("scene", Text),
    Column("author", Text, nullable=False),
    Column("session", Text),
    Column("turns", Text, nullable=False),
    Column("role", Text),
)
text_start = func.substr(entries.c.text, literal_column("1"), literal_column("64"))
"""How an entry's text begins: Postgres indexes no text of any length."""
Index("entries_by_text", text_start)

vectors = Table(
    "vectors",
    metadata,
    Column("entry", Text, ForeignKey("entries.id"), primary_key=True),
    Column("embedder", Text, primary_key=True),
    Column("vector", LargeBinary, nullable=False),
)
"""One float32 vector an entry and embedder: changing the embedder keeps the old ones."""

operations = Table(
    "operations",
    metadata,
    Column("id", Text, primary_key=True),
    Column("account", Text, nullable=False),
    Column("user", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("entry", Text, ForeignKey("entries.id"), nullable=False),
    Column("replaces", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("cause", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("file", Text),
    Column("sha256", Text),
)
Index(
    "operations_by_number",
    operations.c.account,
    operations.c.user,
    operations.c.number,
    unique=True,
)
Index("operations_by_entry", operations.c.entry)

captures = Table(
    "captures",
    metadata,
    Column("id", Text, primary_key=True),
    Column("account", Text, nullable=False),
    Column("user", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("session", Text, nullable=False, unique=True),
    Column("status", Text, nullable=False),
    Column("calls", Text, nullable=False),
    Column("notes", Text, nullable=False),
    Column("created_at", Text, nullable=False),
)
"""One a session. `status` says what is open: see `captures.Status`."""

captured = Table(
    "captured",
    metadata,
    Column("capture", Text, ForeignKey("captures.id"), primary_key=True),
    Column("ordinal", Integer, primary_key=True),
    Column("entry", Text, nullable=False),
    Column("evidence", Text, nullable=False),
    Column("refused", Text),
)
"""What the capture found, in order; `refused` says why a candidate went no further."""

proposals = Table(
    "proposals",
    metadata,
    Column("id", Text, primary_key=True),
    Column("capture", Text, ForeignKey("captures.id"), nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("entry", Text),
    Column("deletes", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("evidence", Text, nullable=False),
    Column("doubt", Text),
)
Index("proposals_by_capture", proposals.c.capture, proposals.c.ordinal)

decisions = Table(
    "decisions",
    metadata,
    Column("proposal", Text, ForeignKey("proposals.id"), primary_key=True),
    Column("verdict", Text, nullable=False),
    Column("edited", Text),
    Column("author", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("applied", Integer, nullable=False),
)
"""One row a proposal, written once; `applied` turns 1 together with its operations."""

meta = Table(
    "meta",
    metadata,
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
"""Facts about derived state, by name: which folder holds the live vector index."""

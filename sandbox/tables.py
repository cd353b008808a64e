"""The record's own tables, in the ledger's metadata: talk, and what was brought in for it."""

from sqlalchemy import Column, ForeignKey, Index, Integer, LargeBinary, Table, Text

from memory_banks.tables import metadata

sessions = Table(
    "sessions",
    metadata,
    Column("id", Text, primary_key=True),
    Column("account", Text, nullable=False),
    Column("user", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("persona", Text, nullable=False),
    Column("speaker", Text, nullable=False),
    Column("clock", Text),
    Column("emotion", Text),
    Column("scene", Text),
    Column("strategy", Text, nullable=False),
    Column("model", Text),
    Column("continues", Text),
    Column("created_at", Text, nullable=False),
    Column("ended_at", Text),
    Column("prelude", Text, nullable=False, server_default="[]"),
    Column("instance", Text),
    Column("box", Text),
    Column("profile", Text),
    Column("method", Text, nullable=False, server_default="typed"),
    Column("protocol", Text, nullable=False, server_default="free"),
    Column("gear", Text),
    Column("forcing", Text),
    Column("replay", Text),
)
Index("sessions_by_dyad", sessions.c.account, sessions.c.user, sessions.c.agent)

turns = Table(
    "turns",
    metadata,
    Column("id", Text, primary_key=True),
    Column("session", Text, ForeignKey("sessions.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("draft", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("emotion", Text),
    Column("scene", Text),
    Column("status", Text, nullable=False),
    Column("trouble", Text),
    Column("chosen", Text),
    Column("created_at", Text, nullable=False),
    Column("origin", Text),
)
Index("turns_by_number", turns.c.session, turns.c.number, unique=True)
Index("turns_by_draft", turns.c.session, turns.c.draft, unique=True)

replies = Table(
    "replies",
    metadata,
    Column("id", Text, primary_key=True),
    Column("turn", Text, ForeignKey("turns.id"), nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("author", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("finish", Text, nullable=False),
    Column("strategy", Text),
    Column("model", Text),
    Column("sampling", Text),
    Column("seed", Integer),
    Column("revision", Integer, nullable=False),
    Column("recalled", Text, nullable=False),
    Column("injected", Text, nullable=False),
    Column("messages", Text, nullable=False),
    Column("prompts", Text, nullable=False),
    Column("usage", Text, nullable=False),
    Column("created_at", Text, nullable=False),
)
Index("replies_by_turn", replies.c.turn, replies.c.ordinal, unique=True)

personas = Table(
    "personas",
    metadata,
    Column("account", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("json", Text, nullable=False),
    Column("card", LargeBinary),
    Column("created_at", Text, nullable=False),
)
"""Characters beside the packaged ones; `card` is the file that one was imported from."""

collections = Table(
    "collections",
    metadata,
    Column("account", Text, primary_key=True),
    Column("sha256", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("data", LargeBinary, nullable=False),
    Column("created_at", Text, nullable=False),
)
"""Files of instances, byte for byte: the only place where roles and reference replies are kept."""

verdicts = Table(
    "verdicts",
    metadata,
    Column("id", Text, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("reply", Text, ForeignKey("replies.id"), nullable=False),
    Column("judge", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("json", Text, nullable=False),
    Column("created_at", Text, nullable=False),
)
"""What judges said of replies; a later one of the same judge stands for its earlier ones."""
Index("verdicts_by_number", verdicts.c.reply, verdicts.c.number, unique=True)

corrections = Table(
    "corrections",
    metadata,
    Column("id", Text, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("reply", Text, ForeignKey("replies.id"), nullable=False),
    Column("verdict", Text, ForeignKey("verdicts.id")),
    Column("subject", Text, nullable=False),
    Column("entry", Text),
    Column("value", Text),
    Column("author", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("created_at", Text, nullable=False),
)
"""What people changed of a verdict, or of a reply's roles and pool (no verdict); append-only."""
Index("corrections_by_number", corrections.c.reply, corrections.c.number, unique=True)

experiments = Table(
    "experiments",
    metadata,
    Column("id", Text, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("reply", Text, ForeignKey("replies.id"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("json", Text, nullable=False),
    Column("created_at", Text, nullable=False),
)
"""What was found by writing or scoring a reply again with other memories; never part of a talk."""
Index("experiments_by_number", experiments.c.reply, experiments.c.number, unique=True)


branches = Table(
    "branches",
    metadata,
    Column("id", Text, primary_key=True),
    Column("account", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("session", Text),
    Column("turn", Integer),
    Column("copy", Text),
    Column("created_at", Text, nullable=False),
    Column("deleted_at", Text),
)
"""Users that began as a copy of another's ledger: `branch:` and the id is the branch's own user."""
Index("branches_by_origin", branches.c.account, branches.c.origin)

audit = Table(
    "audit",
    metadata,
    Column("id", Text, primary_key=True),
    Column("account", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("counts", Text, nullable=False),
    Column("created_at", Text, nullable=False),
)
"""What was forgotten, when, and how much of it there was; never what it said."""

authored = Table(
    "authored",
    metadata,
    Column("id", Text, primary_key=True),
    Column("account", Text, nullable=False),
    Column("collection", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("deleted_at", Text),
)
"""Instances that are made here; what they say is in their versions."""
Index("authored_by_collection", authored.c.account, authored.c.collection)

authored_versions = Table(
    "authored_versions",
    metadata,
    Column("id", Text, ForeignKey("authored.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("author", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("json", Text, nullable=False),
    Column("created_at", Text, nullable=False),
)
"""Append-only, from 1; only forgetting blanks words in them."""

annotations = Table(
    "annotations",
    metadata,
    Column("id", Text, primary_key=True),
    Column("authored", Text, ForeignKey("authored.id"), nullable=False),
    Column("author", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("json", Text, nullable=False),
    Column("done_at", Text, nullable=False),
)
"""What annotators said of an instance without seeing what others had said."""
Index("annotations_by_number", annotations.c.authored, annotations.c.number, unique=True)

model_checks = Table(
    "model_checks",
    metadata,
    Column("id", Text, primary_key=True),
    Column("authored", Text, ForeignKey("authored.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("inputs", Text, nullable=False),
    Column("json", Text, nullable=False),
    Column("created_at", Text, nullable=False),
)
"""What models found of a version of an instance; append-only, only forgetting blanks words."""
Index("model_checks_by_number", model_checks.c.authored, model_checks.c.number, unique=True)

published = Table(
    "published",
    metadata,
    Column("account", Text, primary_key=True),
    Column("collection", Text, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("sha256", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("blanked_at", Text),
)
"""Versions of collections that are made here; their files are in `collections`.

`blanked_at` says that something in the file was forgotten, so that it is not what `sha256` names.
"""

disputes = Table(
    "disputes",
    metadata,
    Column("id", Text, primary_key=True),
    Column("account", Text, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("instance", Text, nullable=False),
    Column("entry", Text, nullable=False),
    Column("was", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("withdrawn_at", Text),
)
"""Roles of files that somebody disputes; the files stay as they are."""
Index("disputes_by_file", disputes.c.account, disputes.c.sha256)

schema = Table("schema", metadata, Column("version", Integer, primary_key=True))
"""One row: the version of the whole schema."""

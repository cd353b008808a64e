"""Work that takes a while must not bring back what was forgotten while it went on.

Whoever reads the record, asks a model and writes what came of it counts the forgettings first and
checks, in the transaction that writes, that there was none since: what they hold may be the words.
"""

from sqlalchemy import Connection, func, select

from sandbox.inputs import BadInput
from sandbox.tables import audit


class ForgottenMeanwhile(BadInput):
    """Something of the account was forgotten while this went on: nothing of it is kept."""


def forgettings(conn: Connection, account: str) -> int:
    """How often something of the account was forgotten so far."""
    query = select(func.count()).select_from(audit).where(audit.c.account == account)
    return int(conn.execute(query).scalar_one())


def must_be_current(conn: Connection, account: str, before: int) -> None:
    """Refuse to go on if something was forgotten since there were `before` forgettings.

    Raises:
        ForgottenMeanwhile: with a sentence for people.
    """
    if forgettings(conn, account) != before:
        raise ForgottenMeanwhile(
            "Something was forgotten while this went on, so nothing of it was kept: try again."
        )

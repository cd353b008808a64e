"""The record: whole transactions, one schema version, errors as sentences."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, inspect, text, update

from memory_banks.tables import metadata
from sandbox import migrations
from sandbox.record import Record, RecordError, sqlite_url
from sandbox.tables import schema


@pytest.fixture
def record(database_url: str) -> Iterator[Record]:
    made = Record(database_url)
    made.migrate()
    yield made
    made.close()


def test_a_transaction_that_fails_leaves_nothing(record: Record) -> None:
    def write_and_fail() -> None:
        with record.write("T1") as conn:
            conn.execute(text("INSERT INTO users VALUES ('a', 'u', 'U', '', 0, 'now')"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_and_fail()
    with record.read() as conn:
        assert conn.execute(text("SELECT count(*) FROM users")).scalar_one() == 0


def test_writers_take_turns_and_lose_nothing(record: Record) -> None:
    with record.write("T1") as conn:
        conn.execute(text("INSERT INTO users VALUES ('a', 'u', 'U', '', 0, 'now')"))

    def count_up() -> None:
        for _ in range(20):
            with record.write("T1") as conn:
                head = conn.execute(text("SELECT head FROM users")).scalar_one()
                conn.execute(text("UPDATE users SET head = :next"), {"next": head + 1})

    threads = [threading.Thread(target=count_up) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with record.read() as conn:
        assert conn.execute(text("SELECT head FROM users")).scalar_one() == 80


def test_a_reader_sees_one_moment_while_others_write(record: Record) -> None:
    count = text("SELECT count(*) FROM users")
    with record.read() as conn:
        assert conn.execute(count).scalar_one() == 0
        with record.write("T1") as other:
            other.execute(text("INSERT INTO users VALUES ('a', 'u', 'U', '', 0, 'now')"))
        assert conn.execute(count).scalar_one() == 0
    with record.read() as conn:
        assert conn.execute(count).scalar_one() == 1


def test_another_kind_of_database_is_refused_without_its_password() -> None:
    with pytest.raises(RecordError) as refused:
        Record("mysql+pymysql://me:secret@localhost/x")
    assert "postgresql+psycopg" in str(refused.value)
    assert "secret" not in str(refused.value)


def test_every_step_is_announced_open_written_committed(tmp_path: Path) -> None:
    seen: list[tuple[str, str]] = []
    made = Record(sqlite_url(tmp_path / "r.sqlite"), lambda step, phase: seen.append((step, phase)))
    with made.write("T3"):
        pass
    assert seen == [("T3", "open"), ("T3", "written"), ("T3", "committed")]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_sqlite_is_durable_and_forgets_what_is_deleted(record: Record) -> None:
    with record.read() as conn:
        found = [
            conn.execute(text(f"PRAGMA {name}")).scalar_one()
            for name in ("journal_mode", "synchronous", "secure_delete", "foreign_keys")
        ]
    assert found == ["wal", 2, 1, 1]


def test_migrating_twice_changes_nothing(record: Record) -> None:
    record.migrate()
    with record.read() as conn:
        assert migrations.version(conn) == migrations.VERSION


def test_a_newer_schema_is_refused_with_both_versions_and_left_alone(record: Record) -> None:
    with record.write("derived") as conn:
        conn.execute(update(schema).values(version=migrations.VERSION + 1))
    with pytest.raises(RecordError, match=rf"version {migrations.VERSION + 1} .*--data-dir"):
        record.migrate()
    with record.read() as conn:
        assert migrations.version(conn) == migrations.VERSION + 1


def test_a_file_that_is_no_database_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "record.sqlite"
    path.write_bytes(b"not a database, only words" * 100)
    with pytest.raises(RecordError, match="damaged"):
        Record(sqlite_url(path)).migrate()
    assert path.read_bytes().startswith(b"not a database")


@pytest.mark.parametrize("url", ["nonsense", "nosuchdb://host/name", "postgresql+nosuch://h/n"])
def test_a_url_that_cannot_be_used_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(RecordError, match="SANDBOX_DATABASE_URL") as refused:
        Record(url)
    assert url not in str(refused.value)


@pytest.mark.parametrize("name", ["we?ir%20d", "a b#c", "日記"])
def test_a_folders_name_is_a_name_and_no_url(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    made = Record(sqlite_url(folder / "record.sqlite"))
    made.migrate()
    made.close()
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (folder / "record.sqlite").is_file()


@pytest.fixture
def fresh() -> Engine:
    engine = create_engine("sqlite://")
    metadata.create_all(engine)
    return engine


def test_columns_are_of_types_that_every_database_has(fresh: Engine) -> None:
    tables = inspect(fresh)
    kinds = {
        str(column["type"])
        for table in tables.get_table_names()
        for column in tables.get_columns(table)
    }
    assert kinds == {"TEXT", "INTEGER", "BLOB"}

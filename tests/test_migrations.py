"""Every landed schema opens: `fixtures/schema-N` is what the kill script left under version N."""

import shutil
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect

from memory_banks.tables import metadata
from sandbox.folder import Layout
from sandbox.migrations import VERSION
from sandbox.record import Record, sqlite_url
from sandbox.verify import verify
from tests.kill_script import facts

FIXTURES = Path(__file__).parent / "fixtures"
SCHEMAS = sorted(FIXTURES.glob("schema-*"))
TOLD = {
    "bank": [
        "agent_identity dyad Walid answers in metric, and says so.",
        "episodic user Noor told Walid of Tallinn.",
        "fact user Noor moved to Tallinn.",
    ],
    "talk": [
        "Answer in metric. -> Metric from now on.",
        "I moved to Tallinn. -> Tallinn it is.",
        "What do you know? -> You moved, and I answer in metric.",
    ],
    "revision": ["5"],
}
JUDGED = {
    "schema-1": [],
    "schema-2": ["local: MIQ 2.0, 1 changed"],
    "schema-3": ["local: MIQ 2.0, 1 changed"],
}
"""What judges said, since the version that keeps it."""


def test_every_version_has_its_fixture() -> None:
    assert [path.name for path in SCHEMAS] == [f"schema-{n}" for n in range(1, VERSION + 1)]


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda path: path.name)
def test_a_landed_data_folder_opens_with_everything_in_it(schema: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    shutil.copytree(schema, folder)
    assert facts(folder) == TOLD | {"judged": JUDGED[schema.name]}
    record = Record(sqlite_url(folder / "record.sqlite"))
    assert verify(Layout(folder), record).problems == ()
    record.close()


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda path: path.name)
def test_a_migrated_schema_is_the_one_a_fresh_database_gets(schema: Path, tmp_path: Path) -> None:
    shutil.copy(schema / "record.sqlite", tmp_path / "record.sqlite")
    url = sqlite_url(tmp_path / "record.sqlite")
    record = Record(url)
    record.migrate()
    record.close()
    migrated, fresh = create_engine(url), create_engine("sqlite://")
    metadata.create_all(fresh)

    def columns(engine: object) -> dict[str, list[tuple[str, str, bool]]]:
        seen = inspect(engine)
        return {
            table: [(c["name"], str(c["type"]), c["nullable"]) for c in seen.get_columns(table)]
            for table in seen.get_table_names()
        }

    assert columns(migrated) == columns(fresh)
    migrated.dispose()
    fresh.dispose()

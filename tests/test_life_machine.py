"""Whatever is done to memories, in whatever order: ledger, bank, Chroma and exact recall agree.

A model of plain lists is done the same things to, and after every step they are compared: for
every user, every branch, both agents. A run is repeated with `--hypothesis-seed`, which a failure
names, and made longer with `--hypothesis-profile=nightly`.
"""

import hashlib
import json
import secrets
import shutil
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from pydantic import SecretStr
from sqlalchemy import make_url

from memory_banks.entries import Dyad
from memory_banks.ledger import LedgerConflict
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox, assemble
from sandbox.edits import Edit
from sandbox.folder import DataFolder, open_folder
from sandbox.inputs import BadInput
from sandbox.models import Models
from sandbox.settings import Settings
from sandbox.verify import verify
from sandbox.verify_memory import memory_problems
from sandbox.verify_talk import talk_problems
from tests.fakes import NOW, Script
from tests.fakes_bank import wait_for
from tests.life_checks import WORDS, Checks
from tests.life_model import (
    AGENT_TYPES,
    FORGOTTEN,
    USER_TYPES,
    Name,
    Note,
    Refused,
    Row,
    Story,
    World,
)
from tests.postgres import Postgres
from tests.scripted_model import ScriptedModel

USERS, AGENTS = ("ana", "ben"), ("walid-qutami", "lantern")
FIRST = ("zorvat", "quimble quimble drenched", "Zorvat quimble", "茶碗 🫖")
MOST_BRANCHES = 3
WORD = st.sampled_from(
    [
        "Zorvat",
        "zorvat",
        "quimble",
        "drenched",
        "Пёстрый",
        "茶碗",
        "cafe\u0301",
        "🫖",
        'o"Tor',
        "50%_",
    ]
)
TEXT = st.lists(WORD, min_size=1, max_size=4).map(" ".join)
SIDE = st.sampled_from(["user", "dyad"])
DATA = st.data()
ROW = SIDE.flatmap(
    lambda side: st.tuples(
        st.just(side),
        st.sampled_from(["w1", "w2", "w3", "w4"]),
        st.builds(Note, st.sampled_from(types(side)), TEXT),
        st.booleans(),
        st.integers(0, 2),
    )
)


def types(side: str) -> list[str]:
    """What an entry on a side can be."""
    return [*(USER_TYPES if side == "user" else AGENT_TYPES), "episodic"]


@dataclass(frozen=True)
class Place:
    """Where a program keeps its data."""

    folder: Path
    url: str | None


Places = Callable[[], AbstractContextManager[Place]]
"""Makes a new place, which goes away with the context."""


@dataclass
class Talk:
    """A session, and the revision that each of its replies saw."""

    session: str
    user: str
    agent: str
    saw: list[int]


def opened(place: Place) -> tuple[DataFolder, Sandbox]:
    layout = open_folder(place.folder)
    url = place.url and SecretStr(place.url)
    sandbox = assemble(
        Settings(data_dir=place.folder, database_url=url or None),
        layout,
        {},
        clock=lambda: NOW,
        load_embedder=lambda: WORDS,
        models=Models(ready=[ScriptedModel(play=Script().play)]),
    )
    return layout, sandbox


class Life(RuleBasedStateMachine):
    """Two people, two characters, and what happens between them."""

    def __init__(self, place: Places, *, thorough: bool) -> None:
        super().__init__()
        self.thorough = thorough
        self.world = World()
        self.talks: list[Talk] = []
        self.files: list[tuple[bytes, list[Row]]] = []
        self.again: Any = ()
        """The last click, and what it did."""
        self.clicks = self.steps = 0
        self._place = place()
        self.where = self._place.__enter__()
        self.checks = Checks(self.world, self.where.folder / "index")
        self.layout, self.sandbox = opened(self.where)

    def teardown(self) -> None:
        try:
            for user, story in self.world.stories.items():
                for agent in AGENTS:
                    for revision in range(story.head):
                        self.checks.bank(self.sandbox, user, agent, revision)
            with self.sandbox.record.read() as conn:
                assert [*talk_problems(conn), *memory_problems(conn)] == []
            if self.thorough:
                assert verify(self.layout, self.sandbox.record).problems == ()
        finally:
            self.close()
            self._place.__exit__(None, None, None)

    def close(self) -> None:
        self.sandbox.close()
        self.layout.close()

    @initialize()
    def begin(self) -> None:
        self.sandbox.start()
        for user in USERS:
            self.begin_anew(user)
            for text, agent, side in zip(FIRST, AGENTS * 2, ("user", "dyad") * 2, strict=True):
                told, dyad = Note("episodic", text), Dyad(ACCOUNT, user, agent)
                self.put(dyad, side, told)
        wait_for(self.sandbox.index, "ready")

    def begin_anew(self, user: str) -> None:
        self.world.stories[user] = Story()
        for agent in AGENTS:
            self.talk(user, agent)

    def talk(self, user: str, agent: str) -> None:
        session = self.sandbox.sessions.open(ACCOUNT, user, agent, speaker=user)
        self.talks.append(Talk(session.id, user, agent, []))

    # What is picked, and what is refused.

    def dyad(self, data: st.DataObject) -> Dyad:
        user = data.draw(st.sampled_from(list(self.world.stories)), "user")
        return Dyad(ACCOUNT, user, data.draw(st.sampled_from(AGENTS), "agent"))

    def name(self, data: st.DataObject, dyad: Dyad, live: bool | None = None) -> Name | None:
        story = self.world.stories[dyad.user]
        bank = story.bank(dyad.agent, story.head)
        names = [one.name for one in bank if live is None or live == (one.deleted is None)]
        return data.draw(st.sampled_from(names), "entry") if names else None

    def key(self, dyad: Dyad, name: Name) -> str:
        return self.checks.ids(dyad.user)[name]

    def note_of(self, data: st.DataObject, side: str) -> Note:
        kind = data.draw(st.sampled_from(types(side)), "type")
        return Note(kind, data.draw(TEXT, "text"))

    def click(self) -> str:
        self.clicks += 1
        return f"click {self.clicks}"

    def do(self, act: Callable[[], Any]) -> None:
        """Do it, and keep it for the same click once more."""
        self.again = act, act()

    def both(self, model: Callable[[], Any], product: Callable[[], Any]) -> None:
        """Do it to both: either both refuse it or none does."""
        try:
            model()
        except Refused:
            with pytest.raises((BadInput, LedgerConflict)):
                product()
        else:
            self.do(product)

    # What can be done.

    @rule(data=DATA, side=SIDE)
    def add(self, data: st.DataObject, side: Any) -> None:
        self.put(self.dyad(data), side, self.note_of(data, side))

    def put(self, dyad: Dyad, side: Any, told: Note) -> None:
        click, edit = self.click(), Edit(told.type, told.text)
        self.world.add(dyad.user, dyad.agent, side, clean(told), click)
        self.do(lambda: self.sandbox.editing.add(dyad, edit, draft=click, side=side))

    @rule(data=DATA)
    def change(self, data: st.DataObject) -> None:
        dyad = self.dyad(data)
        if name := self.name(data, dyad, live=True):
            self.change_of(data, dyad, name)

    def change_of(self, data: st.DataObject, dyad: Dyad, name: Name) -> None:
        told, click = self.note_of(data, "dyad" if name[0] else "user"), self.click()
        key, edit = self.key(dyad, name), Edit(told.type, told.text)
        self.both(
            lambda: self.world.change(dyad.user, name, clean(told), click),
            lambda: self.sandbox.editing.change(dyad, key, edit, draft=click),
        )

    @rule(data=DATA)
    def delete(self, data: st.DataObject) -> None:
        dyad, click = self.dyad(data), self.click()
        if name := self.name(data, dyad, live=True):
            key = self.key(dyad, name)
            self.world.delete(dyad.user, name, click)
            self.do(lambda: self.sandbox.editing.delete(dyad, key, draft=click))

    @rule(data=DATA)
    def restore(self, data: st.DataObject) -> None:
        dyad, click = self.dyad(data), self.click()
        if name := self.name(data, dyad, live=False):
            key = self.key(dyad, name)
            self.both(
                lambda: self.world.restore(dyad.user, name, click),
                lambda: self.sandbox.editing.restore(dyad, key, draft=click),
            )

    @precondition(lambda self: self.again)
    @rule()
    def click_again(self) -> None:
        act, did = self.again
        assert act() in (did, [])

    @rule(data=DATA)
    def forget(self, data: st.DataObject) -> None:
        dyad = self.dyad(data)
        name = self.name(data, dyad)
        if name and self.world.stories[dyad.user].notes[name].text != FORGOTTEN:
            self.world.forget(dyad.user, name)
            self.sandbox.forgetting.entry(ACCOUNT, dyad, self.key(dyad, name))
            self.again = ()

    @precondition(lambda self: not self.world.gone)
    @rule(data=DATA)
    def forget_somebody(self, data: st.DataObject) -> None:
        user = self.dyad(data).user
        gone = self.world.forget_user(user)
        self.sandbox.forgetting.user(ACCOUNT, user)
        self.checks.gone(gone)
        self.talks = [one for one in self.talks if one.user not in gone]
        self.again = ()
        if user in USERS:
            self.begin_anew(user)

    # Files.

    @rule(data=DATA, twice=st.booleans())
    def import_file(self, data: st.DataObject, twice: bool) -> None:
        rows = data.draw(st.lists(ROW, min_size=1, max_size=4, unique_by=lambda row: row[:2]))
        made: list[Row] = []
        for side, handle, told, dead, links in rows:
            earlier = [(one.side, one.handle) for one in made if one.dead]
            made.append(Row(side, handle, told, tuple(earlier[:links]), dead))
        data_written = written(made)
        self.files.append((data_written, [replace(one, note=clean(one.note)) for one in made]))
        dyad = self.dyad(data)
        for _time in range(1 + twice):
            self.bring(dyad, *self.files[-1])

    @rule(data=DATA)
    def export(self, data: st.DataObject) -> None:
        dyad = self.dyad(data)
        until = data.draw(st.integers(0, self.world.stories[dyad.user].head), "revision")
        rows = self.world.export(dyad.user, dyad.agent, until)
        found = self.sandbox.banks.export(ACCOUNT, dyad.user, dyad.agent, until)
        lines = [json.loads(one) for one in found.decode().splitlines()]
        assert [(one["text"], bool(one["deleted"]), len(one["replaces"])) for one in lines] == [
            (one.note.text, one.dead, len(one.replaces)) for one in rows
        ]
        self.files.append((found, rows))

    @precondition(lambda self: self.files)
    @rule(data=DATA)
    def import_again(self, data: st.DataObject) -> None:
        number = data.draw(st.integers(0, len(self.files) - 1), "file")
        self.bring(self.dyad(data), *self.files[number])

    def bring(self, dyad: Dyad, content: bytes, rows: list[Row]) -> None:
        new = self.world.bring(dyad.user, dyad.agent, rows, hashlib.sha256(content).hexdigest())
        banks = self.sandbox.banks
        found = banks.import_file(ACCOUNT, dyad.user, dyad.agent, content, "bank.jsonl")
        assert len(found.operations) == new

    # Branches.

    @rule(data=DATA)
    def say(self, data: st.DataObject) -> None:
        talk = data.draw(st.sampled_from(self.talks), "session")
        talk.saw.append(self.world.stories[talk.user].head)
        self.sandbox.conversation.ask(ACCOUNT, talk.session, f"What now, {len(talk.saw)}?")

    @precondition(lambda self: self.branches() and any(one.saw for one in self.talks))
    @rule(data=DATA)
    def fork(self, data: st.DataObject) -> None:
        talk = data.draw(st.sampled_from([one for one in self.talks if one.saw]), "session")
        turn = data.draw(st.integers(1, len(talk.saw)), "turn")
        branch, copy = self.sandbox.branches.fork(ACCOUNT, talk.session, turn)
        self.world.branch(talk.user, talk.saw[turn - 1], branch.user)
        self.talks.append(Talk(copy.id, branch.user, talk.agent, talk.saw[:turn]))

    @precondition(lambda self: self.branches())
    @rule(data=DATA)
    def branch_off(self, data: st.DataObject) -> None:
        dyad = self.dyad(data)
        revision = data.draw(st.integers(0, self.world.stories[dyad.user].head), "revision")
        branch = self.sandbox.branches.make(ACCOUNT, dyad, revision)
        self.world.branch(dyad.user, revision, branch.user)

    def branches(self) -> bool:
        """Whether there may be one more."""
        return sum(bool(one.origin) for one in self.world.stories.values()) < MOST_BRANCHES

    @precondition(lambda self: any(one.own() for one in self.world.stories.values()))
    @rule(data=DATA)
    def merge(self, data: st.DataObject) -> None:
        branches = [user for user, story in self.world.stories.items() if story.own()]
        user = data.draw(st.sampled_from(branches), "branch")
        own = self.world.stories[user].own()
        everything = data.draw(st.booleans(), "everything")
        some = st.sets(st.sampled_from(own), min_size=1)
        chosen = set(own) if everything else data.draw(some, "operations")
        self.merge_of(user, chosen)

    def merge_of(self, user: str, chosen: set[int]) -> None:
        branch, product = user.removeprefix("branch:"), self.sandbox.branches
        found = [one for agent in AGENTS for one in product.operations(ACCOUNT, branch, agent)]
        ids = sorted({one.id for one in found if one.number in chosen})
        assert len(ids) == len(chosen)
        self.both(
            lambda: self.world.merge(user, chosen), lambda: product.merge(ACCOUNT, branch, ids)
        )

    @precondition(lambda self: self.branches())
    @rule(data=DATA)
    def try_out(self, data: st.DataObject) -> None:
        """Branch off, change an entry there, take the change over."""
        dyad = self.dyad(data)
        if name := self.name(data, dyad, live=True):
            revision = self.world.stories[dyad.user].head
            branch = self.sandbox.branches.make(ACCOUNT, dyad, revision)
            self.world.branch(dyad.user, revision, branch.user)
            self.checks.agree(self.sandbox, AGENTS)
            self.change_of(data, replace(dyad, user=branch.user), name)
            if own := self.world.stories[branch.user].own():
                self.merge_of(branch.user, set(own))

    # The program.

    @rule(how=st.sampled_from(["served", "served without its index", "not served"]))
    def restart(self, how: str) -> None:
        self.close()
        if how == "served without its index":
            shutil.rmtree(self.where.folder / "index", ignore_errors=True)
        self.layout, self.sandbox = opened(self.where)
        if how != "not served":
            self.sandbox.start()
            wait_for(self.sandbox.index, "ready")
            assert how != "served" or self.sandbox.index.notices == ()

    @precondition(lambda self: self.sandbox.index.state.kind == "ready")
    @rule()
    def rebuild(self) -> None:
        assert self.sandbox.index.rebuild().kind == "ready"

    @invariant()
    def agree(self) -> None:
        self.checks.agree(self.sandbox, AGENTS)
        self.checks.index(self.sandbox)
        self.checks.nothing_is_left(self.sandbox)
        self.steps += 1
        queries = ["zorvat quimble", "茶碗", *sorted(self.world.said())]
        stories = list(self.world.stories.items())
        for place in range(self.steps, self.steps + 2):
            user, story = stories[place % len(stories)]
            query = queries[place % len(queries)]
            for revision in (story.head, self.steps % (story.head + 1)):
                self.checks.recall(self.sandbox, user, AGENTS[place % 2], query, revision)


def clean(told: Note) -> Note:
    """As it is kept: composed, single spaces."""
    return Note(told.type, " ".join(unicodedata.normalize("NFC", told.text).split()))


def written(rows: list[Row]) -> bytes:
    """A bank file as somebody else would write it."""
    lines = [
        {
            "id": row.handle,
            "side": row.side,
            "type": row.note.type,
            "text": row.note.text,
            "replaces": [f"{side}:{handle}" for side, handle in row.replaces],
            "deleted": {"reason": "Gone."} if row.dead else None,
        }
        for row in rows
    ]
    return "".join(f"{json.dumps(line)}\r\n" for line in lines).encode()


@contextmanager
def on_sqlite(template: Place) -> Iterator[Place]:
    """A copy of the template, for one run."""
    with TemporaryDirectory(prefix="life-") as place:
        folder = Path(place) / "data"
        shutil.copytree(template.folder, folder)
        yield Place(folder, None)


def template(folder: Path, url: str | None = None) -> Place:
    """A data folder with its sample banks, closed."""
    place = Place(folder, url)
    layout, sandbox = opened(place)
    sandbox.close()
    layout.close()
    return place


def live(request: pytest.FixtureRequest, place: Places, examples: int) -> None:
    """Live so many lives, and more of them, longer ones, where the profile has more examples."""
    times = max(1, settings().max_examples // 100)
    given = str(request.config.getoption("--hypothesis-seed") or "random")
    number = secrets.randbelow(2**32) if given == "random" else int(given)
    phases = {Phase.explicit, Phase.reuse, Phase.generate}
    chosen = settings(
        max_examples=examples * times,
        stateful_step_count=20 if times == 1 else 50,
        deadline=None,
        derandomize=False,
        # Shrinking takes minutes: by night only.
        phases=phases if times == 1 else {*phases, Phase.shrink},
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )

    @seed(number)
    def begin() -> Life:
        return Life(place, thorough=times > 1)

    try:
        run_state_machine_as_test(begin, settings=chosen)
    except BaseException as error:
        error.add_note(f"repeat with --hypothesis-seed={number}")
        raise


@pytest.mark.timeout(0)
def test_whatever_is_done_ledger_bank_and_both_recalls_agree_on_sqlite(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    made = template(tmp_path / "data")
    live(request, lambda: on_sqlite(made), 6)


@pytest.mark.timeout(0)
def test_whatever_is_done_ledger_bank_and_both_recalls_agree_on_postgres(
    request: pytest.FixtureRequest, postgres: Postgres, tmp_path: Path
) -> None:
    made = template(tmp_path / "data", postgres.database())

    @contextmanager
    def place() -> Iterator[Place]:
        with on_sqlite(made) as copied:
            yield Place(copied.folder, copy_of(postgres, made.url or ""))

    live(request, place, 4)


def copy_of(postgres: Postgres, url: str) -> str:
    """The URL of a copy of a database that nobody is connected to."""
    parsed = make_url(url)
    name = f"{parsed.database}_{secrets.token_hex(4)}"
    postgres.run(
        "createdb", "--host", str(parsed.query["host"]), "--template", str(parsed.database), name
    )
    return parsed.set(database=name).render_as_string(hide_password=False)

"""Checks that need a model on record: kept, of a version, stopped, forgotten, verified."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from threading import Event

import pytest
from sqlalchemy import select, update

from graphs.chat_model import ChatModel
from memory_banks.forgetting import FORGOTTEN
from sandbox.account import ACCOUNT
from sandbox.authoring.authored import Authored, Version, authored_json
from sandbox.authoring.badge import Look
from sandbox.authoring.badges import badges
from sandbox.authoring.making import instance_id
from sandbox.authoring.model_checks.checks import FORGOTTEN_MEANWHILE, ModelChecks
from sandbox.authoring.model_checks.found import ClosedBook, EvidenceRemoval, PersonaFlags
from sandbox.authoring.model_checks.jobs import CheckJobs
from sandbox.authoring.model_checks.pace import Pace
from sandbox.authoring.model_checks.planning import MOST_SAMPLES, Wanted
from sandbox.authoring.model_checks.store import clean_checks
from sandbox.authoring.model_checks.validity import validity
from sandbox.authoring.store import (
    UnknownAuthored,
    add_authored,
    add_version,
    all_latest,
    remove_authored,
)
from sandbox.authoring.tagging import corrected
from sandbox.folder import Layout
from sandbox.inputs import BadInput
from sandbox.lifecycle.redaction import Redaction
from sandbox.models import UnknownModel
from sandbox.record import Record, sqlite_url
from sandbox.tables import authored_versions, collections, model_checks
from sandbox.verify import verify
from sandbox.verify_authored import authored_problems
from tests.checking import BIKE, NOW, REPLY, THREE, ByWord, down, parrot
from tests.fakes import LastWord, fake_sandbox
from tests.scripted_model import Asked, Play, Scripted, ScriptedModel
from tests.test_authoring_forgets import TOLD
from tests.test_badges import ASKED, episode, made
from tests.test_forgetting import NOOR, SECRET, WALID

BOTH = Wanted("one", "two")
WALID_SAYS = "Walid"


@dataclass
class Kit:
    record: Record
    checks: ModelChecks
    models: dict[str, ScriptedModel]

    def keep(self, authored: Authored, number: int = 1) -> str:
        """Keep a version; its instance with the first."""
        with self.record.write("authored") as conn:
            if number == 1:
                add_authored(conn, ACCOUNT, authored, "2026-03-26")
            add_version(conn, Version(number, "Rana", "annotated", "x", "2026-03-26", authored))
        return authored.id

    def run(self, id_: str, wanted: Wanted = BOTH) -> list[str]:
        """Names of the checks that were kept, and the troubles."""
        ran = self.checks.run(self.checks.plan(ACCOUNT, id_, wanted), Pace())
        return [*(one.found.kind for one in ran.kept), *ran.troubles]


def kit(folder: Path, play: Play = parrot, **rest: Play) -> Kit:
    models = {name: ScriptedModel(play=rest.get(name, play), name=name) for name in ("one", "two")}

    def get_model(name: str | None) -> ChatModel:
        if name not in models:
            raise UnknownModel(f"There is no model {name!r}.")
        return models[name]

    numbers = count(1)
    record = Record(sqlite_url(folder / "record.sqlite"))
    record.migrate()
    new_id = lambda: f"k{next(numbers)}"  # noqa: E731
    checks = ModelChecks(record, get_model, ByWord, lambda: NOW, new_id)
    return Kit(record, checks, models)


@pytest.fixture
def tried(tmp_path: Path) -> Iterator[Kit]:
    made_ = kit(tmp_path)
    with closing(made_.record):
        yield made_


def states(kit_: Kit, authored: Authored) -> dict[str, str]:
    look = Look(authored, checks=kit_.checks.latest(ACCOUNT, authored.id))
    names = ("closed book", "evidence removal", "persona")
    return {one.name: one.state for one in badges(look) if one.name in names}


def test_all_three_are_kept_with_models_seeds_prompts_and_version_and_outlive_the_program(
    tmp_path: Path, tried: Kit
) -> None:
    id_ = tried.keep(THREE)
    assert tried.run(id_, replace(BOTH, samples=2, seed=7)) == [
        "closed book",
        "evidence removal",
        "persona",
    ]
    tried.record.close()
    again = kit(tmp_path)
    with closing(again.record):
        found = again.checks.latest(ACCOUNT, id_)
        assert states(again, THREE) == dict.fromkeys(found, "ok")
        book, removal, persona = (found[kind].found for kind in found)
    assert isinstance(book, ClosedBook)
    assert isinstance(removal, EvidenceRemoval)
    assert isinstance(persona, PersonaFlags)
    assert {one.version for one in found.values()} == {1}
    assert [one.seed for one in book.answers] == [one.seed for one in removal.paths] == [7, 8]
    assert (book.model, removal.judges, persona.model) == ("one", ("one", "two"), "one")
    assert set(book.prompts) == {"reply_free_system", "reply_free_turn"}
    assert set(removal.prompts) == {*book.prompts, "reply_free_notes", "degraded"}
    hashes = [*removal.prompts.values(), *persona.prompts.values()]
    assert all(len(one) == 64 for one in hashes)


def test_a_plan_counts_every_call(tried: Kit) -> None:
    id_ = tried.keep(THREE)
    planned = tried.checks.plan(ACCOUNT, id_, BOTH)
    pace = Pace()
    tried.checks.run(planned, pace)
    # 3 answers; 3 paths of 3 answers and 4 verdicts; 1 portion of texts.
    assert planned.calls == pace.done == 3 + 3 * 7 + 1
    assert sum(len(one.asked) for one in tried.models.values()) == planned.calls


def test_results_are_added_and_the_latest_stands(tried: Kit) -> None:
    id_ = tried.keep(REPLY)
    only = Wanted("one", kinds=("closed book",))
    tried.run(id_, only)
    tried.run(id_, replace(only, seed=50))
    assert [one.id for one in tried.checks.all(ACCOUNT, id_)] == ["k1", "k2"]
    latest = tried.checks.latest(ACCOUNT, id_)["closed book"].found
    assert isinstance(latest, ClosedBook)
    assert latest.answers[0].seed == 50


def test_a_changed_instance_is_to_be_run_again_and_its_old_numbers_stay(tried: Kit) -> None:
    id_ = tried.keep(REPLY)
    tried.run(id_)
    later = replace(REPLY, query="Where is the key of the shed?")
    tried.keep(later, 2)
    assert set(states(tried, later).values()) == {"not run"}
    tried.run(id_, Wanted("one", kinds=("persona",)))
    assert states(tried, later)["persona"] == "ok"
    assert [one.version for one in tried.checks.all(ACCOUNT, id_)] == [1, 1, 1, 2]


CASES: list[tuple[Wanted, str]] = [
    (replace(BOTH, samples=0), "must be 1 to 10, got 0"),
    (replace(BOTH, samples=MOST_SAMPLES + 1), "must be 1 to 10, got 11"),
    (replace(BOTH, seed=-1), "first seed must be"),
    (replace(BOTH, kinds=()), "No check is chosen"),
    (Wanted("one", "one", kinds=("evidence removal",)), "two different models"),
    (Wanted("one", "", kinds=("evidence removal",)), "two different models"),
]


@pytest.mark.parametrize(("wanted", "words"), CASES)
def test_what_cannot_be_done_is_refused_before_a_model_is_asked(
    tried: Kit, wanted: Wanted, words: str
) -> None:
    id_ = tried.keep(REPLY)
    with pytest.raises(BadInput, match=words):
        tried.checks.plan(ACCOUNT, id_, wanted)
    assert tried.checks.all(ACCOUNT, id_) == []
    assert not any(one.asked for one in tried.models.values())


def test_what_has_no_answer_is_left_out_and_the_rest_is_done(tried: Kit) -> None:
    id_ = tried.keep(made(BIKE))
    planned = tried.checks.plan(ACCOUNT, id_, BOTH)
    assert planned.kinds == ("persona",)
    assert [one.partition(":")[0] for one in planned.left_out] == [
        "Closed book",
        "Evidence removal",
    ]


def test_an_episode_is_answered_by_its_questions(tried: Kit) -> None:
    authored = episode(ASKED)
    id_ = tried.keep(authored)
    assert tried.run(id_) == ["closed book", "evidence removal", "persona"]
    removal = tried.checks.latest(ACCOUNT, id_)["evidence removal"].found
    assert isinstance(removal, EvidenceRemoval)
    assert removal.paths[0].kept == (("e3", "e4"), ())
    # With the supports shown the answer holds `Tallinn.`; without it is `I do not know.`
    assert [one.score for one in removal.paths[0].answers] == [1.0, 0.0]


def test_another_account_sees_nothing_and_starts_nothing(tried: Kit) -> None:
    id_ = tried.keep(REPLY)
    tried.run(id_)
    assert tried.checks.all("other", id_) == []
    with pytest.raises(UnknownAuthored):
        tried.checks.plan("other", id_, BOTH)


def test_a_model_that_is_down_leaves_its_trouble_and_not_a_result(tmp_path: Path) -> None:
    made_ = kit(tmp_path, down)
    with closing(made_.record):
        id_ = made_.keep(REPLY)
        book, removal, persona = made_.run(id_)
        assert made_.checks.all(ACCOUNT, id_) == []
        assert states(made_, REPLY) == dict.fromkeys(states(made_, REPLY), "not run")
    for told in (book, removal, persona):
        assert "refused the connection" in told


def test_a_judge_that_is_down_takes_no_earlier_result_away(tmp_path: Path) -> None:
    made_ = kit(tmp_path)
    with closing(made_.record):
        id_ = made_.keep(REPLY)
        made_.run(id_)
        made_.models["two"] = ScriptedModel(play=down, name="two")
        made_.models["one"] = ScriptedModel(
            play=lambda asked: down(asked) if asked.form else parrot(asked), name="one"
        )
        kept = made_.run(id_)
        assert kept[0] == "closed book"
        assert all("refused the connection" in one for one in kept[1:])
        assert states(made_, REPLY)["evidence removal"] == "ok"


# Going on behind


def waiting(jobs: CheckJobs, id_: str, until: Callable[[], bool]) -> None:
    for _ in range(400):
        if until():
            return
        Event().wait(0.01)
    raise AssertionError(jobs.of(ACCOUNT, id_))


def test_checks_go_on_behind_tell_how_far_they_are_and_can_be_stopped(tmp_path: Path) -> None:
    made_ = kit(tmp_path)
    with closing(made_.record):
        pause = Event()
        model = ScriptedModel(play=parrot, name="one", pause=pause)
        made_.models["one"] = model
        jobs, id_ = CheckJobs(made_.checks), made_.keep(REPLY)
        assert jobs.of(ACCOUNT, id_) is None
        started = jobs.start(ACCOUNT, id_, BOTH)
        assert (started.running, started.calls) == (True, 3 + 3 * 4 + 1)
        assert model.started.wait(5)
        now = jobs.of(ACCOUNT, id_)
        assert now is not None
        assert (now.done, now.doing) == (0, "closed book: answer 1 of 3")
        with pytest.raises(BadInput, match="being checked already"):
            jobs.start(ACCOUNT, id_, BOTH)
        jobs.put_away(ACCOUNT, id_)
        jobs.stop(ACCOUNT, id_)
        jobs.wait(ACCOUNT, id_, 5)
        over = jobs.of(ACCOUNT, id_)
        assert over is not None
        assert (over.status, over.ran and over.ran.kept) == ("stopped", ())
        assert made_.checks.all(ACCOUNT, id_) == []
        pause.set()
        jobs.start(ACCOUNT, id_, BOTH)
        jobs.wait(ACCOUNT, id_, 20)
        done = jobs.of(ACCOUNT, id_)
        assert done is not None
        assert (done.status, done.done) == ("done", done.calls)
        assert len(made_.checks.all(ACCOUNT, id_)) == 3
        jobs.put_away(ACCOUNT, id_)
        assert jobs.of(ACCOUNT, id_) is None


def test_a_model_that_there_is_not_is_said_and_the_end_of_the_program_stops_all(
    tmp_path: Path,
) -> None:
    made_ = kit(tmp_path)
    with closing(made_.record):
        jobs, id_ = CheckJobs(made_.checks), made_.keep(REPLY)
        jobs.start(ACCOUNT, id_, Wanted("three"))
        jobs.wait(ACCOUNT, id_, 5)
        failed = jobs.of(ACCOUNT, id_)
        assert failed is not None
        assert (failed.status, failed.trouble) == ("failed", "There is no model 'three'.")
        made_.models["one"] = ScriptedModel(play=parrot, name="one", pause=Event())
        jobs.start(ACCOUNT, id_, BOTH)
        assert made_.models["one"].started.wait(5)
        jobs.close()
        ended = jobs.of(ACCOUNT, id_)
        assert ended is not None
        assert ended.status == "stopped"


# Forgetting and verifying


def test_forgetting_takes_the_words_and_leaves_the_numbers(tried: Kit) -> None:
    shown, other = tried.keep(REPLY), tried.keep(replace(THREE, id="a2"))
    for id_ in (shown, other):
        tried.run(id_)
    before = [states(tried, one) for one in (REPLY, replace(THREE, id="a2"))]
    with tried.record.write("T6") as conn:
        words = Redaction(["The blue door sticks in winter."])
        clean_checks(conn, ACCOUNT, words, {shown})
        assert list(authored_problems(conn)) == []
    told = {id_: repr(tried.checks.all(ACCOUNT, id_)) for id_ in (shown, other)}
    assert "glazed" not in told[shown]
    assert "I do not know" not in told[shown]
    assert FORGOTTEN in told[shown]
    assert "sticks in winter" not in told[other]
    assert "glazed" in told[other]
    assert [states(tried, one) for one in (REPLY, replace(THREE, id="a2"))] == before


def test_what_was_forgotten_while_a_check_went_on_is_not_written_down_again(
    tmp_path: Path,
) -> None:
    made_ = kit(tmp_path)
    with closing(made_.record):
        id_ = made_.keep(REPLY)

        def play(asked: Asked) -> Scripted:
            blank = authored_json(replace(REPLY, query=FORGOTTEN, forgotten=1))
            with made_.record.write("T6") as conn:
                conn.execute(update(authored_versions).values(json=blank))
            return "Under the glazed pot."

        made_.models["one"] = ScriptedModel(play=play, name="one")
        [told] = made_.run(id_, Wanted("one", kinds=("closed book",)))
        assert told == f"closed book: {FORGOTTEN_MEANWHILE}"
        assert made_.checks.all(ACCOUNT, id_) == []


def test_a_forgotten_entry_is_in_no_answer_that_a_check_kept(
    tmp_path: Path,
) -> None:
    def play(asked: Asked) -> Scripted:
        form = asked.form.__name__ if asked.form else None
        if form == "CaptureForm":
            return {"entries": [{"utterance": 1, "type": "fact", "text": SECRET}]}
        if form == "UpdateForm":
            return {"changes": []}
        if form == "FlagsForm":
            quote = {"quote": SECRET.split(".")[0], "against": WALID_SAYS, "why": SECRET}
            return {"flags": [{"number": 2, **quote}]}
        return f"As I know: {SECRET}" if "Where would" in asked.said else "I see."

    folder = tmp_path / "data"
    with closing(fake_sandbox(folder, play, load_judge=LastWord)) as sandbox:
        sandbox.start()
        first = sandbox.sessions.open(ACCOUNT, NOOR, WALID)
        sandbox.conversation.ask(ACCOUNT, first.id, TOLD)
        sandbox.remembering.end(ACCOUNT, first.id, "all")
        second = sandbox.sessions.open(ACCOUNT, NOOR, WALID)
        reply = sandbox.conversation.ask(ACCOUNT, second.id, "Where would you look?").line.id
        shop = sandbox.workshop
        form = shop.authoring.from_turn(ACCOUNT, reply)
        form = corrected(form, {one.held.key: "must" for one in form.pool}, "Rana")
        form = replace(form, reference="None.", history=(), collection="pots")
        shop.authoring.start(ACCOUNT, form, "Rana", looked_at=True)
        plan = shop.checks.plan(ACCOUNT, form.id, Wanted("scripted"))
        ran = shop.checks.run(plan, Pace())
        assert [one.found.kind for one in ran.kept] == ["closed book", "persona"]
        assert all(SECRET in repr(one) for one in ran.kept)
        done = shop.publishing.publish(ACCOUNT, "pots")
        data = sandbox.instances.collection(ACCOUNT, done.sha256)
        about = json.loads(shelved(sandbox.record, done.sha256))["about"]
        assert f"{data.instances[0].id}: closed book" in about
        assert SECRET not in about
        dyad = sandbox.banks.dyad(ACCOUNT, NOOR, WALID)
        [entry] = [one for one in form.cites if one]
        told = sandbox.forgetting.entry(ACCOUNT, dyad, entry)
        assert told.counts["instances"] == 1
        with sandbox.record.read() as conn:
            kept = conn.execute(select(model_checks.c.json)).scalars().all()
        assert len(kept) == 2
        assert not any(SECRET in one for one in kept)
        assert verify(Layout(folder), sandbox.record).problems == ()


def shelved(record: Record, sha256: str) -> bytes:
    with record.read() as conn:
        query = select(collections.c.data).where(collections.c.sha256 == sha256)
        return bytes(conn.execute(query).scalar_one())


def test_checks_go_with_their_instance(tried: Kit) -> None:
    id_ = tried.keep(REPLY)
    tried.run(id_)
    with tried.record.write("T6") as conn:
        assert remove_authored(conn, [id_]) == 1
        assert conn.execute(model_checks.select()).all() == []


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"number": 9}, "not numbered from 1 without a gap"),
        ({"version": 3}, "a check of the instance a1 is of a version that is not there"),
        ({"json": '{"kind": "closed book"}'}, "cannot be read"),
        ({"json": "nothing"}, "cannot be read"),
    ],
)
def test_verify_sees_a_check_that_does_not_hold_together(
    tried: Kit, values: dict[str, object], words: str
) -> None:
    id_ = tried.keep(REPLY)
    tried.run(id_)
    with tried.record.write("derived") as conn:
        assert list(authored_problems(conn)) == []
        conn.execute(update(model_checks).where(model_checks.c.number == 2).values(**values))
        assert any(words in one for one in authored_problems(conn))


# For whoever gets the file


def test_a_collection_tells_what_was_checked_in_numbers_and_quotes_nothing(tried: Kit) -> None:
    first, second = REPLY, replace(THREE, id="a2")
    for one in (first, second):
        tried.keep(one)
    tried.run(first.id, Wanted("one", kinds=("closed book",)))
    with tried.record.read() as conn:
        made_of = all_latest(conn, ACCOUNT)
    counted, line = validity(made_of, lambda id_: tried.checks.latest(ACCOUNT, id_))
    assert counted == (
        "Checks that need a model: closed book 1 not run, 1 ok; evidence removal 2 not run; "
        "persona 2 not run."
    )
    assert line.startswith(f"{instance_id(first)}: closed book ok (answered without memory 0.00")
    assert "seeds 1 to 3, by one, scored by local, of version 1" in line
    assert "I do not know" not in line
    assert validity([], lambda id_: {}) == ()


def test_a_page_about_many_instances_stays_short(tried: Kit) -> None:
    tried.keep(REPLY)
    tried.run(REPLY.id, Wanted("one", kinds=("closed book",)))
    with tried.record.read() as conn:
        [version] = all_latest(conn, ACCOUNT)
    found = tried.checks.latest(ACCOUNT, REPLY.id)
    lines = validity([version] * 200, lambda id_: found)
    assert sum(map(len, lines)) < 11_000
    assert lines[-1] == f"And {200 - (len(lines) - 2)} more that were checked."

"""Instances made of what was talked: filled from the record, saved, annotated, published."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.authoring.authored import Authored, Version
from sandbox.authoring.blind import BlindView
from sandbox.authoring.licences import LOCOMO, inherited, is_noncommercial
from sandbox.authoring.making import instance_id, instances_of
from sandbox.authoring.patching import patched
from sandbox.authoring.tagging import corrected
from sandbox.edits import Edit
from sandbox.formats import packaged_collection, read_collection
from sandbox.inputs import BadInput
from sandbox.transcripts import Session
from tests.fakes import LastWord, Script, fake_sandbox
from tests.test_evaluating import opened, pasted

WALID, NOOR = "walid-qutami", "Noor Zeitoun"
KEY = "Noor keeps her spare key under the blue-glazed pot."
RULE = "Walid always answers with the street first."


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    captures = [
        {
            "entries": [
                {"utterance": 1, "type": "fact", "text": KEY},
                {"utterance": 2, "type": "agent_identity", "text": RULE},
            ]
        }
    ]
    script = Script(replies={"Where": "Under the pot."}, captures=captures)
    with closing(fake_sandbox(tmp_path / "data", script.play, load_judge=LastWord)) as made:
        made.start()
        yield made


@pytest.fixture
def reply(sandbox: Sandbox) -> str:
    """Noor asks where her key is; the two entries of her first session are recalled."""
    first = sandbox.sessions.open(ACCOUNT, NOOR, WALID, clock="2026-03-20T09:00+03:00")
    sandbox.conversation.ask(ACCOUNT, first.id, "My key is under the blue pot.")
    sandbox.remembering.end(ACCOUNT, first.id, "all")
    second = sandbox.sessions.open(
        ACCOUNT, NOOR, WALID, clock="2026-03-26T11:05+03:00", emotion="anxious", scene="Emotions"
    )
    sandbox.conversation.ask(ACCOUNT, second.id, "Good morning.")
    return sandbox.conversation.ask(ACCOUNT, second.id, "Where is my key?").line.id


def chosen(authored: Authored, role: str = "irr", **named: str) -> Authored:
    """The form with `role` for each entry, and other ones by the first word of their text."""
    roles = {
        one.held.key: named.get(one.held.text.split()[0].lower(), role) for one in authored.pool
    }
    return corrected(authored, roles, "Rana")


def annotated(sandbox: Sandbox, reply: str, **named: str) -> Version:
    """A reply's instance, its roles checked by Rana."""
    form = chosen(sandbox.workshop.authoring.from_turn(ACCOUNT, reply), **named)
    sandbox.workshop.authoring.start(ACCOUNT, form, "Rana")
    return sandbox.workshop.authoring.save(ACCOUNT, form, "Rana", looked_at=True)


# The form


def test_a_reply_fills_the_form_from_the_record(sandbox: Sandbox, reply: str) -> None:
    sandbox.evaluating.evaluate(ACCOUNT, reply, "local")
    form = sandbox.workshop.authoring.from_turn(ACCOUNT, reply, "Rana")
    assert [said.text for said in form.history] == ["Good morning.", "I see."]
    assert (form.query, form.reference) == ("Where is my key?", "Under the pot.")
    assert (form.time, form.emotion, form.scene) == (
        "2026-03-26T11:05:00+03:00",
        "anxious",
        "Emotions",
    )
    assert {one.held.text for one in form.pool} == {KEY, RULE}
    assert all(len(one.held.provenance.turns) == 1 for one in form.pool)
    assert {one.tag and (one.tag.source, one.tag.by) for one in form.pool} == {
        ("proposed", "local")
    }
    assert set(form.shown) == {one.held.key for one in form.pool}
    assert (form.licence, form.licence_kept) == ("unspecified", False)
    assert form.origin.revision == 2
    assert (form.persona.openers, form.persona.sample_user) == ((), None)


def test_the_order_and_the_keys_of_the_pool_say_nothing_of_roles(
    sandbox: Sandbox, reply: str
) -> None:
    form = sandbox.workshop.authoring.from_turn(ACCOUNT, reply)
    keys = [one.held.key for one in form.pool]
    assert keys == sorted(keys)
    other = chosen(form, noor="must")
    assert [one.held.key for one in other.pool] == keys


def test_roles_of_a_file_are_given_and_its_license_is_kept(sandbox: Sandbox) -> None:
    made = pasted(sandbox, opened(sandbox, "05"), "good")
    form = sandbox.workshop.authoring.from_turn(ACCOUNT, made)
    assert {one.tag and one.tag.source for one in form.pool} == {"given"}
    assert (form.licence, form.licence_kept) == ("Apache-2.0", True)
    assert form.reference_by == "human"
    assert sum(one.held.status == "superseded" for one in form.pool) == 2
    [session] = sandbox.sessions.list(ACCOUNT)
    assert form.origin.collection == "demo.json"
    assert form.origin.session == session.session.id


def test_a_session_that_continues_locomo_text_stays_noncommercial() -> None:
    shipped = read_collection(packaged_collection(), "demo.json").instances[0]
    assert inherited(replace(shipped, source="StratMem-Bench", licence="")) == LOCOMO
    assert inherited(replace(shipped, source="LoCoMo", licence="CC BY-NC 4.0")) == "CC BY-NC 4.0"
    assert inherited(replace(shipped, licence="")) is None
    assert is_noncommercial(LOCOMO)
    assert is_noncommercial("CC-BY-NC-SA-4.0")
    assert not is_noncommercial("CC BY 4.0")


# Saving


def test_a_draft_is_saved_whole_with_its_history(sandbox: Sandbox, reply: str) -> None:
    authoring = sandbox.workshop.authoring
    form = chosen(authoring.from_turn(ACCOUNT, reply), noor="must")
    first = authoring.start(ACCOUNT, replace(form, collection="  keys and pots "), "Rana")
    assert (first.number, first.stage, first.authored.collection) == (1, "draft", "keys and pots")
    again = authoring.save(ACCOUNT, replace(form, query="Where is it?"), "Rana", looked_at=True)
    assert (again.number, again.stage) == (2, "annotated")
    assert authoring.get(ACCOUNT, form.id) == again
    assert [one.authored.query for one in authoring.history(ACCOUNT, form.id)] == [
        "Where is my key?",
        "Where is it?",
    ]
    assert [one.number for one in authoring.all(ACCOUNT)] == [2]
    assert authoring.all("other") == []


BAD = [
    ({"query": "  "}, "has no query"),
    ({"title": ""}, "has no title"),
    ({"pool": ()}, "pool is empty"),
    ({"collection": "a/b"}, "no slash"),
    ({"collection": ""}, "has no name"),
    ({"golden": ("nowhere",)}, "there is no such entry"),
    ({"situation": "sad", "points": (9,)}, "key points, got 9"),
    ({"points": (1,)}, "no situation is chosen"),
    ({"situation": "cheerful", "points": (1,)}, "has no situation 'cheerful'"),
    ({"phrasing": "rhymes"}, "phrasing must be one of"),
    ({"query": "x" * 20_001}, "20,000 are most"),
    ({"scene": "Weather"}, "scene must be one of"),
    ({"query": "a\x00b"}, "NUL"),
    ({"language": "und"}, "language"),
]


@pytest.mark.parametrize(("change", "sentence"), BAD, ids=[str(i) for i in range(len(BAD))])
def test_bad_input_changes_nothing(
    sandbox: Sandbox, reply: str, change: dict[str, object], sentence: str
) -> None:
    authoring = sandbox.workshop.authoring
    form = chosen(authoring.from_turn(ACCOUNT, reply))
    with pytest.raises(BadInput, match=sentence):
        authoring.start(ACCOUNT, replace(form, **change), "Rana")  # type: ignore[arg-type]
    assert authoring.all(ACCOUNT) == []
    authoring.start(ACCOUNT, form, "Rana")
    with pytest.raises(BadInput, match=sentence):
        authoring.save(ACCOUNT, replace(form, **change), "Rana")  # type: ignore[arg-type]
    assert len(authoring.history(ACCOUNT, form.id)) == 1


def test_what_is_deleted_comes_back_whole(sandbox: Sandbox, reply: str) -> None:
    authoring = sandbox.workshop.authoring
    version = annotated(sandbox, reply, noor="must")
    authoring.delete(ACCOUNT, version.authored.id)
    assert authoring.all(ACCOUNT) == []
    assert [one.authored.id for one in authoring.deleted(ACCOUNT)] == [version.authored.id]
    authoring.restore(ACCOUNT, version.authored.id)
    assert authoring.all(ACCOUNT) == [version]
    with pytest.raises(BadInput, match="Nothing is made here"):
        authoring.delete("other", version.authored.id)


# Models never write gold


def test_no_role_of_a_model_is_gold_without_a_person(sandbox: Sandbox, reply: str) -> None:
    workshop = sandbox.workshop
    sandbox.evaluating.evaluate(ACCOUNT, reply, "local")
    form = workshop.authoring.from_turn(ACCOUNT, reply)
    workshop.authoring.start(ACCOUNT, form, "Rana")
    with pytest.raises(BadInput, match="2 roles .* are only proposed"):
        instances_of(form)
    with pytest.raises(BadInput, match="is a draft"):
        workshop.publishing.publish(ACCOUNT, form.collection)
    with pytest.raises(BadInput, match="It is a draft"):
        workshop.annotating.view(ACCOUNT, form.id, "Omar")
    saved = workshop.authoring.save(ACCOUNT, form, "Rana", looked_at=True)
    assert {one.tag and (one.tag.source, one.tag.by) for one in saved.authored.pool} == {
        ("checked", "Rana")
    }
    assert len(workshop.publishing.ready(ACCOUNT, form.collection).instances) == 1


def test_an_entry_without_a_role_is_not_checked(sandbox: Sandbox, reply: str) -> None:
    authoring = sandbox.workshop.authoring
    form = authoring.from_turn(ACCOUNT, reply)
    authoring.start(ACCOUNT, form, "Rana")
    with pytest.raises(BadInput, match="2 entries .* have no role"):
        authoring.save(ACCOUNT, form, "Rana", looked_at=True)
    assert authoring.get(ACCOUNT, form.id).stage == "draft"


# The second annotator


def test_the_second_annotator_sees_no_word_of_the_first(sandbox: Sandbox, reply: str) -> None:
    version = annotated(sandbox, reply, noor="must")
    seen = sandbox.workshop.annotating.view(ACCOUNT, version.authored.id, "Omar")
    told = repr(seen)
    for word in ("must", "Rana", "tag", "corrected", version.authored.reference, "golden"):
        assert word not in told
    hidden = {"pool", "golden", "reference", "points", "author", "origin", "shown"}
    assert hidden & set(BlindView.__dataclass_fields__) == {"pool"}


def test_roles_do_not_move_the_blind_pool(sandbox: Sandbox, reply: str) -> None:
    version = annotated(sandbox, reply, noor="must")
    view = sandbox.workshop.annotating.view
    before = view(ACCOUNT, version.authored.id, "Omar")
    changed = chosen(version.authored, walid="nice")
    sandbox.workshop.authoring.save(ACCOUNT, changed, "Rana", "Looked again.", looked_at=True)
    assert view(ACCOUNT, version.authored.id, "Omar") == before


def test_two_annotators_are_adjudicated_sampled_and_their_agreement_told(
    sandbox: Sandbox, reply: str
) -> None:
    annotating, version = sandbox.workshop.annotating, annotated(sandbox, reply, noor="must")
    id_ = version.authored.id
    rule, key = (
        next(one.held.key for one in version.authored.pool if one.held.text == text)
        for text in (RULE, KEY)
    )
    for name in ("Rana", " rana "):
        with pytest.raises(BadInput, match="somebody else must annotate it"):
            annotating.annotate(ACCOUNT, id_, name, {rule: "irr", key: "must"})
    with pytest.raises(BadInput, match="1 of 2 entries have no role"):
        annotating.annotate(ACCOUNT, id_, "Omar", {rule: "nice"})
    with pytest.raises(BadInput, match="Nobody has annotated it"):
        annotating.differences(ACCOUNT, id_)
    second = annotating.annotate(ACCOUNT, id_, "Omar", {rule: "nice", key: "must"})
    assert second.stage == "second"
    _told, [only] = annotating.differences(ACCOUNT, id_)
    assert (only.text, only.first, only.second) == (RULE, "irr", "nice")
    found = annotating.agreement(ACCOUNT, version.authored.collection)
    assert (found.instances, found.entries, found.exact) == (1, 2, 0.5)
    assert found.roles is not None
    assert found.roles.tags["must"].kappa.value == 1.0
    with pytest.raises(BadInput, match="1 differences are left open"):
        annotating.adjudicate(ACCOUNT, id_, "Lina", {}, "Both read it again.")
    done = annotating.adjudicate(ACCOUNT, id_, "Lina", {rule: "nice"}, "It helps here.")
    assert done.stage == "adjudicated"
    entry = done.authored.entry(rule)
    assert entry is not None
    assert entry.tag is not None
    assert (entry.tag.role, entry.tag.source, entry.tag.by) == ("nice", "corrected", "Lina")
    drawn = annotating.drawn(ACCOUNT, version.authored.collection, 0.5, seed=7)
    assert [one.authored.id for one in drawn] == [id_]
    passed = annotating.annotate(ACCOUNT, id_, "Sami", {rule: "nice", key: "must"})
    assert (passed.stage, passed.number) == ("sampled", 5)
    assert annotating.differences(ACCOUNT, id_)[1] == ()


def test_a_changed_role_needs_a_second_annotator_again(sandbox: Sandbox, reply: str) -> None:
    version = annotated(sandbox, reply, noor="must")
    roles = {one.held.key: "irr" for one in version.authored.pool}
    sandbox.workshop.annotating.annotate(ACCOUNT, version.authored.id, "Omar", roles)
    authoring = sandbox.workshop.authoring
    retitled = replace(version.authored, title="Another title")
    assert authoring.save(ACCOUNT, retitled, "Rana", "Clearer.").stage == "second"
    changed = chosen(retitled, noor="nice")
    with pytest.raises(BadInput, match="needs a reason"):
        authoring.save(ACCOUNT, changed, "Rana")
    assert authoring.save(ACCOUNT, changed, "Rana", "Nice at most.").stage == "annotated"


# Collections


def test_a_published_instance_opens_with_the_same_pool_and_seed(
    sandbox: Sandbox, reply: str
) -> None:
    version = annotated(sandbox, reply, noor="must")
    publishing = sandbox.workshop.publishing
    done = publishing.publish(ACCOUNT, version.authored.collection)
    assert (done.name, done.number) == ("own Walid Qutami v1", 1)
    assert publishing.publish(ACCOUNT, version.authored.collection) == done
    [one] = sandbox.instances.collection(ACCOUNT, done.sha256).instances
    assert one.id == instance_id(version.authored)
    assert one.roles == {e.held.key: e.tag.role for e in version.authored.pool if e.tag}
    assert [e.text for e in one.listed()] == [
        e.text for e in instances_of(version.authored)[0].listed()
    ]
    session = sandbox.instances.open(ACCOUNT, done.sha256, one.id)
    sandbox.conversation.ask(ACCOUNT, session.id, session.box or "")
    [turn] = sandbox.sessions.transcript(ACCOUNT, session.id).turns
    judged = sandbox.evaluating.evaluate(ACCOUNT, turn.chosen or "", "local")
    assert {tag.source for tag in judged.roles.values()} == {"gold"}
    assert session.clock == version.authored.time


def test_a_change_is_the_next_version_and_the_earlier_one_stays(
    sandbox: Sandbox, reply: str
) -> None:
    version = annotated(sandbox, reply, noor="must")
    workshop, name = sandbox.workshop, version.authored.collection
    first = workshop.publishing.publish(ACCOUNT, name)
    changed = replace(version.authored, query="Where did I put it?")
    workshop.authoring.save(ACCOUNT, changed, "Rana", "More natural.")
    second = workshop.publishing.publish(ACCOUNT, name)
    assert [one.number for one in workshop.publishing.versions(ACCOUNT, name)] == [1, 2]
    names = {one.name for one in sandbox.instances.all(ACCOUNT)}
    assert names == {"demo.json", first.name, second.name}
    workshop.authoring.save(ACCOUNT, version.authored, "Rana", "Back.")
    assert workshop.publishing.publish(ACCOUNT, name).number == 1


def test_an_export_tells_figures_stages_and_licenses(sandbox: Sandbox, reply: str) -> None:
    version = annotated(sandbox, reply, noor="must", walid="nice")
    workshop, name = sandbox.workshop, version.authored.collection
    workshop.authoring.save(
        ACCOUNT, replace(version.authored, licence="CC BY-NC 4.0"), "Rana", "As agreed."
    )
    made = workshop.publishing.export(ACCOUNT, name, "demo", seed=42)
    assert list(made.files) == [f"{name} capped 42.json"]
    assert made.about_name == f"{name}.about.txt"
    told = made.about
    for part in (
        "1 instances (1 must+nice)",
        "Stages: 1 annotated",
        "Pools of 2.00 entries",
        "words on average",
        "must not be used commercially",
        "drawn with seed 42",
    ):
        assert part in told
    [data] = workshop.publishing.export(ACCOUNT, name, "demo").files.values()
    assert read_collection(data, "x.json").instances[0].licence == "CC BY-NC 4.0"
    with pytest.raises(BadInput, match="format must be one of"):
        workshop.publishing.export(ACCOUNT, name, "spreadsheet")


# Dialogues and episodes


def session_of(sandbox: Sandbox, reply: str) -> Session:
    return sandbox.evaluating.reply(ACCOUNT, reply).session


def test_a_session_makes_a_dialogue_with_golden_entries_from_those_shown(
    sandbox: Sandbox, reply: str
) -> None:
    workshop = sandbox.workshop
    form = workshop.authoring.from_session(ACCOUNT, session_of(sandbox, reply).id, "dialogue")
    assert form.talk is not None
    asked = [one.id for one in form.talk.turns() if one.role == "user"]
    assert form.tests == tuple(asked[:1])
    form = replace(form, tests=tuple(asked), golden=form.shown[:1])
    workshop.authoring.start(ACCOUNT, form, "Rana")
    with pytest.raises(BadInput, match="has no golden entry"):
        workshop.authoring.save(ACCOUNT, replace(form, golden=()), "Rana", looked_at=True)
    saved = workshop.authoring.save(ACCOUNT, accepted_of(form), "Rana", looked_at=True)
    first, second = instances_of(saved.authored)
    assert (first.query, second.query) == ("Good morning.", "Where is my key?")
    assert first.dialogue == second.dialogue != ""
    assert (first.golden, first.roles) == (form.shown[:1], {})
    assert [said.text for said in second.history] == ["Good morning.", "I see."]
    assert second.reply == "Under the pot."
    assert workshop.publishing.publish(ACCOUNT, form.collection).instances == 2


def accepted_of(form: Authored) -> Authored:
    return chosen(form)


def test_a_golden_entry_that_was_not_shown_changes_the_memory_first(
    sandbox: Sandbox, reply: str
) -> None:
    authoring = sandbox.workshop.authoring
    form = authoring.from_session(ACCOUNT, session_of(sandbox, reply).id, "dialogue")
    hidden = replace(form, golden=form.shown[1:], shown=form.shown[:1])
    with pytest.raises(BadInput, match="not among the 1 shown"):
        authoring.start(ACCOUNT, hidden, "Rana")


def test_sessions_make_an_episode_with_the_ledgers_operations(sandbox: Sandbox, reply: str) -> None:
    workshop = sandbox.workshop
    form = workshop.authoring.from_session(ACCOUNT, session_of(sandbox, reply).id, "episode")
    assert form.talk is not None
    first, second = form.talk.sessions
    assert first.gold is not None
    assert second.gold is not None
    assert {one.text for one in first.gold.captures} == {KEY, RULE}
    assert (first.gold.adds, second.gold.captures, second.gold.adds) == ((), (), ())
    turns = {one.id: one.role for one in first.turns}
    by_role = {one.text: turns[one.turns[0]] for one in first.gold.captures}
    assert by_role == {KEY: "user", RULE: "assistant"}
    assert len(form.unchecked) == 2
    workshop.authoring.start(ACCOUNT, form, "Rana")
    saved = workshop.authoring.save(ACCOUNT, form, "Rana", looked_at=True)
    ready = workshop.publishing.ready(ACCOUNT, saved.authored.collection)
    assert [one.has_gold for one in ready.episodes] == [True]


# What changes afterwards


def test_a_correction_rechecks_every_instance_that_cites_the_entry(
    sandbox: Sandbox, reply: str
) -> None:
    version = annotated(sandbox, reply, noor="must")
    entry = next(one for one in version.authored.pool if one.held.text == KEY)
    assert entry.cites is not None
    recheck = sandbox.workshop.rechecking.recheck
    [before] = recheck(ACCOUNT, entry.cites)
    assert before.changes == ()
    assert recheck(ACCOUNT, "nothing") == []
    sandbox.evaluating.correct(
        ACCOUNT, reply, "role", "nice", entry=entry.cites, reason="It is not needed."
    )
    dyad = sandbox.banks.dyad(ACCOUNT, NOOR, WALID)
    sandbox.editing.delete(dyad, entry.cites, draft="click-1", reason="Moved.")
    [after] = recheck(ACCOUNT, entry.cites)
    assert [one.what for one in after.changes] == ["gone", "role"]
    assert "It is not needed." in after.changes[1].sentence
    assert sandbox.workshop.authoring.get(ACCOUNT, version.authored.id) == version


def test_a_published_version_tells_what_changed_since_and_what_took_its_place(
    sandbox: Sandbox, reply: str
) -> None:
    version = annotated(sandbox, reply, noor="must")
    entry = next(one for one in version.authored.pool if one.held.text == KEY)
    done = sandbox.workshop.publishing.publish(ACCOUNT, version.authored.collection)
    file = sandbox.instances.collection(ACCOUNT, done.sha256)
    rechecking = sandbox.workshop.rechecking
    assert rechecking.of_file(ACCOUNT, file) == {}
    assert rechecking.changed(ACCOUNT) == {}
    dyad = sandbox.banks.dyad(ACCOUNT, NOOR, WALID)
    moved = Edit("fact", "The key hangs in the shed now.")
    sandbox.editing.change(dyad, entry.cites or "", moved, draft="click-1", reason="It moved.")
    [(name, [change])] = rechecking.of_file(ACCOUNT, file).items()
    assert name == file.instances[0].id
    assert (change.key, change.what) == (entry.held.key, "replaced")
    assert change.sentence.endswith("by: The key hangs in the shed now.")
    assert change.sentence in rechecking.changed(ACCOUNT)[version.authored.id]
    assert rechecking.of_file(ACCOUNT, sandbox.instances.shipped) == {}


def test_what_is_published_from_here_is_corrected_at_its_instance_and_not_in_a_copy(
    sandbox: Sandbox, reply: str
) -> None:
    version = annotated(sandbox, reply, noor="must")
    done = sandbox.workshop.publishing.publish(ACCOUNT, version.authored.collection)
    [one] = sandbox.instances.collection(ACCOUNT, done.sha256).instances
    key = one.having("must")[0].key
    disputes = sandbox.workshop.disputes
    disputes.dispute(ACCOUNT, done.sha256, one.id, key, "nice", "It would help only.")
    with pytest.raises(BadInput, match="correct the instance itself and publish"):
        disputes.correct(ACCOUNT, done.sha256)
    assert len(sandbox.instances.all(ACCOUNT)) == 2


def test_a_collection_of_episodes_is_published_as_one_and_beside_instances_they_are_left_out(
    sandbox: Sandbox, reply: str
) -> None:
    workshop = sandbox.workshop
    form = workshop.authoring.from_session(ACCOUNT, session_of(sandbox, reply).id, "episode")
    form = replace(form, collection="both")
    workshop.authoring.start(ACCOUNT, form, "Rana")
    workshop.authoring.save(ACCOUNT, form, "Rana", looked_at=True)
    first = workshop.publishing.publish(ACCOUNT, "both")
    assert first.instances == 1
    found = sandbox.instances.collection(ACCOUNT, first.sha256)
    assert found.episodes == workshop.publishing.ready(ACCOUNT, "both").episodes
    version = annotated(sandbox, reply, noor="must")
    moved = replace(version.authored, collection="both")
    workshop.authoring.save(ACCOUNT, moved, "Rana", "It belongs there.")
    second = workshop.publishing.publish(ACCOUNT, "both")
    assert (second.number, second.instances) == (2, 1)
    assert "is an episode" in second.left_out[0]
    assert sandbox.instances.collection(ACCOUNT, second.sha256).episodes == ()


# Disputes


def test_a_disputed_role_is_a_patch_that_corrects_a_copy_of_the_file(sandbox: Sandbox) -> None:
    disputes, shipped = sandbox.workshop.disputes, sandbox.instances.shipped
    one = shipped.find("demo-05")
    key = one.having("nice")[0].key
    for role, why, match in (
        ("nice", "x", "must be another"),
        ("maybe", "x", "must be another"),
        ("irr", " ", "needs a reason"),
    ):
        with pytest.raises(BadInput, match=match):
            disputes.dispute(ACCOUNT, shipped.sha256, one.id, key, role, why)
    with pytest.raises(BadInput, match="gives no label"):
        disputes.dispute(ACCOUNT, shipped.sha256, one.id, "m99", "irr", "x")
    with pytest.raises(BadInput, match="there is no patch"):
        disputes.patch(ACCOUNT, shipped.sha256)
    first = disputes.dispute(ACCOUNT, shipped.sha256, one.id, key, "irr", "Wrong.", "Rana")
    made = disputes.dispute(ACCOUNT, shipped.sha256, "demo-05", key, "must", "Needed.", "Omar")
    assert disputes.all(ACCOUNT) == [first, made] or disputes.all(ACCOUNT) == [made, first]
    disputes.withdraw(ACCOUNT, first.id)
    patch = disputes.patch(ACCOUNT, shipped.sha256)
    assert b'"author": "Omar"' in patch
    shipped_file = ("demo.json", packaged_collection())
    done = patched(patch, [shipped_file])
    assert (list(done.files), done.changes) == (["demo.json"], 1)
    copy = read_collection(done.files["demo.json"], "demo.json")
    assert copy.find("demo-05").roles == {**one.roles, key: "must"}
    assert copy.find("demo-05").reasons[key] == "Needed. (Omar)"
    good = next(reply for reply in copy.find("demo-05").replies if reply.name == "good")
    assert [use.role for use in good.used if use.entry == key] == ["must"]
    rest = [one_ for one_ in copy.instances if one_.id != one.id]
    assert rest == [one_ for one_ in shipped.instances if one_.id != one.id]
    assert sandbox.instances.shipped.find("demo-05").roles == one.roles
    with pytest.raises(BadInput, match="'other.json' is another file"):
        patched(patch, [("other.json", packaged_collection() + b"\n")])
    with pytest.raises(BadInput, match="the file says 'nice': nothing is changed"):
        patched(patch.replace(b'"was": "nice"', b'"was": "irr"'), [shipped_file])

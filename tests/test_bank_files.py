import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, Engine, create_engine

from memory_banks import files, ledger
from memory_banks.entries import (
    ENTRY_TYPES,
    SCENES,
    Add,
    Delete,
    Dyad,
    Entry,
    Provenance,
    Side,
    State,
    TurnRole,
    side_of,
)
from memory_banks.files import (
    BankFileError,
    ImportPlan,
    Line,
    export_lines,
    imported_from,
    packaged_seed,
    packaged_seeds,
    plan_import,
    read_bank_file,
    write_bank_file,
)
from memory_banks.tables import metadata

INGRID = Dyad("lab", "ingrid", "skerry")
SOMEBODY = Dyad("home", "somebody else", "lantern")
NOW = "2026-03-05T18:40:00+00:00"


@cache
def empty_ledger() -> Engine:
    engine = create_engine("sqlite://")
    metadata.create_all(engine)
    return engine


@contextmanager
def bank(dyad: Dyad) -> Iterator[Connection]:
    """An empty ledger with the dyad's user; forgotten afterwards."""
    with empty_ledger().connect() as conn, conn.begin() as transaction:
        ledger.ensure_user(conn, ledger.User(dyad.account, dyad.user, dyad.user, "", 0), NOW)
        yield conn
        transaction.rollback()


def import_into(conn: Connection, dyad: Dyad, data: bytes, name: str = "bank.jsonl") -> ImportPlan:
    lines = read_bank_file(data, name)
    plan = plan_import(lines, dyad, imported_from(data, name), ledger.states(conn, dyad))
    ledger.append(conn, plan.drafts, NOW)
    return plan


def exported(conn: Connection, dyad: Dyad) -> bytes:
    return export_lines(ledger.states(conn, dyad))


def through_another_bank(data: bytes) -> bytes:
    with bank(SOMEBODY) as conn:
        import_into(conn, SOMEBODY, data)
        return exported(conn, SOMEBODY)


def raw(**changes: object) -> dict[str, object]:
    """The fields that a line needs, changed."""
    return {"id": "a", "side": "user", "type": "fact", "text": "The slip is dry."} | changes


def jsonl(*rows: dict[str, object]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def canonical(*rows: dict[str, object]) -> bytes:
    return write_bank_file(read_bank_file(jsonl(*rows), "bank.jsonl"))


def told(states: Sequence[State]) -> list[tuple[object, ...]]:
    """What is told of each entry, whoever's it is."""
    return [
        (s.entry.key, s.entry.scope.side, s.entry.text, s.live, s.add_reason, s.live or s.reason)
        for s in states
    ]


# The format


def test_a_line_has_twelve_fields_in_a_fixed_order() -> None:
    [line] = canonical(raw(text="Été\n\u2028„ja“ 🐐")).decode().splitlines()
    assert line == (
        '{"id": "a", "side": "user", "type": "fact", "text": "Été\\n\\u2028„ja“ 🐐", '
        '"anchor": null, "emotion": null, "scene": null, "author": "import", '
        '"provenance": {"session": null, "turns": [], "role": null}, "replaces": [], '
        '"reason": "", "deleted": null}'
    )


def test_the_documented_line_is_canonical() -> None:
    pieces = [row[4:] for row in (files.__doc__ or "").splitlines() if row.startswith("    ")]
    line = " ".join(pieces)
    first = raw(id="w-01", deleted={"reason": ""})
    assert canonical(first, json.loads(line)).decode().split("\n")[1] == line


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(jsonl(raw()), id="plain"),
        pytest.param(b"\xef\xbb\xbf" + jsonl(raw()), id="byte-order mark"),
        pytest.param(jsonl(raw()).replace(b"\n", b"\r\n"), id="CRLF"),
        pytest.param(jsonl(raw()).rstrip(b"\n"), id="no last line end"),
        pytest.param(b"\n" + jsonl(raw()) + b" \r\n\n", id="empty lines"),
        pytest.param(json.dumps(dict(reversed(raw().items()))).encode(), id="another order"),
        pytest.param(jsonl(raw(anchor=None, replaces=[], deleted=None)), id="defaults written"),
    ],
)
def test_encodings_line_ends_and_order_do_not_matter(data: bytes) -> None:
    assert write_bank_file(read_bank_file(data, "bank.jsonl")) == canonical(raw())


def test_an_empty_file_is_an_empty_bank() -> None:
    assert read_bank_file(b"", "bank.jsonl") == []
    assert export_lines([]) == b""


def test_lines_end_at_line_feeds_only() -> None:
    data = json.dumps(raw(text="one\u2028two\u0085three"), ensure_ascii=False).encode()
    assert [line.text for line in read_bank_file(data, "b")] == ["one\u2028two\u0085three"]


def test_words_are_read_in_nfc() -> None:
    [line] = read_bank_file(jsonl(raw(text="cafe\u0301", emotion="e\u0301mu")), "b")
    assert (line.text, line.emotion) == ("caf\u00e9", "\u00e9mu")


@pytest.mark.parametrize("anchor", ["2026-03-05", "2026-03-05T22:50:00+01:00", "2026-03-05T22:50"])
def test_dates_and_date_times_are_kept_as_written(anchor: str) -> None:
    assert read_bank_file(jsonl(raw(anchor=anchor)), "b")[0].anchor == anchor


# Broken files: (bytes, the line, what the sentence says)

DEAD = raw(deleted={"reason": ""})
NUMBER = b'{"id": "a", "side": "user", "type": "fact", "text": %s}'
BROKEN: dict[str, tuple[bytes, int, list[str]]] = {
    "unknown field": (jsonl(raw(user="Ingrid")), 1, ["'user'", "not a field", "'Ingrid'"]),
    "missing field": (jsonl({"id": "a"}), 1, ["'side'", "must be given", "nothing"]),
    "null text": (jsonl(raw(text=None)), 1, ["'text'", "must be text", "nothing"]),
    "blank text": (jsonl(raw(text=" \n")), 1, ["'text'", "more than spaces"]),
    "long text": (jsonl(raw(text="x" * 100_001)), 1, ["'text'", "at most 100000 characters"]),
    "number as text": (jsonl(raw(text=5)), 1, ["'text'", "must be text", "got 5"]),
    "huge number": (NUMBER % (b"9" * 5000), 1, ["'text'", "must be text", "got 999"]),
    "NaN": (NUMBER % b"NaN", 1, ["'text'", "must be text", "got NaN"]),
    "infinity": (NUMBER % b"-Infinity", 1, ["'text'", "must be text", "got -Infinity"]),
    "empty id": (jsonl(raw(id="")), 1, ["'id'", "must not be empty"]),
    "id with a space": (jsonl(raw(id="a b")), 1, ["'id'", "without spaces", "'a b'"]),
    "id like a reference": (jsonl(raw(id="user:a")), 1, ["'id'", "'user:a'"]),
    "unknown side": (jsonl(raw(side="Ingrid")), 1, ["'side'", "'user' or 'dyad'", "'Ingrid'"]),
    "unknown type": (jsonl(raw(type="note")), 1, ["'type'", "'user_profile'", "'note'"]),
    "unknown scene": (jsonl(raw(scene="Sport")), 1, ["'scene'", "'Disease'", "'Sport'"]),
    "unknown author": (jsonl(raw(author="Bo")), 1, ["'author'", "'capture'", "'Bo'"]),
    "user type on the dyad's side": (jsonl(raw(side="dyad")), 1, ["'side'", "'fact'", "'dyad'"]),
    "agent type on the user's side": (
        jsonl(raw(type="agent_method")),
        1,
        ["'side'", "'agent_method'", "'user'"],
    ),
    "date of another kind": (jsonl(raw(anchor="5 March")), 1, ["'anchor'", "ISO", "'5 March'"]),
    "impossible date": (jsonl(raw(anchor="2026-02-30")), 1, ["'anchor'", "'2026-02-30'"]),
    "nested field": (
        jsonl(raw(provenance={"turns": ["s1-1", 2]})),
        1,
        ["'provenance.turns.1'", "must be text", "got 2"],
    ),
    "unknown role": (
        jsonl(raw(provenance={"role": "system"})),
        1,
        ["'provenance.role'", "'user' or 'assistant'", "'system'"],
    ),
    "text as a list": (jsonl(raw(replaces="a")), 1, ["'replaces'", "must be a list", "'a'"]),
    "text as an object": (jsonl(raw(deleted="gone")), 1, ["'deleted'", "an object", "'gone'"]),
    "true as an object": (jsonl(raw(deleted=True)), 1, ["'deleted'", "an object", "True"]),
    "id used twice": (jsonl(raw(), raw(text="Other.")), 2, ["'id'", "used once", "'a'"]),
    "replaces nothing": (jsonl(raw(replaces=["b"])), 1, ["'replaces'", "an earlier line", "'b'"]),
    "replaces itself": (
        jsonl(DEAD | {"replaces": ["a"]}),
        1,
        ["'replaces'", "an earlier line", "'a'"],
    ),
    "replaces a later line": (
        jsonl(raw(replaces=["b"]), DEAD | {"id": "b"}),
        1,
        ["'replaces'", "an earlier line", "'b'"],
    ),
    "replaces a live line": (
        jsonl(raw(), raw(id="b", replaces=["a"])),
        2,
        ["'replaces'", "'deleted' is filled", "'a'"],
    ),
    "replaces a line twice": (
        jsonl(DEAD, raw(id="b", replaces=["a", "user:a"])),
        2,
        ["'replaces'", "each line once", "'user:a'"],
    ),
    "replaces one of two": (
        jsonl(DEAD, DEAD | {"side": "dyad", "type": "agent_method"}, raw(id="b", replaces=["a"])),
        3,
        ["'replaces'", "'user:a' or 'dyad:a'"],
    ),
    "field given twice": (b'{"id": "a", "id": "b"}', 1, ["'id'", "must be given once"]),
    "cut last line": (jsonl(raw()) + jsonl(raw(id="b"))[:-9], 2, ["breaks off at the end"]),
    "cut in a character": (jsonl(raw()) + '{"id": "é'.encode()[:-1], 2, ["must be UTF-8", "0xc3"]),
    "not UTF-8": (jsonl(raw()) + b'{"id": "caf\xe9"}', 2, ["must be UTF-8", "0xe9"]),
    "not UTF-8 after a byte-order mark": (
        b"\xef\xbb\xbf" + jsonl(raw()) + b"\xe9",
        2,
        ["must be UTF-8", "0xe9", f"position {len(jsonl(raw())) + 3} "],
    ),
    "UTF-16": (jsonl(raw()).decode().encode("utf-16"), 1, ["must be UTF-8", "0xff"]),
    "NUL": (jsonl(raw()) + b'{"id": "a\0"}', 2, ["one JSON object", "control character"]),
    "escaped NUL": (jsonl(raw(text="a\0b")), 1, ["'text'", "NUL"]),
    "lone surrogate": (jsonl(raw(text="a\ud83d")), 1, ["'text'", "lone surrogate"]),
    "lone surrogate deep down": (
        jsonl(raw(provenance={"turns": ["\udc00"]})),
        1,
        ["'provenance.turns.0'", "lone surrogate"],
    ),
    "lone surrogate in a name": (jsonl(raw(**{"\ud83d": 1})), 1, ["lone surrogate"]),
    "a list": (b"[1, 2]\n", 1, ["one JSON object", "[1, 2]"]),
    "null": (jsonl(raw()) + b"null\n", 2, ["one JSON object", "nothing"]),
    "two objects on a line": (jsonl(raw()).strip() * 2, 1, ["one JSON object", "Extra data"]),
    "no JSON": (b"id,side,text\n", 1, ["one JSON object", "id,side,text"]),
    "deep nesting": (b"[" * 100_000, 1, ["one JSON object", "8 levels"]),
    "nesting in a field": (jsonl(raw(text=[[[[[[[[[["x"]]]]]]]]]])), 1, ["8 levels deep"]),
    "second line": (b"\n\r\n" + jsonl(raw(), raw(id="b", type="x")), 4, ["'type'", "'x'"]),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_one_sentence_with_file_line_and_rule(case: str) -> None:
    data, line, parts = BROKEN[case]
    with pytest.raises(BankFileError) as raised:
        read_bank_file(data, "bank.jsonl")
    sentence = str(raised.value)
    assert sentence.startswith((f"bank.jsonl, line {line}, ", f"bank.jsonl, line {line}: "))
    assert "\n" not in sentence
    assert len(sentence) < 400
    assert [part for part in parts if part not in sentence] == []


def test_a_file_over_64_megabytes_is_refused() -> None:
    with pytest.raises(BankFileError, match=r"^b: must be at most 67108864 bytes, got 67108865$"):
        read_bank_file(b" " * (64 * 1024 * 1024 + 1), "b")


def test_a_file_over_200000_lines_is_refused() -> None:
    with pytest.raises(BankFileError, match=r"^b: must have at most 200000 lines"):
        read_bank_file(b"\n" * 200_001, "b")


# Import


def test_importing_twice_is_importing_once() -> None:
    data = packaged_seed("skerry")
    with bank(INGRID) as conn:
        first = import_into(conn, INGRID, data)
        head = ledger.head(conn, INGRID.account, INGRID.user)
        second = import_into(conn, INGRID, data)
        assert (first.new, first.known) == (34, 0)
        assert (second.drafts, second.new, second.known, second.differing) == ((), 0, 34, ())
        assert ledger.head(conn, INGRID.account, INGRID.user) == head


def test_a_deleted_entry_does_not_come_back_by_import() -> None:
    data = canonical(raw())
    with bank(INGRID) as conn:
        import_into(conn, INGRID, data)
        [state] = ledger.states(conn, INGRID)
        ledger.append(conn, [Delete(state.entry.id, state.entry.scope, "a click")], NOW)
        assert import_into(conn, INGRID, canonical(raw(), raw(id="b"))).known == 1
        assert [(s.entry.key, s.live) for s in ledger.states(conn, INGRID)] == [
            ("a", False),
            ("b", True),
        ]


def test_an_import_is_logged_with_file_and_fingerprint() -> None:
    data = canonical(DEAD, raw(id="b", replaces=["a"]))
    with bank(INGRID) as conn:
        import_into(conn, INGRID, data, "mine.jsonl")
        operations = ledger.operations_of(conn, INGRID)
        assert [operation.kind for operation in operations] == ["add", "delete", "add"]
        source = imported_from(data, "mine.jsonl")
        assert {operation.imported for operation in operations} == {source}
        assert {operation.cause for operation in operations} == {f"import:{source.sha256}"}


def test_a_replaced_line_is_superseded_and_keeps_its_reasons() -> None:
    old = raw(reason="Told.", deleted={"reason": "It moved."})
    with bank(INGRID) as conn:
        import_into(conn, INGRID, jsonl(old, raw(id="b", replaces=["a"], reason="New.")))
        first, second = ledger.states(conn, INGRID)
        assert (first.live, first.replaced_by) == (False, second.entry.id)
        assert (first.add_reason, first.reason, second.reason) == ("Told.", "It moved.", "New.")


def test_a_new_line_deletes_the_known_live_entry_that_it_replaces() -> None:
    with bank(INGRID) as conn:
        import_into(conn, INGRID, canonical(raw()))
        grown = canonical(DEAD, raw(id="b", replaces=["a"]))
        import_into(conn, INGRID, grown)
        assert exported(conn, INGRID) == grown


def test_a_known_id_that_says_something_else_is_left_alone_and_named() -> None:
    with bank(INGRID) as conn:
        import_into(conn, INGRID, canonical(raw()))
        other = raw(text="Another memory.", deleted={"reason": ""})
        plan = import_into(conn, INGRID, canonical(other, raw(id="b", replaces=["a"])))
        assert plan.differing == ("a",)
        assert [(s.entry.text, s.live) for s in ledger.states(conn, INGRID)] == [
            ("The slip is dry.", True),
            ("The slip is dry.", True),
        ]
        assert ledger.states(conn, INGRID)[1].replaces == ()


def test_what_a_line_replaces_is_deleted_just_before_it_is_added() -> None:
    lines = read_bank_file(jsonl(DEAD, DEAD | {"id": "b"}, raw(id="c", replaces=["b", "a"])), "b")
    plan = plan_import(lines, INGRID, imported_from(b"", "b"), [])
    assert [type(draft).__name__ for draft in plan.drafts] == [
        *("Add", "Add"),
        *("Delete", "Delete", "Add"),
    ]


def test_a_new_line_may_replace_an_entry_that_was_deleted_by_hand() -> None:
    with bank(INGRID) as conn:
        import_into(conn, INGRID, canonical(raw()))
        [state] = ledger.states(conn, INGRID)
        ledger.append(conn, [Delete(state.entry.id, state.entry.scope, "a click", "mine")], NOW)
        import_into(conn, INGRID, canonical(DEAD, raw(id="b", replaces=["a"])))
        first, second = ledger.states(conn, INGRID)
        assert (first.reason, first.replaced_by) == ("mine", second.entry.id)


# Export


def test_an_export_names_nobody() -> None:
    with bank(INGRID) as conn:
        import_into(conn, INGRID, canonical(raw(), raw(id="b", side="dyad", type="agent_method")))
        data = exported(conn, INGRID).decode()
    assert [name for name in ("ingrid", "skerry", "lab") if name in data.casefold()] == []


@pytest.mark.parametrize("name", packaged_seeds())
def test_a_seed_comes_back_byte_identical_from_another_bank(name: str) -> None:
    assert through_another_bank(packaged_seed(name)) == packaged_seed(name)


CHAIN = [
    raw(deleted={"reason": "first"}),
    raw(id="b", replaces=["a"], deleted={"reason": "second"}),
    raw(id="c", replaces=["b"]),
]
CANONICAL = {
    "chain of three": CHAIN,
    "one replaces several": [DEAD, DEAD | {"id": "b"}, raw(id="c", replaces=["b", "a"])],
    "several replace one": [DEAD, raw(id="b", replaces=["a"]), raw(id="c", replaces=["a"])],
    "across sides": [DEAD, raw(id="b", side="dyad", type="episodic", replaces=["a"])],
    "the same id on both sides": [
        DEAD,
        DEAD | {"side": "dyad", "type": "agent_method"},
        raw(id="b", replaces=["dyad:a", "user:a"]),
    ],
    "a dead replacement": [DEAD, DEAD | {"id": "b", "replaces": ["a"]}],
    "plainly deleted": [DEAD, raw(id="b")],
}


@pytest.mark.parametrize("case", CANONICAL)
def test_a_canonical_file_comes_back_byte_identical(case: str) -> None:
    data = canonical(*CANONICAL[case])
    assert through_another_bank(data) == data


def entry_of(key: str, side: Side, dyad: Dyad = INGRID) -> Entry:
    role: TurnRole = "user" if side == "user" else "assistant"
    return Entry(
        key,
        dyad.scope(side),
        "episodic",
        f"On that day {key} happened.",
        provenance=Provenance(role=role),
    )


def test_an_entry_added_again_stands_where_it_was_added_last() -> None:
    old, new = entry_of("old", "user"), entry_of("new", "user")
    with bank(INGRID) as conn:
        drafts = [
            Add(old, "1"),
            Delete(old.id, old.scope, "2"),
            Add(new, "2", replaces=(old.id,)),
            Delete(new.id, new.scope, "3", "undone"),
            Add(old, "3", "It holds again."),
        ]
        ledger.append(conn, drafts, NOW)
        lines = read_bank_file(exported(conn, INGRID), "b")
        assert [(line.id, line.replaces, line.deleted is None) for line in lines] == [
            ("new", (), False),
            ("old", (), True),
        ]


def test_what_replaced_an_entry_before_it_was_added_again_replaces_it_no_more() -> None:
    old, new = entry_of("old", "user"), entry_of("new", "user")
    with bank(INGRID) as conn:
        drafts = [
            Add(old, "1"),
            Delete(old.id, old.scope, "2"),
            Add(new, "2", replaces=(old.id,)),
            Add(old, "3"),
            Delete(old.id, old.scope, "4"),
        ]
        ledger.append(conn, drafts, NOW)
        assert [state.replaced_by for state in ledger.states(conn, INGRID)] == [None, None]


def test_an_export_between_an_addition_and_the_deletion_it_asks_for_can_be_imported() -> None:
    old, new = entry_of("old", "user"), entry_of("new", "user")
    drafts = [Add(old, "1"), Add(new, "2", replaces=(old.id,)), Delete(old.id, old.scope, "2")]
    with bank(INGRID) as conn:
        ledger.append(conn, drafts, NOW)
        data = export_lines(ledger.states(conn, INGRID, revision=2))
    assert through_another_bank(data) == data
    assert [line.deleted for line in read_bank_file(data, "b")] == [None, None]


def test_what_another_agent_replaced_is_only_dead_here() -> None:
    other = Dyad(INGRID.account, INGRID.user, "lantern")
    shared, theirs = entry_of("shared", "user"), entry_of("theirs", "dyad", other)
    with bank(INGRID) as conn:
        drafts = [
            Add(shared, "1"),
            Delete(shared.id, shared.scope, "2", "lantern knows better"),
            Add(theirs, "2", replaces=(shared.id,)),
        ]
        ledger.append(conn, drafts, NOW)
        [line] = read_bank_file(exported(conn, INGRID), "b")
        assert line.deleted is not None
        assert line.deleted.reason == "lantern knows better"


# Laws over generated banks

words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=40)
HARD = [
    "שלום, 09:30 (בערב)",
    "\u202eright to left\u202c and back",
    'He said "no\\", then\r\n\tleft. \u2028\u2029\u0085\x1f',
    "👩🏽‍🚀🐐 e\u0301 Å ﬁ 爷爷的怀表",
    "x" * 10_000,
]
texts = words.filter(str.strip) | st.sampled_from(HARD)
reasons = words | st.sampled_from(HARD)
names = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8)


@st.composite
def entries(draw: st.DrawFn) -> Callable[[Dyad], Entry]:
    """An entry of whichever dyad; few keys, so that both sides come to share some."""
    kind = draw(st.sampled_from(ENTRY_TYPES))
    role: TurnRole = draw(st.sampled_from(("user", "assistant")))
    key = draw(st.sampled_from("klmnop"))
    text, emotion = draw(texts), draw(st.none() | texts)
    anchor = draw(st.none() | st.dates().map(str) | st.datetimes().map(lambda at: at.isoformat()))
    scene = draw(st.none() | st.sampled_from(SCENES))
    turns = tuple(draw(st.lists(names, max_size=3)))
    provenance = Provenance(draw(st.none() | names), turns, draw(st.sampled_from([None, role])))
    scope = side_of(kind, role)
    return lambda dyad: Entry(
        key, dyad.scope(scope), kind, text, anchor, emotion, scene, "capture", provenance
    )


steps = st.lists(
    st.tuples(entries(), st.booleans(), reasons, st.lists(st.integers(0, 30), max_size=3)),
    max_size=14,
)
"""(entry, whose agent's, reason, which entries it replaces or, if it is live, that it dies)."""


def live_through(
    conn: Connection, history: list[tuple[Callable[[Dyad], Entry], bool, str, list[int]]]
) -> None:
    """Play `history` on a user with two agents: adds, replacements, deletions, additions again."""
    other = Dyad(INGRID.account, INGRID.user, "another agent")
    seen: dict[str, Entry] = {}
    live: set[str] = set()
    for number, (make, mine, reason, picks) in enumerate(history):
        made = make(INGRID if mine else other)
        entry = seen.get(made.id, made)
        cause = f"step {number}"
        if entry.id in live:
            ledger.append(conn, [Delete(entry.id, entry.scope, cause, reason)], NOW)
            live.discard(entry.id)
            continue
        known = [seen[key] for key in seen if key != entry.id]
        old = {known[pick % len(known)].id for pick in picks if known}
        gone = [Delete(key, seen[key].scope, cause, reason) for key in sorted(old & live)]
        add = Add(entry, cause, f"{reason}!", tuple(sorted(old)))
        ledger.append(conn, [*gone, add] if number % 2 else [add, *gone], NOW)
        seen[entry.id] = entry
        live = (live - old) | {entry.id}


@settings(max_examples=150, deadline=None)
@given(steps)
def test_export_import_export_is_byte_identical(
    history: list[tuple[Callable[[Dyad], Entry], bool, str, list[int]]],
) -> None:
    with bank(INGRID) as conn:
        live_through(conn, history)
        data = exported(conn, INGRID)
    assert through_another_bank(data) == data


@settings(max_examples=50, deadline=None)
@given(steps)
def test_an_import_keeps_what_is_live_and_why(
    history: list[tuple[Callable[[Dyad], Entry], bool, str, list[int]]],
) -> None:
    with bank(INGRID) as conn:
        live_through(conn, history)
        data = exported(conn, INGRID)
        original = told(ledger.states(conn, INGRID))
    with bank(SOMEBODY) as conn:
        import_into(conn, SOMEBODY, data)
        copy = told(ledger.states(conn, SOMEBODY))
        assert import_into(conn, SOMEBODY, data).drafts == ()
    assert copy == [nfc(row) for row in original]


def nfc(row: tuple[object, ...]) -> tuple[object, ...]:
    return tuple(files._nfc(value) if isinstance(value, str) else value for value in row)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(texts, reasons), max_size=6))
@example([(text, text) for text in HARD])
def test_a_file_says_what_its_lines_say(pairs: list[tuple[str, str]]) -> None:
    rows = [raw(id=f"n{place}", text=text, reason=why) for place, (text, why) in enumerate(pairs)]
    lines = [Line.model_validate(row) for row in rows]
    data = write_bank_file(lines)
    assert read_bank_file(data, "b") == lines
    assert data.count(b"\n") == len(data.decode().splitlines()) == len(lines)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_lines_or_one_sentence(data: bytes) -> None:
    try:
        answer = [line.text for line in read_bank_file(data, "b")]
    except BankFileError as error:
        answer = str(error).splitlines()
    blank = not data.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r\n")
    assert len(answer) == (0 if blank else 1)

import re
from collections import Counter
from datetime import datetime
from functools import cache

import pytest

from memory_banks.embedding import (
    Embedder,
    EmbedderMissing,
    load_sentence_transformer,
    packaged_minilm,
)
from memory_banks.entries import ENTRY_TYPES, SCENES, URAM_TYPES, USER_TYPES, side_of
from memory_banks.files import (
    Line,
    LineIndex,
    packaged_seed,
    packaged_seeds,
    read_bank_file,
    write_bank_file,
)
from personas import Library, Persona, packaged_library

SEEDS = ["baek-sun-hwa", "lantern", "skerry", "walid-qutami"]

NEAR_DUPLICATES = {
    "sunhwa-10 sunhwa-11": "shellfish and Pilar, sesame and Néstor",
    "sunhwa-30 sunhwa-26": "crock in damp sand, crisp; jar in dry sand, soft",
    "lantern-02 lantern-21": "the neighbour's goat scares her, her grandmother's goats do not",
    "lantern-18 lantern-07": "her bus at 6:40, her cousin's at 7:10",
    "lantern-28 lantern-08": "the sandal is lost, the slipper came back",
    "skerry-08 skerry-09": "night watch, risk first, four lines; day watch, weather first, six",
    "skerry-14 skerry-30": "the pump's whine came before failures, the door's rattle did not",
    "skerry-22 skerry-23": "her ferry at 21:50, the sister ferry at 22:10",
    "skerry-24 skerry-10": "her son Eirik in 2026, her nephew Erik in 2027",
    "skerry-32 skerry-26": "high water at 22:50 on 2026-03-05, at 10:35 on 2026-02-20",
    "walid-22 walid-23": "Salma naps from two to four, Samira from one to three",
    "walid-24 walid-25": "the gate is 90 cm wide, the kitchen door 70 cm",
}
"""Live entries close in words and different in fact, and what tells them apart."""

NUMBERS = {
    "baek-sun-hwa": ["9 °C", "4 °C", "18-litre", "22 grams", "1.2 kilos", "ten kilos", "1974"],
    "lantern": ["6:40", "7:10", "two out of ten", "ten spelling words"],
    "skerry": ["21:50", "22:10", "22:50", "10:35", "four lines", "six lines", "98", "34"],
    "walid-qutami": ["14 Mosaic Lane", "90 cm", "70 cm", "110 cm", "96 guests", "2 cm"],
}
"""Numbers of live entries that a reply can take for one another."""

ADJACENT_RULES = {
    "baek-sun-hwa": ["sunhwa-13", "sunhwa-18", "sunhwa-22", "sunhwa-29"],
    "lantern": ["lantern-09", "lantern-10", "lantern-15", "lantern-32"],
    "skerry": ["skerry-02", "skerry-03", "skerry-08", "skerry-09", "skerry-15", "skerry-18"],
    "walid-qutami": ["walid-08", "walid-16", "walid-17", "walid-31"],
}
"""Rules for situations that lie beside one another."""

CHAINS = {
    "baek-sun-hwa": ["sunhwa-02", "sunhwa-07", "sunhwa-14"],
    "lantern": ["lantern-01", "lantern-06", "lantern-18"],
    "skerry": ["skerry-01", "skerry-07", "skerry-22"],
    "walid-qutami": ["walid-01", "walid-10", "walid-18"],
}
SINGLE_REPLACEMENTS = {
    "baek-sun-hwa": ["sunhwa-05", "sunhwa-19"],
    "lantern": ["lantern-05", "lantern-29"],
    "skerry": ["skerry-05", "skerry-17"],
    "walid-qutami": ["walid-05", "walid-19"],
}
PLAINLY_DELETED = {
    "baek-sun-hwa": "sunhwa-23",
    "lantern": "lantern-16",
    "skerry": "skerry-11",
    "walid-qutami": "walid-29",
}

CALLED_FOR = {
    "baek-sun-hwa": [["sunhwa-24"], ["sunhwa-22"], ["sunhwa-29"]],
    "lantern": [["lantern-09"], ["lantern-18"], ["lantern-19"]],
    "skerry": [["skerry-08", "skerry-14", "skerry-32"], ["skerry-22"], ["skerry-02"]],
    "walid-qutami": [
        ["walid-08", "walid-18"],
        ["walid-08", "walid-22", "walid-24"],
        ["walid-16"],
    ],
}
"""What a good answer to each opener needs; the last opener of a character needs no memory."""


@cache
def lines_of(name: str) -> list[Line]:
    return read_bank_file(packaged_seed(name), f"{name}.jsonl")


def live(name: str) -> list[Line]:
    return [line for line in lines_of(name) if line.deleted is None]


def by_id() -> dict[str, Line]:
    return {line.id: line for name in SEEDS for line in lines_of(name)}


def words(text: str) -> set[str]:
    return set(re.findall(r"[\w:]+", text.lower()))


def character(name: str) -> Persona:
    return Library(packaged_library()).get(name)


def test_there_are_four_seeds() -> None:
    assert packaged_seeds() == SEEDS


def test_an_unknown_seed_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"lantern, skerry, .*got '\.\./entries'"):
        packaged_seed("../entries")


def test_no_two_lines_of_all_seeds_share_an_id() -> None:
    assert len(by_id()) == sum(len(lines_of(name)) for name in SEEDS)


@pytest.mark.parametrize("name", SEEDS)
def test_a_seed_is_canonical(name: str) -> None:
    assert write_bank_file(lines_of(name)) == packaged_seed(name)


@pytest.mark.parametrize("name", SEEDS)
def test_a_seed_has_30_live_entries_over_all_six_types(name: str) -> None:
    counts = Counter(line.type for line in live(name))
    assert counts.total() == 30
    assert {kind: counts[kind] >= 2 for kind in ENTRY_TYPES} == dict.fromkeys(ENTRY_TYPES, True)
    assert sum(counts[kind] for kind in USER_TYPES) >= 10
    assert sum(counts[kind] for kind in URAM_TYPES) >= 8
    episodic = Counter(line.side for line in live(name) if line.type == "episodic")
    assert episodic["user"] >= 4
    assert episodic["dyad"] >= 2


@pytest.mark.parametrize("name", SEEDS)
def test_a_seed_has_one_chain_of_three_one_replacement_and_one_deletion(name: str) -> None:
    index = LineIndex(lines_of(name))
    replaced = {
        lines_of(name)[index.find(reference)[0]].id: line.id
        for line in lines_of(name)
        for reference in line.replaces
    }
    first, second, third = CHAINS[name]
    old, new = SINGLE_REPLACEMENTS[name]
    assert replaced == {first: second, second: third, old: new}
    dead = {line.id for line in lines_of(name) if line.deleted is not None}
    assert dead == {first, second, old, PLAINLY_DELETED[name]}


@pytest.mark.parametrize("name", SEEDS)
def test_every_state_of_a_chain_has_the_same_type_and_a_later_date(name: str) -> None:
    for ids in (CHAINS[name], SINGLE_REPLACEMENTS[name]):
        states = [by_id()[key] for key in ids]
        assert len({state.type for state in states}) == 1
        dates = [state.anchor or "" for state in states]
        assert dates == sorted(set(dates))


@pytest.mark.parametrize("name", SEEDS)
def test_every_entry_comes_from_a_turn_that_may_support_it(name: str) -> None:
    for line in lines_of(name):
        told = line.provenance
        assert told.session is not None
        assert told.role is not None
        agent = r"\.\d" if told.role == "assistant" else ""
        assert all(re.fullmatch(rf"{told.session}-\d{agent}", turn) for turn in told.turns)
        assert told.turns
        assert line.side == side_of(line.type, told.role)
        assert (told.role == "assistant") == (line.side == "dyad")


@pytest.mark.parametrize("name", SEEDS)
def test_entries_stand_in_the_order_in_which_they_were_told(name: str) -> None:
    turns = [line.provenance.turns[0] for line in lines_of(name)]
    assert turns == sorted(turns)


@pytest.mark.parametrize("name", SEEDS)
def test_a_seed_has_dates_emotions_and_scenes_and_some_without(name: str) -> None:
    lines = live(name)
    assert 1 <= sum(line.anchor is None for line in lines) <= 4
    assert 1 <= sum(line.scene is None for line in lines) <= 6
    assert {line.scene for line in lines} >= set(SCENES) - {"Emotions"}
    assert sum(line.emotion is not None for line in lines) >= 4
    assert all(line.emotion == line.emotion.capitalize() for line in lines if line.emotion)


@pytest.mark.parametrize("name", SEEDS)
def test_no_entry_is_later_than_the_clock_of_the_sample_user(name: str) -> None:
    sample = character(name).sample_user
    assert sample is not None
    assert sample.clock is not None
    today = datetime.fromisoformat(sample.clock).date().isoformat()
    assert max(line.anchor for line in lines_of(name) if line.anchor) <= today


@pytest.mark.parametrize("name", SEEDS)
def test_a_text_stands_alone(name: str) -> None:
    for line in lines_of(name):
        assert line.text[-1] == "."
        assert len(line.text) <= 300
        assert line.reason
        assert words(line.text) & {"i", "my", "me", "we", "our", "you", "yesterday"} == set()
        relative = words(line.text) & {"tomorrow", "tonight", "today", "recently"}
        dated = re.search(r"\d{4}-\d\d-\d\d", line.text)
        assert not relative or dated or line.type == "agent_identity"


@pytest.mark.parametrize("name", SEEDS)
def test_no_two_entries_say_the_same(name: str) -> None:
    texts = Counter(line.text.casefold() for line in lines_of(name))
    assert texts.most_common(1)[0][1] == 1


@pytest.mark.parametrize("pair", NEAR_DUPLICATES)
def test_near_duplicates_are_live_and_share_words_and_type(pair: str) -> None:
    one, other = (by_id()[key] for key in pair.split())
    assert one.deleted is None
    assert other.deleted is None
    assert one.type == other.type
    shared = words(one.text) & words(other.text)
    assert len(shared) >= 0.3 * min(len(words(one.text)), len(words(other.text)))
    assert words(one.text) - shared
    assert words(other.text) - shared


@pytest.mark.parametrize("name", SEEDS)
def test_every_seed_has_two_pairs_of_near_duplicates(name: str) -> None:
    ids = {line.id for line in live(name)}
    assert sum(set(pair.split()) <= ids for pair in NEAR_DUPLICATES) >= 2


@pytest.mark.parametrize("name", SEEDS)
def test_numbers_that_can_be_confused_stand_in_live_entries(name: str) -> None:
    told = " ".join(line.text for line in live(name))
    assert [number for number in NUMBERS[name] if number not in told] == []


@pytest.mark.parametrize("name", SEEDS)
def test_adjacent_rules_are_live_agent_identities(name: str) -> None:
    rules = {line.id for line in live(name) if line.type == "agent_identity"}
    assert len(rules) >= 4
    assert set(ADJACENT_RULES[name]) <= rules


@pytest.mark.parametrize("name", SEEDS)
def test_a_persona_does_not_tell_what_its_bank_remembers(name: str) -> None:
    persona = character(name)
    told = persona.model_copy(update={"openers": (), "sample_user": None}).model_dump_json()
    assert [line.id for line in lines_of(name) if line.text in told] == []
    assert [number for number in NUMBERS[name] if number in told] == []


@pytest.fixture(scope="module")
def minilm() -> Embedder:
    try:
        packaged_minilm()
    except EmbedderMissing as missing:
        pytest.skip(str(missing))
    return load_sentence_transformer(threads=1)


@pytest.mark.embedder
@pytest.mark.parametrize("name", SEEDS)
def test_the_eight_closest_entries_hold_what_an_opener_calls_for(
    name: str, minilm: Embedder
) -> None:
    entries = live(name)
    vectors = minilm.embed([line.text for line in entries])
    openers = character(name).openers
    assert len(openers) == len(CALLED_FOR[name]) + 1
    for opener, needed in zip(openers, CALLED_FOR[name], strict=False):
        similarity = vectors @ minilm.embed([opener])[0]
        closest = {entries[place].id for place in (-similarity).argsort()[:8]}
        assert set(needed) <= closest

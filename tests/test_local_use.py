"""Use detection of the local judge: what counts as a detail, where it stands, what it is worth."""

import json
import re
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from sandbox.instances import Said
from sandbox.judges.case import Case, PoolItem
from sandbox.judges.local.details import carried, details_of, relative_dates
from sandbox.judges.local.encoder import MiniLM
from sandbox.judges.local.persons import as_reply_speaks, without_names
from sandbox.judges.local.reading import read
from sandbox.judges.local.rules import check_rule
from sandbox.judges.local.spans import clauses, pieces, sentences
from sandbox.judges.local.use import detect
from sandbox.judges.local.use_model import packaged_use, reply_key
from sandbox.judges.local.words import content_stems, stem, words_of
from sandbox.judges.verdict import EntryVerdict
from tests import gold
from tests.fakes_encoder import WordEncoder

FERRY = PoolItem("ferry", "Ann's ferry ticket to Bergen cost 340 kroner.")
BEES = PoolItem("bees", "Ann keeps three hives of carniolan bees.")
LOOM = PoolItem("loom", "Bo sold the oak loom to a weaver in Tartu.")
CASE = Case(
    character="Bo",
    human="Ann",
    persona="Name: Bo\nSummary: Bo weaves rugs.",
    history=(),
    query="What do you remember of spring?",
    reply="Your ferry ticket to Bergen cost 340 kroner, that was steep.",
    pool=(FERRY, BEES, LOOM),
    now="2026-03-05T19:40:00+01:00",
)


def verdicts(case: Case) -> dict[str, EntryVerdict]:
    return {one.entry: one for one in detect(case, WordEncoder())}


def quoted(case: Case, verdict: EntryVerdict) -> list[str]:
    return [case.reply[span.start : span.end] for span in verdict.spans]


def test_a_reply_that_brings_in_a_detail_uses_its_entry_alone() -> None:
    found = verdicts(CASE)
    assert found["ferry"].usage == "used"
    assert quoted(CASE, found["ferry"]) == ["Your ferry ticket to Bergen cost 340 kroner"]
    assert "340" in found["ferry"].detail
    assert {found["bees"].usage, found["loom"].usage} == {"not used"}


def test_every_entry_gets_one_verdict_in_the_pools_order() -> None:
    assert [one.entry for one in detect(CASE, WordEncoder())] == ["ferry", "bees", "loom"]
    assert detect(replace(CASE, pool=()), WordEncoder()) == ()


@pytest.mark.parametrize("change", [{"failed": True}, {"reply": "  \n"}])
def test_a_failed_reply_uses_nothing_and_is_not_encoded(change: dict[str, Any]) -> None:
    encoder = WordEncoder()
    found = detect(replace(CASE, **change), encoder)
    assert {one.usage for one in found} == {"not used"}
    assert encoder.asked == []


def test_a_reply_without_a_word_uses_nothing() -> None:
    assert {one.guess for one in verdicts(replace(CASE, reply="!!! :-)")).values()} == {False}


def test_an_entry_voiced_earlier_is_already_said() -> None:
    said = Said("assistant", "Bo", "The ferry ticket to Bergen cost you 340 kroner.")
    found = verdicts(replace(CASE, history=(said,)))["ferry"]
    assert (found.usage, found.guess) == ("already said", None)
    assert "voiced earlier" in found.why


def test_an_entry_voiced_longer_ago_than_is_encoded_is_still_already_said() -> None:
    said = Said("assistant", "Bo", "The ferry ticket to Bergen cost you 340 kroner.")
    later = tuple(Said("user", "Ann", f"It rained on day {number}.") for number in range(90))
    assert verdicts(replace(CASE, history=(said, *later)))["ferry"].usage == "already said"


def test_another_number_was_not_the_same_thing_said() -> None:
    said = Said("assistant", "Bo", "The ferry ticket to Bergen cost you 290 kroner.")
    assert verdicts(replace(CASE, history=(said,)))["ferry"].usage == "used"


@pytest.mark.parametrize("place", ["persona", "query"])
def test_what_persona_or_query_state_can_not_be_used(place: str) -> None:
    found = verdicts(replace(CASE, **{place: FERRY.text}))["ferry"]
    assert (found.usage, found.spans) == ("not used", ())
    assert place in found.why


def test_a_detail_of_two_entries_alike_is_credited_to_both_and_flagged() -> None:
    twin = replace(FERRY, id="twin", text="Ann's ferry ticket to Bergen cost 340 kroner then.")
    found = verdicts(replace(CASE, pool=(FERRY, twin, BEES)))
    assert found["ferry"].shared_with == ("twin",)
    assert found["twin"].shared_with == ("ferry",)


def test_a_shared_detail_goes_to_the_entry_with_another_one() -> None:
    poor = replace(FERRY, id="poor", text="Ann's ferry ticket to Bergen cost kroner.")
    found = verdicts(replace(CASE, pool=(FERRY, poor, BEES)))
    assert found["ferry"].usage == "used"
    assert found["poor"].usage != "used"
    assert found["poor"].shared_with == ("ferry",)


def test_the_state_that_the_reply_has_is_used_and_the_replaced_one_is_not() -> None:
    old = replace(FERRY, id="old", text="Ann's ferry ticket to Bergen cost 290 kroner.", live=False)
    found = verdicts(replace(CASE, pool=(FERRY, old, BEES)))
    assert found["ferry"].usage == "used"
    assert found["old"].usage == "not used"


def test_the_order_of_the_pool_changes_no_verdict() -> None:
    forth, back = verdicts(CASE), verdicts(replace(CASE, pool=CASE.pool[::-1]))
    for key, one in forth.items():
        assert back[key].probability == pytest.approx(one.probability, abs=2e-3)
        assert back[key].usage == one.usage


def test_a_used_entry_that_the_user_mentioned_is_passive_and_another_proactive() -> None:
    assert verdicts(CASE)["ferry"].recall == "proactive"
    asked = replace(CASE, query="What was it with that ferry?")
    assert verdicts(asked)["ferry"].recall == "passive"


@pytest.mark.parametrize(
    ("rule", "reply", "state"),
    [
        ("Bo must not mention money.", "The money is gone.", "violated"),
        ("Bo must not mention money.", "Spring was fine.", "not applicable"),
        ("Bo always says 'steady now' first.", "Steady now! It rained.", "followed"),
        ("Bo always says 'steady now' first.", "It rained.", "violated"),
        ("Bo answers with at most two sentences.", "It rained. It did. A lot.", "violated"),
        ("Bo answers with at most three lines.", "It rained.\nIt did.", "followed"),
        ("Bo gives a numbered list.", "1. Rain\n2. Sun", "followed"),
        ("Bo gives a numbered list.", "Rain and sun.", "violated"),
        ("Bo answers in metric.", "It is 12 km away.", "followed"),
        ("Bo answers in metric.", "It is 12 miles away.", "violated"),
        ("Bo answers in Norwegian.", "Det er ikke langt og det er fint.", "followed"),
        ("In shopping lists Bo writes a numbered list.", "Rain and sun.", "not applicable"),
        ("Bo is kind to everybody and hurried by none.", "It rained.", None),
    ],
)
def test_a_rule_is_followed_violated_not_applicable_or_open(
    rule: str, reply: str, state: str | None
) -> None:
    pool = (PoolItem("rule", rule, type="agent_identity"),)
    reading = read(replace(CASE, pool=pool, reply=reply), WordEncoder())
    assert check_rule(reading, 0).state == state


def test_a_followed_rule_counts_as_used_and_a_violated_one_does_not() -> None:
    pool = (PoolItem("rule", "Bo gives a numbered list.", type="agent_identity"), BEES)
    kept = verdicts(replace(CASE, pool=pool, reply="1. Rain\n2. Sun"))["rule"]
    broken = verdicts(replace(CASE, pool=pool, reply="Rain and sun."))["rule"]
    assert (kept.usage, kept.rule) == ("used", "followed")
    assert (broken.usage, broken.rule) == ("not used", "violated")


def test_a_rule_of_which_nothing_can_be_checked_is_unsure() -> None:
    pool = (PoolItem("rule", "Bo is kind to everybody.", type="agent_identity"), BEES)
    found = verdicts(replace(CASE, pool=pool, reply="It rained."))["rule"]
    assert (found.usage, found.leaning, found.rule) == ("unsure", False, None)


@pytest.mark.parametrize(
    "written",
    ["2022-09-20", "September 20th, 2022", "20 September 2022", "the 20th of September", "Sept 20"],
)
def test_a_date_is_the_same_however_it_is_written(written: str) -> None:
    (wanted,) = details_of("On 2022-09-20 it rained.")
    assert carried(wanted, details_of(f"It was {written}.")) is not None


@pytest.mark.parametrize("written", ["2022-09-21", "September 2023", "2022", "20 May 2022"])
def test_another_date_or_a_bare_year_is_not_the_same(written: str) -> None:
    (wanted,) = details_of("On 2022-09-20 it rained.")
    assert carried(wanted, details_of(f"It was {written}.")) is None


@pytest.mark.parametrize(
    ("one", "other"), [("four rugs", "4 rugs"), ("5,000 rugs", "5000 rugs"), ("at 7pm", "at 19:00")]
)
def test_numbers_and_times_are_the_same_however_they_are_written(one: str, other: str) -> None:
    (wanted,) = details_of(one)
    assert carried(wanted, details_of(other)) is not None


def test_names_are_capitals_inside_a_sentence_but_not_the_talkers() -> None:
    found = details_of("Then Ann took the boat to Bergen. Yesterday it rained.", ["Ann"])
    assert [(one.kind, one.value) for one in found] == [("name", stem("Bergen"))]


def test_may_and_march_are_months_only_beside_a_figure() -> None:
    assert details_of("It may rain when they march.") == ()
    assert [one.value for one in details_of("We met on May 3.")] == ["*-05-03"]


def test_two_days_earlier_counts_from_every_known_day() -> None:
    (stretch,) = relative_dates("two days earlier it rained", [date(2022, 9, 20)])
    assert stretch.first <= date(2022, 9, 18) <= stretch.last
    assert stretch.last < date(2022, 9, 20)


@settings(max_examples=200, deadline=None)
@drawn(st.text(alphabet="ab C,.;!?\n\u2014'-\u3002\uff0c\u8d70 and", max_size=120))
def test_pieces_of_any_text_are_its_own_characters_in_order(text: str) -> None:
    for group in (sentences(text), clauses(text)):
        assert [one.start for one in group] == sorted(one.start for one in group)
        assert all(a.end <= b.start for a, b in zip(group, group[1:], strict=False))
    for one in pieces(text):
        assert text[one.start : one.end] == one.text == one.text.strip()
        assert re.search(r"\w", one.text)


@settings(max_examples=60, deadline=None)
@drawn(st.text(alphabet="ferry Bergen 340.,!?\n\u3002and", max_size=150))
def test_spans_lie_in_the_reply_in_order_without_overlap(reply: str) -> None:
    for one in verdicts(replace(CASE, reply=reply)).values():
        assert all(0 <= span.start < span.end <= len(reply) for span in one.spans)
        pairs = zip(one.spans, one.spans[1:], strict=False)
        assert all(a.end <= b.start for a, b in pairs)
        assert one.probability is not None
        assert 0 <= one.probability <= 1


def test_words_have_exact_places_and_plain_apostrophes() -> None:
    text = "Ann\u2019s loom\u2011weaving"
    found = words_of(text)
    assert [text[one.start : one.end] for one in found] == ["Ann\u2019s", "loom", "weaving"]
    assert found[0].text == "Ann's"


@pytest.mark.parametrize(
    ("one", "other"),
    [("hikes", "hiking"), ("studies", "study"), ("planned", "planning"), ("bakes", "baked")],
)
def test_inflected_words_share_a_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize(
    ("text", "as_said"),
    [
        ("Walid's boat is Dina's.", "my      boat is your  ."),
        ("Dina\u2019s aunt met Walid Qutami.", "your   aunt met I           ."),
        ("Al and Dinara left.", "Al and Dinara left."),
    ],
)
def test_an_entry_speaks_as_the_reply_does_and_keeps_every_place(text: str, as_said: str) -> None:
    case = replace(CASE, character="Walid Qutami", human="Dina")
    assert as_reply_speaks(text, case) == as_said
    assert len(as_said) == len(text)


def test_names_become_spaces_elsewhere() -> None:
    assert without_names("Hi Ann, Bo's here.", CASE) == "Hi    ,   's here."


def test_chinese_words_are_pairs_of_characters_without_function_words() -> None:
    assert content_stems("我的怀表") == {"怀表"}


def test_another_language_goes_by_shared_words_alone() -> None:
    pool = (PoolItem("a", "他听见走针声，想起了奶奶"), PoolItem("b", "肩膀晒伤"))
    case = replace(CASE, language="zh", pool=pool, reply="上回他听见走针声想起奶奶。", now=None)
    found = verdicts(case)
    assert (found["a"].guess, found["b"].guess) == (True, False)


def test_the_fitted_file_names_no_text_of_the_data_it_was_fitted_on() -> None:
    model = packaged_use()
    keys = [*model.out_of_fold, *(key for kept in model.out_of_fold.values() for key in kept)]
    assert all(re.fullmatch(r"[0-9a-f]{16}|[0-9a-f]{8}", key) for key in keys)
    assert model.fitted["script"] == "fitting/use.py"
    assert set(model.fitted["data"]) >= {gold.DEV, gold.TRAIN}


def test_broken_parameters_are_refused() -> None:
    text = Path(packaged_file("use.json")).read_text("utf-8")
    value = json.loads(text) | {"used_from": 0.2}
    with pytest.raises(ValueError, match="unused_to < used_from"):
        type(packaged_use()).from_json(value)


def packaged_file(name: str) -> Path:
    return Path(__file__).parents[1] / "sandbox" / "judges" / "local" / name


def test_the_evaluators_agree_with_scikit_learn_on_random_rows() -> None:
    pytest.importorskip("sklearn")
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from fitting.export import logistic_json, trees_json
    from sandbox.judges.local.logistic import Logistic
    from sandbox.judges.local.trees import Trees

    draw = np.random.default_rng(5)
    rows, names = draw.normal(size=(400, 4)), ("a", "b", "c", "d")
    used = rows[:, 0] * rows[:, 1] + draw.normal(size=400) > 0
    line = make_pipeline(StandardScaler(), LogisticRegression()).fit(rows, used)
    trees = HistGradientBoostingClassifier(max_iter=40, max_features=0.5, random_state=0)
    trees.fit(rows, used)
    fresh = np.vstack([draw.normal(size=(500, 4)), rows])
    ours = Logistic.from_json(json.loads(json.dumps(logistic_json(line, names))))
    np.testing.assert_allclose(ours.predict(fresh), line.predict_proba(fresh), atol=1e-12)
    grown = Trees.from_json(json.loads(json.dumps(trees_json(trees, names))))
    np.testing.assert_allclose(grown.predict(fresh), trees.predict_proba(fresh), atol=1e-7)


def test_the_cross_validated_figures_are_those_of_the_out_of_fold_values() -> None:
    agreement = pytest.importorskip("fitting.agreement")
    from fitting.gold import load

    model = packaged_use()
    labelled: list[bool] = []
    guessed: list[bool] = []
    told: list[bool] = []
    for one in (one for one in load(gold.gold_folder()) if one.dev):
        for used, chance in zip(one.used, model.held_out(one.case), strict=True):
            if used is not None:
                labelled.append(used)
                guessed.append(bool(chance >= 0.5))
            if used and one.policy == "paraphrase":
                told.append(bool(chance >= 0.5))
    figures = model.fitted["agreement"]["usage_gold_dev"]
    kappa = agreement.kappa(np.array(labelled), np.array(guessed))
    assert kappa == pytest.approx(figures["kappa"]["value"], abs=2e-3)
    assert kappa >= 0.75
    assert np.mean(told) >= 0.4


def test_a_labelled_reply_is_known_by_its_key_and_no_other() -> None:
    model = packaged_use()
    assert reply_key(CASE.query, CASE.reply) not in model.out_of_fold
    with pytest.raises(KeyError):
        model.held_out(CASE)


@pytest.mark.embedder
def test_the_encoders_whole_vectors_are_the_embedders() -> None:
    from memory_banks.embedding import load_sentence_transformer

    texts = ["The ferry left.", "A much longer sentence about a loom that Bo sold in Tartu."]
    ours = [one.sentence for one in MiniLM().encode(texts)]
    np.testing.assert_allclose(ours, load_sentence_transformer().embed(texts), atol=1e-5)


@pytest.mark.embedder
def test_a_text_keeps_its_vectors_whatever_it_is_encoded_with() -> None:
    alone = MiniLM().encode(["Bergen"])[0]
    encoder = MiniLM(cached=1)
    among = encoder.encode(["Bergen", "", "A boat.", "Bergen"])
    np.testing.assert_allclose(among[0].late, alone.late, atol=1e-5)
    assert among[3] is among[0]
    assert [len(one.offsets) for one in among[:3]] == [len(alone.offsets), 0, 3]


@pytest.mark.embedder
def test_a_paraphrase_without_a_shared_word_is_found() -> None:
    reply = "You paid so much for the boat over to Norway, three hundred and something!"
    found = detect(replace(CASE, reply=reply), MiniLM())
    assert [one.guess for one in found] == [True, False, False]

"""What the page shows of a verdict, as pure functions of what was judged."""

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.evaluation.experiments import (
    BestOf,
    Causal,
    Compared,
    Effect,
    Experiment,
    Found,
    Sample,
    Samples,
)
from sandbox.evaluation.fixed import Switch
from sandbox.judges.llm.intimacy import Candidate, Comparison, Outcome, Picked, Vote
from sandbox.judges.verdict import (
    AspectVerdict,
    Call,
    EntryVerdict,
    JudgeError,
    Miq,
    Point,
    Span,
    Verdict,
)
from sandbox.replay.replayed import Replayed
from sandbox.ui.human_views import human_form
from sandbox.ui.markup import ATTRIBUTES, ELEMENTS, Html
from sandbox.ui.switch_acts import whole
from sandbox.ui.switch_found import NO_REPEAT, OTHER_PROMPT, SAME, experiments_view
from sandbox.ui.switch_views import switch_form, switched
from sandbox.ui.verdict_card import BLIND, NOTHING, card, use_of, used_stage
from sandbox.ui.verdict_figures import OVERSHARING
from sandbox.ui.verdict_figures import SAME as EQUAL
from sandbox.ui.verdict_jobs import Jobs
from sandbox.ui.verdict_look import Assessed, assess
from sandbox.ui.verdict_show import split
from sandbox.ui.verdict_spans import evidence, pieces
from sandbox.ui.verdict_table import differs, tag_id
from sandbox.ui.verdict_trust import NOT_MEASURED, agreement_words, measured
from tests.fakes import LastWord, Script, fake_sandbox
from tests.replaying import replay, with_run
from tests.test_evaluating import DINA, WALID, opened, pasted
from tests.test_views import Reader

NASTY = '<img src=x onerror=alert(1)> & "quotes" \''


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    script = Script(replies={"address": "14 Mosaic Lane, and mind the bell."})
    with closing(fake_sandbox(tmp_path, script.play, load_judge=LastWord)) as made:
        yield made


def judged(sandbox: Sandbox, number: str, name: str, *judges: str) -> Assessed:
    """A scenario's reference reply, written by hand and judged."""
    reply = pasted(sandbox, opened(sandbox, number), name)
    for judge in judges:
        sandbox.evaluating.evaluate(ACCOUNT, reply, judge)
    return assess(sandbox, ACCOUNT, reply)


def words(view: Html | None) -> str:
    assert view is not None
    return Reader(view.markup).words


def row_of(look: Assessed, label: str, judge: str = "") -> str:
    """The markup of an entry's row in the table."""
    [entry] = [one for one, name in look.labels.items() if name == label]
    rows = re.findall(r"<tr.*?</tr>", card(look, judge).markup)
    return next(row for row in rows if f'data-entries="{entry}"' in row)


# Figures

WALK_6 = {
    "good": ["1/1", "2/2", "0/4", "1", "1", "1", "0"],
    "over_sharing": ["1/1", "0/2", "4/4", "0", "0", "0", "1"],
    "forgetful": ["0/1", "0/2", "0/4", "0", "-", "-", "0"],
    "stale": ["0/1", "0/2", "1/4", "0", "-", "-", "1"],
}


@pytest.mark.parametrize(("name", "values"), WALK_6.items(), ids=WALK_6.keys())
def test_the_card_shows_the_walks_figures_as_counts(
    sandbox: Sandbox, name: str, values: list[str]
) -> None:
    look = judged(sandbox, "05", name, "file")
    shown = re.findall(
        r'<button type="button" class="figure .*?figure-value">([^<]*)', card(look).markup
    )
    assert shown[:7] == values
    assert (shown[7] == "-") == (name == "forgetful")
    assert EQUAL in words(card(look))


def test_a_figure_explains_itself_with_formula_section_and_the_entries_that_failed_by_label(
    sandbox: Sandbox,
) -> None:
    told = words(card(judged(sandbox, "05", "over_sharing", "file")))
    assert "Strict Memory Compliance: 1 if, must-only" in told
    assert "StratMem-Bench, section 4.1, Eq. 4" in told
    assert "Failed: nice used: 0 of 2; irr used: m7, m3, m1, m6." in told
    assert not re.search(r"[0-9a-f]{32}", told)


def test_every_explanation_can_be_reached_by_the_keyboard(sandbox: Sandbox) -> None:
    markup = card(judged(sandbox, "05", "over_sharing", "file")).markup
    tips = markup.count('role="tooltip"')
    assert tips == 8 + 2
    assert len(re.findall(r'<button type="button" class="(?:figure|failure)', markup)) == tips


def live(sandbox: Sandbox) -> str:
    session = sandbox.sessions.open(ACCOUNT, DINA, WALID, strategy="top_k")
    return sandbox.conversation.ask(ACCOUNT, session.id, "Which address?").line.id


def test_a_pool_without_must_and_nice_shows_over_sharing_alone(sandbox: Sandbox) -> None:
    reply = live(sandbox)
    sandbox.evaluating.evaluate(ACCOUNT, reply, "local")
    shown = card(assess(sandbox, ACCOUNT, reply))
    assert OVERSHARING in words(shown)
    assert "rho irr" in words(shown)
    assert "Strict Memory Compliance" not in words(shown)


def test_an_entry_that_should_have_come_parts_the_two_rows(sandbox: Sandbox) -> None:
    reply = live(sandbox)
    found = sandbox.evaluating.evaluate(ACCOUNT, reply, "local")
    missed = next(i.id for i in found.reply.case.pool if i.id not in found.reply.injected)
    sandbox.evaluating.correct(ACCOUNT, reply, "wanted", "yes", entry=missed, reason="Needed.")
    look = assess(sandbox, ACCOUNT, reply)
    told = words(card(look))
    assert "Over what was recalled and 1 that should have come" in told
    assert "Over what was injected" in told
    assert EQUAL not in told
    row = row_of(look, look.label(missed))
    assert "should have come" in row
    assert f'data-on="clear" data-id="wanted||{missed}"' in row


def test_golden_memories_that_nothing_recalled_are_not_called_recalled(sandbox: Sandbox) -> None:
    replayed = replay(sandbox, with_run(), Replayed("gold"))
    reply = sandbox.replays.step(ACCOUNT, replayed.id).wait(20).reply
    assert reply
    sandbox.evaluating.evaluate(ACCOUNT, reply, "local")
    sandbox.revealing.ask(replayed.id, 1)
    told = words(card(assess(sandbox, ACCOUNT, reply)))
    assert "Over what was recalled and 1 golden that was not" in told


def test_an_unsure_figure_shows_its_bounds(sandbox: Sandbox) -> None:
    look = judged(sandbox, "05", "forgetful", "file")
    [must] = [one for one, tag in look.roles.items() if tag.role == "must"]
    kept = look.judged[0].kept.id
    sandbox.evaluating.correct(
        ACCOUNT, look.reply, "usage", "unsure", entry=must, verdict=kept, reason="Hard to say."
    )
    told = words(card(assess(sandbox, ACCOUNT, look.reply)))
    assert "0 to 1" in told
    assert "Open: unsure of m2." in told


# The table


def test_every_role_has_a_letter_a_word_and_a_source(sandbox: Sandbox) -> None:
    look = judged(sandbox, "05", "good", "file")
    assert words(Html(row_of(look, "m2"))).startswith("m2M mustgold")
    live_reply = live(sandbox)
    sandbox.evaluating.evaluate(ACCOUNT, live_reply, "local")
    told = words(card(assess(sandbox, ACCOUNT, live_reply)))
    assert "I irrproposed by local 0.70" in told


def test_judges_stand_side_by_side_with_their_measured_agreement_and_their_differences(
    sandbox: Sandbox,
) -> None:
    look = judged(sandbox, "05", "over_sharing", "local", "file")
    look = replace(look, trust={"file": "given with the data", "local": "kappa 0.80, n 100"})
    markup = card(look).markup
    heads = re.findall(r"<th scope=\"col\">(.*?)</th>", markup)
    assert [words(Html(head)) for head in heads] == [
        "Entry",
        "localkappa 0.80, n 100",
        "filegiven with the data",
    ]
    apart = [one for one in look.labels if differs(look, one)]
    assert f"≠ The judges differ on the use of {len(apart)} of 7 entries." in words(card(look))
    assert words(card(look)).count("≠ judges differ") == len(apart) > 0


def test_judges_that_agree_say_so(sandbox: Sandbox) -> None:
    look = judged(sandbox, "05", "good", "file")
    mine = replace(look.judged[0].kept.verdict, judge="human")
    sandbox.evaluating.keep(ACCOUNT, look.evaluation.reply, mine)
    told = words(card(assess(sandbox, ACCOUNT, look.reply)))
    assert "The judges agree on the use of all 7 entries." in told
    assert "judges differ" not in told


def test_what_is_no_use_and_what_is_not_judged_yet_look_different(sandbox: Sandbox) -> None:
    session = sandbox.sessions.open(ACCOUNT, DINA, WALID, strategy="no_memory")
    reply = sandbox.conversation.ask(ACCOUNT, session.id, "Which address?").line.id
    bank = sandbox.banks.view(ACCOUNT, DINA, WALID)
    sandbox.evaluating.evaluate(ACCOUNT, reply, "local")
    wanted = bank.states[0].entry.id
    sandbox.evaluating.correct(ACCOUNT, reply, "wanted", "yes", entry=wanted, reason="Needed.")
    pending = card(assess(sandbox, ACCOUNT, reply))
    assert "not judged yet" in words(pending)
    assert "u-pending" in pending.markup
    sandbox.evaluating.evaluate(ACCOUNT, reply, "local")
    told = card(assess(sandbox, ACCOUNT, reply))
    assert "u-not-used" in told.markup
    assert "u-pending" not in told.markup


def test_rules_are_followed_or_violated_in_sight(sandbox: Sandbox) -> None:
    good = card(judged(sandbox, "04", "good", "file"))
    assert words(good).count("✓ rule followed") == 2
    assert "Rules are in this pool" in words(good)
    lost = card(judged(sandbox, "04", "forgetful", "file"))
    assert words(lost).count("✕ rule violated") == 2
    assert "✕ 2 rules violated" in words(lost)


def test_a_correction_is_marked_and_its_history_keeps_both(sandbox: Sandbox) -> None:
    look = judged(sandbox, "05", "good", "file")
    [must] = [one for one, tag in look.roles.items() if tag.role == "must"]
    kept = look.judged[0].kept.id

    def correct(value: str | None, reason: str) -> str:
        sandbox.evaluating.correct(
            ACCOUNT, look.reply, "usage", value, entry=must, verdict=kept, reason=reason
        )
        return card(assess(sandbox, ACCOUNT, look.reply)).markup

    changed = correct("not used", "It is in the query.")
    assert "– not used corrected" in words(Html(changed))
    assert "usage of m2 by file: now not used. It is in the query." in words(Html(changed))
    assert f'data-on="clear" data-id="usage|{kept}|{must}"' in changed
    back = words(Html(correct(None, "")))
    assert "History: 2 corrections" in back
    assert "now not used" in back
    assert "taken back" in back
    assert "corrected" not in back.replace("corrections", "")


def test_a_large_pool_folds_away_what_is_irrelevant_and_unused(sandbox: Sandbox) -> None:
    reply = live(sandbox)
    sandbox.evaluating.evaluate(ACCOUNT, reply, "local")
    first = assess(sandbox, ACCOUNT, reply).items[0].id
    sandbox.evaluating.correct(ACCOUNT, reply, "role", "must", entry=first, reason="Needed.")
    look = assess(sandbox, ACCOUNT, reply)
    assert len(look.items) == 30
    assert "29 irrelevant entries, not used" in words(card(look))
    shown, folded = card(look).markup.split("29 irrelevant entries", 1)
    assert [part.count("<tr data-entries=") for part in (shown, folded)] == [1, 29]
    small = card(judged(sandbox, "05", "good", "file"))
    assert "irrelevant entries" not in words(small)


# MIQ and aspects


def test_miq_stands_with_its_failures_defined_and_attributed(sandbox: Sandbox) -> None:
    told = words(card(judged(sandbox, "11", "distorted", "file")))
    assert "MIQ 1 of 5" in told
    assert "⚠ distorted" in told
    assert "Named by: ours." in told


def test_miq_of_a_reply_that_uses_nothing_is_unscored_with_its_reason(sandbox: Sandbox) -> None:
    told = words(card(judged(sandbox, "05", "forgetful", "file")))
    assert "MIQ unscored" in told
    assert "the reply uses nothing" in told


def test_aspects_are_shown_by_points_with_the_situation_and_its_numbered_key_points(
    sandbox: Sandbox,
) -> None:
    look = judged(sandbox, "05", "good", "file")
    points = (Point(1, 1.0, "Kind."), Point(2, 0.0, "Stiff.", "mind the"), Point(3, 0.5, "Weak."))
    aspect = AspectVerdict("emotional_improvement", points)
    verdict = replace(look.judged[0].kept.verdict, aspects=(aspect,), situation="anxious")
    sandbox.evaluating.keep(ACCOUNT, look.evaluation.reply, verdict)
    told = words(card(assess(sandbox, ACCOUNT, look.reply)))
    assert "Emotional improvement 1.5 of 3 ● ○ ◐" in told
    assert "0 understands. Stiff. “mind the”" in told
    assert "Situation: anxious" in told
    assert "find the cause, if the user has not said it" in told


# Evidence


def test_spans_are_underlined_in_bubble_and_card_with_letter_and_entries(
    sandbox: Sandbox,
) -> None:
    look = judged(sandbox, "05", "over_sharing", "file")
    shown = evidence(look, "file")
    assert shown is not None
    marks = re.findall(
        r'<mark class="span role-(\w+)" data-letters="(.)" data-entries="(\w+)".*?>(.*?)</mark>',
        shown.markup,
    )
    assert [(role, letter, look.label(one)) for role, letter, one, _ in marks] == [
        ("irr", "I", "m7"),
        ("irr", "I", "m6"),
        ("must", "M", "m2"),
        ("irr", "I", "m1"),
        ("irr", "I", "m3"),
    ]
    assert words(shown) == look.evaluation.reply.case.reply
    assert words(card(look)).count(marks[0][3]) >= 2


def test_a_span_of_several_entries_shows_both_letters(sandbox: Sandbox) -> None:
    look = judged(sandbox, "05", "good", "file")
    verdict = look.judged[0].kept.verdict
    both = {tag.role: one for one, tag in look.roles.items()}
    entries = tuple(
        replace(one, usage="used", spans=(Span(0, 6),))
        if one.entry in (both["must"], both["nice"])
        else replace(one, usage="not used", spans=())
        for one in verdict.entries
    )
    sandbox.evaluating.keep(ACCOUNT, look.evaluation.reply, replace(verdict, entries=entries))
    shown = evidence(assess(sandbox, ACCOUNT, look.reply), "file")
    assert shown is not None
    letters = re.findall(r'data-letters="([^"]*)"', shown.markup)
    assert sorted(letters[0].split("+")) == ["M", "N"]
    assert "several" in shown.markup


@given(
    st.text(max_size=40),
    st.lists(st.tuples(st.integers(0, 45), st.integers(0, 45), st.sampled_from("abc"))),
)
def test_pieces_are_the_whole_text_and_each_names_what_covers_it(
    text: str, spans: list[tuple[int, int, str]]
) -> None:
    found = pieces(text, spans)
    assert "".join(one.text for one in found) == text
    at = 0
    for one in found:
        for place in range(at, at + len(one.text)):
            covering = {entry for start, end, entry in spans if start <= place < end}
            assert set(one.entries) == covering
        at += len(one.text)


def test_nothing_is_underlined_or_counted_where_nobody_has_judged(sandbox: Sandbox) -> None:
    look = judged(sandbox, "05", "good")
    assert evidence(look, "") is None
    assert used_stage(look, "") is None
    assert use_of(look, "", look.items[0].id) is None
    assert words(card(look)) == NOTHING
    assert card(None).markup == ""


def test_the_funnel_counts_what_the_judge_in_front_calls_used(sandbox: Sandbox) -> None:
    look = judged(sandbox, "05", "over_sharing", "local", "file")
    assert words(used_stage(look, "file")).startswith("used 5")
    assert words(used_stage(look, "file")).endswith("by file")
    mine = sum(one.usage == "used" for one in look.judged[0].verdict.entries)
    assert words(used_stage(look, "local")).startswith(f"used {mine}")


def test_the_card_says_that_it_is_hidden_while_a_form_is_open(sandbox: Sandbox) -> None:
    assert BLIND in words(card(judged(sandbox, "05", "good", "file")))


# Texts stay texts


def test_no_text_of_a_judge_becomes_markup(sandbox: Sandbox) -> None:
    look = judged(sandbox, "05", "good")
    entries = tuple(
        EntryVerdict(
            one.id,
            "used",
            spans=(Span(0, 5),),
            detail=NASTY,
            why=NASTY,
            shared_with=(NASTY,),
            probability=0.5,
            flips=0.2,
        )
        for one in look.items
    )
    points = (Point(1, 1.0, NASTY, NASTY), Point(2, 1.0, NASTY), Point(3, None, NASTY))
    verdict = Verdict(
        NASTY,
        NASTY,
        entries,
        Miq(3.0, NASTY, ("mixed",)),
        (AspectVerdict("style", points),),
        NASTY,
        warnings=(NASTY,),
    )
    sandbox.evaluating.keep(ACCOUNT, look.evaluation.reply, verdict)
    shown = Reader(card(assess(sandbox, ACCOUNT, look.reply)).markup)
    assert shown.elements <= ELEMENTS
    assert shown.attributes <= set(ATTRIBUTES.values())
    assert "img" not in shown.elements
    assert shown.words.count(NASTY) > 20


# Judges


def test_only_what_was_measured_is_called_measured() -> None:
    assert measured("llm:any") == NOT_MEASURED
    assert measured("file") == "given with the data"
    assert measured("local", "zh") == "not measured for zh"
    assert agreement_words(None) == NOT_MEASURED
    assert agreement_words({"agreement": {"usage_gold_dev": {"kappa": 1}}}) == NOT_MEASURED
    kappa = {"value": 0.801, "low": 0.7, "high": 0.9}
    found = {"agreement": {"usage_gold_dev": {"kappa": kappa, "n": {"replies": 70}}}}
    assert agreement_words(found) == (
        "use: kappa 0.80 (0.70 to 0.90), n = 70 replies, English, cross-validated"
    )


def test_the_file_is_offered_first_where_it_has_the_reply(sandbox: Sandbox) -> None:
    assert judged(sandbox, "05", "good").default == "file"
    assert assess(sandbox, ACCOUNT, live(sandbox)).default == "local"


def test_the_aspects_offered_are_those_of_the_scene(sandbox: Sandbox) -> None:
    assert len(judged(sandbox, "05", "good").aspects) == 5
    assert assess(sandbox, ACCOUNT, live(sandbox)).aspects == ()


def test_a_judge_at_work_is_not_begun_twice_can_be_stopped_and_tells_its_error() -> None:
    jobs, begun = Jobs(), []

    def work(stop: Event) -> None:
        begun.append(stop)
        assert stop.wait(10)
        raise JudgeError("The judge was stopped.")

    first = jobs.start("r", "llm:x", work)
    waiting = first.wait(0.01)
    assert next(waiting) == 0.0
    assert next(waiting) > 0.0
    assert jobs.start("r", "llm:x", work) is first
    jobs.stop("another reply")
    assert not first.stop.is_set()
    jobs.stop("r")
    with pytest.raises(JudgeError, match="was stopped"):
        list(waiting)
    assert len(begun) == 1
    again = jobs.start("r", "llm:x", work)
    assert again is not first
    again.stop.set()


def test_a_tag_tells_what_it_corrects_and_nothing_else_is_taken() -> None:
    assert split(tag_id("usage", "v", "e")) == ("usage", "v", "e")
    with pytest.raises(ValueError, match="must be about one of"):
        split("colour|v|e")


def test_the_human_form_shows_every_entry_and_no_role_nor_verdict(sandbox: Sandbox) -> None:
    look = judged(sandbox, "04", "good", "file")
    markup = human_form(look).markup
    told = Reader(markup).words
    assert all(item.text in told for item in look.items)
    assert markup.count('data-field="usage|') == 8
    rules = sum(item.is_rule for item in look.items)
    assert markup.count('data-field="rule|') == rules > 0
    assert "role-" not in markup
    assert 'selected=""' not in markup


# The switchboard


def test_the_switchboard_lists_the_prompts_entries_and_reads_what_was_switched(
    sandbox: Sandbox,
) -> None:
    look = judged(sandbox, "05", "good")
    markup = switch_form(look).markup
    assert markup.count('data-field="on|') == 7
    first, second, *rest = (item.id for item in look.items)
    kept = {f"on|{one}": True for one in rest}
    texts = {f"text|{item.id}": f" {item.text} " for item in look.items}
    sent = {**texts, **kept, f"on|{first}": False, f"text|{second}": "Something else."}
    assert switched(sent, look) == [Switch(first, None), Switch(second, "Something else.")]
    assert switched(texts, look) == []


@pytest.mark.parametrize(
    ("told", "number"), [("3", 3), (" 10 ", 10), ("x", 0), (None, 0), ("-1", 0), ("2.5", 0)]
)
def test_the_number_of_samples_is_a_whole_one_or_none(told: object, number: int) -> None:
    assert whole(told) == number


def experimented(look: Assessed, *found: Found) -> str:
    made = tuple(
        Experiment(str(n), look.reply, one, "2026-03-26T11:05:00+00:00")
        for n, one in enumerate(found)
    )
    return words(experiments_view(replace(look, experiments=made)))


def samples(look: Assessed, **values: object) -> Samples:
    verdict = look.judged[0].kept.verdict
    nothing = replace(
        verdict, entries=tuple(EntryVerdict(one.entry, "not used") for one in verdict.entries)
    )
    plain = Samples(
        kind="samples",
        switches=(Switch(look.items[0].id, None),),
        memory=True,
        wanted=2,
        samples=(
            Sample(7, "At 14 Mosaic Lane.", "At the barn.", verdict, nothing),
            Sample(8, "Same.", "Same.", verdict, verdict),
        ),
        model="scripted",
        judge="file",
        shown=(),
        same_prompt=True,
        repeats=True,
    )
    return replace(plain, **values)  # type: ignore[arg-type]


def test_samples_show_the_difference_and_the_change_of_the_verdict(sandbox: Sandbox) -> None:
    look = judged(sandbox, "05", "good", "file")
    told = experimented(look, samples(look))
    assert SAME in told
    assert "The text changed in 1 of 2 samples." in told
    assert "Sample 1 seed 7" in told
    assert "≠ verdict changed · used m4, m2, m5 → nothing · SMC 1 → 0 by file" in told
    assert "The same text." in told
    assert "= same verdict" in told
    assert OTHER_PROMPT not in told
    assert NO_REPEAT not in told


def test_samples_that_say_little_are_warned_about(sandbox: Sandbox) -> None:
    look = judged(sandbox, "05", "good", "file")
    told = experimented(look, samples(look, same_prompt=False, repeats=False, wanted=5))
    assert OTHER_PROMPT in told
    assert NO_REPEAT in told
    assert "It ended early: 5 were asked for." in told


def test_the_causal_table_marks_what_is_above_the_noise(sandbox: Sandbox) -> None:
    look = judged(sandbox, "05", "good", "file")
    first, second, *_ = look.items
    effects = (Effect(first.id, 4.0, 0.5), Effect(second.id, -0.1, -0.0125))
    found = Causal("causal", "scripted", 8, -20.0, effects, 0.2, 2, same_prompt=True)
    told = experimented(look, found, found)
    assert "+4.00+0.500▲ above the noise" in told
    assert "-0.10-0.013· within the noise" in told
    assert "Noise floor 0.20 nats" in told
    assert "Earlier experiments on this reply: 1" in told


# Intimacy


def compared(outcome: Outcome | None, why: str = "Closer.") -> Compared:
    comparison = Comparison(outcome, why, ("A", "B"), ())
    return Compared("compared", f"Without. {NASTY}", 7, "judge", comparison, same_prompt=True)


@pytest.mark.parametrize(
    ("outcome", "words_"),
    [
        ("win", "With memory feels closer."),
        ("lose", "Without memory feels closer."),
        ("tie", "A tie."),
        (None, "No outcome: an answer could not be read."),
    ],
)
def test_with_and_without_memory_has_an_outcome_in_words(
    sandbox: Sandbox, outcome: Outcome | None, words_: str
) -> None:
    told = experimented(judged(sandbox, "05", "good"), compared(outcome))
    assert words_ in told
    assert NASTY in told


def test_the_best_of_several_shows_votes_winners_and_the_share_with_memory(
    sandbox: Sandbox,
) -> None:
    candidates = (
        Candidate("r1", "At the lane.", has_memory=True),
        Candidate("reference:good", "At the barn.", has_memory=False),
    )
    call = Call("pick", "0", "", 0.0)
    votes = (Vote("one", ("r1", "reference:good"), "r1", f"Warm. {NASTY}", call),)
    picked = Picked(("r1",), {"r1": 1, "reference:good": 0}, 1.0, votes, 3)
    told = experimented(judged(sandbox, "05", "good"), BestOf("best", candidates, picked))
    assert "100% of the best use a memory." in told
    assert "1 vote ★ best · uses memoryAt the lane." in told
    assert "0 votes · uses no memory · goodAt the barn." in told
    assert NASTY in told


def test_the_voters_are_the_models_and_the_first_is_ticked(sandbox: Sandbox) -> None:
    markup = switch_form(judged(sandbox, "05", "good")).markup
    [voter] = re.findall(r'<input [^>]*data-field="voters"[^>]*>', markup)
    assert 'value="scripted"' in voter
    assert " checked" in voter
    assert markup.count('data-field="references"') == 4

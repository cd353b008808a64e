"""A replay in the browser: three gears at one stop, gold asked for, going on, taking over."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from tests.browsing import browse, choose, chromium, served, tab
from tests.fakes import LastWord, Script, fake_sandbox
from tests.replaying import with_run
from tests.scripted_model import Asked
from tests.test_replay_episodes import DATA as EPISODE_FILE
from tests.test_replay_episodes import EPISODE, GoldModel

expect.set_options(timeout=15_000)
GOLD = "You mended one in May."


def character(asked: Asked) -> Any:
    if asked.form is not None:
        return Script().play(asked)
    if "You write the lines of Bart" in asked.text:
        return "It works again!"
    return f"{asked.text.count('Bart mended heddle')} heddles."


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    made = fake_sandbox(tmp_path / "data", character, load_judge=LastWord)
    made.instances.add(ACCOUNT, with_run())
    return made


@pytest.fixture
def page(sandbox: Sandbox) -> Iterator[Page]:
    with served(sandbox) as url, chromium() as context, tab(context) as opened:
        opened.goto(f"{url}/instance/0-4")
        yield opened


def pick(page: Page, box: str, option: str) -> None:
    choose(page.locator(f"#{box} input"), page.get_by_role("option", name=option, exact=True))


def press(page: Page, name: str) -> None:
    page.locator("#replay").get_by_role("button", name=name, exact=True).click()


def enter(box: Locator, text: str, seen: Locator) -> None:
    """Type a text until something comes of it: a page that was just made again takes it away."""
    for _ in range(4):
        box.fill(text)
        box.press("Enter")
        try:
            expect(seen).to_be_visible(timeout=3_000)
        except AssertionError:
            continue
        return
    expect(seen).to_be_visible()


def said(page: Page) -> Locator:
    return page.locator("#bubbles .bubble.agent:not(.before) .said")


@browse
def test_a_dialogue_goes_through_three_gears_and_is_taken_over(
    page: Page, sandbox: Sandbox
) -> None:
    pick(page, "door-gear", "gold")
    page.locator("#replay-instance").click()
    head, gold = page.locator("#replay-head"), page.locator("#replay-gold")
    expect(head).to_contain_text("Replay of 0 · before the first stop")
    expect(head).to_contain_text("Shows the first golden memory alone.")
    expect(page.locator("#composer")).to_be_hidden()
    press(page, "Step")
    expect(said(page)).to_have_text(["1 heddles."])
    expect(head).to_contain_text("stop 1 of 2")
    expect(head).to_contain_text("shown to the model, in order: 7")
    expect(page.locator("body")).not_to_contain_text(GOLD)
    press(page, "Reveal gold")
    expect(gold).to_contain_text(GOLD)
    expect(gold).not_to_contain_text("first golden not here")
    pick(page, "replay-gear", "distractors")
    expect(head).to_contain_text("four negatives")
    again = page.locator("#bubbles").get_by_role("button", name="regenerate")
    again.click()
    expect(said(page)).to_have_text(["5 heddles."])
    pick(page, "replay-gear", "pipeline")
    pick(page, "replay-run", "openai")
    again.click()
    expect(page.locator("#bubbles")).to_contain_text("reply 3 of 3")
    expect(head).to_contain_text("in order: 3, 2, 5, 7, 1")
    press(page, "Step")
    expect(said(page)).to_have_text([GOLD, "5 heddles."])
    expect(page.locator("#bubbles")).to_contain_text("from the file · saved")
    expect(gold).to_be_empty()
    press(page, "Reveal gold")
    expect(gold).to_contain_text("Then you can do it again.")
    page.reload()
    expect(head).to_contain_text("stop 2 of 2")
    expect(gold).to_be_empty()
    press(page, "Take over")
    expect(page.locator("#replay")).to_be_hidden()
    expect(page.locator("#play-told")).to_contain_text(
        "MADial-Bench's prompts for settings 2 and 3"
    )
    page.get_by_placeholder("Write a message").fill("And now?")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(said(page)).to_have_count(3)
    page.get_by_role("button", name="Have the model speak for the person").click()
    expect(page.locator("#bubbles")).to_contain_text("It works again!")
    expect(page.locator("#bubbles .bubble.user").last).to_contain_text("by scripted")
    expect(said(page)).to_have_count(4)


@browse
def test_a_replay_plays_to_its_end_judged_and_goes_back(page: Page, sandbox: Sandbox) -> None:
    page.locator("#replay-instance").click()
    head = page.locator("#replay-head")
    expect(head).to_contain_text("before the first stop")
    pick(page, "replay-judge", "local")
    press(page, "Play")
    expect(head).to_contain_text("That was the last stop.")
    expect(page.locator("#card")).to_contain_text("local")
    expect(page.locator("#replay").get_by_role("button", name="Step", exact=True)).to_be_disabled()
    press(page, "Back")
    expect(head).to_contain_text("stop 1 of 2")
    expect(said(page)).to_have_text(["8 heddles."])
    [found] = sandbox.sessions.list(ACCOUNT)
    assert found.turns == 1
    press(page, "Step")
    expect(head).to_contain_text("That was the last stop.")
    expect(page.locator("#card")).to_contain_text("local")


@browse
def test_seed_and_prompts_are_chosen_and_a_replay_is_taken_over_before_its_first_stop(
    page: Page, sandbox: Sandbox
) -> None:
    pick(page, "door-gear", "distractors")
    page.locator("#replay-instance").click()
    head, seed = page.locator("#replay-head"), page.get_by_label("Seed")
    expect(head).to_contain_text("MADial-Bench's prompts")
    expect(seed).to_have_attribute("placeholder", re.compile(r"its own: \d+"))
    pick(page, "replay-prompts", "the sandbox's own")
    expect(head).to_contain_text("the sandbox's own prompts")
    enter(seed, "seven", page.get_by_text("The seed must be a whole number"))
    expect(seed).to_have_value("")
    seed.fill("7")
    press(page, "Step")
    expect(head).to_contain_text("in order: 7, 3, 5, 1, 4")
    pick(page, "replay-where", "after 1, Bart: The loom broke.")
    press(page, "Take over")
    expect(page.locator("#bubbles")).to_contain_text("It was taken over here")
    expect(page.locator("#play-told")).to_contain_text("the sandbox's own prompts")
    pick(page, "play-prompts", "the file's own")
    expect(page.locator("#play-told")).to_contain_text("settings 2 and 3")
    page.locator("#bubbles").get_by_role("button", name="Try again").click()
    expect(said(page)).to_have_text(["8 heddles."])


@browse
def test_an_episode_is_gone_through_with_gold_beside_the_model(tmp_path: Path) -> None:
    made = fake_sandbox(tmp_path / "data", GoldModel().play)
    made.instances.add(ACCOUNT, [("episode.json", EPISODE_FILE)])
    with served(made) as url, chromium() as context, tab(context) as opened:
        opened.goto(url)
        opened.get_by_role("tab", name="Instances").click()
        opened.locator("#shelf").get_by_text("episode.json").click()
        expect(opened.locator("#episode")).to_be_visible()
        opened.locator("#replay-episode").click()
        steps = opened.locator("#episode-steps")
        count = len(EPISODE.sessions) + len(EPISODE.questions)
        expect(steps).to_contain_text(f"{count} of {count} steps", timeout=30_000)
        expect(steps).not_to_contain_text("as the gold")
        opened.get_by_label("show gold beside the model").check()
        expect(steps).to_contain_text(f"answers: 0 right, 0 wrong, {len(EPISODE.questions)} not")
        first = steps.locator("details").first
        expect(first).to_contain_text("as the gold")
        first.locator("summary").first.click()
        expect(first.locator(".beside").first).to_be_visible()

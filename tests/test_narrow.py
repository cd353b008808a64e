"""The page where there is little room: nothing lies over anything, nothing is cut off."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Locator, expect

from tests.browsing import browse, chromium, served, tab
from tests.fakes import Script, fake_sandbox

expect.set_options(timeout=15_000)
SIZES = [(390, 844), (820, 680), (1000, 700), (1100, 620), (1180, 700), (1440, 900)]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(fake_sandbox(tmp_path_factory.mktemp("narrow"), Script().play)) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[BrowserContext]:
    with chromium() as context:
        yield context


def place(found: Locator) -> dict[str, float]:
    box = found.bounding_box()
    assert box is not None
    return dict(box)


def overlap(one: dict[str, float], other: dict[str, float]) -> bool:
    across = min(one["x"] + one["width"], other["x"] + other["width"]) - max(one["x"], other["x"])
    down = min(one["y"] + one["height"], other["y"] + other["height"]) - max(one["y"], other["y"])
    return across > 1 and down > 1


@browse
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_no_part_lies_over_another_and_nothing_sticks_out(
    url: str, browser: BrowserContext, width: int, height: int
) -> None:
    with tab(browser) as page:
        page.set_viewport_size({"width": width, "height": height})
        page.goto(url)
        expect(page.get_by_role("heading", name="File", exact=True)).to_be_visible()
        expect(page.locator("#banner")).to_contain_text("index ready")
        panel = place(page.locator("#inspector"))
        if width <= 1180:  # wider, the doors scroll in a column of their own
            for door in page.locator("#doors .door").all():
                assert not overlap(place(door), panel)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.get_by_role("button", name="Dina Haddadin → Walid Qutami").click()
        message = page.get_by_placeholder("Write a message")
        expect(message).to_be_visible()
        parts = [page.locator(where) for where in ("#talk", "#composer", "#inspector", "#side")]
        places = [place(part) for part in parts]
        clashes = [
            (first, second)
            for first in range(len(places))
            for second in range(first)
            if overlap(places[first], places[second])
        ]
        assert clashes == []
        assert place(message)["width"] >= 220
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@browse
def test_the_fields_of_a_form_keep_room_to_write_in(url: str, browser: BrowserContext) -> None:
    with tab(browser) as page:
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto(url)
        page.get_by_role("button", name="Add an entry").click()
        for label in ("Date", "Emotion"):
            field = page.locator("#bank-form").get_by_label(label, exact=True)
            assert place(field)["width"] >= 90

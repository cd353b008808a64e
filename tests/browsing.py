"""A served page and a browser for it, for tests that click."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest
import uvicorn
from playwright.sync_api import (
    BrowserContext,
    Locator,
    Page,
    Request,
    TimeoutError,
    sync_playwright,
)

from sandbox.assemble import Sandbox
from sandbox.port import reserve, url_of
from sandbox.ui.page import build_page, page_look
from sandbox.ui.server import create_app

CHROMIUM = Path("/usr/bin/chromium")
SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
F = TypeVar("F", bound=Callable[..., Any])
BROWSER: tuple[Any, ...] = (
    pytest.mark.browser,
    # On a machine with no time to spare a click can miss a page that moves; a fault fails twice,
    # and what had to be repeated is counted in the report.
    pytest.mark.flaky(reruns=1),
    # Gradio's queue counts its calls by ways that pandas is about to drop.
    pytest.mark.filterwarnings("ignore:'future.no_silent_downcasting'"),
    pytest.mark.filterwarnings("ignore:The copy keyword is deprecated"),
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no {CHROMIUM}"),
)


def browse(test: F) -> F:
    """Mark a test that needs the browser."""
    for mark in BROWSER:
        test = mark(test)
    return test


@contextmanager
def served(sandbox: Sandbox, port: int = 0) -> Iterator[str]:
    """The address of the sandbox's page, served until the end; closes the sandbox.

    `port` 0 is any that is free.
    """
    with reserve("127.0.0.1", port) as listener:
        app = create_app(build_page(sandbox), page_look(), "127.0.0.1")
        config = uvicorn.Config(app, log_config=None, ws="none", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        sandbox.start()
        yield url_of(listener)
        server.should_exit = True
        thread.join(10)
    sandbox.close()


@contextmanager
def chromium() -> Iterator[BrowserContext]:
    """A browser at 1440 by 900."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=str(CHROMIUM), args=SWITCHES)
        context = launched.new_context(viewport={"width": 1440, "height": 900})
        context.set_default_timeout(15_000)
        yield context
        launched.close()


@contextmanager
def tab(context: BrowserContext) -> Iterator[Page]:
    """A tab that must see no script error and ask nothing of anywhere else."""
    opened = context.new_page()
    failures: list[str] = []

    def look_at(request: Request) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "data:", "blob:")):
            failures.append(f"request {request.url}")

    opened.on("pageerror", lambda error: failures.append(f"error {error}"))
    opened.on("request", look_at)
    yield opened
    opened.close()
    assert failures == []


def choose(box: Locator, option: Locator) -> None:
    """Open a list and take an option.

    Gradio shuts an open list when the page above it moves, and a person opens it again.
    """
    for _ in range(4):
        box.click()
        try:
            option.click(timeout=3_000)
        except TimeoutError:
            continue
        return
    raise AssertionError(f"the list never stayed open for {option}")

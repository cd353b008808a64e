"""The server: its addresses, what it keeps to itself, and how it starts and ends."""

import http.client
import http.server
import json
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from sandbox.port import PortError, loopback_address, reserve, url_of
from tests.browsing import CHROMIUM, browse

TINY = Path(__file__).with_name("tiny_page.py")


@dataclass(frozen=True)
class Served:
    """A tiny page in a process of its own."""

    process: subprocess.Popen[str]
    port: int
    root: Path
    lines: list[str]
    """What it printed up to now."""

    def ask(
        self, path: str, method: str = "GET", body: str | None = None, **headers: str
    ) -> tuple[int, dict[str, str], str]:
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)) as connection:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read().decode()

    def stream(self, name: str) -> http.client.HTTPResponse:
        """The open event stream of a call."""
        body = json.dumps({"data": []})
        _, _, text = self.ask(
            f"/gradio_api/call/{name}", "POST", body, **{"Content-Type": "application/json"}
        )
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", f"/gradio_api/call/{name}/{json.loads(text)['event_id']}")
        return connection.getresponse()


@contextmanager
def serving(environment: dict[str, str], root: Path, *arguments: str) -> Iterator[Served]:
    """Serve the tiny page on a free port until the block is left."""
    command = [sys.executable, str(TINY), str(root), "0", *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, text=True
    ) as process:
        try:
            assert process.stdout is not None
            lines: list[str] = []
            for line in process.stdout:
                lines.append(line.rstrip("\n"))
                if line == "background\n":
                    break
            found = re.match(r"Serving on http://127\.0\.0\.1:(\d+) ", "\n".join(lines))
            assert found, lines
            yield Served(process, int(found[1]), root, lines)
        finally:
            process.kill()


@pytest.fixture(scope="module")
def served(
    tmp_path_factory: pytest.TempPathFactory, child_environment: dict[str, str]
) -> Iterator[Served]:
    with serving(child_environment, tmp_path_factory.mktemp("served") / "data") as page:
        yield page


def test_the_start_says_address_and_folder_then_loads(served: Served) -> None:
    url = f"http://127.0.0.1:{served.port}"
    assert served.lines == [
        f"Serving on {url} (data folder {served.root})",
        f"ready {url}",
        "background",
    ]
    assert json.loads((served.root / "owner.json").read_text())["url"] == url


def test_health_tells_that_it_is_a_sandbox_and_no_more(served: Served) -> None:
    status, _, text = served.ask("/health")
    assert (status, json.loads(text)) == (200, {"status": "ok", "app": "strategic-memory-sandbox"})


@pytest.mark.parametrize("kind", ["session", "instance", "run"])
def test_an_address_of_its_own_leads_to_the_page(served: Served, kind: str) -> None:
    status, headers, _ = served.ask(f"/{kind}/aB3_-x")
    assert (status, headers["location"]) == (307, f"/?{kind}=aB3_-x")


@pytest.mark.parametrize("name", ["a%20b", "a.b", "%3Cb%3E", "a&b=1", "x" * 65, "%0d%0aX:1", "é"])
def test_an_id_that_cannot_be_is_not_found(served: Served, name: str) -> None:
    status, headers, text = served.ask(f"/session/{quote(name, safe='%&=')}")
    assert status == 404
    assert text == "This is not the id of a session: letters, digits, - and _, at most 64."
    assert "location" not in headers


@pytest.mark.parametrize(
    "path",
    [
        "/docs",
        "/openapi.json",
        "/monitoring",
        "/monitoring/summary",
        "/gradio_api/runs",
        "/gradio_api/vibe-code",
        "/gradio_api/file=/etc/passwd",
        f"/gradio_api/file={TINY}",
    ],
)
def test_what_gradio_could_also_serve_is_off(served: Served, path: str) -> None:
    assert served.ask(path)[0] in (403, 404)


def test_the_page_has_its_switches_off(served: Served) -> None:
    config = json.loads(served.ask("/config")[2])
    assert config["footer_links"] == []
    assert config["run_history"] is False
    assert config["analytics_enabled"] is False
    assert (config["show_error"], config["mcp_server"], config["pwa"]) == (False, False, False)


def test_a_foreign_host_reaches_nothing(served: Served) -> None:
    for path in ("/", "/config", "/health", "/session/x"):
        for origin in ({}, {"Origin": "http://evil.example"}):
            status, headers, text = served.ask(path, Host="evil.example", **origin)
            assert (status, text) == (
                400,
                "Not served under this name: open the page as 127.0.0.1.",
            )
            assert "access-control-allow-origin" not in headers


def test_a_forwarded_host_is_not_reflected(served: Served) -> None:
    forwarded = {"X-Forwarded-Host": "evil.example"}
    assert "evil.example" not in served.ask("/config", **forwarded)[2]


def test_a_large_body_is_refused_before_it_is_read(served: Served) -> None:
    with closing(socket.create_connection(("127.0.0.1", served.port), timeout=10)) as raw:
        raw.sendall(
            b"POST /gradio_api/queue/join HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            b"Content-Length: 10000000\r\n\r\n"
        )
        assert raw.recv(100).startswith(b"HTTP/1.1 413 ")


def test_only_our_own_sentences_reach_the_client(served: Served) -> None:
    assert "a secret of the server" not in served.stream("fail").read().decode()
    assert "One sentence for the person." in served.stream("refuse").read().decode()


def test_a_function_that_is_not_there_is_not_found(served: Served) -> None:
    json_body = {"Content-Type": "application/json"}
    status, _, text = served.ask("/gradio_api/call/nosuch", "POST", '{"data": []}', **json_body)
    assert status == 404
    assert json.loads(text) == {
        "error": "There is no such function: /gradio_api/info lists those there are."
    }


def test_a_stream_arrives_as_it_is_written(served: Served) -> None:
    with closing(served.stream("endless")) as stream:
        lines = [stream.readline() for _ in range(4)]
    assert lines[1] == b'data: ["0"]\n'


@pytest.mark.kill
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly_while_streams_are_open(
    child_environment: dict[str, str], tmp_path: Path, number: signal.Signals
) -> None:
    with (
        serving(child_environment, tmp_path / "data") as page,
        closing(page.stream("endless")) as stream,
    ):
        stream.readline()
        page.process.send_signal(number)
        assert page.process.wait(timeout=10) == 0
        assert page.process.stdout is not None
        assert page.process.stdout.read() == "closed\n"
        assert not (page.root / "owner.json").exists()


@pytest.mark.kill
def test_a_second_process_on_the_folder_is_told_who_is_there(
    served: Served, child_environment: dict[str, str]
) -> None:
    second = start_again(child_environment, served.root, 0)
    assert second.returncode == 1
    assert second.stdout == ""
    assert f"process {served.process.pid} (http://127.0.0.1:{served.port}, " in second.stderr
    assert len(second.stderr.splitlines()) == 1


def start_again(
    environment: dict[str, str], root: Path, port: int
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TINY), str(root), str(port)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, env=environment, check=False
    )


def test_the_port_of_another_sandbox_is_known(served: Served) -> None:
    with pytest.raises(PortError) as caught:
        reserve("127.0.0.1", served.port)
    assert str(caught.value) == (
        f"Port {served.port} is in use by another sandbox: open it in the browser, stop it, "
        "or choose another port with --port (and another folder with --data-dir)."
    )


@pytest.mark.parametrize(
    "answer",
    [b"", b"HTTP/1.0 200 OK\r\n\r\n{", b"HTTP/1.0 200 OK\r\n\r\n[1]", b"\x00\xff", None],
)
def test_the_port_of_another_program_is_known(answer: bytes | None) -> None:
    with closing(reserve("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        if answer is not None:
            threading.Thread(target=answer_once, args=(taken, answer), daemon=True).start()
        with pytest.raises(PortError) as caught:
            reserve("localhost", port)
    assert str(caught.value) == (
        f"Port {port} is in use by another program: stop it, or choose another with --port."
    )


def answer_once(listener: socket.socket, answer: bytes) -> None:
    connection, _ = listener.accept()
    with connection:
        connection.recv(1000)
        connection.sendall(answer)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.2", "lab.example", "", "127.0.0.1x"])
def test_without_logins_only_loopback_is_served(host: str) -> None:
    with pytest.raises(PortError) as caught:
        reserve(host, 0)
    assert str(caught.value) == (
        f"The page cannot be served on {host!r}: there are no logins yet, so only this machine may "
        "reach it; leave out --host, and use an SSH tunnel from elsewhere."
    )


@pytest.mark.parametrize(
    ("host", "address"),
    [("localhost", "127.0.0.1"), ("127.0.0.3", "127.0.0.3"), ("::1", "::1"), ("[::1]", "::1")],
)
def test_loopback_has_several_names(host: str, address: str) -> None:
    assert str(loopback_address(host)) == address


def test_the_address_is_one_that_can_be_typed() -> None:
    with closing(reserve("127.0.0.1", 0)) as listener:
        assert url_of(listener) == f"http://127.0.0.1:{listener.getsockname()[1]}"


@browse
def test_in_a_browser_the_page_works_and_nothing_leaves(
    child_environment: dict[str, str], tmp_path: Path
) -> None:
    with elsewhere() as (url, hits), serving(child_environment, tmp_path / "data", url) as page:
        with chromium_page() as (browser_page, said):
            browser_page.goto(f"http://127.0.0.1:{page.port}/session/abc_1")
            use_all(browser_page)
            assert [line for line in said if "Content Security Policy" in line] != []
            attack(browser_page)
        assert hits == []


@browse
def test_in_a_browser_the_policy_forbids_nothing_the_page_needs(served: Served) -> None:
    with chromium_page() as (browser_page, said):
        browser_page.goto(f"http://127.0.0.1:{served.port}/session/abc_1")
        use_all(browser_page)
        assert said == []


def use_all(browser_page: Any) -> None:
    """Use what a Gradio page is made of: events, scripts, templates, tables."""
    from playwright.sync_api import expect

    asked = browser_page.get_by_label("Asked")
    expect(asked).to_have_value("session abc_1", timeout=20_000)
    assert browser_page.evaluate("window.loaded") is True
    say = browser_page.get_by_label("Say")
    say.fill("good morning")
    say.press("Enter")
    expect(browser_page.get_by_text("You: good morning")).to_be_visible()
    browser_page.get_by_role("button", name="Run", exact=True).click()
    expect(browser_page.get_by_label("Out")).to_have_value("from js")
    browser_page.get_by_text("<b>one</b>").click()
    assert browser_page.evaluate("window.clicked") is True
    browser_page.get_by_label("Pick").click()
    browser_page.get_by_role("option", name="b").click()
    expect(
        browser_page.get_by_role("grid").or_(browser_page.locator("table")).first
    ).to_be_visible()


def attack(browser_page: Any) -> None:
    """Click on what the hostile text offers; none of it may run or leave."""
    browser_page.evaluate("document.querySelectorAll('#trap, #post').forEach(a => a.click())")
    browser_page.wait_for_timeout(500)
    assert browser_page.evaluate("typeof leak") == "undefined"
    assert browser_page.url.endswith("/?session=abc_1")


@contextmanager
def chromium_page() -> Iterator[tuple[Any, list[str]]]:
    """A page of headless Chromium, and what it complained about."""
    from playwright.sync_api import sync_playwright

    said: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(CHROMIUM), args=["--no-sandbox"], timeout=60_000
        )
        browser_page = browser.new_page()
        browser_page.on("console", lambda line: line.type == "error" and said.append(line.text))
        browser_page.on("pageerror", lambda error: said.append(str(error)))
        yield browser_page, said
        browser.close()


@contextmanager
def elsewhere() -> Iterator[tuple[str, list[str]]]:
    """Another server, and what was asked of it."""
    hits: list[str] = []

    class Sink(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            hits.append(self.path)
            self.send_error(404)

        do_POST = do_GET

        def log_message(self, *_: object) -> None:
            return

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Sink) as sink:
        threading.Thread(target=sink.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{sink.server_port}", hits
        sink.shutdown()

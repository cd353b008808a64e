"""The guard: foreign hosts, foreign pages and large bodies stop here; headers are on all else."""

import asyncio
import base64
import hashlib
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from sandbox.guard import BODY_LIMIT, UPLOAD_LIMIT, Guard, host_name

HERE = "127.0.0.1:7860"
PAGE = "<p>hi</p><script>let a = 1</script><SCRIPT type='module'>b()</SCRIPT><script src='/c.js'>"


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Headers
    body: bytes


class App:
    """Reads the body and answers with its length; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Scope] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.asked.append(scope)
        if scope["path"] in ("/", "/other.html"):
            response = HTMLResponse(PAGE)
        else:
            length = len(await Request(scope, receive).body())
            opening = {"Access-Control-Allow-Origin": "http://evil.example"}
            response = PlainTextResponse(f"read {length}", headers=opening)
        await response(scope, receive, send)


def ask(
    app: Any,
    *headers: tuple[str, str],
    method: str = "GET",
    path: str = "/health",
    body: tuple[bytes, ...] = (b"",),
    host: str | None = HERE,
    kind: str = "http",
) -> Answer:
    """Ask `app` behind the guard; the body comes in pieces, without a length."""
    own = [] if host is None else [("host", host)]
    raw = [(name.lower().encode(), value.encode()) for name, value in [*own, *headers]]
    scope = {"type": kind, "method": method, "path": path, "query_string": b"", "headers": raw}
    pieces = [
        {"type": "http.request", "body": piece, "more_body": n + 1 < len(body)}
        for n, piece in enumerate(body)
    ]
    sent: list[Message] = []

    async def receive() -> Message:
        return pieces.pop(0) if pieces else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(Guard(app)(scope, receive, send))
    start, *rest = sent
    text = b"".join(message.get("body", b"") for message in rest)
    return Answer(start.get("status", 0), Headers(raw=start.get("headers", [])), text)


@pytest.mark.parametrize("host", [HERE, "localhost", "LOCALHOST:1", "[::1]:7860", "127.0.0.1"])
def test_loopback_names_are_served(host: str) -> None:
    assert ask(App(), host=host).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:7860",
        "127.0.0.1.evil.example",
        "localhost.",
        "me@127.0.0.1",
        "127.0.0.1:port",
        "127.0.0.1/x",
        "[::1",
        "0.0.0.0:7860",
        "192.168.0.2",
        "",
        None,
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_a_foreign_host_is_never_passed_on(host: str | None, method: str) -> None:
    app = App()
    assert ask(app, host=host, method=method).status == 400
    assert app.asked == []


def test_two_hosts_are_refused() -> None:
    assert ask(App(), ("host", "evil.example")).status == 400


@given(st.text(st.characters(codec="latin-1"), max_size=30))
def test_any_host_header_has_a_name_or_none(authority: str) -> None:
    assert isinstance(host_name(authority), str)


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "http://evil.example:7860",
        "http://127.0.0.1:9999",
        "http://localhost:7860",
        "null",
        "",
        "file://",
        "ftp://127.0.0.1:7860",
        "http://127.0.0.1:7860.evil.example",
        "http://127.0.0.1:7860@evil.example",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_a_foreign_origin_is_never_passed_on(origin: str, method: str) -> None:
    app = App()
    answer = ask(app, ("origin", origin), method=method)
    assert answer.status == 403
    assert "access-control-allow-origin" not in answer.headers
    assert app.asked == []


@pytest.mark.parametrize("content_type", ["text/plain", "application/json", "multipart/form-data"])
def test_the_content_type_opens_no_way_for_a_foreign_page(content_type: str) -> None:
    app = App()
    headers = [("origin", "http://evil.example"), ("content-type", content_type)]
    assert ask(app, *headers, method="POST", body=(b"{}",)).status == 403
    assert app.asked == []


@pytest.mark.parametrize("origins", [(), (f"http://{HERE}",), (f"https://{HERE}",)])
def test_the_page_itself_and_programs_may_post(origins: tuple[str, ...]) -> None:
    headers = [("origin", origin) for origin in origins]
    answer = ask(App(), *headers, method="POST", body=(b"{", b"}"))
    assert (answer.status, answer.body) == (200, b"read 2")


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_browser_that_says_cross_site_may_follow_links_only(site: str) -> None:
    assert ask(App(), ("sec-fetch-site", site)).status == 200
    assert ask(App(), ("sec-fetch-site", site), method="POST").status == 403


@pytest.mark.parametrize(
    ("path", "limit"), [("/x", BODY_LIMIT), ("/gradio_api/upload", UPLOAD_LIMIT)]
)
def test_a_body_may_have_its_limit_and_no_byte_more(path: str, limit: int) -> None:
    half = b"x" * (limit // 2)
    whole = ask(App(), method="POST", path=path, body=(half, half))
    assert whole.body == f"read {limit}".encode()
    over = ask(App(), method="POST", path=path, body=(half, half, b"x"))
    assert (over.status, over.body) == (
        413,
        f"A request may carry at most {limit:,} bytes.".encode(),
    )


def test_a_body_announced_too_large_is_not_read() -> None:
    app = App()
    length = ("content-length", str(BODY_LIMIT + 1))
    assert ask(app, length, method="POST").status == 413
    assert app.asked == []


def test_what_the_application_makes_of_a_cut_body_is_not_shown() -> None:
    async def forgiving(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await App()(scope, receive, send)
        finally:
            await PlainTextResponse("trace", status_code=500)(scope, receive, send)

    assert ask(forgiving, method="POST", body=(b"x" * (BODY_LIMIT + 1),)).status == 413


@pytest.mark.parametrize("path", ["/", "/health", "/other.html"])
@pytest.mark.parametrize("host", [HERE, "evil.example"])
def test_the_headers_are_on_every_response(path: str, host: str) -> None:
    headers = ask(App(), path=path, host=host).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert "access-control-allow-origin" not in headers
    policy = headers["content-security-policy"].split("; ")
    for rule in ("default-src 'self'", "img-src 'self' data: blob:", "frame-ancestors 'none'"):
        assert rule in policy


def script_rule(path: str) -> list[str]:
    policy = ask(App(), path=path).headers["content-security-policy"]
    (rule,) = (rule for rule in policy.split("; ") if rule.startswith("script-src "))
    return rule.split()[1:]


def test_the_page_may_run_its_own_inline_scripts_only() -> None:
    own = [
        f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'"
        for script in (b"let a = 1", b"b()")
    ]
    assert script_rule("/") == ["'self'", "'unsafe-eval'", *own]


def test_another_document_may_run_no_inline_script() -> None:
    assert script_rule("/other.html") == ["'self'", "'unsafe-eval'"]


def test_the_page_arrives_whole() -> None:
    assert ask(App(), path="/").body == PAGE.encode()


def test_a_stream_is_not_held_back() -> None:
    order: list[str] = []

    async def streaming(scope: Scope, receive: Receive, send: Send) -> None:
        async def pieces() -> Any:
            for piece in ("a", "b"):
                order.append(f"made {piece}")
                yield piece

        await StreamingResponse(pieces(), media_type="text/event-stream")(scope, receive, send)

    async def main() -> None:
        async def receive() -> Message:
            await asyncio.sleep(60)
            raise AssertionError("nothing more comes in")

        async def send(message: Message) -> None:
            if message.get("body"):
                order.append(f"sent {message['body'].decode()}")

        scope = {"type": "http", "method": "GET", "path": "/stream", "query_string": b""}
        headers = [(b"host", HERE.encode())]
        await Guard(streaming)(scope | {"headers": headers}, receive, send)

    asyncio.run(main())
    assert order == ["made a", "sent a", "made b", "sent b"]


def test_what_a_proxy_might_say_is_not_believed() -> None:
    app = App()
    ask(app, ("x-forwarded-host", "evil.example"), ("Forwarded", "host=evil"), ("x-own", "1"))
    assert [name for name, _ in app.asked[0]["headers"]] == [b"host", b"x-own"]


def test_web_sockets_are_closed() -> None:
    app = App()
    ask(app, kind="websocket")
    assert app.asked == []

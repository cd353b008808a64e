"""What every request passes first: who may ask, and how much."""

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sandbox.headers import with_headers

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
BODY_LIMIT = 1_000_000
UPLOAD_LIMIT = 11_000_000
"""A file of 10 MB and its envelope."""
UPLOAD_PATH = "/gradio_api/upload"


class TooLarge(Exception):
    """The body went past its limit while it came in."""


class Guard:
    """ASGI middleware: refuses foreign hosts, foreign pages and large bodies; sets the headers.

    A page elsewhere cannot read or change anything here, not even by a name that it points at
    this machine. A page from here can load from here only, whatever text it shows.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str] = ()) -> None:
        """Guard `app`; `hosts` are names to accept besides those of loopback."""
        self.app = app
        self.hosts = LOOPBACK_NAMES | {host.strip("[]").lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a refusal, or pass the request on."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        send = with_headers(send, scope["path"])
        refusal = self.refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        await self.pass_on(scope, receive, send)

    def refusal(self, scope: Scope) -> PlainTextResponse | None:
        """Why the request must not go on, or null."""
        headers = Headers(scope=scope)
        host = headers.getlist("host")
        if len(host) != 1 or host_name(host[0]) not in self.hosts:
            return refuse(400, "Not served under this name: open the page as 127.0.0.1.")
        if has_foreign_origin(headers) or is_cross_site(headers, scope["method"]):
            return refuse(403, "Refused: this request came from a page of another site.")
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > body_limit(scope):
            return too_large(scope)
        return None

    async def pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request on with its body counted; past the limit the answer is 413."""
        limit = body_limit(scope)
        seen = 0
        started = False

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > limit:
                raise TooLarge
            return message

        async def answer(message: Message) -> None:
            nonlocal started
            if seen > limit and not started:
                return  # whatever the application made of a body that was cut
            started = True
            await send(message)

        try:
            await self.app(without_forwarding(scope), counted, answer)
        except* TooLarge:
            pass
        if seen > limit and not started:
            await too_large(scope)(scope, receive, send)


def host_name(authority: str) -> str:
    """The name in `name:port`, lower case, without brackets; empty if it is malformed."""
    try:
        parts = urlsplit(f"//{authority}")
        valid = parts.netloc == authority and parts.username is None and (parts.port or 1)
    except ValueError:
        return ""
    return (parts.hostname or "") if valid else ""


def has_foreign_origin(headers: Headers) -> bool:
    """Whether a script of another origin asks, by what its browser says."""
    origins = headers.getlist("origin")
    if not origins:
        return False
    own = {f"{scheme}://{headers['host']}".lower() for scheme in ("http", "https")}
    return len(origins) > 1 or origins[0].lower() not in own


def is_cross_site(headers: Headers, method: str) -> bool:
    """Whether another origin wants a change made; following a link to here is no change."""
    site = headers.get("sec-fetch-site", "none")
    return method not in SAFE_METHODS and site not in {"same-origin", "none"}


def body_limit(scope: Scope) -> int:
    """How many bytes the request may carry."""
    return UPLOAD_LIMIT if scope["path"].rstrip("/") == UPLOAD_PATH else BODY_LIMIT


def without_forwarding(scope: Scope) -> Scope:
    """The request without what a proxy might say: there is none, so it would be a lie."""
    headers = [
        (name, value)
        for name, value in scope["headers"]
        if name != b"forwarded" and not name.startswith(b"x-forwarded-")
    ]
    return {**scope, "headers": headers}


def refuse(status: int, sentence: str) -> PlainTextResponse:
    """A refusal as one sentence; the connection ends with it."""
    return PlainTextResponse(sentence, status_code=status, headers={"Connection": "close"})


def too_large(scope: Scope) -> PlainTextResponse:
    """The refusal of a body past its limit."""
    return refuse(413, f"A request may carry at most {body_limit(scope):,} bytes.")

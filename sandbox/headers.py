"""What browsers may do with what is served: the headers of every response."""

import base64
import hashlib
import re

from starlette.datastructures import MutableHeaders
from starlette.types import Message, Send

FIXED = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
INLINE_SCRIPT = re.compile(rb"<script\b(?![^>]*\ssrc\s*=)[^>]*>(.*?)</script\s*>", re.S | re.I)


def with_headers(send: Send, path: str) -> Send:
    """`send` with the headers on every response.

    Responses stream through as they come. Only the page itself, at `/`, is held until it is
    whole, to allow its own inline scripts by their hashes and no other.
    """
    held: Message | None = None
    parts: list[bytes] = []

    async def send_with_headers(message: Message) -> None:
        nonlocal held
        if message["type"] == "http.response.start":
            harden(message)
            if path == "/":
                held = message
                return
            allow(message, b"")
        elif held is not None:
            parts.append(message.get("body", b""))
            if message.get("more_body", False):
                return
            allow(held, b"".join(parts))
            await send(held)
            message = {"type": "http.response.body", "body": b"".join(parts)}
            held = None
        await send(message)

    return send_with_headers


def harden(start: Message) -> None:
    """Set the fixed headers and drop what would open the response to other origins."""
    start["headers"] = list(start.get("headers", []))
    headers = MutableHeaders(raw=start["headers"])
    for name in [name for name in headers if name.startswith("access-control-")]:
        del headers[name]
    headers.update(FIXED)


def allow(start: Message, document: bytes) -> None:
    """Set the policy: everything from here only, inline scripts from `document` only."""
    MutableHeaders(raw=start["headers"])["Content-Security-Policy"] = policy(document)


def policy(document: bytes) -> str:
    """The content security policy: scripts from files here, and those inline in `document`.

    Gradio needs `unsafe-eval` for handlers written in JavaScript and `unsafe-inline` for styles.
    """
    digests = [hashlib.sha256(script).digest() for script in INLINE_SCRIPT.findall(document)]
    hashes = "".join(f" 'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src 'self' 'unsafe-eval'{hashes}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "media-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "worker-src 'self' blob:",
            "form-action 'self'",
            "frame-src 'none'",
            "frame-ancestors 'none'",
            "base-uri 'self'",
            "object-src 'none'",
        )
    )

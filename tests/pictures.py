"""Small PNGs made by hand, so that tests can break each part of them."""

import base64
import json
import struct
import zlib
from typing import Any

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(kind: bytes, content: bytes = b"") -> bytes:
    """A chunk with its length and checksum."""
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)


def header(width: int = 2, height: int = 2) -> bytes:
    """The header of an RGB picture."""
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))


PIXELS = chunk(b"IDAT", zlib.compress(b"\x00\x10\x20\x30\x40\x50\x60" * 2))
END = chunk(b"IEND")


def png(*before: bytes, after: tuple[bytes, ...] = ()) -> bytes:
    """A picture of four pixels with chunks before and after its data."""
    return b"".join((SIGNATURE, header(), *before, PIXELS, *after, END))


def packed(card: Any) -> bytes:
    """A card as the text of a chunk."""
    return base64.b64encode(json.dumps(card).encode("utf-8"))


def text(keyword: bytes, content: bytes) -> bytes:
    """A `tEXt` chunk."""
    return chunk(b"tEXt", keyword + b"\x00" + content)


def compressed(keyword: bytes, content: bytes) -> bytes:
    """A `zTXt` chunk."""
    return chunk(b"zTXt", keyword + b"\x00\x00" + zlib.compress(content))


def international(keyword: bytes, content: bytes, squeeze: bool = False) -> bytes:
    """An `iTXt` chunk, compressed or not."""
    body = zlib.compress(content) if squeeze else content
    return chunk(b"iTXt", keyword + b"\x00" + bytes([squeeze]) + b"\x00en\x00Karte\x00" + body)


def kinds(image: bytes) -> list[str]:
    """The names of a picture's chunks in order, with the keyword of text chunks."""
    found, place = [], len(SIGNATURE)
    while place < len(image):
        length = int.from_bytes(image[place : place + 4], "big")
        kind = image[place + 4 : place + 8].decode("ascii")
        content = image[place + 8 : place + 8 + length]
        keyword = content.split(b"\x00")[0].decode("latin-1")
        found.append(f"{kind} {keyword}" if kind.endswith("Xt") else kind)
        place += 12 + length
    return found

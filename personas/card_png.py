"""The card inside a PNG or APNG: found, replaced, never decoded to pixels.

A card is the base64 of its JSON in a text chunk called `chara` or `ccv3`, in any case, before or
after the picture's data. We read `tEXt`, `zTXt` and `iTXt` and write `tEXt`. All limits are
checked before anything is inflated: 10 MB a file, 20,000 chunks, 2 MB a text chunk once inflated,
16 megapixels by the header, 500 frames of an animation.

A wrong checksum in the header or in the card's chunk is a warning: base64 and JSON have checks of
their own, and many tools write none. Other chunks are passed on as they are.
"""

import base64
import binascii
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from personas.card_json import MOST_BYTES, CardError
from personas.persona_file import shown

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_MOST_CHUNKS = 20_000
_MOST_TEXT = 2 * 1024 * 1024
_MOST_PIXELS = 4096 * 4096
_MOST_FRAMES = 500
_TEXT_CHUNKS = (b"tEXt", b"zTXt", b"iTXt")
_KINDS = ("ccv3", "chara")
"""Names of the chunks that hold a card, the preferred one first."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """The JSON text that a picture carries."""

    kind: str
    """`ccv3` or `chara`."""
    json: bytes
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Chunk:
    kind: bytes
    start: int
    """Where its content begins."""
    end: int
    """Where its content ends; four bytes of checksum follow."""


def embedded_card(image: bytes, file: str) -> Embedded:
    """The card that a PNG carries: `ccv3` before `chara`, the first of several of one kind.

    Raises:
        CardError: if the picture is damaged, too large, or carries no card.
    """
    found: dict[str, list[_Chunk]] = {}
    chunks = _chunks(image, file)
    for chunk in chunks:
        if (keyword := _card_keyword(image, chunk)) is not None:
            found.setdefault(keyword, []).append(chunk)
    for kind in _KINDS:
        if same := found.get(kind):
            text = _text(image, same[0], file, kind)
            warnings = _damage(image, (chunks[0], same[0]))
            if len(same) > 1:
                warnings.append(f"The picture holds {len(same)} {kind} chunks; the first counts.")
            return Embedded(kind, _plain(text, file, kind), tuple(warnings))
    raise CardError(
        f"{file}: must carry a character card in a chara or ccv3 text chunk, got a picture without"
    )


def with_cards(image: bytes, cards: Mapping[str, bytes], file: str) -> bytes:
    """The same picture carrying `cards` (kind -> JSON) instead of those it had.

    They come right after the header, where every reader looks. What follows the picture's end is
    dropped.

    Raises:
        CardError: if the picture is damaged or too large, or a card or the result would be.
    """
    written = [_card_chunk(kind, text, file) for kind, text in cards.items()]
    header, *rest = _chunks(image, file)
    parts = [SIGNATURE, _raw(image, header), *written]
    parts += [_raw(image, chunk) for chunk in rest if _card_keyword(image, chunk) is None]
    whole = b"".join(parts)
    if len(whole) > MOST_BYTES:
        raise CardError(
            f"{file}: must be at most {MOST_BYTES} bytes with its card, it would have {len(whole)}"
            "; export the card as JSON"
        )
    return whole


def plain_picture() -> bytes:
    """A small even picture (256 by 384 pixels, slate blue) for a card that has none."""
    width, height = 256, 384
    rows = (b"\x00" + b"\x5b\x6b\x86" * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = (b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")
    return SIGNATURE + b"".join(_chunk(kind, content) for kind, content in chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)


def _card_chunk(kind: str, text: bytes, file: str) -> bytes:
    content = kind.encode("ascii") + b"\x00" + base64.b64encode(text)
    if len(content) > _MOST_TEXT:
        must = f"a card in a picture must take at most {_MOST_TEXT} bytes"
        raise CardError(f"{file}: {must}, this one takes {len(content)}; export it as JSON")
    return _chunk(b"tEXt", content)


def _raw(image: bytes, chunk: _Chunk) -> bytes:
    return image[chunk.start - 8 : chunk.end + 4]


def _chunks(image: bytes, file: str) -> list[_Chunk]:
    """The chunks up to and with IEND, checked as far as the limits need it."""
    found: list[_Chunk] = []
    frames = 0
    for chunk in _walk(image, file):
        if not found:
            _check_header(image, chunk, file)
        found.append(chunk)
        frames += chunk.kind == b"fcTL"
        if len(found) > _MOST_CHUNKS:
            raise CardError(f"{file}: must hold at most {_MOST_CHUNKS} chunks, got more")
        if frames > _MOST_FRAMES:
            raise CardError(f"{file}: must hold at most {_MOST_FRAMES} frames, got more")
    return found


def _walk(image: bytes, file: str) -> Iterator[_Chunk]:
    place = len(SIGNATURE)
    while place + 12 <= len(image):
        length = int.from_bytes(image[place : place + 4], "big")
        kind = image[place + 4 : place + 8]
        if not kind.isalpha():
            raise CardError(f"{file}: must be an undamaged PNG, got {kind!r} as a chunk's name")
        chunk = _Chunk(kind, place + 8, place + 8 + length)
        if chunk.end + 4 > len(image):
            break
        yield chunk
        if kind == b"IEND":
            return
        place = chunk.end + 4
    raise CardError(
        f"{file}: must be a whole PNG, got one that is cut short after {len(image)} bytes"
    )


def _check_header(image: bytes, chunk: _Chunk, file: str) -> None:
    if chunk.kind != b"IHDR" or chunk.end - chunk.start != 13:
        raise CardError(f"{file}: must be a PNG that begins with its header, got {chunk.kind!r}")
    width, height = struct.unpack(">II", image[chunk.start : chunk.start + 8])
    if not 0 < width * height <= _MOST_PIXELS:
        must = f"must be a picture of 1 to {_MOST_PIXELS} pixels"
        raise CardError(f"{file}: {must}, got {width} x {height}")


def _damage(image: bytes, chunks: tuple[_Chunk, ...]) -> list[str]:
    """A warning for each chunk whose checksum is wrong."""
    return [
        f"The picture is damaged: the checksum of its {chunk.kind.decode('ascii')} chunk is wrong."
        for chunk in chunks
        if zlib.crc32(image[chunk.start - 4 : chunk.end]).to_bytes(4, "big")
        != image[chunk.end : chunk.end + 4]
    ]


def _card_keyword(image: bytes, chunk: _Chunk) -> str | None:
    """`ccv3` or `chara` for a chunk that is called so, in any case; else null."""
    if chunk.kind not in _TEXT_CHUNKS:
        return None
    keyword, separator, _ = image[chunk.start : min(chunk.end, chunk.start + 80)].partition(b"\x00")
    name = keyword.decode("latin-1").strip().lower()
    return name if separator and name in _KINDS else None


def _text(image: bytes, chunk: _Chunk, file: str, kind: str) -> bytes:
    """The text of a chunk, inflated where it is compressed."""
    if chunk.end - chunk.start > _MOST_TEXT:
        size = chunk.end - chunk.start
        raise CardError(
            f"{file}: its {kind} chunk must have at most {_MOST_TEXT} bytes, got {size}"
        )
    _, _, content = image[chunk.start : chunk.end].partition(b"\x00")
    if chunk.kind == b"tEXt":
        return content
    if chunk.kind == b"zTXt":
        return _inflated(content[:1], content[1:], file, kind)
    flags, (_, _, text) = content[:2], content[2:].partition(b"\x00")
    _, _, text = text.partition(b"\x00")
    return _inflated(flags[1:], text, file, kind) if flags[:1] == b"\x01" else text


def _inflated(method: bytes, packed: bytes, file: str, kind: str) -> bytes:
    damaged = f"{file}: its {kind} chunk must be compressed as PNG says"
    if method != b"\x00":
        raise CardError(f"{damaged}, got the method {method!r}")
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(packed, _MOST_TEXT + 1)
    except zlib.error as error:
        raise CardError(f"{damaged}, got {shown(str(error))}") from error
    if len(text) > _MOST_TEXT:
        must = f"must have at most {_MOST_TEXT} bytes once inflated"
        raise CardError(f"{file}: its {kind} chunk {must}, got more")
    if not unpacking.eof:
        raise CardError(f"{damaged}, got a stream that is cut short")
    return text


def _plain(text: bytes, file: str, kind: str) -> bytes:
    """What base64 text stands for; line breaks and missing padding do not matter."""
    packed = b"".join(text.split()).rstrip(b"=")
    try:
        return base64.b64decode(packed + b"=" * (-len(packed) % 4), validate=True)
    except binascii.Error as error:
        found = shown(packed[:60].decode("latin-1"))
        raise CardError(f"{file}: its {kind} chunk must be base64, got {found}") from error

import json
import struct
import tracemalloc
import zlib
from io import BytesIO
from typing import Any

import pytest

from personas import Card, CardError, read_card, write_card_json, write_card_png
from tests.pictures import (
    END,
    PIXELS,
    SIGNATURE,
    chunk,
    compressed,
    header,
    international,
    kinds,
    packed,
    png,
    text,
)


def v2(name: str = "Mara", **fields: Any) -> dict[str, Any]:
    data = {"name": name, "description": "Keeps the light.", **fields}
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": data}


def v3(name: str = "Mara", **fields: Any) -> dict[str, Any]:
    return v2(name, **fields) | {"spec": "chara_card_v3", "spec_version": "3.0"}


def as_json(data: Any) -> bytes:
    return json.dumps(data).encode("utf-8")


V2, V3 = packed(v2()), packed(v3("Mara the Third"))
BROKEN_LINES = b"\r\n".join(V2[i : i + 40] for i in range(0, len(V2), 40))

CARRIED = {
    "before the data": png(text(b"chara", V2)),
    "after the data": png(after=(text(b"chara", V2),)),
    "compressed": png(compressed(b"chara", V2)),
    "international": png(international(b"chara", V2)),
    "international, compressed": png(international(b"chara", V2, squeeze=True)),
    "capital letters": png(text(b"Chara", V2)),
    "base64 with line breaks": png(text(b"chara", BROKEN_LINES)),
    "base64 without padding": png(text(b"chara", V2.rstrip(b"="))),
    "something behind the end": png(text(b"chara", V2)) + b"<script>alert(1)</script>",
    "among other texts": png(text(b"parameters", b"a lighthouse"), text(b"chara", V2)),
    "an animation": png(
        chunk(b"acTL", struct.pack(">II", 1, 0)),
        chunk(b"fcTL", struct.pack(">IIIIIHHBB", 0, 2, 2, 0, 0, 1, 10, 0, 0)),
        after=(text(b"chara", V2),),
    ),
}


@pytest.mark.parametrize("case", CARRIED)
def test_a_card_is_found_wherever_the_picture_has_it(case: str) -> None:
    card = read_card(CARRIED[case], "mara.png")
    assert (card.spec, card.name, card.warnings) == ("V2", "Mara", ())
    assert card.image == CARRIED[case]


def test_ccv3_beats_chara_in_any_order() -> None:
    for chunks in (
        (text(b"chara", V2), text(b"CCv3", V3)),
        (text(b"ccv3", V3), text(b"chara", V2)),
    ):
        card = read_card(png(*chunks), "mara.png")
        assert (card.spec, card.name, card.warnings) == ("V3", "Mara the Third", ())


def test_of_two_chunks_of_one_kind_the_first_counts_and_is_said() -> None:
    image = png(text(b"chara", V2), after=(compressed(b"chara", packed(v2("Other"))),))
    card = read_card(image, "mara.png")
    assert card.name == "Mara"
    assert card.warnings == ("The picture holds 2 chara chunks; the first counts.",)


def test_a_card_alone_in_ccv3_is_read() -> None:
    assert read_card(png(text(b"ccv3", V3)), "mara.png").spec == "V3"


def test_a_wrong_checksum_is_a_warning() -> None:
    good = text(b"chara", V2)
    card = read_card(png(good[:-1] + bytes([good[-1] ^ 1])), "mara.png")
    assert card.name == "Mara"
    assert card.warnings == ("The picture is damaged: the checksum of its tEXt chunk is wrong.",)


@pytest.mark.parametrize(
    "name", ["mara.png", "mara.json", "", "../../x\n\u202egnp.exe" + "y" * 500]
)
def test_the_content_decides_not_the_name(name: str) -> None:
    assert read_card(b'\xef\xbb\xbf {"name": "Mara", "description": ""}', name).spec == "V1"
    assert read_card(png(text(b"chara", V2)), name).spec == "V2"
    with pytest.raises(CardError) as raised:
        read_card(b"nothing", name)
    assert "\n" not in str(raised.value)
    assert "\u202e" not in str(raised.value)
    assert len(str(raised.value)) < 300


WHOLE = png(text(b"chara", V2))
BOMB = zlib.compress(b"A" * 50_000_000, 9)
FRAME = chunk(b"fcTL", struct.pack(">IIIIIHHBB", 0, 2, 2, 0, 0, 1, 10, 0, 0))

REFUSED = {
    "plain photo": (png(text(b"Comment", b"a pier")), ["chara or ccv3", "picture without"]),
    "empty": (b"", ["an empty file"]),
    "blank": (b" \n", ["an empty file"]),
    "JPEG": (b"\xff\xd8\xff\xe0" + bytes(100), ["a JPEG picture"]),
    "WebP": (b"RIFF\x10\x00\x00\x00WEBPVP8 ", ["a WebP picture"]),
    "GIF": (b"GIF89a" + bytes(20), ["a GIF picture"]),
    "CHARX": (b"PK\x03\x04" + bytes(100), ["CHARX archives are not read", "export"]),
    "SVG": (b"<svg onload='alert(1)'/>", ["HTML or SVG"]),
    "text mode": (WHOLE.replace(b"\r\n", b"\n"), ["a PNG damaged on its way"]),
    "a program": (b"MZ\x90\x00" + bytes(100), ["a file of another kind"]),
    "cut in the card": (WHOLE[:120], ["cut short after 120 bytes"]),
    "cut before the end": (WHOLE[:-12], ["cut short"]),
    "signature only": (SIGNATURE, ["cut short after 8 bytes"]),
    "length beyond the file": (SIGNATURE + b"\xff\xff\xff\xffIHDR" + bytes(20), ["cut short"]),
    "no chunk name": (SIGNATURE + header() + b"\x00\x00\x00\x00<a>b" + bytes(4), ["chunk's name"]),
    "no header": (SIGNATURE + PIXELS + END, ["begins with its header"]),
    "short header": (SIGNATURE + chunk(b"IHDR", bytes(8)) + END, ["begins with its header"]),
    "no pixels": (SIGNATURE + header(0, 2) + PIXELS + END, ["1 to 16777216 pixels", "0 x 2"]),
    "12,000 squared": (
        SIGNATURE + header(12_000, 12_000) + text(b"chara", V2) + PIXELS + END,
        ["1 to 16777216 pixels", "12000 x 12000"],
    ),
    "5,000 frames": (png(*[FRAME] * 5_000, text(b"chara", V2)), ["at most 500 frames"]),
    "very many chunks": (png(*[chunk(b"teSt")] * 20_001), ["at most 20000 chunks"]),
    "compressed bomb": (
        png(chunk(b"zTXt", b"chara\x00\x00" + BOMB)),
        ["at most 2097152 bytes once inflated"],
    ),
    "international bomb": (
        png(chunk(b"iTXt", b"ccv3\x00\x01\x00\x00\x00" + BOMB)),
        ["its ccv3 chunk", "at most 2097152 bytes once inflated"],
    ),
    "large text": (png(text(b"chara", b"A" * 2_100_000)), ["at most 2097152 bytes, got 2100006"]),
    "large file": (png(after=(chunk(b"teSt", bytes(10_485_760)),)), ["at most 10485760 bytes"]),
    "not base64": (png(text(b"chara", b"{!}")), ["must be base64", "'{!}'"]),
    "base64 of half a byte": (png(text(b"chara", b"A")), ["must be base64"]),
    "not compressed": (png(chunk(b"zTXt", b"chara\x00\x00plain")), ["compressed as PNG says"]),
    "cut stream": (
        png(chunk(b"zTXt", b"chara\x00\x00" + zlib.compress(V2)[:-8])),
        ["compressed as PNG says", "cut short"],
    ),
    "unknown compression": (png(chunk(b"zTXt", b"chara\x00\x07abc")), ["the method b'\\x07'"]),
    "empty card": (png(text(b"chara", b"")), ["must be JSON"]),
    "base64 of other text": (png(text(b"chara", b"aGVsbG8=")), ["must be JSON", "'hello'"]),
    "a list": (png(text(b"chara", packed([1, 2]))), ["an object", "a list of 2"]),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.timeout(30)
def test_what_is_no_card_is_refused_in_one_sentence(case: str) -> None:
    content, parts = REFUSED[case]
    with pytest.raises(CardError) as raised:
        read_card(content, "mara.png")
    sentence = str(raised.value)
    assert sentence.startswith("mara.png")
    assert "\n" not in sentence
    assert len(sentence) < 300
    assert [part for part in parts if part not in sentence] == []


def test_a_bomb_takes_no_more_memory_than_the_limit() -> None:
    tracemalloc.start()
    try:
        with pytest.raises(CardError):
            read_card(REFUSED["compressed bomb"][0], "mara.png")
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_bombs_under_other_names_are_never_inflated() -> None:
    image = png(chunk(b"zTXt", b"Comment\x00\x00" + BOMB), text(b"chara", V2))
    assert read_card(image, "mara.png").name == "Mara"


def test_a_written_card_replaces_those_the_picture_had() -> None:
    image = png(
        text(b"Chara", V2),
        text(b"parameters", b"a pier"),
        after=(compressed(b"ccv3", V3), international(b"chara", V2), chunk(b"teSt", b"kept")),
    )
    written = write_card_png(read_card(image + b"behind the end", "mara.png"))
    assert kinds(written) == [
        "IHDR", "tEXt chara", "tEXt ccv3", "tEXt parameters", "IDAT", "teSt", "IEND"
    ]  # fmt: skip
    assert PIXELS in written


def test_a_v2_card_is_written_as_chara_only() -> None:
    assert kinds(write_card_png(read_card(WHOLE, "mara.png")))[1:3] == ["tEXt chara", "IDAT"]


def test_older_tools_find_a_v2_copy_of_a_v3_card() -> None:
    data = v3(assets=[{"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"}])
    written = write_card_png(read_card(png(text(b"ccv3", packed(data))), "mara.png"))
    older = read_card(written.replace(b"ccv3\x00", b"ccvX\x00"), "mara.png")
    assert older.data == data | {"spec": "chara_card_v2", "spec_version": "2.0"}


@pytest.mark.parametrize("data", [v2(), v3(), {"name": "Mara", "description": "x"}])
def test_a_card_without_a_picture_gets_a_plain_one(data: dict[str, Any]) -> None:
    image_module = pytest.importorskip("PIL.Image")
    card = read_card(as_json(data), "mara.json")
    written = write_card_png(card)
    again = read_card(written, "mara.png")
    assert (again.data, again.spec) == (card.data, card.spec)
    assert again.warnings == card.warnings
    with image_module.open(BytesIO(written)) as picture:
        picture.load()
        assert picture.size == (256, 384)
        assert "chara" in picture.text


def test_a_card_too_large_for_a_picture_is_refused_and_fits_json() -> None:
    card = read_card(as_json(v2(description="x" * 1_600_000)), "mara.json")
    with pytest.raises(CardError, match=r"^mara\.json: .* at most 2097152 bytes.*as JSON$"):
        write_card_png(card)
    assert read_card(write_card_json(card), "mara.json").data == card.data


def test_a_picture_that_would_be_too_large_with_its_card_is_refused() -> None:
    full = png(text(b"chara", V2), after=(chunk(b"teSt", bytes(10_485_400)),))
    assert read_card(full, "mara.png").name == "Mara"
    longer = read_card(as_json(v2(description="x" * 1_000)), "mara.png")
    with pytest.raises(
        CardError, match=r"^mara\.png: must be at most 10485760 bytes with its card"
    ):
        write_card_png(Card("V2", longer.data, "mara.png", image=full))

"""Cutting a session into parts a model's window can hold."""

from hypothesis import given
from hypothesis import strategies as st

from graphs.spoken import OVERLAP, Spoken, Utterance, lines, parts


def spoken(*texts: str) -> Spoken:
    said = [
        Utterance(
            f"s-{n}", "user" if n % 2 else "assistant", "A", text, "2026-01-01T00:00:00+00:00"
        )
        for n, text in enumerate(texts, start=1)
    ]
    return Spoken("A", "B", "", tuple(said))


def test_a_session_that_fits_is_one_part() -> None:
    (part,) = parts(spoken("one", "two"), 1000)
    assert (part.shown, part.start, part.end) == (0, 0, 2)


def test_a_silent_session_has_no_part() -> None:
    assert parts(spoken(), 1000) == []


def test_lines_are_numbered_through_the_session_with_their_time() -> None:
    talk = spoken("one", "two", "three", "four")
    last = parts(talk, 45)[-1]
    assert lines(talk, last).splitlines()[-1] == "[4] 2026-01-01T00:00:00+00:00 A: four"


@given(st.lists(st.text(max_size=200), min_size=1, max_size=30), st.integers(1, 500))
def test_parts_cover_every_utterance_once_and_overlap_backwards(
    texts: list[str], room: int
) -> None:
    cut = parts(spoken(*texts), room)
    assert [part.start for part in cut] == [0, *(part.end for part in cut[:-1])]
    assert cut[-1].end == len(texts)
    assert all(part.start < part.end for part in cut)
    assert all(part.shown == max(0, part.start - OVERLAP) for part in cut)

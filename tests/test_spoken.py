"""Cutting a session into parts a model's window can hold."""

from hypothesis import given
from hypothesis import strategies as st

from graphs.spoken import OVERLAP, Spoken, Utterance, days, lines, parts, tokens


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
    assert lines(talk, last).splitlines()[-1] == "[4] Thursday 2026-01-01 00:00:00+00:00 A: four"


@given(st.lists(st.text(max_size=200), min_size=1, max_size=30), st.integers(1, 500))
def test_parts_cover_every_utterance_once_and_overlap_backwards(
    texts: list[str], room: int
) -> None:
    cut = parts(spoken(*texts), room)
    stretches = list(dict.fromkeys((part.start, part.end) for part in cut))
    assert [start for start, _end in stretches] == [0, *(end for _start, end in stretches[:-1])]
    assert stretches[-1][1] == len(texts)
    assert all(start < end for start, end in stretches)
    assert all(part.shown == max(0, part.start - OVERLAP) for part in cut)


@given(st.text(min_size=1000, max_size=3000), st.integers(1, 600))
def test_the_pieces_of_an_utterance_are_all_of_it_in_order(text: str, room: int) -> None:
    cut = [part for part in parts(spoken("before", text, "after"), room) if part.start == 1]
    assert "".join(text[slice(*part.piece)] for part in cut) == text


def test_a_huge_utterance_is_read_in_pieces_that_fit() -> None:
    talk = spoken("before", "lorem " * 9000 + "Allergic to latex. " + "lorem " * 9000, "after")
    cut = parts(talk, 2000)
    read = [lines(talk, part) for part in cut]
    assert len(cut) > 10
    assert max(tokens(text) for text in read) <= 2100
    assert sum("Allergic to latex." in text for text in read) == 1


def test_the_days_of_a_session_are_told_by_its_own_clock() -> None:
    late = Utterance("s-1", "user", "A", "Yesterday.", "2021-02-26T23:30:00+01:00")
    assert days(Spoken("A", "B", "", (late,))) == (
        "It begins on Friday 2021-02-26; the day before was Thursday 2021-02-25, the day after is "
        "Saturday 2021-02-27."
    )
    assert days(Spoken("A", "B", "", ())) == ""

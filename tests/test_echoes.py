"""What is taken for an echo of what is known, and what is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.wording import People, echoes, first_person, gist, names, same, words

PEOPLE = People("Ilse", "Bram")


def echo(said: str, known: str) -> bool:
    return echoes(gist(said, PEOPLE), gist(known, PEOPLE))


@pytest.mark.parametrize(
    "said",
    [
        "Ilse runs a bindery in Ghent",
        "ilse RUNS a bindery, in Ghent!!",
        "In Ghent, Ilse runs a bindery.",
        "User runs a bindery in Ghent.",
        "The user run a bindery (Ghent)",
        "Runs a bindery in Ghent.",
        "In Ghent Ilse runs a bindery.",
    ],
)
def test_case_punctuation_order_and_the_users_name_make_no_news(said: str) -> None:
    assert echo(said, "Ilse runs a bindery in Ghent.")


def test_a_part_of_what_is_known_is_an_echo_and_more_is_not() -> None:
    whole = "Ilse sings alto in the choir of Saint Bavo."
    assert echo("Ilse sings alto in a choir.", whole)
    assert not echo(whole, "Ilse sings alto in a choir.")


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Ilse works at the depot.", "Ilse no longer works at the depot."),
        ("Ilse doesn't eat meat.", "Ilse eats meat."),
        ("Ilse drinks strong coffee.", "Ilse drinks strong coffee only on weekdays."),
        ("Ilse moved to Riga.", "Ilse plans to move to Riga."),
        ("Ilse moved from Riga to Tartu.", "Ilse moved from Tartu to Riga."),
        ("Ilse moved house from Riga.", "Ilse moved house to Riga."),
        ("Ilse lent Wim and Jorun money.", "Ilse lent Jorun and Wim money."),
        ("Wim taught Ilse chess.", "Ilse taught Wim chess."),
        ("Ilse taught Wim chess.", "Wim taught Ilse chess."),
        ("Bram likes rye bread.", "Ilse likes rye bread."),
        ("Ilse is a doctor.", "Ilse went to a doctor with her cat."),
        ("Ilse worked at the depot.", "Ilse works at the depot."),
        ("Ilse ist nicht müde.", "Ilse ist müde."),
        ("我不喜欢红茶", "我喜欢红茶"),
    ],
)
def test_what_turns_the_meaning_is_news(said: str, known: str) -> None:
    assert not echo(said, known)


def test_scripts_without_blanks_are_compared_too() -> None:
    assert echo("顾望舒在蓝桥书店上班。", "顾望舒在蓝桥书店上班")
    assert not echo("顾望舒在红桥酒店上班", "顾望舒在蓝桥书店上班")


def test_a_text_of_empty_words_echoes_nothing() -> None:
    assert not echo("It is.", "It is there.")


@given(st.text(max_size=60))
def test_a_text_echoes_itself_unless_it_says_nothing(text: str) -> None:
    told = gist(text, PEOPLE)
    assert same(told, told) == bool(told.words)


@given(
    st.lists(st.sampled_from(["bindery", "ghent", "alto", "choir", "loom"]), min_size=1, max_size=5)
)
def test_the_order_of_common_words_does_not_matter(said: list[str]) -> None:
    assert echo(" ".join(reversed(said)), " ".join(said))


@pytest.mark.parametrize(
    "text",
    [
        "I moved.",
        "It is my loom.",
        "Ich wohne hier.",
        "Ik werk.",
        "我在书店上班",
        "Я живу здесь",
        "I’m well",
    ],
)
def test_the_first_person_is_seen(text: str) -> None:
    assert first_person(text)


@pytest.mark.parametrize(
    "text", ["Ilse said “I am here”.", "Ilse read about X-I.", "Ilse hört Yo-Yo Ma.", "Mimi sings."]
)
def test_quotations_and_other_words_are_no_first_person(text: str) -> None:
    assert not first_person(text)


def test_names_are_capitals_within_a_sentence_and_numbers() -> None:
    assert names("Keeps 2 dogs. The dog Rex is old.") == ["2", "rex"]


def test_contractions_and_endings_are_spelled_out() -> None:
    assert words("She can't, won't and DOESN'T: Wim’s dogs") == [
        *["she", "can", "not", "will", "not", "and", "doe", "not", "wim", "dog"]
    ]

"""The page of figures says what the program computes."""

from tests.figures_page import PAGE, rendered


def test_the_page_of_figures_is_the_table_of_formulas() -> None:
    assert PAGE.read_text(encoding="utf-8") == rendered()

"""Which language a text is in: by its script, and never surer than that."""

import pytest

from sandbox.evaluation.languages import UNKNOWN, language_of


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("14 Mosaic Lane, and mind the gate.", "en"),
        ("Yes.", "en"),
        ("Ich habe gestern Abend keine Tischplatten gesehen.", UNKNOWN),
        ("她住在塔林。", "zh"),
        ("Dina 住在塔林的老城区里面。", "zh"),
        ("昨日はどこにいましたか。", "ja"),
        ("어제 어디에 있었어요?", "ko"),
        ("أين الصالة الآن؟", UNKNOWN),
        ("👍 42!", UNKNOWN),
        ("", UNKNOWN),
    ],
)
def test_a_text_has_the_language_that_its_letters_tell(text: str, tag: str) -> None:
    assert language_of(text) == tag

"""Errors read alike wherever they are shown."""

import pytest

from sandbox.sentences import sentence


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("the port is taken; choose another", "The port is taken; choose another."),
        ("The disk is full.", "The disk is full."),
        ("skerry.yaml: name must be text", "skerry.yaml: name must be text."),
        ("--port cannot be 'x'", "--port cannot be 'x'."),
        ("text must be\n text", "text must be text."),
        ("Really?", "Really?"),
    ],
)
def test_a_message_becomes_one_sentence(message: str, shown: str) -> None:
    assert sentence(ValueError(message)) == shown

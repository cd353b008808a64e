"""What has no room is not sent: a huge character is refused with one sentence, at two doors."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from personas.persona import Persona
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.character_files import CharacterFiles
from sandbox.conversation import TurnFailed
from sandbox.inputs import BadInput
from tests.fakes import Script, fake_sandbox, scripted


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    made = fake_sandbox(tmp_path / "data", Script().play, context_tokens=4096)
    with closing(made):
        yield made


def described(words: int) -> Persona:
    paragraph = "He keeps the light. " * (words // 4)
    return Persona(id="long-lu", name="Long Lu", summary=(paragraph,))


def test_a_card_with_a_description_of_a_megabyte_is_refused_at_the_door(sandbox: Sandbox) -> None:
    data = {"name": "Huge Hu", "description": "word " * 200_000}
    card = json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": data}).encode()
    with pytest.raises(BadInput, match=r"hu\.json.*description"):
        CharacterFiles(sandbox.characters, sandbox.banks).bring(ACCOUNT, card, "hu.json")
    assert sandbox.characters.own(ACCOUNT) == []


def test_a_character_that_the_model_cannot_read_is_never_sent(sandbox: Sandbox) -> None:
    sandbox.characters.save(ACCOUNT, described(7_000))
    session = sandbox.sessions.open(ACCOUNT, "Ann", "long-lu")
    sentence = r"Long Lu takes about \d+ tokens to describe, .* scripted has room for 3584: shorten"
    with pytest.raises(TurnFailed, match=sentence):
        sandbox.conversation.ask(ACCOUNT, session.id, "Good morning.")
    assert scripted(sandbox).asked == []
    [turn] = sandbox.sessions.transcript(ACCOUNT, session.id).turns
    assert (turn.text, turn.status) == ("Good morning.", "open")


def test_a_long_character_that_fits_is_sent_whole(sandbox: Sandbox) -> None:
    sandbox.characters.save(ACCOUNT, described(2_000))
    session = sandbox.sessions.open(ACCOUNT, "Ann", "long-lu")
    sandbox.conversation.ask(ACCOUNT, session.id, "Good morning.")
    [asked] = scripted(sandbox).asked
    assert described(2_000).summary[0] in asked.messages[0]["content"]

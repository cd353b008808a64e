"""Who the person is: shown, editable, and in the prompt only where the session says so."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.inputs import LONGEST_PROFILE, BadInput
from sandbox.sessions import SessionEnded
from tests.fakes import Script, fake_sandbox, scripted

WALID = "walid-qutami"


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    made = fake_sandbox(tmp_path, Script().play)
    yield made
    made.close()


def prompt(sandbox: Sandbox, session: str) -> str:
    sandbox.conversation.ask(ACCOUNT, session, "Hello.")
    return scripted(sandbox).asked[-1].text


def test_a_profile_is_stored_for_somebody_known_or_new(sandbox: Sandbox) -> None:
    for text in ("Likes  rain.", "Likes sun."):
        sandbox.banks.describe(ACCOUNT, "Noor  Ali", text)
        found = sandbox.banks.user(ACCOUNT, "noor ali")
        assert found is not None
        assert (found.name, found.profile) == ("Noor Ali", " ".join(text.split()))
    assert sandbox.banks.user("other", "noor ali") is None


def test_the_prompt_tells_the_profile_only_where_the_session_does(sandbox: Sandbox) -> None:
    sandbox.banks.describe(ACCOUNT, "Noor", "Allergic to sesame, $name.")
    session = sandbox.sessions.open(ACCOUNT, "Noor", WALID)
    assert "sesame" not in prompt(sandbox, session.id)
    sandbox.sessions.adjust(ACCOUNT, session.id, profile="Allergic to sesame, $name.")
    told = "You are talking with Noor. About Noor you know: Allergic to sesame, $name."
    assert told in prompt(sandbox, session.id)
    sandbox.sessions.adjust(ACCOUNT, session.id, profile="")
    assert "sesame" not in prompt(sandbox, session.id)


def test_a_continued_session_tells_the_same_profile(sandbox: Sandbox) -> None:
    session = sandbox.sessions.open(ACCOUNT, "Noor", WALID, profile=" A  painter. ")
    sandbox.remembering.close(ACCOUNT, session.id)
    assert sandbox.sessions.continue_from(ACCOUNT, session.id).profile == "A painter."
    with pytest.raises(SessionEnded):
        sandbox.sessions.adjust(ACCOUNT, session.id, profile="A sculptor.")


@pytest.mark.parametrize("text", ["x" * (LONGEST_PROFILE + 1), "a\x00b", "\ud800"])
def test_a_profile_that_cannot_be_taken_is_refused_whole(sandbox: Sandbox, text: str) -> None:
    sandbox.banks.describe(ACCOUNT, "Noor", "A painter.")
    with pytest.raises(BadInput):
        sandbox.banks.describe(ACCOUNT, "Noor", text)
    with pytest.raises(BadInput):
        sandbox.sessions.open(ACCOUNT, "Noor", WALID, profile=text)
    found = sandbox.banks.user(ACCOUNT, "Noor")
    assert found is not None
    assert found.profile == "A painter."

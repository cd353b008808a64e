"""Roles for a form: proposed when a reply is to be saved, and never taken for gold."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.account import ACCOUNT
from sandbox.judges.case import Case
from sandbox.judges.verdict import JudgeError, Verdict
from sandbox.ui.save_tab import proposing
from tests.fakes import LastWord, Script, fake_sandbox
from tests.test_evaluating import live_reply


class Silent(LastWord):
    """Judges, and proposes nothing."""

    def judge(self, case: Case, aspects: object = ()) -> Verdict:
        return replace(super().judge(case, aspects), roles={})


class Broken(LastWord):
    """Cannot judge."""

    def judge(self, case: Case, aspects: object = ()) -> Verdict:
        raise JudgeError("The reply is empty: there is nothing to judge.")


@pytest.mark.parametrize(
    ("judge", "told", "proposed"),
    [
        (LastWord, "local proposes the roles: look at each", {"proposed"}),
        (Silent, "No roles are proposed: give them yourself.", set()),
        (Broken, "No roles are proposed: The reply is empty", set()),
    ],
)
def test_a_form_has_proposals_or_says_why_it_has_none(
    tmp_path: Path, judge: Callable[[], LastWord], told: str, proposed: set[str]
) -> None:
    with closing(fake_sandbox(tmp_path / "data", Script().play, load_judge=judge)) as sandbox:
        reply = live_reply(sandbox)
        assert proposing(sandbox.evaluating, ACCOUNT, reply).startswith(told)
        form = sandbox.workshop.authoring.from_turn(ACCOUNT, reply)
        assert {one.tag.source for one in form.pool if one.tag} == proposed
        assert form.pool
        assert len(form.proposals) == (len(form.pool) if proposed else 0)

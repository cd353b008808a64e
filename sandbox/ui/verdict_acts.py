"""What happens when somebody judges a reply, corrects a tag, or misses an entry."""

from collections.abc import Iterator
from threading import Event
from typing import Any

import gradio as gr

from sandbox.assemble import Sandbox
from sandbox.evaluation.judges import Asked
from sandbox.inputs import BadInput
from sandbox.judges.verdict import Aspect
from sandbox.ui import verdict_show as show
from sandbox.ui.human_acts import HumanActs
from sandbox.ui.parts import Parts
from sandbox.ui.switch_acts import SwitchActs
from sandbox.ui.troubles import inform
from sandbox.ui.verdict_jobs import Jobs
from sandbox.ui.verdict_look import Assessed, assess

Updates = dict[Any, Any]
EVERY = 1.0
"""Seconds between two looks at a judge that is at work."""


class VerdictActs:
    """Judging and correcting for one account."""

    def __init__(self, sandbox: Sandbox, account: str, parts: Parts) -> None:
        self._sandbox = sandbox
        self._account = account
        self._parts = parts
        self._verdict = parts.verdict
        self._jobs = Jobs()
        self.human = HumanActs(sandbox, account, parts.verdict)
        """The form of the human judge."""
        self.switch = SwitchActs(sandbox, account, parts.switch)
        """The switchboard."""

    def look_at(self, event: gr.EventData) -> Updates:
        """Inspect a reply, with its verdict in view."""
        tabs = gr.Tabs(selected="reply")
        return {self._parts.kept.selected: event.id, self._parts.inspector.tabs: tabs}

    def have_judged(
        self, reply: str, judge: str, draws: float, aspects: list[Aspect]
    ) -> Iterator[Updates]:
        """Have a judge judge the shown reply; says how long it takes meanwhile."""
        asked = tuple(aspects), int(draws)

        def work(stop: Event) -> None:
            how = Asked(aspects=asked[0], draws=asked[1], stop=stop)
            self._sandbox.evaluating.evaluate(self._account, reply, judge, how)

        yield from self._work(reply, judge, work)

    def have_judged_at_once(self, reply: str) -> Iterator[Updates]:
        """Have the judge that is offered first judge a reply, where nobody has."""
        look = assess(self._sandbox, self._account, reply)
        if look.judged or not reply:
            yield show.ready(self._verdict)
            return

        def work(_stop: Event) -> None:
            self._sandbox.evaluating.evaluate(self._account, reply, look.default)

        yield from self._work(reply, look.default, work)

    def stop_judging(self, reply: str) -> Updates:
        """Break off whoever is judging the reply."""
        self._jobs.stop(reply)
        return {self._verdict.stop: gr.update(value="Stopping", interactive=False)}

    def unjudging(self) -> Updates:
        """After an error: the button can be pressed again."""
        return show.ready(self._verdict)

    def put_in_front(self, event: gr.EventData) -> str:
        """Show another judge's verdict in the chat and the figures."""
        return str(event.id)

    def asked_to_correct(self, reply: str, event: gr.EventData) -> Updates:
        """Open the form that corrects a tag."""
        return show.asked(self._verdict, self._assessed(reply), event.id)

    def correct(self, reply: str, tag: str, value: str | None, reason: str) -> Updates:
        """Keep a correction."""
        if not value:
            raise BadInput("No value is chosen: choose what it is.")
        self._change(reply, tag, value, reason)
        return show.unasked(self._verdict)

    def take_back(self, reply: str, event: gr.EventData) -> None:
        """Take a correction back; the history keeps both."""
        self._change(reply, event.id, None, "")

    def uncorrect(self) -> Updates:
        """Close the form of a correction."""
        return show.unasked(self._verdict)

    def want(self, reply: str, entry: str | None, reason: str) -> Updates:
        """Say that an entry of the bank should have come."""
        if not entry:
            raise BadInput("No entry is chosen: choose the one that should have come.")
        self._sandbox.evaluating.correct(
            self._account, reply, "wanted", "yes", entry=entry, reason=reason
        )
        inform("It is in the pool now, as must: evaluate again to have it judged.")
        return {self._verdict.wanted: gr.update(value=None), self._verdict.wanted_reason: ""}

    def _work(self, reply: str, judge: str, work: Any) -> Iterator[Updates]:
        if not reply or not judge:
            raise BadInput("There is nothing to judge yet: send a message, and choose a judge.")
        job = self._jobs.start(reply, judge, work)
        for seconds in job.wait(EVERY):
            yield show.busy(self._verdict, judge, seconds)
        yield show.ready(self._verdict, judge)

    def _change(self, reply: str, tag: str, value: str | None, reason: str) -> None:
        subject, verdict, entry = show.split(tag)
        self._sandbox.evaluating.correct(
            self._account,
            reply,
            subject,
            value,
            entry=entry or None,
            verdict=verdict or None,
            reason=reason,
        )

    def _assessed(self, reply: str) -> Assessed:
        return assess(self._sandbox, self._account, reply)

"""What happens when somebody switches entries and writes a reply again."""

from collections.abc import Callable, Iterable, Iterator
from threading import Event, Lock
from typing import Any

import gradio as gr

from graphs.state import Stop
from sandbox.assemble import Sandbox
from sandbox.evaluation.switchboard import Step
from sandbox.inputs import BadInput
from sandbox.ui.switch_found import experiments_view
from sandbox.ui.switch_parts import SwitchPanel
from sandbox.ui.switch_views import progress, switch_form, switched
from sandbox.ui.verdict_jobs import Jobs
from sandbox.ui.verdict_look import Assessed, assess

Updates = dict[Any, Any]
EVERY = 1.0
"""Seconds between two looks at voters that are asked."""


class SwitchActs:
    """Experiments on replies for one account."""

    def __init__(self, sandbox: Sandbox, account: str, panel: SwitchPanel) -> None:
        self._sandbox = sandbox
        self._account = account
        self._panel = panel
        self._lock = Lock()
        self._running: dict[str, Stop] = {}
        self._jobs = Jobs()

    def run_samples(self, event: gr.EventData) -> Iterator[Updates]:
        """Write samples with the switches of the form; what was written whole is kept."""
        reply, values = event.id, event.values if isinstance(event.values, dict) else {}
        look = assess(self._sandbox, self._account, reply)
        stop = self._begin(reply)
        steps = self._sandbox.switchboard.sample(
            self._account,
            reply,
            switched(values, look),
            memory=values.get("off") is not True,
            samples=whole(values.get("samples")),
            judge=str(values.get("judge") or "") or None,
            stop=stop,
        )
        yield from self._told(reply, steps)

    def run_causal(self, event: gr.EventData) -> Iterator[Updates]:
        """Score the reply with each entry left out."""
        stop = self._begin(event.id)
        steps = self._sandbox.switchboard.causal(self._account, event.id, stop)
        yield from self._told(event.id, steps)

    def compare_closer(self, event: gr.EventData) -> Iterator[Updates]:
        """Ask a model whether the reply feels closer than one without memory."""
        reply, voters = event.id, _listed(event, "voters")

        def work(stop: Event) -> None:
            if len(voters) != 1:
                raise BadInput("With or without memory takes one voter: tick exactly one.")
            intimacy = self._sandbox.intimacy
            intimacy.beside_no_memory(self._account, reply, voters[0], stop)

        yield from self._asked(reply, "with and without memory", work)

    def pick_closest(self, event: gr.EventData) -> Iterator[Updates]:
        """Ask the voters which of the turn's replies and references is the best."""
        reply, voters = event.id, _listed(event, "voters")

        def work(stop: Event) -> None:
            intimacy, names = self._sandbox.intimacy, _listed(event, "references")
            intimacy.best_of(self._account, reply, voters, names, stop)

        yield from self._asked(reply, "the best reply", work)

    def stop_running(self, reply: str) -> Updates:
        """Stop the experiments on a reply."""
        with self._lock:
            found = self._running.get(reply)
        if found:
            found.set()
        self._jobs.stop(reply)
        return {self._panel.stop: gr.update(value="Stopping", interactive=False)}

    def stopped(self) -> Updates:
        """After an error: nothing runs."""
        return idle(self._panel)

    def _begin(self, reply: str) -> Stop:
        with self._lock:
            if reply in self._running:
                raise BadInput("An experiment on this reply is running: wait for it, or stop it.")
            self._running[reply] = Stop()
            return self._running[reply]

    def _asked(self, reply: str, what: str, work: Callable[[Event], None]) -> Iterator[Updates]:
        """While voters are asked."""
        for seconds in self._jobs.start(reply, what, work).wait(EVERY):
            yield working(self._panel, Step(int(seconds), 0, f"{what} · {seconds:.0f} s"))
        yield self._after(reply)

    def _after(self, reply: str) -> Updates:
        look = assess(self._sandbox, self._account, reply)
        return idle(self._panel) | {self._panel.found: experiments_view(look).markup}

    def _told(self, reply: str, steps: Iterable[Step]) -> Iterator[Updates]:
        try:
            for step in steps:
                yield working(self._panel, step)
        finally:
            with self._lock:
                self._running.pop(reply, None)
        yield self._after(reply)


def switches(panel: SwitchPanel, look: Assessed | None, same: bool) -> Updates:
    """The panel for the inspected reply; the form stays where it is the `same` one."""
    found = {panel.found: experiments_view(look).markup}
    if same:
        return found
    return found | {panel.form: switch_form(look).markup} | idle(panel)


def working(panel: SwitchPanel, step: Step) -> Updates:
    """While an experiment runs."""
    return {
        panel.busy: progress(step).markup,
        panel.stop: gr.update(value="Stop", visible=True, interactive=True),
    }


def idle(panel: SwitchPanel) -> Updates:
    """While none runs."""
    return {panel.busy: "", panel.stop: gr.update(value="Stop", visible=False)}


def _listed(event: gr.EventData, name: str) -> list[str]:
    """What is ticked in a list of the form."""
    values = event.values if isinstance(event.values, dict) else {}
    found = values.get(name)
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def whole(told: Any) -> int:
    """The number in a field; 0, which nothing takes, where it holds none."""
    text = str(told).strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 5 else 0

"""An episode gone through among the instances: its components, and what they do."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from secrets import token_hex
from typing import TYPE_CHECKING

import gradio as gr

from graphs import STRATEGIES
from graphs.methods import METHOD_NAMES
from sandbox.assemble import Sandbox
from sandbox.inputs import BadInput, checked_method
from sandbox.replay.episode_steps import EpisodeStep
from sandbox.replay.episodes import How
from sandbox.replay.grading import BY_WORDS, LLM
from sandbox.ui.events import Updates, on
from sandbox.ui.places import plain
from sandbox.ui.replay_episode_views import episode_steps

if TYPE_CHECKING:
    from sandbox.ui.instances_parts import InstancesParts

WORDS = "their words alone"
"""What words settle is graded, anything else is not."""
_MOST_RUNS = 16
"""Runs whose steps can be shown again, with gold or without."""


@dataclass(frozen=True, slots=True)
class EpisodePanel:
    """Which episode, how, and the steps so far."""

    column: gr.Column
    episode: gr.Dropdown
    method: gr.Dropdown
    strategy: gr.Dropdown
    """What answers the questions."""
    judge: gr.Dropdown
    """Who grades the answers."""
    gold: gr.Checkbox
    go: gr.Button
    stop: gr.Button
    steps: gr.HTML
    run: gr.Textbox
    """Which run the steps are of; empty for none."""


@dataclass(slots=True)
class _Run:
    """The steps of an episode so far."""

    count: int
    gold: bool
    done: list[EpisodeStep] = field(default_factory=list)

    @property
    def markup(self) -> str:
        """As the page shows them now."""
        return episode_steps(self.done, self.count, gold=self.gold).markup


def episode_panel(models: Sequence[str]) -> EpisodePanel:
    """The panel, hidden where the collection has no episode; `models` are who can grade."""
    with gr.Column(visible=False, elem_id="episode", min_width=0) as column:
        with gr.Row():
            episode = gr.Dropdown([], label="Episode", elem_id="episode-name", min_width=0)
            method = gr.Dropdown(
                list(METHOD_NAMES), value=METHOD_NAMES[0], label="Remember by", min_width=0
            )
            strategy = gr.Dropdown(list(STRATEGIES), value="top_k", label="Answer by", min_width=0)
            judges = [(WORDS, BY_WORDS), *((f"{LLM}{name}",) * 2 for name in models)]
            judge = gr.Dropdown(
                judges,
                value=BY_WORDS,
                label="Answers graded by",
                min_width=0,
                elem_id="episode-judge",
            )
        with gr.Row():
            gold = gr.Checkbox(label="show gold beside the model", elem_id="episode-gold")
            go = gr.Button("Replay the episode", elem_id="replay-episode", min_width=0)
            stop = gr.Button("Stop after this step", min_width=0)
        steps = plain("episode-steps")
        run = gr.Textbox("", visible=False)
    return EpisodePanel(column, episode, method, strategy, judge, gold, go, stop, steps, run)


class EpisodeActs:
    """The episodes of one account."""

    def __init__(self, sandbox: Sandbox, account: str, parts: "InstancesParts") -> None:
        self._sandbox = sandbox
        self._account = account
        self._parts = parts
        self._panel = parts.episode
        self._runs: dict[str, _Run] = {}

    def connect(self) -> None:
        """Wire everything. Use inside the page's Blocks."""
        panel, parts = self._panel, self._parts
        shown = [panel.column, panel.episode, panel.steps, panel.run]
        on(parts.collection.change, self.choose_episodes, [parts.collection], shown)
        how = [panel.method, panel.strategy, parts.model, panel.judge]
        asked = [parts.collection, panel.episode, panel.gold, *how]
        going = on(panel.go.click, self.replay_episode, asked, [panel.steps, panel.run])
        on(panel.gold.input, self.show_gold, [panel.run, panel.gold], [panel.steps])
        gr.on([panel.stop.click], None, cancels=[going], api_visibility="private")

    def choose_episodes(self, sha256: str) -> Updates:
        """The episodes of the collection that is chosen."""
        found = self._sandbox.instances.collection(self._account, sha256).episodes if sha256 else ()
        names = [(f"{one.id} · {one.title}", one.id) for one in found]
        first = names[0][1] if names else None
        return {
            self._panel.column: gr.update(visible=bool(names)),
            self._panel.episode: gr.update(choices=names, value=first),
            self._panel.steps: "",
            self._panel.run: "",
        }

    def replay_episode(
        self,
        sha256: str,
        name: str | None,
        gold: bool,
        method: str,
        strategy: str,
        model: str,
        judge: str,
    ) -> Iterator[Updates]:
        """Every step as it is done; sessions stay on record."""
        if not name:
            raise BadInput("No episode is chosen: choose one from the list.")
        collection = self._sandbox.instances.collection(self._account, sha256)
        episode = next(one for one in collection.episodes if one.id == name)
        how = How(checked_method(method), strategy, model, judge)
        steps = self._sandbox.episode_replays.steps(self._account, sha256, name, how)
        run = _Run(len(episode.sessions) + len(episode.questions), gold)
        told = self._kept(run)
        yield {self._panel.steps: run.markup, self._panel.run: told}
        for step in steps:
            run.done.append(step)
            yield {self._panel.steps: run.markup, self._panel.run: told}

    def show_gold(self, told: str, gold: bool) -> str:
        """The steps so far with gold beside the model, or without; nothing where none is kept."""
        run = self._runs.get(told)
        if run is None:
            return ""
        run.gold = gold
        return run.markup

    def _kept(self, run: _Run) -> str:
        """A name under which the run can be shown again; the oldest goes."""
        while len(self._runs) >= _MOST_RUNS:
            self._runs.pop(next(iter(self._runs)))
        name = token_hex(6)
        self._runs[name] = run
        return name

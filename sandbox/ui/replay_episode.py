"""An episode gone through among the instances: its components, and what they do."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import gradio as gr

from graphs.methods import METHOD_NAMES
from sandbox.assemble import Sandbox
from sandbox.inputs import BadInput, checked_method
from sandbox.replay.episode_steps import EpisodeStep
from sandbox.replay.episodes import How
from sandbox.ui.events import Updates, on
from sandbox.ui.places import plain
from sandbox.ui.replay_episode_views import episode_steps

if TYPE_CHECKING:
    from sandbox.ui.instances_parts import InstancesParts


@dataclass(frozen=True, slots=True)
class EpisodePanel:
    """Which episode, how, and the steps so far."""

    column: gr.Column
    episode: gr.Dropdown
    method: gr.Dropdown
    gold: gr.Checkbox
    go: gr.Button
    stop: gr.Button
    steps: gr.HTML


def episode_panel() -> EpisodePanel:
    """The panel, hidden where the collection has no episode."""
    with gr.Column(visible=False, elem_id="episode", min_width=0) as column:
        with gr.Row():
            episode = gr.Dropdown([], label="Episode", elem_id="episode-name", min_width=0)
            method = gr.Dropdown(
                list(METHOD_NAMES), value=METHOD_NAMES[0], label="Remember by", min_width=0
            )
            gold = gr.Checkbox(label="show gold beside the model", elem_id="episode-gold")
            go = gr.Button("Replay the episode", elem_id="replay-episode", min_width=0)
            stop = gr.Button("Stop after this step", min_width=0)
        steps = plain("episode-steps")
    return EpisodePanel(column, episode, method, gold, go, stop, steps)


class EpisodeActs:
    """The episodes of one account."""

    def __init__(self, sandbox: Sandbox, account: str, parts: "InstancesParts") -> None:
        self._sandbox = sandbox
        self._account = account
        self._parts = parts
        self._panel = parts.episode

    def connect(self) -> None:
        """Wire everything. Use inside the page's Blocks."""
        panel, parts = self._panel, self._parts
        shown = [panel.column, panel.episode, panel.steps]
        on(parts.collection.change, self.choose_episodes, [parts.collection], shown)
        asked = [parts.collection, panel.episode, panel.method, parts.model, panel.gold]
        going = on(panel.go.click, self.replay_episode, asked, [panel.steps])
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
        }

    def replay_episode(
        self, sha256: str, name: str | None, method: str, model: str, gold: bool
    ) -> Iterator[str]:
        """Every step as it is done; sessions stay on record."""
        if not name:
            raise BadInput("No episode is chosen: choose one from the list.")
        collection = self._sandbox.instances.collection(self._account, sha256)
        episode = next(one for one in collection.episodes if one.id == name)
        count = len(episode.sessions) + len(episode.questions)
        how = How(checked_method(method), model=model)
        done: list[EpisodeStep] = []
        yield episode_steps(done, count, gold=gold).markup
        for step in self._sandbox.episode_replays.steps(self._account, sha256, name, how):
            done.append(step)
            yield episode_steps(done, count, gold=gold).markup

"""The memory graph: capture -> update -> proposals -> a human decides -> apply.

State and interrupt carry the capture's id and counts, never a text: what was found is in the
record, written by the steps that the sandbox passes in.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TypedDict

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from graphs.capture import Captured
from graphs.chat_model import ChatModel
from graphs.methods import Found, Method
from graphs.spoken import Spoken
from graphs.update import Updated


class Steps(Protocol):
    """What the graph does to the record. Every step done twice is done once."""

    def captured(self, capture: str) -> bool:
        """Whether the capture's findings are stored already."""

    def spoken(self, capture: str) -> Spoken:
        """The session that was ended."""

    def store_captured(self, capture: str, found: Captured) -> None:
        """Store what was found, through the gates (T4)."""

    def found(self, capture: str) -> Found:
        """What passed the gates, and what of the bank it may touch."""

    def store_proposals(self, capture: str, updated: Updated) -> None:
        """Store one proposal a change (T4)."""

    def apply(self, capture: str) -> int:
        """Apply the decided proposals (T6); how many are still open."""


class RememberState(TypedDict, total=False):
    """Row ids and counts only: it is checkpointed."""

    capture: str
    open: int


@dataclass(frozen=True, slots=True)
class RememberContext:
    """What the memory graph depends on."""

    steps: Steps
    model: Callable[[], ChatModel]
    """Asked only where a step needs it: applying decisions needs none."""
    method: Method
    """How the session is remembered."""


def capture(state: RememberState, runtime: Runtime[RememberContext]) -> RememberState:
    """Find what the session holds and store it."""
    steps, capture_id = runtime.context.steps, state["capture"]
    if not steps.captured(capture_id):
        spoken = steps.spoken(capture_id)
        found = runtime.context.method.capture(spoken, runtime.context.model)
        steps.store_captured(capture_id, found)
    return {}


def propose(state: RememberState, runtime: Runtime[RememberContext]) -> RememberState:
    """Work out what the findings change in the bank and store it as proposals."""
    steps, capture_id = runtime.context.steps, state["capture"]
    found, spoken = steps.found(capture_id), steps.spoken(capture_id)
    updated = runtime.context.method.update(found, spoken, runtime.context.model)
    steps.store_proposals(capture_id, updated)
    return {}


def apply(state: RememberState, runtime: Runtime[RememberContext]) -> RememberState:
    """Turn what has been decided into operations."""
    return {"open": runtime.context.steps.apply(state["capture"])}


def decide(state: RememberState, runtime: Runtime[RememberContext]) -> RememberState:
    """Wait until a human has decided on something more."""
    interrupt({"capture": state["capture"]})
    return {}


def whether_open(state: RememberState) -> Literal["decide", "__end__"]:
    """Wait while proposals are open; end when none is."""
    return "decide" if state["open"] else "__end__"


def build_remember(
    checkpointer: BaseCheckpointSaver[str],
) -> CompiledStateGraph[RememberState, RememberContext, RememberState, RememberState]:
    """The graph that runs once a session, its thread named by the capture's id."""
    graph = StateGraph(RememberState, context_schema=RememberContext)
    graph.add_node("capture", capture)
    graph.add_node("propose", propose)
    graph.add_node("apply", apply)
    graph.add_node("decide", decide)
    graph.add_edge(START, "capture")
    graph.add_edge("capture", "propose")
    graph.add_edge("propose", "apply")
    graph.add_conditional_edges("apply", whether_open, {"decide": "decide", "__end__": END})
    graph.add_edge("decide", "apply")
    return graph.compile(checkpointer)

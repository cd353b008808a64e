"""No strategy: what is injected is given from outside, for replies that differ in nothing else."""

from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from graphs.reply import compose, with_reply
from graphs.state import Candidate, Context, State


def show_given(state: State) -> State:
    """Show the entries of `injected` in their order; nothing is recalled."""
    return {"candidates": [Candidate(entry, {}, None) for entry in state["injected"]]}


def build_given() -> CompiledStateGraph[State, Context, State, State]:
    """The graph that answers from `injected` as it is in the starting state."""
    graph = StateGraph(State, context_schema=Context)
    graph.add_node("show", show_given)
    graph.add_edge(START, "show")
    return with_reply(graph, after="show")


def composed(state: State, context: Context) -> State:
    """The prompt that `build_given` would send, without sending it."""
    return compose({**state, **show_given(state)}, Runtime(context=context))

"""Strategy: answer without any memory."""

from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from graphs.reply import with_reply
from graphs.state import Context, State


def inject_nothing(state: State, runtime: Runtime[Context]) -> State:
    """Recall nothing and inject nothing."""
    return {"candidates": [], "injected": []}


def build_no_memory() -> CompiledStateGraph[State, Context, State, State]:
    """The graph that never looks at the bank."""
    graph = StateGraph(State, context_schema=Context)
    graph.add_node("inject", inject_nothing)
    graph.add_edge(START, "inject")
    return with_reply(graph, after="inject")

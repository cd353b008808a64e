"""Strategy: recall by meaning, inject the k closest entries."""

from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from graphs.reply import with_reply
from graphs.state import Candidate, Context, State


def recall(state: State, runtime: Runtime[Context]) -> State:
    """Look up the entries closest to what the person said."""
    context = runtime.context
    return {"recall": context.bank.recall(state["query"], max(context.candidates, context.k))}


def inject(state: State, runtime: Runtime[Context]) -> State:
    """Keep the k closest, or those chosen from outside; say of the others why they fell."""
    context = runtime.context
    found = state["recall"].candidates
    if context.choose is None:
        kept = [recalled.entry.id for recalled in found[: context.k]]
        why = f"Below the {context.k} closest."
    else:
        kept = list(context.choose(state["query"], [recalled.entry for recalled in found]))
        why = "Not chosen."
    entries = {recalled.entry.id: recalled.entry for recalled in found}
    return {
        "candidates": [
            Candidate(
                recalled.entry,
                {"dense": recalled.similarity},
                None if recalled.entry.id in kept else why,
            )
            for recalled in found
        ],
        "injected": [entries[entry_id] for entry_id in kept],
    }


def build_top_k() -> CompiledStateGraph[State, Context, State, State]:
    """The graph of the default strategy."""
    graph = StateGraph(State, context_schema=Context)
    graph.add_node("recall", recall)
    graph.add_node("inject", inject)
    graph.add_edge(START, "recall")
    graph.add_edge("recall", "inject")
    return with_reply(graph, after="inject")

"""Strategy: every live entry in the prompt, in an order shuffled by a recorded seed."""

from random import Random

from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from graphs.reply import with_reply
from graphs.state import Candidate, Context, RefusedStrategy, State
from memory_banks.bank import Recall, Recalled

LARGEST_POOL = 60


def inject_all(state: State, runtime: Runtime[Context]) -> State:
    """List the whole bank and inject all of it.

    Raises:
        RefusedStrategy: if the bank holds more than LARGEST_POOL live entries.
    """
    context = runtime.context
    count = context.bank.count()
    if count > LARGEST_POOL:
        raise RefusedStrategy(
            f"full_pool shows the whole bank and takes at most {LARGEST_POOL} entries; this bank "
            f"holds {count}: choose top_k."
        )
    listed = context.bank.entries()
    order = list(listed)
    Random(context.seed).shuffle(order)
    return {
        "recall": Recall("", tuple(Recalled(entry, None) for entry in listed), "listed"),
        "candidates": [Candidate(entry, {}, None) for entry in listed],
        "injected": order,
    }


def build_full_pool() -> CompiledStateGraph[State, Context, State, State]:
    """The graph that shows everything, as StratMem-Bench does with its pools."""
    graph = StateGraph(State, context_schema=Context)
    graph.add_node("inject", inject_all)
    graph.add_edge(START, "inject")
    return with_reply(graph, after="inject")

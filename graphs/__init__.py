"""How a character answers: one strategy a file, and the graph that remembers a session."""

from graphs.full_pool import build_full_pool
from graphs.no_memory import build_no_memory
from graphs.top_k import build_top_k

STRATEGIES = {
    "top_k": build_top_k,
    "full_pool": build_full_pool,
    "no_memory": build_no_memory,
}
"""The strategies by name, the default one first."""

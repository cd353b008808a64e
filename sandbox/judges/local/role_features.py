"""What the role proposals know of each entry of a pool: numbers by name, the reply left out."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sandbox.judges.case import Case
from sandbox.judges.local.logistic import Floats
from sandbox.judges.local.role_words import Words, words_of

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts to unit vectors, shape (n, dimension), in order."""
_SHARPNESS = 12.0
"""How fast an entry's weight in the middle of the pool falls with its distance from the query."""
_MOST: Mapping[str, float] = {
    "pool": 14,
    "query_above": 9,
    "words_above": 8,
    "query_words": 24,
    "fact_words": 16,
    "fact_numbers": 1,
    "fact_names": 3,
}
"""Sizes count as no more than this, which one in a hundred of the fitted entries reaches: a line
fitted to short entries in small pools runs away beyond, and called 24 of 30 live entries must."""
_YOU = frozenset(["you", "your", "yours", "yourself", "you're", "you've", "you'd", "you'll"])
_I = frozenset(["i", "me", "my", "mine", "myself", "i'm", "i've", "i'd", "i'll"])
_WE = frozenset(
    ["we", "us", "our", "ours", "ourselves", "we're", "we've", "we'd", "we'll", "let's"]
)


def role_features(case: Case, embed: Embed) -> Mapping[str, Floats]:
    """Features by name; each has shape (entries,), in the pool's order.

    Neither the reply nor the history is looked at: the history added nothing measurable. The texts
    to embed are the query, the persona and each entry. The pool must not be empty.
    """
    names = (case.character + " " + case.human).lower().split()
    query = words_of(case.query, names)
    facts = [words_of(item.text, names) for item in case.pool]
    short = embed([case.query, *(item.text for item in case.pool)]).astype(np.float64)
    # By itself, since a batch takes as long as its longest text makes it.
    persona = embed([case.persona]).astype(np.float64)
    to_query, to_persona = np.vstack([short[:1], persona]) @ short[1:].T
    found = {
        **_standing("query", to_query),
        **_standing("persona", to_persona),
        **_among(to_query, short[1:]),
        **_overlap(query, facts),
        **_people(case, query, facts),
        **_shape(query, facts),
    }
    return {
        name: np.minimum(values, _MOST[name]) if name in _MOST else values
        for name, values in found.items()
    }


def _among(to_query: Floats, facts: Floats) -> dict[str, Floats]:
    """Where an entry stands among the others, and how the pool stands to the query."""
    size = len(facts)
    same = facts @ facts.T
    best, second = (np.argsort(-to_query, kind="stable")[[0, min(1, size - 1)]]).tolist()
    others = same - np.diag(same.diagonal())
    weight = np.exp(_SHARPNESS * to_query)
    weight /= weight.sum()
    return {
        "pool_mean": others.sum(axis=1) / max(1, size - 1),
        "pool_nearest": others.max(axis=1),
        "to_best": same[best],
        "to_second": same[second],
        "weight": weight,
        "to_middle": same @ weight,
        "to_middle_of_others": others @ weight,
        "query_best": np.full(size, to_query[best]),
        "query_lead": np.full(size, to_query[best] - to_query[second]),
        "query_spread": np.full(size, to_query.std()),
        "query_mean": np.full(size, to_query.mean()),
    }


def _overlap(query: Words, facts: Sequence[Words]) -> dict[str, Floats]:
    """Stems shared with the query, weighted by how few entries have them; names and numbers."""
    held = [stem for fact in facts for stem in fact.stems]
    weight = {stem: float(np.log((1 + len(facts)) / held.count(stem))) for stem in set(held)}
    unseen = float(np.log(1 + len(facts)))

    def total(stems: frozenset[str]) -> float:
        return sum(weight.get(stem, unseen) for stem in sorted(stems))

    shared = np.array([total(query.stems & fact.stems) for fact in facts])
    own = np.array([total(fact.stems) for fact in facts])
    union = np.array([len(query.stems | fact.stems) for fact in facts])
    return {
        **_standing("words", shared),
        "covers_query": shared / max(total(query.stems), 1e-9),
        "covers_fact": shared / np.maximum(own, 1e-9),
        "jaccard": _shared(query.stems, [fact.stems for fact in facts]) / np.maximum(union, 1),
        "same_names": _shared(query.names, [fact.names for fact in facts]),
        "same_numbers": _shared(query.numbers, [fact.numbers for fact in facts]),
    }


def _people(case: Case, query: Words, facts: Sequence[Words]) -> dict[str, Floats]:
    """Who an entry is about, against whom the query speaks of."""
    character, human = (frozenset(name.lower().split()) for name in (case.character, case.human))
    you, self_, we = (float(not words.isdisjoint(query.all)) for words in (_YOU, _I, _WE))
    of_character = np.array([float(not character.isdisjoint(fact.all[:1])) for fact in facts])
    of_human = np.array([float(not human.isdisjoint(fact.all[:1])) for fact in facts])
    of_both = np.array([float(_holds(fact, character) and _holds(fact, human)) for fact in facts])
    return {
        "of_character": of_character,
        "of_human": of_human,
        "of_both": of_both,
        "character_you": of_character * you,
        "character_i": of_character * self_,
        "human_you": of_human * you,
        "human_i": of_human * self_,
        "both_we": of_both * we,
        "says_you": np.full(len(facts), you),
        "says_i": np.full(len(facts), self_),
        "says_we": np.full(len(facts), we),
        "share_character": np.full(len(facts), of_character.mean()),
    }


def _shape(query: Words, facts: Sequence[Words]) -> dict[str, Floats]:
    """Sizes: of the pool, the query, the entry and its numbers and names."""
    return {
        "pool": np.full(len(facts), float(len(facts))),
        "query_words": np.full(len(facts), float(len(query.all))),
        "fact_words": np.array([float(len(fact.all)) for fact in facts]),
        "fact_numbers": np.array([float(len(fact.numbers)) for fact in facts]),
        "fact_names": np.array([float(len(fact.names)) for fact in facts]),
    }


def _standing(name: str, values: Floats) -> dict[str, Floats]:
    """A number, its z-score in the pool, how many are above it (a tie is half), its gap."""
    spread = float(values.std())
    above = (values[None, :] > values[:, None]).sum(axis=1)
    ties = (values[None, :] == values[:, None]).sum(axis=1) - 1
    return {
        name: values,
        f"{name}_z": (values - values.mean()) / spread if spread > 1e-9 else np.zeros(len(values)),
        f"{name}_above": above + ties / 2,
        f"{name}_gap": values.max() - values,
    }


def _shared(wanted: frozenset[str], held: Sequence[frozenset[str]]) -> Floats:
    return np.array([float(len(wanted & one)) for one in held])


def _holds(fact: Words, name: frozenset[str]) -> bool:
    return not name.isdisjoint(fact.all)

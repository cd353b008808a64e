"""Which entries a reply had best use, given how likely each role is: the expected-SMC rule."""

import numpy as np
from numpy.typing import NDArray

from sandbox.judges.local.logistic import Floats


def expected_smc(must: Floats, nice: Floats, irr: Floats) -> Floats:
    """How likely SMC is 1 if exactly the first k entries are used, for k from 0; shape (n + 1,).

    Each array has shape (n,), in the order in which entries would be used, and the three sum to 1
    entry by entry. Roles are taken as independent of each other: SMC needs every must entry among
    the used, no irr one, and a nice one where the pool has any (PROTOCOLS 1). Where all are irr,
    using none is right and counts as 1 (ours; such a pool has no SMC).
    """
    all_good = _first(must + nice)
    none_missed = _rest(nice + irr)
    no_nice_used, no_nice_left = _first(must), _rest(irr)
    return all_good * none_missed - no_nice_used * (none_missed - no_nice_left)


def select(must: Floats, nice: Floats, irr: Floats) -> NDArray[np.bool_]:
    """Whether each entry is among those that are best used, shape (n,), in the order given.

    The best prefix, by expected SMC, of the entries sorted from the least likely to be irr; no
    entries give none. Equal expectations: the smaller set.
    """
    order = np.argsort(irr, kind="stable")
    best = int(np.argmax(expected_smc(must[order], nice[order], irr[order])))
    chosen = np.zeros(len(irr), dtype=np.bool_)
    chosen[order[:best]] = True
    return chosen


def _first(shares: Floats) -> Floats:
    """Products over the first k, for k from 0."""
    return np.concatenate([[1.0], np.cumprod(shares)])


def _rest(shares: Floats) -> Floats:
    """Products over all but the first k, for k from 0."""
    return np.concatenate([np.cumprod(shares[::-1])[::-1], [1.0]])

"""Roles proposed where there is no gold: must, nice or irr for each entry, from query and persona.

English only. Two small models (logistic regression and gradient-boosted trees, their mean) fitted
on StratMem-Bench's test set; the agreement written beside the parameters is cross-validated over
its ten speaker pairs and still a development figure: features were chosen on the same file. On this
project's own scenarios, where entries matter by implication, it agrees far less (also written
there): a proposal is a start for whoever sets the roles, no verdict.
Entries that are rules (`agent_identity`, `agent_method`) never occur there: they get proposals all
the same, and `role_warnings` says so.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from sandbox.instances import Role
from sandbox.judges.case import Case
from sandbox.judges.local.logistic import Floats, Logistic
from sandbox.judges.local.role_features import Embed, role_features
from sandbox.judges.local.selection import select
from sandbox.judges.local.trees import Trees
from sandbox.judges.verdict import RoleProposal

_CLASSES: tuple[Role, ...] = ("irr", "must", "nice")
_SUPERSEDED = RoleProposal("irr", {"must": 0.0, "nice": 0.0, "irr": 1.0})


@dataclass(frozen=True, slots=True)
class RoleModel:
    """The fitted parameters, and where they come from."""

    logistic: Logistic
    trees: Trees
    fitted: Mapping[str, Any]
    """Script, recipe, the data's hashes, versions, and `agreement`: figures with n and interval."""
    version: str = ""
    """Hash of the parameters; empty where they were not read from a file."""

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "RoleModel":
        """The model that `fitting.roles` wrote.

        Raises:
            ValueError: if its parts do not fit together.
        """
        logistic = Logistic.from_json(value["logistic"])
        trees = Trees.from_json(value["trees"])
        for part in (logistic, trees):
            if part.classes != _CLASSES or part.features != logistic.features:
                raise ValueError(f"both models must know {_CLASSES} by the same features")
        return cls(logistic, trees, value["fitted"])

    def probabilities(self, features: Mapping[str, Floats]) -> Floats:
        """Shape (entries, 3), columns irr, must, nice; each row sums to 1."""
        rows = np.column_stack([features[name] for name in self.logistic.features])
        shares: Floats = (self.logistic.predict(rows) + self.trees.predict(rows)) / 2
        return shares


@cache
def packaged_roles() -> RoleModel:
    """The parameters that come with the project."""
    text = files(__package__).joinpath("roles.json").read_text("utf-8")
    version = hashlib.sha256(text.encode()).hexdigest()
    return replace(RoleModel.from_json(json.loads(text)), version=version)


def propose_roles(
    case: Case, embed: Embed, model: RoleModel | None = None
) -> dict[str, RoleProposal]:
    """A proposal for every entry of the pool, by its id; empty for an empty pool.

    The entries that a reply had best use, by expected SMC, are must or nice, whichever is likelier;
    the rest are irr. So a proposed role need not be the likeliest one. An entry that another
    replaced is irr and no part of the comparison, unless all entries are so. The reply is not
    looked at. `embed` gives unit vectors of the packaged MiniLM, which the model was fitted with.
    """
    live = tuple(item for item in case.pool if item.live) or case.pool
    if not live:
        return {}
    found = (model or packaged_roles()).probabilities(
        role_features(replace(case, pool=live), embed)
    )
    irr, must, nice = found.T
    proposals = {item.id: _SUPERSEDED for item in case.pool}
    for item, row, used in zip(live, found, select(must, nice, irr), strict=True):
        proposals[item.id] = _proposal(row, bool(used))
    return proposals


def role_warnings(case: Case) -> tuple[str, ...]:
    """Why proposals for this case weigh less than their measured agreement; empty: no reason."""
    warnings = []
    if case.language != "en":
        warnings.append(f"Roles were proposed by an English judge; {case.language!r} not measured.")
    if rules := sum(item.is_rule for item in case.pool):
        warnings.append(
            f"{rules} of the entries are rules, which the judge of roles has never met: their "
            "proposals are not measured."
        )
    return tuple(warnings)


def _proposal(row: Floats, used: bool) -> RoleProposal:
    shares: dict[Role, float] = dict(zip(_CLASSES, row.tolist(), strict=True))
    if not used:
        return RoleProposal("irr", shares)
    return RoleProposal("must" if shares["must"] >= shares["nice"] else "nice", shares)

"""Capture and update: what each figure is, its formula and where it comes from."""

from collections.abc import Mapping
from dataclasses import replace

from sandbox.metrics.stage_formula import StageFormula, StageKey
from sandbox.metrics.stage_matching import HIGH, LOW

_PAPER = "DyadMem"
_FAILED = "a failed output is a row without a right one"
_MATCH = "matched by semantic coverage, both directions counted by themselves"
_THRESHOLDS = (
    f"the cosine thresholds {HIGH} and {LOW} unless others are given; entailment between them runs "
    "from the text that covers to the one that is covered"
)
_NO_GOLD = "there is no gold entry"
_NO_PREDICTION = "nothing was predicted"
_NEITHER = "there is neither a prediction nor a gold one"
_SCORED = "sessions with at least one gold operation"
_CAPTURE = f"{_PAPER}, sections G.3 and I.2"
_UPDATE = f"{_PAPER}, sections G.3 and I.3"

_CAPTURES = (
    StageFormula(
        "capture_precision",
        "Capture precision",
        "captured entries that are right",
        f"captured entries that a gold entry supports / captured entries, pooled; {_MATCH}",
        _CAPTURE,
        "captured entries",
        _NO_PREDICTION,
        f"{_THRESHOLDS}; an exact copy counts once",
    ),
    StageFormula(
        "capture_recall",
        "Capture recall",
        "gold entries that were captured",
        f"gold entries that a captured one covers / gold entries, pooled; {_MATCH}; one that "
        "covers several must entail each",
        _CAPTURE,
        "gold entries",
        _NO_GOLD,
        f"{_THRESHOLDS}; {_FAILED}",
    ),
    StageFormula(
        "capture_f1",
        "Capture F1",
        "micro F1 of capture",
        "2 P R / (P + R) of pooled precision P and recall R",
        _CAPTURE,
        "gold entries",
        _NEITHER,
        f"{_THRESHOLDS}; 0 where nothing was captured",
    ),
)
_TYPED: Mapping[StageKey, StageKey] = {
    "capture_precision": "capture_precision_typed",
    "capture_recall": "capture_recall_typed",
    "capture_f1": "capture_f1_typed",
}
_TURNED: Mapping[StageKey, StageKey] = {
    "capture_precision": "capture_precision_turned",
    "capture_recall": "capture_recall_turned",
    "capture_f1": "capture_f1_turned",
}


def _stricter(one: StageFormula, key: StageKey, title: str, what: str) -> StageFormula:
    return replace(
        one,
        key=key,
        title=f"{one.title} ({title})",
        name=f"{one.name}, {what}",
        text=f"{one.text}; entries match only where {what}",
        ours=f"{one.ours}; that {what}",
    )


_ADD = (
    StageFormula(
        "add_precision",
        "Add precision",
        "added entries that are right",
        f"predicted adds that a gold add supports / predicted adds, over {_SCORED}; {_MATCH}",
        _UPDATE,
        "predicted adds",
        _NO_PREDICTION,
        f"{_THRESHOLDS}; captures are not adds",
    ),
    StageFormula(
        "add_recall",
        "Add recall",
        "gold adds that were made",
        f"gold adds that a predicted one covers / gold adds, over {_SCORED}; {_MATCH}",
        _UPDATE,
        "gold adds",
        _NO_GOLD,
        f"{_THRESHOLDS}; {_FAILED}",
    ),
    StageFormula(
        "add_f1",
        "Add F1",
        "F1 of the added entries",
        f"2 P R / (P + R) of pooled precision P and recall R of adds, over {_SCORED}",
        _UPDATE,
        "gold adds",
        _NEITHER,
        _THRESHOLDS,
    ),
)
_DELETES = "by exact id in the standalone case"
_DELETE_OURS = (
    "in the pipeline and controlled cases, whose bank has ids of its own, by the deleted texts as "
    "adds are; an id named twice counts once, an id that no entry has is a wrong one"
)

MEMORY_FORMULAS: tuple[StageFormula, ...] = (
    *_CAPTURES,
    *(
        _stricter(one, _TYPED[one.key], "type agrees", "their entry types agree")
        for one in _CAPTURES
    ),
    *(
        _stricter(
            one,
            _TURNED[one.key],
            "type and turn agree",
            "their entry types and supporting turns agree",
        )
        for one in _CAPTURES
    ),
    *_ADD,
    _stricter(_ADD[2], "add_f1_typed", "type agrees", "their entry types agree"),
    StageFormula(
        "add_lineage",
        "Add lineage",
        "right adds with the right lineage",
        "predicted adds that name exactly the turns of a gold add that they cover / predicted "
        "adds that cover a gold add with turns",
        f"ours; {_PAPER}, section G.2, has the lineage",
        "adds that cover a gold add",
        "no predicted add covers a gold one with turns",
    ),
    StageFormula(
        "delete_precision",
        "Delete precision",
        "deletes that are right",
        f"predicted deletes that are gold / predicted deletes, over {_SCORED}; {_DELETES}",
        _UPDATE,
        "predicted deletes",
        "no delete was predicted",
        _DELETE_OURS,
    ),
    StageFormula(
        "delete_recall",
        "Delete recall",
        "gold deletes that were made",
        f"gold deletes that were predicted / gold deletes, over {_SCORED}; {_DELETES}",
        _UPDATE,
        "gold deletes",
        "there is no gold delete",
        f"{_DELETE_OURS}; {_FAILED}",
    ),
    StageFormula(
        "delete_f1",
        "Delete F1",
        "F1 of the deletes",
        f"2 P R / (P + R) of pooled precision P and recall R of deletes, over {_SCORED}; "
        f"{_DELETES}",
        _UPDATE,
        "gold deletes",
        _NEITHER,
        _DELETE_OURS,
    ),
    StageFormula(
        "op_f1",
        "op-F1",
        "operation F1",
        f"(Add F1 + Delete F1) / 2 of a session, mean over {_SCORED}",
        _UPDATE,
        "sessions",
        "no session has a gold operation",
        "a kind of operation that a session has neither in the gold nor predicted is left out "
        "of its mean; the source can also be read as the pooled figure, which stands beside it",
    ),
    StageFormula(
        "op_f1_pooled",
        "op-F1 (pooled)",
        "operation F1 of pooled counts",
        f"(Add F1 + Delete F1) / 2, each pooled over {_SCORED}",
        _UPDATE,
        "gold operations",
        "no session has a gold operation",
        "the second reading of op-F1; where one of the two is undefined, the other alone",
    ),
    StageFormula(
        "unsafe_deletion",
        "Unsafe deletion",
        "unsafe deletion rate",
        f"predicted deletes that are not gold / predicted deletes, over all sessions; {_DELETES}",
        f"{_PAPER}, section I.3 and Table 8",
        "predicted deletes",
        "no delete was predicted",
        _DELETE_OURS,
        better="lower",
    ),
    StageFormula(
        "op_f1_gain",
        "op-F1 gain",
        "op-F1 of one variant above the other",
        "difference of an episode's op-F1 between two variants, mean over episodes",
        f"{_PAPER}, sections H.4 and I.6",
        "episodes",
        "no episode has a gold operation",
        "an episode's op-F1 is the mean over its scored sessions",
        low=-1.0,
    ),
)

"""What is said of every figure of a memory stage: its key and the form of its definition."""

from dataclasses import dataclass
from typing import Literal, get_args

StageKey = Literal[
    "capture_precision",
    "capture_recall",
    "capture_f1",
    "capture_precision_typed",
    "capture_recall_typed",
    "capture_f1_typed",
    "capture_precision_turned",
    "capture_recall_turned",
    "capture_f1_turned",
    "add_precision",
    "add_recall",
    "add_f1",
    "add_f1_typed",
    "add_lineage",
    "delete_precision",
    "delete_recall",
    "delete_f1",
    "op_f1",
    "op_f1_pooled",
    "unsafe_deletion",
    "op_f1_gain",
    "recall_n",
    "recall_n4",
    "recall_all",
    "rank_one",
    "mrr",
    "ndcg",
    "recall_precision",
    "qa_accuracy",
    "qa_grounded",
    "qa_ungrounded_correct",
    "qa_answered",
    "over_abstention",
    "qa_gap",
    "qa_gain",
    "bank_size",
    "judge_agreement",
    "judge_kappa",
]
STAGE_KEYS: tuple[StageKey, ...] = get_args(StageKey)


@dataclass(frozen=True, slots=True)
class StageFormula:
    """One figure of a stage, defined."""

    key: StageKey
    title: str
    """As tables show it."""
    name: str
    """In full."""
    text: str
    """The formula in words and symbols."""
    source: str
    """Where it is defined."""
    over: str
    """What its `n` counts."""
    undefined: str
    """When it has no value."""
    ours: str = ""
    """What the source leaves open and the sandbox decides; empty for nothing."""
    low: float = 0.0
    high: float = 1.0
    better: Literal["higher", "lower", ""] = "higher"

"""What every figure of a memory stage is: its name, its formula, where it comes from."""

from collections.abc import Mapping

from sandbox.metrics.stage_formula import StageFormula, StageKey
from sandbox.metrics.stage_formulas_answers import ANSWER_FORMULAS
from sandbox.metrics.stage_formulas_memory import MEMORY_FORMULAS

STAGE_FORMULAS: Mapping[StageKey, StageFormula] = {
    one.key: one for one in (*MEMORY_FORMULAS, *ANSWER_FORMULAS)
}

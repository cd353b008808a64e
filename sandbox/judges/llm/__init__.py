"""The `llm` judge: any configured model as a judge of replies."""

from sandbox.judges.llm.asking import JudgeStopped as JudgeStopped
from sandbox.judges.llm.judge import LlmJudge as LlmJudge

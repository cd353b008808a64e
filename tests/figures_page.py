"""`docs/figures.md`, written from the formulas: `python -m tests.figures_page` makes it anew."""

from pathlib import Path

from sandbox.metrics.formulas import FORMULAS
from sandbox.metrics.stage_formulas import STAGE_FORMULAS

PAGE = Path(__file__).parents[1] / "docs" / "figures.md"
_HEAD = """# Every figure, defined

Written from the program's own table of formulas, so that the page, the commands and this text
cannot differ. *Ours* marks what the source leaves open and the sandbox decides.
"""


def rendered() -> str:
    """The page's text."""
    lines = [_HEAD, "## Of a reply", ""]
    for one in FORMULAS.values():
        lines += [f"**{one.title}** ({one.name}). {_sentence(one.text)} *{one.source}.*"]
        lines += [f"Ours: {_sentence(one.ours)}" if one.ours else "", ""]
    lines += ["## Of the memory life cycle", ""]
    for stage in STAGE_FORMULAS.values():
        lines += [f"**{stage.title}** ({stage.name}). {_sentence(stage.text)} *{stage.source}.*"]
        lines += [f"Ours: {_sentence(stage.ours)}" if stage.ours else "", ""]
    return "\n".join(lines).rstrip() + "\n"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


if __name__ == "__main__":
    PAGE.write_text(rendered(), encoding="utf-8")

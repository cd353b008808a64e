"""Fits the threshold of memory injection on MADial-Bench's human sheet; writes `aspects.json`.

    python -m fitting.aspects DIR --out sandbox/judges/local/aspects.json [--judge]

DIR holds human/madial_human_en.csv (one annotator, setting 3) and en/MADial-Bench-en-dialogue.json.
Which entries a reply uses is decided by the shares of their own words, with `--judge` by the local
judge as it is.
"""

import argparse
import ast
import csv
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr
from sklearn.linear_model import LogisticRegression

from fitting.export import fitted
from fitting.roles import remembering
from memory_banks.embedding import load_sentence_transformer
from sandbox.instances import Said
from sandbox.judges.case import Case, PoolItem
from sandbox.judges.local.encoder import MiniLM
from sandbox.judges.local.injection import before, injection, own_share
from sandbox.judges.local.role_features import Embed
from sandbox.judges.local.use import detect
from sandbox.judges.verdict import AspectVerdict, EntryVerdict

Use = Callable[[Case, float], Sequence[EntryVerdict]]
"""What is used of a case, given the share."""
HUMAN, DIALOGUES = "human/madial_human_en.csv", "en/MADial-Bench-en-dialogue.json"
CLOSENESS = 0.2
"""Not fitted: no entry that a reply of the sheet brings in is further off."""
RECIPE = (
    "share: where a balanced logistic regression (C = 100) of `the annotator gave more than 0` on "
    "the largest share of an entry's own words turns to yes, over the rows whose reply answers its "
    "dialogue; closeness: set by hand. Agreement: the share fitted on all dialogues but one, "
    "scored on that one. 95% intervals from 1,000 bootstrap resamples (seed 0). English, one "
    "annotator; rules written with these rows in sight: development figures."
)


@dataclass(frozen=True)
class Row:
    """One or two replies in a row, and what the annotator gave them."""

    dialogue: int
    clean: bool
    """Whether the reply answers its dialogue."""
    score: float
    case: Case


def rows(folder: Path) -> list[Row]:
    """The scored rows of memory injection."""
    dialogues = [
        json.loads(line) for line in (folder / DIALOGUES).read_text("utf-8").splitlines() if line
    ]
    with (folder / HUMAN).open(encoding="utf-8", newline="") as file:
        return [
            Row(
                int(row["dialogue_id"]),
                row["reply_matches_dialogue"] == "1",
                float(row["score"]),
                case_of(row, dialogues[int(row["dialogue_id"])]),
            )
            for row in csv.DictReader(file)
            if row["aspect"] == "memory injection" and row["score"]
        ]


def case_of(row: dict[str, str], dialogue: dict[str, Any]) -> Case:
    """The last reply as the one judged, what the dialogue has before it as history."""
    lines, turns = [said(line) for line in dialogue["dialogue"]], dialogue["test-turn"]
    replies = [text.strip() for text in row["reply"].split(" || ")]
    history = lines[1 : turns[0]]
    for place, reply in enumerate(replies[:-1]):
        history += [Said("assistant", "Assistant", reply), lines[turns[place] + 1]]
    memories = [ast.literal_eval(line) for line in row["memories"].splitlines() if line.strip()]
    return Case(
        character="Assistant",
        human=next(one.speaker for one in history if one.role == "user"),
        persona="",
        history=tuple(history[:-1]),
        query=history[-1].text,
        reply=replies[-1],
        pool=tuple(
            PoolItem(f"m{place}", memory["event"], "episodic", anchor=memory["time"])
            for place, memory in enumerate(memories, 1)
        ),
        replies=tuple(replies[:-1]),
    )


def said(line: str) -> Said:
    """A line such as `<Bart>: "words"`; one without a name is the assistant's."""
    match = re.match(r"\s*<(\w+)>:\s*(.*)", line, re.DOTALL)
    name, text = (match[1], match[2]) if match else ("Assistant", line)
    return Said(
        "assistant" if name == "Assistant" else "user", name, text.strip().strip('"') or "-"
    )


def used_by_share(case: Case, share: float) -> list[EntryVerdict]:
    """Use as far as the reply holds an entry's own words."""
    before = [*(one.text for one in case.history), case.query]
    return [
        EntryVerdict(
            item.id, "used" if own_share(case, item, case.reply, before) >= share else "not used"
        )
        for item in case.pool
    ]


def score(row: Row, used: Sequence[EntryVerdict], embed: Embed, share: float) -> float:
    """Sum of the three points."""
    points = injection(row.case, used, embed, {"share": share, "closeness": CLOSENESS})
    total = AspectVerdict("injection", points).score
    return 0.0 if total is None else total


def largest_share(case: Case) -> float:
    """Of any entry, in any of the replies."""
    told = [(case.reply, [*(one.text for one in case.history), case.query])]
    told += [(reply, before(case, reply)) for reply in case.replies]
    return max(own_share(case, item, *one) for one in told for item in case.pool)


def fitted_share(found: Sequence[Row]) -> float:
    """The share from which an entry counts as brought in."""
    model = LogisticRegression(C=100.0, class_weight="balanced")
    model.fit([[largest_share(row.case)] for row in found], [row.score > 0 for row in found])
    return round(float(-model.intercept_[0] / model.coef_[0, 0]), 3)


def held_out(found: Sequence[Row], embed: Embed, use: Use) -> Any:
    """Each row's score with the share fitted on the clean rows of all other dialogues."""
    shares = {
        number: fitted_share([row for row in found if row.clean and row.dialogue != number])
        for number in {row.dialogue for row in found}
    }
    return np.array(
        [
            score(row, use(row.case, shares[row.dialogue]), embed, shares[row.dialogue])
            for row in found
        ]
    )


def correlation(one: Any, other: Any) -> float:
    """Spearman; 0 where one of them does not vary."""
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return 0.0
    return float(spearmanr(one, other).statistic)


def figure(found: Any, human: Any, dialogue: Any) -> dict[str, Any]:
    """Spearman with both intervals, exact agreement and mean error."""
    rng = np.random.default_rng(0)
    blocks = [np.flatnonzero(dialogue == number) for number in np.unique(dialogue)]
    by_reply = [rng.integers(0, len(human), len(human)) for _ in range(1000)]
    by_dialogue = [
        np.concatenate([blocks[at] for at in rng.integers(0, len(blocks), len(blocks))])
        for _ in range(1000)
    ]
    told: dict[str, Any] = {
        "n": len(human),
        "dialogues": len(blocks),
        "spearman": round(correlation(found, human), 4),
        "exact": round(float(np.mean(found == human)), 4),
        "mean_absolute_error": round(float(np.mean(np.abs(found - human))), 4),
    }
    for name, drawn in (("by_reply", by_reply), ("by_dialogue", by_dialogue)):
        low, high = np.percentile([correlation(found[at], human[at]) for at in drawn], [2.5, 97.5])
        told[f"interval_{name}"] = [round(float(low), 4), round(float(high), 4)]
    return told


def by_judge() -> Use:
    """The local judge's own verdicts on use, each case judged once."""
    encoder = MiniLM()
    known: dict[Case, Sequence[EntryVerdict]] = {}

    def use(case: Case, _share: float) -> Sequence[EntryVerdict]:
        if case not in known:
            known[case] = detect(case, encoder)
        return known[case]

    return use


def main() -> None:
    """Fit, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--judge", action="store_true")
    asked = parser.parse_args()
    embedder = load_sentence_transformer()
    embed = remembering(embedder.embed)
    found = rows(asked.folder)
    human = np.array([row.score for row in found])
    dialogue = np.array([row.dialogue for row in found])
    clean = np.array([row.clean for row in found])
    uses: dict[str, Use] = {"own words": used_by_share}
    if asked.judge:
        uses["local judge"] = by_judge()
    figures = {}
    for name, use in uses.items():
        held = held_out(found, embed, use)
        figures[f"use by {name}"] = {
            "clean": figure(held[clean], human[clean], dialogue[clean]),
            "with_mismatched": figure(held, human, dialogue),
        }
    value = {
        "share": fitted_share([row for row in found if row.clean]),
        "closeness": CLOSENESS,
        "fitted": fitted(
            "fitting/aspects.py",
            RECIPE,
            [asked.folder / HUMAN, asked.folder / DIALOGUES],
            language="en",
            embedder=embedder.id,
            aspect="injection",
            agreement=figures,
        ),
    }
    asked.out.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

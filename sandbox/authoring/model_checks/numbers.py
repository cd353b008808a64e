"""What a check that needs a model found, as it is read: means, seeds, answers line by line."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import fmean, stdev

from sandbox.authoring.badge import Badge, Look
from sandbox.authoring.model_checks.found import Answered, Checked, Path


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean as it is shown."""

    value: float | None
    """Null for no value."""
    told: str
    """With its standard error, where there are two values or more."""


def mean_of(values: Sequence[float]) -> Mean:
    """The mean with its standard error; `-` for no value, no error for one."""
    if not values:
        return Mean(None, "-")
    value = fmean(values)
    if len(values) < 2:
        return Mean(value, f"{value:.2f}")
    return Mean(value, f"{value:.2f} ± {stdev(values) / sqrt(len(values)):.2f}")


def seeds_of(given: Iterable[int]) -> str:
    """Seeds in a few words; `-` for none."""
    seeds = sorted(set(given))
    if not seeds:
        return "-"
    if len(seeds) > 1 and seeds[-1] - seeds[0] == len(seeds) - 1:
        return f"{seeds[0]} to {seeds[-1]}"
    return ", ".join(map(str, seeds))


def aged(badge: Badge, kept: Checked, look: Look) -> Badge:
    """The badge; where what it is of was changed since, as one to be run again."""
    numbers = (*badge.numbers, ("of version", str(kept.version)))
    if kept.is_of(look.authored):
        return replace(badge, numbers=numbers)
    told = f"Of version {kept.version}, and what it looks at was changed since: run it again. "
    said = f"{told}It was {badge.state}: {badge.sentence}"
    return replace(badge, state="not run", sentence=said, numbers=numbers)


def answer_line(one: Answered) -> str:
    """An answer with its score, or why it has none."""
    score = "no score" if one.score is None else f"{one.score:.2f}"
    where = f"{one.question}, " if one.question else ""
    return f"{where}seed {one.seed}: {score}. {one.text or one.trouble}"


def path_lines(path: Path) -> Iterator[str]:
    """The answers of a path, then what each judge said of each step."""
    where = f"{path.question}, " if path.question else ""
    for kept, one in zip(path.kept, path.answers, strict=True):
        score = "no score" if one.score is None else f"{one.score:.2f}"
        of = f"{len(kept)} of {len(path.kept[0])}"
        yield f"{where}seed {path.seed}, {of}: {score}. {one.text or one.trouble}"
    for told in path.verdicts:
        said = {True: "worse with less", False: "not worse with less", None: "unreadable"}
        yield f"{where}seed {path.seed}, step {told.level}, {told.judge}: {said[told.worse]}. " + (
            told.why
        )

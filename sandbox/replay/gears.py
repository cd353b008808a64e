"""Three gears: how much of the gold a character is handed when a test case is answered.

`gold` shows what a good reply builds on, `distractors` hides it among entries that do not help, and
`pipeline` leaves it to recall. What differs between two gears of one stop is the memory alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal, get_args

from sandbox.formats.madial_runs import BOTTOM
from sandbox.formats.madial_settings import Negatives as Negatives
from sandbox.formats.madial_settings import setting_1, setting_2, setting_3
from sandbox.inputs import BadInput
from sandbox.instances import Instance
from sandbox.replay.protocols import Prompts, is_madial

Gear = Literal["gold", "distractors", "pipeline"]
Forcing = Literal["teacher", "free"]
"""Whose replies the later stops see: those of the file, or those that the model wrote."""
Kind = Literal["roles", "ranked", "supports", "sessions"]
"""What a file tells of gold: roles, a ranked golden list, supports, or sessions as supports."""
GEARS: tuple[Gear, ...] = get_args(Gear)
NEGATIVES: tuple[Negatives, ...] = get_args(Negatives)
FORCINGS: tuple[Forcing, ...] = get_args(Forcing)
DECOYS = "decoys"
"""The name under which an instance's rankings hold what a file gives as decoys."""
BESIDE = 4
"""What is added to the evidence, unless told otherwise: as many as MADial-Bench adds, and in
UtilMem the middle of the steep part (2 to 8 sessions)."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a gear leaves open."""

    negatives: Negatives = "hardest"
    """The negatives that recall ranks highest, as in MADial-Bench's Chinese files, or lowest, as in
    its English ones."""
    run: str | None = None
    """Name of the released ranking to show the top of; null: own recall."""
    k: int = BESIDE
    """How many sessions, or entries of a file without decoys, are added to the evidence."""
    seed: int | None = None
    """Seed of the order and of what is drawn; null: the instance's own."""
    prompts: Prompts = "file"
    """Whose prompts ask for the reply."""


@dataclass(frozen=True, slots=True)
class Told:
    """A gear in words."""

    sentence: str
    section: str


_STRATMEM, _MADIAL = "StratMem-Bench, task definition", "MADial-Bench, task 2"
TOLD: Mapping[Kind, Mapping[Gear, Told]] = {
    "roles": {
        "gold": Told("Shows the must and the nice entries alone.", _STRATMEM),
        "distractors": Told("Shows the whole pool, irr entries among it.", _STRATMEM),
        "pipeline": Told("The strategy looks into the bank by itself.", f"{_STRATMEM} (ours)"),
    },
    "ranked": {
        "gold": Told("Shows the first golden memory alone.", f"{_MADIAL}, setting 1"),
        "distractors": Told(
            "Shows the first golden memory and four negatives, shuffled.", f"{_MADIAL}, setting 2"
        ),
        "pipeline": Told(
            "Shows the top five of a released run, or what own recall finds.",
            f"{_MADIAL}, setting 3",
        ),
    },
    "supports": {
        "gold": Told("Shows the supports alone.", "DyadMem, Gold-Memory QA"),
        "distractors": Told(
            "Shows the supports among the file's decoys, or where it names none among k others "
            "drawn by the seed; shuffled.",
            "DyadMem, QA (ours)",
        ),
        "pipeline": Told("The strategy looks into the bank by itself.", "DyadMem, Full-Pipeline"),
    },
    "sessions": {
        "gold": Told("Shows the evidence sessions E alone.", "UtilMem, oracle"),
        "distractors": Told("Shows E and k other sessions, shuffled.", "UtilMem, noise study"),
        "pipeline": Told("The strategy looks into the bank by itself.", "UtilMem, retrieval"),
    },
}
"""What each gear shows, and where that is defined."""


def kind_of(instance: Instance) -> Kind:
    """What the file tells of this instance's gold."""
    if instance.roles:
        return "roles"
    if is_madial(instance):
        return "ranked"
    whole = (one.provenance.session == one.key for one in instance.pool)
    return "sessions" if instance.pool and all(whole) else "supports"


def shown(
    instance: Instance,
    gear: Gear,
    *,
    negatives: Negatives = "hardest",
    run: str | None = None,
    k: int = BESIDE,
    seed: int | None = None,
) -> tuple[str, ...] | None:
    """Keys of the entries that the model is given, in order; None: own recall.

    The order is shuffled by `seed`, the instance's own for None, but for a run's, which is its
    ranking.

    Raises:
        BadInput: if the file does not tell what the gear needs.
    """
    if gear == "pipeline":
        return None if run is None else _top(instance, run)
    kind = kind_of(instance)
    if kind != "roles" and not instance.golden:
        raise BadInput("This file names no gold memories: choose the gear pipeline.")
    drawn = instance.seed if seed is None else seed
    if gear == "gold":
        keys = setting_1(instance) if kind == "ranked" else gold_keys(instance)
    elif kind == "ranked":
        keys = _with_negatives(instance, negatives, run)
    elif kind == "roles":
        keys = tuple(one.key for one in instance.pool)
    else:
        keys = (*instance.golden, *_beside(instance, kind, k, drawn))
    return _shuffled(instance, keys, drawn)


def shown_with(instance: Instance, gear: Gear, options: Options) -> tuple[str, ...] | None:
    """As `shown`, with the options of a replay."""
    return shown(
        instance,
        gear,
        negatives=options.negatives,
        run=options.run,
        k=options.k,
        seed=options.seed,
    )


def takes_k(instance: Instance) -> bool:
    """Whether the gear `distractors` adds `k` of something to the evidence."""
    kind = kind_of(instance)
    return kind == "sessions" or (kind == "supports" and not instance.rankings.get(DECOYS))


def gold_keys(instance: Instance) -> tuple[str, ...]:
    """Keys of what a good reply builds on: the golden entries as ranked, else must, then nice."""
    if instance.golden:
        return instance.golden
    return tuple(one.key for role in ("must", "nice") for one in instance.having(role))


def runs(instance: Instance) -> tuple[str, ...]:
    """Names of the released rankings whose top can be shown."""
    return tuple(name for name in instance.rankings if name != DECOYS and not name.endswith(BOTTOM))


def _shuffled(instance: Instance, keys: Sequence[str], seed: int) -> tuple[str, ...]:
    """The keys as the whole pool would be listed with this seed: their order betrays nothing."""
    order = list(instance.pool)
    Random(seed).shuffle(order)
    return tuple(one.key for one in order if one.key in set(keys))


def _top(instance: Instance, run: str) -> tuple[str, ...]:
    if run not in runs(instance):
        known = ", ".join(runs(instance)) or "none"
        raise BadInput(f"This file has no run {run!r}; its runs: {known}.")
    return setting_3(instance, run)


def _with_negatives(instance: Instance, negatives: Negatives, run: str | None) -> tuple[str, ...]:
    """The first golden memory and the four that a ranking has at its top, or at its bottom."""
    end = BOTTOM if negatives == "easiest" else ""
    names = [name for name in runs(instance) if f"{name}{end}" in instance.rankings]
    names += [name.removesuffix(BOTTOM) for name in instance.rankings if end and name.endswith(end)]
    if not names or (run is not None and run not in names):
        where = "bottom" if end else "top"
        raise BadInput(
            f"The {negatives} negatives come from the {where} of a released ranking, and this file "
            f"has {'none' if run is None else f'no such one called {run!r}'}: import the ranking "
            "with it, or choose other negatives or another gear."
        )
    # The released settings were made with OpenAI's embeddings.
    usual = next((one for one in names if "openai" in one.lower()), names[0])
    try:
        return setting_2(instance, run or usual, negatives)
    except ValueError as error:
        raise BadInput(f"{error}: choose another gear.") from error


def _beside(instance: Instance, kind: Kind, k: int, seed: int) -> list[str]:
    """What looks as if it mattered: the file's decoys, or of what else there is `k` drawn.

    Of sessions `k` at most also where the file names decoys: the noise study adds them by number.
    """
    decoys = [key for key in instance.rankings.get(DECOYS, ()) if key not in instance.golden]
    if kind == "supports" and decoys:
        return decoys
    if k < 0:
        raise BadInput(f"k must be at least 0, got {k}.")
    held = decoys or [one.key for one in instance.pool if one.key not in instance.golden]
    if k > len(held):
        what = "sessions" if kind == "sessions" else "entries"
        raise BadInput(f"k is {k}, and there are {len(held)} {what} to add: choose fewer.")
    return Random(seed).sample(held, k)

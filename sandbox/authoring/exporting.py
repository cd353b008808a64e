"""What a collection that was made here is in numbers, and pools with at most two nice entries."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from sandbox.authoring.authored import Version
from sandbox.authoring.licences import notice
from sandbox.collected import Collection
from sandbox.instances import Instance

MOST_NICE = 2
_WORD = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]|[^\W_]+(?:['’-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Size:
    """How large a collection's pools are, and how long their entries."""

    entries: int
    pool: float | None
    """Mean number of entries a pool; null for no pool."""
    words: float | None
    """Mean number of words an entry; a Chinese or Japanese character counts as one."""


def word_count(text: str) -> int:
    """Words of a text; a Chinese or Japanese character counts as one."""
    return len(_WORD.findall(text))


def size_of(collection: Collection) -> Size:
    """Sizes over all instances."""
    texts = [entry.text for one in collection.instances for entry in one.pool]
    pools = len(collection.instances)
    return Size(
        entries=len(texts),
        pool=len(texts) / pools if pools else None,
        words=sum(map(word_count, texts)) / len(texts) if texts else None,
    )


def capped(collection: Collection, seed: int) -> Collection:
    """The collection with at most two nice entries a pool, the same for the same seed.

    StratMem-Bench cuts once, by a fixed seed, for every model; keep the full pools beside it.
    """
    draw = Random(seed)
    return replace(collection, instances=tuple(_capped(one, draw) for one in collection.instances))


def _capped(one: Instance, draw: Random) -> Instance:
    nice = [key for key, role in one.roles.items() if role == "nice"]
    if len(nice) <= MOST_NICE:
        return one
    gone = set(nice) - set(draw.sample(nice, MOST_NICE))
    pool = tuple(
        replace(entry, status="live", replaced_by=None) if entry.replaced_by in gone else entry
        for entry in one.pool
        if entry.key not in gone
    )
    return replace(
        one,
        pool=pool,
        roles={key: role for key, role in one.roles.items() if key not in gone},
        reasons={key: why for key, why in one.reasons.items() if key not in gone},
        golden=tuple(key for key in one.golden if key not in gone),
    )


def about(
    collection: Collection,
    made_of: Sequence[Version],
    left_out: Sequence[str] = (),
    seed: int | None = None,
) -> str:
    """A few sentences for whoever gets the file: figures, stages, licenses, what is missing."""
    told, size = collection.figures(), size_of(collection)
    scenarios = ", ".join(f"{count} {name}" for name, count in told.scenarios.items() if count)
    stages = Counter(one.stage for one in made_of)
    lines = [
        f"{told.read} instances ({scenarios or 'none'}), {len(collection.episodes)} episodes.",
        f"Stages: {', '.join(f'{count} {stage}' for stage, count in sorted(stages.items()))}.",
    ]
    if size.pool is not None and size.words is not None:
        lines.append(
            f"Pools of {size.pool:.2f} entries and entries of {size.words:.2f} words on average."
        )
    if seed is not None:
        lines.append(f"Capped pools hold at most {MOST_NICE} nice entries, drawn with seed {seed}.")
    licences = [one.authored.licence for one in made_of]
    lines += [notice(licences), *left_out]
    return "\n".join(line for line in lines if line)

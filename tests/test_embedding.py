"""Embedders: unit vectors of one length, or one clear sentence."""

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_banks.embedding import (
    Embedder,
    EmbedderFailed,
    EmbedderMissing,
    HashedWords,
    Vectors,
    embed_checked,
    load_sentence_transformer,
    packaged_minilm,
)


class Giving:
    """An embedder that gives what it was made with."""

    id = "giving"
    dimension = 2

    def __init__(self, *rows: Sequence[float]) -> None:
        self._rows = rows

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.asarray(self._rows, dtype=np.float32)


@given(st.lists(st.text()))
def test_hashed_words_give_one_unit_vector_a_text(texts: list[str]) -> None:
    vectors = HashedWords(16).embed(texts)
    assert vectors.shape == (len(texts), 16)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_hashed_words_count_words_without_case_or_order() -> None:
    one, two, three = HashedWords().embed(["Tea, tea and milk", "milk AND tea tea", "tea and milk"])
    assert np.array_equal(one, two)
    # Counts (2, 1, 1) and (1, 1, 1): cosine 4 / (sqrt(6) * sqrt(3)).
    assert float(one @ three) == pytest.approx(4 / 18**0.5, abs=1e-6)


def test_a_text_without_words_is_the_first_unit_vector() -> None:
    assert HashedWords(3).embed(["", " ... "]).tolist() == [[1, 0, 0], [1, 0, 0]]


def test_hashed_words_of_no_place_are_refused() -> None:
    with pytest.raises(ValueError, match="dimension must be at least 1, got 0"):
        HashedWords(0)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([(1.0, 0.0)], r"gave vectors of shape \(1, 2\) where \(2, 2\) was due"),
        ([(1.0, 0.0, 0.0)] * 2, r"gave vectors of shape \(2, 3\)"),
        ([(1.0, 0.0), (float("nan"), 0.0)], "a vector that is not made of numbers"),
        ([(1.0, 0.0), (float("inf"), 0.0)], "a vector that is not made of numbers"),
        ([(1.0, 0.0), (0.5, 0.0)], "a vector of length 0.500, not 1"),
    ],
)
def test_what_is_no_unit_vector_is_refused(rows: list[tuple[float, ...]], sentence: str) -> None:
    with pytest.raises(EmbedderFailed, match=sentence):
        embed_checked(Giving(*rows), ["a", "b"])


def test_unit_vectors_pass() -> None:
    assert embed_checked(Giving((0.6, 0.8)), ["a"]).tolist() == [
        [pytest.approx(0.6), pytest.approx(0.8)]
    ]


@pytest.fixture(scope="module")
def minilm() -> Embedder:
    try:
        return load_sentence_transformer()
    except EmbedderMissing as error:
        pytest.skip(str(error))


@pytest.mark.embedder
def test_the_packaged_model_is_named_after_its_weights(minilm: Embedder) -> None:
    assert re.fullmatch(r"all-MiniLM-L6-v2@[0-9a-f]{12}", minilm.id)
    assert minilm.dimension == 384
    assert load_sentence_transformer(str(packaged_minilm())).id == minilm.id


@pytest.mark.embedder
def test_the_packaged_model_puts_like_near_like(minilm: Embedder) -> None:
    tea, drink, car = embed_checked(minilm, ["I love tea", "My favourite drink is tea", "Red car"])
    assert tea @ drink > tea @ car
    assert minilm.embed([]).shape == (0, 384)


@pytest.mark.embedder
def test_the_model_answers_many_threads_as_it_answers_one(minilm: Embedder) -> None:
    texts = [f"sentence number {i} about {'tea' if i % 2 else 'rain'}" for i in range(16)]
    alone = [minilm.embed([text])[0] for text in texts]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda text: minilm.embed([text])[0], texts))
    assert np.allclose(alone, together, atol=1e-5)


@pytest.mark.embedder
@pytest.mark.parametrize("name", ["no-such/model", "empty"])
def test_an_embedder_that_is_not_there_is_one_sentence(name: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    named = str(tmp_path / name) if name == "empty" else name
    with pytest.raises(EmbedderMissing, match="The embedder .* could not be loaded"):
        load_sentence_transformer(named)

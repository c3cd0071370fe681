"""How alike requests are in words: TF-IDF over words and their trigrams, with numpy alone."""

from __future__ import annotations

import re
import zlib
from typing import Iterator, Sequence

import numpy as np

_BINS = 1 << 16
_WORD = re.compile(r"[^\W_]+")


def alike_in_words(text: str, others: Sequence[str]) -> Sequence[float]:
    """Return the cosine similarity of texts by their words and trigrams, weighted by rarity.

    Trigrams match words in spite of typing errors and endings.

    Args:
        text: the text to compare.
        others: the candidates.

    Returns:
        One value for each candidate: 1 for the same, 0 for nothing in common.
    """
    if not others:
        return []
    features = [list(_features(each)) for each in (text, *others)]
    rows = np.repeat(np.arange(len(features)), [len(each) for each in features])
    bins = np.array([bin_ for each in features for bin_ in each], dtype=np.int64)
    if not bins.size:
        return [0.0] * len(others)
    pairs, counts = np.unique(rows * _BINS + bins, return_counts=True)
    rows, bins = pairs // _BINS, pairs % _BINS
    documents = np.bincount(bins, minlength=_BINS)
    weights = (1.0 + np.log(counts)) * (1.0 + np.log((1.0 + len(features)) / (1.0 + documents[bins])))
    lengths = np.sqrt(np.bincount(rows, weights ** 2, minlength=len(features)))
    own = np.zeros(_BINS)
    own[bins[rows == 0]] = weights[rows == 0]
    products = np.bincount(rows, weights * own[bins], minlength=len(features))[1:]
    scale = lengths[0] * lengths[1:]
    return np.divide(products, scale, out=np.zeros_like(products), where=scale > 0.0).tolist()


def _features(text: str) -> Iterator[int]:
    """Yield the bins of a text's words, twice as heavy as its trigrams."""
    for word in _WORD.findall(text.lower()):
        bin_ = zlib.crc32(word.encode("utf-8", "replace")) % _BINS
        yield bin_
        yield bin_
        padded = f"<{word}>"
        for at in range(len(padded) - 2):
            yield zlib.crc32(padded[at:at + 3].encode("utf-8", "replace")) % _BINS

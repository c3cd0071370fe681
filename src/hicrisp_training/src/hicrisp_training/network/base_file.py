"""The base model's file: its weights, its shape, its vocabulary and its hash."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any, Dict, List, Tuple

import numpy as np
import torch
from gguf import GGUFReader
from gguf.quants import dequantize

from hicrisp_training.network.llama import Shape


class BaseFile:
    """A GGUF file of a Llama with tied embeddings and a byte-level vocabulary.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._reader = GGUFReader(str(path))

    def _value(self, key: str) -> Any:
        return self._reader.fields[key].contents()

    @property
    def shape(self) -> Shape:
        """The numbers that the network is built from."""
        return Shape(
            blocks=self._value("llama.block_count"),
            width=self._value("llama.embedding_length"),
            heads=self._value("llama.attention.head_count"),
            kv_heads=self._value("llama.attention.head_count_kv"),
            epsilon=self._value("llama.attention.layer_norm_rms_epsilon"),
            rope_base=self._value("llama.rope.freq_base"),
        )

    @property
    def name(self) -> str:
        """What the file calls itself."""
        return str(self._value("general.name"))

    @property
    def vocabulary(self) -> Tuple[List[str], List[str], List[int]]:
        """The tokens, the merges, and the kind of each token; kind 3 is a control token."""
        return (
            self._value("tokenizer.ggml.tokens"),
            self._value("tokenizer.ggml.merges"),
            self._value("tokenizer.ggml.token_type"),
        )

    @property
    def end_token(self) -> int:
        """The token that ends an answer."""
        return int(self._value("tokenizer.ggml.eos_token_id"))

    def weights(self, number: torch.dtype) -> Dict[str, torch.Tensor]:
        """All weights, as the server rounds them, in the given number format."""
        return {
            tensor.name: torch.from_numpy(np.array(dequantize(tensor.data, tensor.tensor_type))).to(number)
            for tensor in self._reader.tensors
        }

    @property
    def sha256(self) -> str:
        """The file's hash, by which an adapter knows its base."""
        return sha256_of(self.path)


@lru_cache(maxsize=4)
def sha256_of(path: Path) -> str:
    """The hash of a file, in hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        for part in iter(lambda: file.read(1 << 20), b""):
            digest.update(part)
    return digest.hexdigest()

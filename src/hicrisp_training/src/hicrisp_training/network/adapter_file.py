"""The adapter's file: low-rank factors as GGUF, with the hash of the base that they belong to."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, Mapping, Tuple

import numpy as np
import torch
from gguf import GGUFReader, GGUFWriter
from hicrisp_core.llm.embedded_files import BASE_KEY
from torch import Tensor

from hicrisp_training.network.base_file import BaseFile
from hicrisp_training.network.llama import Factors, Rank


def read_adapter(file: Path) -> Dict[str, Tuple[Tensor, Tensor]]:
    """The factors of an adapter's file, by the name of the matrix that they change."""
    tensors = {each.name: torch.from_numpy(np.array(each.data)).float()
               for each in GGUFReader(str(file)).tensors}
    names = sorted({name.rsplit(".lora_", 1)[0] for name in tensors})
    return {name: (tensors[f"{name}.lora_a"], tensors[f"{name}.lora_b"]) for name in names}


def write_adapter(file: Path, factors: Factors, size: Rank, base: BaseFile, about: Mapping[str, str]) -> None:
    """Write an adapter whole or not at all.

    Args:
        about: further entries of its head, by key.
    """
    fresh = file.with_suffix(".new")
    writer = GGUFWriter(str(fresh), "llama")
    writer.add_type("adapter")
    entries: Dict[str, str] = {
        "adapter.type": "lora",
        BASE_KEY: base.sha256,
        "general.base_model.0.name": base.name,
        "general.license": "apache-2.0",
        **about,
    }
    for key, value in entries.items():
        writer.add_string(key, value)
    writer.add_float32("adapter.lora.alpha", size.alpha)
    for name, (down, up) in factors.items():
        writer.add_tensor(f"{name}.lora_a", down.float().numpy().astype(np.float16))
        writer.add_tensor(f"{name}.lora_b", np.ascontiguousarray(up.float().numpy().astype(np.float16)))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    fresh.replace(file)

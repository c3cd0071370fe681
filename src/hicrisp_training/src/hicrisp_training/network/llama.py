"""A small Llama whose weights are frozen and whose linear layers carry low-rank adapters.

The layout is that of GGUF files: queries and keys are interleaved for the rotation, so that an adapter trained here fits
the file that it was read from without reordering.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Mapping, Optional, Tuple

import torch
from torch import Tensor, nn
from torch.nn import functional

Weights = Mapping[str, Tensor]
LINEAR = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
"""The layers of a block that an adapter changes."""


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


class AdaptedLinear(nn.Module):
    """A frozen matrix and the low-rank change that is learnt: ``x W' + scale (x A') B'``."""

    weight: Tensor

    def __init__(self, weight: Tensor, size: Rank) -> None:
        super().__init__()
        self.register_buffer("weight", weight)
        self.scale = size.scale
        self.down = nn.Parameter(torch.empty(size.rank, weight.shape[1]))
        self.up = nn.Parameter(torch.zeros(weight.shape[0], size.rank))
        nn.init.kaiming_uniform_(self.down, a=5 ** 0.5)

    def forward(self, x: Tensor) -> Tensor:
        low = functional.linear(x, self.down.to(x.dtype))
        return functional.linear(x, self.weight) + functional.linear(low, (self.scale * self.up).to(x.dtype))


class Block(nn.Module):
    """Attention and feed-forward, each behind its norm."""

    attn_norm: Tensor
    ffn_norm: Tensor

    def __init__(self, weights: Weights, index: int, shape: Shape, size: Rank) -> None:
        super().__init__()
        self._shape = shape
        for name in LINEAR:
            self.add_module(name, AdaptedLinear(weights[f"blk.{index}.{name}.weight"], size))
        for name in ("attn_norm", "ffn_norm"):
            self.register_buffer(name, weights[f"blk.{index}.{name}.weight"])

    def forward(self, x: Tensor, rotation: Tuple[Tensor, Tensor], mask: Optional[Tensor]) -> Tensor:
        x = x + self._attention(self._norm(x, self.attn_norm), rotation, mask)
        normed = self._norm(x, self.ffn_norm)
        return x + self.ffn_down(functional.silu(self.ffn_gate(normed)) * self.ffn_up(normed))

    def _norm(self, x: Tensor, weight: Tensor) -> Tensor:
        return functional.rms_norm(x, (self._shape.width,), weight, self._shape.epsilon)

    def _attention(self, x: Tensor, rotation: Tuple[Tensor, Tensor], mask: Optional[Tensor]) -> Tensor:
        shape, (batch, length, _) = self._shape, x.shape
        groups = shape.heads // shape.kv_heads

        def heads(each: Tensor, count: int) -> Tensor:
            return each.view(batch, length, count, shape.head_width).transpose(1, 2)

        query = _rotate(heads(self.attn_q(x), shape.heads), *rotation)
        key = _rotate(heads(self.attn_k(x), shape.kv_heads), *rotation).repeat_interleave(groups, 1)
        value = heads(self.attn_v(x), shape.kv_heads).repeat_interleave(groups, 1)
        seen = functional.scaled_dot_product_attention(query, key, value, mask, is_causal=mask is None)
        return self.attn_output(seen.transpose(1, 2).reshape(batch, length, shape.width))


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

    def forward(self, tokens: Tensor, positions: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        """What the last norm leaves, for ``logits``.

        Args:
            tokens: batch x length.
            positions: batch x length; packed samples begin again where their common beginning ends.
            mask: batch x 1 x length x length, true where a row may look; causal where there is none.
        """
        rotation = self._rotation(positions)
        x = functional.embedding(tokens, self.embedding)
        for block in self.blocks:
            x = block(x, rotation, mask)
        return functional.rms_norm(x, (self.shape.width,), self.norm, self.shape.epsilon)

    def logits(self, hidden: Tensor) -> Tensor:
        """The scores of all tokens after the given places."""
        return functional.linear(hidden, self.embedding)

    def adapter(self) -> Dict[str, Tuple[Tensor, Tensor]]:
        """By the name of the matrix that they change: the two factors, ``rank x in`` and ``out x rank``."""
        return {f"blk.{index}.{name}.weight": (layer.down, layer.up)
                for index, block in enumerate(self.blocks) for name in LINEAR for layer in [getattr(block, name)]}

    def learnt(self) -> List[nn.Parameter]:
        """What training changes."""
        return [each for each in self.parameters() if each.requires_grad]

    def _rotation(self, positions: Tensor) -> Tuple[Tensor, Tensor]:
        half = torch.arange(0, self.shape.head_width, 2, dtype=torch.float32) / self.shape.head_width
        angles = positions[:, None, :, None].float() * self.shape.rope_base ** -half
        return angles.cos().to(self.embedding.dtype), angles.sin().to(self.embedding.dtype)


def _rotate(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cosine - odd * sine, even * sine + odd * cosine), dim=-1).flatten(-2)

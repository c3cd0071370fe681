"""The pieces of the network with gradients written by hand: on a CPU passes over memory cost the most."""

from __future__ import annotations

from typing import Any, Tuple

import torch
from torch import Tensor
from torch.autograd import Function
from torch.nn import functional


class AdaptedProduct(Function):
    """``x W' + (x A') B'`` for a frozen W; W is ``out x in``, A ``rank x in``, B ``out x rank``."""

    @staticmethod
    def forward(context: Any, x: Tensor, weight: Tensor, down: Tensor, up: Tensor) -> Tensor:
        low = x @ down.T
        context.save_for_backward(x, weight, down, up, low)
        return (x @ weight.T).addmm_(low, up.T)

    @staticmethod
    def backward(context: Any, grad: Tensor) -> Tuple[Tensor, None, Tensor, Tensor]:
        x, weight, down, up, low = context.saved_tensors
        grad_low = grad @ up
        return (grad @ weight).addmm_(grad_low, down), None, grad_low.T @ x, grad.T @ low


class Norm(Function):
    """Division by the root of the mean square of each row, times a frozen weight."""

    @staticmethod
    def forward(context: Any, x: Tensor, weight: Tensor, epsilon: float) -> Tensor:
        length = torch.linalg.vector_norm(x, dim=-1, keepdim=True, dtype=torch.float32)
        inverse = (length.square() / x.shape[-1] + epsilon).rsqrt_()
        context.save_for_backward(x, weight, inverse)
        return (x * inverse.to(x.dtype)).mul_(weight)

    @staticmethod
    def backward(context: Any, grad: Tensor) -> Tuple[Tensor, None, None]:
        x, weight, inverse = context.saved_tensors
        grad = grad * weight
        along = (grad * x).sum(-1, keepdim=True, dtype=torch.float32)
        factor = (along * inverse.pow(3) / -x.shape[-1]).to(x.dtype)
        return grad.mul_(inverse.to(x.dtype)).addcmul_(x, factor), None, None


class GatedUnit(Function):
    """``silu(gate) * up`` of the two halves of each row."""

    @staticmethod
    def forward(context: Any, both: Tensor) -> Tensor:
        context.save_for_backward(both)
        gate, up = both.chunk(2, dim=-1)
        return functional.silu(gate).mul_(up)

    @staticmethod
    def backward(context: Any, grad: Tensor) -> Tensor:
        (both,) = context.saved_tensors
        gate, up = both.chunk(2, dim=-1)
        result = torch.empty_like(both)
        grad_gate, grad_up = result.chunk(2, dim=-1)
        torch.mul(grad, functional.silu(gate), out=grad_up)
        grad_gate.copy_(torch.ops.aten.silu_backward(grad * up, gate))
        return result


class Attention(Function):
    """Softmax of the scaled products of queries and keys, where the mask lets them look, times the values.

    Queries are heads x rows x width, keys and values heads x columns x width; the added mask rows x columns.
    """

    @staticmethod
    def forward(context: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        scale = query.shape[-1] ** -0.5
        chances = torch.baddbmm(mask, query, key.transpose(1, 2), alpha=scale).softmax(-1)
        context.save_for_backward(query, key, value, chances)
        return torch.bmm(chances, value)

    @staticmethod
    def backward(context: Any, grad: Tensor) -> Tuple[Tensor, Tensor, Tensor, None]:
        query, key, value, chances = context.saved_tensors
        scale = query.shape[-1] ** -0.5
        grad_value = torch.bmm(chances.transpose(1, 2), grad)
        grad_scores = torch.ops.aten._softmax_backward_data(
            torch.bmm(grad, value.transpose(1, 2)), chances, -1, chances.dtype
        )
        return (
            torch.bmm(grad_scores, key).mul_(scale),
            torch.bmm(grad_scores.transpose(1, 2), query).mul_(scale),
            grad_value,
            None,
        )


class Rotation(Function):
    """Turns pairs of numbers by their position's angle; a pair is one number of each half of a head.

    ``x`` is tokens x heads x head width; cosine and sine are tokens x 1 x half a head.
    """

    @staticmethod
    def forward(context: Any, x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
        context.save_for_backward(cosine, sine)
        return _turned(x, cosine, sine)

    @staticmethod
    def backward(context: Any, grad: Tensor) -> Tuple[Tensor, None, None]:
        cosine, sine = context.saved_tensors
        return _turned(grad, cosine, -sine), None, None


def _turned(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    result = torch.empty(x.shape, dtype=x.dtype)
    one, two = x.chunk(2, dim=-1)
    first, second = result.chunk(2, dim=-1)
    torch.mul(one, cosine, out=first)
    first.addcmul_(two, sine, value=-1)
    torch.mul(two, cosine, out=second)
    second.addcmul_(one, sine)
    return result

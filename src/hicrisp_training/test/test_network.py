"""The network beside PyTorch's own layers, its packs beside single rows, and the adapter's file."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("gguf")
pytest.importorskip("tokenizers")

from hicrisp_core.llm.gguf_header import read_header  # noqa: E402
from hicrisp_training.network.layers import Attention, GatedUnit, Norm, Rotation  # noqa: E402
from hicrisp_training.network.llama import Llama, Rank, Shape  # noqa: E402
from torch.nn import functional  # noqa: E402

SHAPE = Shape(blocks=2, width=24, heads=3, kv_heads=1, epsilon=1e-5, rope_base=10000.0)


def network(seed: int = 0) -> Llama:
    torch.manual_seed(seed)
    sizes = {
        "attn_q": (24, 24),
        "attn_k": (8, 24),
        "attn_v": (8, 24),
        "attn_output": (24, 24),
        "ffn_gate": (40, 24),
        "ffn_up": (40, 24),
        "ffn_down": (24, 40),
    }
    weights = {
        f"blk.{index}.{name}.weight": 0.2 * torch.randn(size)
        for index in range(2)
        for name, size in sizes.items()
    }
    weights.update(
        {
            f"blk.{index}.{name}.weight": torch.rand(24) + 0.5
            for index in range(2)
            for name in ("attn_norm", "ffn_norm")
        }
    )
    made = Llama(
        {**weights, "token_embd.weight": torch.randn(50, 24), "output_norm.weight": torch.ones(24)},
        SHAPE,
        Rank(4, 8.0),
    )
    for name, each in made.named_parameters():
        if name.endswith("up"):
            torch.nn.init.normal_(each, 0.0, 0.1)
    made.refresh()
    return made


def same_gradients(mine: object, reference: object, *shapes: tuple) -> None:
    inputs = [torch.randn(shape, dtype=torch.float32, requires_grad=True) for shape in shapes]
    outcomes = []
    for function in (mine, reference):
        out = function(*inputs)  # type: ignore[operator]
        torch.manual_seed(3)
        outcomes.append((out, torch.autograd.grad(out, inputs, torch.randn(out.shape))))
    assert torch.allclose(outcomes[0][0], outcomes[1][0], atol=1e-5)
    for one, other in zip(outcomes[0][1], outcomes[1][1]):
        assert torch.allclose(one, other, atol=1e-4)


def test_gradients_written_by_hand_are_those_of_the_formulas() -> None:
    weight, angle = torch.rand(8) + 0.5, torch.randn(5, 1, 4)
    mask = torch.zeros(1, 6, 5).masked_fill(torch.rand(1, 6, 5) < 0.3, -1e9)
    same_gradients(
        lambda x: Norm.apply(x, weight, 1e-5), lambda x: functional.rms_norm(x, (8,), weight, 1e-5), (5, 8)
    )
    same_gradients(GatedUnit.apply, lambda x: functional.silu(x[:, :4]) * x[:, 4:], (5, 8))
    same_gradients(
        lambda x: Rotation.apply(x, angle.cos(), angle.sin()),
        lambda x: torch.cat(
            (
                x[..., :4] * angle.cos() - x[..., 4:] * angle.sin(),
                x[..., 4:] * angle.cos() + x[..., :4] * angle.sin(),
            ),
            -1,
        ),
        (5, 2, 8),
    )
    same_gradients(
        lambda q, k, v: Attention.apply(q, k, v, mask),
        lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, mask),
        (2, 6, 4),
        (2, 5, 4),
        (2, 5, 4),
    )


def test_requests_that_share_a_scene_read_what_they_would_alone() -> None:
    model, scene, requests = network(), [1, 2, 3, 4], [[5, 6, 7], [8, 9]]
    row = [*scene, *requests[0], *requests[1]]
    positions = torch.tensor([0, 1, 2, 3, 4, 5, 6, 4, 5])
    owner = torch.tensor([0] * 4 + [1] * 3 + [2] * 2)
    mask = ((owner[:, None] == owner[None]) | (owner[None] == 0)).tril()
    together = model(torch.tensor(row), positions, [mask])
    for begin, request in ((4, requests[0]), (7, requests[1])):
        alone = [*scene, *request]
        hidden = model(
            torch.tensor(alone),
            torch.arange(len(alone)),
            [torch.ones(len(alone), len(alone), dtype=torch.bool).tril()],
        )
        assert torch.allclose(hidden[4:], together[begin : begin + len(request)], atol=1e-4)


def test_the_adapter_of_the_file_changes_the_matrices_as_the_network_does(tmp_path: Path) -> None:
    model = network()
    factors = model.adapter()
    assert set(factors) == {
        f"blk.{index}.{name}.weight"
        for index in range(2)
        for name in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
    }
    x = torch.randn(3, 24)
    layer = model.blocks[0].layers["ffn_down"]
    down, up = factors["blk.0.ffn_down.weight"]
    y = torch.randn(3, 40)
    assert torch.allclose(layer(y), y @ layer.weight.T + model.size.scale * (y @ down.T) @ up.T, atol=1e-4)
    gate, raised = factors["blk.0.ffn_gate.weight"][1], factors["blk.0.ffn_up.weight"][1]
    both = model.blocks[0].layers["ffn_gate+ffn_up"]
    low = x @ factors["blk.0.ffn_gate.weight"][0].T
    assert torch.allclose(
        both(x) - x @ both.weight.T,
        model.size.scale * torch.cat((low @ gate.T, low @ raised.T), 1),
        atol=1e-4,
    )


def test_an_adapter_file_names_its_base(tmp_path: Path) -> None:
    from hicrisp_training.network.adapter_file import write_adapter

    class Base:
        sha256, name = "ab" * 32, "tiny"

    model = network()
    write_adapter(tmp_path / "a.gguf", model.adapter(), model.size, Base(), {"hicrisp.recipe": "{}"})  # type: ignore[arg-type]
    head = read_header(tmp_path / "a.gguf")
    assert head["general.type"] == "adapter"
    assert head["hicrisp.base.sha256"] == "ab" * 32
    assert head["adapter.lora.alpha"] == 8.0

"""The adapter's file and its card: low-rank factors as GGUF, and what they were learnt from."""

from __future__ import annotations

import datetime
import hashlib
import json
from pathlib import Path
from typing import Any, Dict, Mapping

import numpy as np
from hicrisp_core.llm.embedded_files import BASE_KEY, read_header, sha256_of
from hicrisp_core.model.meaning import Speaker, Turn
from hicrisp_core.understanding.embedded import SYSTEM, prompt_text
from hicrisp_core.understanding.written import Amount, parse_line, sayings

from hicrisp_training.rows import DATA, DOMAINS, Row, domain_of
from hicrisp_training.scenes import shown

CHECKPOINT, CARD_KEY = "checkpoint.pt", "hicrisp.card"
_MATRICES = {"q_proj": "attn_q", "k_proj": "attn_k", "v_proj": "attn_v", "o_proj": "attn_output",
             "gate_proj": "ffn_gate", "up_proj": "ffn_up", "down_proj": "ffn_down"}
_HEADS = {"attn_q": "llama.attention.head_count", "attn_k": "llama.attention.head_count_kv"}
"""Matrices whose rows llama.cpp reads in another order, and where their numbers of heads stand."""
_LINES = ("maybe @arm: if not on(a, b) or in(a, c): on(all red box except box 1 + box 2, any cup {not in 2nd leftmost "
          "bowl}) & at(_, start) > reverse tower(exactly 2 box + other it) else swap(a, b) | never holding(_, c)",
          "answer is made(tea, free glass)", "refuse unsafe", "ask place")


def write_adapter(file: Path, factors: Mapping[str, Any], rank: int, base: Path, card: Mapping[str, Any]) -> None:
    """Write an adapter as GGUF, whole or not at all.

    Args:
        file: where to write it.
        factors: low-rank factors by PEFT's names.
        rank: their rank.
        base: file of the base model, whose hash is written down.
        card: figures and settings of the training.
    """
    from gguf import GGUFWriter

    about, fresh = read_header(base), file.with_suffix(".new")
    file.parent.mkdir(parents=True, exist_ok=True)
    writer = GGUFWriter(str(fresh), str(about["general.architecture"]))
    writer.add_type("adapter")
    for key, value in (("adapter.type", "lora"), (BASE_KEY, sha256_of(base)), ("general.license", "apache-2.0"),
                       ("general.base_model.0.name", str(about.get("general.name"))), (CARD_KEY, json.dumps(card))):
        writer.add_string(key, value)
    writer.add_float32("adapter.lora.alpha", 2.0 * rank)
    for name, values in factors.items():
        words = name.split(".")
        block, matrix = words[words.index("layers") + 1], next(_MATRICES[each] for each in words if each in _MATRICES)
        low, weights = ("lora_a" if "lora_A" in words else "lora_b"), np.asarray(values)
        heads = int(about.get(_HEADS.get(matrix, ""), 0))
        if low == "lora_b" and heads:
            # The two halves of each head in turns.
            weights = weights.reshape(heads, 2, len(weights) // heads // 2, -1).swapaxes(1, 2).reshape(weights.shape)
        writer.add_tensor(f"blk.{block}.{matrix}.weight.{low}", np.ascontiguousarray(weights.astype(np.float16)))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    fresh.replace(file)


def export(checkpoint: Path, file: Path) -> Dict[str, Any]:
    """Write the adapter of a checkpoint, and its card beside it.

    Args:
        checkpoint: state of a training.
        file: where to write the adapter.

    Returns:
        The card.
    """
    import torch

    kept = torch.load(checkpoint, weights_only=True)
    base, rank = Path(kept["plan"]["base"]), int(kept["plan"]["rank"])
    card = {"date": datetime.date.today().isoformat(), "base": base.name, "base_sha256": sha256_of(base), "rank": rank,
            "samples": kept["samples"], "minutes": round(kept["seconds"] / 60, 1), "rate": kept["plan"]["rate"],
            "held_out_loss": round(kept["held_out_loss"], 4), "hashes": kept["hashes"]}
    write_adapter(file, {name: each.numpy() for name, each in kept["factors"].items()}, rank, base, card)
    return write_card(file, card)


def write_card(file: Path, card: Mapping[str, Any], **more: Any) -> Dict[str, Any]:
    """Write an adapter's card beside it, with the adapter's hash.

    Args:
        file: the adapter.
        card: figures and settings of the training.
        **more: what was measured.

    Returns:
        The whole card.
    """
    whole = {**card, "adapter_sha256": sha256_of(file), **more}
    file.with_suffix(".json").write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    return whole


def card_of(file: Path) -> Dict[str, Any]:
    """Read the card beside an adapter, or that in its head.

    Args:
        file: the adapter.

    Returns:
        The card; empty if it has none.
    """
    beside, inside = file.with_suffix(".json"), str(read_header(file).get(CARD_KEY, "{}"))
    return dict(json.loads(beside.read_text(encoding="utf-8") if beside.exists() else inside))


def hashes() -> Dict[str, str]:
    """Return what a model depends on: the form of the prompt, the goal language, and the sentences."""
    files = (*sorted((DATA / "sentences").glob("*.jsonl")), DATA / "synonyms.json")
    texts = {"prompt": _prompt_form(), "language": _language(),
             "data": "".join(file.read_text(encoding="utf-8") for file in files)}
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}


def _prompt_form() -> str:
    """Return prompts of a small scene and of a large one, as they are rendered today."""
    row = Row("tabletop", ("put the red cup away",), "ask place")
    turns = (Turn(Speaker.USER, " the\ncup <<<<"), Turn(Speaker.ROBOT, "Which?"), Turn(Speaker.USER, "red " * 150))
    names = [f"{colour} {kind} {each}" for colour in ("red", "blue") for kind in ("cup", "box") for each in range(12)]
    return "\n".join((SYSTEM, prompt_text(shown(names[:9], row), turns), prompt_text(shown(names, row), turns)))


def _language() -> str:
    """Return the words of the goal language, lines of every form, and the predicates of all domains."""
    words = [sayings.SUPERLATIVES, sayings.STATES, sayings.ACTOR, sayings.HERE, sayings.START, sayings.IT,
             sayings.NEAREST, sayings.FARTHEST, sayings.BETWEEN, [each.value for each in Amount], sayings.ORDERS,
             sayings.SWAP, sayings.MADE, sayings.QUERIES, sayings.ASKED, sorted(sayings.REFUSED)]
    predicates = [f"{name} {each} {len(predicate.arguments)}" for name in DOMAINS
                  for each, predicate in sorted(domain_of(name).predicates.items())]
    return "\n".join((*map(str, words), *(str(parse_line(each)) for each in _LINES), *predicates))

"""The command line of training: learn, write the adapter, try it, look at samples."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from pathlib import Path
from typing import List, Optional

from hicrisp_core.errors import HicrispError

_CHECKPOINT = Path("runs/training/goals.pt")
_ADAPTER = Path("config/llm/adapters/goals.gguf")
_TRIAL_SEED = 1000
"""Keeps the scenes of a trial apart from those of learning."""


def main(arguments: Optional[List[str]] = None) -> int:
    """Run one command; 0 when it succeeded."""
    given = _parser().parse_args(arguments)
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S", stream=sys.stderr
    )
    # Read when the libraries are loaded: threads that spin while they wait slow a busy machine down.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        return int(given.run(given))
    except HicrispError as error:
        logging.error("%s", error)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/train_brain", description="Make the embedded model's adapter, or one step of that."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    steps = (
        ("make", _make, "learn, write and try, one after the other"),
        ("learn", _learn, "learn, or go on from the checkpoint"),
        ("write", _write, "write the adapter from the checkpoint"),
        ("try", _try, "try the adapter on the families that were held out"),
        ("show", _show, "print samples"),
    )
    for name, run, said in steps:
        command = commands.add_parser(name, help=said, description=said)
        command.set_defaults(run=run)
        add = command.add_argument
        if name in ("make", "learn"):
            add("--samples", type=int, default=16000, metavar="N", help="requests to learn from (16000)")
            add("--start", type=Path, metavar="FILE", help="an adapter to begin with, without a checkpoint")
            add("--rate", type=float, default=1e-3, metavar="R", help="the highest learning rate (0.001)")
        if name in ("make", "learn", "write"):
            add("--checkpoint", type=Path, default=_CHECKPOINT, metavar="FILE", help=f"({_CHECKPOINT})")
        if name in ("make", "write", "try"):
            add("--adapter", type=Path, default=_ADAPTER, metavar="FILE", help=f"({_ADAPTER})")
        if name in ("make", "try"):
            add("--each", type=int, default=1, metavar="N", help="samples of each family (1)")
            add("--json", type=Path, metavar="FILE", help="where every answer is written")
        if name in ("make", "learn", "try"):
            add("--threads", type=int, default=2, metavar="N", help="that compute (2)")
        if name == "show":
            add("--count", type=int, default=40, metavar="N", help="how many at least (40)")
        add("--seed", type=int, default=1, metavar="N", help="of the samples (1)")
    return parser


def _make(given: argparse.Namespace) -> int:
    return _learn(given) or _write(given) or _try(given)


def _learn(given: argparse.Namespace) -> int:
    import torch

    from hicrisp_training.network.adapter_file import read_adapter
    from hicrisp_training.network.base_file import BaseFile
    from hicrisp_training.network.tokens import Tokens
    from hicrisp_training.training.loop import Schedule, Trainer
    from hicrisp_training.training.recipe import Material, Recipe, base_file_path, fresh_model

    torch.set_num_threads(1)
    recipe = Recipe(seed=given.seed)
    material, base = Material(recipe), BaseFile(base_file_path())
    learnt, kept = material.split()
    logging.info("%d families to learn from, %d held out", len(learnt), len(kept))
    given.checkpoint.parent.mkdir(parents=True, exist_ok=True)
    model = fresh_model(base, recipe)
    if given.start and not given.checkpoint.exists():
        model.take(read_adapter(given.start))
    trainer = Trainer(model, Schedule(given.samples, rate=given.rate), given.checkpoint, given.threads)
    trainer.run(material.packs(Tokens(base), recipe.seed + trainer.seen))
    return 0


def _write(given: argparse.Namespace) -> int:
    from hicrisp_training.network.adapter_file import write_adapter
    from hicrisp_training.network.base_file import BaseFile
    from hicrisp_training.training.loop import load_checkpoint
    from hicrisp_training.training.recipe import Material, Recipe, base_file_path, fresh_model

    recipe, base = Recipe(), BaseFile(base_file_path())
    model = fresh_model(base, recipe)
    seen = load_checkpoint(model, given.checkpoint)
    about = {
        "hicrisp.recipe": json.dumps(
            {"samples": seen, "families": len(Material(recipe).split()[0]), "rank": recipe.rank}
        )
    }
    given.adapter.parent.mkdir(parents=True, exist_ok=True)
    write_adapter(given.adapter, model.adapter(), model.size, base, about)
    logging.info(
        "wrote %s, %.1f MB, after %d samples", given.adapter, given.adapter.stat().st_size / 1e6, seen
    )
    return 0


def _try(given: argparse.Namespace) -> int:
    from hicrisp_core.llm.embedded_files import check_fit

    from hicrisp_training.measuring.trial import bounds, table, tried
    from hicrisp_training.training.recipe import Material, Recipe, base_file_path

    base = base_file_path()
    check_fit(base, given.adapter)
    material = Material(Recipe())
    samples = material.validation(_TRIAL_SEED + given.seed, given.each)
    results = tried(base, given.adapter, samples, material.domains, given.threads)
    for row in table(results):
        sys.stdout.write(json.dumps(row) + "\n")
    if given.json:
        given.json.write_text(
            json.dumps(
                {
                    "rows": table(results),
                    "bounds": bounds(results),
                    "answers": [
                        {
                            "class": each.sample.kind,
                            "text": each.sample.text,
                            "wanted": each.sample.answer,
                            "said": each.said.text,
                            "verdict": each.verdict,
                            "chance": each.said.chance,
                            "least": each.said.least,
                        }
                        for each in results
                    ],
                },
                indent=1,
            )
        )
    return 0


def _show(given: argparse.Namespace) -> int:
    from hicrisp_core.prompting.goal_prompt import goal_messages

    from hicrisp_training.sentences.mixture import Mixture
    from hicrisp_training.training.recipe import Material, Recipe

    material = Material(Recipe())
    shown = 0
    for samples in Mixture(material.split()[0], material.words, material.domains, given.seed).scenes():
        sys.stdout.write(
            "\n" + goal_messages("", material.domains[samples[0].domain], samples[0].world).user + "\n"
        )
        for sample in samples:
            sys.stdout.write(
                f"  {sample.kind}: {sample.text} => {json.dumps(sample.answer, separators=(',', ':'))}\n"
            )
        shown += len(samples)
        if shown >= given.count:
            return 0
    return 0

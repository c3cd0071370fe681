"""The command line of training: learn, write the adapter, measure it as it is served."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from hicrisp_core.config.files import config_file
from hicrisp_core.errors import ConfigError, HicrispError
from hicrisp_core.llm.chat_model import Completion, LlmFailure
from hicrisp_core.llm.embedded import EmbeddedModel
from hicrisp_core.llm.settings import load_llm_settings
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.understanding.hearing import WORDS
from hicrisp_core.understanding.written import parse_line

from hicrisp_training.adapter import CHECKPOINT, card_of, export, hashes, write_card
from hicrisp_training.rows import read_rows, vocabulary
from hicrisp_training.scenes import Sample, Scenes

_FLAGS = (("train", "minutes", 120.0, "of learning, in all pieces together"), ("smoke", "minutes", 2.0, "of learning"),
          ("train", "samples", 0, "of learning instead"), ("train", "piece", 150.0, "minutes of this piece"),
          ("train", "device", "cpu", "cpu or cuda"), ("train", "rank", 32, "of the adapter"),
          ("train", "rows", 0, "of 512 tokens in a step; 0 for 2, with cuda 16"),
          ("train", "rate", 1e-3, "the highest learning rate"), ("train measure", "base", "", "another base's GGUF"),
          ("train export", "folder", "build/training", "of checkpoints"), ("measure", "json", "", "of all answers"),
          ("export measure", "adapter", "config/llm/adapters/goals.gguf", "the adapter's file"),
          ("words", "file", f"config/llm/{WORDS}", "of words"), ("measure", "most", 0, "sentences; 0 for all"))
"""Commands that have a flag, the flag, its default, and what it means."""


def main(arguments: Optional[List[str]] = None) -> int:
    """Run one command of ``scripts/train_brain``.

    Args:
        arguments: the command line; that of the process if ``None``.

    Returns:
        Exit status; 0 if it succeeded.
    """
    parser = argparse.ArgumentParser(prog="scripts/train_brain", description="Train the embedded model's adapter.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, run, said in (("train", _train, "learn, or go on from the checkpoint, and write the adapter beside it"),
                            ("smoke", _smoke, "learn a little from few sentences; the loss must fall"),
                            ("export", lambda given: logging.info("%s", export(
                                Path(given.folder) / CHECKPOINT, Path(given.adapter))),
                             "write the adapter of the checkpoint, and its card"),
                            ("words", lambda given: Path(given.file).write_text(
                                vocabulary(read_rows()[0]), encoding="utf-8"),
                             "write the words of the sentences, which tell what is English"),
                            ("measure", _measure, "ask the served model the held-out sentences, for the card")):
        command = commands.add_parser(name, help=said, description=said)
        command.set_defaults(run=run)
        for names, flag, default, meant in _FLAGS:
            if name in names.split():
                command.add_argument(f"--{flag}", type=type(default), default=default, help=f"{meant} ({default})")
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S", stream=sys.stderr)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    # Read when the libraries are loaded: threads that spin while they wait slow a busy machine down.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("TQDM_DISABLE", "1")
    try:
        given.run(given)
    except HicrispError as error:
        logging.error("%s", error)
        return 1
    return 0


def _train(given: argparse.Namespace) -> None:
    from hicrisp_training.learning import Learner, Plan
    from hicrisp_training.network import base_file

    slow, folder = given.device == "cpu", Path(given.folder).absolute()
    Learner(Plan(folder, base_file(given.base), given.minutes, given.samples, given.piece, given.rate, given.rank,
                 given.rows or (2 if slow else 16), given.device, compiled=slow)).run()
    logging.info("wrote %s: %s", folder / "goals.gguf", export(folder / CHECKPOINT, folder / "goals.gguf"))


def _smoke(given: argparse.Namespace) -> None:
    from hicrisp_training.learning import Learner, Plan
    from hicrisp_training.network import base_file

    with tempfile.TemporaryDirectory() as folder:
        learner = Learner(Plan(Path(folder), base_file(), given.minutes, rank=16, rows=1, most=48, compiled=False))
        before = learner.held_out_loss()
        learner.run()
        after = learner.held_out_loss()
    logging.info("held-out loss %.3f, then %.3f after %d samples", before, after, learner.samples)
    if not after < before:
        raise ConfigError(f"the loss did not fall: {before:.3f}, then {after:.3f}")


def _measure(given: argparse.Namespace) -> None:
    adapter, answers = Path(given.adapter), []
    card, today = card_of(adapter), hashes()
    changed = [name for name, digest in card.get("hashes", {}).items() if digest != today[name]]
    logging.info("changed since the adapter was trained: %s", ", ".join(changed) or "nothing that is known")
    for sample, said, seconds in served(held_out_samples(given.most), adapter, given.base):
        row = sample.row
        answers.append({"domain": row.domain, "kind": row.kind, "names": sample.names, "says": row.says,
                        "means": row.means, "said": said.text, "exact": str(parse_line(said.text)) == row.means,
                        "sure": said.sure or 0.0, "seconds": round(seconds, 2)})
    measured = table(answers)
    sys.stdout.write("".join(f"{name}: {json.dumps(row)}\n" for name, row in measured.items()))
    if not given.most:
        write_card(adapter, {"hashes": today, **card}, measured=measured)
    if given.json:
        Path(given.json).write_text("".join(f"{json.dumps(each)}\n" for each in answers), encoding="utf-8")


def held_out_samples(most: int) -> List[Sample]:
    """Return the held-out sentences, each in a fixed scene.

    Args:
        most: limit of their number; 0 for all.

    Returns:
        Samples in the order of the files.
    """
    rows = read_rows()[0]
    scenes, kept = Scenes([row for row in rows if not row.held_out]), [row for row in rows if row.held_out]
    return [sample for row in kept[:most or None] for sample in scenes.plain(row)]


def served(samples: Sequence[Sample], adapter: Path, base: str = "") -> Iterator[Tuple[Sample, Completion, float]]:
    """Ask the served model with an adapter.

    Args:
        samples: the questions.
        adapter: file of the adapter.
        base: file of the base model; empty for the one in the wheel.

    Yields:
        Sample, answer and wall seconds.
    """
    settings = load_llm_settings(config_file("llm", "embedded"))
    options = {**settings.options, "adapter": str(adapter.absolute()), "start_s": 180.0,
               **({"package": "", "file": str(Path(base).absolute())} if base else {})}
    model = EmbeddedModel(replace(settings, options=options, timeout_s=120.0))
    try:
        for sample in samples:
            began = time.monotonic()
            said = model.complete(sample.messages, Deadline(240.0))
            if isinstance(said, LlmFailure):
                raise ConfigError(f"the model gives no answer: {said.message}")
            yield sample, said, time.monotonic() - began
    finally:
        model.close()


def table(answers: Sequence[Dict[str, Any]]) -> Dict[str, Any]:
    """Sum up answers by domain, by kind and for all.

    Args:
        answers: sample, line, likelihood and seconds of each answer.

    Returns:
        Share of exact answers, median time, and the shares that are right and wrong for several thresholds of
        asking back.
    """
    groups: Dict[str, List[Dict[str, Any]]] = defaultdict(list)
    for each in answers:
        for name in (each["domain"], f"kind {each['kind']}", "~all"):
            groups[name].append(each)
    rows: Dict[str, Any] = {
        name: {"n": len(found), "exact": round(sum(each["exact"] for each in found) / len(found), 3),
               "seconds": sorted(each["seconds"] for each in found)[len(found) // 2]}
        for name, found in sorted(groups.items())}
    for bound in (0.3, 0.5, 0.7, 0.9):
        taken = [each["exact"] for each in answers if each["sure"] >= bound]
        rows[f"asked below {bound}"] = {"right": round(sum(taken) / len(answers), 3),
                                        "wrong": round((len(taken) - sum(taken)) / len(answers), 3)}
    return rows

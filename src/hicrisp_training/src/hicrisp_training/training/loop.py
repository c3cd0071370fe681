"""The loop: packs in, gradients of the adapter out, a checkpoint every few minutes."""

from __future__ import annotations

import json
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, List, Optional

import torch
from hicrisp_core.errors import ConfigError
from torch.nn import functional

from hicrisp_training.network.llama import Llama
from hicrisp_training.training.packs import Pack

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Schedule:
    """How learning goes.

    Args:
        samples: after how many it ends.
        rate: the highest learning rate.
        warm_up: over how many samples the rate rises.
        cool_down: the last part of the samples, over which it falls to a twentieth.
        batch: tokens of one step.
        save_every: wall seconds between checkpoints.
    """

    samples: int
    rate: float = 1e-3
    warm_up: int = 300
    cool_down: float = 0.35
    batch: int = 1000
    save_every: float = 150.0

    def rate_at(self, seen: int) -> float:
        """The learning rate after so many samples."""
        left = (self.samples - seen) / max(1.0, self.cool_down * self.samples)
        return self.rate * min(1.0, (seen + 30) / self.warm_up, max(0.05, left))


class Trainer:
    """Trains the adapter of a model; goes on from a checkpoint where there is one.

    Each core works on a pack of its own: the matrices are too small to share one.

    Args:
        file: the checkpoint.
        threads: how many packs are computed at a time.
    """

    def __init__(self, model: Llama, schedule: Schedule, file: Path, threads: int = 1) -> None:
        self._workers = ThreadPoolExecutor(threads, "learn", initializer=torch.set_num_threads, initargs=(1,))
        self._model, self._schedule, self._file = model, schedule, file
        self._optimiser = torch.optim.AdamW(
            model.parameters(), lr=schedule.rate, betas=(0.9, 0.98), weight_decay=0.0, fused=True
        )
        self.seen = 0
        if file.exists():
            self.seen = load_checkpoint(model, file)
            kept = torch.load(file, weights_only=True)
            self._optimiser.load_state_dict(kept["optimiser"])
            log.info("going on from %s after %d samples", file, self.seen)

    def save(self) -> None:
        """Write the checkpoint whole or not at all."""
        fresh = self._file.with_suffix(".new")
        learnt = {name: each.detach() for name, each in self._model.named_parameters()}
        torch.save({"adapter": learnt, "optimiser": self._optimiser.state_dict(), "seen": self.seen}, fresh)
        fresh.replace(self._file)

    def run(self, packs: Iterator[Pack]) -> None:
        """Learn until the schedule's end."""
        saved, began = time.monotonic(), time.monotonic()
        mean: Optional[float] = None
        tokens, step, start = 0, 0, self.seen
        while self.seen < self._schedule.samples:
            batch: List[Pack] = []
            while sum(len(pack.tokens) for pack in batch) < self._schedule.batch:
                batch.append(next(packs))
            rate = self._schedule.rate_at(self.seen)
            loss = self._step(batch, rate)
            mean = loss if mean is None else 0.95 * mean + 0.05 * loss
            step += 1
            tokens += sum(len(pack.tokens) for pack in batch)
            self.seen += sum(pack.samples for pack in batch)
            if step % 5 == 0:
                seconds = time.monotonic() - began
                log.info(
                    json.dumps(
                        {
                            "seen": self.seen,
                            "loss": round(loss, 4),
                            "mean": round(mean, 4),
                            "rate": round(rate, 6),
                            "tokens_s": round(tokens / seconds),
                            "samples_s": round((self.seen - start) / seconds, 2),
                            "cpu_s": round(time.process_time()),
                        }
                    )
                )
            if time.monotonic() - saved > self._schedule.save_every:
                self.save()
                saved = time.monotonic()
        self.save()

    def _step(self, batch: List[Pack], rate: float) -> float:
        learnt = sum(len(pack.targets) for pack in batch)
        loss = sum(self._workers.map(lambda pack: self._gradients(pack, learnt), batch))
        self._model.collect()
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        torch.nn.utils.clip_grad_norm_(list(self._model.parameters()), 1.0)
        self._optimiser.step()
        self._model.refresh()
        return loss

    def _gradients(self, pack: Pack, learnt: int) -> float:
        """Add a pack's gradients; returns its part of the mean loss over ``learnt`` tokens."""
        hidden = self._model(pack.tokens, pack.positions, [pack.mask])
        logits = self._model.logits(hidden[pack.places])
        loss = functional.cross_entropy(logits.float(), pack.targets, reduction="sum") / learnt
        loss.backward()
        return float(loss.detach())


def load_checkpoint(model: Llama, file: Path) -> int:
    """Give a model what was learnt; returns after how many samples.

    Raises:
        ConfigError: where there is no checkpoint, or one of another model.
    """
    if not file.exists():
        raise ConfigError(f"there is no checkpoint {file}; run scripts/train_brain learn first")
    kept = torch.load(file, weights_only=True)
    if kept["adapter"].keys() != dict(model.named_parameters()).keys():
        raise ConfigError(f"the checkpoint {file} is of another model")
    model.load_state_dict(kept["adapter"], strict=False)
    model.refresh()
    return int(kept["seen"])

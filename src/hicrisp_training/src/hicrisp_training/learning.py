"""The loop: rows of tokens in, an adapter out, in pieces that go on where the last one ended."""

from __future__ import annotations

import logging
import math
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from hicrisp_training.adapter import CHECKPOINT, hashes
from hicrisp_training.network import Network, packs, tokenizer_of
from hicrisp_training.rows import read_rows
from hicrisp_training.scenes import Scenes, groups_to_learn

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Plan:
    """How learning goes: for so many minutes in all pieces together, or samples, by whose end the rate has fallen."""

    folder: Path
    base: Path
    minutes: float = 120.0
    samples: int = 0
    piece: float = 150.0  # Minutes after which this process stops, to go on another time.
    rate: float = 1e-3  # The highest.
    rank: int = 32
    rows: int = 2  # Of a step.
    device: str = "cpu"
    length: int = 512  # Tokens of a row.
    most: int = 0  # Sentences to learn from; 0 for all.
    compiled: bool = True
    save_every_s: float = 600.0

    def progress(self, samples: int, seconds: float) -> float:
        """Return how much is done.

        Args:
            samples: samples so far.
            seconds: training time so far.

        Returns:
            Share from 0 to 1, of the samples if they are limited, else of the time.
        """
        return samples / self.samples if self.samples else seconds / 60.0 / self.minutes

    def rate_at(self, progress: float) -> float:
        """Return the learning rate: it rises over the first 3 % and falls as a cosine to a hundredth.

        Args:
            progress: share from 0 to 1.

        Returns:
            The rate.
        """
        fallen = 0.5 + 0.5 * math.cos(math.pi * min(1.0, progress))
        return self.rate * min(1.0, (progress + 0.002) / 0.03) * (0.01 + 0.99 * fallen)


class Learner:
    """Learns by a plan, from its checkpoint if there is one."""

    def __init__(self, plan: Plan) -> None:
        self._plan, self._hashes = plan, hashes()
        self._network = Network(plan.base, plan.rank, plan.device, plan.length if plan.compiled else 0)
        self._learnt = self._network.parameters()
        self._optimiser = torch.optim.AdamW(self._learnt, betas=(0.9, 0.98), weight_decay=0.01, fused=True)
        self.samples, self.seconds = 0, 0.0
        if (plan.folder / CHECKPOINT).exists():
            kept = torch.load(plan.folder / CHECKPOINT, weights_only=True)
            self._network.take(kept["factors"])
            self._optimiser.load_state_dict(kept["optimiser"])
            self.samples, self.seconds = kept["samples"], kept["seconds"]
        (rows, wrong), tokenizer = read_rows(), tokenizer_of(plan.base)
        learnt = [row for row in rows if not row.held_out][:plan.most or None]
        scenes, domains = Scenes(learnt), {row.domain for row in learnt}
        log.info("%d rows, after %d samples and %.0f minutes, in %s; left out: %s", len(learnt), self.samples,
                 self.seconds / 60, self._network.number, wrong[:5] or "none")
        self._packs = packs(groups_to_learn(learnt, scenes, 1 + self.samples), tokenizer, plan.length)
        kept_out = [row for row in rows if row.held_out and row.domain in domains][::3]
        self._held_out = list(packs(map(scenes.plain, kept_out), tokenizer, plan.length))

    def run(self) -> None:
        """Learn until the plan's end or the piece's, and keep a checkpoint every few minutes."""
        plan, began, before, tokens, mean = self._plan, time.monotonic(), self.seconds, 0, 0.0
        saved, logged, progress = began, began, plan.progress(self.samples, self.seconds)
        while progress < 1.0 and self.seconds - before < plan.piece * 60:
            chosen = [next(self._packs) for _ in range(plan.rows)]
            for group in self._optimiser.param_groups:
                group["lr"] = plan.rate_at(progress)
            loss, learnt = self._network.loss(chosen)
            (loss / learnt).backward()
            torch.nn.utils.clip_grad_norm_(self._learnt, 1.0)
            self._optimiser.step()
            self._optimiser.zero_grad()
            mean += (float(loss.detach()) / learnt - mean) * (0.03 if mean else 1.0)
            now = time.monotonic()
            self.samples, self.seconds = self.samples + sum(each.samples for each in chosen), before + now - began
            tokens, progress = tokens + sum(each.used for each in chosen), plan.progress(self.samples, self.seconds)
            if now - logged > 30:
                logged = now
                log.info("%d samples, %.1f %% done, loss %.3f, %.0f tokens/s", self.samples, 100 * progress, mean,
                         tokens / (now - began))
            if now - saved > plan.save_every_s:
                self._save()
                saved = now
        self._save()

    def held_out_loss(self) -> float:
        """Return the mean loss of a token in answers to sentences that were held out."""
        with torch.no_grad():
            found = [self._network.loss([pack]) for pack in self._held_out]
        return sum(float(loss) for loss, _ in found) / max(1, sum(count for _, count in found))

    def _save(self) -> None:
        """Write the checkpoint whole or not at all."""
        held_out, file = self.held_out_loss(), self._plan.folder / CHECKPOINT
        log.info("held-out loss %.4f after %d samples", held_out, self.samples)
        file.parent.mkdir(parents=True, exist_ok=True)
        torch.save({"factors": self._network.factors(), "optimiser": self._optimiser.state_dict(),
                    "samples": self.samples, "seconds": self.seconds, "held_out_loss": held_out, "hashes": self._hashes,
                    "plan": {key: str(value) for key, value in asdict(self._plan).items()}}, file.with_suffix(".new"))
        file.with_suffix(".new").replace(file)

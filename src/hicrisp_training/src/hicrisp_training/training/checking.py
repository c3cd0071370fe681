"""A quick look at what was learnt: would the model write exactly the right answer, token by token?"""

from __future__ import annotations

from collections import defaultdict
from typing import Dict, List, Mapping, NamedTuple, Sequence, Tuple

import torch
from hicrisp_core.domain.schema import Domain

from hicrisp_training.network.llama import Llama
from hicrisp_training.network.tokens import Tokens
from hicrisp_training.sentences.samples import Sample
from hicrisp_training.training.packs import packed


class Exactness(NamedTuple):
    """One sample: whether every token of its answer would be chosen, and how likely the whole answer is."""

    sample: Sample
    exact: bool
    chance: float
    instead: str
    """What the model would rather write, as far as the right answer goes before each token."""


def exactness(
    model: Llama, samples: Sequence[Sample], domains: Mapping[str, Domain], tokens: Tokens
) -> List[Exactness]:
    """How exactly a model answers; the answers' other orders count as wrong."""
    found = []
    with torch.no_grad():
        for sample in samples:
            pack = packed([sample], domains, tokens)
            if pack is None:
                continue
            hidden = model(pack.tokens, pack.positions, [pack.mask])
            logits = model.logits(hidden[pack.places]).float()
            chosen = logits.argmax(-1)
            chance = logits.log_softmax(-1).gather(-1, pack.targets[:, None]).sum().exp()
            found.append(Exactness(sample, bool((chosen == pack.targets).all()), float(chance),
                                   tokens.text(chosen.tolist())))
    return found


def by_class(results: Sequence[Exactness]) -> Dict[str, Tuple[int, int]]:
    """How many of how many are exact, by class."""
    counts: Dict[str, List[int]] = defaultdict(lambda: [0, 0])
    for each in results:
        for name in (each.sample.kind, "all"):
            counts[name][0] += each.exact
            counts[name][1] += 1
    return {name: (exact, count) for name, (exact, count) in sorted(counts.items())}

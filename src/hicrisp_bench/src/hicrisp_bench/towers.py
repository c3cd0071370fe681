"""Towers of four blocks, drawn by seed, by arms that miss: what a step spoils, the next ones stand on."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

from hicrisp_core.model import Relation
from hicrisp_core.scene import load_scene

from hicrisp_bench.trial import TrialSettings

SIGMAS = (0.0, 0.02)
POLICIES = ("hicrisp", "hierarchical")
_SCENE, _BLOCKS = "blocks", 4


def tower_groups(config: Path, seeds: range) -> Iterator[Tuple[Dict[str, Any], List[TrialSettings]]]:
    """List the trials of towers.

    Args:
        config: the workspace's ``config``.
        seeds: layouts of each row.

    Yields:
        Head of a row with its trials.
    """
    for sigma in SIGMAS:
        faults = ({"kind": "place_offset", "target": "", "magnitude": (sigma,), "count": 0},) if sigma else ()
        for policy in POLICIES:
            head = {"case": f"tower of {_BLOCKS}", "policy": policy, "sigma": sigma, "bias": 0.0}
            yield head, [TrialSettings(config, _SCENE, *_tower(config, seed), policy, seed, faults)
                         for seed in seeds]


def _tower(config: Path, seed: int) -> Tuple[str, Tuple[Relation, ...]]:
    """A tower in words and as facts, from the top down."""
    scene = load_scene(config / "scenes" / f"{_SCENE}.yaml", seed)
    names = sorted(name for name, thing in scene.objects.items() if thing.type == "box")
    blocks = random.Random(seed).sample(names, _BLOCKS)
    facts = tuple(Relation(upper, "on", lower) for upper, lower in zip(blocks, blocks[1:]))
    said = ", and ".join(f"the {fact.subject.replace('_', ' ')} is on the {fact.object.replace('_', ' ')}"
                         for fact in facts)
    return said, facts

"""The world in which a sentence is said: the scene as the detector sees it, once its things have settled."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterable, Mapping

from hicrisp_core.config.files import config_file
from hicrisp_core.domain.loader import load_domain
from hicrisp_core.domain.schema import Domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import WorldState
from hicrisp_core.scene import Scene, load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.agv.world import AgvWorld
from hicrisp_sim.embedded import EmbeddedWorld
from hicrisp_sim.lab.world import LabWorld

from hicrisp_bench.pool import run_all

_SETTLED = 30.0
"""Wall seconds within which the things of a scene come to rest."""


@dataclass(frozen=True)
class Setting:
    """A scene as a brain knows it: true poses, and the facts that the detector sees in them."""

    domain: Domain
    world: WorldState


@dataclass(frozen=True)
class _Asked:
    config: Path
    scene: str
    seed: int


def settings_of(config: Path, scenes: Iterable[str], seed: int, jobs: int) -> Dict[str, Setting]:
    """The settings of some scenes with one layout each, drawn with the seed.

    The physics runs in other processes, whose memory is not that of the brain that is measured.

    Raises:
        ConfigError: for a scene that cannot be loaded.
    """
    names = sorted(set(scenes))
    results = run_all(_look, [_Asked(config, name, seed) for name in names], jobs, "scenes")
    for name, result in zip(names, results):
        if "crashed" in result:
            raise ConfigError(f"the scene '{name}' cannot be used: {result['crashed']}")
    domains: Mapping[str, Domain] = {
        name: load_domain(config_file("domains", name, beside=config / "domains" / "any"))
        for name in {result["domain"] for result in results}}
    return {name: Setting(domains[result["domain"]], result["world"]) for name, result in zip(names, results)}


def _look(asked: _Asked) -> Dict[str, Any]:
    scene = load_scene(config_file("scenes", asked.scene, beside=asked.config / "scenes" / "any"), asked.seed)
    domain = load_domain(config_file("domains", scene.domain, beside=asked.config / "domains" / "any"))
    return {"domain": scene.domain, "world": _seen(scene, asked.seed, domain)}


def _seen(scene: Scene, seed: int, domain: Domain) -> WorldState:
    if scene.symbolic:
        return scene.first_state()
    if scene.arena is None:
        return EmbeddedWorld(scene, seed, domain=domain).observe(Deadline(_SETTLED))
    if scene.world == "lab":
        return LabWorld(scene, seed, domain=domain).observe(Deadline(_SETTLED))
    return AgvWorld(scene, seed).observe(Deadline(_SETTLED))

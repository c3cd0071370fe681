"""What the benchmark tells of one of its tasks, as a value and as a scene's file, so that every node reads the same."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Mapping, Tuple

import numpy as np
import yaml
from hicrisp_core.config.files import config_file
from hicrisp_core.config.yaml_files import Positions, read_yaml
from hicrisp_core.domain import Domain, load_domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.robot.description import body_of
from hicrisp_core.scene import Scene
from hicrisp_core.scene.scene import common_scene

from hicrisp_libero.bddl import read_bddl
from hicrisp_libero.cameras import camera_files
from hicrisp_libero.client import LONG, Benchmark
from hicrisp_libero.kinds import ROBOT, Translation, translated
from hicrisp_libero.models import benchmark_in
from hicrisp_libero.scene_from_model import Measured, measure

LIBERO = "libero"
"""Name of the world, and of its domain."""
JUDGED = "judged"
"""Latched topic: whether the benchmark has seen its goal hold. Only who measures listens."""
REACH = (0.28, 0.8)
"""Least and greatest distance from the base at which the benchmark's tasks place things, metres."""
CALIBRATED = 10.0
"""Metres by which a camera may seem to be off its mounting: it is the model's own, and no edge can tell more."""


@dataclass(frozen=True)
class Description:
    """A task of the benchmark at one of its starts.

    Args:
        suite: name of the suite.
        task: number of the task in it.
        init: number of the start.
        told: what the benchmark answers to ``make``.
    """

    suite: str
    task: int
    init: int
    told: Mapping[str, Any]

    @property
    def name(self) -> str:
        """A name that no other task or start has."""
        return f"{self.suite}_{self.task}_{self.init}"

    def in_words(self, domain: Domain) -> Tuple[Translation, Measured]:
        """Say the task in our words, and measure its scene.

        Args:
            domain: the domain ``libero``, or one with its types.

        Returns:
            What its objects are called, and its scene.

        Raises:
            ConfigError: if its files cannot be read.
        """
        file = Path(self.told["file"])
        words = translated(read_bddl(file), domain, lru_cache(maxsize=None)(benchmark_in(file.parents[4]).model))
        hand = body_of(config_file("robots", ROBOT), ROBOT).gripper
        return words, measure(self.told, words, self.name, hand)


def describe(benchmark: Benchmark, suite: str, task: int, init: int) -> Tuple[Description, np.ndarray]:
    """Have the benchmark make a task, and describe it.

    Args:
        benchmark: its process.
        suite: name of the suite.
        task: number of the task in it.
        init: number of the start.

    Returns:
        The description and the first state.

    Raises:
        ConfigError: if there is no such suite, task or start, with those that there are.
    """
    told, state = benchmark.ask("make", seconds=LONG, suite=suite, task=task, init=init)
    return Description(suite, task, init, told), state


def write_scene(description: Description, folder: Path) -> Path:
    """Write a description as a scene's file, with the files of its cameras and its robot, and what was measured.

    Args:
        description: the task.
        folder: gets the folders ``scenes``, ``cameras`` and ``robots``.

    Returns:
        The scene's file.
    """
    _, measured = description.in_words(load_domain(config_file("domains", LIBERO)))
    name = description.name
    scenes, cameras, robots = folder / "scenes", folder / "cameras", folder / "robots"
    for each in (scenes, cameras, robots):
        each.mkdir(parents=True, exist_ok=True)
    body, _ = read_yaml(config_file("robots", ROBOT))
    body = {**body, "body": {**body["body"], "reach": list(REACH)}}
    (robots / f"{ROBOT}.yaml").write_text(yaml.safe_dump(body), encoding="utf-8")
    for camera, text in camera_files(description.told, measured.origin).items():
        (cameras / f"{name}_{camera}.yaml").write_text(text, encoding="utf-8")
    (scenes / f"{name}.json").write_text(json.dumps(asdict(description)), encoding="utf-8")
    file = scenes / f"{name}.yaml"
    told = {"scene": name, "domain": LIBERO, "world": LIBERO,
        "task": description.told["instruction"], "camera": f"{name}_fixed", "camera_error": CALIBRATED}
    file.write_text(yaml.safe_dump(told, sort_keys=False), encoding="utf-8")
    return file


def read_description(scene: Path) -> Description:
    """Read what was written beside a scene's file.

    Args:
        scene: the scene's file.

    Returns:
        The description.

    Raises:
        ConfigError: if it cannot be read.
    """
    file = scene.with_suffix(".json")
    try:
        return Description(**json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise ConfigError(f"{file} describes no task of LIBERO: {error}; scripts/demo --libero writes one") from error


def libero_scene(path: Path, values: Mapping[str, Any], positions: Positions, domain: Domain, seed: int) -> Scene:
    """Read the scene of a task of the benchmark.

    Args:
        path: the file that is read.
        values: its content.
        positions: where each key stands in the file, for error messages.
        domain: the domain ``libero``.
        seed: recorded with the scene, which is not random.

    Returns:
        The scene.

    Raises:
        ConfigError: with file, line and key; also when the description cannot be read.
    """
    _, measured = read_description(path).in_words(domain)
    seen = measured.scene
    return replace(common_scene(path, values, positions, domain, seed), robots=seen.robots, objects=seen.objects,
        masses=seen.masses, stands=seen.stands, looks=seen.looks, described=seen.described)

"""The tasks: sentences with the goals that must hold at the end, and the layouts in which they are told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

from hicrisp_core.config.files import config_file
from hicrisp_core.domain import Domain, load_domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.goals.stages import final_conditions
from hicrisp_core.goals.truth import holds
from hicrisp_core.model import Goal, WorldState
from hicrisp_core.scene import load_scene
from hicrisp_sim.embedded import EmbeddedWorld

from hicrisp_bench.language.sentences import Sentence, read_sentences
from hicrisp_bench.pool import run_all
from hicrisp_bench.trial import holds_in_truth

PLAIN, HARDER = "plain", "harder"
_MOST_LAYOUTS = 50
"""Layouts of one task that are tried until one does not fulfil it from the start."""


@dataclass(frozen=True)
class Reached:
    """Whether one of the alternatives of a goal holds in a world.

    Args:
        goals: alternatives; the final conditions of one must hold.
    """

    goals: Tuple[Goal, ...]
    domain: Domain

    def __call__(self, world: WorldState) -> bool:
        """Whether it does."""
        return any(all(holds(each, world.relations, self.domain)
                       for each in final_conditions(goal, self.domain)) for goal in self.goals)


@dataclass(frozen=True)
class Told:
    """A task in one layout."""

    sentence: Sentence
    seed: int

    @property
    def level(self) -> str:
        """``plain`` or ``harder``."""
        return PLAIN if self.sentence.kind == PLAIN else HARDER


@dataclass(frozen=True)
class _Layouts:
    config: Path
    sentence: Sentence
    first: int


def read_tasks(file: Path, limit: int = 0) -> List[Sentence]:
    """The tasks of a file of sentences, each of which can be done; so many of them, evenly spread.

    Args:
        limit: how many; 0 for all.

    Raises:
        ConfigError: for a wrong file, or a sentence without a goal.
    """
    tasks = read_sentences(file)
    aside = next((each for each in tasks if not each.goals), None)
    if aside is not None:
        raise ConfigError(f"{file}: '{aside.id}' asks for no motion; a task needs a goal")
    count = min(limit or len(tasks), len(tasks))
    return [tasks[number * len(tasks) // count] for number in range(count)]


def lay_out(
    config: Path, tasks: Sequence[Sentence], seed: int, trials: int, jobs: int
) -> List[Told]:
    """Each task in so many layouts in none of which it is fulfilled from the start.

    Args:
        seed: of the first layout that is tried.

    Raises:
        ConfigError: for a scene that cannot be loaded, or a task that nothing is left to do for.
    """
    asked = [_Layouts(config, task, seed + number * _MOST_LAYOUTS) for task in tasks
             for number in range(trials)]
    told: List[Told] = []
    for each, result in zip(asked, run_all(_first_open, asked, jobs, "layouts")):
        if "crashed" in result:
            raise ConfigError(f"the task '{each.sentence.id}' cannot be told: {result['crashed']}")
        if result["seed"] is None:
            raise ConfigError(f"the task '{each.sentence.id}' is fulfilled from the start in the scene "
                              f"'{each.sentence.scene}'")
        told.append(Told(each.sentence, result["seed"]))
    return told


def _first_open(asked: _Layouts) -> Dict[str, Any]:
    for seed in range(asked.first, asked.first + _MOST_LAYOUTS):
        scene = load_scene(config_file("scenes", asked.sentence.scene, asked.config), seed)
        domain = load_domain(config_file("domains", scene.domain, asked.config))
        world = EmbeddedWorld(scene, seed, domain=domain)
        world.settle(1.0)
        reached = Reached(asked.sentence.goals, domain)
        if not holds_in_truth(reached, world.true_frames(), scene, domain, world.time):
            return {"seed": seed}
    return {"seed": None}

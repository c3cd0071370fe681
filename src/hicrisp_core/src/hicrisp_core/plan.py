"""What a scene's task would come to, without ROS and without physics: ``python3 -m hicrisp_core.plan SCENE
[TASK]``.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import List, Optional, Sequence

from hicrisp_core.brain.factory import make_brain
from hicrisp_core.config.files import config_file, named_folder
from hicrisp_core.detector.relations import derive_relations
from hicrisp_core.domain import Domain, load_domain
from hicrisp_core.errors import HicrispError
from hicrisp_core.llm.settings import OFFLINE, load_llm_settings
from hicrisp_core.model import RobotState, Task, WorldState
from hicrisp_core.policy.loader import load_policy
from hicrisp_core.ports.brain import PlanAnswer, PlanRequest
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.scene import Scene, load_scene
from hicrisp_core.time.deadline import Deadline


def first_look(scene: Scene, domain: Domain) -> WorldState:
    """The world of a scene as it would be seen before anything moves."""
    if scene.symbolic:
        return scene.first_state()
    starts = scene.arena.starts if scene.arena is not None else {}
    robots = {name: RobotState(name, body.kind, starts[name].pose if name in starts else None)
              for name, body in bodies_of(scene).items()}
    world = WorldState(scene.objects, robots=robots)
    return replace(world, relations=frozenset(derive_relations(domain, world)))


def in_words(answer: PlanAnswer) -> List[str]:
    """An answer, one line for each step, choice or alternative."""
    if answer.plan is not None:
        goal = answer.plan.goal
        said = [f"goal: {goal.said}"] if goal is not None and goal.said else []
        return [*said, *(f"{number}. {step}" for number, step in enumerate(answer.plan.steps, 1))]
    if answer.question is not None:
        return [answer.question.text, *(f"{number}. {each.text}" for number, each in
                                        enumerate(answer.question.choices, 1))]
    return [answer.answer or answer.refusal, *(f"try: {each}" for each in answer.alternatives)]


def plan(options: argparse.Namespace) -> PlanAnswer:
    """The answer of the brain that the options name.

    Raises:
        HicrispError: for a file that cannot be used, with file, line, key and what is valid.
    """
    scene = load_scene(config_file("scenes", options.scene), options.seed)
    domain = load_domain(config_file("domains", scene.domain, beside=scene.source))
    policy = load_policy(config_file("policies", options.policy))
    prompts = named_folder("prompts", policy.prompts) or Path(policy.prompts)
    brain = make_brain(load_llm_settings(config_file("llm", options.llm)), domain, prompts, policy)
    world = first_look(scene, domain)
    return brain.plan(PlanRequest(Task(options.task or scene.task), world), Deadline(options.time_limit))


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Print the plan, the answer, the question or the refusal; the exit status is 1 without a plan or
    answer.
    """
    parser = argparse.ArgumentParser(prog="python3 -m hicrisp_core.plan",
                                     description="Plan a task in a scene as it is at first; nothing moves.")
    parser.add_argument("scene", help="scene file, or the name of one in config/scenes")
    parser.add_argument("task", nargs="?", help="the task (the scene's own)")
    parser.add_argument("--policy", default="hierarchical",
                        help="policy file, or the name of one (hierarchical)")
    parser.add_argument("--llm", default=OFFLINE, help="language model file, or the name of one (offline)")
    parser.add_argument("--seed", type=int, default=0, help="draws the layout (0)")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for the whole plan (60)")
    options = parser.parse_args(arguments)
    try:
        answer = plan(options)
    except HicrispError as error:
        sys.stdout.write(f"{error}\n")
        return 2
    sys.stdout.write("\n".join(in_words(answer)) + "\n")
    return 0 if answer.plan is not None or answer.answer else 1


if __name__ == "__main__":
    sys.exit(main())

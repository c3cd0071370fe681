"""What a scene's task would come to, without ROS and without physics: ``python3 -m hicrisp_core.plan SCENE
[TASK]``.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import List, Optional, Sequence

from hicrisp_core.brain.factory import make_brain
from hicrisp_core.config.files import config_file, named_folder
from hicrisp_core.detector.perception import frames_of
from hicrisp_core.detector.relations import derive_relations
from hicrisp_core.domain import Domain
from hicrisp_core.errors import HicrispError
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import OFFLINE, load_llm_settings
from hicrisp_core.model import Answer, Goal, Question, Refusal, Task, WorldState
from hicrisp_core.model.screwing import with_measured
from hicrisp_core.policy.policy import load_policy
from hicrisp_core.ports.brain import Brain, PlanAnswer, PlanRequest
from hicrisp_core.ports.interpreter import Interpreter, Request, Understood
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.scene import Scene, domain_of, load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.understanding.factory import make_interpreter


def first_look(scene: Scene, domain: Domain) -> WorldState:
    """The world of a scene as it would be seen before anything moves."""
    if scene.symbolic:
        return scene.first_state()
    starts = scene.arena.starts if scene.arena is not None else {}
    robots = {name: replace(frames_of(name, body).seen({}), pose=starts[name].pose if name in starts else None)
              for name, body in bodies_of(scene).items()}
    world = WorldState(scene.objects, robots=robots)
    return replace(world, relations=with_measured(derive_relations(domain, world), scene.facts))


@dataclass(frozen=True)
class Outlook:
    """What a task means and what would be done for it.

    Args:
        understood: without a meaning if the brain was asked for a plan at once.
        plan: ``None`` if the meaning is no goal.
    """

    understood: Understood = Understood()
    plan: Optional[PlanAnswer] = None

    @property
    def ok(self) -> bool:
        """Whether there is a plan, or nothing needs one."""
        if self.plan is not None:
            return self.plan.plan is not None or bool(self.plan.answer)
        return isinstance(self.understood.meaning, Answer)

    @property
    def lines(self) -> List[str]:
        """It in words, one line for each step, choice or alternative."""
        meaning = self.understood.meaning
        if self.plan is not None and self.plan.plan is not None:
            goal = self.plan.plan.goal
            said = [f"goal: {goal.said}"] if goal is not None and goal.said else []
            return [*said, *(f"{number}. {step}" for number, step in enumerate(self.plan.plan.steps, 1))]
        if self.plan is not None:
            return [self.plan.answer or self.plan.refusal]
        if isinstance(meaning, Question):
            return [meaning.text, *(f"{number}. {each.text}" for number, each in enumerate(meaning.choices, 1))]
        if isinstance(meaning, Refusal):
            return [meaning.text, *(f"try: {each}" for each in meaning.alternatives)]
        return [meaning.text if isinstance(meaning, Answer) else self.understood.trouble]


def outlook(
    interpreter: Interpreter, brain: Brain, task: Task, world: WorldState, deadline: Deadline,
    interprets: bool = True,
) -> Outlook:
    """Ask what a task means, and for a plan if it is a goal; nothing moves.

    Args:
        interprets: whether the interpreter is asked even if the brain plans without a goal.
    """
    answer = PlanAnswer(needs_goal=True) if interprets else brain.plan(PlanRequest(task, world), deadline)
    if not answer.needs_goal:
        return Outlook(plan=answer)
    found = interpreter.understand(Request(task.text, world), deadline)
    if not isinstance(found.meaning, Goal):
        return Outlook(found)
    return Outlook(found, brain.plan(PlanRequest(task, world, goal=found.meaning), deadline))


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Print the plan, the answer, the question or the refusal; the exit status is 1 without a plan or
    answer.
    """
    parser = argparse.ArgumentParser(prog="python3 -m hicrisp_core.plan",
                                     description="Plan a task in a scene as it is at first; nothing moves.")
    parser.add_argument("scene", help="scene file, or the name of one in config/scenes")
    parser.add_argument("task", nargs="?", help="the task (the scene's own)")
    parser.add_argument("--policy", default="hierarchical", help="policy file, or the name of one (hierarchical)")
    parser.add_argument("--llm", default=OFFLINE, help="language model file, or the name of one (offline)")
    parser.add_argument("--seed", type=int, default=0, help="draws the layout (0)")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for the whole plan (60)")
    options = parser.parse_args(arguments)
    try:
        scene = load_scene(config_file("scenes", options.scene), options.seed)
        domain = domain_of(scene)
        policy = load_policy(config_file("policies", options.policy))
        prompts = named_folder("prompts", policy.prompts) or Path(policy.prompts)
        models = Models(load_llm_settings(config_file("llm", options.llm)))
        found = outlook(make_interpreter(models, domain, prompts), make_brain(models, domain, prompts, policy),
                        Task(options.task or scene.task), first_look(scene, domain), Deadline(options.time_limit),
                        policy.interprets)
    except HicrispError as error:
        sys.stdout.write(f"{error}\n")
        return 2
    sys.stdout.write("\n".join(found.lines) + "\n")
    return 0 if found.ok else 1


if __name__ == "__main__":
    sys.exit(main())

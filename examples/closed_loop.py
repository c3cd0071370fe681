"""Plan, act, detect and correct with the library alone, without ROS: a box slips out of the hand once.

Run it in the workspace's root, after ``. scripts/env``: ``python3 examples/closed_loop.py``
"""

from pathlib import Path
from threading import Event

from hicrisp_core.factory import load_factory
from hicrisp_core.model import Command, Rung, StackEntry, Task
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.goal_text import statements_of
from hicrisp_core.model.offsets import DecoderOffsets
from hicrisp_core.ports.brain import PlanRequest
from hicrisp_core.ports.corrector import CorrectorRequest
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.embedded import EmbeddedWorld

CONFIG = Path(__file__).resolve().parents[1] / "config"


def main() -> None:
    """Put the box next to the cylinder, whatever it takes."""
    scene = load_scene(CONFIG / "scenes" / "tabletop.yaml", seed=0)
    parts = load_factory(CONFIG, scene.domain, "hierarchical")
    brain, body, detector, domain = parts.brain(), parts.body(), parts.detector(), parts.domain
    corrector = parts.corrector(brain)
    world = EmbeddedWorld(scene, domain=domain)  # MuJoCo: a Panda at a table.
    world.inject("slip", "box", count=1)

    task, goal = Task("put the box next to the cylinder"), Goal.of(*statements_of(["next_to(box,cylinder)"]))
    state = world.observe(Deadline(5.0))
    plan = brain.plan(PlanRequest(task, state, goal=goal), Deadline(5.0)).plan
    todo = tuple(domain.ground(step, state) for step in plan.steps)
    stack, tried = (), frozenset()  # The failed commands that are not made good yet, the newest last.
    while todo:
        command, before = todo[0], state
        aimed = body.aim(command, before, DecoderOffsets(), Deadline(5.0))
        if isinstance(aimed, Command):
            outcome = world.robot.execute(aimed, Deadline(60.0), Event(), lambda phase, fraction: None)
            state = world.observe(Deadline(5.0))  # What is seen decides, not what the driver says.
        failure = detector.check(aimed, before, state, outcome).feedback if isinstance(aimed, Command) else aimed
        print(f"{'  ' * len(stack)}{domain.describe(command)}: {'ok' if failure is None else failure.kind.value}")
        if failure is None:
            stack = stack[:-1] if stack and stack[-1].command == command else stack
            todo = todo[1:]
            continue
        stack = (*stack, StackEntry(command, failure))
        answer = corrector.correct(CorrectorRequest(task, stack, state, seen=tried, goal=goal), Deadline(5.0))
        correction, tried = answer.correction, tried | {answer.mark}
        if correction.rung is Rung.GIVE_UP:
            raise SystemExit(f"given up: {correction.note}")
        stack = stack[:len(stack) - correction.drop]
        todo = (*correction.commands, *todo[correction.drop:])
    world.close()


if __name__ == "__main__":
    main()

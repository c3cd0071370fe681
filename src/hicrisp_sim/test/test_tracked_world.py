"""The embedded world by tracks in place of poses: tasks by noisy sight, and things that nobody described."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hicrisp_core.factory import load_factory
from hicrisp_core.model import Pose, Task, WorldObject, WorldState
from hicrisp_core.model.geometry import distance
from hicrisp_core.model.goal import Goal
from hicrisp_core.ports.brain import PlanRequest
from hicrisp_core.ports.interpreter import Request
from hicrisp_core.ports.robot import MotionFailure
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.embedded import EmbeddedWorld
from noisy_tracks import NoisyTracks

CONFIG = Path(__file__).parents[3] / "config"
JUG = WorldObject("unknown_1", "?", "box", (0.06, 0.05, 0.12))


def world_of(scene: str, seed: int = 1, unknown: Pose = None) -> EmbeddedWorld:
    """A world that is seen by tracks; with something at a pose that its scene does not hold."""
    def sight(world: EmbeddedWorld) -> NoisyTracks:
        found = {"unknown_1": JUG} if unknown is not None else {}
        there = {name: (unknown, 0.0) for name in found}
        return NoisyTracks(lambda: {**world.true_frames(), **there}, [t.name for t in world.scene.things],
                           lambda: world.time, seed, unknown=found)

    return EmbeddedWorld(load_scene(CONFIG / "scenes" / f"{scene}.yaml", seed), seed, sight=sight)


def run(world: EmbeddedWorld, text: str):
    parts = replace(load_factory(CONFIG, world.domain, "hierarchical"), memory=None)
    return parts.executive({"panda": world.robot}, world, lambda _: None).run(Task(text))


@pytest.mark.parametrize(("scene", "text", "fact"), [
    ("tabletop", "place the box next to the cylinder", ("next_to", "box", "cylinder")),
    ("stack", "stack the red box on the blue box", ("on", "red_box", "blue_box"))])
def test_a_task_is_done_by_what_tracks_show(scene, text, fact):
    world = world_of(scene)
    assert run(world, text).success
    assert world.eyes.see(world.true_frames(), world.time).holds(*fact)


def test_what_is_seen_is_not_the_truth():
    world = world_of("tabletop")
    seen, true = world.observe(Deadline(5.0)), world.true_frames()
    assert seen.viewed is not None
    assert 0.0 < distance(seen.objects["box"].pose.position, true["box"][0].position) < 0.01


def test_the_memory_is_told_the_true_state_however_badly_the_world_is_seen():
    world = EmbeddedWorld("tabletop")
    world.inject("sensor_noise", "", (0.5,))
    seen = world.observe(Deadline(5.0))
    true = load_factory(CONFIG, world.domain, "hierarchical").ports({"panda": world.robot}, world).true_state()
    assert true.holds("on", "box", "table")
    assert not seen.holds("on", "box", "table")


def test_an_unknown_thing_is_planned_around():
    there = Pose((0.5, 0.0, 0.06))
    world = world_of("tabletop", unknown=there)
    seen = world.look()
    world.arm.sync(seen)
    through = Pose((0.5, 0.0, 0.08), (1.0, 0.0, 0.0, 0.0))
    blocked = world.arm.plan_to(through, Deadline(10.0))
    assert isinstance(blocked, MotionFailure)
    assert blocked.blockers == ("unknown_1",)
    objects = {name: thing for name, thing in seen.objects.items() if name != "unknown_1"}
    world.arm.sync(WorldState(objects, robots=seen.robots, viewed=seen.viewed))
    assert not isinstance(world.arm.plan_to(through, Deadline(10.0)), MotionFailure)


@pytest.mark.parametrize("text", [
    "put the unknown object to the right of the box", "put the unknown object next to the box",
    "pick up unknown_1", "take the unknown object"])
def test_an_unknown_thing_can_be_named_in_a_task(text):
    world = world_of("bowl", unknown=Pose((0.45, -0.25, 0.06)))
    parts, seen = load_factory(CONFIG, world.domain, "hierarchical"), world.observe(Deadline(5.0))
    goal = parts.interpreter().understand(Request(text, seen), Deadline(10.0)).meaning
    assert isinstance(goal, Goal), goal
    answer = parts.brain().plan(PlanRequest(Task(text), seen, goal=goal), Deadline(10.0))
    assert answer.plan is not None, answer.refusal
    assert str(answer.plan.steps[0]) == "pick(panda, unknown_1)"

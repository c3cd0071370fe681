"""How fast the parts are: motion planning among obstacles, the physics, the executive's own work."""

from __future__ import annotations

import math
import random
import time
from pathlib import Path
from threading import Event
from typing import Any, Dict, Iterator, List

from hicrisp_core.factory import load_factory
from hicrisp_core.model import Plan, Pose, Relation, RobotState, Step, Task, WorldState
from hicrisp_core.model.geometry import from_yaw, multiply, planar_distance
from hicrisp_core.ports.robot import MotionFailure
from hicrisp_core.robot.symbolic import SymbolicWorld
from hicrisp_core.scene import Scene, load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.embedded import EmbeddedWorld

from hicrisp_bench.statistics import spread
from hicrisp_bench.stub_models import FixedBrain

_STEPS = (("pick", {"item": "box"}), ("place_next_to", {"item": "box", "reference": "cylinder"}))
_DOWN = (1.0, 0.0, 0.0, 0.0)
_NO_QUERY = ("unreachable", "goal_in_collision")
"""The hand does not fit there, so a skill takes another grasp: such poses are drawn anew."""
_LIMIT = 5.0
"""Wall seconds for one query."""
_PHYSICS_SECONDS = 60.0
_REACH = (0.36, 0.64)
_FREE = 0.11
"""Space around a place in which the open hand surely fits, metres."""


def executive_step_seconds(config: Path, trials: int) -> Dict[str, Any]:
    """Measure the executive's own work over symbolic runs of a pick and a place; every second run has a
    failure to repair.

    Args:
        config: the workspace's ``config``.
        trials: number of runs.

    Returns:
        Wall seconds a step: median, 95th percentile and worst.
    """
    scene = load_scene(config / "scenes" / "tabletop.yaml", 0)
    parts = load_factory(config, "tabletop", "hierarchical")
    domain, robot = parts.domain, scene.robots[0]
    on_table = frozenset(Relation(name, "on", "table") for name, item in scene.objects.items() if item.movable)
    plan = Plan(tuple(Step(action, action, arguments) for action, arguments in _STEPS), "fixed")
    seconds: List[float] = []
    for trial in range(trials):
        world = SymbolicWorld(domain, WorldState(scene.objects, on_table, {robot: RobotState(robot)}))
        if trial % 2:
            elsewhere = domain.ground(Step("", "put_down", {"item": "box"}), world.state)
            world.fails(f"place_next_to({robot}, box, cylinder)", instead=elsewhere)
        events: List[Dict[str, Any]] = []
        began = time.perf_counter()
        executive = parts.executive({robot: world}, world, events.append, brain=FixedBrain(plan), interpreter=None)
        result = executive.run(Task("bench"))
        seconds.append((time.perf_counter() - began) / max(1, result.steps_executed))
    return spread(seconds)


def measure(config: Path, queries: int) -> List[Dict[str, Any]]:
    """Measure planning, physics and the executive.

    Args:
        config: the workspace's ``config``.
        queries: plans and runs of each.

    Returns:
        Rows with median, 95th percentile and worst.
    """
    scene = load_scene(config / "scenes" / "clutter.yaml", 0)
    return [*_planning(scene, queries), _physics(scene), {
        "what": "the executive's own work in one process", "unit": "ms a step",
        **_scaled(executive_step_seconds(config, queries), 1000.0),
        "note": "symbolic world; every second run repairs a failure"}]


def _planning(scene: Scene, queries: int) -> List[Dict[str, Any]]:
    """Alternately to a pick pose low between the obstacles and to a place pose; each motion is carried out."""
    world = EmbeddedWorld(scene, 0)
    poses = _poses(scene, random.Random(0))
    seconds: List[float] = []
    failures = 0
    while len(seconds) < queries:
        world.arm.sync(world.look())
        began = time.perf_counter()
        motion = world.arm.plan_to(next(poses), Deadline(_LIMIT))
        spent = time.perf_counter() - began
        if not isinstance(motion, MotionFailure):
            world.arm.follow(motion, Deadline(60.0), Event())  # The next query starts where this one ends.
        elif motion.kind in _NO_QUERY:
            continue
        else:
            failures += 1
        seconds.append(spent)
    note = f"IK, search, shortening, timing; 8 obstacles; {queries - failures} of {queries} solved"
    return [{"what": "RRT-Connect, one motion", "unit": "ms", **_scaled(spread(seconds), 1000.0), "note": note}]


def _poses(scene: Scene, dice: random.Random) -> Iterator[Pose]:
    """Tool poses close above the table where the hand fits between the objects, alternating near and far in y."""
    places = [item.pose.position for item in scene.things if item.pose is not None]
    side = 1.0
    while True:
        x, y = dice.uniform(0.32, 0.62), side * dice.uniform(0.0, 0.40)
        clear = all(planar_distance((x, y, 0.0), place) > _FREE for place in places)
        if clear and _REACH[0] <= math.hypot(x, y) <= _REACH[1]:
            side = -side
            yield Pose((x, y, dice.uniform(0.03, 0.10)), multiply(from_yaw(dice.uniform(-1.5, 1.5)), _DOWN))


def _physics(scene: Scene) -> Dict[str, Any]:
    """Simulated seconds in a second, the arm holding its posture among the objects."""
    world = EmbeddedWorld(scene, 0)
    factors: List[float] = []
    for _ in range(5):
        began = time.perf_counter()
        world.simulation.advance(_PHYSICS_SECONDS / 5.0)
        factors.append(_PHYSICS_SECONDS / 5.0 / (time.perf_counter() - began))
    lowest, *_, highest = sorted(factors)
    return {"what": "physics without pictures, one core", "unit": "times real time", "n": len(factors),
            "median": sorted(factors)[len(factors) // 2], "p95": lowest, "worst": lowest,
            "note": f"ten free things; best {highest:.0f}"}


def _scaled(values: Dict[str, float], factor: float) -> Dict[str, float]:
    return {key: value if key == "n" else value * factor for key, value in values.items()}

"""Random plans under every policy, judged by the physics: no limit is ever passed."""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Dict, List, Mapping, Sequence, Tuple, Union

import numpy as np
from hicrisp_core.factory import load_factory
from hicrisp_core.model import Task
from hicrisp_core.policy.policy import MODEL, SINGLE, load_policy
from hicrisp_core.ports.robot import RobotPort
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.robot.drive_goals import drive_space_of
from hicrisp_core.scene import Scene, load_scene
from hicrisp_core.trace.events import CommandTried, OutcomeClaimed
from hicrisp_sim.agv import AgvWorld
from hicrisp_sim.agv.base import EmbeddedBase
from hicrisp_sim.agv.settings import AgvSettings
from hicrisp_sim.embedded import EmbeddedWorld
from hicrisp_sim.lab.world import LabWorld

from hicrisp_bench.agv.truth import TrueTrack, moment_of
from hicrisp_bench.limits.chance import RandomBrain, RandomModel
from hicrisp_bench.options import add_policies, add_scenes, add_seed, at_least_one
from hicrisp_bench.statistics import Tally, share_of
from hicrisp_bench.stub_models import StubModels
from hicrisp_bench.suite import Chart, Report, Row, Runner, Section, policies_here, share_bars, words

_SLACK = 0.005
"""Metres by which a controlled arm may be beside its path."""
_PART = 1.05
"""Part of a speed limit that a controlled joint may reach."""
_OVERSHOOT = 1.10
"""The same of a base, whose wheels slip and swing in the physics while they are braked."""
QUICK: Mapping[str, Any] = {"tasks": 12}
SELECTS = ("tasks", "scenes", "policies", "seed")
SCENES = ("tabletop", "clutter", "sorting", "agv_zone", "bowl", "stack", "agv", "lab")
ALL = "all"
_COLUMNS = ("scene", "n", "held", "commands", "motions", "sim_hours", "broken")
_TASK = "Do something"
_SECONDS = 15.0
"""Wall seconds of a task after which nothing further is begun."""


def _keep_largest(known: Dict[str, float], seen: Mapping[str, float]) -> None:
    known.update({name: max(known.get(name, float(value)), float(value)) for name, value in seen.items()})


class ArmWatch:
    """Follows an arm: its tool against the box, its joints against their speeds, its fingers' force."""

    def __init__(self, world: EmbeddedWorld) -> None:
        self._world = world
        model = world.description.model
        self._speeds = np.array(model.velocity) * world.description.settings.speed * _PART
        self._grip = model.grip
        self.broken: Dict[str, float] = {}
        """The largest excess over each limit, in its unit."""
        self.figures: Dict[str, float] = {"joint_speed": 0.0, "torque": 0.0, "outside": -np.inf}
        world.simulation.listeners.append(self.look)

    def look(self) -> None:
        """Take in this moment."""
        arm = self._world.arm
        joints, limits, speeds = arm.joints, arm.safety, np.abs(arm.joints.velocities)
        seen = {"joint_speed": (speeds / self._speeds * _PART).max(), "torque": np.abs(joints.external_torques).max()}
        excess = {"joint speed, rad/s": (speeds - self._speeds).max(), "grip, N": joints.finger_force - self._grip}
        if limits is not None:
            place = np.array(arm.kinematics.tool_position(joints.positions))
            seen["outside"] = max((np.array(limits.low) - place).max(), (place - np.array(limits.high)).max())
            excess["workspace box, m"] = seen["outside"] - _SLACK
        _keep_largest(self.figures, seen)
        _keep_largest(self.broken, {limit: by for limit, by in excess.items() if by > 0.0})


class BaseWatch:
    """Follows a base: its footprint against the zones, the walls and the obstacles, its speeds."""

    def __init__(self, base: EmbeddedBase, settings: AgvSettings, scene: Scene) -> None:
        self._base, self._settings = base, settings
        self._track = TrueTrack(scene, base.name)
        self._speed = self._turning = 0.0
        base.followers.append(self.look)

    def look(self) -> None:
        """Take in this moment."""
        moment = moment_of(self._base)
        self._track.follow(moment)
        self._speed = max(self._speed, moment.speed)
        self._turning = max(self._turning, abs(moment.turning))

    @property
    def broken(self) -> Dict[str, float]:
        """What was passed, and how often or by how much."""
        settings, track = self._settings, self._track
        often = {"no-go zone": len(track.zones_entered), "touched something": len(track.touched)}
        found = {limit: float(number) for limit, number in often.items() if number}
        for limit, value, most in (("speed, m/s", self._speed, settings.speed),
                                   ("turning, rad/s", self._turning, settings.turn_speed)):
            if value > most * _OVERSHOOT:
                found[limit] = value - most
        return found

    @property
    def figures(self) -> Dict[str, float]:
        """The largest of what was seen, as a part of its limit."""
        return {"speed": self._speed / self._settings.speed,
                "turning": self._turning / self._settings.turn_speed, "metres": self._track.length}


Watch = Union[ArmWatch, BaseWatch]


def add_options(parser: argparse.ArgumentParser) -> None:
    """How many tasks, where, and under which policies."""
    parser.add_argument("--tasks", type=at_least_one, default=500, metavar="N", help="tasks in all (500)")
    add_scenes(parser, SCENES)
    add_policies(parser, otherwise="all but those whose body is an embedding")
    add_seed(parser, "the first task")


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run the suite."""
    trials = trials_of(options)
    results = runner.run(trials, "random tasks")
    whole = [{"scene": trial.scene, "policy": trial.policy, "seed": trial.seed, **result}
             for trial, result in zip(trials, results)]
    rows = [_row(scene, [each for each in whole if each["scene"] == scene]) for scene in options.scenes or SCENES]
    rows.append(_row(ALL, whole))
    broken = [{"scene": each["scene"], "policy": each["policy"], "seed": each["seed"], "limit": limit,
               "by": excess} for each in whole for limit, excess in each.get("broken", {}).items()]
    chart = Chart("held", "Random tasks in which every limit held", share_bars(
        rows, "scene", words("every limit held"), "held"), "Tasks")
    return Report(rows, _COLUMNS, (), _NOTE, {"broken": broken},
                  (Section("Broken", broken, ("scene", "policy", "seed", "limit", "by")),), (chart,))


def trials_of(options: argparse.Namespace) -> List[LimitsTrial]:
    """Scenes and policies in turn; each task has a seed of its own."""
    policies = options.policies or policies_here(options.config)
    scenes = options.scenes or SCENES
    return [LimitsTrial(options.config, scenes[number % len(scenes)],
                        policies[number // len(scenes) % len(policies)], options.seed + number)
            for number in range(options.tasks)]


def _row(scene: str, results: Sequence[Dict[str, Any]]) -> Row:
    own = Tally(results)
    figures: Dict[str, float] = {}
    for each in own.whole:
        _keep_largest(figures, each["figures"])
    return {
        "scene": scene, **own.trials, **share_of("held", own.count(lambda each: not each["broken"]), len(results)),
        **own.totals("commands", "motions"), "sim_hours": own.totals("sim_s")["sim_s"] / 3600.0,
        **own.lengths("broken"), "largest": figures}


@dataclass(frozen=True)
class LimitsTrial:
    """All that the result of one task depends on."""

    config: Path
    scene: str
    policy: str
    seed: int

    def key(self) -> str:
        """Return what tells a task from the others of the suite."""
        return f"{self.scene}, {self.policy}, {self.seed}"

    def run(self) -> Dict[str, Any]:
        """Run one in this process; the result is a plain dictionary."""
        scene = load_scene(self.config / "scenes" / f"{self.scene}.yaml", self.seed)
        world, robots, watches = _world(scene, self.seed)
        policy = load_policy(self.config / "policies" / f"{self.policy}.yaml")
        asks = policy.body == MODEL or policy.brain != SINGLE
        parts = load_factory(self.config, scene.domain, policy, bodies=bodies_of(scene))
        if asks:
            models = StubModels(RandomModel(self.seed))
            parts = replace(parts, llm=models.settings, models=models)
        parts = replace(parts, policy=replace(policy, budget=replace(policy.budget, seconds=_SECONDS)))
        if isinstance(world, (AgvWorld, LabWorld)):
            parts = replace(parts, drive=replace(drive_space_of(scene), first_reached=world.base.first_reached))
        events: List[Dict[str, Any]] = []
        began = time.perf_counter()
        brain = None if asks else RandomBrain(parts.domain, self.seed)
        result = parts.executive(robots, world, events.append, brain=brain).run(Task(_TASK))
        world.settle(1.0)
        return {
            "scene": self.scene, "policy": self.policy, "seed": self.seed, "message": result.message,
            **{name: sum(event["kind"] == kind for event in events)
               for name, kind in (("commands", CommandTried.kind), ("motions", OutcomeClaimed.kind))},
            "broken": {limit: by for watch in watches for limit, by in watch.broken.items()},
            "figures": {name: value for watch in watches for name, value in watch.figures.items()},
            "sim_s": result.sim_s, "wall_s": time.perf_counter() - began}


def _world(scene: Scene, seed: int) -> Tuple[Union[AgvWorld, EmbeddedWorld], Mapping[str, RobotPort], Sequence[Watch]]:
    """The world of a scene, its robots, and who judges each of them."""
    if scene.arena is None:
        table = EmbeddedWorld(scene, seed)
        return table, {table.robot.name: table.robot}, (ArmWatch(table),)
    if len(scene.robots) > 1:
        lab = LabWorld(scene, seed)
        base = BaseWatch(lab.base, lab.base_settings, scene)
        return lab, {each.name: each for each in (lab.robot, lab.base_robot)}, (ArmWatch(lab), base)
    arena = AgvWorld(scene, seed)
    return arena, {arena.robot.name: arena.robot}, (BaseWatch(arena.base, arena.settings, scene),)


_NOTE = ("Held: by the physics, after each of its steps. An arm's tool in the box of config/safety.yaml, its "
         "joints and fingers within their speeds and force; a base's footprint over no zone and on nothing, "
         "within its speeds. Plans and corrections are drawn by chance, a tenth of their arguments from "
         "everything that there is; where a policy has several models, each fills the form of its answer by "
         "chance. The policy's own repairs come on top.")

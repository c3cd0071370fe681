"""A lab in which a test acts: sentences become commands, and the world is looked at between them."""

from __future__ import annotations

from dataclasses import replace
from threading import Event
from typing import Any, Dict, List, Optional, Tuple

from hicrisp_core.body.decoder import ActionDecoder
from hicrisp_core.body.placement import workspace_of
from hicrisp_core.config.files import config_file
from hicrisp_core.domain import load_domain
from hicrisp_core.executive.run_log import TaskResult
from hicrisp_core.factory import RunFactory
from hicrisp_core.model import Command, Outcome, Pose, Step, Task, WorldObject, WorldState
from hicrisp_core.model.geometry import multiply
from hicrisp_core.model.offsets import DecoderOffsets
from hicrisp_core.policy.policy import load_policy
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.robot.grasps import DOWN
from hicrisp_core.scene import Scene, load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.embedded import EmbeddedWorld
from waiting import PATIENCE

LIMIT = PATIENCE


def pointing_down(x: float, y: float, z: float, turn: tuple = (0.0, 0.0, 0.0, 1.0)) -> Pose:
    """A tool pose that points straight down."""
    return Pose((x, y, z), multiply(turn, DOWN))


def table_with(**things: Tuple[str, Tuple[float, float, float], Tuple[float, float]]) -> Scene:
    """A scene of things by name: shape, size and place on the table, metres."""
    empty = load_scene("tabletop", 0)
    objects = {
        name: WorldObject(name, shape, shape, size, pose=Pose((x, y, size[2] / 2.0)))
        for name, (shape, size, (x, y)) in things.items()}
    return replace(empty, name="made", objects={"table": empty.table, **objects},
                   masses={name: 0.2 for name in objects})


class Lab:
    """An embedded world with its domain."""

    def __init__(self, scene, seed: int = 0, rate: float = 0.0) -> None:
        self.world = EmbeddedWorld(scene, seed, rate)
        self.arm = self.world.arm
        self.domain = load_domain(config_file("domains", self.world.scene.domain))
        self.bodies = bodies_of(self.world.scene)
        self.workspaces = {name: workspace_of(body) for name, body in self.bodies.items()}

    def see(self) -> WorldState:
        """The world when nothing moves any more."""
        return self.world.observe(Deadline(LIMIT))

    def position(self, name: str):
        """Where a thing is seen."""
        return self.see().objects[name].pose.position

    def command(self, action: str, **arguments: str) -> Command:
        """A grounded command with its target."""
        world = self.see()
        grounded = self.domain.ground(Step(action, action, arguments), world)
        decoder = ActionDecoder(self.domain, workspaces=self.workspaces)
        decoded = decoder.decode(grounded, world, DecoderOffsets())
        assert isinstance(decoded, Command), str(decoded)
        return decoded

    def do(self, action: str, cancel: Optional[Event] = None, **arguments: str) -> Outcome:
        """Ground a command, carry it out, and tell what the driver says."""
        return self.execute(self.command(action, **arguments), cancel)

    def execute(self, command: Command, cancel: Optional[Event] = None, seconds: float = LIMIT) -> Outcome:
        """Carry out a command."""
        return self.world.robot.execute(command, Deadline(seconds), cancel or Event())

    def run(self, task: str, policy: str = "hierarchical") -> Tuple[TaskResult, List[Dict[str, Any]]]:
        """Plan a sentence and carry it out under a policy, with the events on the way."""
        events: List[Dict[str, Any]] = []
        parts = RunFactory(self.domain, load_policy(config_file("policies", policy)), bodies=self.bodies)
        executive = parts.executive(
            dict(self.world.robots), self.world, events.append)
        return executive.run(Task(task)), events

"""What goes wrong on purpose in a Gazebo that somebody else drives a robot in: hands in the world, noise in
the eyes.

What goes wrong inside the robot, such as an offset on every placement, is the business of its driver.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Callable, Dict, List, Mapping, Sequence, Tuple

import numpy as np
from hicrisp_core.model import Command, Pose
from hicrisp_core.scene import Scene, SceneFault, domain_of
from hicrisp_core.scene import fault_schedule as schedule
from hicrisp_core.scene.relocation import Relocation
from hicrisp_core.scene.scene import TABLE

from hicrisp_gazebo.port import Answer, Gazebo, Refusal

_EVERYWHERE: Mapping[str, schedule.FaultKind] = {
    "vanish": schedule.VANISH,
    "shove": schedule.FaultKind("somebody knocks the target: [vx, vy] or [vx, vy, seconds from now], m/s", (2, 3),
                                needs_target=True),
    "sensor_noise": schedule.SENSOR_NOISE,
}
_TABLE: Mapping[str, schedule.FaultKind] = {
    "object_moved": schedule.OBJECT_MOVED, "unreachable": schedule.UNREACHABLE,
    "blocked_goal": schedule.BLOCKED_GOAL, "slip": schedule.SLIP}
_ARENA: Mapping[str, schedule.FaultKind] = {
    kind: schedule.FaultKind(f"{text}: [x, y] or [x, y, seconds from now], metres in the map frame", (2, 3),
                             needs_target=True)
    for kind, text in (("appear", "the target stands there"), ("move", "the target is moved there"))}
_SLIP_AFTER = 0.5
_HAND_DEPTH = 0.06
"""How far below the fingers an item is that has slipped out of them, metres."""
_LIFT = 0.001


def kinds_of(scene: Scene) -> Dict[str, schedule.FaultKind]:
    """Return the kinds of faults that a scene can have.

    Args:
        scene: its arena or table decides.

    Returns:
        The kinds by name.
    """
    return {**_EVERYWHERE, **(_TABLE if TABLE in scene.objects else {}),
            **(_ARENA if scene.arena is not None else {})}


class Faults:
    """Holds the faults that are in force; the same seed and the same commands give the same faults.

    Args:
        clock: seconds of Gazebo's clock.
        scatter: tells the eyes the standard deviation of what they see, metres.
    """

    def __init__(
        self, gazebo: Gazebo, scene: Scene, seed: int, clock: Callable[[], float],
        scatter: Callable[[float], None]
    ) -> None:
        self._gazebo = gazebo
        self._clock = clock
        self._scatter = scatter
        self._armed = schedule.ArmedFaults()
        # The objects where Gazebo has them; those that it has not are left out of the way.
        self._hands = Relocation(lambda: {item.name: replace(item, pose=gazebo.pose(item.name).pose)
                                          for item in self._scene.things}, lambda: self._scene.table,
                                 lambda name, pose: _must(self._gazebo.place(name, pose)))
        self.begin(scene, seed)

    def begin(self, scene: Scene, seed: int) -> None:
        """Forget every fault; the caller injects what the scene itself says.

        Args:
            scene: the scene that begins.
            seed: draws what happens by chance.
        """
        self._scene = scene
        self._domain = domain_of(scene)
        self._kinds = kinds_of(scene)
        self._armed.clear()
        self._due: List[Tuple[float, Callable[[], Answer]]] = []
        self._dice = np.random.default_rng([seed, 0])
        self._scatter(0.0)

    def inject(self, fault: SceneFault) -> str:
        """Put a fault in force, or let it happen now.

        Args:
            fault: kind, target, magnitude and count.

        Returns:
            What was done, as a sentence.

        Raises:
            FaultError: for an unknown kind, target or magnitude, with what is valid; when Gazebo refuses.
        """
        schedule.check_fault(fault, self._kinds, [item.name for item in self._scene.things])
        kind, target, magnitude = fault.kind, fault.target, fault.magnitude
        if kind in ("vanish", "shove", "appear", "move"):
            after = magnitude[-1] if len(magnitude) in (1, 3) else 0.0
            said, action = self._plan(kind, target, magnitude)
            if after > 0.0:
                self._due.append((self._clock() + after, action))
                return f"{said}, {after:g} s from now"
            _must(action())
            return said
        if kind == "unreachable" or (kind == "object_moved" and fault.count == 0):
            return self._move(fault)
        said = self._armed.arm(fault)
        if kind == "sensor_noise":
            self._scatter(sum(noise.magnitude[0] ** 2 for noise in self._armed.in_force(kind)) ** 0.5)
        return said

    def command_began(self, command: Command) -> List[str]:
        """Let the faults happen that wait for a command.

        Args:
            command: what a robot was sent.

        Returns:
            What was done, as sentences.
        """
        if command.aim is None:  # What only takes something has where that goes next for its target.
            return []
        goal = command.target or command.aim
        spared = {str(value) for value in command.arguments.values()}
        done = [self._hands.block(goal.position[:2], fault.target, spared)
                or "nothing could be put on the goal"
                for fault in self._armed.take_all("blocked_goal")]
        return [f"blocked_goal: {said}" for said in done]

    def phase_began(self, command: Command, phase: str) -> List[str]:
        """Let the faults happen that wait for a phase of a command.

        Args:
            command: what the robot does.
            phase: name of the phase that began.

        Returns:
            What was done, as sentences.
        """
        item = self._domain.item(command)
        done: List[str] = []
        if phase == "descend":
            done += [self._move(replace(fault, target=item))
                     for fault in self._armed.take("object_moved", item)]
        if phase == "transfer":
            for fault in self._armed.take("slip", item):
                after = fault.magnitude[0] if fault.magnitude else _SLIP_AFTER
                self._due.append((self._clock() + after, lambda: self._drop(item)))
                done.append(f"slip: {item} slips in {after:g} s")
        return done

    def tick(self) -> List[str]:
        """Do what is due; what Gazebo refused of it."""
        now = self._clock()
        due = [action for at, action in self._due if at <= now]
        self._due = [(at, action) for at, action in self._due if at > now]
        answers = [action() for action in due]
        return [answer.message for answer in answers if not answer.ok]

    def _plan(self, kind: str, target: str, magnitude: Sequence[float]) -> Tuple[str, Callable[[], Answer]]:
        """What a hand does once, in words and as an action."""
        if kind == "vanish":
            return f"{target} is taken away", lambda: self._gazebo.delete(target)
        x, y = magnitude[:2]
        if kind == "shove":
            return f"{target} is knocked with ({x:.2f}, {y:.2f}) m/s", lambda: self._shove(target,
                                                                                           (x, y, 0.0))
        at = self._scene.objects[target].pose
        pose = Pose((x, y, _LIFT + (at.position[2] if at else self._scene.objects[target].size[2] / 2.0)))
        return f"{target} stands at ({x:.2f}, {y:.2f})", lambda: self._stand(target, pose)

    def _stand(self, target: str, pose: Pose) -> Answer:
        """Put an obstacle somewhere, but not where a base is: the physics would throw both apart."""
        (x, y, _), wide = pose.position, max(self._scene.objects[target].size[:2]) / 2.0
        for name, start in self._scene.arena.starts.items() if self._scene.arena is not None else ():
            seen = self._gazebo.pose(name).pose
            if seen is not None and math.dist((x, y), seen.position[:2]) < start.radius + wide:
                return Answer(Refusal.OTHER,
                              f"{target} cannot stand at ({x:.2f}, {y:.2f}): {name} is there; choose a "
                              f"place at least {start.radius + wide:.2f} m from its middle")
        return self._gazebo.place(target, pose)

    def _move(self, fault: SceneFault) -> str:
        if fault.kind == "unreachable":
            moved = self._hands.out_of_reach(fault.target)
        else:
            moved = self._hands.push(fault.target, fault.magnitude, self._dice)
        if moved is None:
            raise schedule.FaultError(f"there is no free spot on the table to move '{fault.target}' to")
        return moved

    def _shove(self, target: str, velocity: Tuple[float, float, float]) -> Answer:
        seen = self._gazebo.pose(target)
        return self._gazebo.place(target, seen.pose, velocity) if seen.pose is not None else seen

    def _drop(self, item: str) -> Answer:
        """Put an item below the hand that holds it, from where it falls."""
        seen = self._gazebo.pose(item)
        if seen.pose is None:
            return seen
        x, y, z = seen.pose.position
        half = self._scene.objects[item].size[2] / 2.0
        return self._gazebo.place(item,
                                  Pose((x, y, max(half + _LIFT, z - half - _HAND_DEPTH)),
                                       seen.pose.orientation))


def _must(answer: Answer) -> None:
    if not answer.ok:
        raise schedule.FaultError(answer.message)

"""What every skill of an arm is made of: observing, moving, and ending at the first failure."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Callable, FrozenSet, Mapping, Optional, Sequence, Union

from shapely.geometry import Point

from hicrisp_core.model import Outcome, Pose, Status, WorldObject, WorldState
from hicrisp_core.model.geometry import distance, turn_between
from hicrisp_core.model.keep_out import footprint, vertical_span
from hicrisp_core.model.world import Visibility
from hicrisp_core.ports.robot import Arm, MotionFailure, ReadyingArm, Trajectory
from hicrisp_core.robot.gripper import Gripper
from hicrisp_core.robot.safety import SafetyLimits
from hicrisp_core.robot.skilled import RunningCommand

DONE = Outcome(Status.SUCCESS)
_LEAST_LEFT = 0.2
"""Share of a height that is worth another motion."""
_SPEED, _TURNS, _LEAST = 0.08, 0.6, 1e-4
"""Of the tool that sweeps, m/s, and of the hand as it turns, rad/s; the length of a line that only turns it, metres."""


@dataclass(frozen=True)
class SkillSettings:
    """Distances in metres, speeds in m/s, the grasp force in newtons.

    Args:
        approach: distance before a grasp, or height above a place, from which the tool moves in a straight
            line.
        retreat: height to which it moves back.
        press: how far below its goal an item may be lowered until it touches.
        early: a contact this far above the goal is not the one that was expected.
        tries: how many ways to grasp or to place are tried.
        approaches: how often the arm goes above a goal at most, until it is seen to be near enough.
    """

    approach: float = 0.11
    retreat: float = 0.10
    press: float = 0.004
    early: float = 0.015
    fast: float = 0.25
    guarded: float = 0.08
    force: float = 30.0
    tries: int = 8
    approaches: int = 30


@dataclass
class SkillContext(RunningCommand):
    """A running command of an arm, and the observer."""

    arm: Arm
    observe: Callable[[], WorldState]
    gripper: Gripper
    settings: SkillSettings
    limits: Optional[SafetyLimits]
    known: Mapping[str, WorldObject] = field(default_factory=dict, init=False)
    """What was seen so far: an undescribed object that nobody sees any more is not forgotten while it is handled."""

    def look(self) -> WorldState:
        """Observe the world, and use it for planning.

        Returns:
            The world; what was seen before and is not there any more has no pose.
        """
        world = self.observe()
        gone = {name: replace(item, pose=None, visibility=Visibility.GONE) for name, item in self.known.items()
                if name not in world.objects}
        self.known = {**world.objects, **gone}
        world = replace(world, objects=self.known) if gone else world
        self.arm.sync(world)
        return world

    def plan_to(
        self, pose: Pose, touch: FrozenSet[str] = frozenset(), then: Sequence[Pose] = ()
    ) -> Union[Trajectory, MotionFailure]:
        """Plan a motion to a tool pose.

        Args:
            pose: in the world frame.
            touch: names of objects that may be touched.
            then: poses to which the tool goes on from there in straight lines.

        Returns:
            The trajectory, or the failure; poses outside the safety limits fail.
        """
        refusal = next(filter(None, map(self.limits.refusal, (pose, *then))), None) if self.limits else None
        return refusal or self.arm.plan_to(pose, self.deadline, touch, then)

    def line(self, pose: Pose, speed: float, touch: FrozenSet[str] = frozenset(), guarded: bool = False) -> Outcome:
        """Move the tool straight to a pose.

        Args:
            pose: in the world frame.
            speed: of the tool, m/s.
            touch: names of objects that may be touched.
            guarded: whether the first contact ends the motion (EXECUTION).

        Returns:
            The outcome of planning and execution.
        """
        refusal = self.limits.refusal(pose) if self.limits else None
        motion = refusal or self.arm.plan_line(pose, self.deadline, speed, touch)
        if isinstance(motion, MotionFailure):
            return motion.outcome()
        return self.arm.follow(motion, self.deadline, self.cancel, stop_on_contact=guarded)

    def sweep(self, pose: Pose, touch: FrozenSet[str], quicker: float = 1.0) -> Outcome:
        """Move the tool straight to a pose near by, slowly also where it only turns.

        Args:
            pose: in the world frame.
            touch: names of objects that may be touched.
            quicker: how many times as fast as by default, up to the speed of free motions.

        Returns:
            The outcome of planning and execution.
        """
        here = self.arm.tool_pose()
        length = max(_LEAST, distance(here.position, pose.position))
        seconds = max(length / _SPEED, turn_between(here.orientation, pose.orientation) / _TURNS)
        return self.line(pose, min(quicker * length / seconds, self.settings.fast), touch)

    def follow(self, motion: Trajectory) -> Outcome:
        """Execute a planned motion.

        Args:
            motion: the trajectory.

        Returns:
            What the driver reports.
        """
        return self.arm.follow(motion, self.deadline, self.cancel)

    def raise_tool(self, height: float, touch: FrozenSet[str]) -> Outcome:
        """Move the tool straight up; where the arm reaches no higher, on towards where it stands.

        Args:
            height: metres.
            touch: names of objects that may be touched.

        Returns:
            The outcome of the highest motion straight up that could be planned.
        """
        top = self.arm.tool_pose().position[2] + height
        outcome = self._away(lambda here, part: here.shifted((0.0, 0.0, part * height)), touch)
        here = self.arm.tool_pose()
        left, away = top - here.position[2], self.gripper.away(here)
        if outcome.ok and left > _LEAST_LEFT * height:
            inwards = here.shifted((-left * math.cos(away), -left * math.sin(away), left))
            self.line(inwards, self.settings.fast, touch)
        return outcome

    def draw_back(self, way: float, touch: FrozenSet[str]) -> Outcome:
        """Move the tool straight back from where it points, as far as the arm can; where it cannot, straight up.

        Args:
            way: metres.
            touch: names of objects that may be touched.

        Returns:
            The outcome of the longest motion that could be planned.
        """
        back = self._away(lambda here, part: here.compose(Pose((0.0, 0.0, -part * way))), touch)
        return back if back.ok else self.raise_tool(way, touch)

    def _away(self, goal: Callable[[Pose, float], Pose], touch: FrozenSet[str]) -> Outcome:
        here, outcome = self.arm.tool_pose(), DONE
        for part in (1.0, 0.5, 0.25):
            outcome = self.line(goal(here, part), self.settings.fast, touch)
            if outcome.status is not Status.PLANNING:
                break
        return outcome

    def open_hand(self, opening: float) -> Outcome:
        """Open the fingers.

        Args:
            opening: distance between them, metres; limited to what the hand has.

        Returns:
            What the driver reports.
        """
        return self.arm.move_gripper(min(opening, self.arm.max_opening), self.deadline, self.cancel)

    def ready_hand(self, opening: float) -> Outcome:
        """Have the fingers opened, or closed, by the end of the next motion: on its way where the arm can.

        Args:
            opening: distance between them, metres; limited to what the hand has.

        Returns:
            What the driver reports.
        """
        if not isinstance(self.arm, ReadyingArm):
            return self.open_hand(opening)
        self.arm.ready_gripper(min(opening, self.arm.max_opening))
        return DONE


def first_reason(best: Optional[Outcome], other: Outcome, world: WorldState) -> Outcome:
    """Return which of two failures is told: the one of the better way, unless only what is in the other's way can be
    moved.

    Args:
        best: the failure of the better way; ``None`` without one.
        other: the failure of the next way.
        world: observed objects, robots and facts.

    Returns:
        One of them.
    """
    return other if best is None or clears(other, world) and not clears(best, world) else best


def clears(outcome: Outcome, world: WorldState) -> bool:
    """Check whether a failure goes away with what is in the way.

    Args:
        outcome: the failure.
        world: observed objects, robots and facts.

    Returns:
        True if something is in the way and all of it can be moved.
    """
    return bool(outcome.blockers) and all(
        name in world.objects and world.objects[name].movable for name in outcome.blockers)


def below(item: WorldObject, pose: Pose, world: WorldState) -> FrozenSet[str]:
    """Return the objects that carry an item at a pose: what it stands on, or the bowl or cupboard that it stands in
    with its contents.

    Args:
        item: the object to place.
        pose: of the item, world frame.
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        Their names.
    """
    shadow = footprint(item, pose)
    bottom = vertical_span(item, pose)[0]
    found = set()
    for other in world.objects.values():
        if other.name == item.name or other.pose is None or footprint(other, other.pose).distance(shadow) > 0.004:
            continue
        if other.form.hollow or other.form.walled:
            found.update({other.name, *_inside(other, other.pose, world)})
        elif vertical_span(other, other.pose)[1] < bottom + 0.015:
            found.add(other.name)
    return frozenset(found - {item.name})


def _inside(bowl: WorldObject, pose: Pose, world: WorldState) -> FrozenSet[str]:
    """Return the objects whose centre is within a bowl's outline."""
    outline = footprint(bowl, pose)
    return frozenset(item.name for item in world.objects.values() if item.pose is not None
                     and item.movable
                     and item.name != bowl.name and outline.contains(Point(*item.pose.position[:2])))


def failed(outcome: Outcome, doing: str) -> Outcome:
    """Word the failure of a phase as a sentence about the command: "Cannot pick up the box: the salt is in the
    way.".

    Args:
        outcome: how the phase ended.
        doing: the command in words, "pick up the box".

    Returns:
        The outcome with its message; successes, cancellations and timeouts are unchanged.
    """
    if outcome.status in (Status.CANCELED, Status.TIMEOUT) or outcome.ok:
        return outcome
    return replace(outcome, message=f"Cannot {doing}: {outcome.message}.")

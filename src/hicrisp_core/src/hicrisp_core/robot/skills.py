"""What every skill of an arm is made of: observing, moving, and ending at the first failure."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any, Callable, Dict, FrozenSet, Mapping, Optional, Sequence, Union

from shapely.geometry import Point

from hicrisp_core.domain.schema import SkillUse
from hicrisp_core.extensions import extensions
from hicrisp_core.model import Cause, CauseKind, Command, Outcome, Pose, Status, WorldObject, WorldState
from hicrisp_core.model.keep_out import footprint, vertical_span
from hicrisp_core.ports.kinds import Skill
from hicrisp_core.ports.robot import Arm, MotionFailure, Progress, Trajectory
from hicrisp_core.robot.grasps import Gripper
from hicrisp_core.robot.safety import SafetyLimits
from hicrisp_core.time.deadline import Deadline

DONE = Outcome(Status.SUCCESS)


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
class SkillContext:
    """A running command: the arm, the observer, the limits under which the phases run, and the handled object.

    Args:
        item: the name of the object that the command handles; empty if it names none.
        left: seconds of the robot's clock until the command's time limit.
    """

    arm: Arm
    observe: Callable[[], WorldState]
    deadline: Deadline
    cancel: Event
    progress: Progress
    gripper: Gripper
    settings: SkillSettings = field(default_factory=SkillSettings)
    limits: Optional[SafetyLimits] = None
    item: str = ""
    left: Callable[[], float] = lambda: math.inf

    def look(self) -> WorldState:
        """Observe the world, and use it for planning.

        Returns:
            The world.
        """
        world = self.observe()
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

    def follow(self, motion: Trajectory) -> Outcome:
        """Execute a planned motion.

        Args:
            motion: the trajectory.

        Returns:
            What the driver reports.
        """
        return self.arm.follow(motion, self.deadline, self.cancel)

    def raise_tool(self, height: float, touch: FrozenSet[str]) -> Outcome:
        """Move the tool straight up; less high if the arm cannot reach that far.

        Args:
            height: metres.
            touch: names of objects that may be touched.

        Returns:
            The outcome of the highest motion that could be planned.
        """
        here = self.arm.tool_pose()
        outcome = DONE
        for part in (1.0, 0.5, 0.25):
            outcome = self.line(here.shifted((0.0, 0.0, part * height)), self.settings.fast, touch)
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

    def interrupted(self) -> Optional[Outcome]:
        """Return why a command has to end early.

        Returns:
            The outcome of a canceled command or one out of time; ``None`` otherwise.
        """
        if self.cancel.is_set():
            return Outcome(Status.CANCELED, "the command was canceled; the arm stands still",
                           cause=Cause(CauseKind.CANCELED))
        if self.deadline.passed:
            return Outcome(Status.TIMEOUT, "the time limit passed; the arm stands still",
                           cause=Cause(CauseKind.OUT_OF_TIME))
        return None


def below(item: WorldObject, pose: Pose, world: WorldState) -> FrozenSet[str]:
    """Return the objects that carry an item at a pose: what it stands on, or the bowl that it stands in with
    its contents.

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
        if other.form.hollow:
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


@dataclass(frozen=True)
class BoundSkill:
    """A skill as one action uses it."""

    skill: Skill
    use: SkillUse

    def item(self, command: Command) -> str:
        """Return the name of the object that a command handles.

        Args:
            command: the action with its arguments and constraints.

        Returns:
            The name; empty if the action handles no object.
        """
        return command.argument(self.use.item) if self.use.item else ""

    def run(self, work: Any, command: Command) -> Outcome:
        """Carry out a command.

        Args:
            work: the running command: a :class:`SkillContext` for an arm, a ``Drive`` for a base.
            command: the action with its arguments and constraints.

        Returns:
            How the command ended.
        """
        return self.skill.run(work, command)


def skills_of(kind: str, uses: Mapping[str, SkillUse]) -> Dict[str, BoundSkill]:
    """Return the skills of one kind of robot by action.

    Skills that every robot of the kind has keep their own names; skills of other kinds are left out.

    Args:
        kind: ``arm`` or ``base``.
        uses: the skill that each action of a domain uses.

    Returns:
        The skills by action name.

    Raises:
        ConfigError: for a skill that is not registered; lists those that are.
    """
    known = extensions().skills
    every: Dict[str, Skill] = {name: known.get(name) for name in known}
    found = {name: BoundSkill(skill, SkillUse(name)) for name, skill in every.items()
             if skill.own and skill.robot == kind}
    for action, use in uses.items():
        skill: Skill = known.get(use.skill)
        if skill.robot == kind:
            found[action] = BoundSkill(skill, use)
    return found

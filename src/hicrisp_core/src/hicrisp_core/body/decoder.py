"""The action decoder: from an action's names to the pose that the robot aims at (HiCRISP, section III-C);
and the body that grounds a step by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Mapping, Tuple, Union

from hicrisp_core.body.placement import Workspace
from hicrisp_core.body.targets import Spots, TargetQuestion
from hicrisp_core.domain.checker import effects_hold, malformed, not_seen
from hicrisp_core.domain.schema import Domain
from hicrisp_core.errors import DomainError
from hicrisp_core.model import Cause, CauseKind, Command, Feedback, FeedbackKind, Level, Pose, Step, WorldState
from hicrisp_core.model.offsets import DecoderOffsets, offset_key
from hicrisp_core.ports.body import Translation
from hicrisp_core.robot.drive_goals import DriveSpace
from hicrisp_core.time.deadline import Deadline


@dataclass(frozen=True)
class ActionDecoder:
    """Gives commands their target and their aim.

    Args:
        workspace: what the placements of a robot must respect that has none of its own.
        workspaces: what those of single robots must respect, by the robot's name.
    """

    domain: Domain
    workspace: Workspace = Workspace()
    drive: DriveSpace = DriveSpace()
    workspaces: Mapping[str, Workspace] = field(default_factory=dict)

    def decode(self, command: Command, world: WorldState, offsets: DecoderOffsets) -> Union[Command, Feedback]:
        """Give a command its target and its aim.

        Args:
            command: the action with its arguments and constraints.
            world: observed objects, robots and facts; poses in the world frame.
            offsets: learnt errors of the robots, by which the aim compensates the target.

        Returns:
            The command, or the feedback if there is no place for it.
        """
        action = self.domain.actions[command.action]
        if action.target is None:
            return command
        asked = TargetQuestion(
            self.domain, command, world, self.workspaces.get(command.robot, self.workspace), self.drive)
        if not action.places:
            goal = action.target.find(asked)
            if isinstance(goal, Feedback):
                return goal
            command = replace(command, keep_out=asked.constraints.keep_out)
            # In a world of facts without poses, a robot that knows the place by name finds it.
            return command.aimed(goal, goal) if isinstance(goal, Pose) else command
        item = asked.item
        if item is None or (item.pose is None and item.pose_age == 0.0):
            return command  # Nothing to aim: a world of facts without poses.
        if item.pose is None or item.lost:
            return not_seen(command, item, world)
        target = action.target.find(asked)
        if isinstance(target, Spots):
            spots, target = target, target.best()
            if target is None:  # Objects are in the way; or all is out of reach, off the table or tried.
                names = spots.blockers()
                movable = all(spots.world.objects[name].movable and name not in spots.ignore for name in names)
                return Feedback(Level.HIGH, FeedbackKind.NO_PLACE, command, subjects=names,
                                blockers=names if movable else ())
        if isinstance(target, Feedback):
            return target
        if not isinstance(target, Pose):
            unseen = (asked.other.name,) if asked.other is not None else ()
            return Feedback(Level.HIGH, FeedbackKind.NO_PLACE, command, cause=Cause(CauseKind.NOT_SEEN, unseen))
        bias = offsets.bias(offset_key(command.robot, action.skill))
        return command.aimed(target, target.shifted((-bias[0], -bias[1], 0.0)))


class Aiming:
    """What every body does alike: it gives commands their target and their aim."""

    def __init__(self, decoder: ActionDecoder) -> None:
        self._decoder = decoder

    def aim(
        self, command: Command, world: WorldState, offsets: DecoderOffsets, deadline: Deadline
    ) -> Union[Command, Feedback]:
        """Give a command its target and its aim.

        Args:
            command: the action with its arguments and constraints.
            world: observed objects, robots and facts; poses in the world frame.
            offsets: learnt errors of the robots, by which the aim compensates the target.
            deadline: wall-clock limit of the call.

        Returns:
            The command, or the feedback if there is no place for it.
        """
        del deadline  # Decoding never waits.
        return self._decoder.decode(command, world, offsets)


class DirectBody(Aiming):
    """Grounds a step in the domain; says ``pass`` when the step's effects hold already."""

    def __init__(self, domain: Domain, decoder: ActionDecoder) -> None:
        super().__init__(decoder)
        self._domain = domain

    def translate(self, step: Step, world: WorldState, deadline: Deadline) -> Translation:
        """Ground a step in the domain.

        Args:
            step: a step of the plan.
            world: observed objects, robots and facts; poses in the world frame.
            deadline: wall-clock limit of the call.

        Returns:
            Its one command, a pass if its effects hold already, or the feedback that lists the valid names.
        """
        del deadline  # Grounding never waits.
        try:
            command = self._domain.ground(step, world, step.robot)
        except DomainError as error:
            return Translation(feedback=malformed(error, step=step))
        return translated(self._domain, command, world)


def translated(domain: Domain, command: Command, world: WorldState) -> Translation:
    """Return the translation of a step with one command.

    Args:
        domain: types, predicates and actions of the application.
        command: the action with its arguments and constraints.
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        The command, or a pass if its effects hold already.
    """
    if effects_hold(domain, command, world):
        return Translation(pass_reason=f"'{domain.describe(command)}' holds already")
    return Translation((command,))


def not_translated(step: Step, why: str, alternatives: Tuple[str, ...] = ()) -> Translation:
    """Return the feedback for a step without a command.

    Args:
        step: a step of the plan.
        why: the reason, as a clause.
        alternatives: what would have been valid.

    Returns:
        The translation without commands.
    """
    return Translation(feedback=Feedback(
        Level.HIGH, FeedbackKind.INVALID, step=step, alternatives=alternatives,
        cause=Cause(CauseKind.MALFORMED, said=why)))

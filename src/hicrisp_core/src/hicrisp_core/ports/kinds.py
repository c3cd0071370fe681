"""What the entries of the registries are: skills, target rules, detector tests, rungs, worlds, perception sources,
drivers.

Each holds one function and what others must know about it. What the function is given lives in the folder
that calls it, which is named here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Callable, ClassVar, NamedTuple, Optional, Tuple

from typing_extensions import Final

from hicrisp_core.model import Correction, Measured, Outcome
from hicrisp_core.ports.brain import Usage
from hicrisp_core.time.deadline import Deadline

ARM: Final = "arm"
BASE: Final = "base"
"""The kinds of robots."""
ROBOT_TYPES = (ARM, BASE)
RungAnswer = Tuple[Optional[Correction], Usage]
"""The correction, ``None`` if the rung has none, or GIVE_UP with the reason that the user reads; and what that cost.
"""


@dataclass(frozen=True)
class Skill:
    """How a kind of robot carries out a command.

    Args:
        robot: ``arm`` or ``base``.
        run: for an arm ``run(context, command)`` with a ``robot.skills.SkillContext``; for a base
            ``run(drive, command)`` with a ``robot.base_robot.Drive``.
        item: whether it handles an object; then the action must have a parameter for it.
        target: whether it is done to another object; then the action must have a parameter for that.
        amount: whether it must be told how much.
        own: whether every robot of the kind has it under its own name, besides the actions of the domain.
    """

    robot: str
    run: Callable[..., Outcome]
    item: bool = False
    target: bool = False
    amount: bool = False
    own: bool = False


@dataclass(frozen=True)
class TargetRule:
    """How the action decoder finds where a command leads.

    Args:
        find: answers a ``body.targets.TargetQuestion`` with a pose, with ``body.targets.Spots`` among
            which there is a choice, with a Feedback why there is none, or with ``None`` where a reference is not
            seen.
        robot: ``arm`` where the target is the pose of an object, ``base`` where it is the pose of the robot.
        anywhere: whether it names no place: any free one will do.
    """

    find: Callable[..., object]
    robot: str = ARM
    anywhere: bool = False


class Seen(NamedTuple):
    """The answer of a test: whether the fact holds, and what was measured."""

    holds: bool
    measured: Tuple[Measured, ...] = ()


@dataclass(frozen=True)
class FactTest:
    """How the detector sees a fact from poses.

    Args:
        see: ``see(predicate, subject, object, world)`` answers a ``Seen``; the objects have poses.
        grips: whether the fact says that a robot has an object in its hand: a hand has one, and what it has is
            nowhere else.
        far: whether objects that are far apart may share the fact, so that it is measured for them too.
        role: the role that a predicate with this test has where the domain gives it to no other.
        fixed: whether it depends on where a robot's stand is, and not on where its tool is seen.
        part: whether it is about the part of the subject that hangs on a joint.
        in_hand: whether it may hold of what is in a hand, too.
        limit: how its tolerance is said to a witness, with ``{0}`` for the centimetres.
    """

    see: Callable[..., Seen]
    grips: bool = False
    far: bool = False
    role: str = ""
    fixed: bool = False
    part: bool = False
    in_hand: bool = False
    limit: str = ""


class RungKind(ABC):
    """One way of the corrector to answer a failure.

    What its correction says is all that others ask: a person is asked for what has the maker ``PERSON``, new
    ``steps`` replace the plan's rest, and commands after which the retry worked are remembered.
    """

    waits: ClassVar[bool] = False
    """Whether it is also asked where no command helps, but the cause may pass: a sensor without data, say."""

    @abstractmethod
    def answer(self, ladder: Any, question: Any, deadline: Deadline) -> RungAnswer:
        """Answer a failed command.

        Args:
            ladder: the ``corrector.ladder.Ladder``, with its domain, policy and brain.
            question: the ``corrector.ladder.CorrectionContext``: the feedback stack, the world and the way back.
            deadline: wall-clock limit of the call.

        Returns:
            The correction and what it cost.
        """

    def pursue(self, ladder: Any, question: Any, deadline: Deadline) -> RungAnswer:
        """Answer a goal that is missed after the last step; by default the rung has no answer.

        Args:
            ladder: as for ``answer``.
            question: its stack is empty; ``asked.missed`` says what is missing.
            deadline: wall-clock limit of the call.

        Returns:
            A correction with steps to the goal, and what it cost.
        """
        return None, Usage()


@dataclass(frozen=True)
class World:
    """What a scene may hold, and what moves it.

    Args:
        read: ``read(path, values, positions, domain, seed)`` answers the ``scene.Scene`` of a file's values,
            or raises ConfigError with the place of a mistake.
        launch: what launches it: NAME for ``launch/include/NAME_world.launch``, or the path of a launch file.
        keys: what its scenes may say at the top, so that a key of another world is refused by name; empty
            where only ``read`` knows.
    """

    read: Callable[..., object]
    launch: str
    keys: Tuple[str, ...] = ()


@dataclass(frozen=True)
class PerceptionSource:
    """What recognises objects in the images of a scene's camera.

    Args:
        open: ``open(scene)`` answers a ``ports.perception.Perception`` for a ``scene.Scene``, or raises
            ConfigError if it cannot serve that scene. It gets images only while the camera is in its place.
    """

    open: Callable[..., object]


@dataclass(frozen=True)
class Driver:
    """What stands between a robot and the workspace; of it the workspace reads the section of the robot's file.

    The driver itself implements ``Arm``, ``Base`` or ``RobotPort`` of ``ports.robot`` and runs in a node with a
    ``RobotServer`` of hicrisp_ros. ``robot.testing`` has the tests that it must pass.

    Args:
        load: reads a robot's file, or raises ConfigError with the place of a mistake.
    """

    load: Callable[..., object]

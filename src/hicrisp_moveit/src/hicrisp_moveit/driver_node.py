"""The driver's door: ``robots/<name>/execute`` for an arm behind MoveIt."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, Mapping, Optional

import rospy
from hicrisp_core.detector.perception import frames_of
from hicrisp_core.domain.schema import SkillUse
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose, WorldState
from hicrisp_core.robot.arm_robot import ArmRobot
from hicrisp_core.robot.description import RobotBody, body_of
from hicrisp_core.robot.noisy_arm import NoisyArm
from hicrisp_core.robot.safety import SafetyLimits, load_safety
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.config_files import config_file, config_path, domain_of, parameter
from hicrisp_ros.conversions.world import WORLD_FRAME
from hicrisp_ros.frames import name_frames
from hicrisp_ros.ports.observer import TopicObserver
from hicrisp_ros.robot_server import RobotServer
from std_srvs.srv import Trigger, TriggerRequest, TriggerResponse

from hicrisp_moveit.settings import ArmFile, load_arm_file

_LOOK_LIMIT = 5.0
_RECOVERY = 10.0
_STOP_LIMIT = 3.0
_SAME_OPENING = 0.01
"""Metres by which joints and frames may differ about the opening; the detector's tests allow about as much."""


class MoveItDriver:
    """An arm behind its action, with the detector's eyes; ``robots/<name>/reset`` forgets and recovers."""

    def __init__(
        self, arm: Any, body: RobotBody, skills: Mapping[str, SkillUse], eyes: TopicObserver,
        limits: Optional[SafetyLimits] = None, sigma: float = 0.0, seed: int = 0,
    ) -> None:
        self._arm = arm
        self._eyes = eyes
        self._apart, self._warned = body.frames.apart, False
        clock = rospy.get_time if rospy.get_param("/use_sim_time", False) else time.monotonic
        moving = NoisyArm(arm, sigma, seed) if sigma > 0.0 else arm
        self._robot = ArmRobot(moving, body.able(skills), self._look, clock=clock, limits=limits,
                               hand=body.gripper)
        self._reset = rospy.Service(f"robots/{arm.name}/reset", Trigger, self._on_reset)
        self._server = RobotServer(self._robot)

    def _look(self) -> WorldState:
        self._eyes.world_changed()
        world = self._eyes.observe(Deadline(_LOOK_LIMIT))
        seen = world.robots.get(self._arm.name)
        misfit = opening_misfit(self._arm.opening(), seen.opening if seen else None, self._apart)
        if misfit and not self._warned:
            rospy.logwarn("%s", misfit)
        self._warned = self._warned or bool(misfit)
        return world

    def _on_reset(self, _: TriggerRequest) -> TriggerResponse:
        self._robot.reset()
        outcome = self._arm.recover(Deadline(_RECOVERY))
        return TriggerResponse(outcome.ok, outcome.message)


def opening_misfit(joints: float, frames: Optional[float], apart: float) -> str:
    """Return how the opening by the finger joints and by the fingers' frames differ, and what to do; empty
    where they agree or one is not known.

    Args:
        joints: metres between the fingers; NaN where that is not known.
        frames: the same by the frames.
        apart: what the robot's file says of the frames, metres.
    """
    if frames is None or not abs(frames - joints) > _SAME_OPENING:
        return ""
    fits = apart + frames - joints
    remedy = f"'apart: {max(0.0, fits):.3f}' under body.frames"
    return (f"the fingers are {1000 * joints:.0f} mm apart by their joints and {1000 * frames:.0f} mm by their frames, "
            f"so what they hold will not count as held; if the first is true, write {remedy} in the robot's file, "
            "otherwise correct 'opening' under gripper")


def build() -> MoveItDriver:
    """The driver that ``~robot`` and ``~domain`` (the scene's own by default) ask for."""
    commander = _commander()
    from hicrisp_moveit.arm import make_arm

    path = config_file("robots", str(parameter("robot")))
    file = _with_parameters(load_arm_file(path))
    scene = load_scene(config_file("scenes", str(parameter("scene", "tabletop"))))
    skills = domain_of(scene, str(parameter("domain", ""))).skills
    body = body_of(path, file.name)
    arm = make_arm(file, commander, float(parameter("wait", 60.0)))
    left = arm.stop(Deadline(_STOP_LIMIT))  # move_group goes on with what a driver began that was killed.
    if not left.ok:
        rospy.logwarn("whether %s stands is not known yet: %s", file.name, left.message)
    if parameter("name_frames", False):
        # The detector looks for world and tool under names of its own.
        name_frames([(WORLD_FRAME, file.moveit.world_frame, Pose((0.0, 0.0, 0.0))),
                     (file.moveit.tool_link, frames_of(file.name, body).frames[0], file.moveit.tcp_pose)])
    eyes = TopicObserver(still=float(parameter("still", 0.01)), window=0.05, patience=1.0)
    safety = str(parameter("safety", str(config_path("safety.yaml"))))
    return MoveItDriver(arm, body, skills, eyes, load_safety(safety) if safety else None,
                        float(parameter("sigma", 0.0)), int(parameter("seed", 0)))


def _commander() -> Any:
    """``MoveGroupCommander``, with its C++ side started in the root namespace.

    Raises:
        ConfigError: when MoveIt is not installed.
    """
    try:
        import moveit_commander
    except ImportError as error:
        raise ConfigError(
            f"MoveIt is not installed here ({error}). It comes with ROS Noetic: apt install "
            "ros-noetic-moveit-commander ros-noetic-panda-moveit-config, and ros-noetic-franka-ros for a "
            "real Panda"
        ) from error
    moveit_commander.roscpp_initialize([rospy.get_name().rsplit("/", 1)[-1], "__ns:=/"])
    return moveit_commander.MoveGroupCommander


def _with_parameters(file: ArmFile) -> ArmFile:
    """The settings with what the launch file changes of them."""
    velocity = float(parameter("velocity", 0.0))
    if not 0.0 <= velocity <= 1.0:
        raise ConfigError("~velocity is a part of the speed limits above 0 and up to 1, or 0 for the robot "
                          f"file's, got {velocity:g}")
    moveit, gripper = file.moveit, file.gripper
    if velocity:
        moveit = replace(moveit, velocity=velocity, acceleration=velocity)
    return replace(
        file, name=str(parameter("name", "")) or file.name,
        moveit=replace(moveit, world_frame=str(parameter("world_frame", "")) or moveit.world_frame),
        gripper=replace(gripper, kind=str(parameter("gripper", "")) or gripper.kind,
                        action=str(parameter("gripper_action", "")) or gripper.action))

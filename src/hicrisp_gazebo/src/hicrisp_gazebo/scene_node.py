"""The door of a scene in Gazebo: it spawns the scene, and serves ``inject_fault`` and ``reset_world``."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from threading import Event, RLock
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

import numpy as np
import rospkg
import rospy
from geometry_msgs.msg import PoseWithCovarianceStamped
from hicrisp_core.detector.perception import frames_of
from hicrisp_core.errors import HicrispError
from hicrisp_core.model import Command
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.scene import Scene, load_scene
from hicrisp_core.scene.cameras import CameraSettings
from hicrisp_core.scene.lab import tray_in_base
from hicrisp_core.scene.sensing import DepthSensor
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.config_files import config_file, domain_of, parameter
from hicrisp_ros.conversions import COMMAND
from hicrisp_ros.conversions.geometry import pose_to_msg, transform_to_msg
from hicrisp_ros.frames import StaticFrames
from hicrisp_ros.ports.robot import RosRobot
from hicrisp_ros.publisher import Publisher
from hicrisp_ros.service_client import ServiceClient, offered
from hicrisp_ros.simulated_world import Resets, begin_faults, injected
from hicrisp_ros.wall_clock import WallTimer
from sensor_msgs.msg import Image
from std_msgs.msg import Bool, Float64
from std_srvs.srv import Empty, EmptyRequest, Trigger, TriggerRequest

from hicrisp_gazebo.client import GazeboClient
from hicrisp_gazebo.depth_camera import EXACT, camera_of, has_camera
from hicrisp_gazebo.world import GazeboWorld
from hicrisp_msgs import srv
from hicrisp_msgs.msg import ExecuteCommandActionFeedback, ExecuteCommandActionGoal


class WatchedRobot:
    """One robot's driver, listened to. Nothing of this asks the driver to help.

    Args:
        began: called with every command that is sent to it.
        phase: called with the command and the name of each of its phases.
    """

    def __init__(self, name: str, began: Callable[[Command], None],
                 phase: Callable[[Command, str], None]) -> None:
        self.name = name
        self._began, self._phase = began, phase
        self._commands: Dict[str, Command] = {}
        self._latest: Tuple[str, str] = ("", "")
        self._port = RosRobot(name, (), Event(), lambda _: None)
        action = f"robots/{name}/execute"
        self._reset = ServiceClient(f"robots/{name}/reset", Trigger)
        self._subscribers = [
            rospy.Subscriber(f"{action}/goal", ExecuteCommandActionGoal, self._on_goal, queue_size=5,
                             tcp_nodelay=True),
            rospy.Subscriber(f"{action}/feedback", ExecuteCommandActionFeedback, self._on_feedback,
                             queue_size=20,
                             tcp_nodelay=True),
        ]

    def stop(self) -> None:
        """Listen no more."""
        for subscriber in self._subscribers:
            subscriber.unregister()

    def halt(self, seconds: float) -> Optional[str]:
        """Cancel what it does and wait until its driver says that it has ended; why it has not."""
        ended = self._port.halt(seconds) or rospy.is_shutdown()
        return None if ended else f"{self.name} did not stop within {seconds:g} s"

    def send_home(self, action: str, seconds: float) -> Optional[str]:
        """Let an arm go to its rest pose; why it did not. One whose driver is away stays where it is."""
        if not self._port.known:  # A connection that is being made is waited for.
            return None
        outcome = self._port.execute(Command(action, robot=self.name, time_limit=seconds), Deadline(seconds),
                                     Event())
        return None if outcome.ok else f"{self.name} did not go to its rest pose: {outcome.message}"

    def forget(self, seconds: float) -> Optional[str]:
        """Let a driver that has such a door forget what its hand held; why it did not."""
        if not offered(self._reset.name):
            return None
        reply = self._reset.call(TriggerRequest(), seconds)
        ok = reply.response is not None and reply.response.success
        return None if ok else f"{self.name} did not forget what it held: " \
                               f"{reply.response.message if reply.response is not None else reply.message}"

    def _on_goal(self, message: ExecuteCommandActionGoal) -> None:
        command = COMMAND.from_msg(message.goal.command)
        self._commands = {message.goal_id.id: command}
        self._began(command)

    def _on_feedback(self, message: ExecuteCommandActionFeedback) -> None:
        goal, phase = message.status.goal_id.id, message.feedback.phase
        command = self._commands.get(goal)
        if command is not None and (goal, phase) != self._latest:
            self._latest = (goal, phase)
            self._phase(command, phase)


_TICK = 0.02
_GUESS = 0.01
"""Variance of where a base is said to start, m2 and rad2."""
_HALT, _HOME, _FORGET, _CLEAR = 5.0, 30.0, 15.0, 2.0
"""Seconds of wall time that robots get to stop, to go home and to forget what they held, and move_base
what it saw.
"""


class SceneServer:
    """Serves one scene.

    Args:
        home: name of the domain's action that takes an arm to its rest pose; empty where there is none.
        clear: service that makes a base forget the obstacles it saw; empty where there is none.
    """

    def __init__(self, scene: Scene, seed: int, base: str, home: str, clear: str) -> None:
        self._lock = RLock()
        self._home, self._clear = home, clear
        noise = Publisher("pose_noise", Float64, queue_size=1, latch=True)
        gazebo = GazeboClient(str(parameter("gazebo", "/gazebo")))
        self._world = GazeboWorld(gazebo, scene, seed, Path(base) if base else None, rospy.get_time,
                                  lambda sigma: noise.publish(Float64(sigma)), rospy.get_namespace())
        self._frames = StaticFrames()
        self._depth: Optional[MeasuredDepth] = None
        self._starts = Publisher("/initialpose", PoseWithCovarianceStamped, queue_size=1, latch=True)
        self._world.begin()
        self._announce()
        bases = scene.arena.starts if scene.arena is not None else {}
        self._robots = [WatchedRobot(name, partial(self._happens, self._world.faults.command_began),
                                     partial(self._happens, self._world.faults.phase_began)) for name in scene.robots]
        self._arms = [robot for robot in self._robots if robot.name not in bases]
        self._resets = Resets(scene, self._reset)
        self._services = (rospy.Service("inject_fault", srv.InjectFault, self._inject),
                          rospy.Service("reset_world", srv.ResetWorld, self._resets.answer))
        self._timer = WallTimer(_TICK, partial(self._happens, self._world.faults.tick), "faults")
        self._ready = Publisher("~ready", Bool, queue_size=1, latch=True)
        self._ready.publish(Bool(True))

    def stop(self) -> None:
        """Serve no more; the world stays as it is."""
        self._timer.shutdown()
        for service in self._services:
            service.shutdown("the scene is closed")
        if self._depth is not None:
            self._depth.stop()
        for robot in self._robots:
            robot.stop()

    def _announce(self) -> None:
        """Publish where a localisation that needs a first guess begins to look for a base, what is fixed to it, where
        the camera is, and what goes wrong from the start.
        """
        begin_faults(self._world.scene.faults)
        if self._depth is not None:
            self._depth.stop()
        if has_camera(self._world.scene):
            settings = camera_of(self._world.scene)
            self._depth = MeasuredDepth(settings, self._world.scene.seed)
            self._frames.put([
                transform_to_msg("world", settings.frame, settings.mounting.pose, rospy.Time.now())])
        arena, bodies = self._world.scene.arena, bodies_of(self._world.scene)
        for name, start in arena.starts.items() if arena is not None else ():
            if start.tray:
                frame = frames_of(name, bodies[name]).frames[0]
                self._frames.put([transform_to_msg(frame, start.tray, tray_in_base(), rospy.Time.now())])
            message = PoseWithCovarianceStamped()
            message.header.frame_id, message.header.stamp = "map", rospy.Time.now()
            message.pose.pose = pose_to_msg(start.pose)
            message.pose.covariance = [_GUESS if row == column and row in (0, 1, 5) else 0.0
                                       for row in range(6) for column in range(6)]
            self._starts.publish(message)

    def _happens(self, faults: Callable[..., Iterable[str]], *about: Any) -> None:
        try:
            with self._lock:
                for said in faults(*about):
                    rospy.loginfo("%s", said)
        except HicrispError as error:
            rospy.logwarn("a fault could not happen: %s", error)

    def _inject(self, request: srv.InjectFaultRequest) -> srv.InjectFaultResponse:
        with self._lock:
            return injected(request, self._world.inject)

    def _reset(self, scene: Scene, seed: int) -> Sequence[str]:
        problems = [problem for robot in self._robots for problem in [robot.halt(_HALT)] if problem]
        if self._home and not problems:
            problems = [problem for arm in self._arms for problem in [arm.send_home(self._home, _HOME)]
                        if problem]
        with self._lock:
            self._world.reset(scene, seed)
        problems += [problem for arm in self._arms for problem in [arm.forget(_FORGET)] if problem]
        self._announce()
        if self._clear and offered(self._clear):  # A base must not drive around what is no longer there.
            ServiceClient(self._clear, Empty).call(EmptyRequest(), _CLEAR)
        return problems


def build() -> SceneServer:
    """The scene that the parameters ask for."""
    seed = int(parameter("seed", 0))
    scene = load_scene(config_file("scenes", str(parameter("scene", "tabletop"))), seed)
    models: List[str] = [rospkg.RosPack().get_path("hicrisp_gazebo"), "models", "agv", "model.sdf"]
    base = str(parameter("base_model", str(Path(*models))))
    home = next((name for name, action in domain_of(scene).actions.items() if action.skill == "home"), "")
    return SceneServer(scene, seed, base, home, str(parameter("clear_service", "/move_base/clear_costmaps")))


class MeasuredDepth:
    """Publishes measured depth while a subscriber wants it; glass has depth here.

    Args:
        settings: of the camera.
        seed: draws what scatters.
    """

    def __init__(self, settings: CameraSettings, seed: int) -> None:
        self._sensor = DepthSensor(settings.depth, settings.intrinsics, np.random.default_rng([seed, 435]))
        self._unseen = np.float32(2.0 * settings.depth.far)
        self._measured = Publisher(settings.topics.depth, Image, queue_size=1)
        self._subscriber = rospy.Subscriber(EXACT, Image, self._on_exact, queue_size=1, buff_size=2**23)

    def stop(self) -> None:
        """Publish no more."""
        self._subscriber.unregister()
        self._measured.unregister()

    def _on_exact(self, message: Image) -> None:
        if not self._measured.get_num_connections():
            return
        exact = np.frombuffer(message.data, "<f4").reshape(message.height, message.width)
        message.data = self._sensor.measure(np.where(np.isfinite(exact), exact, self._unseen)).tobytes()
        self._measured.publish(message)

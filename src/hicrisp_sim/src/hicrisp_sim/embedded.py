"""The embedded world in one process: a scene, a robot in it, state estimation, faults and images."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Callable, Dict, FrozenSet, Optional, Sequence, Tuple, Union

from hicrisp_core.detector.perception import frames_of
from hicrisp_core.detector.state_estimator import StateEstimator
from hicrisp_core.domain import Domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose, WorldState
from hicrisp_core.model.world import inside_of
from hicrisp_core.ports.observer import Naming, NamingRequest
from hicrisp_core.ports.perception import TrackSource
from hicrisp_core.ports.robot import RobotPort
from hicrisp_core.robot.safety import usual_limits
from hicrisp_core.scene import Scene, domain_of, load_scene
from hicrisp_core.scene.cameras import load_camera
from hicrisp_core.scene.undescribed import with_undescribed
from hicrisp_core.time.deadline import Deadline

from hicrisp_sim.arm import EmbeddedArm
from hicrisp_sim.arm_model import ArmDescription
from hicrisp_sim.depth_camera import EmbeddedCamera
from hicrisp_sim.faults import Faults
from hicrisp_sim.faulty_robot import FaultyRobot
from hicrisp_sim.robot_files import descriptions_of
from hicrisp_sim.settings import QUIET
from hicrisp_sim.simulation import CONTROL_PERIOD, Simulation, Snapshot
from hicrisp_sim.tracker import Tracker

PATIENCE, _PAUSE = 10.0, 0.1
"""Simulated seconds for which a picture is waited for, and between two tries."""
AGE_LIMIT = 1.0
"""Age above which an image does not count as observed, seconds of simulation time."""


Moving = Callable[[], FrozenSet[str]]
"""Names the robots and objects that move on purpose at this moment."""
_QUIET_FOR = 0.1
"""Seconds without motion after which objects count as settled."""


class SimulatedWorld:
    """What every world in one process has: a scene, a clock and pictures."""

    simulation: Simulation

    @property
    def scene(self) -> Scene:
        return self.simulation.scene

    @property
    def time(self) -> float:
        """Simulation time, seconds."""
        return self.simulation.time

    def snapshot(self, path: Union[str, Path], camera: str = "overview") -> Path:
        """Save an image of the current world.

        Args:
            path: file to write, PNG or JPEG by its name.
            camera: name of a camera in the model.

        Returns:
            Path of the file.
        """
        from hicrisp_sim.render import Renderer  # OpenGL is needed for pictures only.

        with Renderer(self.simulation.model) as renderer:
            return renderer.save(self.simulation.snapshot, path, camera)

    def _other(self, scene: Union[Scene, str, Path, None], seed: int) -> Scene:
        """Return the scene to begin again with: another one, or a layout of this one that is drawn with the seed."""
        return scene if isinstance(scene,
                                   Scene) else load_scene(scene or self.scene.source or self.scene.name, seed)


class EmbeddedWorld(SimulatedWorld):
    """A simulated lab: the same robot ports, frames and faults that the ROS node offers.

    Args:
        scene: a scene, or the path or name of one.
        seed: draws the layout, the faults and the planner's choices.
        rate: simulated seconds a second; 0 for as fast as can be.
        robot: the arms' file, or the name of one; ``config/robots/<name>_embedded.yaml`` by default, with the
            name of the arm or of its body in the scene.
        domain: the domain of the commands; the scene's own by default.
        sight: creates the perception of a world's objects, for every scene again; without one
            they are seen by their true poses.
    """

    def __init__(
        self, scene: Union[Scene, str, Path], seed: int = 0, rate: float = 0.0,
        robot: Union[str, Path] = "", domain: Optional[Domain] = None,
        sight: Optional[Callable[["EmbeddedWorld"], TrackSource]] = None,
    ) -> None:
        self._make_sight = sight
        self._sight: Optional[TrackSource] = None
        self._settled: Optional[Snapshot] = None
        loaded = with_undescribed(scene if isinstance(scene, Scene) else load_scene(scene, seed), seed)
        self.descriptions = descriptions_of(loaded, robot)
        self._domain = domain or domain_of(loaded)
        self.simulation = self._simulate(loaded, rate)
        safety = usual_limits()
        self.arms = tuple(EmbeddedArm(self.simulation, loaded, arm, seed, safety) for arm in self.descriptions)
        self.faults = Faults(self.simulation, self.arms, seed)
        self._seed = seed
        self._watching: Optional[EmbeddedCamera] = None
        turn, self.arm_robots = Lock(), tuple(
            FaultyRobot(arm, described.body.able(self._domain.skills), self.look, clock=lambda: self.time,
                        limits=arm.safety, hand=described.body.gripper)
            for arm, described in zip(self.arms, self.descriptions))
        for each in self.arm_robots:
            each.faults, each.turn = self.faults, turn
        self._arm_frames = tuple(frames_of(arm.name, arm.body) for arm in self.descriptions)
        self._tracker = Tracker(tuple(link for arm in self.descriptions for link in arm.links()))
        self._begin(loaded)

    @property
    def description(self) -> ArmDescription:
        """The first arm's description."""
        return self.descriptions[0]

    @property
    def arm(self) -> EmbeddedArm:
        """The first arm."""
        return self.arms[0]

    @property
    def robot(self) -> FaultyRobot:
        """The first arm's robot port."""
        return self.arm_robots[0]

    @property
    def robots(self) -> Dict[str, RobotPort]:
        """The robot ports by name."""
        return {robot.name: robot for robot in self.arm_robots}

    @property
    def domain(self) -> Domain:
        """Types, predicates and actions of the application."""
        return self._domain

    def _simulate(self, scene: Scene, rate: float) -> Simulation:
        if scene.arena is not None:
            raise ConfigError(f"the scene '{scene.name}' is an arena for a base; this world is a table for "
                              "an arm")
        return Simulation(scene, self.descriptions, rate)

    def reset(self, scene: Union[Scene, str, Path, None] = None, seed: int = 0) -> None:
        """Reset the world, or switch to another scene.

        Args:
            scene: the scene, its file or name; ``None`` keeps the current one.
            seed: of the random layout.
        """
        loaded = with_undescribed(self._other(scene, seed), seed)
        for robot in self.arm_robots:
            robot.stop(Deadline(2.0))
        self._put_camera_away()
        self._seed = seed
        self.simulation.reset(loaded)
        for arm in self.arms:
            arm.load(loaded, seed)
        self.faults.reset(seed)
        self._begin(loaded)

    def _begin(self, scene: Scene) -> None:
        self._open_eyes(scene)
        for fault in scene.faults:
            self.inject(fault.kind, fault.target, fault.magnitude, fault.count)
        self.settle(0.3)

    def _open_eyes(self, scene: Scene) -> None:
        self.eyes = StateEstimator(scene, self._domain, AGE_LIMIT)
        self._sight = self._make_sight(self) if self._make_sight is not None else None

    @property
    def wrist_camera(self) -> Optional[EmbeddedCamera]:
        """The depth camera in the robot's hand; ``None`` without one."""
        return None

    @property
    def camera(self) -> EmbeddedCamera:
        """The depth camera that the scene names.

        Raises:
            ConfigError: if its file cannot be read, or its link does not exist.
        """
        if self._watching is None:
            settings = load_camera(self.scene.camera, beside=self.scene.source or None)
            self._watching = EmbeddedCamera(self.simulation, settings, self._seed, self.faults.camera)
        return self._watching

    def _put_camera_away(self) -> None:
        if self._watching is not None:
            self._watching.close()
        self._watching = None

    def close(self) -> None:
        """Release the camera's OpenGL context, which takes memory; the next image creates it again."""
        self._put_camera_away()

    def inject(self, kind: str, target: str = "", magnitude: Sequence[float] = (), count: int = 0) -> str:
        """Inject a fault; see ``faults.KINDS``.

        Args:
            kind: kind of the fault.
            target: name of an object; empty for any.
            magnitude: numbers that the kind requires.
            count: how often it occurs; 0 for always.

        Returns:
            What was done, as a sentence.
        """
        return self.faults.inject(kind, target, magnitude, count)

    def frames(self, snapshot: Optional[Snapshot] = None) -> Dict[str, Tuple[Pose, float]]:
        """Return the frames of all objects and of the robot, as TF would.

        Args:
            snapshot: state of the simulation; the current one by default.

        Returns:
            Pose in the world frame and time (seconds) by frame.
        """
        snapshot = snapshot or self.simulation.snapshot
        robot, objects = self._tracker.read(snapshot)
        unannounced = {item.name for item in self.scene.unknown}
        hidden = inside_of({name: item.at(objects[name]) if name in objects else item
                            for name, item in self.scene.objects.items()}) if self.simulation.parts else {}
        told = {name: pose for name, pose in objects.items() if name not in unannounced and name not in hidden}
        return {name: (pose, snapshot.time) for name, pose in {**robot, **self.faults.seen(told)}.items()}

    def robot_frames(self) -> Dict[str, Tuple[Pose, float]]:
        """Return the frames of the robot.

        Returns:
            Pose in the world frame and time (seconds) by frame.
        """
        snapshot = self.simulation.snapshot
        return {name: (pose, snapshot.time) for name, pose in self._tracker.read(snapshot)[0].items()}

    def true_frames(self) -> Dict[str, Tuple[Pose, float]]:
        """Return all frames without faults, including unannounced objects; for judges, not for robots.

        Returns:
            Pose in the world frame and time (seconds) by frame.
        """
        snapshot = self.simulation.snapshot
        robot, objects = self._tracker.read(snapshot)
        return {name: (pose, snapshot.time) for name, pose in {**robot, **objects}.items()}

    def true_state(self) -> WorldState:
        """Return the world with the facts that follow from the true poses, for judges.

        Returns:
            The world.
        """
        return self.eyes.see(self.true_frames(), self.time)

    def look(self) -> WorldState:
        """Return the poses that frames or camera show at this moment, for drivers.

        Returns:
            The world; facts are derived only from the camera's view.
        """
        if self._sight is not None:
            return self._seen(self._sight)
        frames = self.frames()
        objects = {name: replace(item, pose=frames[name][0]) if name in frames else
                   replace(item, pose=None) if item.moves else item for name, item in self.eyes.known.items()}
        self._measure()
        robots = {arm.name: arm.seen(frames) for arm in self._arm_frames}
        return WorldState(objects, self.eyes.measured, robots, self.time)

    def observe(self, deadline: Deadline) -> WorldState:
        """Return the world, from its frames or the camera, after objects have come to rest.

        Args:
            deadline: not used; settling is bounded in simulation time.

        Returns:
            The world.
        """
        return self.observe_beside(frozenset, deadline)

    def observe_beside(self, moving: Moving, deadline: Deadline) -> WorldState:
        """Return the world after everything else has come to rest.

        Args:
            moving: returns the names of objects and robots that may move.
            deadline: not used; settling is bounded in simulation time.

        Returns:
            The world.
        """
        del deadline  # Settling is bounded in simulated time, which passes much faster.
        self.settle(1.0, moving)
        self._measure()
        if self._sight is not None:
            return self._seen(self._sight)
        return self.eyes.see(self.frames(), self.time)

    def _measure(self) -> None:
        self.eyes.measure(self.simulation.measured())

    def give_name(self, wanted: NamingRequest) -> Naming:
        """Give an unknown object a name.

        Args:
            wanted: which object, its new name, and who gives it.

        Returns:
            The new name, or why it cannot be given.
        """
        return self.eyes.give_name(wanted)

    def _seen(self, sight: TrackSource) -> WorldState:
        """Return the world with its objects as the camera shows them; without an image it waits for a while."""
        since = self.time
        view = sight.look()
        while view.stamp < since and self.time < since + PATIENCE:
            self.pass_time(_PAUSE)
            view = sight.look()
        return self.eyes.see(self.robot_frames(), self.time, view)

    def pass_time(self, seconds: float) -> None:
        """Advance the simulation.

        Args:
            seconds: simulation time, seconds.
        """
        end = self.time + seconds
        with self.simulation.moving():
            while self.time < end:
                self.simulation.step()

    def settle(self, seconds: float, moving: Moving = frozenset) -> None:
        """Advance the simulation until nothing else moves.

        Args:
            seconds: limit in simulation time, seconds.
            moving: returns the names of objects and robots that may move.
        """
        bodies, end, stands = self._bodies(), self.time + seconds, False
        held = {arm.attached: described.settings.creep for arm, described in zip(self.arms, self.descriptions)}
        # Where nothing has happened since everything rested, one look is enough.
        window = CONTROL_PERIOD if self.simulation.snapshot is self._settled else _QUIET_FOR
        with self.simulation.moving():
            while self.time < end and not stands:
                before = {name: self.simulation.place_of(body) for name, body in bodies.items()}
                began, until, may_move = self.time, min(end, self.time + window), set(moving())
                while self.time < until:
                    self.simulation.step()
                    may_move |= moving()
                took, window = self.time - began, _QUIET_FOR
                stands = all(name in may_move or self.simulation.moved(bodies[name], place) <
                             held.get(name, QUIET) * took for name, place in before.items())
        self._settled = self.simulation.snapshot if stands else None

    def _bodies(self) -> Dict[str, str]:
        """Return the free bodies of the physics by the names of the objects and robots that they are."""
        return {item.name: item.name for item in (*self.scene.things, *self.scene.unknown)}

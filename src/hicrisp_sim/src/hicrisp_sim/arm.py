"""The simulated arm behind the ``Arm`` port: plans in the observed world, moves in the physical one."""

from __future__ import annotations

from dataclasses import replace
from threading import Event, RLock
from typing import Callable, FrozenSet, Optional, Sequence

import numpy as np
from hicrisp_core.model import Cause, CauseKind, Outcome, Pose, Status, WorldState
from hicrisp_core.ports.robot import Trajectory
from hicrisp_core.robot.safety import SafetyLimits
from hicrisp_core.scene import Scene
from hicrisp_core.time.deadline import Deadline

from hicrisp_sim.arm_model import ArmDescription
from hicrisp_sim.kinematics import Kinematics
from hicrisp_sim.motion import Motion, MotionPlanner
from hicrisp_sim.planning_scene import PlanningScene
from hicrisp_sim.settings import REST, ArmSettings
from hicrisp_sim.simulation import CONTROL_PERIOD, Simulation

Distortion = Callable[[Trajectory], Trajectory]
"""What an actuator error makes of a motion, without telling anybody."""
_BRAKE = 0.15
"""Seconds in which a motion that is broken off comes to rest."""
_STILL = 0.02
"""Joint speed below which the arm counts as standing, rad/s."""
_LAG = 0.15
"""Joint error that no motion should have, rad."""
_CONTACT_PERIODS = 3
"""Control periods for which a force must last to count as a contact."""
_STALLED = 0.004
"""Finger speed that counts as standing, m/s."""


class EmbeddedArm:
    """An arm in the simulation.

    Motions step the physics in the caller's thread; ``stop`` may come from any other. The other arms of the simulation
    are obstacles where they are when a motion is planned.
    """

    def __init__(self, simulation: Simulation, scene: Scene, description: ArmDescription,
                 seed: int = 0, safety: Optional[SafetyLimits] = None) -> None:
        self.safety = safety and replace(safety, base=description.base)
        self.joints = simulation.arms[description.name]
        self._others = [arm for arm in simulation.descriptions if arm.name != description.name]
        self.name, self.max_opening = description.settings.name, description.opening
        self.distortion: Optional[Distortion] = None
        self._simulation = simulation
        self._description, self._settings = description, description.settings
        self._grip = description.model.grip
        self._kinematics = Kinematics(description)
        self._moving = RLock()
        self._stopping = Event()
        self.load(scene, seed)

    def load(self, scene: Scene, seed: int) -> None:
        """Plan for another scene.

        Args:
            scene: the initial objects, robots and facts, as its file describes them.
            seed: of the planner.
        """
        seen = PlanningScene(scene, self._description, self._settings.margin, self._others)
        self._opened: Optional[float] = None
        """What the fingers were opened to last."""
        self._readied: Optional[float] = None
        """Where they go with the next motion."""
        self._planner = MotionPlanner(seen, self._kinematics, self._settings, seed, self.safety)

    @property
    def kinematics(self) -> Kinematics:
        return self._kinematics

    @property
    def attached(self) -> Optional[str]:
        """The object attached to the hand in the planning scene."""
        return self._planner.scene.attached

    def tool_pose(self) -> Pose:
        """Return the tool centre point.

        Returns:
            Pose in the world frame.
        """
        with self._moving:
            return self._kinematics.tool_pose(self.joints.positions)

    def opening(self) -> float:
        """Return the distance between the fingers.

        Returns:
            Metres.
        """
        return self.joints.opening

    def sync(self, world: WorldState) -> None:
        """Make the planning scene equal to the observed world.

        Args:
            world: observed objects, robots and facts; poses in the world frame.
        """
        self._planner.scene.sync(world)

    def attach(self, object_name: str) -> None:
        """Attach an object to the hand in the planning scene.

        Args:
            object_name: name of the object.
        """
        self._planner.scene.attach(object_name, self.joints.positions)

    def detach(self) -> None:
        """Detach the object from the hand in the planning scene."""
        self._planner.scene.detach(self.joints.positions)

    def margin(self, pose: Pose) -> Optional[float]:
        """Return the least joint margin for a pose.

        Args:
            pose: tool pose in the world frame.

        Returns:
            Radians; ``None`` without a posture.
        """
        return self._kinematics.margin(pose, self.joints.positions)

    def plan_to(self, pose: Pose, deadline: Deadline, touch: FrozenSet[str] = frozenset(),
                then: Sequence[Pose] = ()) -> Motion:
        """Plan a collision-free motion to a pose.

        Args:
            pose: tool pose in the world frame.
            deadline: wall-clock limit of the call.
            touch: names of objects that may be touched.
            then: poses to which the tool goes on from there in straight lines.

        Returns:
            The trajectory, or why none was found.
        """
        self._look_aside()
        return self._planner.to_pose(self.joints.positions, pose, deadline, touch, then)

    def plan_line(self, pose: Pose, deadline: Deadline, speed: float,
                  touch: FrozenSet[str] = frozenset()) -> Motion:
        """Plan a straight motion of the tool.

        Args:
            pose: tool pose in the world frame.
            deadline: wall-clock limit of the call.
            speed: of the tool, m/s.
            touch: names of objects that may be touched.

        Returns:
            The trajectory, or why none was found.
        """
        self._look_aside()
        return self._planner.along_line(self.joints.positions, pose, deadline, speed, touch)

    def plan_home(self, deadline: Deadline) -> Motion:
        """Plan a motion to the rest posture.

        Args:
            deadline: wall-clock limit of the call.

        Returns:
            The trajectory, or why none was found.
        """
        self._look_aside()
        return self._planner.to_rest(self.joints.positions, deadline)

    def follow(
        self, trajectory: Trajectory, deadline: Deadline, cancel: Event, stop_on_contact: bool = False
    ) -> Outcome:
        """Execute a trajectory.

        Args:
            trajectory: the planned motion; joint positions in radians.
            deadline: wall-clock limit of the call.
            cancel: event that stops the call when it is set.
            stop_on_contact: whether the first contact ends the motion (EXECUTION).

        Returns:
            The outcome; EXECUTION if the arm is not at the start of the trajectory.
        """
        if stop_on_contact and self.attached and self.distortion is not None:
            trajectory = self.distortion(trajectory)
        times, positions = np.array(trajectory.times), np.array(trajectory.positions)
        velocities = np.array(trajectory.velocities)
        if np.abs(self.joints.lag(positions[0])).max() > _LAG:
            return Outcome.because(CauseKind.OFF_COURSE, Status.EXECUTION,
                                   "the arm is not where the motion begins")
        opening, self._readied = self._readied, None
        with self._moving, self._simulation.moving():
            self._stopping.clear()
            at, pace, outcome = 0.0, 1.0, Outcome(Status.SUCCESS)
            fingers = self.joints.opening
            watch = _Watch(self._settings, self._force() if stop_on_contact else None)
            while at < times[-1]:
                if outcome.ok:
                    outcome = self._interrupted(deadline, cancel) or outcome
                else:
                    pace -= CONTROL_PERIOD / _BRAKE
                if pace <= 0.0:
                    break
                rate = pace * self.joints.pace
                at = min(at + rate * CONTROL_PERIOD, float(times[-1]))
                wanted = _sample(times, positions, at)
                self.joints.command(wanted, _sample(times, velocities, at) * rate)
                if opening is not None:
                    fingers = self._nearer(fingers, opening)
                    self.joints.command_fingers(fingers, self._grip)
                self._simulation.step()
                bump = watch.look(self.joints.lag(wanted),
                                  self.joints.external_torques,
                                  self._force() if stop_on_contact else None)
                if bump is not None:
                    self._hold(self.joints.positions, self._settings.rest_time)
                    return Outcome(Status.EXECUTION, bump.said, cause=bump)
            self._hold(_sample(times, positions, at), self._settings.rest_time)
            if opening is None or not outcome.ok:
                return outcome
            if fingers == opening and self.joints.finger_speed < _STALLED:
                self._opened = opening
            return self.move_gripper(opening, deadline, cancel)

    def ready_gripper(self, opening: float) -> None:
        """Have the fingers move with the next motion, which is planned for that.

        Args:
            opening: distance between them, metres, from 0 to ``max_opening``.
        """
        self._readied = opening

    def move_gripper(self, opening: float, deadline: Deadline, cancel: Event) -> Outcome:
        """Move the fingers.

        Args:
            opening: distance between them, metres, from 0 to ``max_opening``.
            deadline: wall-clock limit of the call.
            cancel: event that stops the call when it is set.

        Returns:
            The outcome; INVALID out of range.
        """
        if not 0.0 <= opening <= self.max_opening + 1e-6:
            return Outcome.because(CauseKind.MALFORMED, Status.INVALID,
                                   f"the fingers open from 0 to {self.max_opening} m, not {opening:.3f} m")
        self._readied = None
        if opening == self._opened and self.joints.finger_speed < _STALLED and not cancel.is_set():
            return Outcome(Status.SUCCESS)  # They stand as near to it as they get.
        return self._move_fingers(opening, self._grip, deadline, cancel)

    def grasp(self, force: float, deadline: Deadline, cancel: Event) -> Outcome:
        """Close the fingers until they hold an object.

        Args:
            force: of the grip, newtons, above 0 and at most the gripper's own.
            deadline: wall-clock limit of the call.
            cancel: event that stops the call when it is set.

        Returns:
            The outcome; INVALID out of range.
        """
        if not 0.0 < force <= self._grip:
            return Outcome.because(CauseKind.MALFORMED, Status.INVALID,
                                   f"the fingers press with more than 0 and up to {self._grip:g} N, "
                                   f"not {force:.1f} N")
        return self._move_fingers(-0.02, force, deadline, cancel)

    def stop(self, deadline: Deadline) -> Outcome:
        """Stop the arm, and confirm from the physics that it stands.

        Args:
            deadline: wall-clock limit of the call.

        Returns:
            SUCCESS once it stands; TIMEOUT at the deadline.
        """
        self._stopping.set()
        if not self._moving.acquire(timeout=deadline.remaining):
            return Outcome.because(CauseKind.OUT_OF_TIME, Status.TIMEOUT, "the arm did not stop in time")
        try:
            with self._simulation.moving():
                self._hold(self.joints.positions, REST)
            if np.abs(self.joints.velocities).max() > _STILL:
                return Outcome.because(CauseKind.STILL_MOVING, Status.EXECUTION, "the arm still moves")
            return Outcome(Status.SUCCESS)
        finally:
            self._moving.release()

    def _look_aside(self) -> None:
        """Take the hand and the other arms to be as their own sensors say."""
        self._planner.scene.set_opening(self.opening() if self._readied is None else self._readied)
        self._planner.scene.stand_aside([self._simulation.arms[arm.name].posture for arm in self._others])

    def _interrupted(self, deadline: Deadline, cancel: Event) -> Optional[Outcome]:
        if cancel.is_set() or self._stopping.is_set():
            return Outcome.because(CauseKind.CANCELED, Status.CANCELED, "the motion was stopped")
        if deadline.passed:
            return Outcome.because(CauseKind.OUT_OF_TIME, Status.TIMEOUT, "the time for the motion ran out")
        return None

    def _force(self) -> np.ndarray:
        """Return the force on the tool that explains the torques on the joints, newtons, world axes."""
        jacobian = self._kinematics.jacobian(self.joints.positions)
        return np.linalg.lstsq(jacobian.T, self.joints.external_torques, rcond=None)[0][:3]

    def _hold(self, joints: np.ndarray, seconds: float) -> None:
        """Stay at joints until the arm stands still, or for some time."""
        self.joints.command(joints, np.zeros_like(joints))
        end = self._simulation.time + seconds
        while self._simulation.time < end:
            self._simulation.step()
            if np.abs(self.joints.velocities).max() < _STILL:
                break

    def _move_fingers(self, opening: float, force: float, deadline: Deadline, cancel: Event) -> Outcome:
        simulation, joints = self._simulation, self.joints
        with self._moving, simulation.moving():
            self._stopping.clear()
            wanted, still, self._opened, self._readied = joints.opening, 0.0, None, None
            while still < 0.06:
                stopped = self._interrupted(deadline, cancel)
                if stopped is not None:
                    return stopped
                wanted = self._nearer(wanted, opening)
                joints.command_fingers(wanted, force)
                simulation.step()
                arrived = abs(wanted - opening) < 1e-9 or abs(joints.opening - wanted) > 0.01
                still = still + CONTROL_PERIOD if arrived and joints.finger_speed < _STALLED else 0.0
            joints.command_fingers(opening, force)
            simulation.step()
            self._opened = opening
            return Outcome(Status.SUCCESS)

    def _nearer(self, fingers: float, opening: float) -> float:
        """Return where the fingers are a control period later on their way to a distance, metres."""
        step = self._settings.finger_speed * CONTROL_PERIOD
        return min(max(opening, fingers - step), fingers + step)


class _Watch:
    """Tells a contact from a jolt: what is wrong must last for some control periods on end."""

    def __init__(self, settings: ArmSettings, free_force: Optional[np.ndarray]) -> None:
        self._settings = settings
        self._free_force = free_force
        self._count = 0

    def look(self, lag: np.ndarray, torques: np.ndarray, force: Optional[np.ndarray]) -> Optional[Cause]:
        """Check the forces on the arm; ``None`` if they are as expected."""
        found: Optional[Cause] = None
        if np.abs(lag).max() > _LAG:
            found = Cause(CauseKind.OFF_COURSE, said="the arm could not follow its motion")
        elif np.abs(torques).max() > self._settings.contact_torque:
            found = Cause(CauseKind.TOUCHED, said="the arm pressed against something")
        elif force is not None and self._free_force is not None:
            change = float(np.linalg.norm(force - self._free_force))
            if change > self._settings.contact_force:
                found = Cause(CauseKind.TOUCHED, said=f"the hand touched something ({change:.0f} N)")
        self._count = self._count + 1 if found is not None else 0
        return found if self._count >= _CONTACT_PERIODS else None


def _sample(times: np.ndarray, rows: np.ndarray, at: float) -> np.ndarray:
    """Return the row at a time, between two rows by a straight line; the times are evenly spaced."""
    place = at / times[-1] * (len(times) - 1)
    index = min(int(place), len(times) - 2)
    return rows[index] + (rows[index + 1] - rows[index]) * (place - index)

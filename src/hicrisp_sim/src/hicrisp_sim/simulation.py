"""The physics and its clock: who steps it, how fast, and how others look at it while it runs."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Event, Lock, RLock, Thread
from typing import Callable, Iterator, List, Optional, Tuple

import mujoco
import numpy as np
from hicrisp_core.model import WorldObject
from hicrisp_core.scene import Scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.waiting import wait_until
from hicrisp_ros.malloc_tuning import give_back

from hicrisp_sim.arm_model import ArmDescription
from hicrisp_sim.models import physics_model

CONTROL_PERIOD = 0.004
"""Seconds of simulated time between two commands to the controllers."""
_JUMP = 1.0
"""Jump of a followed clock that counts as a reset, seconds."""
_STILL = 0.5
"""Wall seconds for which a clock that is followed is waited for in each control period."""
_IDLE_RATE = 1.0
"""Rate of simulation time to wall time while nothing moves and no rate is set: an idle world leaves the
processor alone.
"""


@dataclass(frozen=True)
class Snapshot:
    """The state at one instant of simulation time, for observers and images; it is never changed."""

    time: float
    positions: np.ndarray
    model: mujoco.MjModel


class Simulation:
    """Owns the MuJoCo model and its state.

    A mover steps the physics in its own thread (``step``); ``start_idling`` adds a thread
    that steps while nothing moves. Others read ``snapshot``, which needs no lock.

    Args:
        arm: the arm, which begins in its posture of rest; ``None`` in an arena without one.
        rate: simulated seconds a second; 0 for as fast as can be.
    """

    def __init__(self, scene: Scene, arm: Optional[ArmDescription], rate: float = 0.0) -> None:
        if not rate >= 0.0:
            raise ValueError(f"the rate of the clock is at least 0, got {rate}")
        self.rate = rate
        self.arm = arm
        self.arm_dof = arm.dof if arm is not None else 0
        """Joints and actuators of the arm with its fingers; they come before all others."""
        joints = len(arm.joints) if arm is not None else 0
        self._arm, self._fingers = slice(0, joints), slice(joints, self.arm_dof)
        self._damping_time = arm.model.damping_time if arm is not None else 0.0
        self._lock = RLock()
        self._counting = Lock()
        self._editors = 0
        self._movers = 0
        self.moved_at = 0.0
        """Time of the last motion or change, seconds of simulation time."""
        self._closing = Event()
        self._idler: Optional[Thread] = None
        self._due: List[Tuple[float, Callable[[], None]]] = []
        self.listeners: List[Callable[[], None]] = []
        """Called after each control period, from the thread that steps; they must not change anything."""
        self._clock: Optional[Callable[[], float]] = None
        self._pace = (time.monotonic(), 0.0)
        self._load(scene, 0.0)

    def _load(self, scene: Scene, now: float) -> None:
        self.scene = scene
        self.model = self._build(scene)
        self.data = mujoco.MjData(self.model)
        self.data.time = now
        self._due = []
        self._begin()
        mujoco.mj_forward(self.model, self.data)
        self._look()

    def _build(self, scene: Scene) -> mujoco.MjModel:
        return physics_model(scene, self._description)

    @property
    def _description(self) -> ArmDescription:
        if self.arm is None:
            raise ValueError("this world has no arm")
        return self.arm

    def _begin(self) -> None:
        """The arm in its posture, the fingers open, the controllers at rest."""
        self.data.qpos[self._arm] = self._description.settings.rest
        self.data.qpos[self._fingers] = self._description.opening / 2.0
        self.data.ctrl[:self.arm_dof] = self.data.qpos[:self.arm_dof]

    def _look(self) -> None:
        self.snapshot = Snapshot(float(self.data.time), self.data.qpos.copy(), self.model)

    def add(self, item: WorldObject) -> None:
        """Add an object that is not announced; everything else keeps its state.

        Args:
            item: the object with its pose.
        """
        with self.edit():
            model, data = self.model, self.data
            self.scene = replace(self.scene, unknown=(*self.scene.unknown, item))
            self.model = self._build(self.scene)
            self.data = mujoco.MjData(self.model)
            self.data.time = data.time
            self._begin()
            for number in range(model.njnt):
                name = model.joint(number).name
                self.data.joint(name).qpos[:] = data.joint(name).qpos
                self.data.joint(name).qvel[:] = data.joint(name).qvel
            self.data.ctrl[:], self.data.act[:] = data.ctrl, data.act
            self.model.actuator_forcerange[:] = model.actuator_forcerange

    @property
    def time(self) -> float:
        """Simulation time, seconds; it never goes back, even if the world is reset."""
        return self.snapshot.time

    def reset(self, scene: Scene) -> None:
        """Start again with a scene; the clock continues, scheduled actions are dropped.

        Args:
            scene: the initial objects, robots and facts, as its file describes them.
        """
        with self.edit():
            self._load(scene, self.time)
        give_back()

    def follow(self, clock: Callable[[], float]) -> None:
        """Follow another clock, regardless of the rate.

        Args:
            clock: its time, s. The world never runs ahead of it; what it lags behind it makes up for, or skips at rest.
        """
        self._clock = clock
        self._set_time(clock())

    def _set_time(self, now: float) -> None:
        with self._lock:
            self.data.time, self.moved_at = now, min(self.moved_at, now)
            self._look()

    def step(self) -> None:
        """Advance the physics by one control period, with the actions due in it; with a real-time rate, wait
        for its wall time.
        """
        self._advance()
        clock = self._clock
        if clock is not None:
            late = clock() - self.time
            if late < -_JUMP or (late > _JUMP and not self._movers):
                self._set_time(clock())
            elif late < 0.0:  # Until the deadline only where the clock stands still.
                wait_until(lambda: clock() >= self.time, Deadline(_STILL), self._closing, CONTROL_PERIOD)
        elif self.rate > 0.0:
            self._wait(self.rate)

    def _advance(self) -> None:
        while self._editors:
            time.sleep(0.0002)  # Python's locks are not fair: let those who wait go first.
        with self._lock:
            while self._due and self._due[0][0] <= self.data.time:
                self._due.pop(0)[1]()
            mujoco.mj_step(self.model, self.data, nstep=round(CONTROL_PERIOD / self.model.opt.timestep))
            self._look()
        for listener in self.listeners:
            listener()

    def advance(self, seconds: float) -> None:
        """Advance the simulation.

        Args:
            seconds: simulation time, seconds.
        """
        with self.moving():
            end = self.time + seconds
            while self.time < end - 1e-9:
                self.step()

    def at(self, moment: float, action: Callable[[], None]) -> None:
        """Schedule an action between two steps.

        Args:
            moment: earliest simulation time, seconds.
            action: an action of the domain.
        """
        with self.edit():
            self._due.append((moment, action))
            self._due.sort(key=lambda entry: entry[0])

    @contextmanager
    def edit(self) -> Iterator[mujoco.MjData]:
        """Provide a context for changes of the state between two steps.

        Yields:
            The state.
        """
        with self._counting:
            self._editors += 1
        with self._lock:
            with self._counting:
                self._editors -= 1
            yield self.data
            mujoco.mj_forward(self.model, self.data)
            self._look()
            self.moved_at = self.time

    @contextmanager
    def moving(self) -> Iterator[None]:
        """Provide a context in which only the caller steps the physics."""
        with self._lock, self._counting:
            self._movers += 1
            self._pace = (time.monotonic(), self.time)
        try:
            yield
        finally:
            with self._counting:
                self._movers -= 1
                self.moved_at = self.time

    def command_arm(self, positions: np.ndarray, velocities: np.ndarray) -> None:
        """Set the reference of the joint controllers.

        Args:
            positions: array (joints,), rad.
            velocities: array (joints,), rad/s.
        """
        self.data.ctrl[self._arm] = positions + self._damping_time * velocities

    def command_fingers(self, opening: float, force: float) -> None:
        """Set the reference of the fingers.

        Args:
            opening: distance between them, metres.
            force: greatest force of each finger, newtons.
        """
        self.model.actuator_forcerange[self._fingers] = (-force, force)
        self.data.ctrl[self._fingers] = opening / 2.0

    @property
    def arm_positions(self) -> np.ndarray:
        """Joint positions of the arm, rad."""
        return np.array(self.data.qpos[self._arm])

    @property
    def arm_velocities(self) -> np.ndarray:
        """Joint velocities of the arm, rad/s."""
        return np.array(self.data.qvel[self._arm])

    @property
    def arm_external_torques(self) -> np.ndarray:
        """External torques on the arm's joints from contacts, Nm, as the real arm estimates them: without dry
        friction and joint limits.
        """
        found = np.zeros(self.model.nv)
        contacts = self.data.efc_type >= int(mujoco.mjtConstraint.mjCNSTR_CONTACT_FRICTIONLESS)
        mujoco.mj_mulJacTVec(self.model, self.data, found, np.where(contacts, self.data.efc_force, 0.0))
        return np.array(found[self._arm])

    @property
    def opening(self) -> float:
        """Distance between the fingers, metres."""
        return float(self.data.qpos[self._fingers].sum())

    @property
    def finger_force(self) -> float:
        """Greatest force of a finger's drive, newtons."""
        return float(np.abs(self.data.actuator_force[self._fingers]).max(initial=0.0))

    @property
    def finger_speed(self) -> float:
        """Speed of the faster finger, m/s."""
        return float(np.abs(self.data.qvel[self._fingers]).max())

    @property
    def in_motion(self) -> bool:
        """Whether a mover currently advances the simulation."""
        return self._movers > 0

    def start_idling(self) -> None:
        """Advance time in a separate thread while nothing moves."""
        self._pace = (time.monotonic(), self.time)  # What passed before is not made up for.
        self._idler = Thread(target=self._idle, name="physics", daemon=True)
        self._idler.start()

    def close(self) -> None:
        """End the thread that ``start_idling`` began."""
        self._closing.set()
        if self._idler is not None:
            self._idler.join(2.0)

    def _idle(self) -> None:
        while not self._closing.is_set():
            if self._movers:
                self._pace = (time.monotonic(), self.time)
                self._closing.wait(0.005)
                continue
            self.step()
            if self.rate <= 0.0 and self._clock is None:
                self._wait(_IDLE_RATE)

    def _wait(self, rate: float) -> None:
        began, at = self._pace
        ahead = began + (self.time - at) / rate - time.monotonic()
        if ahead > 0.0:
            self._closing.wait(ahead)
        elif ahead < -0.5:
            self._pace = (time.monotonic(), self.time)

"""The physics and its clock: who steps it, how fast, and how others look at it while it runs."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Event, Lock, RLock, Thread
from typing import Callable, Dict, FrozenSet, Iterator, List, Mapping, Optional, Sequence, Tuple

import mujoco
import numpy as np
from hicrisp_core.model import Pose, Relation, WorldObject
from hicrisp_core.model.joint import Joint
from hicrisp_core.scene import Scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.waiting import wait_until
from hicrisp_ros.malloc_tuning import give_back

from hicrisp_sim.arm_joints import ArmJoints
from hicrisp_sim.arm_model import ArmDescription
from hicrisp_sim.cuts import Cuts
from hicrisp_sim.liquids import Liquids
from hicrisp_sim.lockstep import Lockstep
from hicrisp_sim.models import physics_model
from hicrisp_sim.mujoco_poses import w_first
from hicrisp_sim.threads import Threads

CONTROL_PERIOD = 0.004
"""Seconds of simulated time between two commands to the controllers."""
_JUMP = 1.0
"""Jump of a followed clock that counts as a reset, seconds."""
_STILL = 0.5
"""Wall seconds for which a clock that is followed is waited for in each control period."""
_ARM_OF_TURN = 0.1
"""How far from an object's middle a turn is felt, metres: what is held creeps about the fingers, and stands."""
_LATCHED = 0.02
"""Metres or radians from closed within which a latch holds."""
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

    A mover steps the physics in its own thread (``step``), several of them in step; ``start_idling`` adds a thread
    that steps while nothing moves. Others read ``snapshot``, which needs no lock.

    Args:
        arms: the arms, which begin in their postures of rest; none in an arena.
        rate: simulated seconds a second; 0 for as fast as can be.
    """

    def __init__(self, scene: Scene, arms: Sequence[ArmDescription] = (), rate: float = 0.0) -> None:
        if not rate >= 0.0:
            raise ValueError(f"the rate of the clock is at least 0, got {rate}")
        self.rate = rate
        self.descriptions = tuple(arms)
        self.arms: Dict[str, ArmJoints] = {}
        """The joints of the arms by name; they come before all others, in this order."""
        for arm in arms:
            self.arms[arm.name] = self._joints_of(arm, sum(other.dof for other in self.arms.values()))
        self._lockstep = Lockstep()
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
        self.held: Dict[str, float] = {}
        """Force with which parts of fixtures hold fast, by name, newtons at the handle."""
        self._load(scene, 0.0)

    def _joints_of(self, arm: ArmDescription, first: int) -> ArmJoints:
        return ArmJoints(self, arm, first)

    def _load(self, scene: Scene, now: float) -> None:
        self.scene = scene
        self.model = self._build(scene)
        self.data = mujoco.MjData(self.model)
        self.data.time = now
        self._due = []
        self.liquids, self.cuts, self.threads = Liquids(scene), Cuts(scene), Threads(scene)
        self._bind()
        self._begin()
        mujoco.mj_forward(self.model, self.data)
        self._look()

    def _bind(self) -> None:
        self.liquids.bind(self.model)
        self.cuts.bind(self.model, self.data)
        self.threads.bind(self.model, self.data)

    def _build(self, scene: Scene) -> mujoco.MjModel:
        return physics_model(scene, self.descriptions)

    def _begin(self) -> None:
        """The arms in their postures, the fingers open, the controllers at rest."""
        for arm in self.arms.values():
            arm.begin()
        self._free = frozenset(self.model.joint(number).name for number in range(self.model.njnt)
                               if self.model.jnt_type[number] == mujoco.mjtJoint.mjJNT_FREE)
        items = {item.name: item for item in (*self.scene.objects.values(), *self.scene.unknown)}
        self.parts: Mapping[str, Joint] = {name: item.joint for name, item in items.items() if item.joint is not None}
        """What hangs on fixtures, by name."""
        for name, joint in self.parts.items():
            pose = items[name].pose
            self.data.joint(name).qpos[:] = joint.position(pose) if pose is not None else joint.reach[0]
        self._friction = self.model.dof_frictionloss.copy()
        self._hold()

    def moved(self, name: str, before: np.ndarray) -> float:
        """Return how far a movable object is from where it was, along any axis or by turning.

        Args:
            name: name of the object in the world.
            before: array (7,): what ``place_of`` said.

        Returns:
            Metres.
        """
        shift, turn = np.split(self.place_of(name) - before, [3])
        back = turn + 2.0 * before[3:]  # The same turn has two quaternions, of opposite signs.
        return float(max([*np.abs(shift), 2.0 * _ARM_OF_TURN * min(np.linalg.norm(turn), np.linalg.norm(back))]))

    def place_of(self, name: str) -> np.ndarray:
        """Return where a movable object is.

        Args:
            name: name of the object in the world.

        Returns:
            Array (7,): position, metres, and quaternion w first, in the physics' frame; zeros for an unknown name.
        """
        return np.array(self.data.joint(name).qpos) if name in self._free else np.zeros(7)

    def _hold(self) -> None:
        """Let latches hold what is closed, and what is stuck hold fast."""
        for name, joint in self.parts.items():
            dof = self.model.joint(name).dofadr[0]
            latched = abs(self.data.joint(name).qpos[0] - joint.reach[0]) < _LATCHED
            force = self.held.get(name, 0.0) + (joint.latch if latched else 0.0)
            self.model.dof_frictionloss[dof] = self._friction[dof] + force * joint.lever

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
            self._bind()
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

    @property
    def paced(self) -> bool:
        """Whether its steps wait for wall time, or for a clock that it follows."""
        return self.rate > 0.0 or self._clock is not None

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
        self._lockstep.period(self._pass_period)

    def _pass_period(self) -> None:
        while self._editors:
            time.sleep(0.0002)  # Python's locks are not fair: let those who wait go first.
        with self._lock:
            while self._due and self._due[0][0] <= self.data.time:
                self._due.pop(0)[1]()
            self._integrate()
            self._look()
        for listener in self.listeners:
            listener()

    def _integrate(self) -> None:
        """Step the physics by one control period."""
        timestep = self.model.opt.timestep
        steps = round(CONTROL_PERIOD / timestep)
        self._hold()
        if self.liquids.names or self.cuts.pairs or self.threads:
            for _ in range(steps):
                mujoco.mj_step(self.model, self.data)
                self.liquids.step(self.data, timestep, self.threads.shut)
                self.cuts.step(self.model, self.data)
                self.threads.step(self.model, self.data)
        else:
            mujoco.mj_step(self.model, self.data, nstep=steps)

    def measured(self) -> FrozenSet[Relation]:
        """Return what sensors tell besides poses: levels, contents, caps that are on and pieces that are still one."""
        return self.liquids.seen() | self.cuts.seen() | self.threads.seen()

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

    def put(self, name: str, pose: Pose) -> None:
        """Move an object, and stop it.

        Args:
            name: name of the object in the world.
            pose: world frame.
        """
        with self.edit() as data:
            joint = data.joint(name)
            joint.qpos[:] = (*pose.position, *w_first(pose.orientation))
            joint.qvel[:] = 0.0

    @contextmanager
    def moving(self) -> Iterator[None]:
        """Provide a context in which the physics waits for the caller's steps, and the caller for those of
        other movers.
        """
        with self._lock, self._counting:
            self._movers += 1
            self._pace = (time.monotonic(), self.time)
        try:
            with self._lockstep.member():
                yield
        finally:
            with self._counting:
                self._movers -= 1
                self.moved_at = self.time

    @contextmanager
    def idling(self) -> Iterator[None]:
        """Provide the context ``moving`` for a mover that rests, where a lag behind a followed clock may be skipped."""
        if self._clock is not None and not self._movers and self._clock() - self.time > _JUMP:
            self._set_time(self._clock())
        with self.moving():
            yield

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
            if not self.paced:
                self._wait(_IDLE_RATE)

    def _wait(self, rate: float) -> None:
        began, at = self._pace
        ahead = began + (self.time - at) / rate - time.monotonic()
        if ahead > 0.0:
            self._closing.wait(ahead)
        elif ahead < -0.5:
            self._pace = (time.monotonic(), self.time)

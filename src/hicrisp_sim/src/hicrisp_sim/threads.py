"""What is screwed on: a cap follows the thread of its bottle, rises as it is turned, and comes off after the last turn.

Up to a torque the thread holds; beyond it the cap turns as far as it is turned. A cap that is off and stands on the
thread catches as soon as it is turned the other way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Dict, FrozenSet, List, Tuple

import mujoco
from hicrisp_core.model import Pose, Relation
from hicrisp_core.model.screwing import SCREWED_ON
from hicrisp_core.scene import Scene

from hicrisp_sim.mujoco_poses import placement, w_first

_TURNS, _PITCH = 0.75, 0.006
"""Turns of a thread, and metres by which a cap rises with each."""
_RISE, _OFF = _TURNS * _PITCH, _TURNS * math.tau
_GIVES = 0.005
"""Radians by which a thread yields before it turns: with its stiffness, the torque that it holds."""
_CATCHES, _BESIDE, _ABOVE, _LEANS = 0.15, 0.004, 0.002, 0.12
"""Radians by which a loose cap is turned until the thread has it; metres beside and above the thread, and the lean,
within which it can.
"""
_SOLREF, _SOLIMP = [0.004, 1.0], [0.99, 0.99, 0.001, 0.5, 2.0]


def pairs_of(scene: Scene) -> List[Tuple[str, str]]:
    """Return the caps of a scene.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.

    Returns:
        Pairs of names: the cap, and what it is screwed on.
    """
    return sorted((fact.subject, fact.object) for fact in scene.facts if fact.predicate == SCREWED_ON)


def add_threads(spec: mujoco.MjSpec, scene: Scene, contype: int, conaffinity: int) -> None:
    """Add the thread of each bottle that has a cap: what a loose cap stands on, and what holds one that is screwed on.

    Args:
        spec: the MuJoCo model under construction, with the bodies.
        scene: the initial objects, robots and facts, as its file describes them.
        contype: collision bits of the threads.
        conaffinity: what they collide with.
    """
    for cap, bottle in pairs_of(scene):
        item, below = scene.objects[cap], scene.objects[bottle]
        spec.body(bottle).add_geom(
            name=f"{bottle}/thread", type=mujoco.mjtGeom.mjGEOM_CYLINDER, mass=0.001, contype=contype,
            conaffinity=conaffinity, size=[0.4 * item.size[0], _RISE / 2.0, 0.0], rgba=[0.8, 0.8, 0.8, 1.0], group=1,
            **placement(Pose((0.0, 0.0, (below.size[2] + _RISE) / 2.0))))
        weld = spec.add_equality(name=f"{cap}/thread", type=mujoco.mjtEq.mjEQ_WELD, name1=bottle, name2=cap,
                                 objtype=mujoco.mjtObj.mjOBJ_BODY)
        weld.solref, weld.solimp = _SOLREF, _SOLIMP
        weld.data[:10], weld.data[10] = 0.0, 1.0


@dataclass
class _Thread:
    """One cap and its bottle.

    Args:
        cap: name of the cap.
        bottle: name of the bottle.
        seat: height of the closed cap's middle above the bottle's, metres.
        turned: radians by which it is open; infinite when it is off.
        yaw: of the closed cap about the bottle's axis, radians; of one that is off the least since it stands there.
    """

    cap: str
    bottle: str
    seat: float
    turned: float = 0.0
    yaw: float = 0.0


class Threads:
    """How far the caps of a scene are screwed on.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.
    """

    def __init__(self, scene: Scene) -> None:
        self._threads = [_Thread(cap, bottle, (scene.objects[cap].size[2] + scene.objects[bottle].size[2]) / 2.0)
                         for cap, bottle in pairs_of(scene)]

    def __bool__(self) -> bool:
        return bool(self._threads)

    @property
    def shut(self) -> FrozenSet[str]:
        """The bottles whose cap is on."""
        return frozenset(thread.bottle for thread in self._threads if math.isfinite(thread.turned))

    def bind(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Find caps and bottles in a model.

        Args:
            model: the physics.
            data: its state.
        """
        self._bodies: Dict[str, int] = {name: model.body(name).id for thread in self._threads
                                        for name in (thread.cap, thread.bottle)}
        self._bits = {thread.bottle: (model.geom(f"{thread.bottle}/thread").contype[0],
                                      model.geom(f"{thread.bottle}/thread").conaffinity[0])
                      for thread in self._threads}
        for thread in self._threads:
            self._hold(model, data, thread)

    def seen(self) -> FrozenSet[Relation]:
        """Return what is screwed on."""
        return frozenset(Relation(thread.cap, SCREWED_ON, thread.bottle) for thread in self._threads
                         if math.isfinite(thread.turned))

    def step(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Let caps turn for a step of the physics.

        Args:
            model: the physics, whose constraints follow the threads.
            data: the state after the step.
        """
        for thread in self._threads:
            cap, bottle = self._bodies[thread.cap], self._bodies[thread.bottle]
            around = data.xmat[bottle].reshape(3, 3)
            turn = around.T @ data.xmat[cap].reshape(3, 3)
            yaw = math.atan2(turn[1, 0], turn[0, 0])
            if math.isfinite(thread.turned):
                by = math.remainder(yaw - thread.yaw - thread.turned, math.tau)
                if abs(by) > _GIVES:
                    thread.turned = max(0.0, thread.turned + by - math.copysign(_GIVES, by))
                    thread.turned = thread.turned if thread.turned < _OFF else math.inf
                    thread.yaw = thread.yaw if math.isfinite(thread.turned) else yaw
                    self._hold(model, data, thread)
                continue
            x, y, z = around.T @ (data.xpos[cap] - data.xpos[bottle])
            by = math.remainder(yaw - thread.yaw, math.tau)
            if math.hypot(x, y) > _BESIDE or abs(z - thread.seat - _RISE) > _ABOVE or turn[2, 2] < math.cos(_LEANS) \
                    or by > 0.0:
                thread.yaw = yaw
            elif by < -_CATCHES:
                thread.turned, thread.yaw = _OFF - _CATCHES, yaw - _OFF + _CATCHES
                self._hold(model, data, thread)

    def _hold(self, model: mujoco.MjModel, data: mujoco.MjData, thread: _Thread) -> None:
        """Hold the cap where its thread has it, or leave it free above the thread."""
        held = math.isfinite(thread.turned)
        weld, geom = model.equality(f"{thread.cap}/thread"), model.geom(f"{thread.bottle}/thread")
        data.eq_active[weld.id] = held
        geom.contype[:], geom.conaffinity[:] = (0, 0) if held else self._bits[thread.bottle]
        if held:
            half = (thread.yaw + thread.turned) / 2.0
            weld.data[:3] = 0.0
            weld.data[3:6] = 0.0, 0.0, thread.seat + thread.turned / math.tau * _PITCH
            weld.data[6:10] = w_first((0.0, 0.0, math.sin(half), math.cos(half)))

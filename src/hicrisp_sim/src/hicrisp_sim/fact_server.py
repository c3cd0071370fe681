"""A world of facts behind the same door as the physical one: clock, observation, driver, faults and reset."""

from __future__ import annotations

import time
from dataclasses import replace
from threading import Lock
from typing import Callable, Protocol, Sequence

import rospy
from hicrisp_core.model import Status
from hicrisp_core.ports.observer import Observer
from hicrisp_core.ports.robot import RobotPort
from hicrisp_core.robot.symbolic import SymbolicWorld
from hicrisp_core.scene import Scene, SceneFault
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.waiting import wait_until
from hicrisp_ros.action_server import ActionServer, Goal
from hicrisp_ros.conversions import WORLD
from hicrisp_ros.publisher import Publisher
from hicrisp_ros.robot_server import carry_out
from hicrisp_ros.simulated_world import Resets, WorldClock, add_fault, begin_faults
from hicrisp_ros.supervisor_watch import SupervisorWatch
from hicrisp_ros.wall_clock import WallTimer

from hicrisp_msgs import srv
from hicrisp_msgs.msg import ExecuteCommandAction, ExecuteCommandResult, WorldState

_TICK = 0.02
"""Wall seconds between two publications."""
_LOOK_LIMIT = 1.0
_CLOCK_LIMIT = 1.0
"""Time in which this node's own clock messages return to it, wall seconds."""
_FASTEST = 50.0
"""Seconds of the world for each second of wall time where as fast as can be was asked for."""


class FactWorld(RobotPort, Observer, Protocol):
    """A robot and an observer in one, over facts without geometry."""


class FactServer:
    """Serves a world of facts.

    Args:
        make: a world as a scene has it at first.
        rate: seconds of the world for each second of wall time; 0 for as fast as makes sense.
    """

    def __init__(self, scene: Scene, make: Callable[[Scene], FactWorld], rate: float) -> None:
        self._rate = rate or _FASTEST
        self._resets = Resets(scene, self._reset)
        self._make = make
        self._world = make(scene)
        self._began = time.monotonic()
        self._telling = Lock()
        begin_faults(())
        self._clock = WorldClock()
        self._observation = Publisher("observation", WorldState, queue_size=1, latch=True, tcp_nodelay=True)
        self._timer = WallTimer(_TICK, self._tick, "publisher")
        self._services = (
            rospy.Service("inject_fault", srv.InjectFault, self._inject),
            rospy.Service("reset_world", srv.ResetWorld, self._resets.answer),
        )
        self._watch = SupervisorWatch()
        self._server = ActionServer(f"robots/{self._world.name}/execute", ExecuteCommandAction,
                                    self._execute).start()

    def _execute(self, goal: Goal) -> ExecuteCommandResult:
        result = carry_out(self._world, goal, self._watch)
        shown = self._publish()
        # The result bears the time of this node's clock; it must not be older than what the command did.
        wait_until(lambda: rospy.get_time() >= shown, Deadline(_CLOCK_LIMIT), in_vain=rospy.is_shutdown)
        return result

    def _inject(self, request: srv.InjectFaultRequest) -> srv.InjectFaultResponse:
        if not isinstance(self._world, SymbolicWorld):
            return srv.InjectFaultResponse(False, "nothing can be injected into this world")
        if request.kind != "no_effect":
            return srv.InjectFaultResponse(
                False, f"unknown fault '{request.kind}'; valid is: no_effect, with a command such as "
                       "'switch_on(electric_shaker)' as its target")
        count = max(1, request.count)
        self._world.fails(request.target, count, Status.SUCCESS)
        add_fault(SceneFault(request.kind, request.target, (), count))
        return srv.InjectFaultResponse(True, f"'{request.target}' has no effect {count} times")

    def _reset(self, scene: Scene, seed: int) -> Sequence[str]:
        del seed  # Facts have no layout to draw.
        self._world = self._make(scene)
        begin_faults(())
        self._publish()
        return ()

    def _tick(self) -> None:
        self._publish()  # The returned time is not a pause.

    def _publish(self) -> float:
        """Publish the clock first, so that no state is stamped in the future; return the published time.

        One at a time: a state from before a command must not follow that from after it.
        """
        with self._telling:
            passed = rospy.get_time() if self._clock.led_by else (time.monotonic() - self._began) * self._rate
            now = rospy.Time.from_sec(passed).to_sec()
            self._clock.tell(now)
            seen = self._world.observe(Deadline(_LOOK_LIMIT))
            self._observation.publish(WORLD.to_msg(replace(seen, stamp=now)))
            return now

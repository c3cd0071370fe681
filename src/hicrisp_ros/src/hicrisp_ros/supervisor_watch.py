"""A driver's leash: without the supervisor's heartbeat, or under its emergency stop, no robot moves."""

from __future__ import annotations

import time
from threading import Event
from typing import Optional

import rospy
from hicrisp_core.model import CauseKind, Outcome, Status
from hicrisp_core.model.cause import SUPERVISOR
from hicrisp_core.time import Deadline, wait_until

from hicrisp_msgs.msg import EstopState
from hicrisp_ros.publisher import hears
from hicrisp_ros.stamps import Silence

HEARTBEAT = "heartbeat"
BEAT_PERIOD = 0.15
"""Seconds of wall time between two heartbeats."""
SILENT_AFTER = 0.8
"""Seconds without a heartbeat after which the supervisor counts as gone, as where the network was cut."""
GONE_AFTER = 0.2
"""Seconds for which its connection must be closed, as the system does when its process ends."""
_LATE = 0.1
"""Seconds from the first look at the silence: this process itself may have slept, and heartbeats that came
meanwhile are about to be heard."""
_STOP = "the emergency stop"


class SupervisorWatch:
    """Listens to the supervisor's heartbeat, which says whether the emergency stop is active.

    A supervisor that was never heard is not missed: a driver may be used without one.
    """

    def __init__(self) -> None:
        self._silence = Silence(heard=False)
        self._state: Optional[EstopState] = None
        self._closed_since: Optional[float] = None
        self._silent_since: Optional[float] = None
        self._subscriber = rospy.Subscriber(HEARTBEAT, EstopState, self._on_beat, queue_size=1,
                                            tcp_nodelay=True)

    def objection(self) -> Optional[Outcome]:
        """Return why the robot must not move.

        Returns:
            The outcome that refuses a command; ``None`` if it may move.
        """
        state = self._state
        if state is None:
            return None
        if self.gone:
            return Outcome.because(CauseKind.UNREACHABLE_NODE, Status.SAFETY,
                                   "The supervisor fell silent, so the robot was stopped.", SUPERVISOR)
        if state.active:
            return Outcome.because(CauseKind.STOPPED, Status.SAFETY,
                                   f"The emergency stop is active ({state.reason}).", _STOP)
        return None

    @property
    def gone(self) -> bool:
        """Whether a supervisor was running and has disappeared."""
        if self._state is None:
            return False
        now = time.monotonic()
        self._closed_since = None if hears(self._subscriber) else self._closed_since or now
        silent = self._silence.seconds > SILENT_AFTER
        self._silent_since = (self._silent_since or now) if silent else None
        return _longer(self._closed_since, now, GONE_AFTER) or _longer(self._silent_since, now, _LATE)

    def wait_until_back(self, seconds: float, cancel: Event) -> bool:
        """Wait until no supervisor is missing.

        Args:
            seconds: limit in wall time, seconds.
            cancel: ends the wait early when it is set.

        Returns:
            Whether that is so.
        """
        return wait_until(lambda: not self.gone, Deadline(seconds), cancel)

    def wait_until_gone(self, seconds: float) -> bool:
        """Wait until no supervisor needs this node.

        Args:
            seconds: limit in wall time, seconds.

        Returns:
            Whether that is so.
        """
        return wait_until(lambda: self._state is None or self.gone, Deadline(seconds))

    def _on_beat(self, message: EstopState) -> None:
        self._silence.heard()
        self._state = message


def _longer(since: Optional[float], now: float, seconds: float) -> bool:
    return since is not None and now - since > seconds

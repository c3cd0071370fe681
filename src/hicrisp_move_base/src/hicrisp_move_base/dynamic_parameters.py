"""Parameters of a running node that a drive changes by dynamic_reconfigure, and that are put back after
it.
"""

from __future__ import annotations

from typing import Dict, Mapping, Optional

from dynamic_reconfigure.msg import Config, DoubleParameter
from dynamic_reconfigure.srv import Reconfigure, ReconfigureRequest
from hicrisp_ros.service_client import ServiceClient

SAME = 1e-6


class DynamicParameters:
    """The numbers of one server.

    Args:
        name: of the server, under which it has ``set_parameters``.
        wait: longest wait for an answer, seconds.
    """

    def __init__(self, name: str, wait: float) -> None:
        self._client = ServiceClient(f"{name}/set_parameters", Reconfigure)
        self._wait = wait
        self._usual: Dict[str, float] = {}
        """What still has to be put back, by parameter."""

    def read(self) -> Optional[Dict[str, float]]:
        """All numbers as they are; ``None`` without an answer."""
        return self._set({})

    def change(self, values: Mapping[str, float], now: Mapping[str, float]) -> Dict[str, float]:
        """Set some numbers until ``restore``; all of them as they are then, none without an answer.

        Args:
            now: the numbers before, as ``read`` gave them.
        """
        self._usual = {name: now[name] for name in values}
        return self._set(values) or {}

    def restore(self) -> None:
        """Put back what was changed; what could not be put back is tried again the next time."""
        if self._usual:
            now = self._set(dict(self._usual))
            if now is not None and all(abs(now.get(name, value) - value) < SAME
                                       for name, value in self._usual.items()):
                self._usual = {}

    def _set(self, values: Mapping[str, float]) -> Optional[Dict[str, float]]:
        request = ReconfigureRequest(Config(doubles=[DoubleParameter(*item)
                                                     for item in sorted(values.items())]))
        reply = self._client.call(request, self._wait)
        if reply.response is None:
            return None
        return {str(entry.name): float(entry.value) for entry in reply.response.config.doubles}

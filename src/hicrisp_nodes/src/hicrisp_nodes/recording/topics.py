"""Which topics belong into a recording. Only these: what nobody named may hold anything."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Collection, Optional, Tuple

OWN = ("task_status", "plan", "events", "feedback", "correction_stack", "estop_state", "llm_usage",
       "world_state", "joint_states", "tf", "tf_static", "tracks", "detections", "markers", "robots/*/execute/goal",
       "robots/*/execute/result",
       "robots/*/execute/feedback", "robots/*/execute/cancel")
"""In the workspace's namespace."""
SHARED = ("/tf", "/tf_static", "/clock", "/diagnostics", "/joint_states", "/move_group/display_planned_path")
"""Whatever the namespace."""
BASE = ("/scan", "/map", "/odom", "/cmd_vel", "/amcl_pose", "/move_base/goal", "/move_base/result", "/move_base/cancel",
        "/move_base/*/plan", "/move_base/*/global_plan", "/move_base/global_costmap/costmap")
"""Of a base and its navigation; ``own_topic`` tells what they are called here."""
_PICTURES = ("sensor_msgs/Image", "sensor_msgs/CompressedImage")
COMPRESSED = "/compressed"
"""Stands behind the topic of a camera for the same pictures as JPEG, as with image_transport."""


@dataclass(frozen=True)
class Chosen:
    """Whether a topic is recorded, and how often at most; 0 for every message."""

    rate: float = 0.0


class Choice:
    """Chooses among the topics that there are.

    Args:
        namespace: of the workspace, ``/hicrisp``.
        pictures: the topic of a camera's colour, and of its calibration.
        rate: pictures a second that are recorded; 0 for none.
        more: further topics that the user wants, by their names or with ``*``.
    """

    def __init__(self, namespace: str, pictures: Tuple[str, ...] = (), rate: float = 1.0,
                 more: Tuple[str, ...] = ()) -> None:
        root = namespace.rstrip("/")
        self._wanted = (*(f"{root}/{name}" for name in OWN), *SHARED, *more)
        self._pictures, self._rate = (*pictures, *(name + COMPRESSED for name in pictures)), rate

    def of(self, topic: str, kind: str, present: Collection[str] = ()) -> Optional[Chosen]:
        """Decide how a topic is recorded.

        Args:
            topic: its whole name.
            kind: its message type.
            present: all topics; if an image is also there compressed, only that is recorded unless the user
                asked for both.

        Returns:
            Rate limit; ``None`` for a topic that is not recorded.
        """
        if topic in self._pictures and topic + COMPRESSED not in present:
            return Chosen(self._rate) if self._rate > 0.0 else None
        if any(fnmatchcase(topic, pattern) for pattern in self._wanted):
            return Chosen(self._rate or 1.0) if kind in _PICTURES else Chosen()
        return None

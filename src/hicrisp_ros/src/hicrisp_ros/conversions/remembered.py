"""What the memory knows of earlier tasks and corrections."""

from __future__ import annotations

from hicrisp_core.model.remembered import KnownWay, Remembered

from hicrisp_msgs import msg
from hicrisp_ros.conversions.codec import Codec
from hicrisp_ros.conversions.goal import GOAL
from hicrisp_ros.conversions.task import STEP

_REMEMBERED = Codec(Remembered, msg.RememberedTask, steps=STEP.each, goal=GOAL)
remembered_to_msg, remembered_from_msg = _REMEMBERED.to_msg, _REMEMBERED.from_msg
_WAY = Codec(KnownWay, msg.KnownWay, steps=STEP.each)
way_to_msg, way_from_msg = _WAY.to_msg, _WAY.from_msg

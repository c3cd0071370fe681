"""What every event has: when it happened, and which step and robot it belongs to."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Dict, Optional

from hicrisp_core.trace.plain import plain


@dataclass(frozen=True)
class Event:
    """Something that happened.

    Args:
        t: wall seconds since the task began.
        sim_t: the robot's clock, seconds since the first observation.
        index: the plan's step that it belongs to, from 0; ``None`` outside the steps.
        robot: that step's robot.
    """

    kind: ClassVar[str] = ""
    t: float = 0.0
    sim_t: float = 0.0
    index: Optional[int] = None
    robot: str = ""

    def as_dict(self) -> Dict[str, Any]:
        """The event as it is written: JSON values, its kind first; an index and a robot where it has one."""
        told = {"kind": self.kind, **{each.name: plain(getattr(self, each.name)) for each in fields(self)}}
        if self.index is None:
            del told["index"]
        if not self.robot:
            del told["robot"]
        return told

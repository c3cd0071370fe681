#!/usr/bin/env python3
"""Two arms at one counter over ROS: what one reaches and pours, judged by the level that is seen."""

from __future__ import annotations

import json
import sys
import unittest
from pathlib import Path

import rospy
import rostest

from hicrisp_msgs.msg import TaskStatus

sys.path.insert(0, str(Path(__file__).parent / "support"))
from harness import Workspace  # noqa: E402


class Bar(unittest.TestCase):
    """Both arms, the bar and every node."""

    @classmethod
    def setUpClass(cls) -> None:
        rospy.init_node("test_bar")
        cls.workspace = Workspace()

    def test_gin_is_poured_into_a_glass_that_the_other_arm_passes_on(self) -> None:
        assert self._level("glass") == 0.0
        status = self.workspace.run("pour gin into the glass")
        assert status.state == TaskStatus.SUCCEEDED, status.message
        self.workspace.until(lambda: 45.0 <= self._level("glass") <= 60.0, "sight of what was poured")
        assert self.workspace.holds("glass", "contains", "gin")
        assert self._level("gin_bottle") + self._level("glass") >= 395.0  # To a mark each; nothing is beside it.
        events = [json.loads(line) for line in (Path(status.run_folder) / "events.jsonl").read_text().splitlines()]
        assert {event["robot"] for event in events if event["kind"] == "outcome"} == {"left_arm", "right_arm"}

    def _level(self, vessel: str) -> float:
        """What a vessel is seen to hold, millilitres."""
        return next(float(fact.object) for fact in self.workspace.world.relations
                    if (fact.subject, fact.predicate) == (vessel, "level"))


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "bar", Bar)

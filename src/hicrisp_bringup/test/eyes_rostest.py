#!/usr/bin/env python3
"""Tasks by the depth camera over every node, judged by where the things really are."""

from __future__ import annotations

import math
import sys
import unittest
from pathlib import Path
from typing import Dict, Optional, Set, Tuple

import rospy
import rostest
from tf2_msgs.msg import TFMessage

from hicrisp_msgs.msg import TaskStatus, TrackArray
from hicrisp_msgs.srv import NameThing, ResetWorld, Snapshot

sys.path.insert(0, str(Path(__file__).parent / "support"))
from harness import NAMESPACE, Workspace, kill  # noqa: E402
from waiting import PATIENCE  # noqa: E402

TASK = "place the box next to the cylinder"
_EXACT = 0.01
"""Metres by which what is seen may miss the truth."""


class Eyes(unittest.TestCase):
    """The embedded world, its camera, the perception, and every node; no frame tells where the things are."""

    @classmethod
    def setUpClass(cls) -> None:
        rospy.init_node("test_eyes")
        cls.truth: Dict[str, Tuple[float, float, float]] = {}
        cls.truths = 0
        cls.tracks: Optional[TrackArray] = None
        cls.listeners = (rospy.Subscriber(f"{NAMESPACE}/ground_truth", TFMessage, cls._on_truth),
                         rospy.Subscriber(f"{NAMESPACE}/tracks", TrackArray, cls._on_tracks))
        cls.workspace = Workspace()

    @classmethod
    def _on_truth(cls, message: TFMessage) -> None:
        cls.truth = {each.child_frame_id: (each.transform.translation.x, each.transform.translation.y,
                                           each.transform.translation.z) for each in message.transforms}
        cls.truths += 1

    @classmethod
    def _on_tracks(cls, message: TrackArray) -> None:
        cls.tracks = message

    def setUp(self) -> None:
        self._reset(1)

    def _reset(self, seed: int) -> None:
        rospy.wait_for_service(f"{NAMESPACE}/reset_world", PATIENCE)
        answer = rospy.ServiceProxy(f"{NAMESPACE}/reset_world", ResetWorld)("", seed)
        assert answer.ok, answer.message
        self._wait_for_the_truth()
        self.workspace.until(self._seen_as_it_is, "sight of the things where they are")

    def _wait_for_the_truth(self) -> None:
        """What is known of the things from here on is of no moment before."""
        before = self.truths
        self.workspace.until(lambda: self.truths > before + 1, "word of where the things are")

    def _seen_as_it_is(self) -> bool:
        """Whether the world state shows both things where they really are, by a camera."""
        world = self.workspace.world
        seen = {thing.name: thing for thing in world.objects if thing.has_pose and not thing.lost}
        if not world.has_view or not {"box", "cylinder"} <= set(seen) & set(self.truth):
            return False
        return all(math.dist((seen[name].pose.position.x, seen[name].pose.position.y,
                              seen[name].pose.position.z), self.truth[name]) < _EXACT
                   for name in ("box", "cylinder"))

    def _apart(self) -> float:
        """Distance of the things' middles in the plane, metres, as it really is."""
        return math.dist(self.truth["box"][:2], self.truth["cylinder"][:2])

    def test_a_task_is_done_by_what_the_camera_shows(self) -> None:
        assert self._apart() > 0.15
        status = self.workspace.run(TASK)
        assert status.state == TaskStatus.SUCCEEDED, status.message
        self._wait_for_the_truth()
        assert self._apart() < 0.13, "the physics says otherwise"
        assert self.truth["box"][2] < 0.04, "it stands on the table"
        self.workspace.until(self._seen_as_it_is, "sight of what was done")
        box = next(thing for thing in self.workspace.world.objects if thing.name == "box")
        assert 0.0 < box.position_sigma < 0.01, "how sure the pose is goes with it"
        drawn = rospy.ServiceProxy(f"{NAMESPACE}/camera_view", Snapshot)(caption="", since=0.0)
        assert drawn.ok, drawn.message
        assert bytes(drawn.image.data).startswith(b"\xff\xd8"), "a JPEG"

    def test_the_perception_comes_back_after_it_was_killed(self) -> None:
        before = self.tracks
        kill("perception")
        self.workspace.until(lambda: any(thing.lost or not thing.has_pose
                                         for thing in self.workspace.world.objects if thing.movable),
                             "things that nobody sees")
        self.workspace.until(lambda: self.tracks is not before and self._seen_as_it_is(), "sight again")

    def test_a_silent_camera_is_told_by_the_age_of_what_it_saw(self) -> None:
        assert self.workspace.inject_fault("camera_silent", "", [4.0], 0).ok
        self.workspace.until(lambda: all(thing.lost and thing.pose_age > 1.0
                                         for thing in self.workspace.world.objects if thing.movable),
                             "poses that are too old")
        self.workspace.until(self._seen_as_it_is, "sight again")

    def test_what_no_file_describes_is_called_by_the_name_that_a_user_gives_it(self) -> None:
        def names() -> Set[str]:
            return {thing.name for thing in self.workspace.world.objects}

        give = rospy.ServiceProxy(f"{NAMESPACE}/name_thing", NameThing)
        assert not give(name="cup").ok, "nothing is unknown yet"
        assert self.workspace.inject_fault("intruder", "", [0.45, -0.25, 0.04, 0.04, 0.06], 0).ok
        self.workspace.until(lambda: any(name.startswith("unknown_") for name in names()), "an unknown thing")
        refused = give(name="cylinder")
        assert not refused.ok
        assert refused.message
        answer = give(name="the coffee cup")
        assert answer.ok, answer.message
        self.workspace.until(lambda: "coffee_cup" in names(), "the thing by its name")
        assert not any(name.startswith("unknown_") for name in names())

    def test_another_layout_is_seen_anew(self) -> None:
        old = self.truth["box"]
        self._reset(4)
        assert math.dist(old, self.truth["box"]) > 0.02


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "eyes", Eyes)

#!/usr/bin/env python3
"""Commands travel from a sentence to a real move_group and back, as far as fake controllers can carry
them.
"""

from __future__ import annotations

import sys
import unittest
from pathlib import Path
from threading import Thread

import rospkg
import rospy
import rostest
from geometry_msgs.msg import TransformStamped
from hicrisp_ros.tf_world import TfWorld
from tf2_msgs.msg import TFMessage

from hicrisp_msgs.msg import TaskStatus

sys.path.insert(0, str(Path(rospkg.RosPack().get_path("hicrisp_bringup")) / "test/support"))
from harness import NAMESPACE, Workspace  # noqa: E402

PLACES = {"box": (0.45, 0.15, 0.025), "cylinder": (0.45, -0.2, 0.045)}
TOOL = "panda_hand_tcp"


class DriverOverMoveIt(unittest.TestCase):
    """The driver as a node."""

    @classmethod
    def setUpClass(cls) -> None:
        rospy.init_node("test_driver_moveit")
        cls.publisher = rospy.Publisher("/tf", TFMessage, queue_size=5)
        Thread(target=cls._tell, daemon=True).start()
        cls.tf = TfWorld()
        cls.workspace = Workspace(patience=150.0, without=("inject_fault",))
        rospy.wait_for_service(f"{NAMESPACE}/robots/panda/reset", 90.0)

    @classmethod
    def _tell(cls) -> None:
        rate = rospy.Rate(20)
        while not rospy.is_shutdown():
            message = TFMessage()
            for name, (x, y, z) in PLACES.items():
                transform = TransformStamped(child_frame_id=name)
                transform.header.frame_id, transform.header.stamp = "world", rospy.Time.now()
                transform.transform.translation.x, transform.transform.translation.y = x, y
                transform.transform.translation.z, transform.transform.rotation.w = z, 1.0
                message.transforms.append(transform)
            cls.publisher.publish(message)
            rate.sleep()

    def test_a_pick_goes_down_to_the_thing_and_says_that_the_fingers_hold_nothing(self) -> None:
        lowest = [1.0]
        watching = [True]

        def watch() -> None:
            rate = rospy.Rate(20)
            while watching[0]:
                found = self.tf.frames([TOOL]).get(TOOL)
                if found is not None and abs(found[0].position[1] - PLACES["box"][1]) < 0.03:
                    lowest[0] = min(lowest[0], found[0].position[2])
                rate.sleep()

        watcher = Thread(target=watch)
        watcher.start()
        status = self.workspace.run("pick up the box")
        watching[0] = False
        watcher.join()
        events = (Path(status.run_folder) / "events.jsonl").read_text()
        assert status.state == TaskStatus.FAILED, status.message
        assert "the gripper closed on nothing" in events
        assert lowest[0] < 0.05, f"the tool came down to {lowest[0]:.3f} m only"


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "driver_moveit", DriverOverMoveIt)

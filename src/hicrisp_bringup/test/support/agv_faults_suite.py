"""What may go wrong with a base, over the real nodes: a clear error, a base that stands, a task that tells
it.
"""

from __future__ import annotations

import math
import unittest
from pathlib import Path
from typing import Tuple

import rospy
from actionlib_msgs.msg import GoalStatus
from geometry_msgs.msg import Quaternion
from harness import NAMESPACE, Workspace
from hicrisp_core.model import CauseKind
from move_base_msgs.msg import MoveBaseAction, MoveBaseActionGoal, MoveBaseGoal
from nav_msgs.msg import Odometry
from stock_client import StockClient
from waiting import PATIENCE

from hicrisp_msgs.msg import Command, ExecuteCommandAction, ExecuteCommandGoal, Outcome, TaskStatus
from hicrisp_msgs.srv import ResetWorld


class AgvFaults(unittest.TestCase):
    """The base in the embedded arena, its driver and every node."""

    @classmethod
    def setUpClass(cls) -> None:
        rospy.init_node("test_agv")
        cls.workspace = Workspace()
        cls.reset = rospy.ServiceProxy(f"{NAMESPACE}/reset_world", ResetWorld)
        cls.reset.wait_for_service(PATIENCE)
        cls.move_base = StockClient("/move_base", MoveBaseAction)
        cls.driver = StockClient(f"{NAMESPACE}/robots/agv/execute", ExecuteCommandAction)

    def setUp(self) -> None:
        assert self.reset("", 19).ok

    def tearDown(self) -> None:
        self.stands()

    def stands(self) -> None:
        """The base stands, whatever came before."""
        odometry = rospy.wait_for_message("/odom", Odometry, PATIENCE)
        assert abs(odometry.twist.twist.linear.x) < 0.02
        assert abs(odometry.twist.twist.angular.z) < 0.05

    def told(self, status: TaskStatus) -> str:
        return (Path(status.run_folder) / "events.jsonl").read_text()

    def drive_to(self, x: float, y: float, z: float = 0.0, w: float = 1.0) -> Tuple[int, str]:
        """A goal sent to move_base itself; how it ended."""
        goal = MoveBaseGoal()
        goal.target_pose.header.frame_id = "map"
        goal.target_pose.pose.position.x, goal.target_pose.pose.position.y = x, y
        goal.target_pose.pose.orientation = Quaternion(0.0, 0.0, z, w)
        ended = self.move_base.call(goal)
        return ended.get_goal_status(), ended.get_goal_status_text()

    def command(self, x: float, y: float) -> Outcome:
        """A command for the driver with a target of its own."""
        command = Command(action="go_to", robot="agv", has_target=True, time_limit=60.0)
        command.target.position.x, command.target.position.y = x, y
        command.target.orientation.w = 1.0
        return self.driver.call(ExecuteCommandGoal(command, 60.0)).get_result().outcome

    def test_an_area_inside_an_obstacle_is_skipped_and_the_rest_is_visited(self) -> None:
        for name, x, y in (("obstacle_1", 2.60, 1.27), ("obstacle_2", 2.0, 0.8), ("obstacle_3", 3.7, 1.4)):
            assert self.workspace.inject_fault("move", name, [x, y], 0).ok
        status = self.workspace.run("visit area 1, then area 2")
        assert status.state == TaskStatus.FAILED
        assert "Area 1 was skipped" in status.message, status.message
        assert '"kind": "unreachable"' in self.told(status)
        assert "a path leads to area 2" in self.told(status)
        self.workspace.until(lambda: self.workspace.holds("agv", "at", "area_2"), "sight of what was done")

    def test_a_goal_outside_the_map_is_told_and_moves_nothing(self) -> None:
        state, text = self.drive_to(9.0, 9.0)
        assert state == GoalStatus.ABORTED, text
        assert "valid plan" in text
        outcome = self.command(9.0, 9.0)
        assert outcome.status == Outcome.PLANNING
        assert "Cannot reach (9.00, 9.00): no path leads there" in outcome.message
        assert outcome.cause.kind == CauseKind.NO_PATH.value

    def test_a_pose_that_is_none_is_refused(self) -> None:
        state, text = self.drive_to(math.nan, 1.0)
        assert state == GoalStatus.ABORTED, text
        assert "invalid" in text
        state, text = self.drive_to(2.0, 1.0, z=0.0, w=0.0)
        assert state == GoalStatus.ABORTED, text
        assert "invalid quaternion" in text
        outcome = self.command(math.nan, 1.0)
        assert outcome.status == Outcome.INVALID
        assert "not a finite pose" in outcome.message

    def test_a_scan_that_stops_ends_the_task_at_once(self) -> None:
        assert self.workspace.inject_fault("scan_stops", "", [2.0], 0).ok
        status = self.workspace.run("visit area 3, then area 2, then area 1")
        assert status.state == TaskStatus.FAILED
        assert "scan has arrived" in self.told(status)
        outcomes = self.told(status).count('"kind": "outcome"')
        assert outcomes <= 2, "a base without eyes is not sent again and again"

    def test_a_second_client_is_told_and_does_not_get_the_base(self) -> None:
        other = rospy.Publisher("/move_base/goal", MoveBaseActionGoal, queue_size=1)
        task = self.workspace.submit_task("visit area 3").task_id
        self.workspace.moving(task)
        theirs = MoveBaseActionGoal()
        theirs.goal_id.id, theirs.goal_id.stamp = "somebody-1", rospy.Time.now()
        theirs.goal.target_pose.header.frame_id = "map"
        theirs.goal.target_pose.pose.position.x, theirs.goal.target_pose.pose.position.y = 1.3, 2.2
        theirs.goal.target_pose.pose.orientation.w = 1.0
        self.workspace.until(lambda: other.get_num_connections() > 1, "connection")
        self.workspace.until(
            lambda: rospy.wait_for_message("/odom", Odometry, PATIENCE).twist.twist.linear.x > 0.1, "drive")
        other.publish(theirs)
        status = self.workspace.finished(task)
        assert "another client took the base over: it was sent to (1.30, 2.20)" in self.told(status)
        succeeded = status.state == TaskStatus.SUCCEEDED
        self.workspace.until(lambda: self.workspace.holds("agv", "at", "area_3") == succeeded,
                             f"sight of what was told: {status.message}")
        other.unregister()

    def test_a_dock_is_met_after_a_visit(self) -> None:
        for index, x in enumerate((1.3, 1.9, 2.5, 3.1), 1):
            assert self.workspace.inject_fault("move", f"obstacle_{index}", [x, 2.2], 0).ok
        status = self.workspace.run("visit area 2, then dock")
        assert status.state == TaskStatus.SUCCEEDED, status.message
        self.workspace.until(lambda: self.workspace.holds("agv", "docked", "dock"), "sight of what was done")

"""``kill -9`` of a move_group that is a process of its own, in mid-motion, while it plans and while nothing
runs; the keeper, a process of its own too, starts it again, and the driver's arm goes on.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from typing import Any, Iterator, List, Optional, Tuple

import pytest
import rosgraph
import rospy
from hicrisp_core.config.files import config_file
from hicrisp_core.model import CauseKind, Outcome, Pose, Status, WorldObject, WorldState
from hicrisp_core.ports.robot import MotionFailure, Trajectory
from hicrisp_core.robot.grasps import DOWN
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_moveit.arm import make_arm
from hicrisp_moveit.keeper_node import NodeFinder
from hicrisp_moveit.node_respawner import Process
from hicrisp_moveit.settings import load_arm_file
from hicrisp_ros.service_client import ServiceClient
from moveit_msgs.srv import GetPlanningScene, GetPlanningSceneRequest
from reference_commander import MoveGroupCommander
from reference_controller import ControllerServer
from reference_panda import ReferencePanda
from tf2_msgs.msg import TFMessage
from waiting import PATIENCE, until

pytestmark = pytest.mark.usefixtures("ros")
SPACE, HERE = "/killed", Path(__file__).resolve().parent
HIGH, LOW = Pose((0.5, 0.25, 0.45), DOWN), Pose((0.5, -0.25, 0.25), DOWN)
_TECHNICAL = re.compile(r"errno|refused|traceback|transport|socket|exception|unable to", re.IGNORECASE)


class Cell:
    """A robot that stays, and a move_group and its keeper, which are processes of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._processes: List[Tuple[str, "subprocess.Popen[bytes]"]] = []
        file = load_arm_file(config_file("robots", "panda_moveit"))
        table = load_scene("tabletop", 0).table
        block = WorldObject("block", "box", "box", (0.10, 0.10, 0.10), pose=Pose((0.45, 0.0, 0.05)))
        self.world = WorldState({"table": table, "block": block})
        scene = replace(load_scene("tabletop", 0), objects=dict(self.world.objects), masses={"block": 0.2})
        tf = rospy.Publisher("/tf", TFMessage, queue_size=5, tcp_nodelay=True)
        self.panda = ReferencePanda(scene, tf, SPACE, False, Event())
        self.controller = ControllerServer(self.panda, SPACE)
        self.start("move_group", HERE / "reference_move_group_node.py", f"_space:={SPACE}")
        moveit = replace(file.moveit, namespace=f"{SPACE}/", robot_description=f"{SPACE}/robot_description",
                         joint_states=f"{SPACE}/joint_states", velocity=0.3, acceleration=0.3,
                         controllers=tuple(f"{SPACE}{name}" for name in file.moveit.controllers))
        gripper = replace(file.gripper, kind="gripper_command",
                          action=f"{SPACE}/franka_gripper/gripper_action")
        self.arm = make_arm(replace(file, moveit=moveit, gripper=gripper), MoveGroupCommander, PATIENCE)
        assert self.arm._joints.wait_until_known(Deadline(PATIENCE))
        self._scene = ServiceClient(f"{SPACE}/get_planning_scene", GetPlanningScene)
        self._finder = NodeFinder("/move_group")
        self.start("keeper", HERE.parent / "nodes/node_keeper", "_node:=/move_group", "_delay:=0.2")
        self.until_said(f"move_group (process {self.found().pid}) is started again whenever")

    def start(self, name: str, program: Path, *words: str) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "1"}
        with (self.folder / f"{name}.log").open("wb") as log:
            self._processes.append((name, subprocess.Popen(
                [sys.executable, str(program), f"__name:={name}", *words], env=environment, stdout=log,
                stderr=subprocess.STDOUT)))

    def found(self) -> Process:
        """The move_group that the ROS master leads to."""
        found: Optional[Process] = until(self._finder, "move_group")
        assert found is not None
        return found

    def kill(self) -> Process:
        """move_group, with SIGKILL; the keeper is held until ``bring_back``."""
        self.signal("keeper", signal.SIGSTOP)
        victim = self.found()
        os.kill(victim.pid, signal.SIGKILL)
        until(lambda: not victim.runs, "death")
        return victim

    def bring_back(self, victim: Process) -> Process:
        """Let the keeper do its work; the move_group that it has started."""
        self.signal("keeper", signal.SIGCONT)
        self.until_said(f"move_group (process {victim.pid}) has ended; it is started again in")
        found = self.found()
        assert found.pid != victim.pid
        self.until_said(f"started move_group again (process {found.pid})")
        assert self.attached() == []  # Its services come after its name.
        return found

    def signal(self, name: str, number: int) -> None:
        next(process for known, process in self._processes if known == name).send_signal(number)

    def said(self) -> str:
        return (self.folder / "keeper.log").read_text(encoding="utf-8")

    def until_said(self, text: str) -> None:
        until(lambda: text in self.said(), f"'{text}'", besides=self.said)

    def go(self, pose: Pose) -> Outcome:
        motion = self.arm.plan_to(pose, Deadline(PATIENCE))
        assert isinstance(motion, Trajectory), motion
        return self.arm.follow(motion, Deadline(PATIENCE), Event())

    def attached(self) -> List[str]:
        """What move_group itself says is attached."""
        reply = self._scene.call(GetPlanningSceneRequest(), PATIENCE)
        assert reply.response is not None, reply.message
        return [each.object.id for each in reply.response.scene.robot_state.attached_collision_objects]

    def close(self) -> None:
        for _, process in reversed(self._processes):
            process.send_signal(signal.SIGCONT)
            process.terminate()
            process.wait(PATIENCE)
        self.controller.close()
        self.panda.stop()


@pytest.fixture(scope="module")
def _cell(ros: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cell]:
    cell = Cell(tmp_path_factory.mktemp("cell"))
    yield cell
    last = cell.found()
    cell.close()
    assert not last.runs, "the keeper left behind what it had started"
    assert "Traceback" not in cell.said()


@pytest.fixture
def cell(_cell: Cell) -> Iterator[Cell]:
    _cell.arm.sync(_cell.world)
    yield _cell
    _cell.signal("keeper", signal.SIGCONT)  # Where the test failed before it did.
    _cell.found()


def plain(message: str) -> str:
    """A message that a person can act on: it names move_group, and nothing of sockets."""
    assert "move_group" in message, message
    assert not _TECHNICAL.search(message), message
    return message


def test_in_mid_motion_it_is_lost_the_arm_stands_and_the_next_motion_is_planned_anew(cell: Cell) -> None:
    assert cell.go(HIGH).ok
    before = cell.panda.motions
    motion = cell.arm.plan_to(LOW, Deadline(PATIENCE))
    assert isinstance(motion, Trajectory), motion
    killed: List[Process] = []

    def kill_on_the_way() -> None:
        until(lambda: cell.panda.moving, "motion")
        killed.append(cell.kill())

    killer = Thread(target=kill_on_the_way, daemon=True)
    killer.start()
    outcome = cell.arm.follow(motion, Deadline(PATIENCE), Event())
    killer.join(PATIENCE)
    assert outcome.status is Status.LOST, outcome
    assert plain(outcome.message) == "move_group went away with the motion"
    assert outcome.cause is not None
    assert outcome.cause.kind is CauseKind.UNREACHABLE_NODE
    assert not cell.panda.moving
    assert cell.arm._joints.farthest(motion.positions[-1])[0] > 0.05, "it went on to the end"
    cell.bring_back(killed[0])
    cell.arm.sync(cell.world)
    assert cell.panda.motions == before + 1, "the motion was sent again"
    outcome = cell.go(LOW)
    assert outcome.ok, outcome
    assert cell.panda.motions == before + 2


def test_while_it_is_away_nothing_moves_and_it_is_said_plainly(cell: Cell) -> None:
    motion = cell.arm.plan_to(HIGH, Deadline(PATIENCE))
    assert isinstance(motion, Trajectory), motion
    before, victim = cell.panda.motions, cell.kill()
    failures: List[Any] = [cell.arm.plan_to(HIGH, Deadline(PATIENCE)), cell.arm.plan_home(Deadline(PATIENCE)),
                           cell.arm.plan_line(HIGH, Deadline(PATIENCE), 0.1)]
    cell.arm.sync(cell.world)
    failures.append(cell.arm.plan_to(HIGH, Deadline(PATIENCE)))
    for failure in failures:
        assert isinstance(failure, MotionFailure), failure
        assert failure.outcome().status is Status.LOST, failure
        plain(failure.message)
    outcome = cell.arm.follow(motion, Deadline(PATIENCE), Event())
    assert outcome.status is Status.LOST, outcome
    plain(outcome.message)
    cell.bring_back(victim)
    cell.arm.sync(cell.world)
    assert cell.panda.motions == before, "what was planned before is begun by nobody"
    outcome = cell.go(HIGH)
    assert outcome.ok, outcome


def test_killed_while_it_plans_it_is_lost_and_plans_again_once_it_is_back(cell: Cell) -> None:
    rospy.set_param("/move_group/mode", "hangs")
    rospy.set_param("/move_group/planning", False)
    answers: List[Any] = []
    planning = Thread(target=lambda: answers.append(cell.arm.plan_to(LOW, Deadline(PATIENCE))), daemon=True)
    planning.start()
    until(lambda: rospy.get_param("/move_group/planning"), "planning")
    victim = cell.kill()
    planning.join(PATIENCE)
    assert isinstance(answers[0], MotionFailure)
    assert answers[0].outcome().status is Status.LOST
    plain(answers[0].message)
    rospy.delete_param("/move_group/mode")
    cell.bring_back(victim)
    cell.arm.sync(cell.world)
    outcome = cell.go(LOW)
    assert outcome.ok, outcome


def test_what_was_in_the_hand_is_put_back_into_it(cell: Cell) -> None:
    block = cell.world.objects["block"]
    held = replace(block, pose=Pose(cell.arm.tool_pose().shifted((0.0, 0.0, -0.06)).position))
    seen = replace(cell.world, objects={**cell.world.objects, "block": held})
    cell.arm.sync(seen)
    cell.arm.attach("block")
    assert cell.attached() == ["block"]
    cell.bring_back(cell.kill())
    cell.arm.sync(seen)
    cell.arm.attach("block")
    assert cell.attached() == ["block"]
    cell.arm.detach()
    cell.arm.sync(cell.world)


def test_a_master_that_knows_no_such_node_leads_to_none(ros: None) -> None:
    assert rosgraph.is_master_online()
    assert NodeFinder("/nobody")() is None

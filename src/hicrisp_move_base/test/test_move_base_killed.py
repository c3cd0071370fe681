"""``kill -9`` of a move_base that is a process of its own, under a command; roslaunch starts it again after a while."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from typing import Iterator, List

import pytest
import rospy
from hicrisp_core.domain.schema import SkillUse
from hicrisp_core.model import CauseKind, Command, Outcome, Status
from hicrisp_core.robot.base_robot import BaseRobot
from hicrisp_core.robot.landmarks import BaseSettings, Landmark
from hicrisp_core.time.deadline import Deadline
from hicrisp_move_base.move_base import MoveBase
from move_base_stack import SETTINGS
from reference_move_base import KinematicBase
from waiting import PATIENCE, until

pytestmark = pytest.mark.usefixtures("ros")
GATE = Command("visit", {"robot": "agv", "area": "gate"}, "agv")


class Hall:
    """A base that stays, its driver, and a move_base that may be killed and started again."""

    def __init__(self, folder: Path, return_limit: float) -> None:
        self._log = (folder / "move_base.log").open("wb")
        self.base = KinematicBase()
        self.start()
        rospy.wait_for_service("/move_base/make_plan", PATIENCE)
        self.driver = MoveBase("agv", replace(SETTINGS, return_limit=return_limit))
        self.robot = BaseRobot(self.driver, {"visit": SkillUse("visit")}, self.driver.where, BaseSettings(
            "agv", landmarks={"gate": Landmark(3.0, 0.0, None)}), recover=self.driver.wait_for_return)
        assert self.driver._client.wait_for_server(PATIENCE)
        self.phases: List[str] = []

    def start(self) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("reference_move_base.py")), "__name:=move_base",
             "_base:=false"], env=environment, stdout=self._log, stderr=subprocess.STDOUT)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def visit(self) -> Outcome:
        return self.robot.execute(GATE, Deadline(PATIENCE), Event(), lambda phase, _: self.phases.append(phase))

    def stop(self) -> None:
        self.kill()
        self.base.stop()
        self._log.close()


@pytest.fixture
def hall(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Hall]:
    hall = Hall(tmp_path, request.param)
    yield hall
    hall.stop()


def killed_on_the_way(hall: Hall) -> List[Outcome]:
    """A visit under which move_base is killed, and that goes on in a thread of its own."""
    outcomes: List[Outcome] = []
    Thread(target=lambda: outcomes.append(hall.visit()), daemon=True).start()
    until(lambda: hall.base.pose[0] > 0.3, "drive")
    hall.kill()
    return outcomes


@pytest.mark.parametrize("hall", [PATIENCE], indirect=True)
def test_a_move_base_that_is_started_again_is_waited_for_before_the_command_is_given_up(hall: Hall) -> None:
    outcomes = killed_on_the_way(hall)
    until(lambda: [phase for phase in hall.phases if phase.startswith("wait for move_base: 5 s of")], "wait")
    assert not outcomes
    assert not hall.base.moving
    hall.start()
    outcome = until(lambda: outcomes, "outcome")[0]
    assert outcome.status is Status.LOST
    assert outcome.cause is not None
    assert outcome.cause.kind is CauseKind.UNREACHABLE_NODE
    assert "move_base is back after" in outcome.message
    assert hall.visit().ok


@pytest.mark.parametrize("hall", [2.0], indirect=True)
def test_a_move_base_that_stays_away_is_told(hall: Hall) -> None:
    outcomes = killed_on_the_way(hall)
    outcome = until(lambda: outcomes, "outcome")[0]
    assert outcome.status is Status.LOST
    assert "move_base did not come back within 2 s" in outcome.message

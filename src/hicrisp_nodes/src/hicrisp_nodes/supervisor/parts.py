"""The connections to the stateless nodes; they outlive the tasks."""

from __future__ import annotations

from typing import Dict

from hicrisp_ros.ports.detector import RosDetector
from hicrisp_ros.ports.thinker import Thinker
from hicrisp_ros.service_client import ServiceClient

from hicrisp_msgs.msg import (
    CorrectStepAction,
    PlanTaskAction,
    ReportTaskAction,
    TranslateStepAction,
    UnderstandAction,
)
from hicrisp_msgs.srv import AimCommand


class Thinkers:
    """Brain, body, corrector and detector."""

    def __init__(self) -> None:
        self.brain = Thinker("brain/plan", PlanTaskAction)
        self.reporter = Thinker("brain/report", ReportTaskAction)
        self.interpreter = Thinker("brain/understand", UnderstandAction)
        self.body = Thinker("body/translate", TranslateStepAction)
        self.corrector = Thinker("corrector/correct", CorrectStepAction)
        self.aim = ServiceClient("body/aim", AimCommand)
        self.detector = RosDetector()

    def reachable(self) -> Dict[str, bool]:
        """Which of the nodes with an action are connected."""
        return {part: getattr(self, part).client.connected for part in ("brain", "body", "corrector")}

"""The connections to the stateless nodes; they outlive the tasks."""

from __future__ import annotations

from typing import Dict

from hicrisp_ros.ports.detector import RosDetector
from hicrisp_ros.ports.node_client import NodeClient
from hicrisp_ros.service_client import ServiceClient

from hicrisp_msgs import msg
from hicrisp_msgs.srv import AimCommand


class NodeClients:
    """Brain, body, corrector, detector and witness."""

    def __init__(self) -> None:
        self.brain = NodeClient("brain/plan", msg.PlanTaskAction)
        self.reporter = NodeClient("brain/report", msg.ReportTaskAction)
        self.interpreter = NodeClient("brain/understand", msg.UnderstandAction)
        self.body = NodeClient("body/translate", msg.TranslateStepAction)
        self.corrector = NodeClient("corrector/correct", msg.CorrectStepAction)
        self.aim = ServiceClient("body/aim", AimCommand)
        self.witness = NodeClient("witness", msg.WitnessAction)
        self.detector = RosDetector()

    def reachable(self) -> Dict[str, bool]:
        """Which of the nodes with an action are connected."""
        return {part: getattr(self, part).client.connected for part in ("brain", "body", "corrector")}

"""Carries out one task: the executive over ROS, its events to the topics and to the run folder."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, Dict, Mapping, Optional

import rospy
from hicrisp_core.corrector.offsets import DecoderOffsets
from hicrisp_core.executive.executive import Executive
from hicrisp_core.executive.ports import Ports
from hicrisp_core.model import Command, Plan, Task

from hicrisp_nodes.config_files import Configuration
from hicrisp_nodes.ports.body import RosBody
from hicrisp_nodes.ports.brain import RosBrain
from hicrisp_nodes.ports.corrector import RosCorrector
from hicrisp_nodes.ports.observer import TopicObserver
from hicrisp_nodes.ports.robot import RosRobot
from hicrisp_nodes.supervisor.dry_run import rehearse
from hicrisp_nodes.supervisor.gate import Gate
from hicrisp_nodes.supervisor.parts import Thinkers
from hicrisp_nodes.supervisor.pictures import Camera, caption_of
from hicrisp_nodes.supervisor.queue import Request
from hicrisp_nodes.supervisor.record import Record
from hicrisp_nodes.supervisor.reports import Reports


class TaskRunner:
    """Runs requests; keeps between them only what the action decoder has learnt.

    Args:
        labels: what is written into each result: policy, llm, scene, seed.
        changed: called when the request's progress has changed.
    """

    def __init__(
        self, configuration: Configuration, thinkers: Thinkers, robots: Mapping[str, RosRobot], observer: TopicObserver,
        gate: Gate, reports: Reports, runs_dir: Path, labels: Mapping[str, Any], changed: Callable[[Request], None],
    ) -> None:
        self._configuration = configuration
        self._thinkers = thinkers
        self._robots = robots
        self._observer = observer
        self._gate = gate
        self._reports = reports
        self._runs_dir = runs_dir
        self._labels = dict(labels)
        self._changed = changed
        self._camera = Camera()
        self._offsets: Optional[DecoderOffsets] = None

    def run(self, request: Request) -> None:
        """Carry out one request to its end."""
        record = Record(self._runs_dir / request.id, request.text, self._labels)
        request.progress = replace(request.progress, run_folder=str(record.folder))
        self._camera.begin(record.folder)
        began, began_ros = time.monotonic(), rospy.get_time()

        def tell(event: Dict[str, Any]) -> None:
            picture = self._camera.take(caption_of(event)) if caption_of(event) else None
            request.progress = request.progress.after(event)
            for each in (event, self._picture_event(event, picture)):
                if each is not None:
                    record.write(each)
                    self._reports.event(each, request.id)
            self._changed(request)

        def planned(plan: Plan) -> None:
            request.plan = plan
            self._reports.plan(plan, request.id)

        tell({"kind": "task_received", "t": 0.0, "sim_t": 0.0, "task_id": request.id, "text": request.text,
              **self._labels})
        ports = self._ports(request, planned)
        if request.dry_run:
            ended = rehearse(self._configuration.domain, ports, Task(request.text, request.id, request.robot))
            tell({"kind": "task_finished", "t": time.monotonic() - began, "sim_t": 0.0, **ended})
            record.close(None)
            return
        policy = replace(self._configuration.policy, autonomy="supervised")  # The gate knows the level of this moment.
        executive = Executive(ports, self._configuration.domain, policy, tell, request.cancel, self._offsets)
        try:
            result = executive.run(Task(request.text, request.id, request.robot))
        finally:
            self._offsets = executive.offsets
        self._camera.animate(began_ros)
        record.close(result)
        request.story = record.story()

    def _ports(self, request: Request, planned: Callable[[Plan], None]) -> Ports:
        domain, cancel = self._configuration.domain, request.cancel

        def approve(command: Command) -> bool:
            return self._gate.approve(f"May {command.robot} {domain.describe(command)}?", cancel)

        return Ports(
            brain=RosBrain(self._thinkers.brain, cancel, planned),
            body=RosBody(self._thinkers.body, self._thinkers.aim, cancel),
            robots=dict(self._robots),
            detector=self._thinkers.detector,
            corrector=RosCorrector(self._thinkers.corrector, cancel, planned),
            observer=self._observer,
            approve=approve,
            gate=self._gate.pass_through,
        )

    @staticmethod
    def _picture_event(event: Mapping[str, Any], file: Optional[str]) -> Optional[Dict[str, Any]]:
        if file is None:
            return None
        return {"kind": "picture", "t": event["t"], "sim_t": event["sim_t"], "file": file,
                "caption": caption_of(event)}

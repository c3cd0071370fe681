"""Everything in one process: an executive over a robot and eyes, without ROS."""

from __future__ import annotations

from pathlib import Path as FilePath
from threading import Event
from typing import Mapping, Optional, Union

from hicrisp_core.body.decoder import ActionDecoder
from hicrisp_core.body.drive_goals import DriveSpace
from hicrisp_core.body.factory import make_body
from hicrisp_core.body.placement import Workspace
from hicrisp_core.corrector.ladder import Ladder
from hicrisp_core.detector.detector import Detector
from hicrisp_core.domain.schema import Domain
from hicrisp_core.executive.executive import Executive
from hicrisp_core.executive.ledger import Listener
from hicrisp_core.executive.task_order import TaskOrder
from hicrisp_core.language.vocabulary import drives
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.policy.policy import Policy
from hicrisp_core.ports.brain import Brain, Reporter
from hicrisp_core.ports.executive import Ports
from hicrisp_core.ports.eyes import Observer
from hicrisp_core.ports.robot import RobotPort


def assemble(
    domain: Domain, policy: Policy, brain: Brain, robots: Mapping[str, RobotPort], observer: Observer,
    on_event: Listener, cancel: Optional[Event] = None, workspace: Optional[Workspace] = None,
    llm: Optional[LlmSettings] = None, prompts: Union[str, FilePath] = "", drive: Optional[DriveSpace] = None,
) -> Executive:
    """The executive with the body, the detector and the corrector that the nodes use.

    Args:
        workspace: what placements must respect.
        llm: the endpoint of a body with a language model.
        prompts: the folder of its prompts.
        drive: what goals of a mobile base must respect.
    """
    space = drive or DriveSpace()
    body = make_body(policy.body, domain, ActionDecoder(domain, workspace or Workspace(), space), llm, prompts)
    watch = TaskOrder(domain, space) if drives(domain) else None
    ports = Ports(brain, body, robots, Detector(domain), Ladder(domain, policy, brain), observer,
                  reporter=brain if isinstance(brain, Reporter) else None, watch=watch)
    return Executive(ports, domain, policy, on_event, cancel)

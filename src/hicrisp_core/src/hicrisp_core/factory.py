"""The composition root: the parts of a run, made from what configures it, whether nodes make one each or a
process all.

Nobody else puts a brain, a body, a detector and a corrector together.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath
from threading import Event
from typing import Any, Mapping, Optional, Union

from hicrisp_core.body.decoder import ActionDecoder
from hicrisp_core.body.factory import make_body
from hicrisp_core.body.placement import Workspace, workspace_of
from hicrisp_core.brain.factory import make_brain
from hicrisp_core.config.files import config_file
from hicrisp_core.corrector.ladder import Ladder
from hicrisp_core.detector.detector import Detector
from hicrisp_core.domain import load_domain
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search import Searcher
from hicrisp_core.executive.executive import Executive
from hicrisp_core.executive.run_log import Listener
from hicrisp_core.executive.task_order import TaskOrder
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import OFFLINE, LlmSettings, load_llm_settings
from hicrisp_core.policy.policy import Policy, load_policy
from hicrisp_core.ports.body import Body
from hicrisp_core.ports.brain import Brain, Reporter
from hicrisp_core.ports.executive import DetectorPort, Ports, not_simulated
from hicrisp_core.ports.eyes import Namer, Observer
from hicrisp_core.ports.interpreter import Interpreter
from hicrisp_core.ports.memory import Memory
from hicrisp_core.ports.robot import RobotPort
from hicrisp_core.robot.description import RobotBody
from hicrisp_core.robot.drive_goals import DriveSpace
from hicrisp_core.understanding.controlled.interpreter import naming_in
from hicrisp_core.understanding.factory import make_interpreter

_NO_MODEL = LlmSettings("offline", backend=OFFLINE)


@dataclass(frozen=True)
class RunFactory:
    """What configures a run, and makes its parts.

    Args:
        llm: the language models that plan, and that a body with a model asks; the offline planner by default.
        prompts: the folder of the policy's prompts, for a language model.
        workspace: what the placements of a robot must respect whose body is not given.
        drive: what goals of a mobile base must respect.
        searcher: of repairs and rehearsals; one that both share where none is given.
        pose_age_limit: age from which on the detector does not count a pose as seen, seconds.
        bodies: what the robots are, by name.
        memory: what earlier runs left; nothing where none is given.
        models: those of ``llm``, where parts that are made after one another share them.
    """

    domain: Domain
    policy: Policy
    llm: LlmSettings = _NO_MODEL
    prompts: Union[str, FilePath] = ""
    workspace: Workspace = Workspace()
    drive: DriveSpace = DriveSpace()
    pose_age_limit: float = 1.0
    searcher: Optional[Searcher] = None
    bodies: Mapping[str, RobotBody] = field(default_factory=dict)
    memory: Optional[Memory] = None
    models: Optional[Models] = None

    def brain(self) -> Brain:
        """The brain that the policy and the language model ask for."""
        return make_brain(self.models or self.llm, self.domain, self.prompts, self.policy)

    def interpreter(self) -> Interpreter:
        """The interpreter that the language model asks for."""
        return make_interpreter(self.models or self.llm, self.domain, self.prompts)

    def body(self) -> Body:
        """The body that the policy names."""
        decoder = ActionDecoder(
            self.domain, self.workspace, self.drive,
            {name: workspace_of(body) for name, body in self.bodies.items()})
        return make_body(self.policy.body, self.domain, decoder, self.models or self.llm, self.prompts)

    def detector(self) -> Detector:
        """The detector of the domain's facts."""
        return Detector(self.domain, self.pose_age_limit)

    def corrector(self, brain: Brain) -> Ladder:
        """The ladder of the policy's rungs; those with a model ask the brain."""
        return Ladder(self.domain, self.policy, brain, self.searcher)

    def watch(self) -> Optional[TaskOrder]:
        """Who watches the order in which a base visits places; ``None`` where nothing drives."""
        return TaskOrder(self.domain, self.drive) if self.domain.roles.drives else None

    def ports(
        self, robots: Mapping[str, RobotPort], observer: Observer, brain: Optional[Brain] = None,
        body: Optional[Body] = None, detector: Optional[DetectorPort] = None, **others: Any,
    ) -> Ports:
        """All ports of an executive.

        Args:
            observer: the eyes; those on a simulation may have its ``true_state`` as well.
            brain: in place of the usual one; so are ``body`` and ``detector``.
            others: further fields of ``Ports``.
        """
        parts = self if self.models is not None else replace(self, models=Models(self.llm))
        brain = brain or parts.brain()
        usual = Ports(
            brain, body or parts.body(), robots, detector or self.detector(), self.corrector(brain), observer,
            reporter=brain if isinstance(brain, Reporter) else None, watch=self.watch(),
            memory=self.memory, interpreter=parts.interpreter(),
            naming=naming_in, namer=observer if isinstance(observer, Namer) else None,
            true_state=getattr(observer, "true_state", not_simulated))
        return replace(usual, **others)

    def executive(
        self, robots: Mapping[str, RobotPort], observer: Observer, on_event: Listener,
        cancel: Optional[Event] = None,
        **ports: Any,
    ) -> Executive:
        """Everything in one process: an executive over robots and eyes, without ROS; ``ports`` as above."""
        searcher = self.searcher or Searcher(self.domain)
        made = replace(self, searcher=searcher).ports(robots, observer, **ports)
        return Executive(made, self.domain, self.policy, on_event, cancel, searcher=searcher)


def load_factory(
    config: FilePath, domain: Union[str, Domain], policy: Union[str, Policy],
    llm: Union[str, LlmSettings] = OFFLINE,
    **more: Any,
) -> RunFactory:
    """The parts that names in a ``config`` folder, or what was already read, ask for.

    Args:
        more: fields of ``RunFactory``.

    Raises:
        ConfigError: for a name without a file, or a wrong file.
    """
    def file(kind: str, name: str) -> FilePath:
        return config_file(kind, name, beside=config / kind / "any")

    domain = load_domain(file("domains", domain)) if isinstance(domain, str) else domain
    policy = load_policy(file("policies", policy)) if isinstance(policy, str) else policy
    llm = load_llm_settings(file("llm", llm)) if isinstance(llm, str) else llm
    return replace(RunFactory(domain, policy, llm, config / "prompts" / policy.prompts), **more)

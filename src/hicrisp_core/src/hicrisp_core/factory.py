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
from hicrisp_core.domain import Domain, Searcher, load_domain
from hicrisp_core.executive.executive import Executive
from hicrisp_core.executive.run_log import Listener
from hicrisp_core.executive.task_order import TaskOrder
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import OFFLINE, LlmSettings, load_llm_settings
from hicrisp_core.policy.policy import Policy, load_policy
from hicrisp_core.ports.body import Body
from hicrisp_core.ports.brain import Brain, Reporter
from hicrisp_core.ports.executive import DetectorPort, Ports
from hicrisp_core.ports.interpreter import Interpreter, Look
from hicrisp_core.ports.memory import Memory
from hicrisp_core.ports.observer import Namer, Observer
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
        """Create the brain that the policy and the language model settings select."""
        return make_brain(self.models or self.llm, self.domain, self.prompts, self.policy)

    def interpreter(self, look: Optional[Look] = None) -> Interpreter:
        """Create the interpreter that the language model settings select.

        Args:
            look: takes pictures of undescribed objects for a model that takes them.
        """
        return make_interpreter(self.models or self.llm, self.domain, self.prompts, look)

    def body(self) -> Body:
        """Create the body that the policy names."""
        decoder = ActionDecoder(
            self.domain, self.workspace, self.drive,
            {name: workspace_of(body) for name, body in self.bodies.items()})
        return make_body(self.policy.body, self.domain, decoder, self.models or self.llm, self.prompts)

    def detector(self) -> Detector:
        """Create the detector for the domain's facts."""
        return Detector(self.domain, self.pose_age_limit)

    def corrector(self, brain: Brain) -> Ladder:
        """Create the ladder of the policy's rungs.

        Args:
            brain: answers for the rungs that ask a model.

        Returns:
            The corrector.
        """
        return Ladder(self.domain, self.policy, brain, self.searcher)

    def watch(self) -> Optional[TaskOrder]:
        """Create the watch over the order in which a base visits places; ``None`` if the domain has no driving."""
        return TaskOrder(self.domain, self.drive) if self.domain.roles.drives else None

    def ports(
        self, robots: Mapping[str, RobotPort], observer: Observer, brain: Optional[Brain] = None,
        body: Optional[Body] = None, detector: Optional[DetectorPort] = None, **others: Any,
    ) -> Ports:
        """Create all ports of an executive.

        Args:
            robots: the robots' drivers by robot name.
            observer: source of world states; its ``true_state`` is used if it has one, as simulations do.
            brain: replaces the configured brain.
            body: replaces the configured body.
            detector: replaces the configured detector.
            others: further fields of :class:`Ports`, which take precedence.

        Returns:
            The ports; all parts share the same language models.
        """
        parts = self if self.models is not None else replace(self, models=Models(self.llm))
        brain = brain or parts.brain()
        usual = Ports(
            brain, body or parts.body(), robots, detector or self.detector(), self.corrector(brain), observer,
            reporter=brain if isinstance(brain, Reporter) else None, watch=self.watch(),
            memory=self.memory, interpreter=parts.interpreter(),
            naming=naming_in, namer=observer if isinstance(observer, Namer) else None,
            true_state=getattr(observer, "true_state", lambda: None))
        return replace(usual, **others)

    def executive(
        self, robots: Mapping[str, RobotPort], observer: Observer, on_event: Listener,
        cancel: Optional[Event] = None,
        **ports: Any,
    ) -> Executive:
        """Create an executive with all its parts in one process, without ROS.

        Args:
            robots: the robots' drivers by robot name.
            observer: source of world states.
            on_event: called with each event of the run.
            cancel: ends the run when it is set.
            ports: further arguments of :meth:`ports`.

        Returns:
            The executive, ready to run tasks.
        """
        searcher = self.searcher or Searcher(self.domain)
        made = replace(self, searcher=searcher).ports(robots, observer, **ports)
        return Executive(made, self.domain, self.policy, on_event, cancel, searcher=searcher)


def load_factory(
    config: FilePath, domain: Union[str, Domain], policy: Union[str, Policy],
    llm: Union[str, LlmSettings] = OFFLINE,
    **more: Any,
) -> RunFactory:
    """Create a factory from names in a ``config`` folder or from parsed configuration.

    Args:
        config: the folder with ``domains``, ``policies``, ``llm`` and ``prompts``.
        domain: a domain, or the name of its file.
        policy: a policy, or the name of its file.
        llm: language model settings, or the name of their file; offline planning by default.
        more: further fields of :class:`RunFactory`.

    Returns:
        The factory, with the prompts that the policy names.

    Raises:
        ConfigError: if a named file is missing or invalid.
    """
    domain = load_domain(config_file("domains", domain, config)) if isinstance(domain, str) else domain
    policy = load_policy(config_file("policies", policy, config)) if isinstance(policy, str) else policy
    llm = load_llm_settings(config_file("llm", llm, config)) if isinstance(llm, str) else llm
    return replace(RunFactory(domain, policy, llm, config / "prompts" / policy.prompts), **more)

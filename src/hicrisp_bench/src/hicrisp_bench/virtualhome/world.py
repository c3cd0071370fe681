"""VirtualHome behind the robot's and the eyes' ports: one command at a time through its own executor."""

from __future__ import annotations

from threading import Event
from typing import Any, Iterable, List, Optional, Sequence, Set

from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Cause, CauseKind, Command, Outcome, Status, WorldState
from hicrisp_core.ports.robot import Progress
from hicrisp_core.time.deadline import Deadline

from hicrisp_bench.virtualhome import package
from hicrisp_bench.virtualhome.answers import plain
from hicrisp_bench.virtualhome.facts import CHARACTER, number_of, observe


class VirtualHome:
    """Robot and eyes in one over a scene graph, which itself is never changed.

    Args:
        domain: its actions are the executor's, in lower case.
        graph: the package's ``EnvironmentGraph``; any number of worlds may share it.
        character: the number of the person who acts.
        named: numbers of the nodes that are looked at; what a plan names is enough for the plan.
    """

    name = CHARACTER

    def __init__(self, domain: Domain, graph: Any, character: int, named: Iterable[int]) -> None:
        self._domain = domain
        self._character = character
        self._named: Set[int] = set(named)
        self._execution = package.part("execution")
        self._scripts = package.part("scripts")
        self._failures = (package.part("common").Error, AssertionError, AttributeError, LookupError)
        self._stamp = 0.0
        self._last: Optional[WorldState] = None
        self.state = package.part("environment").EnvironmentState(graph, {}, instance_selection=True)
        self.carried_out: List[str] = []
        """The commands that the executor carried out, in its notation."""

    def capabilities(self) -> Sequence[str]:
        """Every action of the domain."""
        return tuple(self._domain.actions)

    def execute(
        self, command: Command, deadline: Deadline, cancel: Event, progress: Optional[Progress] = None
    ) -> Outcome:
        """Ask the executor; its refusal is the outcome's message, with the domain's names."""
        if cancel.is_set() or deadline.passed:
            canceled = cancel.is_set()
            return Outcome(Status.CANCELED if canceled else Status.TIMEOUT,
                           cause=Cause(CauseKind.CANCELED if canceled else CauseKind.OUT_OF_TIME))
        line = notation(self._domain, command)
        told = self._execution.ExecutionInfo(eval_mode=True)
        try:
            script = self._scripts.Script([self._scripts.parse_script_line(line, 1)])
            after = next(self._execution.ScriptExecutor.call_action_method(script, self.state, told, 0), None)
        except self._failures as error:
            return Outcome.because(CauseKind.REFUSED, Status.INVALID,
                                   f"the executor cannot do this: {error}")
        if after is None:
            return Outcome.because(
                CauseKind.REFUSED, Status.PRECONDITION,
                plain(told.get_error_string()) or "the executor refuses without a word")
        self.state = after
        self._last = None
        self._stamp += 1.0
        self.carried_out.append(line)
        if progress is not None:
            progress(command.action, 1.0)
        return Outcome(Status.SUCCESS)

    def observe(self, deadline: Deadline) -> WorldState:
        """The facts about what is named, held, or around either."""
        del deadline  # Nothing to wait for.
        if self._last is None:
            self._last = observe(self.state, self._character, self._named, self._stamp)
        return self._last

    def stop(self, deadline: Deadline) -> Outcome:
        """Nothing moves."""
        del deadline
        return Outcome(Status.SUCCESS)

    def reset(self) -> None:
        """Nothing to forget."""


def notation(domain: Domain, command: Command) -> str:
    """A command in the executor's notation, ``[PUTBACK] <cup> (12) <table> (34)``."""
    things = [command.argument(name) for name, parameter in domain.actions[command.action].parameters.items()
              if parameter.type != "base"]
    return " ".join([f"[{command.action.upper()}]",
                     *(f"<{name.rpartition('_')[0]}> ({number_of(name)})" for name in things)])

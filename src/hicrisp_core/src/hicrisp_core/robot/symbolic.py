"""A world without physics: the domain's own transition function as a robot, with failures on request."""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import Event
from typing import List, Optional, Sequence, Set, Tuple

from hicrisp_core.domain.checker import check
from hicrisp_core.domain.effects import apply_effects
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.wording import told
from hicrisp_core.model import Cause, CauseKind, Command, Outcome, Status, WorldState
from hicrisp_core.ports.robot import Progress
from hicrisp_core.time.deadline import Deadline


@dataclass
class _Fault:
    command: str
    outcome: Outcome
    times: int
    instead: Optional[Command]


class SymbolicWorld:
    """Robot and observer in one: commands change the facts as the domain says, unless a fault was put in their
    way.
    """

    def __init__(self, domain: Domain, state: WorldState, robot: str = "") -> None:
        self.name = robot or next(iter(state.robots), "robot")
        self.state = state
        self.executed: List[str] = []
        self._domain = domain
        self._faults: List[_Fault] = []
        self._moved: Set[str] = set()

    def fails(
        self, command: str, times: int = 1, status: Status = Status.SUCCESS, message: str = "",
        instead: Optional[Command] = None, blockers: Tuple[str, ...] = (), cause: Optional[Cause] = None,
    ) -> None:
        """Make a command (as its text, ``pick(arm, box)``) fail: it has no effect, or that of another one.

        Args:
            status: what the driver claims; SUCCESS makes the failure one that only the detector can see.
            blockers: the objects that are in the way; once one of them was moved, the command does not fail
                any more.
            cause: what the driver says began it.
        """
        self._faults.append(_Fault(command, Outcome(status, message, blockers, cause), times, instead))

    def capabilities(self) -> Sequence[str]:
        """Return every action of the domain.

        Returns:
            Names of actions.
        """
        return tuple(self._domain.actions)

    def execute(
        self, command: Command, deadline: Deadline, cancel: Event, progress: Optional[Progress] = None
    ) -> Outcome:
        """Apply the effects of a command, or the fault that is scheduled for it.

        Args:
            command: the action with its arguments and constraints.
            deadline: wall-clock limit of the call.
            cancel: event that stops the call when it is set.
            progress: called with the name of the phase and the completed share, 0 to 1.

        Returns:
            SUCCESS, or the injected status; PRECONDITION if a precondition is missing.
        """
        if cancel.is_set() or deadline.passed:
            canceled = cancel.is_set()
            return Outcome(Status.CANCELED if canceled else Status.TIMEOUT,
                           cause=Cause(CauseKind.CANCELED if canceled else CauseKind.OUT_OF_TIME))
        refusal = check(self._domain, command, self.state)
        if refusal is not None:
            return Outcome(Status.PRECONDITION, told(refusal, self._domain))
        self.executed.append(str(command))
        if progress is not None:
            progress(command.action, 1.0)
        for fault in self._faults:
            if (fault.command == str(command) and fault.times > 0 and not self._moved & set(fault.outcome.blockers)):
                fault.times -= 1
                if fault.instead is not None:
                    self._apply(fault.instead)
                return fault.outcome
        self._apply(command)
        self._moved.add(self._domain.item(command))
        return Outcome(Status.SUCCESS)

    def observe(self, deadline: Deadline) -> WorldState:
        """Return the current facts.

        Args:
            deadline: wall-clock limit of the call.

        Returns:
            The world.
        """
        del deadline  # Nothing to wait for.
        return self.state

    def stop(self, deadline: Deadline) -> Outcome:
        """Confirm the stop; nothing moves here.

        Args:
            deadline: wall-clock limit of the call.

        Returns:
            SUCCESS.
        """
        del deadline
        return Outcome(Status.SUCCESS)

    def reset(self) -> None:
        """Do nothing: no state remains between commands."""

    def _apply(self, command: Command) -> None:
        after = apply_effects(self._domain, command, self.state)
        self.state = replace(after, stamp=self.state.stamp + 1.0)

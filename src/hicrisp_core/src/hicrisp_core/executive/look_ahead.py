"""The next step is translated while the robot moves, in the world as the running commands will leave it.

Nothing else is done differently: the answer is used only where the question turns out to be the very same.
"""

from __future__ import annotations

from threading import Lock, Thread
from typing import List, Tuple

from hicrisp_core.domain.effects import apply_effects
from hicrisp_core.domain.schema import Domain
from hicrisp_core.executive.run_log import RunLog
from hicrisp_core.model import Command, Step, WorldState
from hicrisp_core.ports.body import Body, Foresight
from hicrisp_core.ports.brain import Usage
from hicrisp_core.time.deadline import Deadline

_LIMIT = 60.0
"""Wall seconds for one translation."""


class LookAhead:
    """Asks a body for a step before its turn, in a thread of its own.

    Args:
        on: whether it does anything.
    """

    def __init__(self, body: Body, domain: Domain, ledger: RunLog, on: bool) -> None:
        self._body = body if on and isinstance(body, Foresight) else None
        self._domain = domain
        self._ledger = ledger
        self._lock = Lock()
        self._asking: List[Thread] = []
        self._closed = False

    def begin(self, step: Step, world: WorldState, commands: Tuple[Command, ...]) -> None:
        """Prepare a step in the background while commands are carried out.

        Args:
            step: the next step.
            world: the current world.
            commands: running commands; the step is prepared for the world after them.
        """
        body = self._body
        if body is None or not commands or self._asking:
            return
        for command in commands:
            if command.action in self._domain.actions:
                world = apply_effects(self._domain, command, world)
        thread = Thread(target=self._ask, args=(body, step, world), name="look ahead", daemon=True)
        with self._lock:
            self._asking.append(thread)
        thread.start()

    def close(self) -> None:
        """End the preparation; a request that is still running counts as one call."""
        with self._lock:
            open_, self._closed = len(self._asking), True
        if open_:
            self._ledger.used(Usage(calls=open_))

    def _ask(self, body: Foresight, step: Step, world: WorldState) -> None:
        usage = Usage()
        try:
            usage = body.prepare(step, world, Deadline(_LIMIT))
        finally:
            with self._lock:
                self._asking.clear()
                told = not self._closed
            if told:
                self._ledger.used(usage)

"""Ways back to where a failed command can be tried: by the domain's operators, or with another thing that serves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Iterator, Optional, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search import find_commands, preconditions_of
from hicrisp_core.model import Command, WorldState
from hicrisp_core.policy.search_limits import SearchLimits


@dataclass(frozen=True)
class WayBack:
    """Commands after which a command may run, and that command: the failed one, or the same with another thing."""

    commands: Tuple[Command, ...]
    command: Command


def way_back(domain: Domain, command: Command, world: WorldState, limits: SearchLimits) -> Optional[WayBack]:
    """The shortest way to where a failed command can be tried; ``None`` where there is none within the limits.

    Only actions that can be undone are used: nobody asked for others. Where the domain says that any thing of a type
    serves (one hand or the other), the same command with another such thing is a way too (CoPAL, Table II).
    """
    best: Optional[WayBack] = None
    for candidate in (command, *_alternatives(domain, command, world)):
        if best is not None and not best.commands:
            break
        shorter = limits if best is None else replace(limits, depth=len(best.commands) - 1)
        found = find_commands(domain, world, preconditions_of(domain, candidate), shorter, undoable=True)
        if found is not None:
            best = WayBack(found, candidate)
    return best


def _alternatives(domain: Domain, command: Command, world: WorldState) -> Iterator[Command]:
    for parameter in domain.actions[command.action].parameters.values():
        if parameter.any:
            for name in domain.objects_of(world, parameter.type):
                if name != command.arguments.get(parameter.name):
                    yield replace(command, arguments={**command.arguments, parameter.name: name})

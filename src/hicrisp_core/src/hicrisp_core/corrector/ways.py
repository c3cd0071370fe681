"""Ways back to where a failed command can be tried: by the domain's operators, or with another thing that
serves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Iterator, Optional, Tuple, Union

from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search import Conditions, Ending, Searcher, preconditions_of
from hicrisp_core.model import Command, WorldState
from hicrisp_core.policy.search_limits import SearchLimits
from hicrisp_core.time.deadline import Deadline


@dataclass(frozen=True)
class WayBack:
    """Commands after which a command may run, and that command: the failed one, or the same with another
    thing."""

    commands: Tuple[Command, ...]
    command: Command


def way_back(
    searcher: Searcher, command: Command, world: WorldState, limits: SearchLimits, deadline: Deadline,
    keep: Conditions = (),
) -> Union[WayBack, Ending]:
    """A short way to where a failed command can be tried, or why there is none.

    Only actions that can be undone are used: nobody asked for others. Where the domain says that any thing of
    a type serves (one hand or the other), the same command with another such thing is a way too (CoPAL, Table
    II).

    Args:
        limits: its seconds are for all the things that may serve together.
        keep: what no command may end where it holds.
    """
    within = limits.deadline(deadline)
    best: Optional[WayBack] = None
    ending = Ending.NO_WAY
    for candidate in (command, *_alternatives(searcher.domain, command, world)):
        if best is not None and not best.commands:
            break
        shorter = limits if best is None else replace(limits, depth=len(best.commands) - 1)
        answer = searcher.find(world, preconditions_of(searcher.domain, candidate), shorter, within,
                               undoable=True, keep=keep)
        if answer.found:
            best = WayBack(answer.commands, candidate)
        elif answer.out_of_time:
            ending = Ending.OUT_OF_TIME
    return best or ending


def _alternatives(domain: Domain, command: Command, world: WorldState) -> Iterator[Command]:
    for parameter in domain.actions[command.action].parameters.values():
        if parameter.any:
            for name in domain.objects_of(world, parameter.type):
                if name != command.arguments.get(parameter.name):
                    yield replace(command, arguments={**command.arguments, parameter.name: name})

"""From a plan that is a list to one that says what each step waits for, by the domain's conditions and
effects.
"""

from __future__ import annotations

from dataclasses import replace
from typing import List, Optional, Sequence, Set, Tuple

from hicrisp_core.domain.interference import interfere
from hicrisp_core.domain.schema import Domain
from hicrisp_core.errors import DomainError
from hicrisp_core.model import Command, Step, WorldState


def ordered(steps: Sequence[Step], domain: Domain, world: WorldState) -> Tuple[Step, ...]:
    """The steps with their robots and with what they wait for (``after``, indices of earlier steps).

    A step waits for the earlier ones of its own robot, and for those whose effects it needs or undoes or
    whose conditions it would destroy. What a plan itself says that a step waits for is kept besides. A step
    that names no command (words alone, a name that is not there) may be anything: it waits for all before it,
    all later ones for it.
    """
    commands = [_command(step, domain, world) for step in steps]
    waits: List[Set[int]] = []
    """All that each step waits for, also through others."""
    found: List[Step] = []
    for index, step in enumerate(steps):
        given = [earlier for earlier in step.after or () if 0 <= earlier < index]
        needed = {earlier for earlier in range(index) if _wait(domain, commands[earlier], commands[index])}
        direct: List[int] = []
        covered: Set[int] = set()
        for earlier in sorted(needed.union(given), reverse=True):
            if earlier not in covered:  # What an earlier wait implies need not be said again.
                direct.append(earlier)
                covered |= {earlier} | waits[earlier]
        waits.append(covered)
        command = commands[index]
        found.append(replace(step, robot=step.robot or (command.robot if command else ""),
                             after=tuple(sorted(direct))))
    return tuple(found)


def _command(step: Step, domain: Domain, world: WorldState) -> Optional[Command]:
    try:
        return domain.ground(step, world, step.robot)
    except DomainError:
        return None


def _wait(domain: Domain, earlier: Optional[Command], later: Optional[Command]) -> bool:
    return earlier is None or later is None or interfere(domain, earlier, later)

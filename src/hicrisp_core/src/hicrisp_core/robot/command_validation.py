"""At a driver's door: a command whose limits are no numbers would be carried out without them."""

from __future__ import annotations

import math
from typing import Dict, Iterable, Optional

from hicrisp_core.model import CauseKind, Command, Outcome, Status
from hicrisp_core.ports.robot import Constraints

LONGEST = 24.0 * 3600.0
"""Upper bound of every command's time limit, seconds."""


def invalid_outcome(command: Command) -> Optional[Outcome]:
    """Check the limits and constraints of a command; the skills check its goals.

    Args:
        command: the action with its arguments and constraints.

    Returns:
        INVALID if a number is out of range or not finite, so that it would restrict nothing; ``None``
        otherwise.
    """
    numbers: Dict[str, Iterable[float]] = {
        "time_limit": (command.time_limit,), "apart": (command.apart,), "look_within": (command.look_within,),
        "avoid": [value for spot in command.avoid for value in spot],
        **_of(Constraints(command.keep_out, command.clearance))}
    return _refusal(numbers)


def unsound_constraints(constraints: Constraints) -> Optional[Outcome]:
    """Check the constraints of a trajectory.

    Args:
        constraints: keep-out zones and clearance, metres in the world frame.

    Returns:
        INVALID if a number is out of range or not finite; ``None`` otherwise.
    """
    return _refusal(_of(constraints))


def _of(constraints: Constraints) -> Dict[str, Iterable[float]]:
    return {"clearance": (constraints.clearance,),
            "keep_out": [value for each in constraints.keep_out for spot in each.corners for value in spot],
            "keep_out's radius": [each.radius for each in constraints.keep_out]}


_AT_LEAST_0 = ("apart", "look_within", "clearance", "keep_out's radius")


def _refusal(numbers: Dict[str, Iterable[float]]) -> Optional[Outcome]:
    for name, values in numbers.items():
        for value in values:
            if math.isfinite(value) and (value >= 0.0 or name not in _AT_LEAST_0):
                continue
            wanted = "at least 0" if name in _AT_LEAST_0 else "finite"
            return Outcome.because(
                CauseKind.MALFORMED, Status.INVALID,
                f"the command's {name} must be {wanted}, not {value:g}: it would hold nothing back", name)
    return None

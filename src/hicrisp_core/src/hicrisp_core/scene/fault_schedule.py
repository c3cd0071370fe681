"""Faults: the kinds that several worlds know, what is in force, and how often it still happens."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import List, Mapping, Sequence, Tuple

from hicrisp_core.errors import HicrispError
from hicrisp_core.scene.scene import SceneFault


class FaultError(HicrispError):
    """A fault cannot be injected; the message says what would be valid."""


@dataclass(frozen=True)
class FaultKind:
    """A kind of fault.

    Args:
        text: what it does and what its magnitude means.
        sizes: how many numbers its magnitude may have.
        needs_target: whether it concerns one object that must be named.
        spread: whether a magnitude that has not two numbers ends with a standard deviation.
    """

    text: str
    sizes: Tuple[int, ...] = (0,)
    needs_target: bool = False
    spread: bool = False


# The kinds that several worlds know.
VANISH = FaultKind("the target is taken out of the world, now or after [seconds]", (0, 1), needs_target=True)
SENSOR_NOISE = FaultKind("the seen positions of objects scatter: [sigma], metres", (1,), spread=True)
OBJECT_MOVED = FaultKind(
    "a hand moves the target, now or (with a count) just before the robot reaches for it: [dx, dy] or "
    "[distance], metres", (1, 2, 3), needs_target=True)
UNREACHABLE = FaultKind("a hand moves the target out of the robot's reach", needs_target=True)
INTRUDER = FaultKind(
    "a hand puts something on the table that the scene does not hold (as many as the count, or 1): on a free "
    "spot by chance, at [x, y], or a box at [x, y, width, depth, height], metres", (0, 2, 5))
RETURN = FaultKind("the target, which vanished, is put back on the table", needs_target=True)
BLOCKED_GOAL = FaultKind("a hand puts the target (or any other object) where the robot is about to place something")
STUCK = FaultKind("a door or drawer holds fast: [force], newtons at its handle", (1,), needs_target=True)
SLIP = FaultKind("the item that is carried slips out of the gripper: [seconds after the motion began]", (0, 1))


def check_fault(fault: SceneFault, kinds: Mapping[str, FaultKind], objects: Sequence[str]) -> None:
    """Refuse what cannot be injected.

    Args:
        objects: the names that a target may have.

    Raises:
        FaultError: with what would be valid.
    """
    kind, magnitude = kinds.get(fault.kind), fault.magnitude
    if kind is None:
        raise FaultError(f"there is no fault '{fault.kind}'; there are: "
                         + "; ".join(f"{name} ({known.text})" for name, known in sorted(kinds.items())))
    if len(magnitude) not in kind.sizes or not all(math.isfinite(value) for value in magnitude):
        raise FaultError(f"the magnitude {list(magnitude)} does not fit {fault.kind}: {kind.text}")
    if fault.count < 0:
        raise FaultError(f"a fault happens at least 0 times, not {fault.count}")
    if kind.spread and len(magnitude) != 2 and magnitude[-1] < 0.0:
        raise FaultError(f"a standard deviation is at least 0, not {magnitude[-1]}")
    if (fault.target and fault.target not in objects) or (kind.needs_target and not fault.target):
        raise FaultError(f"{fault.kind} needs one of the objects: {', '.join(objects)}; not '{fault.target}'")


@dataclass
class _Armed:
    fault: SceneFault
    left: int
    """How often it still happens; negative for always."""


class ArmedFaults:
    """The faults of one world that are in force."""

    def __init__(self) -> None:
        self._armed: List[_Armed] = []

    def clear(self) -> None:
        """Forget every fault."""
        self._armed = []

    def arm(self, fault: SceneFault) -> str:
        """Activate a fault.

        Args:
            fault: kind, target, magnitude and count.

        Returns:
            What was done, as a sentence.
        """
        self._armed.append(_Armed(fault, fault.count or -1))
        return (f"{fault.kind} is in force{f' for {fault.target}' if fault.target else ''}"
                f"{f', {fault.count} times' if fault.count else ''}")

    def in_force(self, kind: str) -> List[SceneFault]:
        """Return the active faults of a kind.

        Args:
            kind: kind of the fault.

        Returns:
            The faults that concern every object.
        """
        return [armed.fault for armed in self._armed if _concerns(armed, kind, "")]

    def take(self, kind: str, item: str = "") -> List[SceneFault]:
        """Return the faults of a kind that occur now to an object, and count them.

        Args:
            kind: kind of the fault.
            item: name of the object; faults without a target concern every object.

        Returns:
            The faults.
        """
        return self._count([armed for armed in self._armed if _concerns(armed, kind, item)])

    def take_all(self, kind: str) -> List[SceneFault]:
        """Return the faults of a kind that occur now, for any target, and count them.

        Args:
            kind: kind of the fault.

        Returns:
            The faults.
        """
        return self._count([armed for armed in self._armed if armed.fault.kind == kind and armed.left != 0])

    @staticmethod
    def _count(taken: List[_Armed]) -> List[SceneFault]:
        for armed in taken:
            armed.left -= 1 if armed.left > 0 else 0
        return [armed.fault for armed in taken]


def _concerns(armed: _Armed, kind: str, item: str) -> bool:
    return armed.fault.kind == kind and armed.left != 0 and armed.fault.target in ("", item)

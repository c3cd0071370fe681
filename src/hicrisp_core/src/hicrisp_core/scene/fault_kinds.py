"""The kinds of faults that several worlds know: what they do, and what their magnitude means."""

from __future__ import annotations

from hicrisp_core.scene.armed import FaultKind

VANISH = FaultKind("the target is taken out of the world, now or after [seconds]", (0, 1), needs_target=True)
SENSOR_NOISE = FaultKind("the seen positions of things scatter: [sigma], metres", (1,), spread=True)
OBJECT_MOVED = FaultKind(
    "a hand moves the target, now or (with a count) just before the robot reaches for it: [dx, dy] or "
    "[distance], metres", (1, 2, 3), needs_target=True)
UNREACHABLE = FaultKind("a hand moves the target out of the robot's reach", needs_target=True)
INTRUDER = FaultKind(
    "a hand puts something on the table that the scene does not hold (as many as the count, or 1): on a free "
    "spot by chance, at [x, y], or a box at [x, y, width, depth, height], metres", (0, 2, 5))
RETURN = FaultKind("the target, which vanished, is put back on the table", needs_target=True)
BLOCKED_GOAL = FaultKind("a hand puts the target (or any other thing) where the robot is about to place "
                         "something")
SLIP = FaultKind("the item that is carried slips out of the gripper: [seconds after the motion began]",
                 (0, 1))

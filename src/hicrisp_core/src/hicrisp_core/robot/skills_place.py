"""Placing: carry above the goal, lower until it touches, let go, retreat; where it is asked for, with a look
before.
"""

from __future__ import annotations

from hicrisp_core.model import CauseKind, Outcome, Pose, Status, Vector, WorldObject, WorldState
from hicrisp_core.ports.robot import MotionFailure
from hicrisp_core.robot.skills import DONE, Attempt, below, failed
from hicrisp_core.robot.skills_lower import NEARLY, carried, let_go, rim, tool_at, touch_down
from hicrisp_core.robot.skills_pick import in_hand
from hicrisp_core.robot.skills_placements import Placement, hold_of, ways_to_place
from hicrisp_core.robot.skills_release import Approach


def place(
    attempt: Attempt, item: str, target: Pose, correction: Vector = (0.0, 0.0, 0.0), within: float = 0.0
) -> Outcome:
    """Put the item in the hand down at a pose of its centre; its yaw is free as far as its shape looks the
    same.

    Args:
        correction: metres by which the arm is told to go elsewhere, because it is known to end beside where
            it is told to. Collisions are checked where it will be, not where it is told to be.
        within: how far beside the target the item may be seen when it is let go, metres; 0: nobody looks.
    """
    attempt.progress("look", 0.0)
    world = attempt.look()
    thing = world.objects[item]
    if not in_hand(attempt, thing):
        return Outcome.because(CauseKind.NOT_HELD, Status.PRECONDITION,
                               f"Cannot place the {item}: it is not in the hand.", item)
    attempt.arm.attach(item)
    doing = f"place the {item}"
    best = DONE
    hold = hold_of(thing, attempt.arm.tool_pose(), attempt.arm.opening())
    ways = ways_to_place(thing, hold, target, world, attempt.gripper, attempt.arm.margin,
                         attempt.settings.tries)
    for placement in ways:
        clear = rim(thing, placement.item, world) + NEARLY
        outcome = _carry(attempt, placement, clear, correction if within <= 0.0 else (0.0, 0.0, 0.0))
        if outcome.ok and within > 0.0:
            outcome = Approach(attempt, thing, placement, world, within, correction).place(clear)
        elif outcome.ok:
            outcome = _lower(attempt, thing, placement, world, correction)
        stopped = attempt.interrupted()
        if stopped is not None or outcome.status is not Status.PLANNING:
            return stopped or failed(outcome, doing)
        best = outcome if best.ok else best
    return failed(best, doing)


def _carry(attempt: Attempt, placement: Placement, clear: float, correction: Vector) -> Outcome:
    """Bring the item above its goal, if it can be free of everything at the height ``clear`` above the
    goal.
    """
    attempt.progress("transfer", 0.2)
    reached = attempt.plan_to(placement.grasp.pose.shifted((0.0, 0.0, clear)))
    if isinstance(reached, MotionFailure):
        return reached.outcome()
    above = placement.grasp.pose.shifted((0.0, 0.0, max(clear, attempt.settings.approach)))
    motion = attempt.plan_to(above.shifted(correction))
    if isinstance(motion, MotionFailure):
        return motion.outcome()
    return attempt.follow(motion)


def _lower(
    attempt: Attempt, thing: WorldObject, placement: Placement, world: WorldState, correction: Vector
) -> Outcome:
    """Lower the item until it touches, and let go wherever that is."""
    seen = carried(attempt, thing.name)
    if isinstance(seen, Outcome):
        return seen
    attempt.progress("lower", 0.6)
    touch = below(thing, placement.item, world)
    goal = tool_at(attempt, seen, placement.item)
    told = goal.shifted(correction).shifted((0.0, 0.0, -attempt.settings.press))
    unchecked = touch if correction == (0.0, 0.0, 0.0) else frozenset(world.objects)
    lowered = touch_down(attempt, thing, placement.item, told, goal.position[2], world, unchecked)
    return let_go(attempt, thing, placement.grasp.clearance, touch) if lowered.ok else lowered

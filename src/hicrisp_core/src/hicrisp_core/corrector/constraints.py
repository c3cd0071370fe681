"""Low-level feedback for motion: an abort becomes a constraint of the next trajectory (HiCRISP, section
IV-C).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import FrozenSet

from shapely.geometry import Point

from hicrisp_core.model import CauseKind, Command, Feedback, FeedbackKind, WorldState
from hicrisp_core.model.keep_out import disc, footprint

_AHEAD, _RADIUS = 0.24, 0.10
"""How far before the middle of a base that was stopped its obstacle is assumed, and how large, metres."""
_NEAR = 0.32
"""Metres from the middle of a base within which an object that is seen may be what stopped it."""
_CLEARANCE, _WIDEST = 0.02, 0.04
"""Growth of the clearance with every aborted drive, and its maximum, metres."""

_NOTHING_TO_AVOID = frozenset((
    CauseKind.STALE_SENSOR, CauseKind.AHEAD, CauseKind.NO_PICTURE, CauseKind.LOCALISATION,
    CauseKind.HARDWARE, CauseKind.UNSUPPORTED, CauseKind.TAKEN_OVER, CauseKind.STILL_MOVING,
    CauseKind.UNREACHABLE_NODE, CauseKind.STOPPED, CauseKind.CANCELED))
"""First causes that say nothing about what stands in the way: another target or trajectory meets them
again.
"""


def constrained(
    command: Command, feedback: Feedback, world: WorldState, riding: FrozenSet[str] = frozenset()
) -> Command:
    """Add to a command what its failure teaches about the next trajectory.

    A place that the camera does not show, or a goal without a path (for a base: without one in time), is
    replaced by another one. A base stopped by an observed obstacle keeps more clearance and takes another goal;
    one stopped by something unobserved keeps out of the area ahead of it.

    Args:
        command: the failed command.
        feedback: why it failed.
        world: observed objects, robots and facts; poses in the world frame.
        riding: names of objects on a base; they did not stop it.

    Returns:
        The command for the next attempt.
    """
    if command.target is None or feedback.cause is not None and feedback.cause.kind in _NOTHING_TO_AVOID:
        return command
    if feedback.kind is FeedbackKind.CANNOT_TELL:
        hidden = feedback.cause is not None and feedback.cause.kind is CauseKind.HIDDEN
        return replace(command, avoid=(*command.avoid, command.target.position)) if hidden else command
    robot = world.robots.get(command.robot)
    if feedback.kind is FeedbackKind.TIMEOUT and robot is not None and robot.kind == "base":
        return replace(command, avoid=(*command.avoid, command.target.position))
    if feedback.kind not in (FeedbackKind.PLANNING, FeedbackKind.EXECUTION):
        return command
    if robot is None or robot.kind != "base" or robot.pose is None or feedback.kind is FeedbackKind.PLANNING:
        if command.clearance > 0.0:
            return replace(command,
                           clearance=0.0)  # There was no way with so much clearance: perhaps with less.
        return replace(command, avoid=(*command.avoid, command.target.position))
    x, y, _ = robot.pose.position
    if _seen_nearby(x, y, world, riding):
        return replace(command, avoid=(*command.avoid, command.target.position),
                       clearance=min(_WIDEST, command.clearance + _CLEARANCE))
    before = disc(x + _AHEAD * math.cos(robot.pose.yaw), y + _AHEAD * math.sin(robot.pose.yaw), _RADIUS)
    return replace(command, keep_out=(*command.keep_out, before))


def _seen_nearby(x: float, y: float, world: WorldState, riding: FrozenSet[str]) -> bool:
    """Check whether an observed object may have stopped a base at a point; otherwise the obstacle was not
    observed.
    """
    spot = Point(x, y)
    return any(footprint(thing, thing.pose).distance(spot) < _NEAR for name, thing in world.objects.items()
               if name not in riding and thing.pose is not None and not thing.form.ground)

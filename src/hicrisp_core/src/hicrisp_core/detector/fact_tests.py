"""The detector's tests: how a fact is seen from poses, with the distance that decided it."""

from __future__ import annotations

import math
from typing import Sequence, Tuple

from shapely.geometry import Point

from hicrisp_core.domain.schema import Predicate
from hicrisp_core.model import Measured, RobotState, Vector, WorldObject, WorldState
from hicrisp_core.model.keep_out import footprint, gap, grip_at, thinnest, vertical_span
from hicrisp_core.model.shapes import BOWL_WALL
from hicrisp_core.model.world import HELD_UP_AT
from hicrisp_core.ports.kinds import FactTest, Seen

_GRASP_SLACK = 0.012
"""How much further apart than the object's width the fingers of a closed grasp may be seen, metres: the pose that the
width follows from is a camera's, and the verdict must not depend on it.
"""
_DOCKED_TURN = 15.0
"""Degrees by which a docked robot's heading may be off."""
_OFF_THE_FLOOR = 0.10
"""Least height above the floor of an object aboard a robot, metres."""
_AT_EASE = 0.10
"""How far from the best distance an arm works on what another one holds, metres."""
_DIRECTION_CONE = math.cos(math.radians(40.0))
_LEVEL = 0.17
"""Largest sine of the angle between a side that hands take and the horizontal."""
_LEANS = math.radians(10.0)
"""Tilt from which something leans in a dish."""
_UNSEEN = Seen(False)


def holding(predicate: Predicate, robot: RobotState, item: WorldObject, _: WorldState) -> Seen:
    """Test that the tool centre is within the slightly larger object, and the finger distance matches its
    width.

    Args:
        predicate: gives the tolerances.
        robot: observed tool pose and finger distance.
        item: the object with its shape and size.

    Returns:
        Whether it holds, with the distance from the tool and the opening, metres; false without poses.
    """
    if robot.pose is None or robot.opening is None or item.pose is None or not item.form.held:
        return _UNSEEN
    outside, width = grip_at(item, item.pose, robot.pose)
    measured = (Measured("from_tool", outside, "m"), Measured("opening", robot.opening, "m"))
    # Of what nobody described, the perception tells by more than its width whether fingers closed around it.
    most = math.inf if item.closed_around else width + _GRASP_SLACK
    fits = 0.3 * min(thinnest(item, width), *item.size) < robot.opening < most
    return Seen(outside <= predicate.tolerance and fits, measured)


def on(predicate: Predicate, upper: WorldObject, lower: WorldObject, _: WorldState) -> Seen:
    """Test that the upper object's bottom is at the lower one's top and its centre above the lower one's
    footprint; what leans in a dish lies on its rim instead.

    Args:
        predicate: gives the vertical tolerance, metres.
        upper: the object that stands.
        lower: the object that may carry it.

    Returns:
        Whether it holds, with the vertical and the horizontal offset, metres; false without poses.
    """
    if upper.pose is None or lower.pose is None:
        return _UNSEEN
    step = vertical_span(upper, upper.pose)[0] - vertical_span(lower, lower.pose)[1]
    aside = footprint(lower, lower.pose).distance(Point(*upper.pose.position[:2]))
    measured: Tuple[Measured, ...] = (
        Measured("above_top" if step > 0 else "below_top", abs(step), "m"), Measured("beside", aside, "m"))
    tilt = _tilt(upper.pose.axes)
    leans = lower.form.dip > 0.0 and tilt > _LEANS
    measured += (Measured("tilt", math.degrees(tilt), "deg"),) if leans else ()
    level = -lower.form.dip - predicate.tolerance <= step <= predicate.tolerance
    return Seen(not lower.form.hollow and level and not leans and aside <= 1e-6, measured)


def within_bowl(predicate: Predicate, item: WorldObject, bowl: WorldObject, _: WorldState) -> Seen:
    """Test that the centre is inside the bowl's wall and above its floor, and the bottom below its rim; in a box or a
    drawer the centre, too, unless it stands low: what lies on a full one is not in it.

    The bottom is not compared with the floor: a camera does not see it there, and nothing reaches through a floor.

    Args:
        predicate: gives the vertical tolerance, metres.
        item: the object inside.
        bowl: the hollow object.

    Returns:
        Whether it holds, with the distance from the middle and below the rim, metres; false without poses.
    """
    if item.pose is None or bowl.pose is None:
        return _UNSEEN
    aside = math.hypot(item.pose.position[0] - bowl.pose.position[0], item.pose.position[1] - bowl.pose.position[1])
    floor, rim = vertical_span(bowl, bowl.pose)
    bottom = vertical_span(item, item.pose)[0]
    outline, middle = footprint(bowl, bowl.pose), Point(*item.pose.position[:2])
    around = outline.contains(middle) and outline.boundary.distance(middle) > BOWL_WALL
    high = bottom if bowl.form.round or bottom <= (floor + rim) / 2.0 else item.pose.position[2] + predicate.tolerance
    inside = around and floor <= item.pose.position[2] and high <= rim
    return Seen(inside, (Measured("from_middle", aside, "m"), Measured("below_rim", rim - bottom, "m")))


def near(predicate: Predicate, a: WorldObject, b: WorldObject, _: WorldState) -> Seen:
    """Test that the footprints are at most the tolerance apart and the heights overlap.

    Args:
        predicate: gives the tolerance, metres.
        a: one object.
        b: the other one.

    Returns:
        Whether it holds, with the gap and its limit, metres.
    """
    apart = gap(a, b)
    measured = (Measured("gap", apart, "m"), Measured("gap_limit", predicate.tolerance, "m"))
    return Seen(apart <= predicate.tolerance and _level(a, b), measured)


def direction(predicate: Predicate, a: WorldObject, b: WorldObject, _: WorldState) -> Seen:
    """Test that two objects are near and the first lies in the predicate's direction from the second, within
    40 degrees.

    Args:
        predicate: gives the tolerance, metres, and the direction in the world frame.
        a: the object that lies in the direction.
        b: the reference.

    Returns:
        Whether it holds, with gap and angle; false without poses.
    """
    if a.pose is None or b.pose is None:
        return _UNSEEN
    dx, dy = (a.pose.position[i] - b.pose.position[i] for i in (0, 1))
    length = math.hypot(dx, dy)
    cosine = (dx * predicate.direction[0] + dy * predicate.direction[1]) / length if length > 1e-9 else 0.0
    apart = gap(a, b)
    angle = math.degrees(math.acos(max(-1.0, min(1.0, cosine))))
    measured = (Measured("gap", apart, "m"), Measured("gap_limit", predicate.tolerance, "m"),
                Measured("bearing_off", angle, "deg"))
    return Seen(apart <= predicate.tolerance and cosine >= _DIRECTION_CONE and _level(a, b), measured)


def lying(predicate: Predicate, item: WorldObject, _: WorldObject, __: WorldState) -> Seen:
    """Test that no face is level: any face of a box may be, of a cylinder only the round ones.

    Args:
        predicate: gives the greatest tilt of an upright object, radians.
        item: the object with its shape and size.

    Returns:
        Whether it holds, with the tilt in degrees; false without a pose.
    """
    if item.pose is None:
        return _UNSEEN
    tilt = _tilt(item.pose.axes if item.form.boxy else item.pose.axes[2:])
    return Seen(tilt > predicate.tolerance, (Measured("tilt", math.degrees(tilt), "deg"),))


def too_wide(predicate: Predicate, item: WorldObject, _: WorldObject, __: WorldState) -> Seen:
    """Test that no level side of an object, and no wall of it, goes between the fingers.

    Args:
        predicate: its tolerance is the greatest width that does, metres.
        item: the object with its shape and size.

    Returns:
        Whether it holds, with the least width, metres; false without a pose.
    """
    if item.pose is None or item.form.rim or not item.movable:
        return _UNSEEN
    walls = [each.width for each in item.form.walls if not each.leans]
    width = min(walls or (size for part in item.grips if part.pose is not None
                          for axis, size in zip(part.pose.axes, part.size) if abs(axis[2]) < _LEVEL), default=0.0)
    return Seen(width > predicate.tolerance, (Measured("width", width, "m"),))


def at(predicate: Predicate, robot: RobotState, area: WorldObject, _: WorldState) -> Seen:
    """Test that the robot's middle is above an area.

    Args:
        predicate: gives the tolerance, metres.
        robot: observed pose of the base.
        area: an area on the floor.

    Returns:
        Whether it holds, with the distance from the area's edge, metres; false without poses.
    """
    if robot.pose is None or area.pose is None:
        return _UNSEEN
    aside = footprint(area, area.pose).distance(Point(*robot.pose.position[:2]))
    return Seen(aside <= predicate.tolerance + 1e-9, (Measured("from_edge", aside, "m"),))


def docked(predicate: Predicate, robot: RobotState, station: WorldObject, _: WorldState) -> Seen:
    """Test that the robot stands at a station's own pose: place within the tolerance, heading within 15
    degrees.

    Args:
        predicate: gives the tolerance, metres.
        robot: observed pose of the base.
        station: an area with a docking pose.

    Returns:
        Whether it holds, with distance in metres and turn in degrees; false without poses.
    """
    if robot.pose is None or station.pose is None:
        return _UNSEEN
    apart = math.dist(robot.pose.position[:2], station.pose.position[:2])
    turned = abs(math.degrees(math.remainder(robot.pose.yaw - station.pose.yaw, math.tau)))
    return Seen(apart <= predicate.tolerance and turned <= _DOCKED_TURN,
                (Measured("from_place", apart, "m"), Measured("turned", turned, "deg")))


def aboard(predicate: Predicate, item: WorldObject, robot: RobotState, _: WorldState) -> Seen:
    """Test that an object is on a mobile robot.

    Its centre is above the robot's middle within the tolerance, and its bottom is off the floor; or it reaches
    down to the floor through the robot's middle, where only a part of the robot can be.

    Args:
        predicate: gives the tolerance, metres.
        item: the object with its shape and size.
        robot: observed pose of the base.

    Returns:
        Whether it holds, with the measured offsets; false without poses.
    """
    if item.pose is None or robot.pose is None:
        return _UNSEEN
    aside = math.dist(item.pose.position[:2], robot.pose.position[:2])
    low, high = (height - robot.pose.position[2] for height in vertical_span(item, item.pose))
    part = high >= _OFF_THE_FLOOR and footprint(item, item.pose).contains(Point(*robot.pose.position[:2]))
    return Seen(aside <= predicate.tolerance and (low >= _OFF_THE_FLOOR or part),
                (Measured("from_middle", aside, "m"), Measured("above_floor", low, "m")))


def reaches(predicate: Predicate, robot: RobotState, item: WorldObject, _: WorldState) -> Seen:
    """Test that an object's middle, or any part of a surface, lies in the ring that an arm reaches.

    Args:
        predicate: gives the tolerance, metres.
        robot: an arm with its reach.
        item: the object, or the surface.

    Returns:
        Whether it holds, with the distance from the arm and its limit, metres; an arm of unknown reach reaches all.
    """
    reach = robot.reach
    if item.pose is None or reach is None:
        return Seen(reach is None)
    foot, outline = Point(*reach.origin), footprint(item, item.pose)
    middle = Point(*item.pose.position[:2])
    nearest, farthest = ((foot.distance(outline), foot.hausdorff_distance(outline)) if item.form.ground or
                         not item.movable else (foot.distance(middle),) * 2)
    limit = reach.least if farthest < reach.least else reach.greatest
    return Seen(farthest >= reach.least - predicate.tolerance and nearest <= reach.greatest + predicate.tolerance,
                (Measured("from_arm", nearest, "m"), Measured("reach_limit", limit, "m")))


def offered(predicate: Predicate, robot: RobotState, item: WorldObject, world: WorldState) -> Seen:
    """Test that another arm holds an object up where this one works with ease.

    Args:
        predicate: its tolerance is that of the other arm's hold, metres.
        robot: the arm with its reach.
        item: what is held up.
        world: has the other arms.

    Returns:
        Whether it holds, with how far it is from the best distance, metres.
    """
    if item.pose is None or robot.reach is None:
        return _UNSEEN
    far = robot.reach.stretch(item.pose.position, HELD_UP_AT)
    held = any(holding(predicate, each, item, world).holds for each in world.robots.values() if each.name != robot.name)
    return Seen(held and far <= _AT_EASE, (Measured("off_reach", far, "m"),))


def opened(predicate: Predicate, part: WorldObject, _: WorldObject, __: WorldState) -> Seen:
    """Test that a part has moved far enough along its measured joint.

    Args:
        predicate: its tolerance is the least share of the joint's range.
        part: the door, drawer or lid.

    Returns:
        Whether it is open, with how far.
    """
    share = _share(part)
    return Seen(share >= predicate.tolerance, (Measured("opened", round(100.0 * share), "%"),))


def shut(predicate: Predicate, part: WorldObject, _: WorldObject, __: WorldState) -> Seen:
    """Test that a part is near the closed end of its measured joint; between closed and open neither holds.

    Args:
        predicate: its tolerance is the greatest share of the joint's range.
        part: the door, drawer or lid.

    Returns:
        Whether it is closed, with how far it is open.
    """
    share = _share(part)
    return Seen(share <= predicate.tolerance, (Measured("opened", round(100.0 * share), "%"),))


def _share(part: WorldObject) -> float:
    return part.joint.share(part.pose) if part.joint is not None and part.pose is not None else 0.5


def _tilt(axes: Sequence[Vector]) -> float:
    """Return the least angle between one of some axes, unit vectors in the world frame, and the vertical, radians."""
    return math.acos(min(1.0, max(abs(axis[2]) for axis in axes)))


def _level(a: WorldObject, b: WorldObject) -> bool:
    """Check whether two seen objects stand at overlapping heights, by at least half of the lower one."""
    if a.pose is None or b.pose is None:
        return False
    (a_low, a_high), (b_low, b_high) = vertical_span(a, a.pose), vertical_span(b, b.pose)
    return min(a_high, b_high) - max(a_low, b_low) >= 0.5 * min(a_high - a_low, b_high - b_low)


HOLDING = FactTest(holding, grips=True, role="held")
ON = FactTest(on, role="stands_on")
IN = FactTest(within_bowl, role="inside")
NEAR = FactTest(near, limit="with a gap of at most {0:.0f} cm")
DIRECTION = FactTest(direction)
LYING = FactTest(lying)
WITNESS = FactTest(lambda *_: _UNSEEN)
"""No pose shows it; a second witness is asked."""
TOO_WIDE = FactTest(too_wide)
AT = FactTest(at, role="located")
DOCKED = FactTest(docked, role="docked")
ABOARD = FactTest(aboard, role="aboard")
OPENED, SHUT = FactTest(opened, part=True), FactTest(shut, part=True)
REACHES, OFFERED = FactTest(reaches, far=True, fixed=True), FactTest(offered, far=True, in_hand=True)

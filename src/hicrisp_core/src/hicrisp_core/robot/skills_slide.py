"""Sliding: what is too wide for the hand is pressed on from above with closed fingers, and drawn along what it stands
on.

After each small step it is looked at: the next one goes from where it is seen.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import FrozenSet, Iterator, List, Optional, Tuple, Union

from shapely.geometry import MultiPolygon

from hicrisp_core.domain.saying import spoken
from hicrisp_core.domain.wording import quantity
from hicrisp_core.model import CauseKind, Command, Outcome, Pose, Status, WorldObject, WorldState
from hicrisp_core.model.geometry import from_yaw, multiply, planar_distance
from hicrisp_core.model.keep_out import footprint, vertical_span
from hicrisp_core.model.shapes import BOWL_WALL
from hicrisp_core.ports.kinds import ARM, Skill
from hicrisp_core.ports.robot import MotionFailure
from hicrisp_core.robot.grasps import DOWN
from hicrisp_core.robot.gripper import hand_room
from hicrisp_core.robot.skills import DONE, SkillContext, below, failed, first_reason
from hicrisp_core.robot.skills_pick import hand_full

_CLEAR, _GRID, _ROUND = 0.008, 0.04, 0.5
"""Least space beside its way, metres apart are the turns of the way that are tried, and how far around they are."""
_STEP, _SPEED = 0.025, 0.06
"""Metres between two looks, and metres per second."""
_SOON = 0.03
"""How far above the lowest point at which it may touch the hand slows down, metres."""
_NEAR, _PASSED = 0.004, 0.015
"""How far from its goal, and from a turn of its way, it may be seen, metres."""
_STANDS, _FOLLOWS, _STALLS = 0.2, 0.7, 4
"""Parts of a step below which it stands still and above which it comes along, and how often it may stand still in a
row: a dish's wall has to be met first."""
_TRIES = 4
"""How often the hand presses on it where it slipped off, or where the arm could not go on."""
_MOVED = 0.01
"""Metres by which it has come nearer if it is worth another try."""
_YAWS, _ROUTES = 8, 12
"""How many turns of the hand, and how many ways, are tried."""
_PRESS = 0.001
"""How much harder the hand presses, metres, where it does not come along, and less where the arm cannot."""
_ROOM = 0.05
"""Space beside the hand above which one way is as good as another, metres."""
_ASIDE = 0.15
"""By what share of its width the hand presses beside its middle where it has no room above that."""


@dataclass(frozen=True)
class _Way:
    """Where it goes, one turn after the other (world frame), and the hand above its middle at first."""

    turns: Tuple[Pose, ...]
    tool: Pose


def slide(context: SkillContext, command: Command) -> Outcome:
    """Slide an object along what it stands on.

    Args:
        context: the running command with its arm, observer and limits.
        command: its item, and the pose to which its middle shall come.

    Returns:
        DONE with the object seen at its goal and the hand off it, or why not.
    """
    doing, goal = f"slide the {context.item}", command.target
    if not context.item or goal is None:
        return Outcome.because(CauseKind.MALFORMED, Status.INVALID, f"{command} does not say what to slide where.",
                               "target" if context.item else "item")
    outcome, before = DONE, math.inf
    for _ in range(_TRIES):
        context.progress("look", 0.0)
        world = context.look()
        item = world.objects[context.item]
        if item.pose is None:
            return failed(Outcome.because(CauseKind.NOT_SEEN, Status.PRECONDITION, "it is not in sight", item.name),
                          doing)
        left = planar_distance(item.pose.position, goal.position)
        if left <= _NEAR:
            return DONE
        if left > before - _MOVED:
            break
        before = left
        low, high = vertical_span(item, item.pose)
        if high - low > min(item.size[:2]):
            return failed(Outcome.because(CauseKind.NO_GRASP, Status.PLANNING, "it is so tall that it would tip over",
                                          item.name), doing)
        full = hand_full(context, world)
        if full is not None:
            return failed(full, doing)
        context.arm.detach()
        outcome = _once(context, item, item.pose, goal, world)
        stopped = context.interrupted()
        if stopped is not None or outcome.status not in (Status.SUCCESS, Status.PLANNING) and (
                outcome.cause is None or outcome.cause.kind is not CauseKind.SLIPPED):
            return stopped or failed(outcome, doing)
    return failed(outcome, doing)


def _once(context: SkillContext, item: WorldObject, start: Pose, goal: Pose, world: WorldState) -> Outcome:
    """Press on it, draw it along the best way to which there is a motion, and leave it."""
    touch = below(item, start, world) | {item.name}
    ways = _ways(context, item, start, goal, world)
    if isinstance(ways, Outcome):
        return ways
    best: Optional[Outcome] = None
    for way in ways[:context.settings.tries]:
        outcome = _press(context, way, vertical_span(item, start)[0], touch)
        pressed = outcome.ok
        if pressed:
            outcome = _draw(context, item, way, touch)
        if pressed or outcome.status is not Status.PLANNING or context.interrupted() is not None:
            context.progress("retreat", 0.9)
            back = context.raise_tool(context.settings.retreat, touch)
            return outcome if not outcome.ok or back.status is Status.PLANNING else back
        best = first_reason(best, outcome, world)
    return best or Outcome.because(CauseKind.OUT_OF_REACH, Status.PLANNING, "the hand has no room along its way")


def _press(context: SkillContext, way: _Way, bottom: float, touch: FrozenSet[str]) -> Outcome:
    """Bring the closed fingers down on it until they touch."""
    context.progress("approach", 0.1)
    closed = context.ready_hand(0.0)
    if not closed.ok:
        return closed
    motion = context.plan_to(way.tool.shifted((0.0, 0.0, context.settings.approach)))
    if isinstance(motion, MotionFailure):
        return motion.outcome()
    moved = context.follow(motion)
    if not moved.ok:
        return moved
    down = bottom + context.gripper.tip - way.tool.position[2]
    pressed = DONE
    for above, part in ((_SOON, 2.0), (0.0, 0.5)):
        if pressed.ok:
            goal, speed = way.tool.shifted((0.0, 0.0, down + above)), part * context.settings.guarded
            pressed = context.line(goal, speed, touch, guarded=True)
    return DONE if pressed.status is Status.EXECUTION else pressed


def _draw(context: SkillContext, item: WorldObject, way: _Way, touch: FrozenSet[str]) -> Outcome:
    """Draw it from turn to turn; what it does shows whether it comes along."""
    height, hard = context.arm.tool_pose().position[2], 0
    for number, turn in enumerate(way.turns):
        last, stalls, before = number == len(way.turns) - 1, 0, math.inf
        while True:
            context.progress("slide", 0.2 + 0.7 * (number + 0.5) / len(way.turns))
            seen = context.look().objects[item.name].pose
            if seen is None:
                return Outcome.because(CauseKind.NOT_SEEN, Status.EXECUTION, "it went out of sight", item.name)
            here = context.arm.tool_pose()
            x, y = (to - at for to, at in zip(turn.position[:2], seen.position[:2]))
            left = math.hypot(x, y)
            if left <= (_NEAR if last else _PASSED):
                break
            step = min(_STEP, left)
            gone = (before - left) / step
            stalls, height = stalls + 1 if gone < _STANDS else 0, height - (_PRESS if gone < _FOLLOWS else 0.0)
            if stalls >= _STALLS or planar_distance(here.position, seen.position) > max(item.size[:2]) / 2.0:
                why = f"it did not come along with the hand, {quantity(left, 'm')} from its goal"
                return Outcome.because(CauseKind.SLIPPED, Status.EXECUTION, why, item.name)
            before = left
            moved = context.line(here.shifted((x * step / left, y * step / left, height - here.position[2])), _SPEED,
                                 touch)
            stopped = context.interrupted()
            if moved.status is Status.EXECUTION and stopped is None and hard < _STALLS:
                hard, height, before = hard + 1, height + _PRESS, math.inf
            elif stopped is not None or not moved.ok:
                return stopped or moved
    return DONE


def _ways(
    context: SkillContext, item: WorldObject, start: Pose, goal: Pose, world: WorldState
) -> Union[List[_Way], Outcome]:
    """Return the ways with room for the object and the hand, the shortest way first and there the hand with most room;
    or what stands in them.
    """
    height = vertical_span(item, start)[0] + context.gripper.tip + BOWL_WALL
    turns = [multiply(from_yaw(math.pi * number / _YAWS), DOWN) for number in range(_YAWS)]
    aside = _ASIDE * min(item.size[:2])
    beside = [(0.0, 0.0), *((aside * math.cos(a), aside * math.sin(a)) for a in (
        math.tau * number / _YAWS for number in range(_YAWS)))]
    crowded: List[Tuple[bool, int, Tuple[str, ...]]] = []
    blockers = _between(item, start, goal, world)
    for route in itertools.islice(_routes(item, start, goal, world), _ROUTES):
        found: List[Tuple[float, float, _Way]] = []
        points = [start.position[:2], *(turn.position[:2] for turn in route)]
        points += [((a + c) / 2.0, (b + d) / 2.0) for (a, b), (c, d) in zip(points, points[1:])]
        for (off_x, off_y), turn in itertools.product(beside, turns):
            tools = [Pose((x + off_x, y + off_y, height), turn) for x, y in points]
            over = tools[0].shifted((0.0, 0.0, context.settings.approach))
            rooms = [hand_room(tool, 0.0, world, context.gripper, item.name) for tool in (*tools, over)]
            names = tuple(sorted({name for room in rooms for name in room.blockers}))
            margins = [] if names else [margin for margin in map(context.arm.margin, tools) if margin is not None]
            if names:
                crowded.append((any(not world.objects[name].movable for name in names), len(names), names))
            elif len(margins) == len(tools):
                room = min(each.clearance for each in rooms)
                found.append((math.hypot(off_x, off_y) - min(room, _ROOM), -min(margins), _Way(tuple(route), tools[0])))
        if found:
            return [way for *_, way in sorted(found, key=lambda each: each[:2])]
    blockers = min(crowded)[2] if crowded else blockers
    if not blockers:
        return Outcome.because(CauseKind.OUT_OF_REACH, Status.PLANNING, "the arm does not reach along its way")
    why = f"the {' and the '.join(map(spoken, blockers))} {'is' if len(blockers) == 1 else 'are'} in the way"
    return replace(Outcome.because(CauseKind.BLOCKED, Status.PLANNING, why, *blockers), blockers=blockers)


def _routes(item: WorldObject, start: Pose, goal: Pose, world: WorldState) -> Iterator[List[Pose]]:
    """Yield the ways past all others, the shortest first: straight, or with one turn."""
    if not _between(item, start, goal, world):
        yield [goal]
        return
    half = int(_ROUND / _GRID)
    middle = [(a + b) / 2.0 for a, b in zip(start.position, goal.position)]
    turns = [Pose((middle[0] + _GRID * i, middle[1] + _GRID * j, start.position[2]), goal.orientation)
             for i, j in itertools.product(range(-half, half + 1), repeat=2)]
    for turn in sorted(turns, key=lambda at: planar_distance(start.position, at.position) + planar_distance(
            at.position, goal.position)):
        if not _between(item, start, turn, world) and not _between(item, turn, goal, world):
            yield [turn, goal]


def _between(item: WorldObject, start: Pose, goal: Pose, world: WorldState) -> Tuple[str, ...]:
    """Return the objects that it would touch on a straight way, or that leave it less room than where it starts."""
    here = footprint(item, start)
    swept = MultiPolygon([here, footprint(item, Pose(goal.position, start.orientation))]).convex_hull
    low, high = vertical_span(item, start)
    found = []
    for name, other in sorted(world.objects.items()):
        if name == item.name or other.pose is None:
            continue
        shadow, (bottom, top) = footprint(other, other.pose), vertical_span(other, other.pose)
        if other.form.ground:
            if top <= low + _NEAR and other.form.solids(other.size) and not shadow.contains(swept) \
                    and shadow.contains(here):
                found.append(name)  # It would leave what it stands on.
        elif top > low and bottom < high and shadow.distance(swept) < min(_CLEAR, shadow.distance(here) - 1e-6):
            found.append(name)
    return tuple(found)


SLIDE = Skill(ARM, slide, item=True)

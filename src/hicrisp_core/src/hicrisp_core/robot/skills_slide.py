"""Sliding: what is too wide for the hand is drawn along what it stands on by its rim between the fingers, and over what
is low in its way; or else it is pressed on from above with closed fingers.

After each step it is looked at: the next one goes from where it is seen.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import FrozenSet, Iterator, List, Optional, Tuple, Union

from shapely.geometry import MultiPolygon

from hicrisp_core.domain.saying import spoken
from hicrisp_core.domain.wording import quantity
from hicrisp_core.model import Cause, CauseKind, Command, Outcome, Pose, Status, Vector, WorldObject, WorldState
from hicrisp_core.model.geometry import as_vector, from_yaw, multiply, planar_distance, turn_between
from hicrisp_core.model.keep_out import footprint, vertical_span
from hicrisp_core.model.shapes import BOWL_WALL
from hicrisp_core.ports.kinds import ARM, Skill
from hicrisp_core.ports.robot import MotionFailure
from hicrisp_core.robot.grasps import DOWN, Grasp, grasp_candidates
from hicrisp_core.robot.gripper import hand_room
from hicrisp_core.robot.skills import DONE, SkillContext, below, failed, first_reason
from hicrisp_core.robot.skills_pick import approach, closed_on_nothing, hand_full

_CLEAR, _GRID, _ROUND = 0.008, 0.04, 0.5
"""Least space beside its way, metres apart are the turns of the way that are tried, and how far around they are."""
_STEP, _SPEED = 0.025, 0.06
"""Metres between two looks, and metres per second."""
_LED = 0.15
"""Speed at which it is led by its rim, metres per second."""
_LIFTED, _HIGHEST = 0.005, 0.18
"""By which its rim is lifted where it is led, and at most over what is in its way, metres."""
_HANGS = 0.8
"""Part of its width by which its far side hangs lower than the rim by which it is lifted."""
_SLIPS = 0.02
"""How far it may move in the fingers and still counts as held, metres."""
_SOON = 0.03
"""How far above the lowest point at which it may touch the hand slows down, metres."""
_NEAR, _PASSED = 0.004, 0.015
"""How far from its goal, and from a turn of its way, it may be seen, metres."""
_STANDS, _FOLLOWS, _STALLS = 0.2, 0.7, 4
"""Parts of a step below which it stands still and above which it comes along, and how often it may stand still in a
row: a dish's wall has to be met first."""
_TRIES = 4
"""How often it is taken or pressed on where it slipped off, or where the arm could not go on."""
_AGAIN = (CauseKind.SLIPPED, CauseKind.NOT_GRIPPED, CauseKind.TOUCHED)
"""Causes after which it is worth another try: the first one always, the others where its rim was to be held."""
_MOVED = 0.01
"""Metres by which it has come nearer if it is worth another try; farther off it is not at its goal."""
_YAWS, _ROUTES = 8, 12
"""How many turns of the hand, and how many ways, are tried."""
_PRESS = 0.001
"""How much harder the hand presses, metres, where it does not come along, and less where the arm cannot."""
_ROOM = 0.05
"""Space beside the hand above which one way is as good as another, metres."""
_EASY = 0.3
"""Radians from the joints' limits above which one way is as good as another."""
_ASIDE = 0.15
"""By what share of its width the hand presses beside its middle where it has no room above that."""


@dataclass(frozen=True)
class _Way:
    """Where it goes, one turn after the other (world frame), and the hand at first: above its middle, or at its rim."""

    start: Pose
    turns: Tuple[Pose, ...]
    tool: Pose
    grasp: Optional[Grasp]

    @property
    def lifts(self) -> bool:
        """Whether it leads over what is in the straight way."""
        return self.turns[0].position[2] > self.start.position[2] + _NEAR

    def tools(self) -> Tuple[Pose, ...]:
        """Where the hand is at first, and at each turn."""
        return (self.tool, *(self.tool.shifted(_shift(self.start, at)) for at in self.turns))


def slide(context: SkillContext, command: Command) -> Outcome:
    """Slide an object along what it stands on.

    Args:
        context: the running command with its arm, observer and limits.
        command: its item, and the pose to which its middle shall come.

    Returns:
        DONE with the hand off it, and the object at its goal; or why not, with how far off it stays.
    """
    doing, goal = f"slide the {context.item}", command.target
    if not context.item or goal is None:
        return Outcome.because(CauseKind.MALFORMED, Status.INVALID, f"{command} does not say what to slide where.",
                               "target" if context.item else "item")
    outcome, before, by_rim = DONE, math.inf, True
    for tries in range(_TRIES + 1):
        context.progress("look", 0.0)
        world = context.look()
        item = world.objects[context.item]
        if item.pose is None:
            return failed(Outcome.because(CauseKind.NOT_SEEN, Status.PRECONDITION, "it is not in sight", item.name),
                          doing)
        left = planar_distance(item.pose.position, goal.position)
        if left <= _NEAR:
            return DONE
        if tries == _TRIES or left > before - _MOVED and (outcome.ok or not by_rim):
            break
        before, by_rim = left, by_rim and left <= before - _MOVED
        low, high = vertical_span(item, item.pose)
        if high - low > min(item.size[:2]):
            return failed(Outcome.because(CauseKind.NO_GRASP, Status.PLANNING, "it is so tall that it would tip over",
                                          item.name), doing)
        full = hand_full(context, world)
        if full is not None:
            return failed(full, doing)
        context.arm.detach()
        outcome = _once(context, item, item.pose, goal, world, by_rim)
        stopped = context.interrupted()
        if stopped is not None or outcome.status not in (Status.SUCCESS, Status.PLANNING) and (
                outcome.cause is None or outcome.cause.kind not in (_AGAIN if by_rim else _AGAIN[:1])):
            return stopped or failed(outcome, doing)
    if outcome.ok and left > _MOVED:
        outcome = Outcome(Status.EXECUTION, f"it stays {quantity(left, 'm')} from its goal",
                          cause=Cause(CauseKind.OFF_GOAL, (item.name,), metres=left))
    return failed(outcome, doing)


def _once(
    context: SkillContext, item: WorldObject, start: Pose, goal: Pose, world: WorldState, by_rim: bool
) -> Outcome:
    """Take or press on it, draw it along the best way to which there is a motion, and leave it."""
    touch = below(item, start, world) | {item.name}
    ways = _ways(context, item, start, goal, world, by_rim)
    if isinstance(ways, Outcome):
        return ways
    best: Optional[Outcome] = None
    some, down = ways[:context.settings.tries], vertical_span(item, start)[0] + context.gripper.tip
    # The arm may get along all of the way at once; else it presses on it again where it gets no farther.
    for way, then in [*((way, way.tools()) for way in some), *((way, ()) for way in some)]:
        outcome = _press(context, way, down - way.tool.position[2], touch, then) if way.grasp is None else \
            _take(context, item.name, way.grasp, touch, then)
        pressed = outcome.ok
        if pressed:
            outcome = _draw(context, item, way, touch) if way.grasp is None else _lead(
                context, item, way, touch | frozenset(_between(item, start, goal, world) if way.lifts else ()))
        if pressed or outcome.status is not Status.PLANNING or context.interrupted() is not None:
            context.progress("retreat", 0.9)
            if way.grasp is not None:
                _let_go(context, way, way.grasp, pressed and not outcome.ok, frozenset(world.objects))
            back = (context.raise_tool if way.grasp is None else context.draw_back)(context.settings.retreat, touch)
            return outcome if not outcome.ok or back.status is Status.PLANNING else back
        best = first_reason(best, outcome, world)
    return best or Outcome.because(CauseKind.OUT_OF_REACH, Status.PLANNING, "the hand has no room along its way")


def _take(
    context: SkillContext, name: str, grasp: Grasp, touch: FrozenSet[str], then: Tuple[Pose, ...]
) -> Outcome:
    """Close the fingers on its rim, with a posture from which they can go on."""
    taken = approach(context, grasp, touch, then)
    if taken.ok:
        context.progress("grasp", 0.2)
        taken = context.arm.grasp(context.settings.force, context.deadline, context.cancel)
    if taken.ok:
        taken = closed_on_nothing(context, name, grasp.width) or taken
    if taken.ok:
        context.look()
        context.arm.attach(name)
    return taken


def _let_go(context: SkillContext, way: _Way, grasp: Grasp, short: bool, touch: FrozenSet[str]) -> None:
    """Open the fingers; what is held short of its goal is set down before, on what is below it, rather than dropped."""
    here, low = context.arm.tool_pose(), way.tool.position[2]
    if short and here.position[2] > low + _LIFTED:
        context.line(here.shifted((0.0, 0.0, low - here.position[2])), context.settings.guarded, touch, guarded=True)
    if context.open_hand(grasp.opening).ok:
        context.arm.detach()
    context.look()


def _press(
    context: SkillContext, way: _Way, down: float, touch: FrozenSet[str], then: Tuple[Pose, ...]
) -> Outcome:
    """Bring the closed fingers down on it until they touch, with a posture from which they can go on."""
    context.progress("approach", 0.1)
    closed = context.ready_hand(0.0)
    if not closed.ok:
        return closed
    motion = context.plan_to(way.tool.shifted((0.0, 0.0, context.settings.approach)), touch if then else frozenset(),
                             then)
    if isinstance(motion, MotionFailure):
        return motion.outcome()
    moved = context.follow(motion)
    if not moved.ok:
        return moved
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


def _lead(context: SkillContext, item: WorldObject, way: _Way, touch: FrozenSet[str]) -> Outcome:
    """Lead it from turn to turn by its rim; where it is seen shows by how much the hand goes on."""
    apart, goal = planar_distance(way.tool.position, way.start.position), way.turns[-1]
    off: Vector = (0.0, 0.0, _LIFTED)
    for turn in (*way.turns, goal):
        context.progress("slide", 0.5)
        moved = context.line(way.tool.shifted(as_vector(map(sum, zip(_shift(way.start, turn), off)))), _LED, touch)
        seen, stopped = context.look().objects[item.name].pose, context.interrupted()
        touched = moved.cause is not None and moved.cause.kind is CauseKind.TOUCHED and turn is goal
        if stopped is not None or not moved.ok and not touched:
            return stopped or moved
        if seen is None:
            return Outcome.because(CauseKind.NOT_SEEN, Status.EXECUTION, "it went out of sight", item.name)
        if planar_distance(context.arm.tool_pose().position, seen.position) > apart + _SLIPS:
            return Outcome.because(CauseKind.SLIPPED, Status.EXECUTION, "it slipped out of the hand", item.name)
        missed = _shift(seen, turn)
        if turn is goal and (math.hypot(*missed[:2]) <= _NEAR or touched):
            break
        off = (off[0] + missed[0], off[1] + missed[1], off[2]) if turn is goal else off  # Before it may hang.
    return DONE


def _ways(
    context: SkillContext, item: WorldObject, start: Pose, goal: Pose, world: WorldState, by_rim: bool
) -> Union[List[_Way], Outcome]:
    """Return the ways with room for the object and the hand, those that hold it by its rim before those that press, the
    shortest way first and there the hand with most room; or what stands in them.
    """
    here = context.arm.tool_pose().orientation
    crowded: List[Tuple[bool, int, Tuple[str, ...]]] = []
    routes = list(itertools.islice(_routes(item, start, goal, world), _ROUTES))
    over = _over(item, start, goal, world)
    pinching, pressing = list(_pinching(context, item, world)) if by_rim else [], list(_pressing(context, item, start))
    for hands, route in [*((pinching, route) for route in (*over, *routes)), *((pressing, route) for route in routes)]:
        found: List[Tuple[float, float, float, _Way]] = []
        points = [start, *(between for at, to in zip((start, *route), route) for between in (at.towards(to, 0.5), to))]
        for tool, grasp in hands:
            opening = 0.0 if grasp is None else grasp.opening
            tools = [tool.shifted(_shift(start, at)) for at in points]
            before = tool.compose(Pose((0.0, 0.0, -context.settings.approach)))
            rooms = [hand_room(each, opening, world, context.gripper, item.name) for each in (*tools, before)]
            names = tuple(sorted({name for room in rooms for name in room.blockers}))
            margins = [] if names else [margin for margin in map(context.arm.margin, tools) if margin is not None]
            if names:
                crowded.append((any(not world.objects[name].movable for name in names), len(names), names))
            elif len(margins) == len(tools):
                room = min(each.clearance for each in rooms)
                aside = 0.0 if grasp else planar_distance(tool.position, start.position)
                found.append((aside - min(room, _ROOM), -min(*margins, _EASY), turn_between(here, tool.orientation),
                              _Way(start, tuple(route), tool, grasp)))
        if found:
            return [way for *_, way in sorted(found, key=lambda each: each[:3])]
    blockers = min(crowded)[2] if crowded else _between(item, start, goal, world)
    if not blockers:
        return Outcome.because(CauseKind.OUT_OF_REACH, Status.PLANNING, "the arm does not reach along its way")
    why = f"the {' and the '.join(map(spoken, blockers))} {'is' if len(blockers) == 1 else 'are'} in the way"
    return replace(Outcome.because(CauseKind.BLOCKED, Status.PLANNING, why, *blockers), blockers=blockers)


def _pinching(context: SkillContext, item: WorldObject, world: WorldState) -> Iterator[Tuple[Pose, Optional[Grasp]]]:
    """Yield the hands with its rim between the fingers."""
    for grasp in grasp_candidates(item, world, context.gripper):
        if grasp.low:
            yield grasp.pose, grasp


def _pressing(context: SkillContext, item: WorldObject, start: Pose) -> Iterator[Tuple[Pose, Optional[Grasp]]]:
    """Yield the hands above its middle, and beside that."""
    height = vertical_span(item, start)[0] + context.gripper.tip + BOWL_WALL
    aside, (x, y, _) = _ASIDE * min(item.size[:2]), start.position
    angles = [math.tau * number / _YAWS for number in range(_YAWS)]
    for off_x, off_y in ((0.0, 0.0), *((aside * math.cos(a), aside * math.sin(a)) for a in angles)):
        for angle in angles:
            yield Pose((x + off_x, y + off_y, height), multiply(from_yaw(angle / 2.0), DOWN)), None


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


def _shift(start: Pose, end: Pose) -> Vector:
    """Return the way from one pose to another, metres."""
    return as_vector(b - a for a, b in zip(start.position, end.position))


def _over(item: WorldObject, start: Pose, goal: Pose, world: WorldState) -> List[List[Pose]]:
    """Return the way over what is low on the straight way, if that is all that is in it."""
    blockers = [world.objects[name] for name in _between(item, start, goal, world)]
    tops = [vertical_span(other, other.pose)[1] for other in blockers if other.pose is not None]
    height = max(tops, default=0.0) - vertical_span(item, start)[0] + _HANGS * max(item.size[:2]) + _CLEAR
    up = (0.0, 0.0, height)
    there = footprint(item, goal)
    stays = any(other.form.ground or footprint(other, other.pose).intersects(there)
                for other in blockers if other.pose is not None)
    return [] if not tops or height > _HIGHEST or stays else [[start.shifted(up), goal.shifted(up), goal]]


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

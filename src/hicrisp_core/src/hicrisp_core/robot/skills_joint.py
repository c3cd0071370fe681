"""Opening and closing: take the handle of a door, a drawer, a lid or a knob, or press on it, and move it along its
joint as measured.

After each small step the part is looked at. What it has done shows the axis, which may lie elsewhere than the scene
says, and whether the hand still has the handle.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import chain
from typing import List, Tuple

from hicrisp_core.domain.wording import quantity
from hicrisp_core.model import Cause, CauseKind, Command, Outcome, Pose, Status, WorldObject, WorldState
from hicrisp_core.model.geometry import distance, turn_between
from hicrisp_core.model.joint import SLIDE, SWING, Joint
from hicrisp_core.model.world import inside_of
from hicrisp_core.ports.kinds import ARM, Skill
from hicrisp_core.robot.grasps import Grasp
from hicrisp_core.robot.gripper import hand_clearance
from hicrisp_core.robot.handles import BESIDE, HandleWay, leans, ways
from hicrisp_core.robot.skills import DONE, SkillContext, clears, failed, first_reason
from hicrisp_core.robot.skills_pick import NOTHING, approach, closed_on_nothing, hand_full

_FAR = 0.98
"""Share of its range to which a part is opened: not hard against its stop."""
_STEP, _LARGEST_TURN = 0.02, 0.15
"""Metres of the handle between two looks, and radians of a part that turns."""
_FOLLOWED, _LONGEST = 0.8, 0.08
"""Part of a step above which a part that slides has come along in the hand, and the next one is twice as long, and the
longest, metres.
"""
_THERE, _ENOUGH = 0.001, 0.03
"""Share of the range by which the end is missed where there is nothing left to do, and where the part stands still."""
_LEAST = 0.25
"""Part of a first step below which the arm does not get on by a smaller one."""
_STANDS, _STALLS = 0.2, 3
"""Part of a step below which the part stands still, and how often that may be in a row."""
_OFF, _AROUND = 0.015, 0.008
"""Distance of the tool from where it holds the handle above which the hand has lost it, and how much farther apart than
the bar's thickness its fingers are then, metres.
"""
_MOVED = 0.01
"""Metres of the handle below which it has not moved at all."""
_GRASPS = 4
"""How often the handle is taken again where the arm cannot go on as it holds it."""
_SAMPLES, _WHOLE, _SOME = 5, 4, 2
"""Points of the way at which a grasp is tested, and how many of them it reaches that gets far enough, and some way."""
_OTHERWISE = (0.0, 2.0, -1.0)
"""How far the hand turns with a part that swings for one step where the arm cannot go on as it began."""


def operate(context: SkillContext, command: Command, wide: bool) -> Outcome:
    """Open or close the part that a command names, by its handle.

    Args:
        context: the running command with its arm, observer and limits.
        command: its item is the part, or the fixture that it is a part of.
        wide: whether to open it.

    Returns:
        DONE with the part moved and the hand off its handle; EXECUTION if it holds fast or the hand slipped off.
    """
    context.progress("look", 0.0)
    world = context.look()
    part, doing = world.part(context.item), f"{'open' if wide else 'close'} the {context.item}"
    if part is None or part.joint is None:
        return failed(Outcome.because(CauseKind.MALFORMED, Status.INVALID, "it has nothing that moves", "item"), doing)
    if part.pose is None:
        return failed(Outcome(Status.PRECONDITION, "it is not in sight",
                              cause=Cause(CauseKind.NOT_SEEN, (part.name,))), doing)
    full = hand_full(context, world)
    if full is not None:
        return failed(full, doing)
    context.arm.detach()
    joint, pose = part.joint, part.pose
    outcome, before, idle, ajar = DONE, math.inf, 0, False
    for _ in range(_GRASPS):
        goal, enough = joint.reach[0] + (_FAR * joint.range if wide else 0.0), _ENOUGH * joint.range
        there = enough if wide else _THERE * joint.range
        left = abs(goal - joint.position(pose))
        if left <= there:
            return DONE
        idle = idle + 1 if left > before - enough else 0
        before, outcome = left, _once(context, part, joint, pose, goal, idle, outcome)
        stopped = context.interrupted()
        seen = context.look().objects[part.name]
        if stopped is not None or seen.pose is None or seen.joint is None or ajar:
            return stopped or (DONE if ajar else failed(outcome, doing))
        # Shut, but not to its stop; or it came along until the hand was in its way.
        stuck = outcome.cause is not None and outcome.cause.kind is CauseKind.STUCK
        came = stuck and left - abs(goal - seen.joint.position(seen.pose)) > enough
        if not (outcome.status is Status.PLANNING or outcome.ok and not wide or came):
            return failed(outcome, doing)
        part, pose, ajar = seen, seen.pose, outcome.ok
        before, joint = before if seen.joint.kind == joint.kind else math.inf, seen.joint
    return failed(outcome, doing)


def _once(
    context: SkillContext, part: WorldObject, joint: Joint, pose: Pose, goal: float, idle: int, before: Outcome
) -> Outcome:
    """Take the handle, move the part as far as the arm gets with this grasp, and let go; PLANNING where that is not far
    enough. The best ways are left out after as many grasps from here that moved nothing; if none is left, it stays at
    what came of those.
    """
    world = context.look()
    ranked = _ranked(context, world, part, joint, pose, goal)[idle:][:context.settings.tries]
    best, handle = before if idle else None, pose.compose(joint.handle)
    by = goal - joint.position(pose)
    end, out = joint.moved(handle, by), joint.kind == SLIDE and by > 0.0
    # Of a straight way out the arm may get to the end at once; else it takes the handle again where it gets no farther.
    for way, then in [*((way, (way.tool(joint, end, 0.0, handle),)) for way in ranked if out),
                      *((way, ()) for way in ranked)]:
        if way.wedged and best is not None and clears(best, world):
            break
        touch = frozenset({part.name, *((joint.fixture,) if way.presses else ())})
        outcome = approach(context, way.grasp, touch, then)
        moves = outcome.ok
        if moves:
            outcome = _Pull(context, part, joint, pose, way, goal).run()
        if context.interrupted() is not None:
            return outcome
        if moves or outcome.status is not Status.PLANNING:
            return _let_go(context, way.grasp, touch, outcome)
        best = first_reason(best, outcome, world)
    return best or Outcome.because(CauseKind.OUT_OF_REACH, Status.PLANNING,
                                   f"the arm cannot go along with the handle of the {part.name}")


def _ranked(
    context: SkillContext, world: WorldState, part: WorldObject, joint: Joint, pose: Pose, goal: float
) -> List[HandleWay]:
    """Return the ways along which the arm gets far enough, then those along which it gets some of the way: those on
    which the hand has room longest first, of these those without room where only what can be moved away leaves none,
    those that hold the bar, those with most room for hand and joints, and those to which the hand turns least.
    """
    found: List[Tuple[Tuple[bool, bool, int, bool, bool, float, float, int], HandleWay]] = []
    here = context.arm.tool_pose().orientation
    inside = inside_of(world.objects, shut=False)  # It moves along.
    bare = replace(part, joint=None)  # The hand is at its bar.
    world = replace(world, objects={
        **{name: item for name, item in world.objects.items() if name not in inside}, part.name: bare.at(pose)})
    handle, by = pose.compose(joint.handle), goal - joint.position(pose)
    bar = joint.bar[0]
    # A hand leans only where it reaches a level bar in no other way, or slightly where it has no room. What only shows
    # as it is pulled how it moves, it holds.
    each_lean = (ways(part, joint, pose, world, context.gripper, by > 0.0, lean)
                 for number, lean in enumerate(leans(context.gripper)[:None if joint.lies else 1])
                 if all(rank[0] for rank, _ in found) or joint.guessed and all(way.presses for _, way in found)
                 or number == 1 and all(crowded or way.presses for (_, _, crowded, *_), way in found))
    for number, way in enumerate(chain.from_iterable(each_lean)):
        margins, rooms = [0.3], [way.grasp.clearance]
        for sample in range(_SAMPLES):
            so_far = by * sample / (_SAMPLES - 1)
            tool = way.tool(joint, joint.moved(handle, so_far), so_far * way.follows, handle)
            refused = context.limits is not None and context.limits.refusal(tool) is not None
            margin = None if refused else context.arm.margin(tool)
            if margin is None:
                break
            margins.append(margin)
            there = replace(world, objects={**world.objects, part.name: bare.at(joint.moved(pose, so_far))})
            rooms.append(hand_clearance(tool, 0.0 if way.presses else bar, there, context.gripper, ""))
        if len(margins) > _SOME:
            free = next((at for at, room in enumerate(rooms) if room <= 0.0), len(rooms))
            worth = len(margins) + min(min(rooms) / context.gripper.room, 1.0) + min(margins)
            crowded, turn = _SAMPLES + 1 - free, turn_between(here, way.grasp.pose.orientation)
            found.append(((len(margins) <= _WHOLE, joint.guessed and way.presses, crowded, way.wedged, way.presses,
                           -round(worth, 3), turn, number), way))
    return [way for _, way in sorted(found, key=lambda each: each[0])]


@dataclass
class _Pull:
    """The motion of a part whose handle is between the fingers, or before them."""

    context: SkillContext
    part: WorldObject
    joint: Joint
    first: Pose
    way: HandleWay
    goal: float

    def __post_init__(self) -> None:
        self.turned, self.follows = 0.0, self.way.follows

    def run(self) -> Outcome:
        """Close the fingers, and move the part step by step."""
        context, joint = self.context, self.joint
        gripped = DONE if self.way.presses else self._grip()
        if not gripped.ok:
            return gripped
        context.look()  # From here on it moves with the hand.
        start, stalls = self.first.compose(joint.handle), 0
        began = at = joint.position(self.first)
        pose = self.first
        largest = least = _largest(joint)
        ahead = math.copysign(1.0, self.goal - at)
        beside, behind = ahead * BESIDE / joint.lever if self.way.presses else 0.0, 0.0
        context.progress("transfer", 0.6)
        while ahead * (self.goal - at) > min(least * _STANDS, _THERE * joint.range):
            step = ahead * min(abs(self.goal - at), largest)
            # How it moves is told by each look where it was not told before; until then it goes where its front looks.
            shown = replace(joint, axis=pose.axes[0]) if joint.guessed else joint if joint != self.joint else \
                joint.followed(self.first, pose)
            handle = shown.moved(pose.compose(joint.handle), step + (1 + stalls) * beside + behind)
            moved = self._step(shown, handle, step, start)
            stopped = context.interrupted()
            part = context.look().objects[self.part.name]
            seen = part.pose
            if stopped is not None or seen is None or part.joint is None:
                return stopped or Outcome(Status.EXECUTION, "it went out of sight",
                                          cause=Cause(CauseKind.NOT_SEEN, (self.part.name,)))
            now = part.joint.position(seen)
            if part.joint.kind == joint.kind:
                gone = (now - at) / step
            else:  # That was seen because it moved.
                share, gone = (self.goal - joint.reach[0]) / joint.range, 1.0
                self.goal, least = part.joint.reach[0] + share * part.joint.range, _largest(part.joint)
            joint, at, pose = part.joint, now, seen
            if moved.status is Status.PLANNING and largest > _LEAST * least:  # The arm may get on by a part of it.
                largest = least if largest > least else largest / 2.0
                continue
            if self.way.presses:  # The fingers began farther from it than they were to, and stay so.
                behind = ahead * min(max(0.0, ahead * behind + abs(step) * (1.0 - gone)), least)
            known = joint == self.joint and not joint.guessed
            far = known and joint.kind == SLIDE and not self.way.presses and gone > _FOLLOWED
            largest = min(2.0 * largest, _LONGEST) if far else least
            stalls = stalls + 1 if gone < _STANDS else 0
            lost = not self.way.presses and self._lost(replace(shown, handle=joint.handle), seen, start)
            # It stands, and may come now; or what it is not known to do presses against the hand, which gives way.
            pressed = moved.cause is not None and moved.cause.kind is CauseKind.TOUCHED or \
                not known and moved.status is Status.EXECUTION and gone >= _STANDS
            if lost or stalls >= _STALLS or not moved.ok and not pressed:
                break
            context.progress("transfer", 0.6 + 0.3 * (at - began) / (self.goal - began))
        else:
            return DONE
        if abs(self.goal - at) <= _ENOUGH * joint.range or ahead < 0.0 and joint.shut(pose):
            return DONE  # It goes no farther.
        way = abs(at - began) * joint.lever
        if not moved.ok and moved.status is not Status.EXECUTION:
            return moved
        if lost and way >= _MOVED:
            why = f"its handle slipped out of the hand after {quantity(way, 'm')}"
            return Outcome(Status.EXECUTION, why, cause=Cause(CauseKind.SLIPPED, said=why))
        why = f"the {self.part.name} holds fast after {quantity(way, 'm')} of its way" if way >= _MOVED else \
            f"the {self.part.name} holds fast: it did not move while the hand was at its handle" + (
                ", and may be a fixed panel" if joint.guessed else "")
        return Outcome(Status.EXECUTION, why, cause=Cause(CauseKind.STUCK, (self.part.name,), said=why, metres=way))

    def _grip(self) -> Outcome:
        """Close the fingers around the bar."""
        context = self.context
        context.progress("grasp", 0.5)
        gripped = context.arm.grasp(context.settings.force, context.deadline, context.cancel)
        return closed_on_nothing(context, self.part.name, self.joint.bar[0]) or gripped if gripped.ok else gripped

    def _lost(self, joint: Joint, seen: Pose, start: Pose) -> bool:
        """Check whether the bar is no longer between the fingers."""
        arm, thick = self.context.arm, joint.bar[0]
        there = self.way.tool(joint, seen.compose(joint.handle), self.turned, start)
        return distance(arm.tool_pose().position, there.position) > _OFF or \
            not NOTHING * thick < arm.opening() < thick + _AROUND

    def _step(self, joint: Joint, handle: Pose, step: float, start: Pose) -> Outcome:
        """Bring the handle to a pose; the hand turns with a part that swings as well as the arm can."""
        free = joint.kind == SWING and joint.stands  # The bar stands, and turns in the hand.
        outcome = DONE
        for follows in dict.fromkeys((self.follows, *((self.way.follows, *_OTHERWISE) if free else ()))):
            turned = self.turned + follows * step
            # What has come along so far goes a longer step in the same time.
            outcome = self.context.sweep(self.way.tool(joint, handle, turned, start),
                                         frozenset({self.part.name, joint.fixture}),
                                         max(1.0, abs(step) / _largest(joint)))
            if outcome.status is not Status.PLANNING:
                self.turned, self.follows = turned, follows
                break
        return outcome


def _largest(joint: Joint) -> float:
    """Return how far a part is moved between two looks, metres or radians."""
    return _STEP if joint.kind == SLIDE else min(_STEP / joint.lever, _LARGEST_TURN)


def _let_go(context: SkillContext, grasp: Grasp, touch: "frozenset[str]", outcome: Outcome) -> Outcome:
    """Open the fingers and draw the hand back from the handle; why not, if it went well so far."""
    context.progress("retreat", 0.9)
    opened = context.open_hand(grasp.opening)
    context.look()
    # With the bar as far before its fingers as it may be between them, the hand can turn; farther back it is stretched.
    back = context.draw_back(context.gripper.depth + context.gripper.tip, touch)
    return outcome if not outcome.ok or back.status is Status.PLANNING or opened.ok and back.ok else \
        back if opened.ok else opened


def _open(context: SkillContext, command: Command) -> Outcome:
    return operate(context, command, True)


def _close(context: SkillContext, command: Command) -> Outcome:
    return operate(context, command, False)


OPEN = Skill(ARM, _open, item=True)
CLOSE = Skill(ARM, _close, item=True)

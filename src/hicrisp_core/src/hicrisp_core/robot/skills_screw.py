"""Screwing: turn a cap on its thread in strokes, with the hand above it, while something else holds the bottle.

In each stroke the fingers close, the wrist turns, the fingers open and the wrist turns back. How far the cap has turned
against its bottle is seen after each part of a stroke, and so is whether it is on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import List, Optional, Tuple

from hicrisp_core.model import Cause, CauseKind, Command, Outcome, Pose, Status, WorldState
from hicrisp_core.model.geometry import from_yaw, multiply
from hicrisp_core.model.screwing import SCREWED_ON
from hicrisp_core.ports.kinds import ARM, Skill
from hicrisp_core.ports.robot import MotionFailure
from hicrisp_core.robot.grasps import Grasp, grasp_candidates
from hicrisp_core.robot.skills import DONE, SkillContext, failed
from hicrisp_core.robot.skills_carry import tool_at
from hicrisp_core.robot.skills_pick import approach, closed_on_nothing, hand_full
from hicrisp_core.robot.skills_place import carried

_OPENS, _CLOSES = 1.0, -1.0
"""The sense in which a thread is turned, seen from above."""
_STROKE, _PART = math.radians(140.0), math.radians(35.0)
"""By how much the wrist turns in a stroke, and between two looks."""
_STROKES = 8
"""How many strokes are made at most."""
_FOLLOWS = 0.5
"""Share of a turn of the hand below which the cap does not follow it."""
_ABOVE = 0.04
"""How far above the bottle a cap is at first that is put on, metres."""
_YAWS = 12


def unscrew(context: SkillContext, command: Command) -> Outcome:
    """Turn a cap until it comes off, and lift it.

    Args:
        context: the running command with its arm, observer and limits.
        command: its item is the cap.

    Returns:
        DONE with the cap in the hand; EXECUTION if it does not turn against its bottle.
    """
    del command  # The context has its item.
    context.progress("look", 0.0)
    world, doing = context.look(), f"unscrew the {context.item}"
    cap, bottle = world.objects[context.item], _bottle(world, context.item)
    full = hand_full(context, world)
    if full is not None:
        return failed(full, doing)
    if cap.pose is None or not bottle:
        return failed(Outcome(Status.PRECONDITION, "it is not seen on anything",
                              cause=Cause(CauseKind.NOT_SEEN, (cap.name,))), doing)
    context.arm.detach()
    best = Outcome.because(CauseKind.NO_GRASP, Status.PLANNING, "no hand can turn it from above", cap.name)
    for grasp in _ranked(context, grasp_candidates(cap, world, context.gripper), _OPENS)[:context.settings.tries]:
        best = approach(context, grasp, frozenset({cap.name, bottle}))
        if best.ok:
            best = _Turn(context, cap.name, bottle, _OPENS, grasp.width + context.gripper.spare).off()
        if best.status is not Status.PLANNING or context.interrupted() is not None:
            break
    return context.interrupted() or failed(best, doing)


def screw(context: SkillContext, command: Command) -> Outcome:
    """Put the held cap on a bottle, turn it until it is tight, and let it go.

    Args:
        context: the running command with its arm, observer and limits.
        command: its item is the cap in the hand, its target the bottle.

    Returns:
        DONE with the hand above the cap; EXECUTION if the thread did not catch.
    """
    del command  # The context has what it names.
    context.progress("look", 0.0)
    doing, cap = f"screw the {context.item} onto the {context.other}", carried(context, context.item)
    bottle = context.look().objects[context.other]
    if isinstance(cap, Outcome) or cap.pose is None or bottle.pose is None:
        return failed(cap, doing) if isinstance(cap, Outcome) else Outcome.because(
            CauseKind.NOT_SEEN, Status.PRECONDITION, f"Cannot {doing}: the {context.other} is not in sight.",
            context.other)
    touch = frozenset({cap.name, bottle.name})
    over = bottle.pose.apply((0.0, 0.0, (bottle.size[2] + cap.size[2]) / 2.0 + _ABOVE))
    turns = [multiply(from_yaw(math.tau * number / _YAWS), cap.pose.orientation) for number in range(_YAWS)]
    tools = [Grasp(tool_at(context, cap, Pose(over, turn)), cap.size[0], cap.size[0]) for turn in turns]
    best = Outcome.because(CauseKind.OUT_OF_REACH, Status.PLANNING, "no hand can turn it there", bottle.name)
    for way in _ranked(context, tools, _CLOSES)[:context.settings.tries]:
        context.progress("approach", 0.2)
        motion = context.plan_to(way.pose)
        best = motion.outcome() if isinstance(motion, MotionFailure) else context.follow(motion)
        if best.ok:
            down = context.line(way.pose.shifted((0.0, 0.0, -_ABOVE)), context.settings.guarded, touch, guarded=True)
            best = down if down.status is Status.PLANNING else _Turn(
                context, cap.name, bottle.name, _CLOSES, cap.size[0] + context.gripper.spare).tight()
        if best.status is not Status.PLANNING or context.interrupted() is not None:
            break
    return context.interrupted() or failed(best, doing)


@dataclass
class _Turn:
    """The strokes in which a cap is turned that is between the fingers.

    Args:
        sense: 1 to open it, -1 to close it.
        opening: of the fingers while the wrist turns back, metres.
    """

    context: SkillContext
    cap: str
    bottle: str
    sense: float
    opening: float

    def off(self) -> Outcome:
        """Turn until it is seen to be off, and lift it."""
        context = self.context
        for _ in range(_STROKES):
            outcome, _ = self._stroke(True)
            if outcome.ok and not _bottle(context.look(), self.cap):
                context.arm.attach(self.cap)
                lifted = context.raise_tool(context.settings.approach, frozenset({self.cap, self.bottle}))
                held = carried(context, self.cap) if lifted.ok else lifted
                return held if isinstance(held, Outcome) else DONE
            if not outcome.ok:
                return self._leave(outcome)
            outcome = self._back()
            if not outcome.ok:
                return outcome
        return self._leave(self._stuck(f"it is still on after {_STROKES} strokes"))

    def tight(self) -> Outcome:
        """Turn until it is seen to be on and does not follow any more, and let it go."""
        for _ in range(_STROKES):
            outcome, follows = self._stroke(False)
            on = _bottle(self.context.look(), self.cap) == self.bottle
            if not outcome.ok or on and not follows:
                return self._leave(outcome)
            outcome = self._back()
            if not outcome.ok:
                return outcome
        return self._leave(self._stuck("its thread does not catch"))

    def _stroke(self, must: bool) -> Tuple[Outcome, bool]:
        """Close the fingers and turn; the outcome, and whether the cap still turns with the hand.

        Args:
            must: whether it is an error that it does not.
        """
        context = self.context
        context.progress("turn", 0.5)
        gripped = context.arm.grasp(context.settings.force, context.deadline, context.cancel)
        world = context.look()
        outcome = gripped if not gripped.ok else \
            closed_on_nothing(context, self.cap, world.objects[self.cap].size[0]) or DONE
        turned, begun = 0.0, self._angle(world)
        while outcome.ok and turned < _STROKE - _PART / 2.0:
            outcome = self._by(self.sense * _PART, context.look())
            outcome = context.interrupted() or outcome
            world, turned = context.look(), turned + _PART
            now = self._angle(world)
            if begun is None or now is None:
                break  # The hand hides it.
            follows = math.remainder(now - begun, math.tau) * self.sense > _FOLLOWS * _PART
            if must and not _bottle(world, self.cap):
                break
            if not follows and (not must or turned > _PART):
                return (outcome if not must else self._stuck("it does not turn against the bottle")), False
            begun = now
        return outcome, True

    def _back(self) -> Outcome:
        """Open the fingers around the cap, and turn the wrist back."""
        context = self.context
        context.arm.detach()
        outcome = context.open_hand(self.opening)
        parts = round(_STROKE / _PART)
        for _ in range(parts if outcome.ok else 0):
            outcome = self._by(-self.sense * _PART, context.look())
            if not outcome.ok:
                break
        return context.interrupted() or outcome

    def _by(self, angle: float, world: WorldState) -> Outcome:
        """Turn the hand about the cap's axis, at the height at which it holds the cap."""
        here, cap = self.context.arm.tool_pose(), world.objects[self.cap].pose
        x, y = here.position[:2] if cap is None else cap.position[:2]
        tool = Pose((x, y, here.position[2]), multiply(from_yaw(angle), here.orientation))
        return self.context.sweep(tool, frozenset({self.cap, self.bottle}))

    def _angle(self, world: WorldState) -> Optional[float]:
        """Return the turn of the cap against its bottle, radians."""
        cap, bottle = (world.objects[name].pose for name in (self.cap, self.bottle))
        return None if cap is None or bottle is None else bottle.inverse().compose(cap).yaw

    def _leave(self, outcome: Outcome) -> Outcome:
        context = self.context
        context.arm.detach()
        opened = context.open_hand(self.opening)
        context.look()
        up = context.raise_tool(context.settings.approach, frozenset({self.cap, self.bottle}))
        return outcome if not outcome.ok or opened.ok and up.ok else up if opened.ok else opened

    def _stuck(self, why: str) -> Outcome:
        return Outcome(Status.EXECUTION, why, cause=Cause(CauseKind.STUCK, (self.cap,), said=why))


def _bottle(world: WorldState, cap: str) -> str:
    """Return what a cap is screwed on; empty if it is off."""
    return next((fact.object for fact in world.relations if (fact.subject, fact.predicate) == (cap, SCREWED_ON)), "")


def _ranked(context: SkillContext, ways: List[Grasp], sense: float) -> List[Grasp]:
    """Return the ways to hold a cap from above, first those in which the joints have room at both ends of a stroke."""
    found: List[Tuple[float, int, Grasp]] = []
    for number, way in enumerate(ways):
        if way.from_side:
            continue
        end = replace(way.pose, orientation=multiply(from_yaw(sense * _STROKE), way.pose.orientation))
        margins = [context.arm.margin(pose) for pose in (way.pose, end)]
        if None not in margins:
            found.append((-min(margin for margin in margins if margin is not None), number, way))
    return [way for _, _, way in sorted(found, key=lambda each: each[:2])]


UNSCREW = Skill(ARM, unscrew, item=True)
SCREW = Skill(ARM, screw, item=True, target=True)

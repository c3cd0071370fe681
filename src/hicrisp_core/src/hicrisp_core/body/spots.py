"""Which of the candidate poses is taken: free of other things, with room for the hand; or what is in the
way of all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice
from typing import FrozenSet, Iterator, List, Optional, Sequence, Tuple

from hicrisp_core.body.placement import Round, Workspace, allowed
from hicrisp_core.model import Pose, WorldObject, WorldState
from hicrisp_core.model.footprint import footprint, vertical_span
from hicrisp_core.robot.skills_placements import Hold, most_room

_LOOKED_AT = 60
"""Candidates of which the hand's room is measured before the best of them is taken."""
_BELOW = 0.02
"""A thing whose bottom is this far above an item's top, metres, or less, is beside it."""


@dataclass(frozen=True)
class Spots:
    """The choice of a pose for an item.

    Args:
        rounds: the candidates, best first.
        hold: how the item is held; ``None`` where that is not seen, and no room is asked for the hand.
        ignore: names of things that may be nearer than the space that is wished, such as the reference.
        held: names of the things that are in a hand and stand nowhere.
    """

    item: WorldObject
    rounds: Sequence[Round]
    world: WorldState
    workspace: Workspace
    hold: Optional[Hold] = None
    ignore: FrozenSet[str] = frozenset()
    held: FrozenSet[str] = frozenset()

    def best(self) -> Optional[Pose]:
        """The first pose that is free and leaves the hand the room that it wishes; else the one that leaves
        it most; ``None`` when the hand, or the item itself, would touch something at every one."""
        tight, most, gripper = None, 0.0, self.workspace.gripper
        for pose in islice(self._free(), _LOOKED_AT):
            if gripper is None or self.hold is None:
                return pose
            room = most_room(self.item, self.hold, pose, self.world, gripper).grasp.clearance
            if room >= gripper.room:
                return pose
            if room > most:
                tight, most = pose, room
        return tight

    def blockers(self) -> Tuple[str, ...]:
        """The fewest things without which a pose would be free; movable ones before others. None where no
        pose is within reach, on the table and allowed."""
        poses = [pose for number in self.rounds for pose in number.poses if self._allowed(pose)]
        near = sorted(((self._near(pose), pose) for pose in dict.fromkeys(poses)),
                      key=lambda found: len(found[0]))
        found: List[Tuple[bool, int, Tuple[str, ...]]] = []
        for names, pose in near[:_LOOKED_AT]:
            all_names = tuple(sorted({*names, *self._in_the_hands_way(pose, names)}))
            fixed = any(not self.world.objects[name].movable or name in self.ignore for name in all_names)
            if all_names:
                found.append((fixed, len(all_names), all_names))
        return min(found, key=lambda entry: entry[:2])[2] if found else ()

    def _free(self) -> Iterator[Pose]:
        """The poses at which the item itself is free, in the order in which they are wished."""
        for number in self.rounds:
            kept: List[Tuple[float, Pose]] = []
            for pose in number.poses:
                space = self._space(pose) if self._allowed(pose) else -1.0
                if space < number.space:
                    continue
                if number.score is None:
                    yield pose
                else:
                    kept.append((number.score(pose, space), pose))
            yield from (pose for _, pose in sorted(kept, key=lambda entry: -round(entry[0], 9)))

    def _allowed(self, pose: Pose) -> bool:
        return allowed(self.item, pose, self.world, self.workspace)

    def _space(self, pose: Pose) -> float:
        """Space between the item at a pose and the nearest other thing at its height, metres; 0 when they
        overlap.
        """
        return min((space for _, space in self._spaces(pose)), default=math.inf)

    def _near(self, pose: Pose) -> Tuple[str, ...]:
        return tuple(name for name, space in self._spaces(pose) if space < self.workspace.clearance)

    def _spaces(self, pose: Pose) -> Iterator[Tuple[str, float]]:
        shadow = footprint(self.item, pose)
        low, high = vertical_span(self.item, pose)
        for name, thing in self.world.objects.items():
            if name == self.item.name or name in self.ignore or thing.pose is None \
                    or thing.form.ground:
                continue
            bottom, top = vertical_span(thing, thing.pose)
            if top > low and bottom < high + _BELOW and name not in self.held:
                yield name, float(footprint(thing, thing.pose).distance(shadow))

    def _in_the_hands_way(self, pose: Pose, gone: Sequence[str]) -> Tuple[str, ...]:
        """What the hand would touch at a pose if some things were gone."""
        gripper = self.workspace.gripper
        if self.hold is None or gripper is None:
            return ()
        objects = {name: thing for name, thing in self.world.objects.items() if name not in gone}
        rest = WorldState(objects, self.world.relations, self.world.robots, self.world.stamp)
        way = most_room(self.item, self.hold, pose, rest, gripper)
        return way.blockers if way.grasp.clearance <= 0.0 else ()

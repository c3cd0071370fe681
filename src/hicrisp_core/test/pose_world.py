"""A table top of poses without physics: an arm that places where it is told, plus a bias and seeded noise."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Dict, List, Mapping, Optional, Tuple

from hicrisp_core.detector.perception import ArmFrames, perceive
from hicrisp_core.domain import Domain
from hicrisp_core.model import Command, Outcome, Pose, Status, WorldObject, WorldState

DOWN = (1.0, 0.0, 0.0, 0.0)


class PoseWorld:
    """Robot and eyes: moves items by their poses, never by facts; the facts come from perception."""

    name = "panda"

    def __init__(
        self, domain: Domain, catalogue: Mapping[str, WorldObject], bias: Tuple[float, float] = (0.0, 0.0),
        sigma: float = 0.0, seed: int = 0,
    ) -> None:
        self._domain = domain
        self._catalogue = catalogue
        self._poses: Dict[str, Pose] = {n: o.pose for n, o in catalogue.items() if o.pose and o.movable}
        self._bias = bias
        self._sigma = sigma
        self._rng = random.Random(seed)
        self._held: Optional[str] = None
        self._time = 0.0
        self.executed: List[str] = []
        self.misses: List[Tuple[float, float]] = []
        """By how much the next placements miss, each once, beside bias and noise."""
        self.slips = 0
        """Next placements in which the item falls out of the hand on its way, 14 cm from its aim."""

    def capabilities(self):
        return tuple(self._domain.actions)

    def execute(self, command: Command, deadline, cancel, progress=None) -> Outcome:
        self._time += 1.0
        self.executed.append(str(command))
        item = command.argument("item")
        if self._domain.actions[command.action].skill == "pick":
            self._held = item
            self._poses[item] = Pose((0.4, 0.0, 0.4))
            return Outcome(Status.SUCCESS)
        if command.aim is None or self._held != item:
            return Outcome(Status.PRECONDITION, f"{item} is not in the hand")
        off = [b + self._rng.gauss(0.0, self._sigma) for b in self._bias]
        self._held = None
        if self.slips:
            self.slips -= 1
            self._poses[item] = command.aim.shifted((0.1, 0.1, 0.0))
            return Outcome(Status.EXECUTION, f"the {item} slipped out of the gripper")
        once = self.misses.pop(0) if self.misses else (0.0, 0.0)
        self._poses[item] = command.aim.shifted((off[0] + once[0], off[1] + once[1], 0.0))
        return Outcome(Status.SUCCESS)

    def observe(self, deadline) -> WorldState:
        tool = (0.4, 0.0, 0.4)
        width = self._catalogue[self._held].size[1] if self._held else 0.08
        frames = {name: (pose, self._time) for name, pose in self._poses.items()}
        frames["panda_hand_tcp"] = (Pose(tool, DOWN), self._time)
        for finger, side in (("panda_leftfinger", -0.5), ("panda_rightfinger", 0.5)):
            frames[finger] = (Pose((tool[0], tool[1] + side * width, tool[2])), self._time)
        return perceive(frames, self._catalogue, self._domain, self._time, (ArmFrames("panda"),))

    def stop(self, deadline) -> Outcome:
        return Outcome(Status.SUCCESS)

    def reset(self) -> None:
        pass


def catalogue(**places: Tuple[float, float]) -> Dict[str, WorldObject]:
    """A table with 5 cm boxes, and cylinders for names that start so, at places on it."""
    found = {"table": WorldObject("table", "surface", "surface", (0.8, 1.2, 0.04),
                                  pose=Pose((0.5, 0.0, -0.02)),
                                  movable=False)}
    for name, (x, y) in places.items():
        thing = WorldObject(name, "cylinder", "cylinder", (0.06, 0.06, 0.1)) if name.startswith("cylinder") \
            else WorldObject(name, "box", "box", (0.05, 0.05, 0.05))
        found[name] = replace(thing, pose=Pose((x, y, thing.size[2] / 2.0)))
    return found

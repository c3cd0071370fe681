"""Stands in for a camera with its perception: tracks from true poses, with seeded noise."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Callable, Dict, Iterable, Mapping, Optional, Set

from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.geometry import distance, from_yaw, multiply
from hicrisp_core.model.track import Track, Tracks, Uncertainty, Visibility
from hicrisp_core.ports.observer import Frames

NOISE = Uncertainty(0.0015, 0.001, 0.01)


class NoisyTracks:
    """Looks at frames as a perception does that knows its noise.

    Args:
        truth: the frames as they are, those of the hand among them.
        names: the things that a camera could see.
        hidden: the things that something stands before at this moment.
        unknown: things that the scene does not hold, by name, with the pose that each has in ``truth``.
    """

    def __init__(
        self, truth: Callable[[], Frames], names: Iterable[str], clock: Callable[[], float], seed: int = 0,
        noise: Uncertainty = NOISE,
        hidden: Callable[[], Iterable[str]] = tuple, hand: str = "panda_hand_tcp",
        unknown: Optional[Mapping[str, WorldObject]] = None,
    ) -> None:
        self._truth, self._names, self._clock = truth, tuple(names), clock
        self._noise, self._hidden, self._hand = noise, hidden, hand
        self._unknown = dict(unknown or {})
        self._dice = random.Random(seed)
        self._known: Dict[str, Track] = {}
        self.gone: Set[str] = set()
        self.silent = False

    def look(self) -> Tracks:
        """What is to be seen now."""
        now, frames, hidden = self._clock(), self._truth(), set(self._hidden())
        if not self.silent:
            for name in (*self._names, *self._unknown):
                self._see(name, now, frames, hidden)
            self._stamp = now
        return Tracks(self._stamp, tuple(self._known.values()))

    def forget(self) -> None:
        """The world began again."""
        self._known.clear()

    def _see(self, name: str, now: float, frames: Frames, hidden: Set[str]) -> None:
        before = self._known.get(name)
        if name in self.gone or name not in frames:
            if before is not None and name not in hidden:
                self._known[name] = replace(before, visibility=Visibility.GONE)
        elif name not in hidden:
            tool = frames.get(self._hand)
            held = tool is not None and distance(tool[0].position, frames[name][0].position) < 0.03
            self._known[name] = Track(name, self._blurred(frames[name][0]), self._noise, now,
                                      Visibility.HELD if held else Visibility.VISIBLE,
                                      self._unknown.get(name))
        elif before is not None and before.visibility is not Visibility.GONE:
            self._known[name] = replace(before, visibility=Visibility.HIDDEN)

    def _blurred(self, pose: Pose) -> Pose:
        gauss, noise = self._dice.gauss, self._noise
        x, y = (gauss(0.0, noise.position) for _ in "xy")
        turned = multiply(from_yaw(gauss(0.0, noise.yaw)), pose.orientation)
        return Pose(pose.shifted((x, y, gauss(0.0, noise.height))).position, turned)

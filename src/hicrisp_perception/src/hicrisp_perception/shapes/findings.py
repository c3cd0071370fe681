"""What a picture shows of objects, and what is known of them from the pictures before."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, FrozenSet, Mapping, Optional, Sequence, Set, Tuple

import numpy as np
from hicrisp_core.model import Pose, WorldObject

from hicrisp_perception.shapes.evidence import explained, render
from hicrisp_perception.shapes.fitting import Fit
from hicrisp_perception.shapes.segments import Ground, Segment, Window
from hicrisp_perception.shapes.shape_models import lie_at
from hicrisp_perception.tracking.change_detection import Claim

MOST = 0.7
"""Part of a segment that an object accounts for when the segment is nothing else."""


@dataclass(eq=False)
class Findings:
    """What a picture shows.

    Args:
        fits: the known objects that were found, by name.
        claimed: the pixels that the found objects account for.
        claims: the same for each of those that were measured.
        kept: those of the fits that look as they did when they were measured in a picture before.
        light: how bright level white is, 1 for as bright as the camera can tell.
        there: objects that were not found, though nothing that shows speaks against their place.
    """

    claimed: np.ndarray
    fits: Dict[str, Fit] = field(default_factory=dict)
    light: Optional[float] = None
    claims: Dict[str, Claim] = field(default_factory=dict)
    kept: Set[str] = field(default_factory=set)
    there: Set[str] = field(default_factory=set)

    def keep(self, name: str, fit_: Fit, claim: Claim) -> None:
        """Add an object as it was measured before.

        Args:
            name: name of the object in the world.
            fit_: its last fit.
            claim: window and mask of its pixels.
        """
        self.fits[name] = fit_
        self.kept.add(name)
        window, own = claim
        self.claimed[window] |= own

    def claim(self, name: str, fit_: Fit, ground: Ground, others: Sequence[Segment] = (), rim: int = 3
              ) -> None:
        """Take an object's pixels from the others.

        Args:
            others: segments that keep their pixels unless the object accounts for nearly all of them.
            rim: pixels around it that are mixed.
        """
        window = fit_.rendering.window
        own = explained(fit_.rendering, ground, rim)
        for other in others:
            there, mask = shared(window, own, other)
            part = np.count_nonzero(there & mask) / max(1, other.pixels)
            if 0.0 < part < MOST:
                there &= ~mask
        self.claimed[window] |= own
        self.claims[name] = window, own

    def leave(self, item: WorldObject, pose: Pose, ground: Ground) -> None:
        """Leave an object where it was, as nothing that shows speaks against that: its pixels are no other one's.

        Args:
            item: the object.
            pose: where it was, world frame.
        """
        self.there.add(item.name)
        rendering = render(lie_at(item, pose)[0], pose, ground)
        if rendering is not None:
            own = explained(rendering, ground) & ~self.claimed[rendering.window]
            self.claimed[rendering.window] |= own
            self.claims[item.name] = rendering.window, own

    def by_others(self, name: str) -> np.ndarray:
        """Return the pixels that other objects account for than one that was left where it was: boolean mask."""
        claimed = self.claimed.copy()
        if name in self.there and name in self.claims:
            window, own = self.claims[name]
            claimed[window] &= ~own
        return claimed


@dataclass(frozen=True)
class PastFindings:
    """What is known from the pictures before.

    Args:
        fits: the objects that stood somewhere.
        dropped: where hands let objects go that were not seen since.
        sure: those that were seen in full view since they are known by their names.
    """

    fits: Mapping[str, Fit] = field(default_factory=dict)
    dropped: Mapping[str, Pose] = field(default_factory=dict)
    sure: FrozenSet[str] = frozenset()

    def pose(self, name: str) -> Optional[Pose]:
        """Return where an object stood or was released.

        Args:
            name: name of the object in the world.

        Returns:
            World frame; ``None`` if it is unknown.
        """
        return self.fits[name].pose if name in self.fits else self.dropped.get(name)


def shared(window: Window, own: np.ndarray, segment: Segment) -> Tuple[np.ndarray, np.ndarray]:
    """Return the parts of two masks that show the same pixels.

    Args:
        window: rows and columns of the first mask.
        own: boolean (height, width) of the window.
        segment: holds the second mask.

    Returns:
        Views of both masks; of no pixels where the windows do not meet.
    """
    low = [max(a.start, b.start) for a, b in zip(window, segment.window)]
    high = [max(at, min(a.stop, b.stop)) for at, a, b in zip(low, window, segment.window)]
    parts = (tuple(slice(a - side.start, b - side.start) for a, b, side in zip(low, high, each))
             for each in (window, segment.window))
    return own[next(parts)], segment.mask[next(parts)]

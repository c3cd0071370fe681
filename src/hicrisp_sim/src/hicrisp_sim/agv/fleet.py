"""What the bases of one arena tell each other, and who of them goes first."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Dict, List, Optional, Sequence, Tuple

import numpy as np
from hicrisp_core.model.geometry import Planar
from hicrisp_core.robot.turns import Turns

_SEEN = 0.08
"""Metres around a base's footprint within which a ray's end is the base, which moved since it was told."""


@dataclass(frozen=True, eq=False)
class Claim:
    """What a base tells the others; metres in the map frame.

    Args:
        radius: of its round footprint.
        time: seconds of the world's clock.
        spot: where its middle is.
        halt: where that would come to stand if the base braked now.
        path: that it asks others to leave free, array (n, 2); ``None`` where it stays.
        since: when its drive began, seconds; infinite without a drive, and where the drive waits for its turn.
        stuck: whether it must give way and has no place to go to.
    """

    name: str
    radius: float
    time: float = -math.inf
    spot: Planar = (math.inf, math.inf)
    halt: Planar = (math.inf, math.inf)
    path: Optional[np.ndarray] = None
    since: float = math.inf
    stuck: bool = False

    @property
    def rank(self) -> Tuple[bool, float, str]:
        """The lower one goes first: who cannot give way, then whose drive began earlier, then by name."""
        return not self.stuck, self.since, self.name

    @property
    def sweep(self) -> np.ndarray:
        """Where its middle may be before it stands: array (n, 2) of points a centimetre apart."""
        count = 2 + math.ceil(math.dist(self.spot, self.halt) / 0.01)
        return np.linspace(self.spot, self.halt, count)

    def apart(self, spot: Planar) -> float:
        """Return the distance of a point to the footprint, wherever it may be before the base stands.

        Args:
            spot: map frame, metres.

        Returns:
            Metres, negative within it.
        """
        (ax, ay), (bx, by) = self.spot, self.halt
        dx, dy = bx - ax, by - ay
        along = ((spot[0] - ax) * dx + (spot[1] - ay) * dy) / max(dx * dx + dy * dy, 1e-12)
        part = min(1.0, max(0.0, along))
        return math.hypot(spot[0] - ax - part * dx, spot[1] - ay - part * dy) - self.radius


class Fleet:
    """The latest claims of the bases in one arena.

    Each base sees what the others told before the present moment, whichever of them comes first in it.
    """

    def __init__(self) -> None:
        self.turns = Turns()
        """The order of visits that the bases share."""
        self._told: Dict[str, Tuple[Claim, ...]] = {}

    def tell(self, claim: Claim) -> None:
        """Take in a claim in place of the base's earlier ones.

        Args:
            claim: the new one.
        """
        earlier = [told for told in self._told.get(claim.name, ()) if told.time < claim.time]
        self._told[claim.name] = (claim, *earlier[:1])

    def others(self, claim: Claim, now: float) -> List[Claim]:
        """Return what the other bases told before a moment.

        Args:
            claim: of the base that asks.
            now: the moment, seconds of the world's clock.

        Returns:
            A claim of each, by name.
        """
        return [next((each for each in told if each.time < now), told[-1])
                for name, told in sorted(self._told.items()) if name != claim.name]

    def clear(self) -> None:
        """Forget all claims and the order: the world begins again."""
        self._told, self.turns = {}, Turns()


def on_mates(points: np.ndarray, mates: Sequence[Claim]) -> np.ndarray:
    """Check which ends of a scan lie on other bases, which stay nowhere for ever.

    Args:
        points: array (n, 2), metres in the map frame.
        mates: the other bases.

    Returns:
        Boolean array (n,).
    """
    found = np.zeros(len(points), dtype=bool)
    for mate in mates:
        found |= np.hypot(*(points - np.array(mate.spot)).T) <= mate.radius + _SEEN
    return found

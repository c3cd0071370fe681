"""The action decoder's learnt bias: low-level feedback corrects where the robot is told to place (HiCRISP,
III-C).

One measurement is the item's position less the aim: bias plus noise. From few samples a bias and zero-mean
noise look alike, so the mean is shrunk by how much of it the noise explains (positive-part James-Stein): a
single large deviation is believed except for a rest below ``prior_sigma``, and a mean that only noise made is
not applied. That is for the attempt which follows the miss; other commands are corrected once several samples agree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Dict, Mapping, Optional, Sequence

from annotated_types import Ge
from pydantic import PositiveFloat
from pydantic.dataclasses import dataclass as pydantic_dataclass
from typing_extensions import Annotated

from hicrisp_core.config.settings import STRICT
from hicrisp_core.model.geometry import Planar
from hicrisp_core.model.task import Command
from hicrisp_core.model.world import WorldObject

_ALONE = 1.5
"""Weight up to which an estimate is one sample, with which nothing agrees."""
_AGREED = 3.0
"""Standard deviations of the mean by which a bias is told from noise."""


@pydantic_dataclass(frozen=True, config=STRICT)
class OffsetSettings:
    """How the decoder learns.

    Args:
        prior_sigma: placement noise believed before anything was measured, metres, above 0.
        limit: the largest correction that is applied, metres; a longer measurement is no placement error.
        memory: the number of placements that the estimate remembers, at least 2.
    """

    prior_sigma: PositiveFloat = 0.02
    limit: PositiveFloat = 0.10
    memory: Annotated[float, Ge(2.0)] = 12.0


@dataclass(frozen=True)
class OffsetEstimate:
    """What is known of the bias of one robot's action in one frame: running mean and scatter in the plane,
    metres.
    """

    samples: float = 0.0
    mean: Planar = (0.0, 0.0)
    scatter: float = 0.0
    """Sum of the squared distances from the mean, both axes, m^2."""

    def updated(self, measured: Planar, settings: OffsetSettings, sigma: float = 0.0) -> "OffsetEstimate":
        """Add a measurement to the estimate; one that is not finite or exceeds the limit is ignored.

        Args:
            measured: item position minus aim, x and y in the world frame (m).
            settings: prior, limit and memory.
            sigma: standard deviation of the measurement itself (m), which reduces its weight.

        Returns:
            The new estimate.
        """
        if not math.hypot(*measured) <= settings.limit:
            return self
        weight = settings.prior_sigma ** 2 / (settings.prior_sigma ** 2 + sigma ** 2)
        keep = min(1.0, (settings.memory - 1.0) / self.samples) if self.samples else 1.0
        samples = self.samples * keep + weight
        step = tuple(weight * (new - old) / samples for new, old in zip(measured, self.mean))
        mean = (self.mean[0] + step[0], self.mean[1] + step[1])
        scatter = self.scatter * keep + weight * sum(
            (new - old) * (new - now) for new, old, now in zip(measured, self.mean, mean))
        return OffsetEstimate(samples, mean, scatter)

    def sigma(self, settings: OffsetSettings) -> float:
        """Compute the standard deviation of the mean per axis.

        Args:
            settings: the prior, which counts as one sample.

        Returns:
            The standard deviation (m).
        """
        if not self.samples:
            return settings.prior_sigma
        variance = (self.scatter / 2.0 + settings.prior_sigma ** 2) / self.samples
        return math.sqrt(variance / self.samples)

    def agreed(self, settings: OffsetSettings) -> bool:
        """Check whether several samples agree on a bias.

        Args:
            settings: the prior, which counts as one sample.

        Returns:
            False for a single miss, however large, and for a mean that noise may have made.
        """
        return self.samples > _ALONE and math.hypot(*self.mean) > _AGREED * self.sigma(settings)

    def bias(self, settings: OffsetSettings) -> Planar:
        """Compute the correction, shrunk by its uncertainty and clamped to the limit.

        Args:
            settings: prior and limit.

        Returns:
            The x and y offset to subtract from a target, world frame (m).
        """
        length = math.hypot(*self.mean)
        if length == 0.0:
            return (0.0, 0.0)
        shrunk = max(0.0, 1.0 - (self.sigma(settings) / length) ** 2)
        scale = min(shrunk, settings.limit / length)
        return (self.mean[0] * scale, self.mean[1] * scale)


def offset_key(robot: str, skill: str) -> str:
    """Return the key of an estimate.

    Args:
        robot: name of the robot.
        skill: name of the skill.

    Returns:
        Robot, skill and the frame of the measurements.
    """
    return f"{robot}/{skill}/world"


def measured_offset(command: Command, item: Optional[WorldObject]) -> Optional[Planar]:
    """Compute one sample of the placement bias.

    Args:
        command: the command that was carried out.
        item: the item as observed afterwards.

    Returns:
        Item position minus aim, x and y in the world frame (m); ``None`` if either is unknown.
    """
    if item is None or item.pose is None or command.aim is None:
        return None
    return (item.pose.position[0] - command.aim.position[0], item.pose.position[1] - command.aim.position[1])


@dataclass(frozen=True)
class DecoderOffsets:
    """The estimates by key (robot, skill and frame); immutable, held by whoever holds the task's state."""

    estimates: Mapping[str, OffsetEstimate] = field(default_factory=dict)
    settings: OffsetSettings = OffsetSettings()

    def updated(self, key: str, measured: Planar, sigma: float = 0.0) -> "DecoderOffsets":
        """Add a measurement.

        Args:
            key: as ``offset_key`` makes it.
            measured: x, y of the object less the aim, metres.
            sigma: standard deviation of the measurement, metres.

        Returns:
            The new estimates.
        """
        estimates: Dict[str, OffsetEstimate] = dict(self.estimates)
        estimates[key] = estimates.get(key, OffsetEstimate()).updated(measured, self.settings, sigma)
        return replace(self, estimates=estimates)

    def bias(self, key: str) -> Planar:
        """Return the correction to subtract from a target.

        Args:
            key: as ``offset_key`` makes it.

        Returns:
            x, y, metres.
        """
        return self.estimates.get(key, OffsetEstimate()).bias(self.settings)

    def agreed(self) -> "DecoderOffsets":
        """Return the estimates that correct commands beside the one that has just missed.

        Returns:
            Those on which several samples agree.
        """
        known = self.estimates.items()
        return replace(self, estimates={key: each for key, each in known if each.agreed(self.settings)})

    def as_lists(self) -> Dict[str, Sequence[float]]:
        """The estimates as plain numbers: samples, mean x, mean y, scatter."""
        return {key: [e.samples, *e.mean, e.scatter] for key, e in self.estimates.items()}

    def from_lists(self, values: Mapping[str, Sequence[float]]) -> "DecoderOffsets":
        """Read estimates; the inverse of :meth:`as_lists`.

        Args:
            values: numbers by key.

        Returns:
            The estimates with the same settings.
        """
        return replace(self, estimates={key: OffsetEstimate(v[0], (v[1], v[2]), v[3]) for key, v in values.items()})

"""The rung ``offset``: low-level feedback corrects the aim, the target or the path of the same action (HiCRISP, III-C).

Every attempt is measured, whichever rung answers its failure: ``AimLearner`` estimates how far the robots miss, and a
failure leaves a constraint for the next motion (section IV-C). The rung itself only says that this is enough to try
again.
"""

from __future__ import annotations

import math
from dataclasses import replace
from threading import Lock
from typing import Optional

from shapely.geometry import Point

from hicrisp_core.corrector.ladder import CorrectionContext, Ladder
from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import (
    CauseKind,
    Command,
    Correction,
    Feedback,
    FeedbackKind,
    Maker,
    MakerKind,
    Outcome,
    Rung,
    Verdict,
    WorldState,
)
from hicrisp_core.model.keep_out import disc, footprint
from hicrisp_core.model.offsets import DecoderOffsets, measured_offset, offset_key
from hicrisp_core.policy.policy import Policy
from hicrisp_core.ports.brain import Usage
from hicrisp_core.ports.kinds import RungAnswer, RungKind
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.events import OffsetLearnt

DECODED = Maker(MakerKind.DECODER)
_AHEAD, _RADIUS = 0.24, 0.10
"""How far before the middle of a base that was stopped its obstacle is assumed, and how large, metres."""
_NEAR = 0.32
"""Metres from the middle of a base within which an object that is seen may be what stopped it."""
_CLEARANCE, _WIDEST = 0.02, 0.04
"""Growth of the clearance with every aborted drive, and its maximum, metres."""

_NOTHING_TO_AVOID = frozenset((
    CauseKind.STALE_SENSOR, CauseKind.AHEAD, CauseKind.NO_PICTURE, CauseKind.LOCALISATION,
    CauseKind.HARDWARE, CauseKind.UNSUPPORTED, CauseKind.TAKEN_OVER, CauseKind.STILL_MOVING,
    CauseKind.UNREACHABLE_NODE, CauseKind.STOPPED, CauseKind.CANCELED))
"""First causes that say nothing about what stands in the way: another target or trajectory meets them
again.
"""


class OffsetRung(RungKind):
    """Corrects the aim or the target by what was measured, and tries the same action again."""

    def answer(self, ladder: Ladder, question: CorrectionContext, _: Deadline) -> RungAnswer:
        top = question.top
        if not question.measured or top.feedback.kind is FeedbackKind.UNREACHABLE:
            return None, Usage()
        if question.way_back and question.way_back.commands:
            return None, Usage()  # Something else comes first: correcting the aim would not help.
        note = "corrects the aim by the measured deviation"
        if top.feedback.deviation is None:
            note = "takes another target: no motion led to this one" if top.command.avoid else \
                "takes another path, which keeps out of what stopped the last one"
        return Correction(Rung.OFFSET, note=note, maker=DECODED), Usage()


class AimLearner:
    """What all steps learn together of the robots' aim; without the rung in the policy nothing is learnt.

    Args:
        offsets: the estimates to begin with.
    """

    def __init__(self, domain: Domain, policy: Policy, offsets: DecoderOffsets) -> None:
        self._domain = domain
        self._lock = Lock()
        self._learns = policy.allows(Rung.OFFSET)
        self.offsets = offsets

    def learn(
        self, command: Command, after: WorldState, outcome: Outcome, verdict: Verdict
    ) -> Optional[OffsetLearnt]:
        """Learn from an attempt: every measured placement, good or bad, is a sample of the decoder's bias.

        Where the arm looks before it lets go, the object ends at its goal however far the arm misses: the sample is
        what was seen then, and several approaches that missed alike are more than one sample. An object that slipped
        out of the hand was not placed, and does not measure the aim.

        Args:
            command: the command as it was aimed.
            after: the world as observed after it; poses in the world frame.
            outcome: what the driver claims.
            verdict: the detector's judgement.

        Returns:
            The event to log; ``None`` if nothing was measured.
        """
        item = after.objects.get(self._domain.item(command))
        measured = outcome.missed
        if measured is None and verdict.deviation is not None and outcome.ok:
            measured = measured_offset(command, item)
        if not self._learns or item is None or measured is None:
            return None
        key = offset_key(command.robot, self._domain.actions[command.action].skill)
        with self._lock:
            for _ in range(2 if outcome.alike else 1):
                self.offsets = self.offsets.updated(key, measured, item.uncertainty.position)
            offsets = self.offsets
        estimate, sigma = offsets.estimates[key], offsets.estimates[key].sigma(offsets.settings)
        return OffsetLearnt(key=key, mean=(*estimate.mean, 0.0), applied=(*offsets.agreed().bias(key), 0.0),
                            sigma=(sigma, sigma, 0.0), samples=estimate.samples)

    def constrained(self, command: Command, feedback: Feedback, world: WorldState) -> Command:
        """Add to a command what its failure teaches about the next trajectory.

        A place that the camera does not show, or a goal without a path (for a base: without one in time), is
        replaced by another one. A base stopped by an observed obstacle keeps more clearance and takes another goal;
        one stopped by something unobserved keeps out of the area ahead of it.

        Args:
            command: the failed command.
            feedback: why it failed.
            world: observed objects, robots and facts; poses in the world frame.

        Returns:
            The command for the next attempt.
        """
        if not self._learns or command.target is None or feedback.cause is not None \
                and feedback.cause.kind in _NOTHING_TO_AVOID:
            return command
        if feedback.kind is FeedbackKind.CANNOT_TELL:
            hidden = feedback.cause is not None and feedback.cause.kind is CauseKind.HIDDEN
            return replace(command, avoid=(*command.avoid, command.target.position)) if hidden else command
        robot = world.robots.get(command.robot)
        if feedback.kind is FeedbackKind.TIMEOUT and robot is not None and robot.kind == "base":
            return replace(command, avoid=(*command.avoid, command.target.position))
        if feedback.kind not in (FeedbackKind.PLANNING, FeedbackKind.EXECUTION):
            return command
        if robot is None or robot.kind != "base" or robot.pose is None or feedback.kind is FeedbackKind.PLANNING:
            if command.clearance > 0.0:
                return replace(command, clearance=0.0)  # There was no way with so much clearance: perhaps with less.
            return replace(command, avoid=(*command.avoid, command.target.position))
        x, y, _ = robot.pose.position
        riding = self._domain.roles.riding(world)  # It did not stop the base.
        spot = Point(x, y)
        if any(footprint(item, item.pose).distance(spot) < _NEAR for name, item in world.objects.items()
               if name not in riding and item.pose is not None and not item.form.ground):
            return replace(command, avoid=(*command.avoid, command.target.position),
                           clearance=min(_WIDEST, command.clearance + _CLEARANCE))
        before = disc(x + _AHEAD * math.cos(robot.pose.yaw), y + _AHEAD * math.sin(robot.pose.yaw), _RADIUS)
        return replace(command, keep_out=(*command.keep_out, before))

    def joins(self, correction: Correction, failed: Feedback) -> bool:
        """Check whether the aim is corrected beside what another rung answers.

        Args:
            correction: the answer.
            failed: the failure that it is for.

        Returns:
            True if the failure was measured; this counts as a correction of the decoder, too.
        """
        return self._learns and failed.deviation is not None and correction.rung != Rung.OFFSET


OFFSET = OffsetRung()

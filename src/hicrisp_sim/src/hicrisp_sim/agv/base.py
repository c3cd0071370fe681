"""The embedded base: a ``Base`` over the physics that sees with its lidar and drives as move_base does."""

from __future__ import annotations

from threading import Event
from typing import Optional, Sequence

from hicrisp_core.model import CauseKind, Outcome, Pose, Status
from hicrisp_core.model.scan import Scan
from hicrisp_core.ports.robot import UNCONSTRAINED, USUAL, Constraints, Manner, Progress
from hicrisp_core.robot.drive_goals import Reached
from hicrisp_core.scene import Scene
from hicrisp_core.scene.arena import check_goal
from hicrisp_core.time.deadline import Deadline

from hicrisp_sim.agv.drive import Drive
from hicrisp_sim.agv.vehicle import Vehicle


class EmbeddedBase(Vehicle):
    """Drives a vehicle to poses."""

    goal: Optional[Pose] = None
    """Where it was sent to last; for judges."""
    driving: bool = False
    """Whether a drive is under way, to the end of its braking; for judges."""

    def load(self, scene: Scene, seed: int = 0) -> None:
        """Begin afresh in a scene, sent nowhere."""
        self.goal = None
        super().load(scene, seed)

    def go_to(
        self, pose: Pose, deadline: Deadline, cancel: Event, progress: Progress, manner: Manner = USUAL,
        constraints: Constraints = UNCONSTRAINED,
    ) -> Outcome:
        """Drive to a pose; what the map does not know is seen and driven around."""
        refusal = check_goal(self.simulation.scene, pose)
        if refusal is not None:
            return Outcome.because(CauseKind.MALFORMED, Status.INVALID, refusal)
        self.halted.clear()
        with self.simulation.moving():
            self.goal, self.driving = pose, True
            try:
                self.constrain(constraints)
                self.look()  # Nobody scans while the base idles.
                self.controller.limit(manner.speed)
                outcome = Drive(self, pose, deadline, cancel, progress, manner.tolerance).run()
                halted = self.halt(Deadline(max(2.0, deadline.remaining)))
            finally:
                self.driving = False
        return outcome if halted.ok else halted

    def first_reached(
        self, robot: str, poses: Sequence[Pose], constraints: Constraints = UNCONSTRAINED
    ) -> Reached:
        """The first of some poses that a path leads to by what is known now; nothing moves."""
        del robot  # There is one.
        with self.simulation.edit():
            self.constrain(constraints)
        return Reached(next((pose for pose in poses if self.reaches(pose)), None))

    def stop(self, deadline: Deadline) -> Outcome:
        """Stop and confirm from the physics that the base stands; a drive of another thread ends as
        canceled.
        """
        self.halted.set()
        with self.simulation.moving():
            return self.halt(deadline)

    def sense(self) -> Optional[Scan]:
        """A new scan while nobody drives, for those who look on from other threads."""
        with self.simulation.moving():
            return self.look()

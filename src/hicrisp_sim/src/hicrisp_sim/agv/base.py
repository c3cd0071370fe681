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
        """Start again in a scene, without a goal.

        Args:
            scene: the initial objects, robots and facts, as its file describes them.
            seed: of the lidar's noise.
        """
        self.goal = None
        super().load(scene, seed)

    def go_to(
        self, pose: Pose, deadline: Deadline, cancel: Event, progress: Progress, manner: Manner = USUAL,
        constraints: Constraints = UNCONSTRAINED,
    ) -> Outcome:
        """Drive to a pose; obstacles that are not on the map are detected and avoided.

        Args:
            pose: map frame.
            deadline: wall-clock limit of the call.
            cancel: event that stops the call when it is set.
            progress: called with the name of the phase and the completed share, 0 to 1.
            manner: speed and style of the drive.
            constraints: keep-out zones and clearance.

        Returns:
            The outcome; INVALID for a goal outside the map.
        """
        refusal = check_goal(self.simulation.scene, pose)
        if refusal is not None:
            return Outcome.because(CauseKind.MALFORMED, Status.INVALID, refusal)
        self.halted.clear()
        with self.simulation.moving():
            self.goal, self.driving = pose, True
            try:
                self.constrain(constraints)
                self.look()  # No scan is taken while the base idles.
                self.controller.limit(manner.speed)
                outcome = Drive(self, pose, deadline, cancel, progress, manner.tolerance).run()
                halted = self.halt(Deadline(max(2.0, deadline.remaining)))
            finally:
                self.driving = False
        return outcome if halted.ok else halted

    def first_reached(
        self, robot: str, poses: Sequence[Pose], constraints: Constraints = UNCONSTRAINED
    ) -> Reached:
        """Return the first pose that a path reaches with the current costmap; nothing moves.

        Args:
            robot: not used.
            poses: candidates in the map frame, preferred first.
            constraints: keep-out zones and clearance.

        Returns:
            The pose, or none.
        """
        del robot  # There is one.
        with self.simulation.edit():
            self.constrain(constraints)
        return Reached(next((pose for pose in poses if self.reaches(pose)), None))

    def stop(self, deadline: Deadline) -> Outcome:
        """Stop, and confirm from the physics that the base stands; a drive in another thread ends as canceled.

        Args:
            deadline: wall-clock limit of the call.

        Returns:
            SUCCESS once it stands.
        """
        self.halted.set()
        with self.simulation.moving():
            return self.halt(deadline)

    def sense(self) -> Optional[Scan]:
        """Take a scan while the base is idle; may be called from any thread.

        Returns:
            The scan; ``None`` without a new one.
        """
        with self.simulation.moving():
            return self.look()

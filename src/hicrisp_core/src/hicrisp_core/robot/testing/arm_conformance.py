"""What every ``Arm`` must do, as tests that the embedded arm and the drivers share.

A test class derives from :class:`ArmConformance` (for unittest also from ``TestCase``) and gives it a
``rig``.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from threading import Event, Thread
from typing import Callable, List, Optional, Sequence, Tuple
from unittest import SkipTest

from hicrisp_core.model import CauseKind, Outcome, Pose, Status, WorldState
from hicrisp_core.model.geometry import distance, turn_between
from hicrisp_core.ports.robot import Arm, MotionFailure, Trajectory
from hicrisp_core.robot.testing import LOST_LIMIT, why
from hicrisp_core.time.deadline import Deadline

_NUDGE = 0.01
"""Turn of a joint that counts as not having been moved, radians."""
_OPENING = 0.004
"""How far the fingers may stop from where they were told to, metres."""
_ASIDE = 0.008
"""How far the tool may leave a straight line, metres."""


@dataclass(frozen=True)
class ArmRig:
    """An arm, standing at its rest posture with an open hand, and what can be done to it.

    Args:
        joints: where its joints truly are, radians.
        tool: where its tool truly is, in the world frame.
        moving: whether it truly moves.
        world: what is seen: a ``table`` below the tool, and the obstacle.
        obstacle: the name of an object in the world that stands on the table, wider than the open fingers, and
            not in the way of ``reachable``.
        reachable: a pose that is free, and high enough above the table to hold something there.
        unreachable: a pose out of the arm's reach.
        tolerance: how far from a goal it may end, metres.
        hurry: a time limit in which ``reachable`` cannot be reached, seconds of wall time.
        patience: time in which every plan and every motion here ends, seconds of wall time.
        soon: time within which the arm must stand after a stop, seconds of wall time; longer for a
            simulated one on a busy machine.
        lose: takes the connection to the arm away; ``None`` if there is none.
    """

    arm: Arm
    joints: Callable[[], Sequence[float]]
    tool: Callable[[], Pose]
    moving: Callable[[], bool]
    world: WorldState
    obstacle: str
    reachable: Pose
    unreachable: Pose
    tolerance: float = 0.01
    hurry: float = 0.4
    patience: float = 30.0
    soon: float = 1.0
    lose: Optional[Callable[[], None]] = None

    @property
    def inside(self) -> Pose:
        """A tool pose with the hand in the obstacle, pointing as in ``reachable``."""
        item = self.world.objects[self.obstacle]
        assert item.pose is not None
        return Pose(item.pose.position, self.reachable.orientation)


class ArmConformance:
    """The tests; every one begins with an arm that stands at rest and knows the rig's world."""

    rig: ArmRig

    def begin(self) -> None:
        """Prepare the arm for a test; call it once the rig exists."""
        self.rig.arm.sync(self.rig.world)

    def test_it_reaches_a_pose_and_stands_there(self) -> None:
        outcome = self._follow(self._plan(self.rig.reachable))
        assert outcome.ok, outcome
        assert distance(self.rig.tool().position, self.rig.reachable.position) <= self.rig.tolerance
        assert turn_between(self.rig.tool().orientation, self.rig.reachable.orientation) < 0.05
        assert distance(self.rig.arm.tool_pose().position, self.rig.tool().position) <= self.rig.tolerance
        assert not self.rig.moving()

    def test_a_pose_out_of_reach_is_told_as_that(self) -> None:
        start = list(self.rig.joints())
        failure = self._refusal(self.rig.unreachable)
        assert failure.kind == "unreachable", failure
        assert failure.outcome().status is Status.PLANNING
        assert failure.message
        assert self._moved(start) < _NUDGE

    def test_a_goal_in_collision_names_what_it_would_touch(self) -> None:
        failure = self._refusal(self.rig.inside)
        assert failure.kind == "goal_in_collision", failure
        assert self.rig.obstacle in failure.blockers
        assert self.rig.obstacle in failure.message

    def test_a_thing_that_is_seen_no_more_is_in_nobodys_way(self) -> None:
        table = {name: item for name, item in self.rig.world.objects.items() if name != self.rig.obstacle}
        self.rig.arm.sync(replace(self.rig.world, objects=table))
        above = self.rig.inside.shifted((0.0, 0.0, 0.03))
        assert isinstance(self.rig.arm.plan_to(above, self._patience()), Trajectory)
        self.rig.arm.sync(self.rig.world)
        assert self._refusal(above).kind == "goal_in_collision"

    def test_a_thing_that_was_moved_is_in_the_way_where_it_is_now(self) -> None:
        before, item = self.rig.inside, self.rig.world.objects[self.rig.obstacle]
        moved = replace(item, pose=Pose(self.rig.reachable.position))
        assert isinstance(self.rig.arm.plan_to(self.rig.reachable, self._patience()), Trajectory)
        self.rig.arm.sync(replace(self.rig.world, objects={**self.rig.world.objects, item.name: moved}))
        assert self._refusal(self.rig.reachable).blockers == (item.name,)
        assert isinstance(self.rig.arm.plan_to(before.shifted((0.0, 0.0, 0.03)), self._patience()), Trajectory)

    def test_what_may_be_touched_is_not_in_the_way_of_the_hand(self) -> None:
        touch = frozenset({self.rig.obstacle})
        above = self.rig.inside.shifted((0.0, 0.0, 0.03))
        assert isinstance(self.rig.arm.plan_to(above, self._patience(), touch), Trajectory)
        assert self._refusal(above).kind == "goal_in_collision"

    def test_what_is_attached_counts_in_collision_checks(self) -> None:
        x, y, _ = self.rig.reachable.position
        low = Pose((x, y, 0.045), self.rig.reachable.orientation)
        assert isinstance(self.rig.arm.plan_to(low, self._patience()), Trajectory)
        item = self.rig.world.objects[self.rig.obstacle]
        held = replace(item, pose=Pose(self.rig.arm.tool_pose().shifted((0.0, 0.0, -0.04)).position))
        self.rig.arm.sync(replace(self.rig.world, objects={**self.rig.world.objects, item.name: held}))
        self.rig.arm.attach(item.name)
        failure = self._refusal(low)
        assert failure.kind == "goal_in_collision", failure
        assert failure.blockers == ("table",)
        assert isinstance(self.rig.arm.plan_to(low.shifted((0.0, 0.0, 0.12)), self._patience()), Trajectory)
        self.rig.arm.detach()
        self.rig.arm.sync(self.rig.world)
        assert isinstance(self.rig.arm.plan_to(low, self._patience()), Trajectory)

    def test_what_slipped_in_the_hand_is_attached_again_as_it_is_seen(self) -> None:
        x, y, _ = self.rig.reachable.position
        low = Pose((x, y, 0.045), self.rig.reachable.orientation)
        item = self.rig.world.objects[self.rig.obstacle]
        for height, free in ((-0.04, False), (0.03, True)):
            held = replace(item, pose=Pose(self.rig.arm.tool_pose().shifted((0.0, 0.0, height)).position))
            self.rig.arm.sync(replace(self.rig.world, objects={**self.rig.world.objects, item.name: held}))
            self.rig.arm.attach(item.name)
            assert isinstance(self.rig.arm.plan_to(low, self._patience()), Trajectory) is free
        self.rig.arm.detach()
        self.rig.arm.sync(self.rig.world)

    def test_only_what_was_seen_can_be_attached(self) -> None:
        try:
            self.rig.arm.attach("unicorn")
            said = ""
        except KeyError as error:
            said = str(error)
        assert self.rig.obstacle in said, "nobody has seen a unicorn"

    def test_what_is_no_pose_is_refused_and_moves_nothing(self) -> None:
        start, (x, y, z) = list(self.rig.joints()), self.rig.reachable.position
        for wrong in (Pose((math.nan, y, z)), Pose((x, math.inf, z)), Pose((x, y, z), (0.0, 0.0, 0.0, 0.0))):
            for motion in (self.rig.arm.plan_to(wrong, self._patience()),
                           self.rig.arm.plan_line(wrong, self._patience(), 0.1)):
                assert isinstance(motion, MotionFailure)
                assert "finite" in motion.message
        assert self._moved(start) < _NUDGE

    def test_a_line_is_straight(self) -> None:
        begin = self.rig.tool()
        seen: List[Tuple[float, float, float]] = []
        end = begin.shifted((0.0, 0.05, -0.10))
        motion = self.rig.arm.plan_line(end, self._patience(), 0.1)
        assert isinstance(motion, Trajectory), motion
        assert motion.times[-1] > 0.9 * distance(begin.position, end.position) / 0.1
        arrived = Event()
        watcher = Thread(target=self._watch, args=(seen, arrived))
        watcher.start()
        outcome = self._follow(motion)
        arrived.set()
        watcher.join()
        assert outcome.ok, outcome
        assert distance(self.rig.tool().position, end.position) <= self.rig.tolerance
        assert len(seen) > 3
        assert max(_aside(point, begin.position, end.position) for point in seen) < _ASIDE

    def test_a_line_through_a_thing_names_it(self) -> None:
        goal = self.rig.inside
        assert self._follow(self._plan(goal.shifted((0.0, 0.0, 0.2)))).ok
        failure = self.rig.arm.plan_line(goal.shifted((0.0, 0.0, -0.01)), self._patience(), 0.1)
        assert isinstance(failure, MotionFailure)
        assert failure.kind == "no_path", failure
        assert self.rig.obstacle in failure.blockers

    def test_home_is_always_the_same_place(self) -> None:
        start = list(self.rig.joints())
        assert self._follow(self._plan(self.rig.reachable)).ok
        assert self._moved(start) > 0.1
        motion = self.rig.arm.plan_home(self._patience())
        assert isinstance(motion, Trajectory), motion
        assert self._follow(motion).ok
        assert self._moved(start) < 0.05

    def test_a_cancel_on_the_way_stops_it_soon(self) -> None:
        motion, cancel, asked = self._plan(self.rig.reachable), Event(), [math.inf]

        def tell() -> None:
            asked[0] = time.monotonic()
            cancel.set()

        self._once_under_way(tell)
        outcome = self._follow(motion, cancel=cancel)
        assert why(outcome) == (Status.CANCELED, CauseKind.CANCELED), outcome
        assert time.monotonic() - asked[0] < self.rig.soon
        assert not self.rig.moving()
        assert distance(self.rig.tool().position, self.rig.reachable.position) > self.rig.tolerance

    def test_a_canceled_motion_does_not_begin(self) -> None:
        motion, cancel, start = self._plan(self.rig.reachable), Event(), list(self.rig.joints())
        cancel.set()
        assert why(self._follow(motion, cancel=cancel)) == (Status.CANCELED, CauseKind.CANCELED)
        assert self._moved(start) < _NUDGE

    def test_a_deadline_ends_a_motion(self) -> None:
        outcome = self._follow(self._plan(self.rig.reachable), Deadline(self.rig.hurry))
        assert why(outcome) == (Status.TIMEOUT, CauseKind.OUT_OF_TIME), outcome
        assert not self.rig.moving()
        assert distance(self.rig.tool().position, self.rig.reachable.position) > self.rig.tolerance

    def test_a_stop_from_another_thread_ends_a_motion(self) -> None:
        stopped: List[Outcome] = []
        motion = self._plan(self.rig.reachable)
        stopper = self._once_under_way(lambda: stopped.append(self.rig.arm.stop(Deadline(self.rig.soon))))
        outcome = self._follow(motion)
        assert why(outcome) == (Status.CANCELED, CauseKind.CANCELED), outcome
        stopper.join(self.rig.patience)
        assert stopped
        assert stopped[0].ok, stopped[0]
        assert not self.rig.moving()

    def test_an_arm_that_stands_confirms_it_soon(self) -> None:
        began = time.monotonic()
        assert self.rig.arm.stop(Deadline(self.rig.soon)).ok
        assert time.monotonic() - began < self.rig.soon

    def test_a_motion_can_follow_a_plan_that_failed_and_a_stop(self) -> None:
        self._refusal(self.rig.unreachable)
        assert self.rig.arm.stop(Deadline(self.rig.soon)).ok
        assert self._follow(self._plan(self.rig.reachable)).ok

    def test_a_motion_that_begins_elsewhere_is_refused(self) -> None:
        motion, start = self._plan(self.rig.reachable), list(self.rig.joints())
        stale = replace(motion, positions=tuple(reversed(motion.positions)))
        outcome = self._follow(stale)
        assert why(outcome) == (Status.EXECUTION, CauseKind.OFF_COURSE), outcome
        assert self._moved(start) < _NUDGE

    def test_the_fingers_go_where_they_are_told_to(self) -> None:
        for opening in (0.03, self.rig.arm.max_opening):
            outcome = self.rig.arm.move_gripper(opening, self._patience(), Event())
            assert outcome.ok, outcome
            assert abs(self.rig.arm.opening() - opening) < _OPENING

    def test_a_grasp_of_nothing_closes_the_fingers(self) -> None:
        assert self.rig.arm.grasp(20.0, self._patience(), Event()).ok
        assert self.rig.arm.opening() < _OPENING

    def test_what_the_gripper_cannot_do_is_refused(self) -> None:
        for opening in (-0.01, self.rig.arm.max_opening + 0.02, math.nan):
            assert self.rig.arm.move_gripper(opening, self._patience(), Event()).status is Status.INVALID
        for force in (0.0, -5.0, math.nan):
            assert self.rig.arm.grasp(force, self._patience(), Event()).status is Status.INVALID

    def test_it_knows_how_near_its_joints_limits_a_pose_is(self) -> None:
        margin = self.rig.arm.margin(self.rig.reachable)
        assert margin is not None
        assert 0.0 < margin < math.pi
        assert self.rig.arm.margin(self.rig.unreachable) is None

    def test_an_arm_that_was_lost_on_the_way_is_told_so(self) -> None:
        lose = self.rig.lose
        if lose is None:
            raise SkipTest("nothing can be lost here")
        motion = self._plan(self.rig.reachable)
        lost: List[float] = []

        def away() -> None:
            lost.append(time.monotonic())
            lose()

        self._once_under_way(away)
        outcome = self._follow(motion)
        assert outcome.status is Status.LOST, outcome
        assert time.monotonic() - lost[0] < LOST_LIMIT + self.rig.soon
        assert not self.rig.moving()

    def _patience(self) -> Deadline:
        return Deadline(self.rig.patience)

    def _plan(self, pose: Pose) -> Trajectory:
        motion = self.rig.arm.plan_to(pose, self._patience())
        assert isinstance(motion, Trajectory), motion
        return motion

    def _refusal(self, pose: Pose) -> MotionFailure:
        failure = self.rig.arm.plan_to(pose, self._patience())
        assert isinstance(failure, MotionFailure), "a motion was planned"
        return failure

    def _follow(
        self, motion: Trajectory, deadline: Optional[Deadline] = None, cancel: Optional[Event] = None
    ) -> Outcome:
        return self.rig.arm.follow(motion, deadline or self._patience(), cancel or Event())

    def _moved(self, start: Sequence[float]) -> float:
        return max(abs(now - before) for now, before in zip(self.rig.joints(), start))

    def _once_under_way(self, act: Callable[[], object]) -> Thread:
        """A thread that acts as soon as the arm has begun to move."""
        start, patience = list(self.rig.joints()), self._patience()

        def wait() -> None:
            while self._moved(start) < _NUDGE and not patience.passed:
                time.sleep(0.005)
            act()

        thread = Thread(target=wait, daemon=True)
        thread.start()
        return thread

    def _watch(self, seen: "List[Tuple[float, float, float]]", arrived: Event) -> None:
        while not arrived.wait(0.05):
            seen.append(self.rig.tool().position)


def _aside(point: Sequence[float], begin: Sequence[float], end: Sequence[float]) -> float:
    """Distance of a point from the line segment between two others, metres."""
    along = [b - a for a, b in zip(begin, end)]
    length = sum(value * value for value in along)
    part = sum((p - a) * d for p, a, d in zip(point, begin, along)) / length
    part = max(0.0, min(1.0, part))
    return math.sqrt(sum((p - a - part * d) ** 2 for p, a, d in zip(point, begin, along)))

"""Motions of the arm in the observed world: to a pose, along a line, home; or the reason why there is none."""

from __future__ import annotations

import math
from itertools import count
from typing import Callable, FrozenSet, List, Optional, Sequence, Set, Tuple, Union

import numpy as np
from hicrisp_core.model import Pose, Vector
from hicrisp_core.model.geometry import distance, from_yaw, multiply
from hicrisp_core.ports.robot import MotionFailure, Trajectory
from hicrisp_core.robot.safety import SafetyLimits
from hicrisp_core.time.deadline import Deadline, ThinkingTime
from scipy.interpolate import CubicSpline

from hicrisp_sim.kinematics import COMFORTABLE, Kinematics
from hicrisp_sim.path_search import PathSearch
from hicrisp_sim.planning_scene import PlanningScene
from hicrisp_sim.settings import ArmSettings
from hicrisp_sim.timing import JointLimits, smooth_path, time_line, time_path, time_path_of_tool, trajectory_of

Motion = Union[Trajectory, MotionFailure]
_GOALS, _SEEDS = 3, 40
"""Collision-free postures for one pose that a search tries to reach, and how many are looked at for them."""
_LINE_STEP = 0.01
"""Metres of the tool between two points of a line."""
_LARGEST_TURN = 0.35
"""Radians that a joint may turn between two points of a line; more is a jump to another posture."""
_CHECK_STEP = 0.03
"""Radians between the checks of a finished path."""
_SEARCHES, _LONG = 4, 1.2
"""How many ways round are sought at most, and how many times as long as the straight motion one is that is not the best
yet.
"""
_RESOLUTIONS = (0.06, 0.03, 0.015)
"""Radians between the checks of a search, tried one after the other until the timed motion is free, too."""
_UPRIGHT, _ASKEW = 0.45, 0.02
"""Radians that an open vessel in the hand may be tilted on the way, and more than it is where that is more already."""
_LOADED = 0.2
"""Speed of a tool with a load on what it holds, m/s."""
_TURNS = tuple(sign * math.radians(turn) for turn in range(0, 181, 45) for sign in (1.0, -1.0))
"""About the vertical, of a hand with a vessel that goes to rest."""
_ESCAPE = 0.15
"""Metres that the tool may be lifted to get away from a collision at the start."""
_DEEPER = 0.005
"""Metres that the arm may get deeper into what it touches, at most, on its way out of that."""
_ASIDE, _BEARINGS = 0.04, tuple(math.tau * number / 8 for number in range(8))
"""Metres that it may be moved aside for that, and in which directions, radians."""


class MotionPlanner:
    """Plans with inverse kinematics, RRT-Connect and TOPP-RA over a planning scene.

    Args:
        safety: where the tool may be, also during a motion; anywhere by default.
    """

    def __init__(self, scene: PlanningScene, kinematics: Kinematics, settings: ArmSettings,
                 seed: int, safety: Optional[SafetyLimits] = None) -> None:
        self._safety = safety
        self.scene = scene
        self._kinematics = kinematics
        self._settings = settings
        self._limits = JointLimits.scaled(settings.model, settings.speed, settings.acceleration)
        self._search = PathSearch(kinematics.lower, kinematics.upper)
        self._dice = np.random.default_rng(seed)
        self._seeds = count(1000 * seed)

    def to_pose(
        self, start: np.ndarray, pose: Pose, deadline: Deadline, touch: FrozenSet[str], then: Sequence[Pose] = ()
    ) -> Motion:
        """Plan a collision-free motion to a tool pose.

        Args:
            start: array (joints,), radians.
            pose: tool pose in the world frame.
            deadline: wall-clock limit of the call.
            touch: names of objects that may be touched.
            then: poses to which the tool goes on in straight lines; only postures from which it can are goals.

        Returns:
            The trajectory, or why none was found.
        """
        if not pose.finite:
            return MotionFailure("unreachable", f"the pose {pose.position} is not finite")
        self.scene.allow(touch)
        if self.scene.loaded and not then:  # A search would tilt it on the way.
            straight = self._free_line(start, pose)
            if not isinstance(straight, MotionFailure):
                return self._timed(start, pose, straight, _LOADED)
        goals: List[np.ndarray] = []
        crowded: List[np.ndarray] = []
        astray: Optional[MotionFailure] = None
        for joints in self._kinematics.solutions(pose, start, self._dice, _SEEDS):
            if self.scene.free(joints):
                failed = self._onward(joints, then)
                if failed is None:
                    goals.append(joints)
                elif astray is None or failed.blockers and not astray.blockers:  # What is in the way can be moved.
                    astray = failed
            else:
                crowded.append(joints)
            if len(goals) >= _GOALS or deadline.passed:
                break
        if goals and then and touch:  # What may be touched then is kept clear of before.
            self.scene.allow(frozenset())
            clear = self._to_joints(start, goals, deadline)
            if isinstance(clear, Trajectory):
                return clear
            self.scene.allow(touch)
        if goals:
            return self._to_joints(start, goals, deadline)
        if deadline.passed:
            return MotionFailure("timeout", "the time to plan a motion ran out")
        if astray is not None:
            return astray
        if not crowded:
            (x, y, z), away = pose.position, distance(pose.position, self._kinematics.shoulder)
            return MotionFailure("unreachable", f"the tool pose at ({x:.2f}, {y:.2f}, {z:.2f}) is out of the arm's "
                                 f"reach ({away:.2f} m from its shoulder)")
        # An arm that touches itself tells nothing of what is in its way.
        blocked = min(map(self.scene.blockers, crowded), key=lambda touched: (
            "" in touched, len(touched) - sum(map(self.scene.movable, touched)), len(touched)))
        return MotionFailure.blocked("goal_in_collision", blocked, "at the goal, ")

    def to_rest(self, start: np.ndarray, deadline: Deadline) -> Motion:
        """Plan a collision-free motion to the rest posture; with an open vessel in the hand to where the tool is in
        that posture, with the vessel upright.

        Args:
            start: array (joints,), radians.
            deadline: wall-clock limit of the call.

        Returns:
            The trajectory, or why none was found.
        """
        self.scene.allow(frozenset())
        rest = self._kinematics.rest
        if self.scene.tilt(start) is not None:
            there, here = self._kinematics.tool_pose(rest).position, self._kinematics.tool_pose(start).orientation
            motion: Motion = MotionFailure("no_path", "no way to carry it upright was found")
            for turn in _TURNS:
                motion = self.to_pose(start, Pose(there, multiply(from_yaw(turn), here)), deadline, frozenset())
                if isinstance(motion, Trajectory):
                    break
            return motion
        if not self.scene.free(rest):
            return MotionFailure.blocked("goal_in_collision", self.scene.blockers(rest),
                                         "at the rest posture, ")
        return self._to_joints(start, [rest], deadline)

    def along_line(
        self, start: np.ndarray, pose: Pose, deadline: Deadline, speed: float, touch: FrozenSet[str]
    ) -> Motion:
        """Plan a straight motion of the tool; contacts at the start are allowed throughout.

        Args:
            start: array (joints,), radians.
            pose: tool pose in the world frame.
            deadline: wall-clock limit of the call.
            speed: of the tool, m/s.
            touch: names of objects that may be touched.

        Returns:
            The trajectory, or why none was found.
        """
        if not pose.finite:
            return MotionFailure("unreachable", f"the pose {pose.position} is not finite")
        self.scene.allow(touch)
        self.scene.allow(touch | frozenset(self.scene.blockers(start)))
        points = self._free_line(start, pose)
        if isinstance(points, MotionFailure):
            return points
        rises = pose.position[2] > self._kinematics.tool_position(start)[2]  # It need not go all its way.
        if rises and self._kinematics.stretched(points[-1]) and not self._kinematics.stretched(start):
            return MotionFailure("unreachable", "the arm would be stretched out")
        if deadline.passed:
            return MotionFailure("timeout", "the time to plan a motion ran out")
        return self._timed(start, pose, points, speed)

    def _timed(self, start: np.ndarray, pose: Pose, points: Sequence[np.ndarray], speed: float) -> Trajectory:
        """Return the trajectory along the postures of a straight line."""
        length = distance(self._kinematics.tool_pose(start).position, pose.position)
        return time_line(np.array(points), np.linspace(0.0, max(length, 1e-4), len(points)), speed, self._limits,
                         self._settings.tool_acceleration)

    def _timed_path(self, spline: CubicSpline) -> Trajectory:
        """Return the trajectory along a path of the joints."""
        settings = self._settings
        return time_path_of_tool(spline, self._limits, self._kinematics.tool_position, settings.tool_speed,
                                 settings.tool_acceleration) if settings.tool_speed else time_path(spline, self._limits)

    def _onward(self, joints: np.ndarray, then: Sequence[Pose]) -> Optional[MotionFailure]:
        """Return why the tool cannot go on from a posture along straight lines; ``None`` if it can."""
        for pose in then:
            points = self._free_line(joints, pose)
            if isinstance(points, MotionFailure):
                return points
            joints = points[-1]
        return None

    def _free_line(self, start: np.ndarray, pose: Pose) -> Union[List[np.ndarray], MotionFailure]:
        """Return the postures along a straight line that touches nothing but what the scene allows."""
        begin = self._kinematics.tool_pose(start)
        steps = max(2, math.ceil(distance(begin.position, pose.position) / _LINE_STEP))
        points = self._line(start, begin, pose, steps)
        if points is None:
            x, y, z = pose.position
            return MotionFailure("unreachable",
                                 f"the arm cannot move straight to ({x:.2f}, {y:.2f}, {z:.2f}) "
                                 "from its posture")
        for joints in points[1:]:
            if not self.scene.free(joints):
                here = self._kinematics.tool_pose(joints).position
                where = f"{100 * distance(here, pose.position):.0f} cm before the end of the line, "
                return MotionFailure.blocked("no_path", self.scene.blockers(joints), where)
        return points

    def _line(self, start: np.ndarray, begin: Pose, end: Pose, steps: int) -> Optional[List[np.ndarray]]:
        points = [start]
        for number in range(1, steps + 1):
            joints = self._kinematics.solve(begin.towards(end, number / steps), points[-1], iterations=25,
                                            lean=0.0)
            if joints is None or np.abs(joints - points[-1]).max() > _LARGEST_TURN:
                return None
            points.append(joints)
        return points

    def _to_joints(self, start: np.ndarray, goals: Sequence[np.ndarray], deadline: Deadline) -> Motion:
        tilted = self.scene.tilt(start)
        if tilted is not None and tilted < _UPRIGHT:
            goals = [goal for goal in goals if (self.scene.tilt(goal) or 0.0) < _UPRIGHT]
            if not goals:
                return MotionFailure("no_path", "what is in the hand would be spilt")
        if min(np.abs(goal - start).max() for goal in goals) < 1e-3:
            rest = np.array([start, start])
            return trajectory_of(self._kinematics.joints, np.array([0.0, 0.01]), rest, np.zeros_like(rest))
        head = self._escape(start)
        if head is None:
            return MotionFailure.blocked("start_in_collision", self.scene.blockers(start),
                                         "where the arm is now, ")
        free = self._checker(start)
        for step in _RESOLUTIONS:
            path = self._straight(head[-1], goals, step, free)
            easy = [goal for goal in goals if self._kinematics.room(goal) >= COMFORTABLE]
            for some in (easy, goals) if 0 < len(easy) < len(goals) else (goals,):  # At its limits it is hardly led on.
                path = path or self._round(head[-1], some, step, free, deadline)
            if path is None:
                break
            motion = self._timed_path(smooth_path([*head[:-1], *path], 2.0 * step))
            if self._stays_free(motion, free):
                return motion
        blockers = self._between(head[-1], min(goals, key=lambda goal: float(np.abs(goal - start).max())))
        kind = "timeout" if deadline.passed else "no_path"
        return MotionFailure.blocked(kind, blockers, "no way round was found: ")

    def _straight(
        self, start: np.ndarray, goals: Sequence[np.ndarray], step: float, free: Callable[[np.ndarray], bool]
    ) -> Optional[List[np.ndarray]]:
        """Return the straight joint motion to the goal with most room at its joints, as far as that matters, and to the
        quickest of these.
        """
        def effort(goal: np.ndarray) -> Tuple[float, float]:
            return -min(self._kinematics.room(goal), COMFORTABLE), self._seconds([start, goal])

        for goal in sorted(goals, key=effort):
            pieces = max(2, math.ceil(float(np.linalg.norm(goal - start)) / step))
            if all(free(start + (goal - start) * piece / pieces) for piece in range(1, pieces + 1)):
                return [start, goal]
        return None

    def _round(
        self, start: np.ndarray, goals: Sequence[np.ndarray], step: float, free: Callable[[np.ndarray], bool],
        deadline: Deadline
    ) -> Optional[List[np.ndarray]]:
        """Return a way round what is between the start and the goals; the best of a few where the first is a long one.
        """
        best: Optional[List[np.ndarray]] = None
        for _ in range(_SEARCHES):
            limit = ThinkingTime(self._settings.search_time, deadline.remaining)
            path = self._search.solve(start, goals, free, limit, next(self._seeds), step)
            best = min((each for each in (best, path) if each is not None), key=self._seconds, default=None)
            if best is None or self._seconds(best) < _LONG * self._seconds([start, best[-1]]):
                break
        return best

    def _seconds(self, path: Sequence[np.ndarray]) -> float:
        """Return how long a path takes at least."""
        return float((np.abs(np.diff(path, axis=0)) / self._limits.velocity).max(axis=1).sum())

    def _checker(self, start: np.ndarray) -> Callable[[np.ndarray], bool]:
        """Return a fast test: whether joints (rad) are free of collisions, the tool is where it may be, and an open
        vessel in the hand stays upright, or hangs no more askew than at the start.
        """
        askew = (self.scene.tilt(start) or 0.0) + _ASKEW
        free, safety, kinematics = self.scene.checker(max(_UPRIGHT, askew)), self._safety, self._kinematics
        if safety is None:
            return free
        return lambda joints: free(joints) and safety.hold(kinematics.tool_position(joints))

    @staticmethod
    def _stays_free(motion: Trajectory, free: Callable[[np.ndarray], bool]) -> bool:
        """Check whether a motion is free from its first free point on, also between the checks and at rounded corners.
        """
        last, began = None, False
        for row in motion.positions:
            joints = np.array(row)
            if last is not None and np.abs(joints - last).max() < _CHECK_STEP / 3.0:
                continue
            last = joints
            if free(joints):
                began = True
            elif began:
                return False
        return True

    def _escape(self, start: np.ndarray) -> Optional[List[np.ndarray]]:
        """Return the start, and when it is in collision the way straight up to the first free posture; where that leads
        to none, or through what it touches, the shortest way aside or down.
        """
        if self.scene.free(start):
            return [start]
        aside = [(_ASIDE * math.cos(bearing), _ASIDE * math.sin(bearing), 0.0) for bearing in _BEARINGS]
        return min(self._out(start, [(0.0, 0.0, _ESCAPE)]) or self._out(start, [*aside, (0.0, 0.0, -_ASIDE)]),
                   key=len, default=None)

    def _out(self, start: np.ndarray, ways: Sequence[Vector]) -> List[List[np.ndarray]]:
        """Return the postures along each way (world frame, metres) that leads out of what is touched to a free one, up
        to that.
        """
        found, here, depth = [], self._kinematics.tool_pose(start), self.scene.depth(start) + _DEEPER
        for way in ways:
            points = self._line(start, here, here.shifted(way), math.ceil(math.hypot(*way) / _LINE_STEP)) or []
            free = next((number for number, joints in enumerate(points) if self.scene.free(joints)), None)
            if free is not None and all(self.scene.depth(joints) < depth for joints in points[:free]):
                found.append(points[: free + 1])
        return found

    def _between(self, start: np.ndarray, goal: np.ndarray) -> Tuple[str, ...]:
        """Return what is in the way of the straight joint motion."""
        found: Set[str] = set()
        for joints in np.linspace(start, goal, max(2, int(np.linalg.norm(goal - start) / _CHECK_STEP))):
            found.update(self.scene.blockers(joints))
        return tuple(sorted(found))

"""MoveIt's and the trajectory controllers' error codes, as reasons that a person or a model can act on."""

from __future__ import annotations

from typing import Mapping, Optional, Tuple

from hicrisp_core.model import CauseKind

SUCCESS, FAILURE = 1, 99999
NO_IK, TIMED_OUT, PREEMPTED, CONTROL_FAILED = -31, -6, -7, -4
START_IN_COLLISION, GOAL_IN_COLLISION = -10, -12

_PLANNING: Mapping[int, Tuple[str, str]] = {
    0: ("lost", "move_group went away while it planned"),
    FAILURE: ("no_path", "MoveIt failed without a reason; a group, joint or pipeline name may be wrong"),
    -1: ("no_path", "no way round was found"),
    -2: ("no_path", "the path that was found collides"),
    -3: ("no_path", "something came into the way of the path"),
    TIMED_OUT: ("no_path", "no way round was found in time"),
    PREEMPTED: ("no_path", "somebody else ended the search"),
    START_IN_COLLISION: ("start_in_collision", "the arm touches something where it is"),
    -11: ("no_path", "where the arm is violates the path's constraints"),
    -26: ("start_in_collision", "the arm's posture is not valid; a joint may be beyond its limits"),
    GOAL_IN_COLLISION: ("goal_in_collision", "at the goal, something is in the way"),
    -13: ("no_path", "the goal violates the path's constraints"),
    -14: ("no_path", "the goal violates its own constraints"),
    -15: ("no_path", "MoveIt does not know the group"),
    -16: ("no_path", "the goal has no valid constraints"),
    -17: ("no_path", "the state of the robot is not valid"),
    -18: ("no_path", "MoveIt does not know the tool's link"),
    -19: ("no_path", "MoveIt does not know the object"),
    -21: ("no_path", "the goal's frame cannot be transformed"),
    -22: ("no_path", "MoveIt cannot check collisions"),
    -23: ("lost", "MoveIt gets no fresh joint states"),
    -25: ("lost", "MoveIt cannot be reached"),
    -27: ("goal_in_collision", "the goal's posture is not valid"),
    -28: ("no_path", "MoveIt does not take this kind of goal"),
    -29: ("lost", "MoveIt's planner crashed"),
    -30: ("no_path", "the search was ended"),
    NO_IK: ("unreachable", "no posture brings the tool there"),
}
Reason = Tuple[CauseKind, str]
"""What began a failure, and the words for it."""
_EXECUTION: Mapping[int, Reason] = {
    FAILURE: (CauseKind.UNKNOWN, "MoveIt failed without a reason"),
    -3: (CauseKind.BLOCKED, "something came into the way"),
    CONTROL_FAILED: (CauseKind.UNKNOWN, "the controllers refused the motion or gave it up"),
    TIMED_OUT: (CauseKind.OUT_OF_TIME, "the controllers took longer than the motion should"),
    PREEMPTED: (CauseKind.TAKEN_OVER, "somebody else stopped the motion"),
}
_CONTROLLER: Mapping[int, Reason] = {
    -1: (CauseKind.REFUSED, "the controller calls the motion invalid"),
    -2: (CauseKind.REFUSED, "the controller does not know the joints"),
    -3: (CauseKind.REFUSED, "the controller got the motion too late"),
    -4: (CauseKind.OFF_COURSE, "the arm left its path by more than the controller tolerates"),
    -5: (CauseKind.OFF_COURSE, "the arm did not reach the end within the controller's tolerance and time"),
}


def planning_reason(code: int) -> Tuple[str, str]:
    """The kind of a MotionFailure and its reason, for the code of a plan that failed."""
    return _PLANNING.get(code, ("no_path", f"MoveIt's planner ended with the code {code}"))


def execution_reason(code: int) -> Reason:
    """Why a motion ended, by MoveIt's code."""
    return _EXECUTION.get(code, (CauseKind.UNKNOWN, f"MoveIt ended the motion with the code {code}"))


def controller_reason(code: int, text: str) -> Optional[Reason]:
    """Why a controller gave a motion up, by the code of its FollowJointTrajectory result; ``None`` when it
    did not.
    """
    if code == 0:
        return None
    kind, reason = _CONTROLLER.get(code, (CauseKind.UNKNOWN, f"the controller ended with the code {code}"))
    return kind, f"{reason} ('{text}')" if text else reason

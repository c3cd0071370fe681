"""The words of the design as frozen dataclasses and documented enums."""

from hicrisp_core.model.cause import Cause, CauseKind
from hicrisp_core.model.correction import Correction, Rung, StackEntry
from hicrisp_core.model.feedback_kind import FeedbackKind
from hicrisp_core.model.geometry import Pose, Vector
from hicrisp_core.model.keep_out import KeepOut
from hicrisp_core.model.motion import Motion
from hicrisp_core.model.task import Command, Plan, Step, Task, Value
from hicrisp_core.model.verdict import Feedback, Level, Outcome, Status, Verdict
from hicrisp_core.model.world import Relation, RobotState, WorldObject, WorldState

__all__ = [
    "Cause", "CauseKind", "Command", "Correction", "Feedback", "FeedbackKind", "KeepOut", "Level", "Motion",
    "Outcome", "Plan", "Pose", "Relation", "RobotState", "Rung", "StackEntry", "Status", "Step", "Task",
    "Value", "Vector", "Verdict", "WorldObject", "WorldState",
]

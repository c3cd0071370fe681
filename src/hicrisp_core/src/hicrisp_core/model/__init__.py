"""The words of the design as frozen dataclasses and documented enums."""

from hicrisp_core.model.cause import Cause, CauseKind
from hicrisp_core.model.correction import Correction, Maker, MakerKind, Rung, StackEntry, TriedCommand
from hicrisp_core.model.feedback import Feedback, FeedbackKind, Level, Measured, Status, Unmet
from hicrisp_core.model.geometry import Pose, Vector
from hicrisp_core.model.keep_out import KeepOut
from hicrisp_core.model.task import OFFLINE_SOURCE, Command, Plan, Step, Task, Value
from hicrisp_core.model.verdict import Outcome, StepRecord, Verdict
from hicrisp_core.model.world import Motion, Relation, RobotState, WorldObject, WorldState

__all__ = [
    "OFFLINE_SOURCE", "Cause", "CauseKind", "Command", "Correction", "Feedback", "FeedbackKind", "KeepOut", "Level",
    "Maker", "MakerKind", "Measured", "Motion", "Outcome", "Plan", "Pose", "Relation", "RobotState", "Rung",
    "StackEntry", "Status", "Step", "StepRecord", "Task", "TriedCommand", "Unmet", "Value", "Vector", "Verdict",
    "WorldObject", "WorldState",
]

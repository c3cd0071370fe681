"""The words of the design as frozen dataclasses and documented enums."""

from hicrisp_core.model.cause import Cause, CauseKind
from hicrisp_core.model.correction import Correction, Maker, MakerKind, Rung, StackEntry, TriedCommand
from hicrisp_core.model.feedback import Feedback, FeedbackKind, Level, Measured, Status, Unmet
from hicrisp_core.model.geometry import Pose, Vector
from hicrisp_core.model.goal import Count, Goal, GoalError, Holds, Not, Stage, Statement
from hicrisp_core.model.keep_out import KeepOut
from hicrisp_core.model.meaning import Answer, Choice, Meaning, Question, Reason, Refusal, Speaker, Turn
from hicrisp_core.model.offsets import DecoderOffsets
from hicrisp_core.model.picture import Picture
from hicrisp_core.model.remembered import KnownWay, Remembered
from hicrisp_core.model.task import OFFLINE_SOURCE, Command, Plan, Step, Task, Value
from hicrisp_core.model.track import Track, Tracks
from hicrisp_core.model.verdict import Outcome, StepRecord, Verdict
from hicrisp_core.model.world import Motion, Relation, RobotState, Uncertainty, Visibility, WorldObject, WorldState

__all__ = [
    "OFFLINE_SOURCE", "Answer", "Cause", "CauseKind", "Choice", "Command", "Correction", "Count", "DecoderOffsets",
    "Feedback", "FeedbackKind", "Goal", "GoalError", "Holds", "KeepOut", "KnownWay", "Level", "Maker", "MakerKind",
    "Meaning", "Measured", "Motion", "Not", "Outcome", "Picture", "Plan", "Pose", "Question", "Reason", "Refusal",
    "Relation", "Remembered", "RobotState", "Rung", "Speaker", "Stage", "StackEntry", "Statement", "Status", "Step",
    "StepRecord", "Task", "Track", "Tracks", "TriedCommand", "Turn", "Uncertainty", "Unmet", "Value", "Vector",
    "Verdict", "Visibility", "WorldObject", "WorldState",
]

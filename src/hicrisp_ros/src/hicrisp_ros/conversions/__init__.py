"""The model's dataclasses as messages and back; the only place that knows both forms."""

from hicrisp_ros.conversions.geometry import pose_from_msg, pose_to_msg
from hicrisp_ros.conversions.goal import GOAL, TURNS
from hicrisp_ros.conversions.meaning import (
    CORRECTION_REQUEST,
    CORRECTOR_ANSWER,
    CORRECTOR_REQUEST,
    PLAN_ANSWER,
    PLAN_REQUEST,
    REPORT_ANSWER,
    REPORT_REQUEST,
    REQUEST,
    TESTIMONY,
    UNDERSTOOD,
)
from hicrisp_ros.conversions.task import COMMAND, KEEP_OUTS, KNOWN_WAY, PLAN, RECORD, REMEMBERED, STEP, USAGE
from hicrisp_ros.conversions.verdict import CORRECTION, FEEDBACK, OUTCOME, STACK, TRANSLATION, TRIED, VERDICT
from hicrisp_ros.conversions.world import VIEW, WORLD

__all__ = [
    "COMMAND", "CORRECTION", "CORRECTION_REQUEST", "CORRECTOR_ANSWER", "CORRECTOR_REQUEST", "FEEDBACK", "GOAL",
    "KEEP_OUTS", "KNOWN_WAY", "OUTCOME", "PLAN", "PLAN_ANSWER", "PLAN_REQUEST", "RECORD", "REMEMBERED",
    "REPORT_ANSWER", "REPORT_REQUEST", "REQUEST", "STACK", "STEP", "TESTIMONY", "TRANSLATION", "TRIED", "TURNS",
    "UNDERSTOOD",
    "USAGE", "VERDICT", "VIEW", "WORLD", "pose_from_msg", "pose_to_msg",
]

"""The model's dataclasses as messages and back; the only place that knows both forms."""

from hicrisp_ros.conversions.geometry import pose_from_msg, pose_to_msg
from hicrisp_ros.conversions.goal import goal_from_msg, goal_to_msg, turns_from_msg, turns_to_msg
from hicrisp_ros.conversions.meaning import (
    context_from_msg,
    context_to_msg,
    request_from_msg,
    request_to_msg,
    understood_from_msg,
    understood_to_msg,
)
from hicrisp_ros.conversions.task import (
    command_from_msg,
    command_to_msg,
    keep_outs_from_msg,
    keep_outs_to_msg,
    plan_from_msg,
    plan_to_msg,
    record_from_msg,
    record_to_msg,
    remembered_from_msg,
    remembered_to_msg,
    step_from_msg,
    step_to_msg,
    usage_from_msg,
    usage_to_msg,
    way_from_msg,
    way_to_msg,
)
from hicrisp_ros.conversions.verdict import (
    correction_from_msg,
    correction_to_msg,
    entry_from_msg,
    entry_to_msg,
    feedback_from_msg,
    feedback_to_msg,
    outcome_from_msg,
    outcome_to_msg,
    stack_from_msg,
    stack_to_msg,
    tried_from_msg,
    tried_to_msg,
    verdict_from_msg,
    verdict_to_msg,
)
from hicrisp_ros.conversions.world import (
    facts_from_msg,
    facts_to_msg,
    view_from_msg,
    view_to_msg,
    world_from_msg,
    world_to_msg,
)

__all__ = [
    "command_from_msg", "command_to_msg", "context_from_msg", "context_to_msg", "correction_from_msg",
    "correction_to_msg", "entry_from_msg", "entry_to_msg", "facts_from_msg", "facts_to_msg", "feedback_from_msg",
    "feedback_to_msg", "goal_from_msg", "goal_to_msg", "keep_outs_from_msg", "keep_outs_to_msg",
    "outcome_from_msg", "outcome_to_msg", "plan_from_msg", "plan_to_msg", "pose_from_msg", "pose_to_msg",
    "record_from_msg", "record_to_msg", "remembered_from_msg", "remembered_to_msg", "request_from_msg",
    "request_to_msg", "stack_from_msg", "stack_to_msg", "step_from_msg", "step_to_msg", "tried_from_msg",
    "tried_to_msg", "turns_from_msg", "turns_to_msg", "understood_from_msg", "understood_to_msg",
    "usage_from_msg", "usage_to_msg", "verdict_from_msg", "verdict_to_msg", "view_from_msg", "view_to_msg",
    "way_from_msg", "way_to_msg", "world_from_msg", "world_to_msg",
]

"""Steps, plans, commands, what an answer cost, and what the memory knows of earlier tasks and corrections."""

from __future__ import annotations

import json
from typing import Dict, Iterable, List, Mapping, Tuple

from geometry_msgs.msg import Point
from hicrisp_core.model import Command, KeepOut, Plan, Step, StepRecord, Value
from hicrisp_core.model.remembered import KnownWay, Remembered
from hicrisp_core.ports.brain import Usage
from hicrisp_core.trace.events import Exchange
from hicrisp_core.trace.plain import to_json
from hicrisp_core.trace.read_event import record_of

from hicrisp_msgs import msg
from hicrisp_ros.conversions.codec import Codec, Part
from hicrisp_ros.conversions.geometry import pose_from_msg, pose_to_msg
from hicrisp_ros.conversions.goal import GOAL


def _arguments_to_msg(arguments: Mapping[str, Value]) -> List[msg.Value]:
    return [
        msg.Value(name=name, text=value) if isinstance(value, str)
        else msg.Value(name=name, number=float(value), is_number=True)
        for name, value in arguments.items()
    ]


def _arguments_from_msg(values: Iterable[msg.Value]) -> Dict[str, Value]:
    return {value.name: value.number if value.is_number else value.text for value in values}


def keep_outs_to_msg(keep_outs: Iterable[KeepOut]) -> List[msg.KeepOut]:
    """Convert keep-out zones to messages.

    Args:
        keep_outs: the zones, map frame, metres.

    Returns:
        The messages.
    """
    return [msg.KeepOut(each.name, [Point(x, y, 0.0) for x, y in each.corners], each.radius)
            for each in keep_outs]


def keep_outs_from_msg(messages: Iterable[msg.KeepOut]) -> Tuple[KeepOut, ...]:
    """Convert keep-out zones from messages.

    Args:
        messages: the messages.

    Returns:
        The zones, map frame, metres; those without a corner are skipped.
    """
    return tuple(KeepOut(tuple((at.x, at.y) for at in message.corners), message.radius, message.name)
                 for message in messages if message.corners)


_ARGUMENTS = Part(_arguments_to_msg, _arguments_from_msg)
_POSE = Part(pose_to_msg, pose_from_msg)
STEP = Codec(Step, msg.Step, arguments=_ARGUMENTS)
step_to_msg, step_from_msg = STEP.to_msg, STEP.from_msg
_PLAN = Codec(Plan, msg.Plan, steps=STEP.each, goal=GOAL)
plan_to_msg, plan_from_msg = _PLAN.to_msg, _PLAN.from_msg
COMMAND = Codec(Command, msg.Command, arguments=_ARGUMENTS, target=_POSE, aim=_POSE,
                avoid=Part(lambda at: Point(*at), lambda at: (at.x, at.y, at.z)).each,
                keep_out=Part(keep_outs_to_msg, keep_outs_from_msg))
command_to_msg, command_from_msg = COMMAND.to_msg, COMMAND.from_msg
_RECORD = Codec(StepRecord, msg.StepRecord, step=STEP, commands=COMMAND.each)
record_to_msg, record_from_msg = _RECORD.to_msg, _RECORD.from_msg
_USAGE = Codec(Usage, msg.LlmUsage, exchanges=Part(
    lambda exchange: to_json(exchange.as_dict()), lambda text: record_of(Exchange, json.loads(text))).each)
usage_to_msg, usage_from_msg = _USAGE.to_msg, _USAGE.from_msg
_REMEMBERED = Codec(Remembered, msg.RememberedTask, steps=STEP.each, goal=GOAL)
remembered_to_msg, remembered_from_msg = _REMEMBERED.to_msg, _REMEMBERED.from_msg
_WAY = Codec(KnownWay, msg.KnownWay, steps=STEP.each)
way_to_msg, way_from_msg = _WAY.to_msg, _WAY.from_msg

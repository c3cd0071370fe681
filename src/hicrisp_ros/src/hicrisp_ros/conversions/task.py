"""Steps, plans, commands, what an answer cost, and what the memory knows of earlier tasks and corrections."""

from __future__ import annotations

import json
from typing import Any

from geometry_msgs.msg import Point
from hicrisp_core.model import Command, KeepOut, KnownWay, Plan, Remembered, Step, StepRecord
from hicrisp_core.ports.brain import Usage
from hicrisp_core.trace.exchange import Exchange
from hicrisp_core.trace.plain import to_json
from hicrisp_core.trace.read_event import record_of

from hicrisp_msgs import msg
from hicrisp_ros.conversions.codec import Part, codec
from hicrisp_ros.conversions.geometry import pose_from_msg, pose_to_msg
from hicrisp_ros.conversions.goal import GOAL

_ARGUMENTS: Part[Any] = Part(
    lambda arguments: [msg.Value(name=name, text=value) if isinstance(value, str)
                       else msg.Value(name=name, number=float(value), is_number=True)
                       for name, value in arguments.items()],
    lambda values: {value.name: value.number if value.is_number else value.text for value in values})
_POSE = Part(pose_to_msg, pose_from_msg)
KEEP_OUTS: Part[Any] = Part(
    lambda zones: [msg.KeepOut(each.name, [Point(x, y, 0.0) for x, y in each.corners], each.radius)
                   for each in zones],
    lambda messages: tuple(KeepOut(tuple((at.x, at.y) for at in message.corners), message.radius, message.name)
                           for message in messages if message.corners))
"""Of a sequence, map frame, metres; zones without a corner are skipped."""
STEP = codec(Step, msg.Step, arguments=_ARGUMENTS)
PLAN = codec(Plan, msg.Plan, steps=STEP.each, goal=GOAL)
COMMAND = codec(Command, msg.Command, arguments=_ARGUMENTS, target=_POSE, aim=_POSE,
                avoid=Part(lambda at: Point(*at), lambda at: (at.x, at.y, at.z)).each, keep_out=KEEP_OUTS)
RECORD = codec(StepRecord, msg.StepRecord, step=STEP, commands=COMMAND.each)
USAGE = codec(Usage, msg.LlmUsage, exchanges=Part(
    lambda exchange: to_json(exchange.as_dict()), lambda text: record_of(Exchange, json.loads(text))).each)
REMEMBERED = codec(Remembered, msg.RememberedTask, steps=STEP.each, goal=GOAL)
KNOWN_WAY = codec(KnownWay, msg.KnownWay, steps=STEP.each)

"""Steps, plans, commands and what an answer cost."""

from __future__ import annotations

import json
from typing import Dict, Iterable, List, Mapping, Optional, Tuple

import genpy
from geometry_msgs.msg import Point
from hicrisp_core.model import Command, KeepOut, Plan, Step, StepRecord, Value
from hicrisp_core.ports.brain import Usage
from hicrisp_core.trace.events import Exchange
from hicrisp_core.trace.plain import to_json
from hicrisp_core.trace.read_event import record_of

from hicrisp_msgs.msg import Command as CommandMsg
from hicrisp_msgs.msg import KeepOut as KeepOutMsg
from hicrisp_msgs.msg import LlmUsage
from hicrisp_msgs.msg import Plan as PlanMsg
from hicrisp_msgs.msg import Step as StepMsg
from hicrisp_msgs.msg import StepRecord as StepRecordMsg
from hicrisp_msgs.msg import Value as ValueMsg
from hicrisp_ros.conversions.geometry import pose_from_msg, pose_to_msg
from hicrisp_ros.conversions.goal import goal_from_msg, goal_to_msg


def _arguments_to_msg(arguments: Mapping[str, Value]) -> List[ValueMsg]:
    return [
        ValueMsg(name=name, text=value) if isinstance(value, str)
        else ValueMsg(name=name, number=float(value), is_number=True)
        for name, value in arguments.items()
    ]


def _arguments_from_msg(values: Iterable[ValueMsg]) -> Dict[str, Value]:
    return {value.name: value.number if value.is_number else value.text for value in values}


def step_to_msg(step: Step) -> StepMsg:
    """Convert a step to a message.

    Args:
        step: one step of a plan, in words or grounded.

    Returns:
        The message.
    """
    return StepMsg(step.text, step.action, _arguments_to_msg(step.arguments), step.robot,
                   step.after is not None,
                   list(step.after or ()))


def step_from_msg(message: StepMsg) -> Step:
    """Convert a step from a message.

    Args:
        message: the ROS message.

    Returns:
        The step.
    """
    return Step(message.text, message.action, _arguments_from_msg(message.arguments), message.robot,
                tuple(message.after) if message.has_after else None)


def plan_to_msg(plan: Plan, task_id: str = "", stamp: Optional[genpy.Time] = None) -> PlanMsg:
    """Convert a plan to a message.

    Args:
        plan: steps with source and reasoning.
        task_id: id of its task.
        stamp: when it was made; zero if unknown.

    Returns:
        The message.
    """
    steps = [step_to_msg(step) for step in plan.steps]
    return PlanMsg(stamp or genpy.Time(), task_id, steps, plan.source, plan.reasoning, plan.request,
                   plan.goal is not None, goal_to_msg(plan.goal))


def plan_from_msg(message: PlanMsg) -> Plan:
    """Convert a plan from a message.

    Args:
        message: the ROS message.

    Returns:
        The plan.
    """
    return Plan(tuple(step_from_msg(step) for step in message.steps), message.source, message.reasoning,
                message.request, goal_from_msg(message.goal, message.has_goal))


def keep_outs_to_msg(keep_outs: Iterable[KeepOut]) -> List[KeepOutMsg]:
    """Convert keep-out zones to messages.

    Args:
        keep_outs: the zones, map frame, metres.

    Returns:
        The messages.
    """
    return [KeepOutMsg(each.name, [Point(x, y, 0.0) for x, y in each.corners], each.radius)
            for each in keep_outs]


def keep_outs_from_msg(messages: Iterable[KeepOutMsg]) -> Tuple[KeepOut, ...]:
    """Convert keep-out zones from messages.

    Args:
        messages: the messages.

    Returns:
        The zones, map frame, metres; those without a corner are skipped.
    """
    return tuple(KeepOut(tuple((at.x, at.y) for at in message.corners), message.radius, message.name)
                 for message in messages if message.corners)


def command_to_msg(command: Command) -> CommandMsg:
    """Convert a command to a message.

    Args:
        command: the action with its arguments and constraints.

    Returns:
        The message.
    """
    return CommandMsg(
        action=command.action,
        arguments=_arguments_to_msg(command.arguments),
        robot=command.robot,
        has_target=command.target is not None,
        target=pose_to_msg(command.target),
        has_aim=command.aim is not None,
        aim=pose_to_msg(command.aim),
        time_limit=command.time_limit,
        avoid=[Point(*position) for position in command.avoid],
        apart=command.apart,
        keep_out=keep_outs_to_msg(command.keep_out),
        clearance=command.clearance,
        look_within=command.look_within,
    )


def command_from_msg(message: CommandMsg) -> Command:
    """Convert a command from a message.

    Args:
        message: the ROS message.

    Returns:
        The command.
    """
    return Command(
        action=message.action,
        arguments=_arguments_from_msg(message.arguments),
        robot=message.robot,
        target=pose_from_msg(message.target, message.has_target),
        aim=pose_from_msg(message.aim, message.has_aim),
        time_limit=message.time_limit,
        avoid=tuple((position.x, position.y, position.z) for position in message.avoid),
        apart=message.apart,
        keep_out=keep_outs_from_msg(message.keep_out),
        clearance=message.clearance,
        look_within=message.look_within,
    )


def record_to_msg(record: StepRecord) -> StepRecordMsg:
    """Convert the record of a step to a message.

    Args:
        record: the step with its commands and result.

    Returns:
        The message.
    """
    return StepRecordMsg(step_to_msg(record.step), [command_to_msg(command) for command in record.commands],
                         record.ok,
                         record.note, record.elsewhere)


def record_from_msg(message: StepRecordMsg) -> StepRecord:
    """Convert the record of a step from a message.

    Args:
        message: the ROS message.

    Returns:
        The record.
    """
    return StepRecord(step_from_msg(message.step),
                      tuple(command_from_msg(command) for command in message.commands),
                      message.ok, message.note, message.elsewhere)


def usage_to_msg(usage: Usage, task_id: str = "") -> LlmUsage:
    """Convert the cost of an answer to a message.

    Args:
        usage: calls, tokens and seconds.
        task_id: id of the task that pays for it.

    Returns:
        The message.
    """
    return LlmUsage(task_id, usage.calls, usage.prompt_tokens, usage.completion_tokens, usage.seconds,
                    [to_json(exchange.as_dict()) for exchange in usage.exchanges])


def usage_from_msg(message: LlmUsage) -> Usage:
    """Convert the cost of an answer from a message.

    Args:
        message: the ROS message.

    Returns:
        Calls, tokens and seconds.
    """
    exchanges = tuple(record_of(Exchange, json.loads(each)) for each in message.exchanges)
    return Usage(message.calls, message.prompt_tokens, message.completion_tokens, message.seconds, exchanges)

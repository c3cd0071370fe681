"""What a brain, an interpreter and a corrector are asked and answer, as goals and results of their actions."""

from __future__ import annotations

from typing import Any, Mapping

from hicrisp_core.domain.wording import LEVELS
from hicrisp_core.model import Answer, Goal, Question, Reason, Refusal, Task
from hicrisp_core.ports.brain import CorrectionRequest, PlanAnswer, PlanRequest, ReportAnswer, ReportRequest
from hicrisp_core.ports.corrector import CorrectorAnswer, CorrectorRequest
from hicrisp_core.ports.interpreter import Request, Understood
from hicrisp_core.ports.witness import Finding, Ruling, Testimony

from hicrisp_msgs import msg
from hicrisp_ros.conversions.codec import Part, Spread, codec, marked, named
from hicrisp_ros.conversions.goal import CHOICES, GOAL, TURNS
from hicrisp_ros.conversions.task import KNOWN_WAY, PLAN, RECORD, REMEMBERED, STEP, USAGE
from hicrisp_ros.conversions.verdict import CORRECTION, FEEDBACK, STACK, TRIED
from hicrisp_ros.conversions.world import FACTS, WORLD

_TASK = Spread(lambda task: {"task": task.text, "task_id": task.id, "robot": task.robot},
               lambda message: Task(message.task, message.task_id, message.robot))
_CONTEXT: Mapping[str, Part[Any]] = {
    "task": _TASK, "world": WORLD, "done": RECORD.each, "remaining": STEP.each, "goal": GOAL, "conversation": TURNS}
_LEVEL: Part[str] = Part(str, lambda level: level if level in LEVELS else LEVELS[-1])

PLAN_REQUEST = codec(PlanRequest, msg.PlanTaskGoal, **_CONTEXT, feedback=FEEDBACK.each, feedback_level=_LEVEL,
                     examples=REMEMBERED.each)
CORRECTION_REQUEST = codec(CorrectionRequest, msg.PlanTaskGoal, **_CONTEXT, feedback_level=_LEVEL, stack=STACK,
                           tried=TRIED)
PLAN_ANSWER = codec(PlanAnswer, msg.PlanTaskResult, plan=marked(PLAN, "plan", "ok"), usage=USAGE)
REPORT_REQUEST = codec(ReportRequest, msg.ReportTaskGoal, task=_TASK, done=RECORD.each, failures=STACK)
REPORT_ANSWER = codec(ReportAnswer, msg.ReportTaskResult, usage=USAGE)
CORRECTOR_REQUEST = codec(
    CorrectorRequest, msg.CorrectStepGoal, **_CONTEXT, stack=STACK, tried=TRIED, seen=Part(sorted, frozenset),
    made=FACTS, earlier=FEEDBACK.each, missed=FEEDBACK, known=KNOWN_WAY.each,
    # The corrector sets it by its own policy.
    feedback_level=Spread(lambda level: {}, lambda message: LEVELS[-1]))
CORRECTOR_ANSWER = codec(CorrectorAnswer, msg.CorrectStepResult, correction=CORRECTION, usage=USAGE)
REQUEST = codec(Request, msg.UnderstandGoal, world=WORLD, conversation=TURNS, goal=GOAL, examples=REMEMBERED.each)
_MEANINGS: Mapping[str, Any] = {
    "goal": (Goal, Part(lambda goal, **others: msg.UnderstandResult(goal=GOAL.to_msg(goal), **others),
                        lambda message: GOAL.from_msg(message.goal))),
    "question": (Question, codec(Question, msg.UnderstandResult, choices=CHOICES)),
    "answer": (Answer, codec(Answer, msg.UnderstandResult, facts=Part(
        FACTS.to_msg, lambda messages: tuple(sorted(FACTS.from_msg(messages)))))),
    "refusal": (Refusal, codec(Refusal, msg.UnderstandResult, reason=named(Reason, Reason.IMPOSSIBLE)))}


def _understood_to_msg(found: Understood) -> msg.UnderstandResult:
    result = msg.UnderstandResult(text=found.trouble)
    for kind, (meant, part) in _MEANINGS.items():
        if isinstance(found.meaning, meant):
            result = part.to_msg(found.meaning, kind=kind)
    result.sure, result.usage = -1.0 if found.sure is None else found.sure, USAGE.to_msg(found.usage)
    return result


def _understood_from_msg(message: msg.UnderstandResult) -> Understood:
    meaning = _MEANINGS[message.kind][1].from_msg(message) if message.kind in _MEANINGS else None
    trouble = ""
    if meaning is None:
        stages = " > ".join(message.goal.stages)
        trouble = f"The goal '{stages}' cannot be read." if message.kind == "goal" else message.text
    return Understood(meaning, trouble, USAGE.from_msg(message.usage), message.sure if message.sure >= 0.0 else None)


_RULING = named(Ruling, Ruling.CANNOT_TELL)
TESTIMONY = codec(Testimony, msg.WitnessResult, usage=USAGE, said=Spread(
    lambda said: {"answers": [_RULING.to_msg(each.answer) for each in said], "reasons": [each.why for each in said]},
    lambda message: tuple(Finding(_RULING.from_msg(answer), why)
                          for answer, why in zip(message.answers, message.reasons))))
UNDERSTOOD = Part(_understood_to_msg, _understood_from_msg)
"""With ``trouble`` set if its goal cannot be parsed."""

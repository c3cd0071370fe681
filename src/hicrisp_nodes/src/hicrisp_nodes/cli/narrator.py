"""Tells a task's events in a terminal: the plan, each command, each verdict, each correction, the stack."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, Mapping, Type, Union

from hicrisp_core.trace.events import (
    Answered,
    ApprovalAsked,
    CommandTried,
    CorrectionMade,
    Event,
    FaultInjected,
    GoalJudged,
    GoalUnderstood,
    Noted,
    OffsetLearnt,
    PlanMade,
    QuestionAsked,
    Recalled,
    Refused,
    StackChanged,
    StepStarted,
    TaskFinished,
    TaskReceived,
    UserSaid,
    VerdictGiven,
    Waiting,
)
from hicrisp_core.trace.records import FeedbackRecord, StackRecord
from hicrisp_core.trace.timeline import AttemptRecord, Timeline

from hicrisp_nodes.cli.console import Console

_SUCCEEDED, _FAILED = ("✓", "good", "succeeded"), ("✗", "bad", "failed")
_ENDS = {"refused": ("–", "warn", "refused"), "canceled": ("■", "warn", "canceled"),
         "stopped": ("■", "warn", "stopped by you")}
"""A sign, a style and a word for the ends of a task that are no failures."""


class Narrator:
    """Follows one task after another; unknown kinds of events are passed over."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._run = Timeline()
        self._missing = ""
        self._tellers: Dict[Type[Event], Callable[[Any], None]] = {
            TaskReceived: self._task, GoalUnderstood: self._goal, QuestionAsked: self._question,
            GoalJudged: self._judged, PlanMade: self._plan, Answered: self._answer, Refused: self._refused,
            StepStarted: self._step, VerdictGiven: self._verdict,
            CorrectionMade: self._correction, StackChanged: self._stack, OffsetLearnt: self._offset,
            Noted: self._note, Waiting: self._note, ApprovalAsked: self._approval, FaultInjected: self._fault,
            Recalled: self._recalled, UserSaid: self._said,
            TaskFinished: self._end,
        }

    def tell(self, entry: Mapping[str, Any]) -> None:
        """Print one event in a line or a few.

        Args:
            entry: an event as it is written; unknown kinds are skipped.
        """
        if entry.get("kind") == TaskReceived.kind:
            self._run = Timeline()
        self._missing = self._run.judged.missing if self._run.judged is not None else ""
        event = self._run.take(entry)
        teller = self._tellers.get(type(event)) if event is not None else None
        if teller is not None:
            teller(event)

    def _say(self, *parts: str) -> None:
        self._console.say(" ".join(part for part in parts if part))

    def _task(self, event: TaskReceived) -> None:
        paint = self._console.paint
        self._say(paint("Task", "strong"), " ", paint(event.text, "accent"))
        labels = {"scene": event.scene, "seed": event.seed, "policy": event.policy, "llm": event.llm}
        told = " · ".join(f"{name} {value}" for name, value in labels.items() if value not in (None, ""))
        self._say("     ", paint(told, "soft"))

    def _goal(self, event: GoalUnderstood) -> None:
        paint = self._console.paint
        if event.known:
            self._say(paint("Goal", "strong"), " ", f"I understand: {event.said}.",
                      paint(f"({event.source}, {event.t:.1f} s)", "soft"))
        else:
            self._say(paint("Goal", "strong"), " ", paint("unknown: the steps alone are judged", "warn"))

    def _question(self, event: QuestionAsked) -> None:
        paint = self._console.paint
        self._say(paint("Asked", "strong"), event.text,
                  paint(f"answer: {event.answer}" if event.answer else "nobody answered in time", "warn"))

    def _said(self, event: UserSaid) -> None:
        paint = self._console.paint
        self._say(paint("Said", "strong"), " ", paint(event.text, "accent"))
        if event.reply:
            self._say("     ", paint(event.reply, "good" if event.effect == "changed" else "warn"))

    def _judged(self, event: GoalJudged) -> None:
        paint = self._console.paint
        if event.seen:
            self._say("  ", paint("✓ the goal is seen", "good"))
        elif event.missing != self._missing:
            self._say("  ", paint("✗", "bad"), paint(event.missing, "bad"))

    def _plan(self, event: PlanMade) -> None:
        paint = self._console.paint
        first, steps, robots, waits = event.from_step, event.steps, event.robots, event.after
        name = "Plan" if first == 0 else "New plan"
        self._say(paint(name, "strong"), " ", paint(f"({event.source}, {event.t:.1f} s)", "soft"))
        for number, step in enumerate(steps, start=first + 1):
            told = ""
            if self._run.several and len(robots) == len(waits) == len(steps):
                after = ", ".join(str(first + 1 + at) for at in waits[number - first - 1] or ())
                told = f"({robots[number - first - 1]}{f', after {after}' if after else ''})"
            self._say("     ", f"{number}.", step, paint(told, "soft"))
        if event.reasoning:
            self._say("     ", paint(event.reasoning, "soft"))

    def _answer(self, event: Answered) -> None:
        self._say(self._console.paint("Answer", "strong"), event.text)

    def _refused(self, event: Refused) -> None:
        paint = self._console.paint
        self._say(paint("Refused", "warn"), paint(event.text, "strong"))
        if event.alternatives:
            self._say("      ", paint("try, for example:", "soft"), "; ".join(event.alternatives))

    def _step(self, event: StepStarted) -> None:
        paint = self._console.paint
        index = (event.index or 0) + 1
        self._say(paint(f"▶ {index}/{self._run.step_count}", "accent"), self._whose(event.robot),
                  paint(event.text, "strong"))

    def _whose(self, robot: str) -> str:
        """The robot that an event is about, where there are several."""
        return self._console.paint(f"{robot}:", "soft") if self._run.several and robot else ""

    def _verdict(self, event: VerdictGiven) -> None:
        paint = self._console.paint
        tried = next((each for each in reversed(self._run.attempts) if each.verdict is event),
                     AttemptRecord(0, CommandTried(t=event.t)))
        command = tried.command
        said = tried.text + (" again" if command.purpose == "retry" else "")
        seconds, whose = event.t - command.t, self._whose(command.robot)
        if event.ok:
            self._say("  ", paint("✓", "good"), whose, said, _millimetres(paint, event),
                      paint(f"{seconds:.1f} s", "soft"))
            return
        feedback = event.feedback or FeedbackRecord()
        if tried.stopped:
            self._say("  ", paint("■ stopped:", "warn"), whose, said, paint(f"{seconds:.1f} s", "soft"))
            return
        level = paint(f"[{feedback.level} level, {feedback.kind}]", "soft")
        self._say("  ", paint("✗", "bad"), whose, said, level, paint(f"{seconds:.1f} s", "soft"))
        for name, text, style in (("error", feedback.error, "bad"), ("reason", feedback.reason, "soft"),
                                  ("suggestion", feedback.suggestion, "soft")):
            if text:
                self._say("      ", paint(f"{name}:", "soft"), paint(text, style))

    def _correction(self, event: CorrectionMade) -> None:
        paint = self._console.paint
        if event.rung == "give_up":
            self._say("  ", paint("✗ given up:", "bad"),
                      paint(event.note or "no correction is left", "strong"))
            return
        commands = ", then ".join(event.commands) or "try again"
        self._say("  ", paint(f"↻ {event.rung}:", "warn"), commands,
                  paint(f"({event.note})", "soft") if event.note
                  else "")

    def _stack(self, event: StackChanged) -> None:
        paint, entries = self._console.paint, event.entries
        if not entries:
            self._say("    ", paint("│ stack: empty", "soft"))
            return
        self._say("    ", paint("│ stack:", "soft"), paint("▇" * len(entries), "warn"),
                  paint(" < ".join(_entry(entry) for entry in entries), "soft"))

    def _offset(self, event: OffsetLearnt) -> None:
        count, agreed = max(1, round(event.samples)), any(event.applied)
        off = " ".join(f"{1000.0 * value:+.1f}" for value in (event.applied if agreed else event.mean)[:2])
        told = f"{off} mm (x y), {count} sample{'s' if count > 1 else ''}"
        said = f"learnt bias of {event.key}: {told}" if agreed else f"measured for {event.key}: {told}; not yet a bias"
        self._say("    ", self._console.paint(f"│ {said}", "soft"))

    def _recalled(self, event: Recalled) -> None:
        what = "earlier tasks like this one" if event.what == "examples" else "learned in earlier runs"
        self._say("  ", self._console.paint(f"· memory: {what}: {'; '.join(event.texts)}", "soft"))

    def _note(self, event: Union[Noted, Waiting]) -> None:
        self._say("  ", self._console.paint(f"· {event.text}", "soft"))

    def _approval(self, event: ApprovalAsked) -> None:
        word = "approved" if event.granted else "not approved"
        self._say("  ", self._console.paint(f"· {word}: {event.command}", "warn"))

    def _fault(self, event: FaultInjected) -> None:
        self._say("  ", self._console.paint(f"· injected: {event.fault} {event.target}", "warn"))

    def _end(self, event: TaskFinished) -> None:
        paint = self._console.paint
        sign, style, word = _SUCCEEDED if event.success else _ENDS.get(self._run.verdict, _FAILED)
        corrections = event.corrections or {}
        told = ", ".join(f"{rung} {count}" for rung, count in corrections.items())
        spent = (f"{_count(event.steps_executed or 0, 'command')}, "
                 f"{_count(sum(corrections.values()), 'correction')}")
        spent += f" ({told})" if told else ""
        spent += f", {event.wall_s or event.t:.1f} s"
        plain = event.success and event.message == event.reason  # Nothing was said beside the plain end.
        known = self._run.verdict in ("answered", "refused") and not event.stopped  # An event of its own told it.
        message = "" if plain or known else event.message
        self._say(paint(f"{sign} {word}", style), spent, paint(message, "strong"))
        if self._run.several and not event.success:
            for told, steps in (("done", event.done), ("given up", event.given_up),
                                ("never begun because of it", event.not_begun)):
                self._say("     ", paint(f"{told}:", "soft"), "; ".join(steps) or "nothing")


def _entry(entry: StackRecord) -> str:
    return entry.command + (f" (x{entry.attempts})" if entry.attempts > 1 else "")


def _millimetres(paint: Callable[[object, str], str], event: VerdictGiven) -> str:
    return paint(f"({1000.0 * math.hypot(*event.deviation[:2]):.1f} mm off)",
                 "soft") if event.deviation else ""


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"

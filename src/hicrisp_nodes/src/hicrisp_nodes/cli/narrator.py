"""Tells a task's events in a terminal: the plan, each command, each verdict, each correction, the stack."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, Mapping, Tuple, Type

from hicrisp_core.domain.saying import spoken
from hicrisp_core.trace import events
from hicrisp_core.trace.explain import witness_words
from hicrisp_core.trace.records import FeedbackRecord
from hicrisp_core.trace.timeline import AttemptRecord, Timeline, counted

from hicrisp_nodes.cli.console import Console

_SUCCEEDED, _FAILED = ("✓", "good", "succeeded"), ("✗", "bad", "failed")
_ENDS = {"refused": ("–", "warn", "refused"), "canceled": ("■", "warn", "canceled"),
         "stopped": ("■", "warn", "stopped by you")}
"""A sign, a style and a word for the ends of a task that are no failures."""
_RECALLED = ("learned in earlier runs", "earlier tasks like this one")
_REMARKS: Mapping[Type[events.Event], Callable[[Any], Tuple[str, str]]] = {
    events.Noted: lambda event: (event.text, "soft"),
    events.Waiting: lambda event: (event.text, "soft"),
    events.Witnessed: lambda event: (witness_words(event), "soft"),
    events.ApprovalAsked: lambda event: (f"{'approved' if event.granted else 'not approved'}: {event.command}", "warn"),
    events.FaultInjected: lambda event: (f"injected: {event.fault} {spoken(event.target)}", "warn"),
    events.Recalled: lambda event: (f"memory: {_RECALLED[event.what == 'examples']}: {'; '.join(event.texts)}", "soft"),
}
"""Events that are told in one line, with its style."""


class Narrator:
    """Follows one task after another; unknown kinds of events are passed over."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._paint = console.paint
        self._run = Timeline()
        self._missing = ""
        self._tellers: Dict[Type[events.Event], Callable[[Any], None]] = {
            events.TaskReceived: self._task, events.GoalUnderstood: self._goal,
            events.QuestionAsked: lambda event: self._say(
                self._paint("Asked", "strong"), event.text,
                self._paint(f"answer: {event.answer}" if event.answer else "nobody answered in time", "warn")),
            events.GoalJudged: self._judged, events.PlanMade: self._plan, events.Refused: self._refused,
            events.StepStarted: self._step, events.VerdictGiven: self._verdict,
            events.CorrectionMade: self._correction, events.StackChanged: self._stack,
            events.OffsetLearnt: self._offset, events.UserSaid: self._said, events.TaskFinished: self._end,
            events.Answered: lambda event: self._say(self._paint("Answer", "strong"), event.text),
        }

    def tell(self, entry: Mapping[str, Any]) -> None:
        """Print one event in a line or a few.

        Args:
            entry: an event as it is written; unknown kinds are skipped.
        """
        if entry.get("kind") == events.TaskReceived.kind:
            self._run = Timeline()
        self._missing = self._run.judged.missing if self._run.judged is not None else ""
        event = self._run.take(entry)
        if event is None:
            return
        if type(event) in _REMARKS:
            text, style = _REMARKS[type(event)](event)
            self._say("  ", self._paint(f"· {text}", style))
        elif type(event) in self._tellers:
            self._tellers[type(event)](event)

    def _say(self, *parts: str) -> None:
        self._console.say(" ".join(part for part in parts if part))

    def _task(self, event: events.TaskReceived) -> None:
        self._say(self._paint("Task", "strong"), " ", self._paint(event.text, "accent"))
        labels = {"scene": event.scene, "seed": event.seed, "policy": event.policy, "llm": event.llm}
        told = " · ".join(f"{name} {value}" for name, value in labels.items() if value not in (None, ""))
        self._say("     ", self._paint(told, "soft"))

    def _goal(self, event: events.GoalUnderstood) -> None:
        told = (f"I understand: {event.said}.", self._paint(f"({event.source}, {event.t:.1f} s)", "soft")) \
            if event.known else (self._paint("unknown: the steps alone are judged", "warn"),)
        self._say(self._paint("Goal", "strong"), " ", *told)

    def _said(self, event: events.UserSaid) -> None:
        self._say(self._paint("Said", "strong"), " ", self._paint(event.text, "accent"))
        if event.reply:
            self._say("     ", self._paint(event.reply, "good" if event.effect == "changed" else "warn"))

    def _judged(self, event: events.GoalJudged) -> None:
        if event.seen:
            self._say("  ", self._paint("✓ the goal is seen", "good"))
        elif event.missing != self._missing:
            self._say("  ", self._paint("✗", "bad"), self._paint(event.missing, "bad"))

    def _plan(self, event: events.PlanMade) -> None:
        first, steps, robots, waits = event.from_step, event.steps, event.robots, event.after
        name = "Plan" if first == 0 else "New plan"
        self._say(self._paint(name, "strong"), " ", self._paint(f"({event.source}, {event.t:.1f} s)", "soft"))
        for number, step in enumerate(steps, start=first + 1):
            told = ""
            if self._run.several and len(robots) == len(waits) == len(steps):
                after = ", ".join(str(first + 1 + at) for at in waits[number - first - 1] or ())
                told = f"({spoken(robots[number - first - 1])}{f', after {after}' if after else ''})"
            self._say("     ", f"{number}.", step, self._paint(told, "soft"))
        if event.reasoning:
            self._say("     ", self._paint(event.reasoning, "soft"))

    def _refused(self, event: events.Refused) -> None:
        self._say(self._paint("Refused", "warn"), self._paint(event.text, "strong"))
        if event.alternatives:
            self._say("      ", self._paint("try, for example:", "soft"), "; ".join(event.alternatives))

    def _step(self, event: events.StepStarted) -> None:
        index = (event.index or 0) + 1
        self._say(self._paint(f"▶ {index}/{self._run.step_count}", "accent"), self._whose(event.robot),
                  self._paint(event.text, "strong"))

    def _whose(self, robot: str) -> str:
        """The robot that an event is about, where there are several."""
        return self._paint(f"{spoken(robot)}:", "soft") if self._run.several and robot else ""

    def _verdict(self, event: events.VerdictGiven) -> None:
        tried = next((each for each in reversed(self._run.attempts) if each.verdict is event),
                     AttemptRecord(0, events.CommandTried(t=event.t)))
        command = tried.command
        said = tried.text + (" again" if command.purpose == "retry" else "")
        seconds, whose = event.t - command.t, self._whose(command.robot)
        if event.ok:
            off = f"({1000.0 * math.hypot(*event.deviation[:2]):.1f} mm off)" if event.deviation else ""
            self._say("  ", self._paint("✓", "good"), whose, said, self._paint(off, "soft"),
                      self._paint(f"{seconds:.1f} s", "soft"))
            return
        feedback = event.feedback or FeedbackRecord()
        if tried.stopped:
            self._say("  ", self._paint("■ stopped:", "warn"), whose, said, self._paint(f"{seconds:.1f} s", "soft"))
            return
        level = self._paint(f"[{feedback.level} level, {feedback.kind}]", "soft")
        self._say("  ", self._paint("✗", "bad"), whose, said, level, self._paint(f"{seconds:.1f} s", "soft"))
        for name, text, style in (("error", feedback.error, "bad"), ("reason", feedback.reason, "soft"),
                                  ("suggestion", feedback.suggestion, "soft")):
            if text:
                self._say("      ", self._paint(f"{name}:", "soft"), self._paint(text, style))

    def _correction(self, event: events.CorrectionMade) -> None:
        if event.rung == "give_up":
            self._say("  ", self._paint("✗ given up:", "bad"),
                      self._paint(event.note or "no correction is left", "strong"))
            return
        self._say("  ", self._paint(f"↻ {event.rung}:", "warn"), ", then ".join(event.commands) or "try again",
                  self._paint(f"({event.note})", "soft") if event.note else "")

    def _stack(self, event: events.StackChanged) -> None:
        if not event.entries:
            self._say("    ", self._paint("│ stack: empty", "soft"))
            return
        told = (each.command + (f" (x{each.attempts})" if each.attempts > 1 else "") for each in event.entries)
        self._say("    ", self._paint("│ stack:", "soft"), self._paint("▇" * len(event.entries), "warn"),
                  self._paint(" < ".join(told), "soft"))

    def _offset(self, event: events.OffsetLearnt) -> None:
        count, agreed = max(1, round(event.samples)), any(event.applied)
        off = " ".join(f"{1000.0 * value:+.1f}" for value in (event.applied if agreed else event.mean)[:2])
        told = f"{off} mm (x y), {counted(count, 'sample')}"
        said = f"learnt bias of {event.key}: {told}" if agreed else f"measured for {event.key}: {told}; not yet a bias"
        self._say("    ", self._paint(f"│ {said}", "soft"))

    def _end(self, event: events.TaskFinished) -> None:
        sign, style, word = _SUCCEEDED if event.success else _ENDS.get(self._run.verdict, _FAILED)
        corrections = event.corrections or {}
        told = ", ".join(f"{rung} {count}" for rung, count in corrections.items())
        spent = (f"{counted(event.steps_executed or 0, 'command')}, "
                 f"{counted(sum(corrections.values()), 'correction')}")
        spent += f" ({told})" if told else ""
        spent += f", {event.wall_s or event.t:.1f} s"
        plain = event.success and event.message == event.reason  # Nothing was said beside the plain end.
        known = self._run.verdict in ("answered", "refused") and not event.stopped  # An event of its own told it.
        message = "" if plain or known else event.message
        self._say(self._paint(f"{sign} {word}", style), spent, self._paint(message, "strong"))
        if self._run.several and not event.success:
            for told, steps in (("done", event.done), ("given up", event.given_up),
                                ("never begun because of it", event.not_begun)):
                self._say("     ", self._paint(f"{told}:", "soft"), "; ".join(steps) or "nothing")

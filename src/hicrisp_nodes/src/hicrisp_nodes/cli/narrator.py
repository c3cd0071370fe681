"""Tells a task's events in a terminal: the plan, each command, each verdict, each correction, the stack."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping

from hicrisp_nodes.cli.console import Console

EventDict = Mapping[str, Any]
_SUCCEEDED, _FAILED, _REFUSED = ("✓", "good", "succeeded"), ("✗", "bad", "failed"), ("–", "warn", "refused")


class Narrator:
    """Follows one task after another; unknown kinds of events are passed over."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._count = 0
        self._told = ""
        self._was_refused = False
        self._commands: Dict[str, EventDict] = {}
        """The command that each robot has under way."""
        self._several = False
        self._kinds: Dict[str, Callable[[EventDict], None]] = {
            "task_received": self._task, "plan": self._plan, "answer": self._answer, "refused": self._refused,
            "step_started": self._step, "command": self._remember, "verdict": self._verdict,
            "correction": self._correction, "stack": self._stack, "offset": self._offset, "note": self._note,
            "waiting": self._note,
            "approval": self._approval, "fault": self._fault, "task_finished": self._end,
        }

    def tell(self, event: EventDict) -> None:
        """Tell one event."""
        kind = self._kinds.get(str(event.get("kind")))
        if kind is not None:
            kind(event)

    def _say(self, *parts: str) -> None:
        self._console.say(" ".join(part for part in parts if part))

    def _task(self, event: EventDict) -> None:
        paint = self._console.paint
        self._count, self._told, self._several, self._was_refused = 0, "", False, False
        self._commands.clear()
        self._say(paint("Task", "strong"), " ", paint(event.get("text", ""), "accent"))
        told = " · ".join(f"{key} {event[key]}" for key in ("scene", "seed", "policy", "llm") if event.get(key) not in
                          (None, ""))
        self._say("     ", paint(told, "soft"))

    def _plan(self, event: EventDict) -> None:
        paint = self._console.paint
        first = int(event.get("from_step") or 0)
        steps = list(event.get("steps") or [])
        self._count = max(self._count, first + len(steps)) if self._several else first + len(steps)
        robots, waits = list(event.get("robots") or []), list(event.get("after") or [])
        self._several = self._several or len(set(robots)) > 1
        name = "Plan" if first == 0 else "New plan"
        self._say(paint(name, "strong"), " ", paint(f"({event.get('source', '')}, {_time(event)})", "soft"))
        for number, step in enumerate(steps, start=first + 1):
            told = ""
            if self._several and len(robots) == len(waits) == len(steps):
                after = ", ".join(str(first + 1 + at) for at in waits[number - first - 1] or [])
                told = f"({robots[number - first - 1]}{f', after {after}' if after else ''})"
            self._say("     ", f"{number}.", paint(step, "strong") if not steps else str(step), paint(told, "soft"))
        if event.get("reasoning"):
            self._say("     ", paint(event["reasoning"], "soft"))

    def _answer(self, event: EventDict) -> None:
        self._told = str(event.get("text", ""))
        self._say(self._console.paint("Answer", "strong"), self._told)

    def _refused(self, event: EventDict) -> None:
        paint = self._console.paint
        text = str(event.get("text", ""))
        self._say(paint("Refused", "warn"), paint(text, "strong"))
        alternatives = "; ".join(str(entry) for entry in event.get("alternatives") or [])
        if alternatives:
            self._say("      ", paint("try, for example:", "soft"), alternatives)
        self._told, self._was_refused = text, True

    def _step(self, event: EventDict) -> None:
        paint = self._console.paint
        index = int(event.get("index") or 0) + 1
        self._say(paint(f"▶ {index}/{max(self._count, index)}", "accent"), self._whose(event),
                  paint(event.get("text", ""), "strong"))

    def _whose(self, event: EventDict) -> str:
        """The robot that an event is about, where there are several."""
        return self._console.paint(f"{event['robot']}:", "soft") if self._several and event.get("robot") else ""

    def _remember(self, event: EventDict) -> None:
        self._commands[str(event.get("index"))] = event

    def _verdict(self, event: EventDict) -> None:
        paint = self._console.paint
        command = self._commands.get(str(event.get("index")), {})
        said = str(command.get("text") or command.get("command") or "")
        said += " again" if command.get("purpose") == "retry" else ""
        seconds = float(event.get("t") or 0.0) - float(command.get("t") or 0.0)
        whose = self._whose({"robot": command.get("robot")})
        if event.get("ok"):
            self._say("  ", paint("✓", "good"), whose, said, _millimetres(paint, event),
                      paint(f"{seconds:.1f} s", "soft"))
            return
        feedback = event.get("feedback") or {}
        level = paint(f"[{feedback.get('level', '')} level, {feedback.get('kind', '')}]", "soft")
        self._say("  ", paint("✗", "bad"), whose, said, level, paint(f"{seconds:.1f} s", "soft"))
        for key, style in (("error", "bad"), ("reason", "soft"), ("suggestion", "soft")):
            if feedback.get(key):
                self._say("      ", paint(f"{key}:", "soft"), paint(feedback[key], style))

    def _correction(self, event: EventDict) -> None:
        paint = self._console.paint
        rung = str(event.get("rung", ""))
        if rung == "give_up":
            self._say("  ", paint("✗ given up:", "bad"), paint(event.get("note") or "no correction is left", "strong"))
            return
        commands = ", then ".join(str(command) for command in event.get("commands") or []) or "try again"
        self._say("  ", paint(f"↻ {rung}:", "warn"), commands, paint(f"({event['note']})", "soft") if event.get("note")
                  else "")

    def _stack(self, event: EventDict) -> None:
        paint = self._console.paint
        entries: List[EventDict] = list(event.get("entries") or [])
        if not entries:
            self._say("    ", paint("│ stack: empty", "soft"))
            return
        self._say("    ", paint("│ stack:", "soft"), paint("▇" * len(entries), "warn"),
                  paint(" < ".join(_entry(entry) for entry in entries), "soft"))

    def _offset(self, event: EventDict) -> None:
        applied = " ".join(f"{1000.0 * float(value or 0.0):+.1f}" for value in list(event.get("applied") or [])[:2])
        told = f"{applied} mm (x y), {float(event.get('samples') or 0):g} samples"
        self._say("    ", self._console.paint(f"│ learnt bias of {event.get('key', '')}: {told}", "soft"))

    def _note(self, event: EventDict) -> None:
        self._say("  ", self._console.paint(f"· {event.get('text', '')}", "soft"))

    def _approval(self, event: EventDict) -> None:
        word = "approved" if event.get("granted") else "not approved"
        self._say("  ", self._console.paint(f"· {word}: {event.get('command', '')}", "warn"))

    def _fault(self, event: EventDict) -> None:
        self._say("  ", self._console.paint(f"· injected: {event.get('fault', '')} {event.get('target', '')}", "warn"))

    def _end(self, event: EventDict) -> None:
        paint = self._console.paint
        sign, style, word = _SUCCEEDED if event.get("success") else _REFUSED if self._was_refused else _FAILED
        corrections = event.get("corrections") or {}
        told = ", ".join(f"{rung} {count}" for rung, count in corrections.items())
        spent = f"{event.get('steps_executed', 0)} commands, {sum(corrections.values())} corrections"
        spent += f" ({told})" if told else ""
        spent += f", {float(event.get('wall_s') or event.get('t') or 0.0):.1f} s"
        message = str(event.get("message") or "")
        if message in ("done", self._told):
            message = ""
        self._say(paint(f"{sign} {word}", style), spent, paint(message, "strong"))
        if self._several and not event.get("success"):
            for key, told in (("done", "done"), ("given_up", "given up"), ("not_begun", "never begun because of it")):
                self._say("     ", paint(f"{told}:", "soft"), "; ".join(map(str, event.get(key) or [])) or "nothing")


def _entry(entry: EventDict) -> str:
    attempts = int(entry.get("attempts") or 1)
    return str(entry.get("command", "")) + (f" (x{attempts})" if attempts > 1 else "")


def _millimetres(paint: Callable[[object, str], str], event: EventDict) -> str:
    deviation = event.get("deviation")
    if not deviation:
        return ""
    x, y = (1000.0 * float(value or 0.0) for value in list(deviation)[:2])
    return paint(f"({(x * x + y * y) ** 0.5:.1f} mm off)", "soft")


def _time(event: EventDict) -> str:
    return f"{float(event.get('t') or 0.0):.1f} s"

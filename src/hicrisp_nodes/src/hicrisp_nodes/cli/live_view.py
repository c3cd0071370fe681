"""A run drawn for a terminal with rich: the plan with each step's state, the stack, who corrected what, the
costs. Nothing is said by colour alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from hicrisp_core.model import Rung
from hicrisp_core.trace.story import verdict_words
from hicrisp_web.view import step_view
from hicrisp_web.view.run_view import ENDED
from rich import box
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from hicrisp_nodes.cli.console import clean

Sections = Mapping[str, Any]
_MARKS: Mapping[str, Tuple[str, str, str]] = {
    step_view.WAITING: ("·", "-", "dim"), step_view.RUNNING: ("▶", ">", "bold cyan"),
    step_view.DONE: ("✓", "+", "green"), step_view.FAILED: ("✗", "x", "bold red"),
    step_view.CHANGED: ("■", "=", "yellow")}
"""Of a step's states: a sign, the same in ASCII, a style."""
_GIVEN_UP = Rung.GIVE_UP.value
_AROUND = 12
"""Lines of a view beside its steps and its stack."""
_FEWEST_STEPS, _MOST_STACK, _MOST_TRIED, _MOST_SAID = 3, 5, 4, 2


@dataclass(frozen=True)
class Frame:
    """The terminal's size, what it can write, and the run's clock.

    Args:
        now: seconds since the task began.
    """

    height: int
    now: float
    unicode: bool = True

    def sign(self, sign: str, plain: str) -> str:
        """Choose a sign that the terminal can show.

        Args:
            sign: the Unicode sign.
            plain: its replacement in ASCII.

        Returns:
            One of both.
        """
        return sign if self.unicode else plain


def run_lines(sections: Sections, frame: Frame) -> RenderableType:
    """Draw a run within the frame, shortening plan and stack.

    Args:
        sections: the run's sections, as on the dashboard.
        frame: size and abilities of the terminal.

    Returns:
        What ``rich`` draws.
    """
    run = sections.get("run")
    if not run:
        return Text("No task runs. Hand one in: hicrisp submit \"place the box next to the cylinder\"")
    steps = [sections.get(f"step:{index}") for index in (sections.get("plan") or {}).get("steps", ())]
    stack = (sections.get("stack") or {}).get("entries", ())
    room = frame.height - _AROUND - min(len(stack), _MOST_STACK)
    parts: List[RenderableType] = [_head(run, frame), *_goal(sections.get("goal"), frame)]
    plan = [step for step in steps if step]
    if plan:
        parts.append(_plan(plan, max(_FEWEST_STEPS, room), frame))
    if stack:
        parts.append(_stack(stack, frame))
    parts += _tried(plan, frame)
    parts += [_text(f"  {each.get('text', '')} {_reply(each)}", "yellow")
              for each in (sections.get("said") or [])[-_MOST_SAID:]]
    if run.get("waiting") and run.get("state") != ENDED:
        parts.append(_text(f"Waiting: {run['waiting']}", "yellow"))
    parts += _outcome(run)
    parts.append(_costs(sections))
    return Group(*parts)


def _head(run: Sections, frame: Frame) -> RenderableType:
    told = Table.grid(expand=True)
    told.add_column(overflow="fold")
    told.add_column(justify="right", no_wrap=True)
    state = verdict_words(str(run.get("verdict") or run.get("state", "")))
    seconds = float(run.get("t", 0.0)) if run.get("state") == ENDED else frame.now
    told.add_row(_text(str(run.get("text", "")), "bold"), _text(f"{state}  {seconds:.0f} s", "bold"))
    labels = " · ".join(str(value) for value in (
        run.get("task_id"), run.get("scene"), run.get("policy"), run.get("llm")) if value)
    told.add_row(_text(labels, "dim"), "")
    return told


def _goal(goal: Any, frame: Frame) -> List[RenderableType]:
    if not goal:
        return []
    if not goal.get("known"):
        return [_text("Goal: unknown; the steps alone are judged", "yellow")]
    state = {"seen": f"{frame.sign('✓', '+')} seen", "missed": f"{frame.sign('✗', 'x')} missed"}.get(
        goal.get("state", ""), "")
    missing = f" {goal['missing']}" if goal.get("state") == "missed" and goal.get("missing") else ""
    return [_text(f"Goal: {goal.get('said', '')}  {state}{missing}", "")]


def _plan(steps: Sequence[Sections], room: int, frame: Frame) -> RenderableType:
    """The plan, as much of it as there is room for, around the step that is under way."""
    table = Table(box=box.SIMPLE_HEAD if frame.unicode else box.ASCII, expand=True, padding=(0, 1))
    table.add_column("", no_wrap=True)
    table.add_column("Step", ratio=3, overflow="fold")
    table.add_column("State", no_wrap=True)
    table.add_column("Verdict", ratio=2, overflow="fold")
    table.add_column("Tries", justify="right", no_wrap=True)
    table.add_column("s", justify="right", no_wrap=True)
    first, last = _window(steps, room)
    if first:
        table.add_row("", _text(f"{first} earlier", "dim"), "", "", "", "")
    robots = {step.get("robot") for step in steps if step.get("robot")}
    for step in steps[first:last]:
        sign, plain, style = _MARKS.get(str(step.get("state")), ("", "", ""))
        whose = f"{step['robot']}: " if len(robots) > 1 and step.get("robot") else ""
        commands = [each for each in step.get("moments", ()) if each.get("is") == "command"]
        table.add_row(
            _text(frame.sign(sign, plain), style),
            _text(f"{step['index'] + 1}. {whose}{step['text']}", style),
            _text(str(step.get("state")), style), _text(_verdict(commands), ""),
            str(len(commands)) if commands else "", _seconds(step, frame.now))
    if last < len(steps):
        table.add_row("", _text(f"{len(steps) - last} more", "dim"), "", "", "", "")
    return table


def _window(steps: Sequence[Sections], room: int) -> Tuple[int, int]:
    """The first and one past the last step that are shown: the latest under way, and what is next."""
    if len(steps) <= room:
        return 0, len(steps)
    begun = [place for place, step in enumerate(steps) if step.get("began") is not None]
    first = min(max(0, (begun[-1] if begun else 0) - room // 2), len(steps) - room)
    return first, first + room


def _verdict(commands: Sequence[Sections]) -> str:
    """What the detector saw of the latest command."""
    judged = [each for each in commands if each.get("ok") is not None]
    if not judged:
        return ""
    latest = judged[-1]
    off = (latest.get("deviation") or {}).get("plane")
    measured = f"{off:.1f} mm off" if off is not None else ""
    if latest["ok"]:
        return f"holds{f', {measured}' if measured else ''}"
    return str((latest.get("feedback") or {}).get("error") or measured or "does not hold")


def _seconds(step: Sections, now: float) -> str:
    if step.get("began") is None:
        return ""
    ended = step.get("ended")
    return f"{max(0.0, (now if ended is None else ended) - step['began']):.1f}"


def _stack(entries: Sequence[Sections], frame: Frame) -> RenderableType:
    """The stack, its top first."""
    lines = [_text(f"{each['command']}: {each['error']}"
                   + (f" (tried {each['attempts']} times)" if each["attempts"] > 1 else ""), "")
             for each in reversed(entries)][:_MOST_STACK]
    more = len(entries) - len(lines)
    return Panel(Group(*lines, *([_text(f"{more} below", "dim")] if more else [])),
                 box=box.ROUNDED if frame.unicode else box.ASCII, title=f"Stack: {len(entries)}",
                 title_align="left", style="yellow")


def _tried(steps: Sequence[Sections], frame: Frame) -> List[RenderableType]:
    """What was tried last in the step that is under way, with the rung and who made each correction."""
    under_way = [step for step in steps if step.get("began") is not None]
    if not under_way:
        return []
    told: List[RenderableType] = []
    for each in under_way[-1].get("moments", ())[-_MOST_TRIED:]:
        if each.get("is") == "correction":
            told.append(_text(f"  {_correction(each, frame)}", "yellow"))
        elif each.get("is") == "command":
            state = {True: "holds", False: "failed", None: "under way"}[each.get("ok")]
            told.append(_text(f"  {each['text']}: {state}", "dim" if each.get("ok") else ""))
    return told


def _correction(told: Sections, frame: Frame) -> str:
    why = str(told.get("why") or "")
    if told["rung"] == _GIVEN_UP:
        return f"{frame.sign('✗', 'x')} given up{f': {why}' if why else ''}"
    commands = ", then ".join(told.get("commands", ())) or "try again"
    return f"{frame.sign('↻', '~')} {told['rung']}, by {told['who']}: {commands}{f' ({why})' if why else ''}"


def _outcome(run: Sections) -> List[RenderableType]:
    """The answer, the refusal with what would be understood, or why it failed."""
    if run.get("state") != ENDED:
        return []
    refusal = run.get("refusal") or {}
    offers = "; ".join(refusal.get("alternatives") or ())
    message = "" if run.get("verdict") == "succeeded" else run.get("message")
    said = str(run.get("answer") or refusal.get("text") or message or "")
    lines = [said, f"Try, for example: {offers}" if offers else ""]
    return [_text(line, "bold") for line in lines if line]


def _reply(said: Sections) -> str:
    return f"({said['reply']})" if said.get("reply") else ""


def _costs(sections: Sections) -> RenderableType:
    usage = sections.get("usage") or {}
    rungs: Dict[str, int] = sections.get("corrections") or {}
    doing = ", ".join(f"{robot}: {text}" if robot else text
                      for robot, text in sorted((sections.get("doing") or {}).items()))
    asked = f"model: {usage['calls']} calls, {usage['tokens']} tokens, {usage['seconds']:.1f} s" if usage \
        else "no model asked"
    corrected = ", ".join(f"{rung} {count}" for rung, count in rungs.items() if rung != _GIVEN_UP) or "none"
    return _text(f"{f'{doing}. ' if doing else ''}Corrections: {corrected}; {asked}", "dim")


def _text(said: str, style: str) -> Text:
    return Text(clean(said), style=style)

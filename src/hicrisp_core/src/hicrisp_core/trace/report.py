"""The report of a run: one HTML file that needs nothing else and trusts no text in it."""

from __future__ import annotations

from html import escape
from pathlib import Path
from string import Template
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from hicrisp_core.trace.drawings import Span, draw_deviations, draw_lanes, draw_stack
from hicrisp_core.trace.explain import explain
from hicrisp_core.trace.pictures import embedded
from hicrisp_core.trace.report_steps import picture_html, step_html
from hicrisp_core.trace.story import Story, story_of

_BADGES = {
    "succeeded": "Succeeded", "failed": "Failed", "refused": "Refused", "answered": "Answered",
    "canceled": "Canceled", "unfinished": "Not finished",
}


def render_report(events: Iterable[Mapping[str, Any]], folder: Union[str, Path]) -> str:
    """The page as text.

    Args:
        folder: the run folder; pictures are taken from it and from nowhere else.
    """
    told = list(events)
    story = story_of(told)
    path = Path(folder)
    sections = [
        _header(story), _section("In words", f"<p class='message'>{escape(explain(told))}</p>"),
        _pictures(story, path), _plan(story), _learnt(story), _timeline(story, path), _injected(story),
    ]
    template = (Path(__file__).parent / "report.html").read_text(encoding="utf-8")
    return Template(template).substitute(
        title=escape(f"{_BADGES[story.verdict]}: {story.text or 'a run'}"), body="\n".join(filter(None, sections)),
        run=escape(str(story.task.get("task_id") or path.name)))


def _header(story: Story) -> str:
    end = story.end or {}
    corrections = end.get("corrections") or {}
    figures = [
        (_seconds(end.get("wall_s", story.seconds)), "wall time"),
        (_seconds(end.get("sim_s", story.sim_seconds)), "robot's clock"),
        (_seconds(end.get("first_motion_s")), "to first motion"),
        (_number(end.get("steps_executed", len(story.attempts))), "commands"),
        (_number(sum(int(count or 0) for count in corrections.values())), "corrections"),
        (_millimetres(end.get("placement_error_m")), "placement error"),
        (_number(end.get("llm_calls", story.usage.get("calls", 0))), "model calls"),
        (_number(end.get("tokens", 0)), "tokens"),
    ]
    settings = [(key, story.task.get(key)) for key in ("scene", "seed", "policy", "llm", "task_id")]
    settings += [(f"corrected by {rung}", count) for rung, count in corrections.items()]
    message = str(end.get("message") or "")
    return (
        f"<header class='{story.verdict}'><span class='badge result'>{_BADGES[story.verdict]}</span>"
        f"<h1>{escape(story.text or 'A run without a task')}</h1>"
        + (f"<p class='message'>{escape(message)}</p>" if message and message != "done" else "")
        + "<div class='figures'>"
        + "".join(f"<div class='figure'><b>{value}</b><span>{label}</span></div>" for value, label in figures)
        + "</div><dl class='settings'>"
        + "".join(f"<div><dt>{escape(str(key).replace('_', ' '))}</dt><dd>{escape(str(value))}</dd></div>"
                  for key, value in settings if value not in (None, ""))
        + "</dl></header>")


def _pictures(story: Story, folder: Path) -> str:
    shown: List[str] = []
    if story.pictures:
        ends = [story.pictures[0]] + ([story.pictures[-1]] if len(story.pictures) > 1 else [])
        shown += [picture_html(folder, picture) for picture in ends]
    overview = embedded(folder, "overview.webp")
    if overview:
        shown.append(f"<figure><img src='{overview}' alt='the whole run'>"
                     "<figcaption>The whole run</figcaption></figure>")
    shown = [picture for picture in shown if picture]
    return _section("Pictures", f"<div class='pictures'>{''.join(shown)}</div>") if shown else ""


def _plan(story: Story) -> str:
    if story.answer:
        return _section("Answer", f"<p class='message'>{escape(story.answer)}</p>")
    if story.refusal is not None:
        options = "".join(f"<li>{escape(str(entry))}</li>" for entry in story.refusal.get("alternatives") or [])
        understood = f"<p class='soft'>Try, for example:</p><ul>{options}</ul>" if options else ""
        return _section("Refused", f"<p class='message'>{escape(str(story.refusal.get('text', '')))}</p>{understood}")
    parts = []
    for number, plan in enumerate(story.plans):
        first = int(plan.get("from_step") or 0)
        source = escape(str(plan.get("source") or ""))
        title = f"by {source}" if number == 0 else f"Plan {number + 1}, from step {first + 1} on, by {source}"
        steps = "".join(f"<li>{escape(said)}</li>" for said in _planned_steps(plan))
        reasoning = str(plan.get("reasoning") or "")
        parts.append(f"<p class='soft small'>{title}</p><ol class='plan' start='{first + 1}'>{steps}</ol>"
                     + (f"<p class='soft small'>{escape(reasoning)}</p>" if reasoning else ""))
    return _section("Plan", "".join(parts)) if parts else ""


def _planned_steps(plan: Mapping[str, Any]) -> List[str]:
    """The steps in words; where several robots share a plan, with the robot and what each waits for."""
    steps = [str(step) for step in plan.get("steps") or []]
    robots, waits = list(plan.get("robots") or []), list(plan.get("after") or [])
    if len(set(robots)) < 2 or not len(steps) == len(robots) == len(waits):
        return steps
    first = int(plan.get("from_step") or 0)
    return [f"{robot}: {step}" + (f" (after {', '.join(str(first + at + 1) for at in after)})" if after else "")
            for step, robot, after in zip(steps, robots, waits)]


def _lanes(story: Story) -> Dict[str, List[Span]]:
    """When each robot was busy with which step."""
    return {robot: [Span(f"{step.index + 1}. {step.text}", step.began, story.seconds if step.ended is None else
                         step.ended, step.ok) for step in story.steps if step.robot == robot]
            for robot in story.robots}


def _timeline(story: Story, folder: Path) -> str:
    if not story.steps:
        return ""
    lanes = f"<div class='drawing'>{draw_lanes(_lanes(story))}</div>" if len(story.robots) > 1 else ""
    return _section("What happened", lanes + "".join(
        step_html(step, folder, bool(lanes)) for step in story.steps))


def _learnt(story: Story) -> str:
    halves = []
    if any(story.stacks):
        halves.append(_section(
            "The feedback stack, as it grew and fell", f"<div class='drawing'>{draw_stack(story.stacks)}</div>"
            "<p class='soft small'>One column for each change, the top above; the number counts the attempts.</p>"))
    measured = [(each.number, each.deviation, bool(each.ok)) for each in story.attempts if each.deviation]
    if measured:
        halves.append(_section(
            "Measured deviation of each placement", f"<div class='drawing'>{draw_deviations(measured)}</div>"
            "<p class='soft small'>Millimetres in the plane, by the number of the command; green: accepted.</p>"))
    drawn = f"<div class='two'>{''.join(halves)}</div>" if halves else ""
    return drawn + (_section("What the action decoder has learnt", _offsets(story)) if story.offsets else "")


def _offsets(story: Story) -> str:
    rows = "".join(
        f"<tr><td>{escape(key)}</td><td>{_vector(offset.get('mean'))}</td><td>{_vector(offset.get('applied'))}</td>"
        f"<td>{_vector(offset.get('sigma'))}</td><td>{_number(offset.get('samples'))}</td></tr>"
        for key, offset in story.offsets.items())
    return ("<table class='wide'><tr><th>robot, action, frame</th><th>mean x, y, z (mm)</th><th>applied (mm)</th>"
            f"<th>sigma (mm)</th><th>samples</th></tr>{rows}</table>")


def _injected(story: Story) -> str:
    """What was made to go wrong on purpose."""
    if not story.faults:
        return _section("Injected faults", "<p class='soft'>No injected fault is recorded in this run.</p>")
    columns = ("t", "fault", "target", "magnitude", "count")
    rows = "".join("<tr>" + "".join(f"<td>{escape(_said(fault.get(key)))}</td>" for key in columns) + "</tr>"
                   for fault in story.faults)
    return _section(
        "Injected faults", "<p class='soft'>These were made to happen; every other failure is the world's own.</p>"
        "<table class='wide'><tr><th>at (s)</th><th>fault</th><th>target</th><th>magnitude</th><th>count</th></tr>"
        f"{rows}</table>")


def _section(title: str, content: str) -> str:
    return f"<section><h2>{title}</h2>{content}</section>"


def _said(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(_said(entry) for entry in value)
    if isinstance(value, float):
        return f"{value:.4g}"
    return "" if value is None else str(value)


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else escape(_said(value)) or "&ndash;"


def _seconds(value: Optional[float]) -> str:
    return f"{value:.1f} s" if isinstance(value, (int, float)) else "&ndash;"


def _millimetres(value: Optional[float]) -> str:
    return f"{1000.0 * value:.1f} mm" if isinstance(value, (int, float)) else "&ndash;"


def _vector(values: Optional[Sequence[float]]) -> str:
    return ", ".join(f"{1000.0 * float(value or 0.0):+.1f}" for value in values or []) or "&ndash;"

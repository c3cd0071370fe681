"""The report of a run: one HTML file that needs nothing else and trusts no text in it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from hicrisp_core.trace.drawings import Drawing, Span, lay_out_deviations, lay_out_lanes, lay_out_stack
from hicrisp_core.trace.events import GoalUnderstood, PictureTaken, PlanMade, TaskFinished
from hicrisp_core.trace.explain import explain, maker_words, source_words
from hicrisp_core.trace.ground import lay_out_ground
from hicrisp_core.trace.report_steps import Album, ReportPicture, told_step
from hicrisp_core.trace.scene_lines import scene_story
from hicrisp_core.trace.story import Story, story_of

_GOALS = {
    "seen": "The detector sees it.", "missed": "The detector does not see it.",
    "unknown": "Nobody could say what the task means as a whole: its steps alone were judged.",
}
"""What is known of a goal."""
_BADGES = {
    "succeeded": "Succeeded", "failed": "Failed", "refused": "Refused", "answered": "Answered",
    "canceled": "Canceled", "interrupted": "Interrupted", "stopped": "Stopped by you", "unfinished": "Not finished",
}
_UNKNOWN = "–"


class PlanPart(NamedTuple):
    """A plan as the page lists it; ``first`` is the number of its first step."""

    title: str
    first: int
    steps: Tuple[str, ...]
    reasoning: str


class GoalPart(NamedTuple):
    """The goal in words, its conditions in writing, and what is known of it."""

    words: str
    parts: Tuple[Tuple[str, str], ...]
    state: str


def render_report(events: Iterable[Mapping[str, Any]], folder: Union[str, Path]) -> str:
    """Render the report of a run as HTML.

    Args:
        events: event log of the run.
        folder: the run folder; images are only read from it.

    Returns:
        The page.
    """
    told = list(events)
    story, path = story_of(told), Path(folder)
    end = story.end or TaskFinished()
    album, ends = Album(path, len(story.pictures)), _ends(story)
    return _environment().get_template("report.html").render(
        story=story, badge=_BADGES[story.verdict],
        message="" if end.success and end.message == end.reason else end.message,
        run=story.task.task_id or path.name, words=explain(told), figures=_figures(story, end),
        settings=_settings(story, end), pictures=_pictures(ends, album),
        goal=_goal(story), plans=[_plan(number, plan) for number, plan in enumerate(story.plans)],
        above=lay_out_ground(scene_story(path), story), stack=any(story.stacks) and lay_out_stack(story.stacks),
        deviations=_deviations(story), lanes=_lanes(story),
        steps=[told_step(step, album, ends) for step in story.steps])


@lru_cache(maxsize=1)
def _environment() -> Environment:
    """Return the templates beside this file, compiled once; every value is escaped wherever it stands."""
    environment = Environment(
        loader=FileSystemLoader(str(Path(__file__).parent / "templates")), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(maker=maker_words, seconds=_seconds, number=_number, vector=_vector)
    return environment


def _goal(story: Story) -> Optional[GoalPart]:
    """Return what the task was understood to mean; ``None`` if no interpreter was asked."""
    if story.goal is None and not story.questions and not story.remarks:
        return None
    goal = story.goal or GoalUnderstood()
    words = f"{goal.said[:1].upper()}{goal.said[1:]}." if goal.known else ""
    if story.goal is not None and not goal.known:
        words = _GOALS["unknown"]
    parts: List[Tuple[str, Tuple[str, ...]]] = [(f"stage {number}" if len(goal.stages) > 1 else "at the end", (stage,))
             for number, stage in enumerate(goal.stages, start=1)]
    parts += [("otherwise", goal.otherwise), ("on the way", goal.invariants)]
    missing = story.judged.missing if story.judged is not None and story.goal_state == "missed" else ""
    state = missing or _GOALS.get(story.goal_state if goal.known else "", "")
    by = f" Understood by {source_words(goal.source)}." if goal.source else ""
    return GoalPart(words, tuple((name, ", ".join(texts)) for name, texts in parts if texts), f"{state}{by}".strip())


def _figures(story: Story, end: TaskFinished) -> List[Tuple[str, str]]:
    error = end.placement_error_m
    return [
        (_seconds(story.seconds if end.wall_s is None else end.wall_s), "wall time"),
        (_seconds(story.sim_seconds if end.sim_s is None else end.sim_s), "robot's clock"),
        (_seconds(end.first_motion_s), "to first motion"),
        (_number(len(story.attempts) if end.steps_executed is None else end.steps_executed), "commands"),
        (_number(sum((end.corrections or {}).values())), "corrections"),
        (_UNKNOWN if error is None else f"{1000.0 * error:.1f} mm", "placement error"),
        (_number(story.usage.calls if end.llm_calls is None else end.llm_calls), "model calls"),
        (_number(end.tokens or 0), "tokens"),
    ]


def _settings(story: Story, end: TaskFinished) -> List[Tuple[str, str]]:
    task = story.task
    named = [("scene", task.scene), ("seed", "" if task.seed is None else str(task.seed)),
             ("policy", task.policy),
             ("llm", task.llm), ("task id", task.task_id)]
    named += [(f"corrections of the rung {rung}", str(count)) for rung, count in (end.corrections or {}).items()]
    named += [(f"corrected by {maker}", str(count)) for maker, count in (end.corrected_by or {}).items()]
    return [(name, value) for name, value in named if value]


def _ends(story: Story) -> List[PictureTaken]:
    """Return the first and the last picture, those of the robot's camera, too."""
    ends: List[PictureTaken] = []
    for eye in ("", "camera"):
        own = [picture for picture in story.pictures if picture.eye == eye]
        ends += own[:1] + (own[-1:] if len(own) > 1 else [])
    return ends


def _pictures(ends: Sequence[PictureTaken], album: Album) -> List[ReportPicture]:
    """Return the first, the last, and the whole run."""
    shown = [album.picture(picture, wanted=True) for picture in ends]
    shown.append(album.file("overview.webp", "the whole run"))
    return [picture for picture in shown if picture.source]


def _plan(number: int, plan: PlanMade) -> PlanPart:
    first = plan.from_step + 1
    by = f"by {source_words(plan.source)}"
    title = f"Plan {number + 1}, from step {first} on, {by}" if number else by[:1].upper() + by[1:]
    return PlanPart(title, first, tuple(_planned_steps(plan)), plan.reasoning)


def _planned_steps(plan: PlanMade) -> Sequence[str]:
    """Return the steps in words; where several robots share a plan, with the robot and what each waits for."""
    if len(set(plan.robots)) < 2 or not len(plan.steps) == len(plan.robots) == len(plan.after):
        return plan.steps
    told = []
    for step, robot, after in zip(plan.steps, plan.robots, plan.after):
        waits = ", ".join(str(plan.from_step + at + 1) for at in after or ())
        told.append(f"{robot}: {step}" + (f" (after {waits})" if waits else ""))
    return told


def _deviations(story: Story) -> Optional[Drawing]:
    measured = [(each.number, each.deviation, bool(each.ok)) for each in story.attempts if each.deviation]
    return lay_out_deviations(measured) if measured else None


def _lanes(story: Story) -> Optional[Drawing]:
    """When each robot was busy with which step, where there are several."""
    if len(story.robots) < 2:
        return None
    spans: Dict[str, List[Span]] = {robot: [] for robot in story.robots}
    for step in (step for step in story.steps if step.robot):
        ended = story.seconds if step.ended is None else step.ended
        spans[step.robot].append(Span(f"{step.index + 1}. {step.text}", step.began, ended, step.ok))
    return lay_out_lanes(spans)


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"


def _seconds(value: Optional[float]) -> str:
    return _UNKNOWN if value is None else f"{value:.1f} s"


def _vector(values: Sequence[float]) -> str:
    """Return a vector in metres as millimetres."""
    return ", ".join(f"{round(1000.0 * value, 1) + 0.0:+.1f}" for value in values) or _UNKNOWN

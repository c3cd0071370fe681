"""A run's timeline as the sections of the page: JSON values by their names, live, in a replay and in the report
alike.
"""

from __future__ import annotations

import math
from itertools import islice
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, Type

from hicrisp_core.trace import events
from hicrisp_core.trace.explain import maker_words, source_words, witness_words
from hicrisp_core.trace.plain import plain
from hicrisp_core.trace.timeline import AttemptRecord, Timeline

Sections = Dict[str, Any]
MOST_COLUMNS = 120
"""Changes of the stack that are drawn, the latest ones."""
_MOST_SAID, _MOST_PICTURES, _MOST_PLACES, _MOST_DRIVES = 200, 8, 40, 60
"""How many of the latest are shown."""
_UNFOLDED = 40
"""Steps before the latest one that are shown with what was tried in them; of older ones there is a line."""
_ALONE: Mapping[Type[events.Event], Sequence[str]] = {
    events.GoalUnderstood: ("goal",), events.GoalJudged: ("goal",), events.PlanMade: ("plan",),
    events.CommandTried: ("doing", "places"), events.OutcomeClaimed: ("doing",),
    events.VerdictGiven: ("doing", "places"), events.StepFinished: ("doing",), events.CorrectionMade: ("corrections",),
    events.StackChanged: ("stack",), events.UsageSoFar: ("usage",), events.OffsetLearnt: ("offsets",),
    events.PictureTaken: ("pictures",), events.BaseDrove: ("drives",), events.TaskFinished: ("doing",),
    **dict.fromkeys((events.QuestionAsked, events.UserSaid, events.ApprovalAsked, events.Recalled,
                     events.FaultInjected, events.Noted, events.Witnessed), ("said",))}
"""The sections that a kind of event changes besides ``run`` and those of its steps."""


def sections_of(timeline: Timeline) -> Sections:
    """Return every section as it stands.

    Args:
        timeline: the run.

    Returns:
        ``run``, ``goal``, ``plan``, ``step:0`` and so on, ``stack``, ``usage``, ``offsets``, ``said``, ``pictures``,
        ``places``, ``drives``, ``corrections``, ``doing`` (the command under way by robot).
    """
    return {**{name: made(timeline) for name, made in _SECTIONS.items()},
            **{f"step:{index}": step_section(timeline, index) for index in timeline.planned}}


def changed_sections(timeline: Timeline, event: events.Event) -> Sections:
    """Return the sections that the latest event has changed.

    Args:
        timeline: the run after the event.
        event: the event.

    Returns:
        The sections; ``None`` in the place of a step that a new plan has taken away.
    """
    return {name: section_of(timeline, name) for name in sorted(changed_names(timeline, event))}


def changed_names(timeline: Timeline, event: events.Event) -> Set[str]:
    """Return the names of the sections that the latest event has changed.

    Args:
        timeline: the run after the event.
        event: the event.

    Returns:
        The names.
    """
    steps = set(timeline.touched)
    begun = any(timeline.planned[index].began == event.t for index in steps if index in timeline.planned)
    folded = (event.index or 0) - _UNFOLDED - 1
    if isinstance(event, events.StepStarted) and folded in timeline.planned:
        steps.add(folded)
    return {"run", *_ALONE.get(type(event), ()), *(("plan",) if begun else ()), *(f"step:{index}" for index in steps)}


def section_of(timeline: Timeline, name: str) -> Any:
    """Return one section as it stands.

    Args:
        timeline: the run.
        name: the section's name.

    Returns:
        The JSON value; ``None`` for a step that the plan does not have.
    """
    return step_section(timeline, int(name[5:])) if name.startswith("step:") else _SECTIONS[name](timeline)


def step_section(timeline: Timeline, index: int) -> Optional[Sections]:
    """Return a step with what was tried in it.

    Args:
        timeline: the run.
        index: the step's place in the plan, from 0.

    Returns:
        The section; of a step that is long over only the number of its moments, as ``folded``; ``None`` if the plan
        does not have the step.
    """
    step = timeline.planned.get(index)
    if step is None:
        return None
    shown: List[Sections] = []
    for moment in step.moments:
        if isinstance(moment, AttemptRecord):
            shown.append(_attempt(moment))
        elif isinstance(moment, events.CorrectionMade):
            shown.append({"is": "correction", "t": moment.t, "rung": moment.rung, "who": maker_words(moment),
                          "why": moment.note, "commands": list(moment.commands)})
        elif isinstance(moment, events.PictureTaken) and shown:  # It belongs to the command that it was taken after.
            shown[-1] = {**shown[-1], "pictures": [*shown[-1].get("pictures", ()), _picture(moment)]}
        elif isinstance(moment, events.LookedAgain):
            seen = "seen" if moment.seen else "still not seen"
            away = f", with {', '.join(moment.cleared)} out of sight" if moment.cleared else ""
            shown.append({"is": "look", "t": moment.t,
                          "text": f"looked again for {', '.join(moment.names)}{away}: {seen}"})
        elif isinstance(moment, (events.ApprovalAsked, events.UserSaid, events.FaultInjected)):
            told = _told(moment)
            granted = "approved" if told.get("effect") == "yes" else "not approved"
            begun = {"said": "said", "fault": "injected"}.get(moment.kind, granted)
            shown.append({"is": moment.kind, "t": moment.t,
                          "text": f"{begun}: {told['text']} {told['reply']}".rstrip()})
    folded = bool(timeline.steps) and index < timeline.steps[-1].index - _UNFOLDED
    return {"index": index, "text": step.text, "robot": step.robot, "after": list(step.after),
            "state": step.state, "began": step.began, "ended": step.ended, "folded": len(shown) if folded else 0,
            "moments": [] if folded else shown}


def _attempt(tried: AttemptRecord) -> Sections:
    """Return a command with what the driver claimed and what the detector saw of it."""
    command, outcome, verdict, seen = tried.command, tried.outcome, tried.verdict, tried.feedback
    shown: Sections = {"is": "command", "number": tried.number, "t": command.t, "text": tried.text,
                       "command": command.command, "purpose": command.purpose, "depth": command.depth, "ok": tried.ok,
                       "stopped": tried.stopped}
    if outcome is not None:
        shown["claimed"] = {"status": outcome.status, "message": outcome.message}
    if verdict is None:
        return shown
    off = (*tried.deviation, 0.0, 0.0, 0.0)[:3]
    shown.update(note=verdict.note, seconds=round(max(0.0, verdict.t - command.t), 3), deviation=None)
    if tried.deviation:
        shown["deviation"] = {**{axis: round(1000.0 * value, 2) for axis, value in zip("xyz", off)},
                              "plane": round(1000.0 * math.hypot(*off[:2]), 2)}
    if seen is not None:
        cause = seen.cause
        age = "" if cause is None or cause.seconds is None else f"{cause.seconds:.1f} s"
        shown["feedback"] = {
            "level": seen.level, "kind": seen.kind, "error": seen.error, "reason": seen.reason,
            "suggestion": seen.suggestion, "blockers": list(seen.blockers),
            "cause": ", ".join(filter(None, (cause.kind, *cause.names, age))) if cause is not None else "",
            "measured": [plain(each) for each in seen.measured]}
    return shown


def places_section(timeline: Timeline) -> List[Sections]:
    """Return where commands were to put objects and where these ended, metres in the world frame.

    Args:
        timeline: the run.

    Returns:
        The targets, aims and achieved points, the latest last.
    """
    latest = (each for each in reversed(timeline.attempts) if each.command.target)
    placed = list(islice(latest, _MOST_PLACES))[::-1]
    return [{"number": each.number, "item": each.command.arguments.get("item", ""), "robot": each.command.robot,
             "text": each.text, "target": plain(each.command.target), "aim": plain(each.command.aim),
             "achieved": each.achieved, "ok": each.ok} for each in placed]


def _run(timeline: Timeline) -> Sections:
    task, end, refusal = timeline.task, timeline.end, timeline.refusal
    shown: Sections = {
        "state": timeline.phase, "t": timeline.seconds, "task_id": task.task_id, "text": task.text,
        "policy": task.policy, "llm": task.llm, "scene": task.scene, "seed": task.seed, "waiting": timeline.waiting,
        "faults": [{"t": at, **plain(fault)} for at, fault in timeline.faults], "answer": timeline.answer,
        "refusal": refusal and {"text": refusal.text, "alternatives": list(refusal.alternatives)}}
    if end is not None:
        shown.update(
            verdict=timeline.verdict, message=end.message, reason=end.reason, goal=end.goal,
            figures={"commands": end.steps_executed, "corrections": plain(end.corrections), "calls": end.llm_calls,
                     "tokens": end.tokens, "seconds": end.wall_s, "robot_seconds": end.sim_s,
                     "placement_error_m": end.placement_error_m, "first_motion_s": end.first_motion_s},
            given_up=list(end.given_up), not_begun=list(end.not_begun))
    return shown


def _goal(timeline: Timeline) -> Optional[Sections]:
    goal, judged = timeline.goal, timeline.judged
    if goal is None and judged is None:
        return None
    understood = goal or events.GoalUnderstood(known=True)
    numbered = len(understood.stages) > 1
    parts = (*((f"stage {number}" if numbered else "at the end", each)
               for number, each in enumerate(understood.stages, start=1)),
             *(("otherwise", each) for each in understood.otherwise),
             *(("on the way", each) for each in understood.invariants))
    return {"known": understood.known, "said": understood.said, "source": understood.source,
            "conditions": [{"when": when, "text": text} for when, text in parts],
            "state": "" if judged is None else "seen" if judged.seen else "missed",
            "missing": judged.missing if judged is not None else ""}


def _plan(timeline: Timeline) -> Sections:
    plan = timeline.plans[-1] if timeline.plans else events.PlanMade()
    return {"steps": sorted(timeline.planned), "source": source_words(plan.source) if plan.source else "",
            "reasoning": plan.reasoning, "replans": sum(1 for each in timeline.plans if each.from_step)}


def _stack(timeline: Timeline) -> Sections:
    """Return the stack as it stands, and its columns; ``colour`` counts the commands of the legend."""
    legend: Dict[str, int] = {}
    columns = [{"t": t, "bars": [{"colour": legend.setdefault(each.command, len(legend)), "attempts": each.attempts}
                                 for each in entries]} for t, entries in timeline.stacks[-MOST_COLUMNS:]]
    entries = [{"command": each.command, "error": each.error, "attempts": each.attempts, "kind": each.kind}
               for each in timeline.stack]
    drawn = columns if timeline.deepest else []  # One that was empty from the beginning shows nothing.
    return {"entries": entries, "columns": drawn, "legend": list(legend), "deepest": timeline.deepest}


def _told(event: events.Event) -> Sections:
    """Return what was asked, said, remembered, injected or noted."""
    shown: Sections = {"t": event.t, "kind": event.kind, "text": "", "reply": ""}
    if isinstance(event, events.QuestionAsked):
        shown.update(text=event.text, choices=list(event.choices), reply=event.answer)
    elif isinstance(event, events.UserSaid):
        shown.update(text=event.text, effect=event.effect, reply=event.reply)
    elif isinstance(event, events.ApprovalAsked):
        shown.update(text=event.command, effect="yes" if event.granted else "no", reply=event.doubt)
    elif isinstance(event, events.Recalled):
        shown.update(text="; ".join(event.texts), reply=event.what)
    elif isinstance(event, events.FaultInjected):
        shown.update(text=event.fault, reply=event.target)
    elif isinstance(event, events.Witnessed):
        shown.update(kind=events.Noted.kind, text=witness_words(event))
    elif isinstance(event, events.Noted):
        shown.update(text=event.text)
    return shown


def _picture(taken: events.PictureTaken) -> Sections:
    return {"file": taken.file, "caption": taken.caption, "t": taken.t, "eye": taken.eye}


_SECTIONS: Mapping[str, Callable[[Timeline], Any]] = {
    "run": _run, "goal": _goal, "plan": _plan, "stack": _stack,
    "usage": lambda timeline: {
        "calls": timeline.usage.calls, "seconds": timeline.usage.seconds,
        "tokens": timeline.usage.prompt_tokens + timeline.usage.completion_tokens},
    "offsets": lambda timeline: {key: {"applied": plain(each.applied), "mean": plain(each.mean),
                                       "sigma": plain(each.sigma), "samples": each.samples}
                                 for key, each in timeline.offsets.items()},
    "said": lambda timeline: [_told(each) for each in timeline.said[-_MOST_SAID:]],
    "pictures": lambda timeline: [_picture(each) for each in timeline.pictures[-_MOST_PICTURES:]],
    "places": places_section,
    "drives": lambda timeline: [{"robot": each.robot, "stop": plain(each.stop), "marks": plain(each.marks),
                                 "metres": round(sum(math.dist(a[:2], b[:2]) for a, b in zip(
                                     each.driven, each.driven[1:])), 2)} for each in timeline.drives[-_MOST_DRIVES:]],
    "corrections": lambda timeline: dict(timeline.rungs), "doing": lambda timeline: dict(timeline.doing)}

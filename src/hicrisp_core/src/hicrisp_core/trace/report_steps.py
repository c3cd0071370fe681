"""The report's timeline: a step with its attempts, verdicts, corrections and pictures."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any, List, Mapping, Optional, Sequence

from hicrisp_core.trace.explain import maker_words
from hicrisp_core.trace.pictures import embedded
from hicrisp_core.trace.story import Attempt, StepStory

_DEEPEST = 6
"""Deeper nesting is not shown further in."""
_PURPOSES = {"step": "", "correction": "correction", "retry": "tried again"}


def step_html(step: StepStory, folder: Path, named: bool = False) -> str:
    """One step of the plan and everything that happened in it; ``named`` shows whose step it was."""
    mark, word = ("", "not finished") if step.ok is None else ("good", "done") if step.ok else ("bad", "not done")
    moments: List[str] = []
    attempt: Optional[Attempt] = None
    shown = 0
    depth = 0
    for moment in step.moments:
        if isinstance(moment, Attempt):
            shown = len(moments)
            moments.append(_nested(_attempt(moment), moment.depth))
            attempt = moment
        elif attempt is not None and moment.get("kind") == "picture":
            moments[shown] = _nested(_attempt(attempt, picture_html(folder, moment)), attempt.depth)
            attempt = None  # The picture shows what the attempt left.
        elif moment.get("kind") == "stack":
            entries = list(moment.get("entries") or [])
            moments.append(_nested(_stacked(entries, depth), max(depth, len(entries))))
            depth = len(entries)
        elif moment.get("kind") not in ("offset", "usage"):
            moments.append(_nested(_moment(moment, folder), depth))
            attempt = None
    robot = f"<span class='badge'>{escape(step.robot)}</span>" if named and step.robot else ""
    return (f"<div class='step {mark}'><div class='head'><h3>{step.index + 1}. {escape(step.text)}</h3>{robot}"
            f"<span class='badge {mark}'>{word}</span></div>{''.join(moments)}</div>")


def _nested(html: str, depth: int) -> str:
    """A moment moved in by one step for each failed command on the stack above the step's own."""
    level = min(depth, _DEEPEST) - 1
    return f"<div style='margin-left:{24 * level}px'>{html}</div>" if level > 0 and html else html


def _stacked(entries: Sequence[Mapping[str, Any]], before: int) -> str:
    """What became of the feedback stack; nothing where its top was only tried once more."""
    if len(entries) == before:
        return ""
    if not entries:
        return "<p class='soft small'>The feedback stack is empty: the step holds.</p>"
    names = " on ".join(escape(str(entry.get("command", ""))) for entry in reversed(entries))
    word = "pushed onto the feedback stack" if len(entries) > before else "taken off the feedback stack"
    return f"<p class='soft small'>{word}, now {len(entries)} deep: {names}</p>"


def picture_html(folder: Path, picture: Mapping[str, Any]) -> str:
    """A picture with its caption; empty when the file is not in the run folder."""
    source = embedded(folder, str(picture.get("file", "")))
    caption = escape(str(picture.get("caption", "")))
    return f"<figure><img src='{source}' alt='{caption}'><figcaption>{caption}</figcaption></figure>" if source else ""


def _attempt(attempt: Attempt, picture: str = "") -> str:
    mark, word = ("warn", "no verdict") if attempt.ok is None else ("good", "ok") if attempt.ok else ("bad", "failed")
    purpose = _PURPOSES.get(str(attempt.command.get("purpose", "")), str(attempt.command.get("purpose", "")))
    rows = []
    claim = str(attempt.outcome.get("status", ""))
    if claim:
        message = str(attempt.outcome.get("message") or "")
        rows.append(("robot said", f"{claim}{': ' + message if message else ''}"))
    feedback = attempt.feedback
    if feedback:
        rows.append(("detector", f"{str(feedback.get('level', '')).upper()} level, "
                                 f"{feedback.get('label') or feedback.get('kind', '')}"))
        rows += [(key, str(feedback.get(key) or "")) for key in ("error", "reason", "suggestion")]
        rows += [(key, ", ".join(map(str, feedback.get(key) or []))) for key in ("subjects", "blockers")]
        rows.append(("measured", "; ".join(map(_measured, feedback.get("measured") or []))))
        rows.append(("first cause", _cause(feedback.get("cause") or {})))
    elif attempt.verdict.get("note"):
        rows.append(("detector", str(attempt.verdict["note"])))
    if attempt.deviation:
        rows.append(("deviation", ", ".join(f"{1000.0 * value:+.1f}" for value in attempt.deviation) + " mm (x, y, z)"))
    table = "".join(f"<tr><th>{key}</th><td>{escape(text)}</td></tr>" for key, text in rows if text)
    return (
        f"<div class='moment {'bad' if attempt.ok is False else ''}'><div class='line'>"
        f"<span class='badge {mark}'>{word}</span><b>{escape(attempt.text)}</b>"
        + (f"<span class='soft small'>{escape(purpose)}</span>" if purpose else "")
        + f"<code>{escape(_goal(attempt.command))}</code><span class='t'>{_time(attempt.command)}</span></div>"
        + f"<div class='found'>{f'<table>{table}</table>' if table else ''}{picture}</div></div>")


def _moment(event: Mapping[str, Any], folder: Path) -> str:
    kind = event.get("kind")
    if kind == "correction":
        commands = ", then ".join(str(command) for command in event.get("commands") or [])
        note = str(event.get("note") or "")
        rung = escape(str(event.get("rung", "")))
        by = "" if event.get("rung") == "give_up" else maker_words(event)
        maker = f"<span class='soft small'>{escape(by)}</span>" if by else ""
        return (f"<div class='moment correction'><div class='line'><span class='badge warn'>{rung}</span>"
                f"<b>{escape(commands or 'try again')}</b>{maker}<span class='t'>{_time(event)}</span></div>"
                + (f"<div class='soft small'>{escape(note)}</div>" if note else "") + "</div>")
    if kind == "picture":
        figure = picture_html(folder, event)
        return f"<div class='pictures' style='max-width:320px'>{figure}</div>" if figure else ""
    if kind == "approval":
        word = "approved" if event.get("granted") else "not approved"
        return f"<p class='soft small'>{word}: {escape(str(event.get('command', '')))}</p>"
    if kind == "plan":
        return "<p class='soft small'>A new plan takes over from here.</p>"
    if kind == "note":
        return f"<p class='soft small'>{escape(str(event.get('text', '')))}</p>"
    if kind == "fault":
        fault = escape(str(event.get("fault", "")))
        return f"<p class='soft small'><span class='badge warn'>injected</span> {fault}</p>"
    return ""


def _measured(value: Mapping[str, Any]) -> str:
    """A measured value with its unit, and what it was measured of."""
    of = f" of {value['of']}" if value.get("of") else ""
    return f"{str(value.get('name', '')).replace('_', ' ')}{of} {float(value.get('value') or 0.0):.3g} " \
        f"{value.get('unit', '')}".strip()


def _cause(cause: Mapping[str, Any]) -> str:
    """The first cause by its kind, with its names and its age."""
    seconds = cause.get("seconds")
    parts = [str(cause.get("kind", "")).replace("_", " "), *map(str, cause.get("names") or [])]
    return ", ".join(filter(None, (*parts, "" if seconds is None else f"{float(seconds):.1f} s")))


def _goal(command: Mapping[str, Any]) -> str:
    """Where the item shall go, and the aim where it differs."""
    target, aim = command.get("target"), command.get("aim")
    if not target:
        return ""
    text = "to " + _point(target)
    return text + f", aimed at {_point(aim)}" if aim and aim != target else text


def _point(values: Any) -> str:
    return "(" + ", ".join(f"{float(value or 0.0):.3f}" for value in values) + ")"


def _time(event: Mapping[str, Any]) -> str:
    return f"{float(event.get('t') or 0.0):.1f} s"

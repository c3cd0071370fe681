"""The rows of the report's timeline: what happened in a step, in its order, moved in by the depth of the stack;
and its pictures.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Collection, List, NamedTuple, Optional, Sequence, Tuple

from hicrisp_core.trace.events import CommandTried, Event, PictureTaken, StackChanged
from hicrisp_core.trace.records import CauseRecord, FeedbackRecord, MeasuredRecord
from hicrisp_core.trace.story import AttemptRecord, StepStory

TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}
LIMIT = 8_000_000
"""Bytes of one picture that are embedded at most."""


_ALL, _MOST = 60_000_000, 120
"""Characters of all pictures of a page, and how many there are at most of what went well."""
_DEEPEST = 6
"""Deeper nesting is not shown further in."""
_INDENT = 24
"""Pixels for each failed command on the stack above the step's own."""
_PURPOSES = {"step": "", "correction": "correction", "retry": "tried again"}


def embedded(folder: Path, name: str) -> str:
    """Encode an image as a data URI.

    Args:
        folder: the run folder.
        name: path of the image relative to it.

    Returns:
        The URI; empty if the file is missing, outside the folder or not an image.
    """
    if not name:
        return ""
    root = folder.resolve()
    path = (root / name).resolve()
    if root not in path.parents or path.suffix.lower() not in TYPES or not path.is_file():
        return ""
    if path.stat().st_size > LIMIT:
        return ""
    return f"data:{TYPES[path.suffix.lower()]};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"


class ReportPicture(NamedTuple):
    """A picture as a data URI with its caption; the source is empty when the file is not in the run
    folder.
    """

    source: str
    caption: str


class Album:
    """Hands out the pictures of a run, not all of them where there are very many, so that the page stays one
    that can be opened.

    Args:
        count: how many pictures the run has.
    """

    def __init__(self, folder: Path, count: int) -> None:
        self._folder = folder
        self._every = -(-count // _MOST) or 1
        self._left = _ALL
        self._asked = 0

    def picture(self, taken: PictureTaken, wanted: bool = False) -> ReportPicture:
        """Return an image for the report; in long runs only some are included.

        Args:
            taken: the event of the image.
            wanted: whether to include it in any case, within the total size limit.

        Returns:
            The image with its caption; empty if it is omitted.
        """
        self._asked += 1
        if not wanted and self._asked % self._every:
            return ReportPicture("", "")
        caption = f"{taken.caption} (the robot's camera)" if taken.eye else taken.caption
        return self.file(taken.file, caption)

    def file(self, name: str, caption: str) -> ReportPicture:
        """Return an image by its file.

        Args:
            name: path relative to the run folder.
            caption: text below the image.

        Returns:
            The image; empty if it is omitted.
        """
        source = embedded(self._folder, name) if self._left > 0 else ""
        self._left -= len(source)
        return ReportPicture(source, caption)


@dataclass(frozen=True)
class Row:
    """One row: an attempt with what was found of it, or another event."""

    indent: int = 0
    attempt: Optional[AttemptRecord] = None
    purpose: str = ""
    goal: str = ""
    facts: Tuple[Tuple[str, str], ...] = ()
    pictures: Tuple[ReportPicture, ...] = ()
    event: Optional[Event] = None
    names: Tuple[str, ...] = ()
    """The commands on the stack after it changed, the top first."""
    grew: bool = False


@dataclass(frozen=True)
class ToldStep:
    """A step with its rows."""

    step: StepStory
    rows: Tuple[Row, ...]


def told_step(step: StepStory, album: Album, shown: Collection[PictureTaken] = ()) -> ToldStep:
    """Return the rows of a step; images belong to the attempt before them, as they show its result.

    Args:
        step: the step with its attempts.
        album: provides the images.
        shown: pictures that stand elsewhere on the page, and here only beside the attempt that they show.

    Returns:
        The rows.
    """
    rows: List[Row] = []
    waiting: Optional[int] = None
    """The row of the attempt that pictures belong to."""
    depth = 0
    for moment in step.moments:
        if isinstance(moment, AttemptRecord):
            waiting = len(rows)
            rows.append(_attempt(moment))
        elif isinstance(moment, PictureTaken):
            if moment in shown and (waiting is None or _after(moment, step)):
                continue
            attempt = None if waiting is None else rows[waiting].attempt
            picture = album.picture(moment, wanted=attempt is not None and attempt.ok is not True)
            if waiting is not None and picture.source:
                rows[waiting] = replace(rows[waiting], pictures=(*rows[waiting].pictures, picture))
            elif picture.source:
                rows.append(Row(_indent(depth), event=moment, pictures=(picture,)))
        elif isinstance(moment, StackChanged):
            # Where its top was only tried once more there is nothing to tell.
            if len(moment.entries) != depth:
                names = tuple(entry.command for entry in reversed(moment.entries))
                rows.append(Row(_indent(max(depth, len(names))), event=moment, names=names, grew=len(names) > depth))
            depth = len(moment.entries)
        elif moment.kind != "offset":
            rows.append(Row(_indent(depth), event=moment))
            waiting = None
    return ToldStep(step, tuple(rows))


def _after(picture: PictureTaken, step: StepStory) -> bool:
    """Check whether an image was taken after the step, so that it shows how the run ended."""
    return step.ended is not None and picture.t >= step.ended


def _indent(depth: int) -> int:
    return _INDENT * max(0, min(depth, _DEEPEST) - 1)


def _attempt(attempt: AttemptRecord) -> Row:
    purpose = _PURPOSES.get(attempt.command.purpose, attempt.command.purpose)
    facts = tuple((name, text) for name, text in _facts(attempt) if text)
    return Row(_indent(attempt.command.depth), attempt, purpose, _goal(attempt.command), facts)


def _facts(attempt: AttemptRecord) -> List[Tuple[str, str]]:
    facts: List[Tuple[str, str]] = []
    if attempt.outcome is not None:
        claim = attempt.outcome
        facts.append(("robot said", f"{claim.status}: {claim.message}" if claim.message else claim.status))
    feedback: Optional[FeedbackRecord] = attempt.feedback
    if feedback is not None:
        facts += [("detector", f"{feedback.level.upper()} level, {feedback.name}"), ("error", feedback.error),
                  ("reason", feedback.reason), ("suggestion", feedback.suggestion),
                  ("subjects", ", ".join(feedback.subjects)), ("blockers", ", ".join(feedback.blockers)),
                  ("measured", "; ".join(map(_measured, feedback.measured))),
                  ("first cause", _cause(feedback.cause) if feedback.cause is not None else "")]
    elif attempt.verdict is not None:
        facts.append(("detector", attempt.verdict.note))
    if attempt.deviation:
        measured = ", ".join(f"{1000.0 * value:+.1f}" for value in attempt.deviation)
        facts.append(("deviation", f"{measured} mm (x, y, z)"))
    return facts


def _measured(each: MeasuredRecord) -> str:
    """Return a measured value with its unit, and what it was measured of."""
    of = f" of {each.of}" if each.of else ""
    return f"{each.name.replace('_', ' ')}{of} {each.value:.3g} {each.unit}".strip()


def _cause(cause: CauseRecord) -> str:
    """Return the first cause by its kind, with its names and its age."""
    age = "" if cause.seconds is None else f"{cause.seconds:.1f} s"
    return ", ".join(filter(None, (cause.kind.replace("_", " "), *cause.names, age)))


def _goal(command: CommandTried) -> str:
    """Return where the item shall go, and the aim where it differs."""
    if not command.target:
        return ""
    aimed = f", aimed at {_point(command.aim)}" if command.aim and command.aim != command.target else ""
    return f"to {_point(command.target)}{aimed}"


def _point(values: Sequence[float]) -> str:
    return f"({', '.join(f'{value:.3f}' for value in values)})"

"""The report of a run: the page of its replay with everything in one HTML file, which trusts no text in it."""

from __future__ import annotations

import base64
import hashlib
import re
from html import escape
from pathlib import Path
from typing import Any, Dict, Iterable, Mapping, Set, Union

from hicrisp_core.trace.explain import explain
from hicrisp_core.trace.plain import to_json
from hicrisp_core.trace.replay import Replay
from hicrisp_core.trace.scene_lines import read_record
from hicrisp_core.trace.timeline import AttemptRecord, Timeline, timeline_of, verdict_words

PAGE = Path(__file__).parent / "page"
"""The files of the page that the report and the dashboard have in common."""
OVERVIEW = "overview.webp"
"""The run as an animation, in the run folder."""
_TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}
_LARGEST, _ALL = 8_000_000, 60_000_000
"""Bytes of one picture, and characters of all of them, that are embedded at most."""
_MOST_PICTURES, _MOST_MOMENTS = 120, 400
"""How many pictures of what went well, and moments, are embedded about at most."""
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (const|class|function) ([\w$]+)", re.MULTILINE)


def render_report(events: Iterable[Mapping[str, Any]], folder: Union[str, Path]) -> str:
    """Render the report of a run as HTML.

    Args:
        events: event log of the run.
        folder: the run folder; pictures are only read from it.

    Returns:
        The page.
    """
    told, path = list(events), Path(folder)
    timeline = timeline_of(told)
    part = Replay(told, read_record(path)).whole(_MOST_MOMENTS)
    run = timeline.task.task_id or path.name
    data = to_json({"id": run, "part": part, "files": _pictures(path, timeline)}).replace("<", r"\u003c")
    script, style = _bundled("report", set()), (PAGE / "style.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    title = f"{verdict_words(timeline.verdict)}: {timeline.text or 'a run'}"
    filled = {"hash": f"sha256-{digest}", "title": escape(title), "id": escape(run), "words": escape(explain(told)),
              "style": style, "data": data, "script": script}
    page = (PAGE / "report.html").read_text(encoding="utf-8")
    return re.sub(r"\{(hash|title|id|words|style|data|script)\}", lambda found: filled[found.group(1)], page)


def _pictures(folder: Path, timeline: Timeline) -> Dict[str, str]:
    """Return the animation and the pictures as data URIs by their files: those of failures and the ends of the run, and
    where there are very many only some of the others, so that the page can be opened.
    """
    wanted = [OVERVIEW, *(each.file for each in (*timeline.pictures[:2], *timeline.pictures[-2:]))]
    for step in timeline.steps:
        failed = False
        for moment in step.moments:
            if isinstance(moment, AttemptRecord):
                failed = moment.ok is not True
            elif moment.kind == "picture" and failed:
                wanted.append(moment.file)
    others = [each.file for each in timeline.pictures]
    left, found = _ALL, {}
    for name in dict.fromkeys((*wanted, *others[::-(-len(others) // _MOST_PICTURES) or 1])):
        embedded = embed(folder, name) if left > 0 else ""
        if embedded:
            found[name] = embedded
            left -= len(embedded)
    return found


def embed(folder: Path, name: str) -> str:
    """Encode a picture as a data URI.

    Args:
        folder: the run folder.
        name: path of the picture relative to it.

    Returns:
        The URI; empty if the file is missing, outside the folder, too large or not a picture.
    """
    root, path = folder.resolve(), (folder / name).resolve()
    kind = _TYPES.get(path.suffix.lower(), "")
    if not kind or root not in path.parents or not path.is_file() or path.stat().st_size > _LARGEST:
        return ""
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"


def _bundled(name: str, there: Set[str]) -> str:
    """Return a module of the page and those that it imports, each once, as one script without imports."""
    there.add(name)
    text = (PAGE / "js" / f"{name}.js").read_text(encoding="utf-8")
    before = "".join(_bundled(each, there) for _, each in _IMPORT.findall(text) if each not in there)
    given = ", ".join(each for _, each in _EXPORT.findall(text))
    body = _EXPORT.sub(r"\1 \2", _IMPORT.sub(r"const \1 = of_\2;\n", text))
    return f"{before}const of_{name} = (() => {{\n{body}return {{ {given} }};\n}})();\n"

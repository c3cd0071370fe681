"""Messages, services and actions: their files as they stand, with what each is for."""

from __future__ import annotations

from pathlib import Path
from typing import Dict

from reference.markdown import page
from reference.problems import Problems

_KINDS = {"msg": "Messages", "srv": "Services", "action": "Actions"}


def about(file: Path) -> str:
    """Read the comment at the head of an interface file.

    Args:
        file: a message, service or action.

    Returns:
        The comment as one text.
    """
    lines = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# ").strip())
    return " ".join(lines)


def message_pages(root: Path, problems: Problems) -> Dict[str, str]:
    """Write a page for each kind of interface.

    Args:
        root: the workspace.
        problems: collects what has no description.

    Returns:
        Markdown by file name.
    """
    pages: Dict[str, str] = {}
    for kind, title in _KINDS.items():
        parts = []
        for file in sorted((root / "src" / "hicrisp_msgs" / kind).glob(f"*.{kind}")):
            problems.text(str(file.relative_to(root)), about(file))
            body = file.read_text(encoding="utf-8").strip()
            parts.append(f"(hicrisp-msgs-{file.stem.lower()})=\n## {file.stem}\n\n```text\n{body}\n```")
        pages[f"{kind}.md"] = page(
            title,
            f"The {title.lower()} of `hicrisp_msgs`. Lengths are metres, angles radians, times seconds, "
            "unless a comment says otherwise; frames follow REP-105.", *parts)
    return pages

"""Writes the reference: ``python3 -m reference ROOT FOLDER``; fails where something has no description."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Dict

from reference.commands import command_page
from reference.events import events_page
from reference.keys import key_pages
from reference.launch_files import launch_page
from reference.messages import message_pages
from reference.nodes import node_pages
from reference.problems import Problems


def pages(root: Path, problems: Problems) -> Dict[str, str]:
    """Write all pages of the reference.

    Args:
        root: the workspace.
        problems: collects what has no description.

    Returns:
        Markdown by file name.
    """
    return {**node_pages(root, problems), **message_pages(root, problems), **key_pages(problems),
            "launch.md": launch_page(root, problems), "commands.md": command_page(problems),
            "events.md": events_page()}


def main() -> int:
    """Write the pages; what has no description is told, and nothing is written."""
    root, folder = map(Path, sys.argv[1:3])
    problems = Problems()
    found = pages(root, problems)
    if problems.lines:
        sys.stderr.write("\n".join((*problems.lines,
                                    f"the reference lacks {len(problems.lines)} descriptions")) + "\n")
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in found.items():
        file = folder / name
        if not file.is_file() or file.read_text(encoding=
                                                "utf-8") != text:  # What did not change is not built again.
            file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Writes the reference: ``python3 -m reference ROOT FOLDER``; fails where something has no description, or where
there is more to set than a user can survey. ``python3 -m reference ROOT`` alone counts what can be set.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Dict

from reference.commands import command_page
from reference.events import events_page
from reference.keys import count_keys, key_pages
from reference.launch_files import count_arguments, launch_page
from reference.messages import message_pages
from reference.nodes import node_pages
from reference.problems import Problems

MOST = {"configuration keys": 302, "launch arguments": 123}
"""How much there may be to set."""


def other_pages(root: Path, problems: Problems) -> Dict[str, str]:
    """Write all pages of the reference but those of configuration keys.

    Args:
        root: the workspace.
        problems: collects what has no description.

    Returns:
        Markdown by file name.
    """
    return {**node_pages(root, problems), **message_pages(root, problems),
            "launch.md": launch_page(root, problems), "commands.md": command_page(problems),
            "events.md": events_page()}


def main() -> int:
    """Write the pages; what has no description is told, and nothing is written."""
    root, problems = Path(sys.argv[1]), Problems()
    keys = key_pages(problems)
    counted = {"configuration keys": count_keys(keys), "launch arguments": count_arguments(root)}
    if len(sys.argv) == 2:
        sys.stdout.write("".join(f"{number} {what}\n" for what, number in counted.items()))
        return 0
    for what, number in counted.items():
        if number > MOST[what]:
            problems.add("scripts/lib/reference", f"{number} {what}, and at most {MOST[what]} are wanted; say one "
                                                  "where others read it, or make it a constant")
    found, folder = {**keys, **other_pages(root, problems)}, Path(sys.argv[2])
    if problems.lines:
        sys.stderr.write("\n".join((*problems.lines,
                                    f"the reference lacks {len(problems.lines)} descriptions")) + "\n")
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in found.items():
        file = folder / name
        if not file.is_file() or file.read_text(encoding="utf-8") != text:  # What did not change is not built again.
            file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

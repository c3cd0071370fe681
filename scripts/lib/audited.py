"""``audited.py LIST REPORT``: says what pip-audit's report, as JSON, has of a list.

Ends with 0 where nothing is known against any package, 1 where something is, 75 where not all were asked
about, 69 where none was: what a service does not know is no good news.
"""
# ruff: noqa: T201  a command line prints

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import List, Tuple

_FOUND, _UNASKED, _UNAVAILABLE = 1, 75, 69


def judged(report: str) -> Tuple[int, List[str]]:
    """Judge the report of a vulnerability service.

    Args:
        report: JSON of pip-audit; empty if the service did not answer.

    Returns:
        Exit status, and lines for the terminal.
    """
    try:
        packages = json.loads(report)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return _UNAVAILABLE, ["not audited: no service answered"]
    known = [f"{each['name']} {each['version']}: {gap['id']}"
             + (f", mended in {', '.join(gap['fix_versions'])}" if gap.get("fix_versions") else "")
             for each in packages for gap in each.get("vulns", ())]
    asked = sum("vulns" in each for each in packages)
    said = [*known, f"{asked} of {len(packages)} packages audited"]
    if known:
        return _FOUND, said
    return (0 if asked == len(packages) else _UNASKED if asked else _UNAVAILABLE), said


def main() -> int:
    """Print what a report says."""
    path = Path(sys.argv[2])
    status, said = judged(path.read_text(encoding="utf-8") if path.is_file() else "")
    for line in said:
        print(f"{sys.argv[1]}: {line}")
    return status


if __name__ == "__main__":
    sys.exit(main())

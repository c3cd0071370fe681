"""A run's report as a browser reads it: what it holds besides the page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Dict


def last(run: Path) -> Dict[str, Any]:
    """The sections that the report of a run shows at its end."""
    page = (run / "report.html").read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="run">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    part = json.loads(found.group(1))["part"]
    shown: Dict[str, Any] = dict(part["start"])
    for change in part["changes"]:
        shown.update(change["set"])
    return shown

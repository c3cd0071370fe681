"""Reading a run folder back into its events."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any, Dict, List, Union

from hicrisp_core.trace.event_log import FILE_NAME

log = logging.getLogger(__name__)


def read_events(run: Union[str, Path]) -> List[Dict[str, Any]]:
    """The events of a run folder, or of a ``.jsonl`` file, in their order.

    A line that is no JSON object (the last one of a run that was cut off) is left out with a warning.

    Raises:
        FileNotFoundError: when there is no event log.
    """
    path = Path(run)
    if path.is_dir():
        path = path / FILE_NAME
    events: List[Dict[str, Any]] = []
    with open(path, encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                event = json.loads(line)
            except (ValueError, RecursionError):
                event = None
            if isinstance(event, dict):
                events.append(event)
            else:
                log.warning("%s:%d is no event and is left out", path, number)
    return events

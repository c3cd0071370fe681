"""Recorded runs of CoPAL's authors: the first plan of each, and how far their simulator got with it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, List, Mapping, Optional, Sequence, Tuple

from hicrisp_core.errors import ConfigError

FILES = ("F1-10-Cocktail.json", "SF1-10-Cocktail.json")
_CLASSES = (
    ("name", "does not exist in environment"),
    ("action", "does not exist in the robot API"),
    ("not_held", "is not in hand|is not in a hand|I don't know how to execute"),
    ("hands_full", "both hands are already full|both hand are used"),
    ("hand_full", "specified hand because it is full"),
    ("no_door", "is not openable"),
    ("closed", "is closed"),
    ("full", "is full"),
)
"""Our kinds of failure, and the words by which the recorded simulator names them."""


@dataclass(frozen=True)
class FirstPlan:
    """The first plan of a recorded run.

    Args:
        recipe: the name of what was asked for.
        failed_step: index of the first step that the recorded simulator refused; ``None`` when it ran to its
            end.
        failure: the kind of that failure in our words; empty when there was none, ``other`` when it has no
            name here.
    """

    source: str
    recipe: str
    request: str
    text: str
    failed_step: Optional[int]
    failure: str
    message: str


def read_recordings(files: Sequence[Path]) -> List[FirstPlan]:
    """The first plans of all runs of some files.

    Raises:
        ConfigError: for a file that is missing, or is no recording of this form.
    """
    found: List[FirstPlan] = []
    for file in files:
        if not file.is_file():
            raise ConfigError(f"there is no recording {file}; set HICRISP_DATA to the folder that holds "
                              "'copal', or give files with --recordings")
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ConfigError(f"{file} is no JSON: {error}") from error
        found.extend(_runs(file, content))
    return found


def failure_kind(message: str) -> str:
    """Our name for a failure of the recorded simulator."""
    return next((kind for kind, words in _CLASSES if re.search(words, message)), "other")


def _runs(file: Path, content: Any) -> Iterator[FirstPlan]:
    runs = [(str(name), run) for name, entries in content.items() if isinstance(entries, list)
            for run in entries] \
        if isinstance(content, dict) else []
    if not runs or not all(isinstance(run, dict) and isinstance(run.get("log"), list) for _, run in runs):
        raise ConfigError(f"{file} is no recording: an object of recipes was expected, each a list of runs "
                          "that have a 'log'")
    for name, run in runs:
        planned = next((entry for entry in run["log"] if isinstance(entry, dict) and "plan" in entry), None)
        recipe = name.split(" ", 1)[-1]
        if planned is None:
            yield FirstPlan(file.stem, recipe, str(run.get("request", "")), "", 0, "other",
                            "no plan was recorded")
            continue
        step, message = _failed(planned)
        yield FirstPlan(file.stem, recipe, str(run.get("request", "")), str(planned["plan"]), step,
                        "" if step is None else failure_kind(message), message)


def _failed(planned: Mapping[str, Any]) -> Tuple[Optional[int], str]:
    message = str(planned.get("message", ""))
    if planned.get("type") == "evaluation" and str(planned.get("result", "")).lower().startswith("succ"):
        return None, message
    return int(planned.get("commandIdx", 0)), message

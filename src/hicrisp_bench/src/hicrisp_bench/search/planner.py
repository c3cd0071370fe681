"""Another planner's answer to a question of the search: Fast Downward, run as a program of its own."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Optional, Tuple

_SHORTEST = "astar(blind())"
_ANY = "eager_greedy([ff()],preferred=[ff()])"
_LENGTH = re.compile(r"Plan length: (\d+) step")
_IN_SOME_SECONDS = 60.0


def planner() -> Optional[Path]:
    """The program, where the optional package is installed; the package itself is not imported."""
    spec = find_spec("up_fast_downward")
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    program = Path(places[0]) / "downward" / "fast-downward.py" if places else None
    return program if program is not None and program.is_file() else None


def length_of(program: Path, written: Tuple[str, str], shortest: bool) -> Optional[int]:
    """The length of its plan for a domain and a problem in PDDL; ``None`` where it finds none in time.

    Args:
        shortest: whether the plan must be the shortest; else the first one is taken.
    """
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("domain.pddl", "problem.pddl")]
        for file, text in zip(files, written):
            file.write_text(text, encoding="utf-8")
        command = [sys.executable, str(program), *map(str, files), "--search",
                   _SHORTEST if shortest else _ANY]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True,
                                  timeout=_IN_SOME_SECONDS,
                                  check=False)
        except subprocess.TimeoutExpired:
            return None
    match = _LENGTH.search(done.stdout)
    return int(match.group(1)) if match else None

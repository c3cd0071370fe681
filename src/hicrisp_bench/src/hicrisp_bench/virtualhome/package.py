"""The package ``virtualhome_eval``, an optional extra: where it lies, what it records, what its executor
is made of.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import logging
from functools import lru_cache
from pathlib import Path
from typing import Any, Dict, Mapping, Tuple

from hicrisp_core.errors import ConfigError

NAME = "virtualhome_eval"
_GRAPHS = f"{NAME}.simulation.evolving_graph"
_SCENES = "dataset/programs_processed_precond_nograb_morepreconds"
_SCENE = 1


class Missing(ConfigError):
    """The package is not installed; the message says how it is."""

    def __init__(self) -> None:
        super().__init__(f"the Python package '{NAME}' is not installed; scripts/bench virtualhome installs "
                         "it, or: pip install --no-deps --requirement requirements/virtualhome.txt")


def installed() -> bool:
    """Whether the package can be imported."""
    return importlib.util.find_spec(NAME) is not None


def part(name: str) -> Any:
    """A module of the package's simulator, for example ``execution``; its log is silenced, it tells every edge.

    Raises:
        Missing: when the package is not installed.
    """
    if not installed():
        raise Missing()
    logging.getLogger(NAME).setLevel(logging.CRITICAL)
    return importlib.import_module(f"{_GRAPHS}.{name}")


def folder() -> Path:
    """Where the package's data lie."""
    spec = importlib.util.find_spec(NAME)
    if spec is None or spec.origin is None:
        raise Missing()
    return Path(spec.origin).parent


def models() -> Tuple[str, ...]:
    """The language models whose plans are recorded, sorted."""
    files = (folder() / "llm_response" / "action_sequence").glob("*_outputs.json")
    return tuple(sorted(file.name[:-len("_outputs.json")] for file in files))


@lru_cache(maxsize=None)
def recorded(model: str) -> Mapping[str, str]:
    """A model's answers as they were written, by the identifier of the task."""
    file = folder() / "llm_response" / "action_sequence" / f"{model}_outputs.json"
    return {entry["identifier"]: entry["llm_output"] for entry in json.loads(file.read_text(encoding="utf-8"))}


@lru_cache(maxsize=1)
def tasks() -> Mapping[str, Dict[str, Any]]:
    """Every task's record by identifier: ``name`` and ``vh_goal``."""
    resources = folder() / "resources" / "virtualhome"
    by_name = json.loads((resources / "task_state_LTL_formula_accurate.json").read_text(encoding="utf-8"))
    names = json.loads((resources / "id2task.json").read_text(encoding="utf-8"))
    scene = by_name[f"scene_{_SCENE}"]
    return {identifier: {"name": name, **scene[name][identifier]} for identifier, name in names.items()}


def planner_of(identifier: str) -> Tuple[Any, Tuple[str, ...]]:
    """The package's planner for a task, in the task's first scene, and the task's own program."""
    made = part("eval_utils").construct_planner(
        None, None, None, scenegraph_id=_SCENE, script_id=identifier, dataset_root=str(folder() / _SCENES))
    return made[0], tuple(made[2])

"""Reading a policy file, with errors that name file, line and key."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path as FilePath
from typing import Any, Dict, Type, TypeVar, Union

from hicrisp_core.config.yaml_lines import Positions, check_keys, read_yaml, value_of
from hicrisp_core.model import Rung
from hicrisp_core.model.offsets import OffsetSettings
from hicrisp_core.policy.policy import BODIES, COPAL, SINGLE, Budget, Policy
from hicrisp_core.policy.search_limits import SearchLimits

_Section = TypeVar("_Section", Budget, OffsetSettings, SearchLimits)
_CHOICES = {
    "on_failed_step": ("stop", "continue"),
    "feedback_level": ("what", "why", "how"),
    "brain": (SINGLE, COPAL),
    "autonomy": ("supervised", "full"),
    "body": BODIES,
}
_TYPES: Dict[str, Type[Any]] = {"int": int, "float": float, "bool": bool, "str": str}


def load_policy(file: Union[str, FilePath]) -> Policy:
    """Read and check a policy file.

    Raises:
        ConfigError: for an unknown key, rung or value, with the file, the line and the valid ones.
    """
    values, positions = read_yaml(file)
    known = [entry.name for entry in fields(Policy) if entry.name != "name"]
    check_keys(values, ("policy", "description", *known), ("policy", "rungs"), positions)
    scalars = {
        entry.name: value_of(values, entry.name, _TYPES[str(entry.type)], positions,
                             choices=_CHOICES.get(entry.name, ()))
        for entry in fields(Policy) if str(entry.type) in _TYPES and entry.name in values}
    for name in ("threshold", "depth"):
        if scalars.get(name, 1) < 1:
            raise positions.error((name,), f"at least 1 is needed, got {scalars[name]}")
    return Policy(
        name=value_of(values, "policy", str, positions), rungs=_rungs(values, positions),
        budget=_section(values, "budget", Budget, positions),
        offset=_section(values, "offset", OffsetSettings, positions),
        search=_section(values, "search", SearchLimits, positions), **scalars)


def _rungs(values: Dict[str, Any], positions: Positions) -> "tuple[Rung, ...]":
    valid = {rung.value: rung for rung in Rung if rung is not Rung.GIVE_UP}
    found = []
    for index, name in enumerate(value_of(values, "rungs", list, positions)):
        if name not in valid:
            raise positions.error(("rungs", index), f"unknown rung '{name}'; valid are: {', '.join(valid)}")
        found.append(valid[name])
    return tuple(found)


def _section(values: Dict[str, Any], key: str, type_: Type[_Section], positions: Positions) -> _Section:
    entries = value_of(values, key, dict, positions, default={})
    names = {entry.name: _TYPES[str(entry.type)] for entry in fields(type_)}
    check_keys(entries, names, (), positions, (key,))
    numbers = {name: value_of(entries, name, names[name], positions, (key,)) for name in entries}
    try:
        return type_(**numbers)
    except ValueError as error:
        raise positions.error((key,), str(error)) from error

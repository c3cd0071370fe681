"""Reading a policy file, with errors that name file, line and key."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path as FilePath
from typing import Any, Dict, Sequence, Tuple, Type, TypeVar, Union

from hicrisp_core.config.extending import extended_files
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
_SECTIONS = ("budget", "offset", "search")
_TYPES: Dict[str, Type[Any]] = {"int": int, "float": float, "bool": bool, "str": str}


def load_policy(file: Union[str, FilePath], chain: Tuple[FilePath, ...] = ()) -> Policy:
    """Read and check a policy file; what it leaves out is as in the policies that it ``extends``, the last one first.

    Args:
        chain: the files that led to this one by extending each other.

    Raises:
        ConfigError: for an unknown key, rung or value, with the file, the line and the valid ones.
    """
    values, positions = read_yaml(file)
    known = [entry.name for entry in fields(Policy) if entry.name != "name"]
    parents = [load_policy(each, (*chain, FilePath(file)))
               for each in extended_files(FilePath(file), values, positions, "policy", chain)]
    check_keys(values, ("policy", "description", "extends", *known), ("policy", *(() if parents else ("rungs",))),
               positions)
    found: Dict[str, Any] = {
        entry.name: value_of(values, entry.name, _TYPES[str(entry.type)], positions,
                             choices=_CHOICES.get(entry.name, ()))
        for entry in fields(Policy) if str(entry.type) in _TYPES and entry.name in values}
    for name in ("threshold", "depth"):
        if found.get(name, 1) < 1:
            raise positions.error((name,), f"at least 1 is needed, got {found[name]}")
    base = _merged(parents)
    if "rungs" in values:
        found["rungs"] = _rungs(values, positions)
    for name in _SECTIONS:
        found[name] = _section(values, name, getattr(base, name), positions)
    return replace(base, **{**found, "name": value_of(values, "policy", str, positions)})


def _merged(parents: Sequence[Policy]) -> Policy:
    """What several policies say together: of what two of them say differently from the usual, the later one counts."""
    usual = Policy("")
    merged = usual
    for parent in parents:
        own = {entry.name: getattr(parent, entry.name) for entry in fields(Policy)
               if getattr(parent, entry.name) != getattr(usual, entry.name)}
        merged = replace(merged, **own)
    return merged


def _rungs(values: Dict[str, Any], positions: Positions) -> "Tuple[Rung, ...]":
    valid = {rung.value: rung for rung in Rung if rung is not Rung.GIVE_UP}
    found = []
    for index, name in enumerate(value_of(values, "rungs", list, positions)):
        if name not in valid:
            raise positions.error(("rungs", index), f"unknown rung '{name}'; valid are: {', '.join(valid)}")
        found.append(valid[name])
    return tuple(found)


def _section(values: Dict[str, Any], key: str, base: _Section, positions: Positions) -> _Section:
    """A section of numbers, over what the policies below say."""
    entries = value_of(values, key, dict, positions, default={})
    names = {entry.name: _TYPES[str(entry.type)] for entry in fields(base)}
    check_keys(entries, names, (), positions, (key,))
    numbers = {name: value_of(entries, name, names[name], positions, (key,)) for name in entries}
    try:
        return replace(base, **numbers)
    except ValueError as error:
        raise positions.error((key,), str(error)) from error

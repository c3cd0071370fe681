"""Reading a policy file, with errors that name file, line and key."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path as FilePath
from typing import Sequence, Tuple, Union

from pydantic.dataclasses import dataclass

from hicrisp_core.config.files import config_folders, extended_files
from hicrisp_core.config.settings import STRICT, Positions, read_settings, read_yaml
from hicrisp_core.extensions import extensions
from hicrisp_core.model import Rung
from hicrisp_core.policy.policy import Policy

_REMOVED = {"grammar": "one interpreter reads what users say, and the language model's file in config/llm names it"}


def load_policy(file: Union[str, FilePath], chain: Tuple[FilePath, ...] = ()) -> Policy:
    """Read and check a policy file; what it leaves out is as in the policies that it ``extends``, the last
    one first.

    Args:
        chain: the files that led to this one by extending each other.

    Raises:
        ConfigError: for an unknown key, rung or value, with the file, the line and the valid ones.
    """
    values, positions = read_yaml(file)
    parents = [load_policy(each, (*chain, FilePath(file)))
               for each in extended_files(FilePath(file), values, positions, "policy", chain)]
    told = read_settings(_Rungs, values, positions, others=tuple(values))
    _check_rungs(told, positions)
    found = read_settings(
        Policy, values, positions, required=() if parents else ("rungs",), others=("description", "extends"),
        renamed={"name": "policy"}, base=_merged(parents), removed=_REMOVED)
    return _with_own_prompts(found, FilePath(file)) if "prompts" in values else found


def _with_own_prompts(policy: Policy, file: FilePath) -> Policy:
    """A policy whose prompts lie in ``prompts`` beside its own folder, and not in the workspace's."""
    own = file.resolve().parent.parent / "prompts" / policy.prompts
    if not own.is_dir() or own.parent in config_folders("prompts"):
        return policy
    return replace(policy, prompts=str(own))


@dataclass(frozen=True, config=STRICT)
class _Rungs:
    """The rungs of a policy by name, before names are looked up."""

    rungs: Tuple[str, ...] = ()


def _check_rungs(told: _Rungs, positions: Positions) -> None:
    """Refuse rungs that nobody has defined, with those that there are."""
    known = extensions().rungs
    for index, name in enumerate(told.rungs):
        if name not in (*known, Rung.GIVE_UP.value):
            raise positions.error(("rungs", index), known.unknown(name))


def _merged(parents: Sequence[Policy]) -> Policy:
    """What several policies say together: of what two of them say differently from the usual, the later
    one counts.
    """
    usual = Policy("")
    merged = usual
    for parent in parents:
        own = {entry.name: getattr(parent, entry.name) for entry in fields(usual)
               if getattr(parent, entry.name) != getattr(usual, entry.name)}
        merged = replace(merged, **own)
    return merged

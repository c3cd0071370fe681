"""Files that extend others beside them: which files those are, and that nothing extends itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any, List, Mapping, Tuple

from pydantic.dataclasses import dataclass

from hicrisp_core.config.files import config_folders
from hicrisp_core.config.settings import STRICT, read_settings
from hicrisp_core.config.yaml_lines import Positions

_FOLDERS = {"domain": "domains", "policy": "policies"}
"""Where files of a kind lie in a ``config`` folder."""


@dataclass(frozen=True, config=STRICT)
class _Extending:
    """What a file says of the files that it adds to, the last one first."""

    extends: Tuple[str, ...] = ()


def extended_files(
    file: Path, values: Mapping[str, Any], positions: Positions, kind: str, chain: Tuple[Path, ...] = ()
) -> List[Path]:
    """The files that a file ``extends``, in their order; they lie beside it, or in the workspace's
    ``config``.

    Args:
        kind: what the files describe: ``domain`` or ``policy``.
        chain: the files that led here by extending each other.

    Raises:
        ConfigError: for a name without a file, with those that there are, or a file that extends itself.
    """
    told = read_settings(_Extending, values, positions, others=tuple(values))
    found: List[Path] = []
    for index, name in enumerate(told.extends):
        places = [file.parent, *config_folders(_FOLDERS[kind])]
        others = {each.stem: each for place in reversed(places) for each in place.glob("*.yaml")
                  if each.resolve() != file.resolve()}
        if name not in others:
            raise positions.error(("extends", index),
                                  f"there is no other {kind} '{name}' beside it or in the "
                                                      f"workspace; there are: {', '.join(sorted(others))}")
        if others[name].resolve() in (each.resolve() for each in chain):
            raise positions.error(("extends", index),
                                  f"the {kind} '{name}' extends this one: they cannot both")
        found.append(others[name])
    return found

"""Where the workspace keeps its configuration files, which ones they extend, and writing one whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Callable, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union

from pydantic.dataclasses import dataclass

from hicrisp_core.config.settings import STRICT, read_settings
from hicrisp_core.config.yaml_files import Positions
from hicrisp_core.errors import ConfigError

T = TypeVar("T")
_FOLDERS = {"domain": "domains", "policy": "policies"}
"""Where files of a kind lie in a ``config`` folder."""


def config_file(
    kind: str, name: Union[str, Path], beside: Union[str, Path, None] = None, also: Sequence[Path] = ()
) -> Path:
    """Find a configuration file by path, or by name in the workspace's ``config/<kind>`` folder.

    Args:
        kind: the folder: ``domains``, ``policies``, ``robots``, ``scenes``, ...
        name: a path with a suffix, which is returned as it is, or a file's name without its suffix.
        beside: another configuration file, whose sibling folder of this kind is searched first, or a folder like
            ``config``, which is; empty for neither.
        also: further folders of the kind, searched before the workspace's.

    Returns:
        The path of the file.

    Raises:
        ConfigError: if no folder has the name; the message lists the available ones.
    """
    path = Path(name)
    if path.suffix:
        return path
    near = Path(beside).resolve() if beside else None
    folders: List[Path] = [] if near is None else [(near if near.is_dir() else near.parent.parent) / kind]
    folders += [*also, *config_folders(kind)]
    for folder in folders:
        if (folder / f"{name}.yaml").is_file():
            return folder / f"{name}.yaml"
    known = sorted({file.stem for folder in folders for file in folder.glob("*.yaml")})
    raise ConfigError(f"there is no '{name}' in config/{kind}; there are: {', '.join(known) or 'none'}")


def config_folders(kind: str) -> List[Path]:
    """Return the candidate folders of the workspace for a kind of configuration.

    Args:
        kind: the folder below ``config``, for example ``domains``.

    Returns:
        The folders, innermost first; some may not exist.
    """
    return [parent / "config" / kind for parent in Path(__file__).resolve().parents]


def named_folder(kind: str, name: str) -> Optional[Path]:
    """Find a named folder in the workspace's configuration of a kind.

    Args:
        kind: the folder below ``config``, for example ``prompts``.
        name: name of the folder to find.

    Returns:
        The folder; ``None`` if it does not exist.
    """
    return next((place / name for place in config_folders(kind) if (place / name).is_dir()), None)


def write_whole(target: Path, text: str, load: Callable[[Path], T]) -> T:
    """Write a file under a temporary name, load it, and replace the target only if loading succeeds.

    Args:
        target: path of the file; missing parent folders are created, and the mode of an existing file is kept.
        text: the content, written as UTF-8.
        load: reads the file; if it raises, the target stays as it was.

    Returns:
        What ``load`` returns.

    Raises:
        ConfigError: if the file cannot be written.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(suffix=".yaml", prefix=f".{target.stem}_", dir=target.parent)
        written = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            written.chmod(target.stat().st_mode if target.exists() else 0o644)
            loaded = load(written)
            written.replace(target)
        finally:
            written.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigError(f"{target} cannot be written: {error.strerror}; give another file") from error
    return loaded


@dataclass(frozen=True, config=STRICT)
class _Extending:
    """What a file says of the files that it adds to, the last one first."""

    extends: Tuple[str, ...] = ()


def extended_files(
    file: Path, values: Mapping[str, Any], positions: Positions, kind: str, chain: Tuple[Path, ...] = ()
) -> List[Path]:
    """Return the files that a file ``extends``, in their order.

    The files lie beside it or in the workspace's ``config``.

    Args:
        file: path of the extending file.
        values: its parsed content.
        positions: line numbers of the values, for error messages.
        kind: what the files describe: ``domain`` or ``policy``.
        chain: the files that led here through ``extends``.

    Returns:
        The paths, the one with the highest precedence last.

    Raises:
        ConfigError: if a name has no file (the message lists the available ones), or files extend each other in a
            cycle.
    """
    told = read_settings(_Extending, values, positions, others=tuple(values))
    found: List[Path] = []
    for index, name in enumerate(told.extends):
        places = [file.parent, *config_folders(_FOLDERS[kind])]
        others = {each.stem: each for place in reversed(places) for each in place.glob("*.yaml")
                  if each.resolve() != file.resolve()}
        if name not in others:
            raise positions.error(("extends", index), f"there is no other {kind} '{name}' beside it or in the "
                                                      f"workspace; there are: {', '.join(sorted(others))}")
        if others[name].resolve() in (each.resolve() for each in chain):
            raise positions.error(("extends", index), f"the {kind} '{name}' extends this one: they cannot both")
        found.append(others[name])
    return found

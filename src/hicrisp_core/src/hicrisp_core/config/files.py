"""Where the workspace keeps its configuration files."""

from __future__ import annotations

from pathlib import Path
from typing import List, Optional, Union

from hicrisp_core.errors import ConfigError


def config_file(kind: str, name: Union[str, Path], beside: Union[str, Path, None] = None) -> Path:
    """A configuration file by its path, or by its name in the workspace's ``config/<kind>`` folder.

    Args:
        kind: the folder: ``domains``, ``policies``, ``robots``, ``scenes``, ...
        beside: another configuration file; the folders next to its own are looked through first.

    Raises:
        ConfigError: when there is none, with the names that there are.
    """
    path = Path(name)
    if path.suffix:
        return path
    folders: List[Path] = [Path(beside).resolve().parent.parent / kind] if beside is not None else []
    folders.extend(config_folders(kind))
    for folder in folders:
        if (folder / f"{name}.yaml").is_file():
            return folder / f"{name}.yaml"
    known = sorted({file.stem for folder in folders for file in folder.glob("*.yaml")})
    raise ConfigError(f"there is no '{name}' in config/{kind}; there are: {', '.join(known) or 'none'}")


def config_folders(kind: str) -> List[Path]:
    """Where the workspace keeps its configuration files of a kind."""
    return [parent / "config" / kind for parent in Path(__file__).resolve().parents]


def named_folder(kind: str, name: str) -> Optional[Path]:
    """The folder of a name among the workspace's configuration of a kind; ``None`` where there is none."""
    return next((place / name for place in config_folders(kind) if (place / name).is_dir()), None)

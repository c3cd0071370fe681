"""Which robots of a scene a world moves, and the files that describe them for it."""

from __future__ import annotations

from pathlib import Path
from typing import List, Tuple, Union

from hicrisp_core.config.files import config_file, config_folders
from hicrisp_core.config.yaml_files import read_yaml
from hicrisp_core.errors import ConfigError
from hicrisp_core.ports.kinds import BASE
from hicrisp_core.scene import Scene


def robots_of(scene: Scene, kind: str) -> Tuple[str, ...]:
    """Return the robots of a scene of one kind: bases drive in its arena, arms stand at its table.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.
        kind: ``arm`` or ``base``.

    Returns:
        Their names.
    """
    bases = scene.arena.starts if scene.arena is not None else {}
    return tuple(name for name in scene.robots if (name in bases) == (kind == BASE))


def robot_file(
    scene: Scene, kind: str, use: str, section: str, told: Union[str, Path] = ""
) -> Path:
    """Find the file that describes a scene's first robot of a kind: ``config/robots/<name>_<use>.yaml``, next
    to the scene's folder or in the workspace.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.
        kind: ``arm`` or ``base``.
        use: ``embedded`` or ``lab``.
        section: section that the file must have.
        told: file or name that was requested explicitly; empty for the default.

    Returns:
        Path of the file.

    Raises:
        ConfigError: if the file does not exist or is about another robot; lists the valid ones.
    """
    beside, robots = scene.source or None, robots_of(scene, kind)
    if told:
        file = config_file("robots", told, beside=beside)
        name = read_yaml(file)[0].get("name")
        if name not in robots:
            raise ConfigError(f"{file} describes '{name}', which is not in the scene '{scene.name}'; its "
                              f"robots: {', '.join(robots) or 'none'}")
        return file
    if not robots:
        raise ConfigError(f"the scene '{scene.name}' has no {kind}; its robots: "
                          f"{', '.join(scene.robots) or 'none'}")
    try:
        return config_file("robots", f"{robots[0]}_{use}", beside=beside)
    except ConfigError as error:
        folders: List[Path] = [Path(beside).resolve().parent.parent / "robots"] if beside is not None else []
        files = [file for folder in (*folders, *config_folders("robots")) for file in folder.glob("*.yaml")]
        described = {str(values.get("name", "")) for values, _ in map(read_yaml, files) if section in values}
        raise ConfigError(f"nothing describes '{robots[0]}' for this world; write config/robots/"
                          f"{robots[0]}_{use}.yaml with a section {section}, or take one of: "
                          f"{', '.join(sorted(described)) or 'none'}") from error

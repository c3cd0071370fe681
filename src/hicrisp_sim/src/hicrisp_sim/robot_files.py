"""Which robots of a scene a world moves, and the files that describe them for it."""

from __future__ import annotations

from pathlib import Path
from typing import List, Tuple, Union

from hicrisp_core.config.files import config_file, config_folders
from hicrisp_core.config.yaml_files import read_yaml
from hicrisp_core.errors import ConfigError
from hicrisp_core.ports.kinds import ARM, BASE
from hicrisp_core.scene import Scene

from hicrisp_sim.arm_model import ArmDescription, load_description
from hicrisp_sim.settings import SECTION


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


def descriptions_of(scene: Scene, told: Union[str, Path] = "") -> Tuple[ArmDescription, ...]:
    """Load the arms of a scene, as the embedded world moves them.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.
        told: file or name that was requested explicitly, for all arms with the body that it describes; empty for the
            default.

    Returns:
        The arms where the scene puts them; at least one.

    Raises:
        ConfigError: if a file does not exist, or there is no arm; lists the valid ones.
    """
    names = robots_of(scene, ARM) or ("",)
    return tuple(load_description(robot_file(scene, ARM, "embedded", SECTION, told, name), name, scene.stands.get(name))
                 for name in names)


def robot_file(
    scene: Scene, kind: str, use: str, section: str, told: Union[str, Path] = "", name: str = ""
) -> Path:
    """Find the file that describes a robot of a scene: ``config/robots/<body>_<use>.yaml``, next
    to the scene's folder or in the workspace.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.
        kind: ``arm`` or ``base``.
        use: ``embedded`` or ``lab``.
        section: section that the file must have.
        told: file or name that was requested explicitly; empty for the default.
        name: of the robot; the first of its kind by default.

    Returns:
        Path of the file.

    Raises:
        ConfigError: if the file does not exist or is about another robot; lists the valid ones.
    """
    beside = scene.source or None
    bodies = {each: scene.body_of(each) for each in robots_of(scene, kind)}
    if told:
        file = config_file("robots", told, beside=beside)
        described = read_yaml(file)[0].get("name")
        if described not in bodies.values():
            raise ConfigError(f"{file} describes '{described}', which is not in the scene '{scene.name}'; its "
                              f"robots: {', '.join(bodies.values()) or 'none'}")
        if described == bodies.get(name, described):
            return file
    if not bodies:
        raise ConfigError(f"the scene '{scene.name}' has no {kind}; its robots: "
                          f"{', '.join(scene.robots) or 'none'}")
    body = bodies[name or next(iter(bodies))]
    try:
        return config_file("robots", f"{body}_{use}", beside=beside)
    except ConfigError as error:
        folders: List[Path] = [Path(beside).resolve().parent.parent / "robots"] if beside is not None else []
        files = [file for folder in (*folders, *config_folders("robots")) for file in folder.glob("*.yaml")]
        known = {str(values.get("name", "")) for values, _ in map(read_yaml, files) if section in values}
        raise ConfigError(f"nothing describes '{body}' for this world; write config/robots/"
                          f"{body}_{use}.yaml with a section {section}, or take one of: "
                          f"{', '.join(sorted(known)) or 'none'}") from error

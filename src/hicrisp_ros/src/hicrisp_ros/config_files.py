"""Private parameters of the nodes, and the configuration files that they name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, List, Optional, Union

import rospkg
import rospy
from hicrisp_core.config.files import config_file as named_file
from hicrisp_core.domain import Domain, load_domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.policy.policy import Policy, load_policy
from hicrisp_core.scene import Scene, load_scene

BRINGUP = "hicrisp_bringup"
SECOND_CAMERA = "second_camera"
"""The parameter that names a camera, such as the hand's, that shows what the first one hides."""
SHARED = ("scene", "seed", "domain", "policy", "llm", "runs_dir", "perception", "own_robot", "base_root",
          SECOND_CAMERA)
"""Parameters that a namespace may say once for all of its nodes."""


def parameter(name: str, default: Optional[Any] = None) -> Any:
    """Read a private parameter of the node, or its namespace's of this name where nodes share it.

    Args:
        name: without ``~``.
        default: used if the parameter is not set.

    Returns:
        The value.

    Raises:
        ConfigError: if it is not set and there is no default.
    """
    if name in SHARED and not rospy.has_param(f"~{name}"):
        value = rospy.get_param(name, default)
    else:
        value = rospy.get_param(f"~{name}", default)
    if value is None:
        raise ConfigError(f"the parameter {rospy.resolve_name('~' + name)} is not set")
    return value


def own_robot() -> str:
    """Return which robot of a scene this namespace has, where each of several has its own.

    Returns:
        Its name; empty where the namespace has all of them.
    """
    return str(parameter("own_robot", ""))


def own_topic(name: str) -> str:
    """Return the name of a base's topic, service or action.

    Args:
        name: as the only base on a master has it.

    Returns:
        The name below ``base_root`` where another arena is on this master, or else below the own robot where there are
        several; a relative name stays as it is.
    """
    root = str(parameter("base_root", "")) or f"/{own_robot()}".rstrip("/")
    return root + name if name.startswith("/") else name


def config_file(kind: str, value: str, beside: Union[str, Path] = "") -> Path:
    """Return a configuration file by its path, or by its name in the ``config`` folder of the workspace.

    Args:
        kind: the folder: ``domains``, ``llm``, ``policies``, ``robots`` or ``scenes``.
        value: the path or the name.
        beside: another configuration file; the folders next to its own are searched first.

    Returns:
        Path of the file.

    Raises:
        ConfigError: if the file does not exist; lists the valid names.
    """
    path = Path(value).expanduser()
    if path.suffix and not path.is_file():
        raise ConfigError(f"there is no file '{path.absolute()}'")
    return named_file(kind, path, beside, (config_path(kind),))


def domain_of(scene: Scene, named: str = "") -> Domain:
    """Load the domain of a scene, which may lie beside it.

    Args:
        scene: its ``domain`` and ``source`` are used.
        named: another domain's file or name; empty for the scene's own.

    Returns:
        The domain.

    Raises:
        ConfigError: if the domain does not exist or is invalid.
    """
    return load_domain(config_file("domains", named or scene.domain, beside=scene.source))


def config_files_of(kind: str) -> List[Path]:
    """List the configuration files of a kind in the workspace.

    Args:
        kind: the folder: ``domains``, ``llm``, ``policies``, ``robots`` or ``scenes``.

    Returns:
        Paths, sorted by name.
    """
    return sorted(config_path(kind).glob("*.yaml"))


def config_folder(kind: str, value: str) -> Path:
    """Find a folder by its path, or by its name in a folder of ``config``.

    Args:
        kind: the folder in ``config``, such as ``prompts``.
        value: the path or the name.

    Returns:
        Path of the folder.

    Raises:
        ConfigError: if the folder does not exist; lists the valid names.
    """
    path = Path(value).expanduser()
    if path.is_absolute() and path.is_dir():
        return path
    named = config_path(kind) / value
    if named.is_dir():
        return named
    known = ", ".join(sorted(folder.name for folder in config_path(kind).glob("*/"))) or "none"
    raise ConfigError(f"there is no folder '{value}' in {config_path(kind)}; there are: {known}")


def config_path(name: str) -> Path:
    """Return the path of a file or folder in the ``config`` folder of the workspace.

    Args:
        name: its name there.

    Returns:
        The path.
    """
    return _bringup() / "config" / name


@lru_cache(maxsize=None)
def _bringup() -> Path:
    """The package's folder, for which all packages are crawled."""
    return Path(rospkg.RosPack().get_path(BRINGUP))


@dataclass(frozen=True)
class Configuration:
    """What every node must agree on: the objects that are known, what may be done with them, and how tasks
    are run.
    """

    scene: Scene
    domain: Domain
    policy: Policy


def load_configuration(scene: str = "", seed: Optional[int] = None) -> Configuration:
    """Load the configuration that the parameters ``scene``, ``seed``, ``domain`` (by default the scene's own)
    and ``policy`` name.

    Args:
        scene: another one than the parameter names; file or name.
        seed: of its random layout; the parameter's if ``None``.

    Returns:
        Scene, domain and policy.
    """
    file = config_file("scenes", scene or str(parameter("scene", "tabletop")))
    found = load_scene(file, int(parameter("seed", 0)) if seed is None else int(seed)).alone(own_robot())
    domain = domain_of(found, str(parameter("domain", "")))
    policy = load_policy(config_file("policies", str(parameter("policy", "hierarchical")), beside=found.source))
    unknown = sorted(set(found.tolerances) - set(domain.predicates))
    if unknown:
        raise ConfigError(f"scene {found.name} sets a tolerance for the unknown predicate '{unknown[0]}'; "
                          f"there are: {', '.join(sorted(domain.predicates))}")
    changed = {name: replace(domain.predicates[name], tolerance=value)
               for name, value in found.tolerances.items()}
    return Configuration(found, replace(domain, predicates={**domain.predicates, **changed}), policy)

"""Reads configuration files as the nodes do and reports mistakes: ``python3 -m hicrisp_core.check FILE
...``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Callable, Dict, Sequence

from hicrisp_core.config.yaml_files import read_yaml
from hicrisp_core.domain.loader import load_domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.extensions import extensions
from hicrisp_core.llm.settings import load_llm_settings
from hicrisp_core.policy.policy import load_policy
from hicrisp_core.ports.kinds import Driver
from hicrisp_core.robot.description import SECTION, read_body
from hicrisp_core.scene.cameras import load_camera
from hicrisp_core.scene.loader import load_scene
from hicrisp_core.scene.tags import load_tags


def check_file(file: Path) -> None:
    """Read one file; the folder that it lies in says what it is.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    readers: Dict[str, Callable[[Path], object]] = {
        "domains": load_domain, "policies": load_policy, "llm": load_llm_settings, "scenes": load_scene,
        "robots": load_robot, "cameras": load_camera, "tags": load_tags}
    kind = file.resolve().parent.name
    if kind not in readers:
        raise ConfigError(f"{file}: it lies in '{kind}', and files are read by their folder: " f"{', '.join(readers)}")
    readers[kind](file)


def load_robot(file: Path) -> object:
    """Read what a robot's file says of its body, and the rest by the driver whose section it has.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    values, positions = read_yaml(file)
    body = read_body(file) if SECTION in values else None
    drivers = extensions().drivers
    for name in drivers:
        if name in values:
            driver: Driver = drivers.get(name)
            return driver.load(file)
    if body is not None:
        return body
    raise positions.error((), f"a robot's file has a body, or the section of a driver; there are: {SECTION}, "
                              f"{', '.join(drivers)}")


def main(arguments: Sequence[str]) -> int:
    """Check files; the exit status is 1 where one is wrong."""
    wrong = 0
    for name in arguments:
        try:
            check_file(Path(name))
            sys.stdout.write(f"{name}: ok\n")
        except ConfigError as error:
            sys.stdout.write(f"{error}\n")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

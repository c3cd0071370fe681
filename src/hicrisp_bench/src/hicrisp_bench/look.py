"""``scripts/look`` in an embedded world: a scene file from its camera's pictures alone."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import List, Optional

from hicrisp_core.errors import HicrispError
from hicrisp_core.scene import load_scene
from hicrisp_perception.scene_scan.look_options import parse, report
from hicrisp_sim.embedded import EmbeddedWorld

_APART = 0.1
"""Seconds of simulated time between two pictures."""


def main(arguments: Optional[List[str]] = None) -> int:
    """Run ``scripts/look`` in the embedded world.

    Args:
        arguments: the command line; that of the process if ``None``.

    Returns:
        Exit status: 0, or 2 if no scene was written.
    """
    options = parse(arguments)
    try:
        scene = load_scene(options.scene, options.seed)
        world = EmbeddedWorld(replace(scene, camera=options.camera or scene.camera), options.seed)
        pictures = []
        for _ in range(options.pictures):
            world.pass_time(_APART)
            picture = world.camera.take()
            pictures += [picture] if picture is not None else []
        text = report(options, world.scene, pictures, world.robot_frames())
    except HicrispError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    print(text)  # noqa: T201 - the command's output
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""``scripts/look`` in an embedded world: a scene file from its camera's pictures alone."""

from __future__ import annotations

import argparse
import sys
from typing import List, Optional, Tuple

from hicrisp_core.model import Picture
from hicrisp_core.ports.observer import Frames
from hicrisp_core.scene import Scene
from hicrisp_perception.scene_scan.look_options import run
from hicrisp_sim.embedded import EmbeddedWorld

_APART = 0.1
"""Seconds of simulated time between two pictures."""


def _look(options: argparse.Namespace, scene: Scene) -> Tuple[List[Picture], Frames]:
    world = EmbeddedWorld(scene, options.seed)
    pictures = []
    for _ in range(options.pictures):
        world.pass_time(_APART)
        picture = world.camera.take()
        pictures += [picture] if picture is not None else []
    return pictures, world.robot_frames()


def main(arguments: Optional[List[str]] = None) -> int:
    """Run the command line in the embedded world; see ``look_options.run``."""
    return run(_look, arguments)


if __name__ == "__main__":
    sys.exit(main())

"""Carries out a task in the embedded world, in one process, without ROS: ``python3 -m hicrisp_sim.carry_out
SCENE [TASK]``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, List, Mapping, Optional, Sequence

from hicrisp_core.config.files import config_file
from hicrisp_core.errors import HicrispError
from hicrisp_core.factory import RunFactory
from hicrisp_core.llm.settings import OFFLINE
from hicrisp_core.model import Task
from hicrisp_core.policy.policy import load_policy
from hicrisp_core.scene import domain_of, load_scene
from hicrisp_core.trace import EventLog, finish_run
from hicrisp_core.trace.events import TaskReceived

from hicrisp_sim.embedded import EmbeddedWorld
from hicrisp_sim.simulation import Snapshot

_APART, _LONGEST = 0.4, 240.0
"""Seconds of the world's clock between two pictures of an animation, and that it shows at most."""
_SMALL, _FRAME_SECONDS = (480, 360), 0.1


def carry_out(options: argparse.Namespace) -> bool:
    """Carry out a task; each command is printed as it starts.

    Args:
        options: the parsed command line.

    Returns:
        Whether the task succeeded.

    Raises:
        HicrispError: for a file that cannot be used, with file, line, key and what is valid.
    """
    scene = load_scene(config_file("scenes", options.scene), options.seed)
    domain = domain_of(scene)
    policy = load_policy(config_file("policies", options.policy, beside=scene.source))
    world = EmbeddedWorld(scene, options.seed, domain=domain)
    if options.sigma > 0.0:
        world.inject("place_offset", magnitude=(options.sigma,))
    executive = RunFactory(domain, policy)
    task = Task(options.task or scene.task)
    if not options.run:
        return executive.executive(world.robots, world, _told).run(task).success
    seen = _watched(world)
    with EventLog(options.run, [_told]) as log:
        log(TaskReceived(task_id=Path(options.run).name, text=task.text, policy=policy.name, llm=OFFLINE,
                         scene=scene.name, seed=options.seed).as_dict())
        success = executive.executive(world.robots, world, log).run(task).success
    _animate(world, [each for each in seen if each.time <= world.time], Path(options.run))
    finish_run(options.run)
    return success


def _told(event: Mapping[str, Any]) -> None:
    if event["kind"] == "command":
        sys.stdout.write(f"{event['command']}\n")


def _watched(world: EmbeddedWorld) -> List[Snapshot]:
    """Collect snapshots of a world at equal intervals of simulation time; the list grows as time passes."""
    seen: List[Snapshot] = []
    for number in range(round(_LONGEST / _APART)):
        world.simulation.at(world.time + number * _APART, lambda: seen.append(world.simulation.snapshot))
    return seen


def _animate(world: EmbeddedWorld, seen: Sequence[Snapshot], folder: Path) -> None:
    from hicrisp_sim.render import Renderer, save_animation  # OpenGL is needed for pictures only.

    with Renderer(world.simulation.model, _SMALL, shadows=False) as renderer:
        pictures = [renderer.draw(snapshot).copy() for snapshot in (*seen, world.simulation.snapshot)]
    save_animation(pictures, folder / "overview.webp", _FRAME_SECONDS)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the command line.

    Args:
        arguments: command line without the program; ``sys.argv`` by default.

    Returns:
        Exit status: 1 if the task failed, 2 for an invalid file.
    """
    parser = argparse.ArgumentParser(
        prog="python3 -m hicrisp_sim.carry_out",
        description="Carry out a task on a table of the embedded world, without ROS.")
    add = parser.add_argument
    add("scene", help="scene file, or the name of one in config/scenes")
    add("task", nargs="?", help="the task (the scene's own)")
    add("--policy", default="hierarchical", help="policy file, or the name of one (hierarchical)")
    add("--seed", type=int, default=0, help="draws layout and faults (0)")
    add("--sigma", type=float, default=0.0, help="standard deviation of the noise on placements, m (0)")
    add("--run", metavar="FOLDER", default="", help="keep events, result, report and an animation there")
    options = parser.parse_args(arguments)
    try:
        success = carry_out(options)
    except HicrispError as error:
        sys.stdout.write(f"{error}\n")
        return 2
    sys.stdout.write("succeeded\n" if success else "failed\n")
    return 0 if success else 1


if __name__ == "__main__":
    sys.exit(main())

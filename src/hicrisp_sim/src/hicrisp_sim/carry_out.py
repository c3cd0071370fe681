"""Carries out a task in the embedded world, in one process and without ROS: ``python3 -m
hicrisp_sim.carry_out SCENE [TASK]``.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any, Mapping, Optional, Sequence

from hicrisp_core.config.files import config_file
from hicrisp_core.domain import load_domain
from hicrisp_core.errors import HicrispError
from hicrisp_core.executive.assembly import Parts
from hicrisp_core.model import Task
from hicrisp_core.policy.loader import load_policy
from hicrisp_core.scene import load_scene

from hicrisp_sim.embedded import EmbeddedWorld


def carry_out(options: argparse.Namespace) -> bool:
    """Whether the task succeeded; each command is printed as it begins.

    Raises:
        HicrispError: for a file that cannot be used, with file, line, key and what is valid.
    """
    scene = load_scene(config_file("scenes", options.scene), options.seed)
    domain = load_domain(config_file("domains", scene.domain, beside=scene.source))
    policy = load_policy(config_file("policies", options.policy, beside=scene.source))
    world = EmbeddedWorld(scene, options.seed, domain=domain)
    executive = Parts(domain, policy).executive({world.robot.name: world.robot}, world, _told)
    return executive.run(Task(options.task or scene.task)).success


def _told(event: Mapping[str, Any]) -> None:
    if event["kind"] == "command":
        sys.stdout.write(f"{event['command']}\n")


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the task; the exit status is 1 where it failed, and 2 for a file that cannot be used."""
    parser = argparse.ArgumentParser(
        prog="python3 -m hicrisp_sim.carry_out",
        description="Carry out a task on a table of the embedded world; no ROS, no pictures, no report.")
    parser.add_argument("scene", help="scene file, or the name of one in config/scenes")
    parser.add_argument("task", nargs="?", help="the task (the scene's own)")
    parser.add_argument("--policy", default="hierarchical",
                        help="policy file, or the name of one (hierarchical)")
    parser.add_argument("--seed", type=int, default=0, help="draws layout and faults (0)")
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

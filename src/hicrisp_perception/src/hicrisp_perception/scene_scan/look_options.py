"""The command line of ``scripts/look``, and what it leaves: a scene file of what pictures show."""

from __future__ import annotations

import argparse
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Callable, List, Optional, Sequence, Tuple

from hicrisp_core.config.files import config_file, named_folder
from hicrisp_core.errors import ConfigError, HicrispError, command_line
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import VISION, load_llm_settings
from hicrisp_core.model.picture import Picture
from hicrisp_core.ports.observer import Frames
from hicrisp_core.prompting.templates import Prompts
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.scene import Scene, load_scene
from hicrisp_core.time.deadline import Deadline

from hicrisp_perception.calibration.mounting import mounting_check
from hicrisp_perception.scene_scan.describing import Described, describe
from hicrisp_perception.scene_scan.naming import PLACEHOLDERS, PROMPTS, Named, name_objects
from hicrisp_perception.scene_scan.scene_writing import arrange, doubts_of, save_scene

_ASKS = 2.0
"""Answers for which a name is waited for: one that cannot be used is asked again."""


def camera_options() -> argparse.ArgumentParser:
    """Make the options of every command that uses a camera over a table.

    Returns:
        A parser to be another's parent, which sets the defaults of ``scene`` and ``write``.
    """
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--scene", help="scene that has the table, the robot and the camera, by file or name")
    parser.add_argument("--seed", type=int, default=0, help="draws what an embedded world leaves to chance")
    parser.add_argument("--camera", default="", metavar="NAME",
                        help="name in config/cameras, or a file; the scene's where it is left out")
    parser.add_argument("--write", type=Path, metavar="FILE", help="where the result goes")
    parser.add_argument("--ros", action="store_true",
                        help="a running system: pictures by topic, the arm by its driver")
    parser.add_argument("--namespace", default="/hicrisp", help="of the running system")
    return parser


def parse(arguments: Optional[List[str]] = None) -> argparse.Namespace:
    """Parse the command line.

    Args:
        arguments: command line without the program; ``sys.argv`` by default.

    Returns:
        The options.
    """
    parser = argparse.ArgumentParser(
        prog="scripts/look", parents=[camera_options()], formatter_class=argparse.ArgumentDefaultsHelpFormatter,
        description="Write a scene file from what the camera sees on a table that nobody described. Without "
                    "--ros the table is that of an embedded scene, of whose objects nothing is told.")
    parser.add_argument("--pictures", type=int, default=5, help="taken one after another, and joined")
    parser.add_argument("--llm", default="", metavar="NAME",
                        help="names the objects: a file of config/llm whose role 'vision' takes pictures")
    parser.set_defaults(scene="tabletop", write=Path("runs/look/seen.yaml"))
    options = parser.parse_args(arguments)
    if not 1 <= options.pictures <= 50:
        parser.error("--pictures is from 1 to 50")
    return options


@command_line
def run(look: Callable[[argparse.Namespace, Scene], Tuple[Sequence[Picture], Frames]], arguments: Optional[List[str]]
        ) -> int:
    """Run the command line.

    Args:
        look: takes the pictures, and says where the robots' frames are.
        arguments: command line without the program; ``sys.argv`` by default.

    Returns:
        Exit status: 2 if no scene was written.
    """
    options = parse(arguments)
    scene = load_scene(options.scene, options.seed)
    scene = replace(scene, camera=options.camera or scene.camera)
    print(report(options, scene, *look(options, scene)))  # noqa: T201 - the command's output
    return 0


def _name(options: argparse.Namespace, base: Scene, picture: Picture, found: Sequence[Described]) -> Named:
    """Name objects by the model that the options say, and keep the numbered picture beside the scene."""
    models = Models(load_llm_settings(config_file("llm", options.llm)))
    if models.settings.of_role(VISION).offline:
        raise ConfigError(f"'{options.llm}' asks no model; name a file of config/llm whose model takes pictures")
    limit = Deadline(_ASKS * models.settings.of_role(VISION).timeout_s)
    prompts = Prompts(named_folder("prompts", PROMPTS) or PROMPTS, PLACEHOLDERS)
    named = name_objects(models.of(VISION), prompts, picture, found, {base.table.name, *base.robots}, limit)
    shown = options.write.with_suffix(".jpg")
    shown.parent.mkdir(parents=True, exist_ok=True)
    shown.write_bytes(named.picture)
    return named


def report(options: argparse.Namespace, base: Scene, pictures: Sequence[Picture], robots: Frames) -> str:
    """Write the scene file.

    Args:
        options: the parsed command line.
        base: scene with table, robot, camera and domain.
        pictures: images of the same static view.
        robots: pose and stamp of the robots' frames, world frame.

    Returns:
        The content of the scene in sentences.

    Raises:
        HicrispError: if the camera's pose does not match its configuration.
        ConfigError: if there is no image, or the scene cannot be written.
    """
    if not pictures:
        raise ConfigError("no picture came; check that the camera runs")
    misfit = mounting_check(pictures[-1], robots, base)
    if misfit is not None:
        raise HicrispError(misfit.reason)
    links = {frame: capsules for body in bodies_of(base).values() for frame, capsules in body.links.items()}
    found = describe(pictures, robots, base.table, links)
    lines: List[str] = []
    if options.llm:
        named = _name(options, base, pictures[-1], found)
        found, lines = named.objects, [named.trouble] if named.trouble else []
    seen = arrange(found, base.table)
    when = datetime.now().strftime("%Y-%m-%d %H:%M")
    unsure = "" if all(each.sure for each in seen.things) else "; check what is marked as unsure"
    save_scene(seen, found, base, options.write, f"What the camera '{base.camera}' saw on {when}{unsure}.")
    for each in seen.things:
        size = " x ".join(f"{100.0 * value:.1f}" for value in each.thing.size)
        place = "" if not each.below else f" on {each.below}"
        doubts = "; ".join(doubts_of(each))
        lines.append(f"{each.thing.name}: {size} cm{place}" + (f" (unsure: {doubts})" if doubts else ""))
    lines += [f"left out: {name}, for {why}" for name, why in seen.left_out]
    return "\n".join([*lines, f"{options.write} has {len(seen.things)} objects."])

"""The command line of ``scripts/calibrate_camera``, and what it leaves: a camera's file, and the figures
as JSON.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, Optional

import numpy as np
from hicrisp_core.errors import ConfigError, command_line
from hicrisp_core.model import Pose
from hicrisp_core.robot.description import RobotBody
from hicrisp_core.scene import Scene, load_scene
from hicrisp_core.scene.cameras import CameraSettings, load_camera, save_mounting
from hicrisp_core.scene.tags import Tag, load_tags

from hicrisp_perception.calibration.hand_eye import LEAST, Calibration, NoCalibration, misplaced
from hicrisp_perception.calibration.procedure import Bench, Rig, calibrate, reach_of
from hicrisp_perception.scene_scan.look_options import camera_options


def parse(arguments: Optional[List[str]] = None) -> argparse.Namespace:
    """Parse the command line.

    Args:
        arguments: command line without the program; ``sys.argv`` by default.

    Returns:
        The options.
    """
    parser = argparse.ArgumentParser(
        prog="scripts/calibrate_camera", parents=[camera_options()],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
        description="Find where a camera is mounted: the arm shows it a tag (a camera that stands still), "
                    "or looks at a tag on the table (one in the hand). Without --ros in an embedded world, whose "
                    "camera is elsewhere than its file says. The camera's file with the mounting goes to "
                    "runs/calibration/NAME.yaml, if not to --write.")
    parser.add_argument("--tags", default="", metavar="NAME",
                        help="tag file with the marker's number, size and rough place; calibration_hand, or "
                             "calibration_table for a camera in the hand, where it is left out")
    parser.add_argument("--views", type=int, default=20, help="pictures of the tag")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    parser.add_argument("--moved", type=float, nargs=2, default=(0.05, 5.0), metavar=("METRES", "DEGREES"),
                        help="how far the embedded camera is off its file, in a direction and about an axis "
                             "by chance")
    parser.add_argument("--robot", default="",
                        help="the arm over ROS; the scene's first where it is left out")
    parser.add_argument("--yes", action="store_true", help="move a robot over ROS without asking first")
    parser.set_defaults(scene="calibration")
    options = parser.parse_args(arguments)
    if options.views < LEAST:
        parser.error(f"--views is at least {LEAST}")
    if min(options.moved) < 0.0 or options.moved[0] > 0.3 or options.moved[1] > 30.0:
        parser.error("--moved is from 0 to 0.3 m and from 0 to 30 degrees")
    return options


def camera_of(options: argparse.Namespace, scene: Scene) -> CameraSettings:
    """Load the camera to calibrate.

    Args:
        options: the parsed command line.
        scene: the initial objects, robots and facts, as its file describes them.

    Returns:
        Its settings.
    """
    return load_camera(options.camera or scene.camera, beside=scene.source or None)


def tags_of(options: argparse.Namespace, camera: CameraSettings) -> str:
    """Return the tag file to use.

    Args:
        options: the parsed command line.
        camera: settings of the camera.

    Returns:
        Its name.
    """
    return str(options.tags) or ("calibration_table" if camera.mounting.in_hand else "calibration_hand")


def marker_of(name: str, scene: Scene, camera: CameraSettings) -> Tag:
    """Return the tag for the calibration: on a link for a static camera, on the table (with its pose in the
    world) for one on the arm.

    Args:
        name: name of the tag file.
        scene: the initial objects, robots and facts, as its file describes them.
        camera: settings of the camera.

    Returns:
        The tag.

    Raises:
        ConfigError: when the tag file has none there.
    """
    tags = load_tags(name, beside=scene.source or None)
    table = scene.table
    for tag in tags:
        if camera.mounting.in_hand and tag.thing == table.name and table.pose is not None:
            return replace(tag, pose=table.pose.compose(tag.pose))
        if not camera.mounting.in_hand and tag.thing != table.name:
            return tag
    wanted = f"the {table.name}" if camera.mounting.in_hand else "a link of the arm"
    raise ConfigError(f"the tags '{name}' have none on {wanted}, and the camera '{camera.name}' needs one "
                      f"there; they are on: {', '.join(sorted({tag.thing for tag in tags}))}")


class Setup(NamedTuple):
    """What shows a tag to a camera.

    Args:
        tool: frame of the arm's tool centre point.
        truth: true pose of the camera in its parent frame, if it is known.
    """

    rig: Rig
    tool: str
    body: RobotBody
    truth: Optional[Pose] = None


@command_line
def run(set_up: Callable[[argparse.Namespace, Scene, CameraSettings, Tag], Optional[Setup]],
        arguments: Optional[List[str]]) -> int:
    """Run the command line.

    Args:
        set_up: connects arm and camera; ``None`` if nobody lets the arm move.
        arguments: command line without the program; ``sys.argv`` by default.

    Returns:
        Exit status: 1 if no mounting was found, 2 if the calibration could not start.
    """
    options = parse(arguments)
    scene = load_scene(options.scene, options.seed)
    camera = camera_of(options, scene)
    tag = marker_of(tags_of(options, camera), scene, camera)
    setup = set_up(options, scene, camera, tag)
    if setup is None:
        return 1
    bench = Bench(tag, setup.tool, reach_of(setup.body), options.views)
    found = calibrate(setup.rig, bench, camera.mounting, np.random.default_rng([options.seed, 77]), say)
    if isinstance(found, NoCalibration):
        sys.stderr.write(" ".join(filter(None, (found.reason, setup.rig.missing))) + "\n")
        return 1
    say(report(options, scene, camera, found, setup.truth))
    return 0


def say(sentence: str) -> None:
    """Print a line of progress at once."""
    print(sentence, flush=True)  # noqa: T201 - the command's output


def report(options: argparse.Namespace, scene: Scene, camera: CameraSettings, found: Calibration,
           truth: Optional[Pose] = None) -> str:
    """Write the camera's file, and the figures if they are requested.

    Args:
        options: the parsed command line.
        scene: the initial objects, robots and facts, as its file describes them.
        camera: settings of the camera.
        found: the calibration.
        truth: true pose of the camera in its parent frame, if it is known.

    Returns:
        The result in sentences.

    Raises:
        ConfigError: when a file cannot be written.
    """
    target = options.write or Path("runs") / "calibration" / f"{camera.name}.yaml"
    told = camera.mounting.pose
    away, turned = misplaced(found.mounting, told)
    sure = f"{1000.0 * found.position:.1f} mm, {math.degrees(found.turn):.2f} degrees"
    figures: Dict[str, Any] = {
        "camera": camera.name, "views": found.used, "left_out": len(found.left_out),
        "error_px": round(found.error, 3),
        "position": list(found.mounting.position), "orientation": list(found.mounting.orientation),
        "position_std_mm": 1000.0 * found.position, "turn_std_deg": math.degrees(found.turn),
        "moved_mm": 1000.0 * away, "moved_deg": math.degrees(turned)}
    lines = [f"The camera '{camera.name}' is {1000.0 * away:.1f} mm and {math.degrees(turned):.2f} degrees "
             "from where its file says.",
             f"Its mounting is known to {sure} (one standard deviation), from {found.used} views with "
             f"{found.error:.2f} pixels of error" + (f"; {len(found.left_out)} left out." if found.left_out else ".")]
    if truth is not None:
        wrong, twisted = misplaced(found.mounting, truth)
        figures.update(wrong_mm=1000.0 * wrong, wrong_deg=math.degrees(twisted))
        lines.append(f"It really is {1000.0 * wrong:.2f} mm and {math.degrees(twisted):.3f} degrees from "
                     "there.")
    note = f"calibrated {date.today().isoformat()} to {sure}"
    save_mounting(options.camera or scene.camera, found.mounting, target, note, scene.source or None)
    lines.append(f"{target} has the new mounting.")
    if options.json:
        try:
            options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"{options.json} cannot be written: {error.strerror}; give another "
                              "file") from error
    return "\n".join(lines)

"""Putting another mounting into a camera's file; all else in it stays, comments too."""

from __future__ import annotations

import re
from pathlib import Path
from typing import List, Sequence, Union

import yaml

from hicrisp_core.config.files import config_file
from hicrisp_core.config.whole_file import write_whole
from hicrisp_core.model.geometry import Pose
from hicrisp_core.scene.cameras import load_camera

_KEY = "mounting"


def save_mounting(camera: Union[str, Path], pose: Pose, target: Union[str, Path], note: str = "",
                  beside: Union[str, Path, None] = None) -> Path:
    """Write a camera's file with another mounting on the same link; the target is replaced as a whole, or not
    at all.

    Args:
        camera: the file to begin with, or the name of one in ``config/cameras``.
        pose: the optical frame in the world, or in the link that carries it.
        target: may be the same file.
        note: a comment beside the mounting.
        beside: another configuration file, as in ``load_camera``.

    Raises:
        ConfigError: when the camera's file cannot be read, or the target not be written.
    """
    source, target = config_file("cameras", camera, beside=beside), Path(target)
    link = load_camera(source).mounting.link
    text = source.read_text(encoding="utf-8")
    block = [f"{_KEY}:" + (f"   # {note}" if note else ""), *([f"  link: {link}"] if link else []),
             f"  position: [{_numbers(pose.position)}]",
             f"  orientation: [{_numbers(pose.orientation)}]   # x, y, z, w"]
    write_whole(target, "\n".join([*_replaced(text, block), ""]), load_camera)
    return target


def _replaced(text: str, block: List[str]) -> List[str]:
    """The lines of a file with the block of the mounting replaced."""
    lines = text.splitlines()
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    for key, value in root.value if root is not None else ():
        if key.value == _KEY:
            first, last = key.start_mark.line, _last_line(value)
            comment = re.search(r"(?<=\s)#.*$", lines[first])
            if comment and "#" not in block[0] and value.start_mark.line != first:
                block = [f"{block[0]}   {comment.group()}", *block[1:]]
            return [*lines[:first], *block, *lines[last + 1:]]
    return [*lines, *block]


def _last_line(node: yaml.Node) -> int:
    """Where a value ends, without the comments and empty lines after it."""
    if isinstance(node, yaml.MappingNode) and not node.flow_style:
        return max(_last_line(value) for _, value in node.value)
    return int(node.end_mark.line)


def _numbers(values: Sequence[float]) -> str:
    return ", ".join(f"{value + 0.0:.6f}" for value in values)

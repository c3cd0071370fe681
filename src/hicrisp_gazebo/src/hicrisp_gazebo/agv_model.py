"""The base's model: read from its SDF file, with the footprint of the scene."""

from __future__ import annotations

from pathlib import Path
from typing import Union
from xml.etree import ElementTree

from hicrisp_core.errors import ConfigError
from hicrisp_core.scene.scene import Start

from hicrisp_gazebo.scene_models import Model

_FOOTPRINT = ("chassis_collision", "chassis_visual")
_TRAY = ("tray_collision", "tray_visual", "tray_column_visual")


def agv_model(file: Union[str, Path], name: str, start: Start) -> Model:
    """The model of a base where it starts.

    Args:
        file: SDF with one model; its shapes named ``chassis_*`` are cylinders that carry the footprint's
            radius; those named ``tray_*`` are taken out where the base has no tray.

    Raises:
        ConfigError: when the file cannot be used.
    """
    try:
        root = ElementTree.parse(str(file)).getroot()
    except (OSError, ElementTree.ParseError) as error:
        raise ConfigError(f"the model {file} cannot be read: {error}") from error
    model = root.find("model")
    if model is None:
        raise ConfigError(f"the file {file} holds no model")
    shapes = [shape for shape in model.iter() if shape.get("name") in _FOOTPRINT]
    radii = [shape.find("geometry/cylinder/radius") for shape in shapes]
    if len(radii) != len(_FOOTPRINT) or None in radii:
        raise ConfigError(f"the model {file} has no cylinders named {' and '.join(_FOOTPRINT)}")
    for radius in radii:
        if radius is not None:
            radius.text = f"{start.radius:.9g}"
    if not start.tray:
        for link in model.findall("link"):
            for shape in [shape for shape in link if shape.get("name") in _TRAY]:
                link.remove(shape)
    model.set("name", name)
    return Model(name, ElementTree.tostring(root, encoding="unicode"), start.pose)

"""SDF elements for Gazebo 11: models, links, collisions with their surfaces, visuals, inertia."""

from __future__ import annotations

from typing import Iterable, Optional, Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import to_euler
from hicrisp_core.scene.colours import Colour

from hicrisp_gazebo.inertia import Inertia, Solid
from hicrisp_gazebo.surface import Surface

VERSION = "1.6"


def document(*models: Element) -> str:
    """The text of an SDF file with these models."""
    root = Element("sdf", version=VERSION)
    root.extend(models)
    return ElementTree.tostring(root, encoding="unicode")


def model(name: str, static: bool = False) -> Element:
    """An empty model."""
    element = Element("model", name=name)
    _text(element, "static", str(static).lower())
    return element


def link(parent: Element, name: str, inertia: Optional[Inertia] = None) -> Element:
    """An empty link of a model; a static model's needs no inertia."""
    element = SubElement(parent, "link", name=name)
    if inertia is not None:
        inertial = SubElement(element, "inertial")
        _text(inertial, "pose", _numbers((*inertia.centre.tolist(), 0.0, 0.0, 0.0)))
        _text(inertial, "mass", _numbers((inertia.mass,)))
        moments = SubElement(inertial, "inertia")
        for row, column in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
            _text(moments, f"i{'xyz'[row]}{'xyz'[column]}", _numbers((float(inertia.tensor[row, column]),)))
    return element


def add_solids(parent: Element, solids: Iterable[Solid], colour: Colour, surface: Optional[Surface]) -> None:
    """Give a link solids that are seen, and that collide where there is a surface."""
    for solid in solids:
        if surface is not None:
            collision = SubElement(parent, "collision", name=f"{solid.name}_collision")
            _shape(collision, solid)
            collision.append(surface_element(surface))
        visual = SubElement(parent, "visual", name=f"{solid.name}_visual")
        _shape(visual, solid)
        material = SubElement(visual, "material")
        _text(material, "ambient", _numbers(colour))
        _text(material, "diffuse", _numbers(colour))


def pose_text(pose: Pose) -> str:
    """x, y, z in metres and roll, pitch, yaw in radians."""
    return _numbers((*pose.position, *to_euler(pose.orientation)))


def surface_element(surface: Surface) -> Element:
    """How a collision meets others."""
    element = Element("surface")
    friction = SubElement(element, "friction")
    ode = SubElement(friction, "ode")
    _text(ode, "mu", _numbers((surface.mu,)))
    _text(ode, "mu2", _numbers((surface.mu2,)))
    if surface.torsional > 0.0:
        torsional = SubElement(friction, "torsional")
        _text(torsional, "coefficient", _numbers((surface.torsional,)))
        _text(torsional, "use_patch_radius", "true")
        _text(torsional, "patch_radius", _numbers((surface.patch,)))
    ode = SubElement(SubElement(element, "contact"), "ode")
    for name in ("kp", "kd", "min_depth", "max_vel"):
        _text(ode, name, _numbers((getattr(surface, name),)))
    return element


def _shape(parent: Element, solid: Solid) -> None:
    _text(parent, "pose", pose_text(solid.pose))
    geometry = SubElement(parent, "geometry")
    if solid.shape == "cylinder":
        cylinder = SubElement(geometry, "cylinder")
        _text(cylinder, "radius", _numbers((solid.size[0] / 2.0,)))
        _text(cylinder, "length", _numbers((solid.size[2],)))
    else:
        _text(SubElement(geometry, "box"), "size", _numbers(solid.size))


def _text(parent: Element, name: str, text: str) -> None:
    SubElement(parent, name).text = text


def _numbers(values: Sequence[float]) -> str:
    return " ".join(f"{value:.9g}" for value in values)

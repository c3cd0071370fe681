"""SDF elements for Gazebo 11: models, links, collisions with their surfaces, visuals, inertia."""

from __future__ import annotations

from typing import Any, Dict, Iterable, Mapping, Optional, Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import to_euler
from hicrisp_core.scene.colours import Colour

from hicrisp_gazebo.inertia import Inertia, Solid
from hicrisp_gazebo.surface import Surface

VERSION = "1.6"


def add(parent: Element, tag: str, content: Any = (), /, **attributes: str) -> Element:
    """Give an element another one.

    Args:
        parent: the element.
        tag: of the new one.
        content: its text, its numbers, or what is in it by name.
        **attributes: of the new one.

    Returns:
        The new element.
    """
    element = SubElement(parent, tag, attributes)
    if isinstance(content, Mapping):
        for inner, told in content.items():
            add(element, inner, told)
    elif content != ():
        element.text = content if isinstance(content, str) else numbers(content)
    return element


def numbers(values: Sequence[float]) -> str:
    """Return numbers as SDF writes them."""
    return " ".join(f"{value:.9g}" for value in values)


def document(*models: Element) -> str:
    """The text of an SDF file with these models."""
    root = Element("sdf", version=VERSION)
    root.extend(models)
    return ElementTree.tostring(root, encoding="unicode")


def model(name: str, static: bool = False) -> Element:
    """An empty model."""
    element = Element("model", name=name)
    add(element, "static", str(static).lower())
    return element


def link(parent: Element, name: str, inertia: Optional[Inertia] = None) -> Element:
    """An empty link of a model; a static model's needs no inertia."""
    element = add(parent, "link", name=name)
    if inertia is not None:
        add(element, "inertial", {
            "pose": (*inertia.centre.tolist(), 0.0, 0.0, 0.0), "mass": (inertia.mass,),
            "inertia": {f"i{'xyz'[row]}{'xyz'[column]}": (float(inertia.tensor[row, column]),)
                        for row, column in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))}})
    return element


def add_solids(parent: Element, solids: Iterable[Solid], colour: Colour, surface: Optional[Surface]) -> None:
    """Give a link solids that are seen, and that collide where there is a surface."""
    for solid in solids:
        shape: Dict[str, Any] = {"cylinder": {"radius": (solid.size[0] / 2.0,), "length": (solid.size[2],)}} \
            if solid.shape == "cylinder" else {"box": {"size": solid.size}}
        add_shape(parent, solid.name, {"pose": pose_text(solid.pose), "geometry": shape}, colour, surface)


def add_shape(parent: Element, name: str, place: Mapping[str, Any], colour: Colour, surface: Optional[Surface]) -> None:
    """Give a link a shape that is seen, and that collides if it has a surface.

    Args:
        parent: the link.
        name: unique in it.
        place: its geometry, and its pose unless that is the link's.
        colour: with its opacity.
        surface: of its collision; ``None`` for none.
    """
    if surface is not None:
        add(parent, "collision", {**place, "surface": surface_of(surface)}, name=f"{name}_collision")
    clear = {"transparency": (1.0 - colour[3],)} if colour[3] < 1.0 else {}
    add(parent, "visual", {**place, **clear, "material": {"ambient": colour, "diffuse": colour}}, name=f"{name}_visual")


def pose_text(pose: Pose) -> str:
    """x, y, z in metres and roll, pitch, yaw in radians."""
    return numbers((*pose.position, *to_euler(pose.orientation)))


def surface_of(surface: Surface) -> Dict[str, Any]:
    """How a collision meets others."""
    torsional = {"coefficient": (surface.torsional,), "use_patch_radius": "true", "patch_radius": (surface.patch,)}
    return {"friction": {"ode": {"mu": (surface.mu,), "mu2": (surface.mu2,)},
                         **({"torsional": torsional} if surface.torsional > 0.0 else {})},
            "contact": {"ode": {name: (getattr(surface, name),) for name in ("kp", "kd", "min_depth", "max_vel")}}}

"""The colours that objects are painted in, by the words of their attributes."""

from __future__ import annotations

from typing import Mapping, Tuple

from hicrisp_core.model import WorldObject

Colour = Tuple[float, float, float, float]
"""Red, green, blue and opacity, 0 to 1."""
COLOURS: Mapping[str, Colour] = {
    "red": (0.82, 0.16, 0.14, 1.0), "green": (0.18, 0.60, 0.26, 1.0), "blue": (0.15, 0.35, 0.78, 1.0),
    "yellow": (0.95, 0.80, 0.18, 1.0), "orange": (0.95, 0.52, 0.13, 1.0), "purple": (0.50, 0.24, 0.63, 1.0),
    "pink": (0.93, 0.55, 0.68, 1.0), "cyan": (0.20, 0.68, 0.75, 1.0), "brown": (0.48, 0.31, 0.18, 1.0),
    "white": (0.92, 0.92, 0.90, 1.0), "grey": (0.55, 0.56, 0.58, 1.0), "black": (0.12, 0.12, 0.13, 1.0),
}
_PLAIN: Colour = COLOURS["grey"]


def paint_of(item: WorldObject) -> Colour:
    """Return the colour of an object by its attributes.

    Args:
        item: the object with its shape and size.

    Returns:
        RGBA, 0 to 1; grey without a colour attribute, so that a camera can distinguish it from a wooden table.
    """
    return COLOURS.get(item.attributes.get("colour", ""), _PLAIN)

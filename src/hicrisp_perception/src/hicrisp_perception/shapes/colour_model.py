"""Colours whatever the light: which family a pixel belongs to, and how well a patch fits a paint."""

from __future__ import annotations

from typing import Dict, Mapping, Optional, Sequence, Tuple

import cv2
import numpy as np
from hicrisp_core.scene.colours import COLOURS

_BITS = 5
GREY, DARK, HUES = 1, 2, 3
"""The families without a hue, light and dark, and the first that has one."""
_GREYS = ("white", "grey")
_DARK = 0.2
"""Part of the table's brightness below which a pixel without a hue is taken for black."""
_DARK_COLOUR = 0.065
"""How much a dark pixel's channels may differ where it has no hue, as a part of the table's brightness."""
_COLOURLESS = 0.15
"""Saturation below which a pixel has no hue."""
_LEVEL_FACE, _OTHER_FACE = (0.8, 1.2), (0.3, 1.2)
"""How bright a level face and any other can be beside a level one in the same light."""
_LEVELS = np.geomspace(0.06, 3.2, 64)
LIGHTS = np.geomspace(0.3, 2.4, 13)
"""Lights that are tried: how bright level white is, 1 for as bright as the camera can tell."""
_PLAIN = (0.7, 0.66, 0.58, 1.0)
UNSURE = 1.0
"""The cost of a colour that says nothing."""


def families() -> Dict[str, int]:
    """Return the colour families that a single pixel can be assigned to.

    Returns:
        Numbers by colour name; 0 is reserved for the table.
    """
    chromatic = [name for name in COLOURS if name not in (*_GREYS, "black")]
    found = {name: number for number, name in enumerate(chromatic, HUES)}
    return {**found, "black": DARK, **{name: GREY for name in _GREYS}}


FAMILIES: Mapping[str, int] = families()
COUNT = max(FAMILIES.values()) + 1


class Palette:
    """Sorts pixels into families of colours, by their hue and saturation and not by their brightness.

    Args:
        table: the table's colour in the picture, 0 to 255.
    """

    def __init__(self, table: np.ndarray) -> None:
        self.table = table
        # Finer where it is dark: there a few steps make another hue.
        last = (1 << _BITS) - 1
        self._steps = np.rint(np.sqrt(np.arange(256) / 255.0) * last).astype(np.uint8)
        values = np.maximum((np.arange(last + 1) / last) ** 2 * 255.0, 0.5).astype(np.float32)
        cube = np.stack(np.meshgrid(values, values, values, indexing="ij"), axis=-1).reshape(-1, 3)
        brightest, least = cube.max(axis=1), cube.min(axis=1)
        shade = cube / brightest[:, None]
        chromatic = [name for name in COLOURS if name not in (*_GREYS, "black")]
        nearest = np.full(len(cube), np.inf, np.float32)
        family = np.zeros(len(cube), np.uint8)
        paints = [(FAMILIES[name], np.array(COLOURS[name][:3])) for name in chromatic]
        for number, paint in [*paints, (0, table)]:
            away = ((shade - (paint / paint.max()).astype(np.float32)) ** 2).sum(axis=1)
            closer = away < nearest
            nearest[closer], family[closer] = away[closer], number
        dark = brightest < _DARK * table.max()
        grey = (brightest - least < _COLOURLESS * brightest) | (
            dark & (brightest - least < _DARK_COLOUR * table.max()))
        family[grey & ~dark] = GREY
        family[grey & dark] = DARK
        self._families = family

    def families(self, colours: np.ndarray) -> np.ndarray:
        """Classify pixels by hue and saturation.

        Args:
            colours: array (..., 3) of uint8.

        Returns:
            Array (...) of family numbers.
        """
        coarse = cv2.LUT(colours, self._steps).astype(np.uint16)
        return self._families.take((coarse[..., 0] << 2 * _BITS) | (coarse[..., 1] << _BITS)
                                   | coarse[..., 2])


class Likeness:
    """How well the colours of segments fit paints, in any light.

    Args:
        faces: for each segment the colours of its level face and of its others, 0 to 255; ``None`` if no
            such face is seen.
        paints: names of colours; unknown ones are ignored.
    """

    def __init__(self, faces: Sequence[Tuple[Optional[np.ndarray], Optional[np.ndarray]]],
                 paints: Sequence[Optional[str]]) -> None:
        own = np.array([COLOURS.get(paint or "", _PLAIN)[:3] for paint in paints]).reshape(-1, 3)
        shown = np.minimum(255.0 * _LEVELS[None, :, None] * own[:, None, :], 255.0)
        self._known = np.array([paint in COLOURS for paint in paints], dtype=bool)
        self._level = np.stack([_distances(level, shown) for level, _ in faces])
        self._others = np.stack([_distances(other, shown) for _, other in faces])

    def costs(self, light: float) -> np.ndarray:
        """Compare the colours of segments with paints.

        Args:
            light: brightness of a level white surface; 1 corresponds to 255.

        Returns:
            Array (segments, paints): 0 for a good fit, above 1 for a different colour.
        """
        level = _least(self._level, light * _LEVEL_FACE[0], light * _LEVEL_FACE[1])
        others = _least(self._others, light * _OTHER_FACE[0], light * _OTHER_FACE[1])
        return np.where(self._known[None, :], np.maximum(level, others), UNSURE / 2.0)


def _distances(face: Optional[np.ndarray], shown: np.ndarray) -> np.ndarray:
    if face is None:
        return np.zeros(shown.shape[:2])
    spread = 8.0 + 0.10 * float(face.max())
    return np.linalg.norm(shown - face, axis=-1) / spread / 2.0


def _least(distances: np.ndarray, low: float, high: float) -> np.ndarray:
    window = (low <= _LEVELS) & (high >= _LEVELS)
    if not window.any():
        window[int(np.argmin(np.abs(_LEVELS - low)))] = True
    return distances[..., window].min(axis=-1)

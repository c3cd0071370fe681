"""A camera's picture with what was recognised drawn in: outlines, names, how sure the places are."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import List, Mapping, Optional, Sequence, Tuple

import cv2
import numpy as np
from hicrisp_core.model import Picture, Pose, Track, Uncertainty, Visibility, WorldObject

from hicrisp_perception.shapes.shape_models import lies_of
from hicrisp_perception.view import matrix_of

Colour = Tuple[int, int, int]
Box = Tuple[int, int, int, int]
"""Left, top, right and bottom, pixels."""
_SEEN: Mapping[Visibility, Colour] = {
    Visibility.VISIBLE: (30, 150, 70), Visibility.HELD: (30, 100, 190), Visibility.HIDDEN: (110, 110, 110)}
"""Red, green, blue of outlines, by how an object is seen; what is gone is not drawn."""
_UNKNOWN: Colour = (190, 40, 170)
_WIDEST, _PART = 960, 240
"""Pixels; a larger picture is made smaller; and the longer side of the part that shows one object."""
_AROUND, _AROUND_LEAST = 0.4, 8
"""What is shown around an object, as a share of its longer side, and pixels."""
_NEAR = 0.05
"""Least distance in front of the camera at which objects are drawn, metres."""
_DEVIATIONS = 2.0
"""How many standard deviations the ring around an object's middle stands for."""
_DASH = 7.0
_FONT, _HEIGHT = cv2.FONT_HERSHEY_SIMPLEX, 0.42
_QUALITY = 80


def annotated(picture: Picture, tracks: Sequence[Track], objects: Mapping[str, WorldObject]) -> np.ndarray:
    """Draw tracks into an image.

    Args:
        picture: colour and depth with stamp, lens and camera pose.
        tracks: the tracks to draw.
        objects: shapes and sizes of the scene's objects by name.

    Returns:
        Array (height, width, 3) of uint8: red, green, blue.
    """
    canvas = np.ascontiguousarray(picture.colour.copy())
    taken: List[Box] = []
    for track in sorted(tracks, key=lambda each: each.unknown is None):
        item = track.unknown or objects.get(track.name)
        colour = _UNKNOWN if track.unknown is not None else _SEEN.get(track.visibility)
        if item is None or colour is None or track.visibility is Visibility.GONE:
            continue
        outline = _outline(item, track.pose, picture)
        if outline is None:
            continue
        if track.visibility is Visibility.HIDDEN or track.unknown is not None:
            _dashed(canvas, outline, colour)
        else:
            cv2.polylines(canvas, [np.rint(outline).astype(np.int32)], True, colour, 2, cv2.LINE_AA)
        _ring(canvas, track, picture, colour)
        # The name, how sure its place is (one standard deviation), and how it is seen.
        name, sigma = track.name.replace("_", " "), 1000.0 * track.uncertainty.position
        sure = f" +-{sigma:.0f} mm" if sigma >= 0.95 else f" +-{sigma:.1f} mm" if sigma > 0.0 else ""
        how = "" if track.visibility is Visibility.VISIBLE else f", {track.visibility.value}"
        _label(canvas, outline, f"{name}{sure}{how}", colour, taken)
    scale = _WIDEST / canvas.shape[1]
    if scale >= 1.0:
        return canvas
    return cv2.resize(canvas, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)


def numbered(picture: Picture, tracks: Sequence[Track], names: Sequence[str]) -> np.ndarray:
    """Draw only some of the unknown objects into an image, by numbers in place of names.

    Args:
        picture: colour and depth with stamp, lens and camera pose.
        tracks: those of the image.
        names: the objects in the order of their numbers, from 1.

    Returns:
        Array (height, width, 3) of uint8: red, green, blue.
    """
    shown = {track.name: track for track in tracks if track.unknown is not None}
    return annotated(picture, [replace(shown[name], name=str(number), uncertainty=Uncertainty())
                               for number, name in enumerate(names, 1) if name in shown], {})


def cut_out(picture: Picture, words: str, tracks: Sequence[Track], objects: Mapping[str, WorldObject]) -> bytes:
    """Cut the part out of an image that shows one object.

    Args:
        words: name it, perhaps among other words.
        tracks: those of the image.
        objects: shapes and sizes of the scene's objects by name.

    Returns:
        The part as a small JPEG file; empty if not one object is named, or the image does not show it.
    """
    said, named = f" {re.sub(r'[^a-z0-9]+', ' ', words.lower())} ", []
    for track in sorted(tracks, key=lambda each: -len(each.name)):  # "Mug 2" names no mug besides.
        name = f" {track.name.replace('_', ' ')} "
        named += [track] if name in said else []
        said = said.replace(name, "  ")
    item = (named[0].unknown or objects.get(named[0].name)) if len(named) == 1 else None
    outline = _outline(item, named[0].pose, picture) if item is not None else None
    if outline is None:
        return b""
    low, high = outline.min(axis=0), outline.max(axis=0)
    around = _AROUND * max(high - low) + _AROUND_LEAST
    (left, top), (right, bottom) = np.maximum(low - around, 0).astype(int), (high + around).astype(int)
    part = picture.colour[top:bottom, left:right]
    scale = _PART / max(1, *part.shape[:2])
    return as_jpeg(cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)) if part.size else b""


def as_jpeg(colour: np.ndarray) -> bytes:
    """Encode an image as JPEG.

    Args:
        colour: array (height, width, 3) of uint8: red, green, blue.

    Returns:
        The bytes; empty if encoding fails.
    """
    done, data = cv2.imencode(".jpg", colour[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    return bytes(data) if done else b""


def _outline(item: WorldObject, pose: Pose, picture: Picture) -> Optional[np.ndarray]:
    """Return the hull of an object in pixels; ``None`` if it is behind the camera or outside the image."""
    corners = lies_of(item)[0].corners() @ matrix_of(pose).T + np.array(pose.position)
    pixels = _pixels(corners, picture)
    if pixels is None:
        return None
    low, high = pixels.min(axis=0), pixels.max(axis=0)
    if high[0] < 0.0 or high[1] < 0.0 or low[0] > picture.lens.width or low[1] > picture.lens.height:
        return None
    return cv2.convexHull(pixels.astype(np.float32))[:, 0]


def _ahead(points: np.ndarray, picture: Picture) -> np.ndarray:
    """Return how far world points are in front of the camera, metres."""
    return (points - np.array(picture.camera.position)) @ matrix_of(picture.camera)[:, 2]


def _pixels(points: np.ndarray, picture: Picture) -> Optional[np.ndarray]:
    """World points (N, 3) as pixels (N, 2), with the lens's distortion; ``None`` behind the camera."""
    if _ahead(points, picture).min() < _NEAR:
        return None
    turn = matrix_of(picture.camera).T
    moved = -turn @ np.array(picture.camera.position)
    lens = picture.lens
    distortion = np.array(lens.distortion) if lens.distortion else None
    found, _ = cv2.projectPoints(points.astype(np.float64), cv2.Rodrigues(turn)[0], moved, lens.matrix,
                                 distortion)
    return np.asarray(found[:, 0], dtype=np.float64)


def _ring(canvas: np.ndarray, track: Track, picture: Picture, colour: Colour) -> None:
    """A ring around an object's middle that tells how sure its place is."""
    middle = np.array([track.pose.position])
    pixels = _pixels(middle, picture)
    if pixels is None:
        return
    ahead = max(_NEAR, _ahead(middle, picture)[0])
    radius = _DEVIATIONS * track.uncertainty.position * picture.lens.fx / ahead
    cv2.circle(canvas, _whole(pixels[0]), max(2, int(round(radius))), colour, 1, cv2.LINE_AA)


def _dashed(canvas: np.ndarray, outline: np.ndarray, colour: Colour) -> None:
    for begin, end in zip(outline, np.roll(outline, -1, axis=0)):
        steps = max(1, int(math.dist(begin, end) / _DASH))
        for step in range(0, steps, 2):
            a, b = (begin + (end - begin) * part / steps for part in (step, min(steps, step + 1)))
            cv2.line(canvas, _whole(a), _whole(b), colour, 2, cv2.LINE_AA)


def _label(canvas: np.ndarray, outline: np.ndarray, words: str, colour: Colour, taken: List[Box]) -> None:
    """Place a label above an outline, or below it if other labels are there."""
    (wide, high), below = cv2.getTextSize(words, _FONT, _HEIGHT, 1)
    left = int(np.clip(outline[:, 0].mean() - wide / 2, 2, max(2, canvas.shape[1] - wide - 2)))
    above, under = outline[:, 1].min() - high - 6, outline[:, 1].max() + 6
    tops = [above, under, *(above - (high + 6) * more for more in (1, 2, 3))]
    boxes = [(left, top, left + wide, top + high + below) for top in (
        int(np.clip(each, 2, canvas.shape[0] - high - below - 2)) for each in tops)]
    box = next((box for box in boxes if not any(box[0] < other[2] and other[0] < box[2] and box[1] < other[3]
                                                and other[1] < box[3] for other in taken)), boxes[0])
    taken.append(box)
    cv2.rectangle(canvas, (box[0] - 2, box[1] - 2), (box[2] + 2, box[3]), colour, cv2.FILLED)
    cv2.putText(canvas, words, (box[0], box[1] + high), _FONT, _HEIGHT, (255, 255, 255), 1, cv2.LINE_AA)


def _whole(point: np.ndarray) -> Tuple[int, int]:
    return int(round(float(point[0]))), int(round(float(point[1])))

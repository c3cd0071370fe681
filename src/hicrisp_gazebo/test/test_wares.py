"""Objects that nobody described, in Gazebo: those of the embedded world, under names that do not tell what they are."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, Tuple
from urllib.parse import urlparse
from urllib.request import url2pathname
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.config.yaml_files import read_yaml
from hicrisp_core.errors import ConfigError
from hicrisp_core.scene import load_scene
from hicrisp_core.scene.undescribed import Ware, wares_of, with_undescribed
from hicrisp_gazebo.scene_models import SCENERY, models_of, scenery
from hicrisp_gazebo.wares import ware_sdf, with_wares
from hicrisp_sim.wares import add_ware

FILE = config_file("worlds", "workbench")
NAMES = sorted(read_yaml(FILE)[0]["objects"])


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROS_HOME", str(tmp_path))
    return tmp_path / "hicrisp_meshes"


@pytest.fixture(scope="module")
def wares() -> Dict[str, Ware]:
    every = (ware for seed in range(12) for ware in wares_of(with_undescribed(load_scene("workbench", seed), seed)))
    return {ware.name: ware for ware in every}


def link_of(item: Ware) -> ElementTree.Element:
    link = ElementTree.fromstring(ware_sdf(item)).find("model/link")
    assert link is not None
    return link


def shapes_of(link: ElementTree.Element, kind: str) -> Tuple[np.ndarray, float]:
    """The corners of a link's shapes, array (n, 3), and their volume."""
    corners, volume = [], 0.0
    for shape in link.findall(kind):
        uri = shape.findtext("geometry/mesh/uri")
        if uri is None:
            size = np.array(shape.findtext("geometry/box/size", "").split(), float)
            middle = np.array(shape.findtext("pose", "").split(), float)[:3]
            corners.append(middle + size * [[-0.5] * 3, [0.5] * 3])
            volume += size.prod()
            continue
        triangles = triangles_of(Path(url2pathname(urlparse(uri).path)))
        corners.append(triangles.reshape(-1, 3))
        volume += np.linalg.det(triangles).sum() / 6.0
    return np.concatenate(corners), volume


def triangles_of(stl: Path) -> np.ndarray:
    content = stl.read_bytes()
    assert len(content) == 84 + 50 * int(np.frombuffer(content[80:84], "<u4")[0])
    facets = np.frombuffer(content[84:], np.uint8).reshape(-1, 50)[:, :48].copy().view("<f4").reshape(-1, 4, 3)
    across = np.cross(facets[:, 2] - facets[:, 1], facets[:, 3] - facets[:, 1])
    assert (np.einsum("ni,ni->n", across, facets[:, 0]) > 0.0).all()
    return facets[:, 1:].astype(float)


@pytest.mark.parametrize("name", NAMES)
def test_an_object_has_the_size_the_mass_and_the_inertia_that_it_has_in_the_embedded_world(
        name: str, wares: Dict[str, Ware]) -> None:
    item = wares[name]
    link, spec = link_of(item), mujoco.MjSpec()
    add_ware(spec, spec.worldbody.add_body(name=name), item, 1, 1)
    body = spec.compile().body(name)
    turned = np.zeros(9)
    mujoco.mju_quat2Mat(turned, body.iquat)
    axes = turned.reshape(3, 3)
    tensor = np.array([[float(link.findtext(f"inertial/inertia/i{min(row, column)}{max(row, column)}", ""))
                        for column in "xyz"] for row in "xyz"])
    corners, volume = shapes_of(link, "collision")

    assert np.ptp(corners, axis=0) == pytest.approx(item.size, abs=1e-6)
    assert corners.min(axis=0) + corners.max(axis=0) == pytest.approx(np.zeros(3), abs=1e-6)
    assert volume * item.density == pytest.approx(body.mass[0], rel=1e-3)
    assert float(link.findtext("inertial/mass", "")) == pytest.approx(body.mass[0], rel=1e-4)
    assert list(map(float, link.findtext("inertial/pose", "").split()))[:3] == pytest.approx(body.ipos, abs=1e-6)
    assert tensor == pytest.approx(axes @ np.diag(body.inertia) @ axes.T, rel=1e-3, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_seen_is_what_collides_in_the_colours_of_its_parts(name: str, wares: Dict[str, Ware]) -> None:
    item = wares[name]
    link = link_of(item)
    assert shapes_of(link, "visual")[0] == pytest.approx(shapes_of(link, "collision")[0])
    seen = {tuple(map(float, visual.findtext("material/diffuse", "").split())) for visual in link.findall("visual")}
    assert sorted(seen) == [pytest.approx(paint) for paint in sorted(set(item.paints))]
    assert {visual.findtext("transparency") for visual in link.findall("visual")} == {
        "0.75" if item.transparent else None}


@pytest.mark.parametrize("seed", range(4))
def test_a_seed_gives_the_layout_of_the_embedded_world_and_no_name_tells_what_it_is(seed: int, home: Path) -> None:
    scene = load_scene("workbench", seed)
    embedded = wares_of(with_undescribed(scene, seed))
    models = models_of(with_wares(scene, seed))
    numbered = [f"undescribed_{number}" for number in range(1, len(embedded) + 1)]

    assert list(models) == [SCENERY, *numbered]
    assert [models[name].pose for name in numbered] == [item.pose for item in embedded]
    written = " ".join([*(models[name].sdf for name in numbered), *(file.name for file in home.iterdir())])
    assert not [name for name in NAMES if name in written]
    assert models[SCENERY].sdf == scenery(scene)
    assert with_wares(with_wares(scene, seed), seed) == with_wares(scene, seed)


def test_a_scene_as_other_nodes_have_it_spawns_nothing_that_it_does_not_describe() -> None:
    assert list(models_of(load_scene("workbench", 3))) == [SCENERY]
    described = load_scene("tabletop", 3)
    assert with_wares(described, 3) == described


def test_a_mesh_of_another_form_has_another_file_and_one_of_the_same_form_the_same(
        home: Path, wares: Dict[str, Ware]) -> None:
    ware_sdf(wares["mug"])
    first = {file.name: file.stat().st_mtime_ns for file in home.iterdir()}
    ware_sdf(wares["mug"])
    assert {file.name: file.stat().st_mtime_ns for file in home.iterdir()} == first
    ware_sdf(wares["bowl"])
    assert set(first) < {file.name for file in home.iterdir()}


def test_a_cabinet_whose_joints_nobody_would_move_is_refused_with_the_command_that_shows_it() -> None:
    with pytest.raises(ConfigError, match="scripts/demo --scene cabinet"):
        with_wares(load_scene("cabinet", 1), 1)

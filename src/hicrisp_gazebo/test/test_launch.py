"""Launch files of Gazebo fit together, also where Gazebo is not installed to try them."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, List
from xml.etree import ElementTree

import pytest
import yaml

ROOT = Path(__file__).parents[3]
OWN = "$(find hicrisp_bringup)/"
FILES = sorted([*(ROOT / "launch").glob("gazebo_*.launch"), *(ROOT / "launch/include").glob("gazebo_*.launch")])


def arguments(file: Path) -> Dict[str, ElementTree.Element]:
    return {str(arg.get("name")): arg for arg in ElementTree.parse(str(file)).getroot().findall("arg")}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_argument_says_what_it_is(file: Path) -> None:
    for name, arg in arguments(file).items():
        assert arg.get("doc"), name
        if file.parent.name == "launch":
            assert arg.get("default") is not None, f"{name} has no default, so the file cannot be typed alone"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_includes_get_what_they_declare_and_need(file: Path) -> None:
    for include in ElementTree.parse(str(file)).getroot().iter("include"):
        path = str(include.get("file"))
        if not path.startswith(OWN):
            continue
        wanted = arguments(ROOT / path[len(OWN):])
        given = {str(arg.get("name")) for arg in include.findall("arg")}
        assert given <= set(wanted), path
        assert {name for name, arg in wanted.items() if arg.get("default") is None} <= given, path


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_own_nodes_and_files_exist(file: Path) -> None:
    root = ElementTree.parse(str(file)).getroot()
    for node in root.iter("node"):
        package = ROOT / "src" / str(node.get("pkg"))
        if package.is_dir():
            assert (package / "nodes" / str(node.get("type"))).is_file()
    for parameters in root.iter("rosparam"):
        path = str(parameters.get("file", "")).replace("$(arg navigation)/", f"{OWN}config/navigation/")
        if path.startswith(OWN):
            assert isinstance(yaml.safe_load((ROOT / path[len(OWN):]).read_text(encoding="utf-8")), dict)


def test_every_controller_that_is_started_has_its_settings() -> None:
    from hicrisp_gazebo.franka import controllers

    settings: Dict[str, object] = {}
    for file in ("panda_controllers.yaml", "franka_hardware.yaml"):
        settings.update(yaml.safe_load((ROOT / "config/gazebo" / file).read_text(encoding="utf-8")))
    wanted: List[str] = [*controllers("true"), *controllers("false")]
    assert set(wanted) <= set(settings)

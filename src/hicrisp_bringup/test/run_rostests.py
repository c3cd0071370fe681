"""Every ``.test`` file of this folder as one pytest test, each with a ROS graph and a ROS home of its own.

HICRISP_ROSTESTS names another folder below this one: ``noetic`` holds those that need MoveIt, Gazebo or
move_base. An exit status of rostest is not enough: a test node that ran no test at all must not pass.
"""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Iterator

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "support"))
from ports import free_port  # noqa: E402
from told_runs import told  # noqa: E402

FOLDER = HERE / os.environ.get("HICRISP_ROSTESTS", "")
LIMIT = 3600
"""Wall seconds after which a test has failed, on however busy a machine."""


def embedded_world_is_here() -> bool:
    """The embedded world needs what Python 3.8 has no wheels for."""
    node = HERE.parents[1] / "hicrisp_sim/nodes/embedded_world"
    return node.is_file() and all(find_spec(module) is not None for module in ("mujoco", "ompl", "toppra"))


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.test")), ids=lambda file: file.stem)
def test_rostest(file: Path, tmp_path: Path) -> None:
    if FOLDER != HERE:
        from missing_packages import missing_packages  # It reads every package of the workspace.

        absent = missing_packages([file])
        assert not absent, f"it needs packages that are not here: {', '.join(absent)}"
    embedded = ("embedded", "bar", "camera", "eyes", "kitchen", "agv", "agv_fleet", "zones", "lab", "moveit",
                "instances", "arenas")
    if file.stem in embedded and not embedded_world_is_here():
        pytest.skip("the embedded world does not run here")
    if file.stem == "dashboard" and not (find_spec("playwright") and Path("/usr/bin/chromium").exists()):
        pytest.skip("no browser to test with: it takes Debian's chromium and requirements/dev.txt")
    if file.stem == "household" and find_spec("virtualhome_eval") is None:
        pytest.skip("the optional package virtualhome_eval is not installed; scripts/bench virtualhome "
                    "installs it")
    environment = {
        **os.environ, "ROS_HOME": str(tmp_path), "ROS_IP": "127.0.0.1",
        "ROS_MASTER_URI": f"http://127.0.0.1:{free_port()}",
        "GAZEBO_MASTER_URI": f"http://127.0.0.1:{free_port()}",
        "HICRISP_LLM_BASE_URL": f"http://127.0.0.1:{free_port()}/v1",
    }
    environment.pop("ROS_HOSTNAME", None)
    run = subprocess.run(
        [sys.executable, str(HERE / "support/patient_rostest.py"), str(file)], env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT, check=False)
    if run.returncode:
        pytest.fail(f"{run.stdout[-20000:]}\n{told(tmp_path)}\n{failures_in(tmp_path / 'test_results')}", pytrace=False)
    wanted = len(ElementTree.parse(file).getroot().findall("test"))
    ran = [count for count in (int(root.get("tests", 0)) for root in results_in(tmp_path / "test_results")) if count]
    assert len(ran) == wanted, f"a test node ran no test to its end\n{run.stdout[-20000:]}"


def results_in(folder: Path) -> Iterator[ElementTree.Element]:
    """Yield what each test node told of its tests; not what was cut off, as when a required node has died."""
    for file in sorted(folder.glob("**/rosunit-*.xml")):
        with suppress(ElementTree.ParseError):
            yield ElementTree.parse(file).getroot()


def failures_in(folder: Path) -> str:
    """Return what failed and the end of each traceback, the first failure last: a log that was cut still shows it,
    and the others are often its consequences.
    """
    return "\n".join(reversed([
        f"{case.get('name')}: {(found.text or found.get('message') or '').strip()[-2000:]}"
        for root in results_in(folder) for case in root.iter("testcase")
        for found in (*case.iter("failure"), *case.iter("error"))]))

"""A ROS graph of its own, on which the driver meets a move_group that behaves as the real one does."""

from __future__ import annotations

import resource
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Iterator

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "hicrisp_bringup/test/support")]

from ros_graph import ros_graph  # noqa: E402

for module in ("mujoco", "ompl", "toppra"):
    pytest.importorskip(module, reason="the arm of the reference move_group does not run here")
_FOLDER = pytest.StashKey[Path]()


def pytest_configure(config: pytest.Config) -> None:
    """Before anything imports them, make the interfaces that are not installed here."""
    import interfaces

    # One process holds every robot of these tests to the end, with its topics: more than a shell's 1024 open files.
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    config.stash[_FOLDER] = Path(tempfile.mkdtemp(prefix="hicrisp_interfaces_"))
    interfaces.install(config.stash[_FOLDER])


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(config.stash[_FOLDER], ignore_errors=True)


@pytest.fixture(scope="session")
def ros(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with ros_graph(tmp_path_factory.mktemp("ros_home")):
        yield

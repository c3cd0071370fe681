"""What stood where during a run is written beside its events, and drawn again in a replay."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import a_run, write_run
from hicrisp_core.domain import load_domain
from hicrisp_core.model import Pose, RobotState, WorldState
from hicrisp_core.scene import load_scene
from hicrisp_core.scene.scene_record import SceneRecord
from hicrisp_core.trace.scene_lines import FILE_NAME, read_record
from hicrisp_web.history.history import History

CONFIG = Path(__file__).resolve().parents[3] / "config"


class Drive:
    """An AGV that is seen in its arena, and the record of it."""

    def __init__(self, run: Path) -> None:
        scene = load_scene(CONFIG / "scenes" / "agv.yaml", 1)
        self.file = run / FILE_NAME
        self.record = SceneRecord(self.file, scene, load_domain(CONFIG / "domains" / f"{scene.domain}.yaml"))
        self._objects = scene.objects

    def seen(self, t: float, x: float) -> int:
        """The lines of the record after a sight of the base."""
        base = RobotState("agv", "base", Pose((x, 1.0, 0.0)))
        self.record.see(t, WorldState(self._objects, robots={"agv": base}))
        return len(self.file.read_text().splitlines())


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "runs" / "20260101-120000-001", a_run())


def test_only_what_moved_is_written(run: Path) -> None:
    drive = Drive(run)
    assert [drive.seen(t, x) for t, x in ((0.0, 1.5), (0.5, 1.501), (1.0, 1.6))] == [2, 2, 3]
    assert "area_1" not in drive.file.read_text().splitlines()[-1]


def test_what_is_no_thing_any_more_is_nowhere_in_the_record(run: Path) -> None:
    drive = Drive(run)
    drive.seen(0.0, 1.5)
    drive._objects = {name: thing for name, thing in drive._objects.items() if name != "area_1"}
    drive.seen(1.0, 1.6)
    drive.seen(2.0, 1.7)
    things = [{thing["name"]: thing for thing in sections["world"]["things"]}
              for _, sections in read_record(run) if "world" in sections]
    assert things[0]["area_1"]["x"] is not None
    assert things[-1]["area_1"]["x"] is None
    assert "area_1" not in drive.file.read_text().splitlines()[-1], "it is told once"


def test_a_record_is_read_back_as_the_scene_the_world_and_the_way(run: Path) -> None:
    drive = Drive(run)
    for t, x in ((0.0, 1.5), (1.0, 1.6), (2.0, 1.7)):
        drive.seen(t, x)
    (_, first), *sights = read_record(run)
    assert first["scene"]["name"] == "agv"
    assert [t for t, _ in sights] == [0.0, 1.0, 2.0]
    last = sights[-1][1]
    assert last["path"] == [[1.5, 1.0], [1.6, 1.0], [1.7, 1.0]]
    assert {"area_1", "area_2"} <= {thing["name"] for thing in last["world"]["things"]}


def test_a_replay_shows_each_sight_at_its_time(run: Path) -> None:
    Drive(run).seen(1.15, 1.5)
    part = History(run.parent).part(run.name, 0)
    assert part is not None
    changes = part["changes"]
    times = [change["t"] for change in changes]
    assert times == sorted(times)
    at = next(at for at, change in enumerate(changes) if "world" in change["set"])
    assert changes[at]["kind"] == "seen"
    assert changes[at - 1]["t"] <= 1.15 <= changes[at + 1]["t"]


def test_a_replay_draws_a_drive_as_its_event_tells_it_and_goes_on_from_there(tmp_path: Path) -> None:
    drove = {"kind": "drove", "t": 1.3, "robot": "agv", "driven": [[1.5, 1.0], [1.55, 1.1], [1.6, 1.0]],
             "planned": [[1.5, 1.0], [1.6, 1.0]]}
    run = write_run(tmp_path / "runs" / "20260101-120000-002", [*a_run(), drove])
    drive = Drive(run)
    for t, x in ((1.0, 1.5), (1.25, 1.56), (1.4, 1.7)):
        drive.seen(t, x)
    part = History(run.parent).part(run.name, 0)
    assert part is not None
    ways = [change["set"]["path"] for change in part["changes"] if "path" in change["set"]]
    assert [len(way) for way in ways] == [1, 2, 3, 4]
    assert ways[-1] == [[1.5, 1.0], [1.55, 1.1], [1.6, 1.0], [1.7, 1.0]]


def test_a_world_of_facts_has_nothing_to_draw(run: Path) -> None:
    scene = load_scene(CONFIG / "scenes" / "barman.yaml", 0)
    record = SceneRecord(run / FILE_NAME, scene, load_domain(CONFIG / "domains" / f"{scene.domain}.yaml"))
    record.see(0.0, scene.first_state())
    assert not (run / FILE_NAME).exists()


def test_a_damaged_record_shows_what_is_left_of_it(run: Path) -> None:
    drive = Drive(run)
    drive.seen(0.0, 1.5)
    with drive.file.open("a") as stream:
        stream.write('not json\n[1]\n{"t": "x", "things": 3}\n{"t": 2.0, "robots": [7, {"name": "agv"}]}\n')
    assert list(read_record(run))
    assert History(run.parent).part(run.name, 0)

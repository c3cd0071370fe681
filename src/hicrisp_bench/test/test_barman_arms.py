"""Cocktails by two arms: a recorded plan becomes motions, and what counts is where the liquid and the pieces are."""

from __future__ import annotations

import math
from pathlib import Path
from threading import Event
from typing import Any, Collection, Dict

import pytest
from hicrisp_bench.barman.bodies import MEASURE
from hicrisp_bench.barman.counter import HANDS, lay_out
from hicrisp_bench.barman.hands import Strokes, TwoHands
from hicrisp_bench.barman.recordings import FirstPlan, poured_out
from hicrisp_bench.barman.trial import ARMS, BarmanTrial
from hicrisp_bench.cli import main
from hicrisp_core.domain import load_domain
from hicrisp_core.model import Command, Outcome, Status
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline

PATIENCE = 600.0
"""Wall seconds that no command should need on any machine."""
CONFIG = Path(__file__).resolve().parents[3] / "config"
DOMAIN = load_domain(CONFIG / "domains" / "bar_arms.yaml")
STATE = load_scene(CONFIG / "scenes" / "barman.yaml").first_state()
NEEDED = ("gin_bottle", "vermouth_bottle", "mixing_container", "first_glass", "ice_cubes")
MARTINI = """[Ropa to Roco] get gin_bottle from shelf hand_left
[Ropa to Roco] pour gin_bottle mixing_container 2
[Ropa to Roco] put gin_bottle shelf
[Ropa to Roco] get vermouth_bottle from shelf hand_right
[Ropa to Roco] pour vermouth_bottle mixing_container 1
[Ropa to Roco] put vermouth_bottle shelf
[Ropa to Roco] switch_on electric_shaker
[Ropa to Roco] switch_off electric_shaker
[Ropa to Roco] pour mixing_container first_glass 1
[Ropa to Roco] get first_glass from table hand_right
[Ropa to Roco] put first_glass tray"""
SERVED_FIRST = "\n".join(sorted(MARTINI.splitlines(), key=lambda line: "pour mixing_container" not in line))
"""Its first step fails, before anything was poured."""


class Counter:
    """Two arms with what a drink needs, a Martini by default."""

    def __init__(self, seed: int = 0, needed: Collection[str] = NEEDED) -> None:
        self.hands = TwoHands(CONFIG, DOMAIN, STATE, needed, seed)
        self.liquids = self.hands.world.simulation.liquids

    def do(self, action: str, **arguments: Any) -> Outcome:
        return self.hands.execute(Command(action, arguments, "robot"), Deadline(PATIENCE), Event())

    def holds(self, subject: str, predicate: str, object_: str) -> bool:
        return self.hands.observe(Deadline(PATIENCE)).holds(predicate, subject, object_)


def run(policy: str, plan: str = MARTINI) -> Dict[str, Any]:
    recorded = FirstPlan("a test", "Martini", "Please, prepare a Martini", plan, None, "", "")
    return BarmanTrial(CONFIG, policy, "Martini", recorded, menu=ARMS, counter=0).run()


def test_a_plan_that_takes_the_counters_tray_and_forgets_the_shaker_is_repaired_and_the_drink_is_in_the_glass() -> None:
    result = run("hierarchical", f"[Ropa to Roco] get tray from table hand_left\n{MARTINI}")
    assert result["executable"], result["message"]
    assert result["correct"]
    assert result["repairs"] > 0
    assert result["lost_ml"] < MEASURE / 4.0


def test_the_baseline_ends_where_the_plan_does_not_hold() -> None:
    result = run("copal_bl", SERVED_FIRST)
    assert not result["executable"]
    assert "mixing container" in result["message"]
    assert sorted(result["missing"]) == ["gin", "vermouth"]


def test_a_piece_falls_into_the_shaker_and_is_tipped_out_with_the_drink() -> None:
    bar = Counter()
    assert bar.do("get", item="ice_cubes", hand="hand_left").ok
    assert bar.do("put_into", item="ice_cubes", vessel="mixing_container").ok
    assert bar.holds("mixing_container", "contains", "ice_cubes")
    assert bar.do("get", item="gin_bottle", hand="hand_right").ok
    assert bar.do("pour", source="gin_bottle", target="mixing_container", amount=1.0).ok
    assert bar.liquids.volume("mixing_container") == pytest.approx(MEASURE, abs=2.0)
    full = bar.do("get", item="first_glass", hand="hand_right")
    assert full.status is Status.PRECONDITION
    assert "gin bottle" in full.message
    assert bar.do("get", item="mixing_container", hand="hand_left").ok
    assert bar.do("pour", source="mixing_container", target="first_glass", amount=1.0).ok
    assert bar.liquids.volume("first_glass") == pytest.approx(MEASURE, abs=2.0)
    assert not bar.holds("mixing_container", "contains", "ice_cubes")


def test_the_tray_is_part_of_the_counter() -> None:
    assert "let into the counter" in Counter().do("get", item="tray", hand="hand_left").message


def test_what_has_no_room_fails_with_its_reason() -> None:
    bar = Counter()
    assert bar.do("get", item="gin_bottle", hand="hand_left").ok
    assert "no room" in bar.do("put", item="gin_bottle", place="electric_shaker").message


def test_a_plan_in_millilitres_and_one_in_measures_both_fit_into_a_glass() -> None:
    assert poured_out(DOMAIN, STATE, MARTINI) == 3.0
    assert poured_out(DOMAIN, STATE, MARTINI.replace("mixing_container 2", "mixing_container 15")) == 16.0


def test_strokes_are_counted_by_the_body() -> None:
    height = [0.0]
    strokes = Strokes(lambda: height[0], 0.05)
    for step in range(400):
        height[0] = 0.03 * math.sin(step / 10.0)
        strokes.look()
    assert strokes.count == pytest.approx(400 / 10.0 / math.pi, abs=1)
    still = Strokes(lambda: height[0], 0.05)
    for step in range(400):
        height[0] = 0.02 * math.sin(step / 10.0)
        still.look()
    assert still.count == 0


def test_both_arms_reach_every_place_of_a_small_counter_and_seeds_differ() -> None:
    layouts = [lay_out(CONFIG, STATE, NEEDED, seed) for seed in range(20)]
    for scene, spots in layouts:
        assert set(spots) == {"shelf", "table", "tray", "electric_shaker"}
        for stand in scene.stands.values():
            row = [spot for place in ("shelf", "tray", "electric_shaker") for spot in spots[place]] + spots["table"][:2]
            assert all(0.30 < math.dist(stand.pose.position[:2], spot) < 0.70 for spot in row)
        assert set(scene.stands) == set(HANDS)
    assert len({spots["electric_shaker"][0] for _, spots in layouts}) == 20


def test_the_suite_refuses_what_arms_cannot_take(capsys: pytest.CaptureFixture) -> None:
    assert main(["barman", "--robot", "arms", "--changed"]) != 0
    assert "--changed" in capsys.readouterr().err

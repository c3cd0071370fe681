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
from hicrisp_bench.barman.trial import ARMS, BarmanTrial, run_barman
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
COSMOPOLITAN = ("vodka_bottle", "cranberry_juice_bottle", "triple_sec_bottle", "lime_slice", "ice_cubes",
                "mixing_container", "first_glass", "fridge")
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
    return run_barman(BarmanTrial(CONFIG, policy, "Martini", recorded, menu=ARMS, counter=0))


def test_a_plan_that_forgets_the_shaker_is_repaired_and_the_drink_is_in_the_glass() -> None:
    result = run("hierarchical")
    assert result["executable"], result["message"]
    assert result["correct"]
    assert result["repairs"] > 0
    assert result["lost_ml"] < MEASURE / 4.0


def test_the_baseline_ends_where_the_plan_does_not_hold() -> None:
    result = run("copal_bl")
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


def test_a_dish_is_taken_by_its_rim_and_put_back_and_its_pieces_slide_into_the_shaker() -> None:
    bar = Counter()
    assert bar.do("get", item="ice_cubes_bowl", hand="hand_left").ok
    assert bar.holds("hand_left", "holding", "ice_cubes_bowl")
    assert bar.do("get", item="ice_cubes", hand="hand_right").ok  # Out of the dish, which is put down for it.
    assert not bar.holds("hand_left", "holding", "ice_cubes_bowl")
    assert not bar.holds("ice_cubes", "at", "ice_cubes_bowl")
    assert bar.do("put", item="ice_cubes", place="ice_cubes_bowl").ok
    assert bar.holds("ice_cubes", "at", "ice_cubes_bowl")  # So that nobody takes it out to put it back again.
    assert bar.do("get", item="ice_cubes_bowl", hand="hand_right").ok
    assert bar.do("tip_into", bowl="ice_cubes_bowl", vessel="mixing_container").ok
    assert bar.holds("mixing_container", "contains", "ice_cubes")
    assert bar.do("put", item="ice_cubes_bowl", place="table").ok
    assert bar.holds("ice_cubes_bowl", "at", "table")


def test_what_lies_in_a_dish_stays_in_its_middle_on_the_way_and_is_taken_out_again() -> None:
    bar = Counter(6, ("vodka_bottle", "tomato_juice_bottle", "salt_bottle", "fridge", "ice_cubes", "lemon_slice",
                      "mixing_container", "first_glass"))
    assert bar.do("get", item="lemon_slice_bowl", hand="hand_right").ok
    assert bar.do("put", item="lemon_slice_bowl", place="table").ok
    taken = bar.do("get", item="lemon_slice", hand="hand_left")
    assert taken.ok, taken.message


def test_a_dish_has_plenty_of_pieces() -> None:
    bar = Counter()
    for vessel in ("mixing_container", "first_glass"):
        assert bar.holds("ice_cubes_bowl", "supplies", "ice_cubes")
        assert bar.do("get", item="ice_cubes", hand="hand_left").ok
        assert bar.do("put_into", item="ice_cubes", vessel=vessel).ok
        assert bar.holds(vessel, "contains", "ice_cubes")


def test_the_tray_is_part_of_the_counter_and_a_step_that_takes_it_is_left_out() -> None:
    assert "let into the counter" in Counter().do("get", item="tray", hand="hand_left").message
    result = run("hierarchical", f"[Ropa to Roco] get tray from table hand_left\n{MARTINI}")
    assert result["correct"], result["message"]


def test_a_hand_that_has_poured_waits_beside_its_arm_and_the_other_one_gets_at_the_shaker() -> None:
    bar = Counter(1, COSMOPOLITAN)
    assert bar.do("get", item="vodka_bottle", hand="hand_left").ok
    assert bar.do("pour", source="vodka_bottle", target="mixing_container", amount=1.0).ok
    frames = bar.hands.world.frames()
    bottle, shaker = frames["vodka_bottle"][0], frames["mixing_container"][0]
    assert math.dist(bottle.position[:2], shaker.position[:2]) > 0.3
    assert bottle.tilt < 0.3
    assert bar.do("get", item="lime_slice", hand="hand_right").ok
    placed = bar.do("put_into", item="lime_slice", vessel="mixing_container")
    assert placed.ok, placed.message
    assert bar.holds("mixing_container", "contains", "lime_slice")
    assert bar.holds("hand_left", "holding", "vodka_bottle")


def test_a_piece_beside_its_twin_and_below_a_bottle_is_taken() -> None:
    bar = Counter(1, ("coca_cola_bottle", "gin_bottle", "rum_bottle", "tequila_bottle", "triple_sec_bottle",
                      "vodka_bottle", "ice_cubes", "lemon_slice", "sugar_cubes", "mixing_container", "first_glass"))
    taken = bar.do("get", item="ice_cubes", hand="hand_left")
    assert taken.ok, taken.message
    assert bar.holds("hand_left", "holding", "ice_cubes")


def test_what_only_the_other_hand_can_put_back_is_put_back_by_it_though_it_holds_something() -> None:
    bar = Counter(1, ("whiskey_bottle", "vermouth_bottle", "bitters_bottle", "ice_cubes", "mixing_container",
                      "first_glass"))
    assert bar.do("get", item="vermouth_bottle", hand="hand_right").ok  # Beyond its reach: the other arm hands it over.
    assert bar.do("get", item="mixing_container", hand="hand_left").ok
    placed = bar.do("put", item="vermouth_bottle", place="shelf")
    assert placed.ok, placed.message
    assert bar.holds("vermouth_bottle", "at", "shelf")
    assert bar.holds("hand_left", "holding", "mixing_container")


def test_a_place_that_something_came_from_is_kept_for_it() -> None:
    bar = Counter(1, COSMOPOLITAN)
    home = bar.hands.world.frames()["cranberry_juice_bottle"][0].position
    assert bar.do("get", item="cranberry_juice_bottle", hand="hand_right").ok
    assert bar.do("get", item="triple_sec_bottle", hand="hand_left").ok
    for bottle in ("triple_sec_bottle", "cranberry_juice_bottle"):
        placed = bar.do("put", item=bottle, place="fridge")
        assert placed.ok, placed.message
    back = bar.hands.world.frames()["cranberry_juice_bottle"][0].position
    assert math.dist(home[:2], back[:2]) < 0.03


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

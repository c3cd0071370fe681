"""What two arms take long for at the bar and at the oven; a part of ``scripts/test --all``."""

from __future__ import annotations

import math

from hicrisp_bench.barman.pizza import BAKED, blind_plan
from hicrisp_bench.barman.recordings import FirstPlan
from hicrisp_bench.barman.trial import BarmanTrial
from hicrisp_core.config.recipes import load_recipes
from hicrisp_core.scene import load_scene
from test_barman_arms import Counter
from test_by_hand import BY_HAND, CONFIG, whole

PIZZA = "Mushroom_Pizza"
OVEN = load_scene(CONFIG / "scenes" / "pizza.yaml").first_state()
COSMOPOLITAN = ("vodka_bottle", "cranberry_juice_bottle", "triple_sec_bottle", "lime_slice", "ice_cubes",
                "mixing_container", "first_glass", "fridge")


def test_a_plan_that_forgets_the_oven_door_is_repaired_and_the_pizza_is_in_the_closed_oven() -> None:
    plan = blind_plan(load_recipes(CONFIG / "recipes" / "pizzas.yaml")[PIZZA], OVEN, baked=True)
    recorded = FirstPlan("a test", PIZZA, BAKED.request.format("Mushroom Pizza"),
                         plan.replace("[Ropa to Roco] open oven\n", ""), None, "", "")
    result = BarmanTrial(CONFIG, "hierarchical", PIZZA, recorded, menu=BAKED, counter=0).run()
    assert result["executable"], result["message"]
    assert result["correct"]
    assert result["repairs"] > 0
    assert result["lost_ml"] < 5.0


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


def test_a_piece_beside_its_twin_and_below_a_bottle_is_taken() -> None:
    bar = Counter(1, ("coca_cola_bottle", "gin_bottle", "rum_bottle", "tequila_bottle", "triple_sec_bottle",
                      "vodka_bottle", "ice_cubes", "lemon_slice", "sugar_cubes", "mixing_container", "first_glass"))
    taken = bar.do("get", item="ice_cubes", hand="hand_left")
    assert taken.ok, taken.message
    assert bar.holds("hand_left", "holding", "ice_cubes")


def test_a_dish_has_plenty_of_pieces() -> None:
    bar = Counter()
    for vessel in ("mixing_container", "first_glass"):
        assert bar.holds("ice_cubes_bowl", "supplies", "ice_cubes")
        assert bar.do("get", item="ice_cubes", hand="hand_left").ok
        assert bar.do("put_into", item="ice_cubes", vessel=vessel).ok
        assert bar.holds(vessel, "contains", "ice_cubes")


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


def test_two_arms_make_the_pizza_that_was_planned_by_hand() -> None:
    trial = BarmanTrial(CONFIG, "hierarchical", PIZZA, llm=BY_HAND, menu=BAKED, counter=0)
    result = whole(trial.run())
    assert result["executable"], result["message"]
    assert result["correct"]

"""Pizzas by two arms: what counts is what lies on the dough, and where the dough is in the end."""

from __future__ import annotations

import math
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from hicrisp_bench.barman.kitchen import Kitchen, lay_out_kitchen
from hicrisp_bench.barman.pizza import BAKED
from hicrisp_bench.barman.trial import BarmanTrial
from hicrisp_core.domain import load_domain
from hicrisp_core.model import Command, Outcome, Status
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline

PATIENCE = 600.0
"""Wall seconds that no command should need on any machine."""
CONFIG = Path(__file__).resolve().parents[3] / "config"
DOMAIN = load_domain(CONFIG / "domains" / "bar_arms.yaml")
STATE = load_scene(CONFIG / "scenes" / "pizza.yaml").first_state()
NEEDED = ("mushrooms", "mozzarella_cheese", "tomato_sauce_bottle")


class Counter:
    """Two arms with what a mushroom pizza needs."""

    def __init__(self, seed: int = 0) -> None:
        self.hands = Kitchen(CONFIG, DOMAIN, STATE, NEEDED, seed, 1.0)
        self.world = self.hands.world

    def do(self, action: str, **arguments: Any) -> Outcome:
        return self.hands.execute(Command(action, arguments, "robot"), Deadline(PATIENCE), Event())

    def holds(self, subject: str, predicate: str, object_: str = "") -> bool:
        return self.hands.observe(Deadline(PATIENCE)).holds(predicate, *(each for each in (subject, object_) if each))

    def lid(self) -> float:
        """How far the oven is open in the physics."""
        return float(self.world.simulation.data.joint("oven_door").qpos[0]) / \
            self.world.scene.objects["oven_door"].joint.reach[1]


def test_what_lies_on_the_board_goes_where_the_board_goes_and_stays_level() -> None:
    kitchen = Counter()
    for topping, hand in (("mushrooms", "hand_left"), ("mozzarella_cheese", "hand_right")):
        assert kitchen.do("get", item=topping, hand=hand).ok
        assert kitchen.do("put_into", item=topping, vessel="pizza_dough").ok
    assert kitchen.do("get", item="tomato_sauce_bottle", hand="hand_left").ok
    assert kitchen.do("pour", source="tomato_sauce_bottle", target="pizza_dough", amount=20.0).ok
    assert not kitchen.hands.served().holds("contains", "pizza_dough", "tomato_sauce")  # It does not cover half.
    assert kitchen.do("pour", source="tomato_sauce_bottle", target="pizza_dough", amount=30.0).ok
    assert kitchen.do("put", item="tomato_sauce_bottle", place="table").ok
    closed = kitchen.do("get", item="pizza_dough", hand="hand_left")
    assert closed.status is Status.PLANNING  # It is too wide for a hand.
    tilts, on = [0.0], {"mushrooms", "mozzarella_cheese", "tomato_sauce"}
    kitchen.world.simulation.listeners.append(
        lambda: tilts.append(kitchen.world.true_frames()["big_plate"][0].tilt))
    assert kitchen.do("open", thing="oven").ok
    assert kitchen.lid() > 0.9
    assert not kitchen.holds("oven", "closed")
    assert kitchen.do("get", item="big_plate", hand="hand_left").ok
    assert kitchen.holds("hand_left", "holding", "big_plate")
    assert kitchen.do("put", item="big_plate", place="oven").ok
    assert kitchen.holds("pizza_dough", "at", "oven")
    assert kitchen.do("close", thing="oven").ok
    assert kitchen.lid() < 0.03
    assert kitchen.holds("oven", "closed")
    served = kitchen.hands.served().relations
    assert {each.object for each in served if (each.subject, each.predicate) == ("pizza_dough", "contains")} == on
    assert max(tilts) < 0.09
    assert kitchen.world.simulation.liquids.lost < 1.0


def test_a_bottle_beyond_reach_is_handed_over() -> None:
    far = next(seed for seed in range(50) if math.hypot(*lay_out_kitchen(
        CONFIG, STATE, NEEDED, seed)[0].objects["tomato_sauce_bottle"].pose.position[:2]) > 0.88)
    kitchen = Counter(far)
    steps = []
    told = kitchen.hands._tell
    kitchen.hands._tell = lambda call, hand, action, *others, **more: (  # type: ignore[method-assign]
        steps.append((hand, action)), told(call, hand, action, *others, **more))[1]
    assert kitchen.do("get", item="tomato_sauce_bottle", hand="hand_left").ok
    assert kitchen.holds("hand_left", "holding", "tomato_sauce_bottle")
    assert steps[-3:] == [("hand_right", "offer"), ("hand_left", "take"), ("hand_right", "release")]


def test_a_closed_oven_takes_nothing() -> None:
    kitchen = Counter()
    assert kitchen.do("get", item="big_plate", hand="hand_right").ok
    refused = kitchen.do("put", item="big_plate", place="oven")
    assert refused.status is Status.PRECONDITION
    assert "closed" in refused.message


@pytest.mark.parametrize("seed", range(3))
def test_layouts_differ_and_every_topping_lies_free(seed: int) -> None:
    scene, spots = lay_out_kitchen(CONFIG, STATE, NEEDED, seed)
    other = lay_out_kitchen(CONFIG, STATE, NEEDED, seed + 1)[0]
    assert scene.objects["mushrooms"].pose != other.objects["mushrooms"].pose
    assert set(spots) == {"oven", "table", "shelf"}


def test_a_goal_and_a_plan_are_asked_for_in_the_words_that_were_answered_by_hand(
        caplog: pytest.LogCaptureFixture) -> None:
    pizza = BarmanTrial(CONFIG, "hierarchical", "Mushroom_Pizza", llm="by_hand", menu=BAKED, counter=0).run()
    assert pizza["correct"]
    assert {each["role"] for each in pizza["questions"]} == {"goal", "brain"}
    assert "is not the recorded one" not in caplog.text, "what else was answered by hand, too, is found no more"

"""What stands in the way is named and moved away, in physics; what cannot be moved is told."""

from __future__ import annotations

from typing import Any, Dict, List

import pytest
from acting import Lab, table_with
from hicrisp_core.model import Status
from hicrisp_core.model.geometry import rotate
from lasting import LONG

BOX = ("box", (0.05, 0.05, 0.05))
CAN = ("cylinder", (0.06, 0.06, 0.12))
CARTON = ("box", (0.06, 0.06, 0.16))
BOWL = ("bowl", (0.15, 0.15, 0.08))


def commands(events: List[Dict[str, Any]], purpose: str) -> List[str]:
    return [event["text"] for event in events if event["kind"] == "command" and event["purpose"] == purpose]


@pytest.fixture
def wedged() -> Lab:
    """A box between two cartons that leave no room for the fingers on two sides and none for the palm on
    the others.
    """
    return Lab(table_with(
        box=(*BOX, (0.5, 0.0)), milk=(*CARTON, (0.5, 0.062)), juice=(*CARTON, (0.5, -0.062)),
        cylinder=(*CAN, (0.45, 0.3))))


def test_what_blocks_every_grasp_is_named(wedged: Lab) -> None:
    outcome = wedged.do("pick", item="box")
    assert outcome.status is Status.PLANNING
    assert set(outcome.blockers) <= {"milk", "juice"}
    assert outcome.blockers
    assert all(f"the {name}" in outcome.message for name in outcome.blockers)


def test_what_blocks_every_grasp_is_moved_away_and_the_task_is_done(wedged: Lab) -> None:
    result, events = wedged.run("Place the box next to the cylinder")
    assert result.success, result.message
    assert set(result.corrections) == {"repair"}
    moved = commands(events, "correction")
    assert moved[0] in ("pick up milk", "pick up juice")
    assert wedged.see().holds("next_to", "box", "cylinder")
    assert not any(wedged.see().holds("lying", name) for name in ("milk", "juice"))


@LONG
def test_a_place_that_is_taken_is_cleared_with_the_item_put_down_meanwhile() -> None:
    lab = Lab(table_with(
        box=(*BOX, (0.4, -0.25)), cylinder=(*CAN, (0.5, 0.0)), tea=(*BOX, (0.595, 0.0))))
    result, events = lab.run("Place the box behind the cylinder")
    assert result.success, result.message
    refused = next(event["feedback"] for event in events if event["kind"] == "verdict" and not event["ok"])
    assert refused["kind"] == "no_place"
    assert refused["blockers"] == ["tea"]
    assert commands(events, "correction")[:2] == ["put box down on a free spot of the table", "pick up tea"]
    assert commands(events, "correction")[-1] == "pick up box"
    assert lab.see().holds("behind", "box", "cylinder")
    assert not lab.see().holds("behind", "tea", "cylinder")


@LONG
def test_room_is_made_on_both_sides_of_what_something_is_stacked_on() -> None:
    lab = Lab(table_with(
        box=(*BOX, (0.4, -0.25)), base=(*BOX, (0.5, 0.05)), milk=(*CARTON, (0.5, 0.112)),
        juice=(*CARTON, (0.5, -0.012))))
    result, events = lab.run("Place the box on the base")
    assert result.success, result.message
    moved = [text for text in commands(events, "correction") if text in ("pick up milk", "pick up juice")]
    assert len(moved) == len(set(moved))
    assert lab.see().holds("on", "box", "base")


def test_what_the_arm_cannot_move_is_named_when_the_task_is_given_up() -> None:
    lab = Lab(table_with(box=(*BOX, (0.4, -0.25)), cylinder=(*CAN, (0.45, 0.0)), bowl=(*BOWL, (0.57, 0.0))))
    before = lab.position("bowl")
    result, events = lab.run("Place the box behind the cylinder")
    assert not result.success
    assert "the bowl is in the way" in result.message
    assert "repair" not in result.corrections
    assert lab.position("bowl") == pytest.approx(before, abs=0.01)


def test_a_can_that_a_hand_from_above_cannot_reach_is_taken_from_the_side() -> None:
    lab = Lab(table_with(box=(*BOX, (0.4, -0.25)), can=(*CAN, (0.70, 0.45))))
    assert lab.do("pick", item="can").ok
    assert abs(rotate(lab.arm.tool_pose().orientation, (0.0, 0.0, 1.0))[2]) < 0.1
    assert lab.see().holds("holding", "panda", "can")
    assert lab.do("place_next_to", item="can", reference="box").ok
    after = lab.see()
    assert after.holds("next_to", "can", "box")
    assert not after.holds("lying", "can")

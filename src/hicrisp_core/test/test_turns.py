"""One order of visits that several bases share: who visits what, and who waits for whom."""

from __future__ import annotations

from hicrisp_core.robot.turns import Turns, divided

ORDER = [("area_6", "agv_2"), ("area_1", "agv_1"), ("area_5", "agv_2")]


def test_a_task_is_divided_by_who_would_be_there_first() -> None:
    places = {"a": (0.0, 0.0), "b": (9.0, 0.0), "c": (1.0, 0.0)}
    assert divided(["a", "b", "c"], places, {"one": (0.0, 1.0), "two": (9.0, 1.0)}) == [
        ("a", "one"), ("b", "two"), ("c", "one")]


def test_a_base_waits_for_what_others_visit_before_it() -> None:
    turns = Turns(ORDER)
    assert turns.barred("agv_2") is None
    waits = turns.barred("agv_1")
    assert waits is not None
    assert (waits.area, waits.whom, waits.words) == ("area_1", "agv_2", "agv_2 to visit area 6")
    turns.visited("agv_1", "area_1")  # Out of turn: it does not count.
    turns.visited("agv_2", "area_6")
    assert turns.barred("agv_1") is None
    assert turns.left == ORDER[1:]


def test_a_base_does_not_pass_others_where_its_own_visit_was_not_heard_of_yet() -> None:
    waits = Turns(ORDER).barred("agv_2", "area_5")
    assert waits is not None
    assert waits.words == "agv_1 to visit area 1"
    assert Turns(ORDER).barred("agv_2", "area_9") is None

"""The steps of a plan, read by threads while a new plan replaces some of them."""

from __future__ import annotations

import pytest
from hicrisp_core.executive.schedule import Schedule
from hicrisp_core.model import Step


def step(name):
    return Step(name, "wait", {}, "agv")


def test_a_step_can_be_read_by_its_index_after_a_new_plan_has_replaced_it():
    schedule = Schedule([step("first"), step("second"), step("third")])
    read = schedule.indices()
    schedule.drop([1, 2])
    assert schedule.indices() == (0,)
    assert [schedule.step(index).text for index in read] == ["first", "second", "third"]


def test_a_replaced_steps_index_is_nobody_elses():
    schedule = Schedule([step("first"), step("second")])
    schedule.drop([1])
    assert schedule.add([step("new")], before=[0]) == 2
    assert (schedule.step(1).text, schedule.step(2).text) == ("second", "new")


def test_an_index_that_was_never_given_is_an_error():
    with pytest.raises(KeyError):
        Schedule([step("first")]).step(5)

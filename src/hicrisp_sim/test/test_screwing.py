"""Screwing with both hands in physics: one arm holds the bottle, the other turns its cap stroke by stroke."""

from __future__ import annotations

from threading import Event
from typing import Optional

import pytest
from acting import LIMIT, Lab
from hicrisp_core.domain.checker import check
from hicrisp_core.domain.wording import words_of
from hicrisp_core.goals.truth import truth
from hicrisp_core.goals.validation import mended
from hicrisp_core.model import Command, Outcome, Pose, Relation, Status
from hicrisp_core.model.goal import Holds, Not
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.embedded import EmbeddedWorld

LEFT, RIGHT = "left_arm", "right_arm"
BETWEEN = Pose((0.48, 0.0, 0.25))


class Bar:
    """Two arms and a bottle with a cap."""

    def __init__(self) -> None:
        self.world = EmbeddedWorld("capped", 1)

    def do(self, robot: str, action: str, goal: Optional[Pose] = None, **arguments: object) -> Outcome:
        command = Command(action, {"robot": robot, **arguments}, robot, target=goal, time_limit=120.0)
        return self.world.robots[robot].execute(command, Deadline(LIMIT), Event())

    def capped(self) -> bool:
        return self.world.observe(Deadline(LIMIT)).holds("screwed_on", "cap", "gin_bottle")


@pytest.fixture
def bar() -> Bar:
    return Bar()


def test_a_held_bottle_is_opened_and_closed_again(bar: Bar) -> None:
    assert bar.do(LEFT, "pick", item="gin_bottle").ok
    assert bar.do(LEFT, "offer", BETWEEN, item="gin_bottle").ok
    opened = bar.do(RIGHT, "unscrew", item="cap")
    assert opened.ok, opened.message
    assert not bar.capped()
    assert bar.world.observe(Deadline(LIMIT)).holds("holding", RIGHT, "cap")
    closed = bar.do(RIGHT, "screw", item="cap", target="gin_bottle")
    assert closed.ok, closed.message
    assert bar.capped()
    assert bar.do(RIGHT, "home").ok
    assert bar.do(LEFT, "home").ok
    assert bar.capped()
    assert bar.world.simulation.liquids.volume("gin_bottle") == 400.0


def test_a_task_has_the_cap_taken_off_and_put_on_again() -> None:
    lab = Lab("capped", 1)
    for task, cap_on in (("Take the cap off the gin bottle", False), ("Screw the cap onto the gin bottle", True)):
        result, _ = lab.run(task)
        assert result.success, result.message
        assert bool(lab.world.simulation.threads.seen()) is cap_on


def test_a_bottle_that_nobody_holds_turns_with_its_cap(bar: Bar) -> None:
    outcome = bar.do(LEFT, "unscrew", item="cap")
    assert outcome.status is Status.EXECUTION
    assert outcome.message == "Cannot unscrew the cap: it does not turn against the bottle."
    assert bar.capped()


def test_a_cap_is_unscrewed_only_from_a_bottle_that_is_held(bar: Bar) -> None:
    domain, world = bar.world.domain, bar.world.observe(Deadline(LIMIT))
    unscrew = Command("unscrew", {"robot": RIGHT, "item": "cap"}, RIGHT)
    for held, allowed in (("glass", False), ("gin_bottle", True)):
        facts = {Relation(LEFT, "holding", held), Relation(RIGHT, "offered", held)}
        now = world.with_relations(world.relations | facts)
        assert (check(domain, unscrew, now) is None) is allowed, held


def test_a_cap_that_is_screwed_on_is_not_off_its_bottle(bar: Bar) -> None:
    domain, world = bar.world.domain, bar.world.observe(Deadline(LIMIT))
    off = mended(Not(Holds(Relation("cap", "on", "gin_bottle"))), domain, world)
    assert truth(off, world.relations, domain) is False


def test_a_cap_that_is_pulled_takes_the_bottle_along(bar: Bar) -> None:
    bar.do(LEFT, "pick", item="cap")
    assert bar.capped()
    assert bar.world.true_frames()["gin_bottle"][0].position[2] > 0.15


def test_nothing_runs_out_of_a_capped_bottle_that_is_shaken_and_pouring_from_it_is_refused(bar: Bar) -> None:
    world, liquids = bar.world, bar.world.simulation.liquids
    pour = Command("pour", {"robot": LEFT, "item": "gin_bottle", "target": "glass", "amount": 50.0}, LEFT)
    assert bar.do(LEFT, "pick", item="gin_bottle").ok
    refused = check(world.domain, pour, world.observe(Deadline(LIMIT)))
    assert refused is not None
    assert words_of(refused, world.domain).reason == "Cap is screwed onto gin bottle."
    assert bar.do(LEFT, "shake", item="gin_bottle").ok
    assert not bar.do(LEFT, "pour", item="gin_bottle", target="glass", amount=50.0).ok
    assert liquids.volume("gin_bottle") == 400.0
    assert liquids.lost == 0.0

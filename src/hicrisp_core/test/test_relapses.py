"""A task whose end does not last says what fell, how often, where it is, and what was tried."""

from __future__ import annotations

from dataclasses import replace

import pytest
from goals import goal
from hicrisp_core.model import Command, Relation
from hicrisp_core.policy.policy import Policy
from tabletop import Run, table_top
from test_goal_verdict import run_of

THINGS = {"plate": "box", "box": "box", "can": "box"}
PLAN = ["pick(panda, box)", "place_on(panda, box, plate)", "pick(panda, can)", "place_on(panda, can, box)"]
FELL = "does not last that the box is on the plate: {} looks found it gone, and now the box is on the table."
TRIED = "Tried since then: "


def knocked_over(run: Run) -> Run:
    """Whatever is put on the box makes it fall off the plate."""
    apply = run.world._apply

    def applied(command: Command) -> None:
        apply(command)
        if str(command) == PLAN[3]:
            facts = run.world.state.relations - {Relation("box", "on", "plate")}
            run.world.state = replace(run.world.state, relations=facts | {Relation("box", "on", "table")})

    run.world._apply = applied
    return run


@pytest.mark.parametrize("verify", ["steps", "task"])
def test_a_tower_that_falls_whenever_it_is_built_is_told_as_that(domain, verify: str) -> None:
    policy = Policy("test", verify_goal=verify, threshold=3, autonomy="full")
    state = table_top(THINGS)
    if verify == "task":
        tower = goal("on(box,plate)", "on(can,box)")
        run = knocked_over(run_of(domain, tower, PLAN, policy=policy, state=state))
    else:
        run = knocked_over(Run(domain, state, policy, PLAN))
    result = run()
    assert not result.success
    assert any(FELL.format(looks) in result.message for looks in (2, 3, 4)), result.message
    tried = result.message.split(TRIED)[1]
    assert "place box on plate" in tried
    assert "(2 times)" in tried or "(3 times)" in tried

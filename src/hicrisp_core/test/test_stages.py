"""A goal in stages, carried out: its order, its conditions, its alternatives, and what may be left out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from goals import ScriptedInterpreter, goal, staged
from hicrisp_core.brain.search_brain import SearchBrain
from hicrisp_core.model import Cause, CauseKind, Feedback, FeedbackKind, Level, Relation, Rung, Status
from hicrisp_core.model.goal import Goal
from hicrisp_core.policy.policy import Policy
from lab import DOMAIN, LabRun
from tabletop import Run, table_top

THINGS = {"box": "box", "block": "box", "cup": "cylinder", "mug": "cylinder", "bowl": "bowl"}
POLICY = Policy("test", autonomy="full", verify_goal="task")
BOX_IN = ["pick(panda, box)", "place_in(panda, box, bowl)"]
CUP_ON = ["pick(panda, cup)", "place_on(panda, cup, block)"]
CUP_IN = ["pick(panda, cup)", "place_in(panda, cup, bowl)"]


@pytest.fixture
def run_of(domain):
    """Makes a run towards a goal, planned by search."""
    def of(wanted: Goal, policy: Policy = POLICY) -> Run:
        return Run(domain, table_top(THINGS), policy, brain=SearchBrain(domain),
                   interpreter=ScriptedInterpreter(wanted))

    return of


def after(run: Run, command: str, *facts: Relation, gone: Relation) -> None:
    """Let facts be seen after a command that it did not make."""
    apply = run.world._apply

    def applied(done) -> None:
        apply(done)
        if str(done) == command:
            run.world.state = run.world.state.with_relations((run.world.state.relations - {gone}) | {*facts})

    run.world._apply = applied


def test_stages_are_reached_in_their_order_and_what_they_made_stays(run_of):
    run = run_of(staged("on(cup,block)", "in(box,bowl)"))
    result = run()
    assert (result.success, result.goal) == (True, "seen")
    assert run.world.executed == [*CUP_ON, *BOX_IN]
    assert run.told("goal")[0]["stages"] == ["on(cup,block)", "in(box,bowl)"]


def test_no_stage_begins_before_the_one_before_it_was_seen(run_of):
    run = run_of(staged("on(cup,block)", "in(box,bowl)"))
    run.world.fails(CUP_ON[1], times=2, status=Status.SUCCESS)
    assert run().success
    assert run.world.executed == [CUP_ON[0], *[CUP_ON[1]] * 3, *BOX_IN]


@pytest.mark.parametrize("planned", [0, 2])
def test_what_must_be_so_on_the_way_is_done_though_the_plan_leaves_it_out(planned):
    way = ["carry_to(agv, box, area_2)", "dock(agv, dock)"]
    loaded = ["pick(panda, box)", "dock(agv, dock)", "load(panda, box, tray)"]
    run = LabRun(replace(POLICY, rungs=(Rung.REPAIR,)), [*loaded, *way[:planned]], interpreter=ScriptedInterpreter(
        goal("docked(agv,dock)", "aboard(box,agv)", first=["in_area(box,area_2)"])))
    result = run()
    assert (result.success, result.goal) == (True, "seen")
    *first, loading = loaded  # The two robots begin at once, so either command may be the first.
    assert sorted(run.world.executed[:2]) == sorted(first)
    assert run.world.executed[2:] == [loading, *way]
    assert result.corrected_by == ({} if planned else {"search": 1})


def test_a_stage_that_fails_for_good_ends_the_task_before_the_next_begins(run_of):
    run = run_of(staged("on(cup,block)", "in(box,bowl)"))
    run.world.fails(CUP_ON[1], times=99, status=Status.PLANNING)
    result = run()
    assert (result.success, result.goal) == (False, "missed")
    assert not set(BOX_IN) & set(run.world.executed)


@pytest.mark.parametrize(("first", "then", "expected"), [
    ("on(red_box,blue_box)", "at(agv,area_1)",
     ["pick(panda, red_box)", "place_on(panda, red_box, blue_box)", "go_to(agv, area_1)"]),
    ("at(agv,area_1)", "on(red_box,blue_box)",
     ["go_to(agv, area_1)", "pick(panda, red_box)", "place_on(panda, red_box, blue_box)"]),
])
def test_a_robot_waits_for_the_other_ones_stage(first, then, expected):
    run = LabRun(POLICY, brain=SearchBrain(DOMAIN), interpreter=ScriptedInterpreter(staged(first, then)))
    assert run().success
    assert run.world.executed == expected


def test_robots_work_at_once_within_a_stage():
    both = goal("on(red_box,blue_box)", "at(agv,area_1)")
    run = LabRun(POLICY, brain=SearchBrain(DOMAIN), interpreter=ScriptedInterpreter(both))
    assert run().success
    steps = dict(zip(run.told("plan")[0]["steps"], run.told("plan")[0]["after"]))
    assert steps["go to area 1"] == steps["pick up red box"] == []


def test_what_a_stage_waits_for_may_end_with_its_first_command(run_of):
    run = run_of(staged("if on(cup,table): in(cup,bowl)"))
    result = run()
    assert (result.success, result.goal) == (True, "seen")
    assert run.world.executed == CUP_IN


def test_a_stage_whose_condition_does_not_hold_is_passed_over(run_of):
    run = run_of(staged("on(cup,block)", "if on(cup,table): in(mug,bowl)", "in(box,bowl)"))
    assert run().success
    assert run.world.executed == [*CUP_ON, *BOX_IN]


def test_a_condition_is_judged_as_its_stage_begins_and_no_earlier(run_of):
    """The plan has the mug on the table by then; it is seen on the box."""
    run = run_of(staged("on(cup,block)", "if on(mug,table): in(box,bowl)"))
    after(run, CUP_ON[1], Relation("mug", "on", "box"), gone=Relation("mug", "on", "table"))
    result = run()
    assert (result.success, result.goal) == (True, "seen")
    assert run.world.executed == CUP_ON


def test_a_stage_that_applies_against_all_expectation_is_planned_then(run_of):
    run = run_of(staged("on(cup,block)", "if on(mug,box): in(mug,bowl)", "in(box,bowl)"))
    after(run, CUP_ON[1], Relation("mug", "on", "box"), gone=Relation("mug", "on", "table"))
    result = run()
    assert (result.success, result.goal) == (True, "seen")
    assert run.world.executed == [*CUP_ON, "pick(panda, mug)", "place_in(panda, mug, bowl)", *BOX_IN]


@pytest.mark.parametrize(("when", "expected"), [("on(cup,table)", CUP_IN), ("on(cup,block)", BOX_IN)])
def test_otherwise_stands_for_the_stages_if_the_first_one_does_not_apply(run_of, when, expected):
    run = run_of(staged(f"if {when}: in(cup,bowl)", otherwise=["in(box,bowl)"]))
    result = run()
    assert (result.success, result.goal) == (True, "seen")
    assert run.world.executed == expected


def test_nothing_is_done_where_nothing_applies(run_of):
    run = run_of(staged("if on(cup,block): in(cup,bowl)"))
    result = run()
    assert result.success
    assert result.message == "Nothing needs to be done: what the task waits for is not so."


@pytest.mark.parametrize("stages", [("maybe on(table,box)", "in(box,bowl)"),
                                    ("in(box,bowl)", "maybe on(table,box)")])
def test_a_stage_to_which_no_way_leads_is_left_out_if_it_may_be_and_told(run_of, stages):
    run = run_of(staged(*stages))
    result = run()
    assert (result.success, result.goal) == (True, "seen")
    assert run.world.executed == BOX_IN
    assert "the table ends up on the box" in run.told("plan")[0]["reasoning"]


@pytest.mark.parametrize("rungs", [POLICY.rungs, ()])
def test_a_stage_that_fails_on_the_way_is_left_out_if_it_may_be(run_of, rungs):
    run = run_of(staged("maybe on(cup,block)", "in(box,bowl)"), replace(POLICY, rungs=rungs))
    run.world.fails(CUP_ON[1], times=99, status=Status.PLANNING)
    result = run()
    assert (result.success, result.goal) == (True, "seen")
    assert run.world.executed[-2:] == BOX_IN
    told = [*(event["text"] for event in run.told("note")), *(event["note"] for event in run.told("correction"))]
    assert any("left out" in text for text in told)


def test_a_last_stage_that_fails_is_left_out_if_it_may_be(run_of):
    run = run_of(staged("in(box,bowl)", "maybe on(cup,block)"))
    run.world.fails(CUP_ON[1], times=99, status=Status.PLANNING)
    result = run()
    assert (result.success, result.goal) == (True, "seen")


def test_a_plan_that_would_end_what_is_to_hold_all_the_way_is_refused(run_of):
    never = "not(holding(panda,mug))"
    run = run_of(staged("in(mug,bowl)", keep=[never]))
    result = run()
    assert not result.success
    assert run.world.executed == []
    assert "the panda is not holding the mug" in result.message


def test_a_command_that_would_end_what_is_to_hold_all_the_way_never_begins(domain):
    """The plan is a model's, which does not know better."""
    kept = ScriptedInterpreter(staged("in(box,bowl)", keep=["not(holding(panda,mug))"]))
    run = Run(domain, table_top(THINGS), POLICY, ["pick(panda, mug)", "place_in(panda, mug, bowl)", *BOX_IN],
              interpreter=kept)
    run()
    assert "pick(panda, mug)" not in run.world.executed
    refused = next(event["feedback"] for event in run.told("verdict") if not event["ok"])
    assert refused["kind"] == "breaks_condition"


def test_an_area_that_no_path_reaches_is_left_out_and_told_and_the_rest_is_visited():
    wanted = ScriptedInterpreter(staged("visited(agv,area_1)", "visited(agv,area_2)"))
    run = LabRun(POLICY, brain=SearchBrain(DOMAIN), interpreter=wanted)
    body = run.executive._ports.body

    class Closed:
        """A body to which no path leads into area 1."""

        def __getattr__(self, name):
            return getattr(body, name)

        def aim(self, command, world, offsets, deadline):
            if command.argument("area") == "area_1":
                return Feedback(Level.HIGH, FeedbackKind.UNREACHABLE, command, subjects=("area_1",),
                                cause=Cause(CauseKind.NO_PATH, ("area_1",)))
            return body.aim(command, world, offsets, deadline)

    run.executive._ports = replace(run.executive._ports, body=Closed())
    result = run()
    assert not result.success
    assert "no path reaches area 1" in result.message
    assert run.world.executed == ["go_to(agv, area_2)"]

"""Deliveries by an arm and a base together, planned by search: who does what, and in which order."""

import pytest
from failures import failure
from goals import ScriptedInterpreter, goal
from hicrisp_core.brain.search_brain import SearchBrain
from hicrisp_core.domain.effects import apply_effects
from hicrisp_core.model import FeedbackKind, Relation, Task
from hicrisp_core.parsing.plan_text import ParseFailure, parse_plan
from hicrisp_core.policy.policy import Policy
from hicrisp_core.ports.brain import PlanRequest
from hicrisp_core.prompting import describe
from hicrisp_core.prompting.answer_schema import answer_schema
from hicrisp_core.time.deadline import Deadline
from lab import DOMAIN, LabRun, lab_world
from tabletop import steps

FETCH = ["pick(panda, box)", "dock(agv, dock)", "load(panda, box, tray)"]
TOWER = ["pick(panda, red_box)", "place_on(panda, red_box, blue_box)"]
BACK = ["dock(agv, dock)", "unload(panda, box, tray)", "put_down(panda, box)"]


def plan(goal_, world=None, **asked):
    request = PlanRequest(Task("any words"), world or lab_world(), goal=goal_, **asked)
    return SearchBrain(DOMAIN).plan(request, Deadline(10.0))


def planned(goal_, world=None):
    answer = plan(goal_, world)
    assert answer.plan is not None, answer.refusal or answer.answer
    return [str(step) for step in answer.plan.steps]


@pytest.mark.parametrize(("wanted", "expected"), [
    (goal("aboard(box,agv)"), FETCH),
    (goal("in_area(box,area_2)"), [*FETCH, "carry_to(agv, box, area_2)"]),
    (goal("any(in_area(box,area_1),in_area(box,area_2))"), [*FETCH, "carry_to(agv, box, area_1)"]),
    (goal("docked(agv,dock)", first=["in_area(box,area_2)"]),
     [*FETCH, "carry_to(agv, box, area_2)", "dock(agv, dock)"]),
    (goal("on(box,table)", first=["in_area(box,area_2)"]), [*FETCH, "carry_to(agv, box, area_2)", *BACK]),
    (goal("on(red_box,blue_box)", first=["in_area(box,area_1)"]),
     [*FETCH, "carry_to(agv, box, area_1)", *TOWER]),
    (goal("on(box,table)", "on(red_box,blue_box)", first=["in_area(box,area_1)"]),
     [*FETCH, "carry_to(agv, box, area_1)", *BACK, *TOWER]),
    (goal("at(agv,area_1)", first=["on(red_box,blue_box)"]), [*TOWER, "go_to(agv, area_1)"]),
    (goal("visited(agv,area_2)", first=["visited(agv,area_3)"]),
     ["go_to(agv, area_3)", "go_to(agv, area_2)"]),
    (goal("at(agv,area_2)", first=["at(agv,area_1)", "docked(agv,dock)"]),
     ["go_to(agv, area_1)", "dock(agv, dock)", "go_to(agv, area_2)"]),
    (goal("holding(panda,box)"), ["pick(panda, box)"]),
])
def test_stages_are_reached_in_their_order_by_whoever_can(wanted, expected):
    assert planned(wanted) == expected


def test_what_two_robots_do_at_once_is_not_put_in_an_order():
    commands = planned(goal("in_area(box,area_1)", "on(red_box,blue_box)"))
    assert sorted(commands) == sorted([*FETCH, "carry_to(agv, box, area_1)", *TOWER])


def test_what_is_aboard_already_is_not_loaded_again():
    world = lab_world(Relation("agv", "docked", "dock"), Relation("box", "on", "tray"),
                      Relation("box", "aboard", "agv"))
    world = world.with_relations(world.relations - {Relation("box", "on", "table"),
                                                    Relation("agv", "at", "area_3")})
    assert planned(goal("in_area(box,area_2)"), world) == ["carry_to(agv, box, area_2)"]
    assert planned(goal("not(aboard(box,agv))", "on(box,table)"), world) == BACK[1:]


def test_a_robot_that_is_named_takes_part_and_one_that_cannot_is_told_of():
    assert planned(goal("in_area(box,area_2)", robot="agv")) == [*FETCH, "carry_to(agv, box, area_2)"]
    refused = plan(goal("on(red_box,blue_box)", robot="agv"))
    assert refused.plan is None
    assert "Name the panda, or no robot." in refused.refusal


def test_an_area_that_cannot_be_reached_is_not_passed_over_as_if_it_had_been():
    feedback = failure(DOMAIN, lab_world(), "carry_to(agv, box, area_2)", FeedbackKind.UNREACHABLE,
                       subjects=("area_2",))
    answer = plan(goal("docked(agv,dock)", first=["in_area(box,area_2)"]), feedback=(feedback,),
                  remaining=tuple(steps(DOMAIN, "carry_to(agv, box, area_2)", "dock(agv, dock)")))
    assert answer.plan is None
    assert "area_2 cannot be reached" in answer.refusal


def test_what_can_be_done_without_a_thing_that_no_arm_reaches_is_done_but_not_what_comes_after_it():
    world = lab_world()
    feedback = (failure(DOMAIN, world, "pick(panda, red_box)", FeedbackKind.PLANNING),)
    remaining = tuple(steps(DOMAIN, "pick(panda, red_box)"))
    answer = plan(goal("on(red_box,blue_box)", "on(box,green_box)"), feedback=feedback, remaining=remaining)
    assert [str(each) for each in answer.plan.steps] == ["pick(panda, box)", "place_on(panda, box, green_box)"]
    assert "red_box cannot be reached; the rest goes on" in answer.plan.reasoning
    for wanted in (goal("on(red_box,blue_box)"), goal("on(box,green_box)", first=["on(red_box,blue_box)"])):
        answer = plan(wanted, feedback=feedback, remaining=remaining)
        assert answer.plan is None
        assert "red_box cannot be reached" in answer.refusal


@pytest.mark.parametrize("wanted", [
    goal("docked(agv,dock)", first=["in_area(box,area_2)"]),
    goal("on(box,table)", first=["in_area(box,area_2)"]),
    goal("in_area(box,area_2)", "in_area(red_box,area_2)"),
    goal("in_area(box,area_1)", "on(red_box,blue_box)", "on(green_box,red_box)")])
def test_a_whole_task_of_both_robots_succeeds(wanted):
    run = LabRun(Policy("test", autonomy="full", verify_goal="task"), brain=SearchBrain(DOMAIN),
                 interpreter=ScriptedInterpreter(wanted))
    result = run()
    assert (result.success, result.goal) == (True, "seen"), result.message
    assert not result.failures


def test_all_that_is_to_be_delivered_goes_in_one_drive():
    commands = planned(goal("in_area(red_box,area_2)", "in_area(blue_box,area_2)"))
    assert sum(command.startswith("carry_to") for command in commands) == 1


def test_what_rides_along_reaches_the_area_and_its_tray_is_not_said_to():
    load = {Relation(name, "aboard", "agv") for name in ("tray", "box", "red_box")}
    world = lab_world()
    world = world.with_relations(world.relations | load)
    (carry,) = steps(DOMAIN, "carry_to(agv, box, area_2)")
    after = apply_effects(DOMAIN, DOMAIN.ground(carry, world), world)
    assert {fact.subject for fact in after.relations if fact.predicate == "in_area"} == {"box", "red_box"}


def test_a_model_is_told_what_each_robot_can_do():
    told = describe.objects_text(lab_world(), DOMAIN)
    agv, panda = (line for line in told.splitlines() if ": robot (" in line)
    assert "carry_to" in agv
    assert "pick" not in agv
    assert "load" in panda
    assert "go_to" not in panda
    assert '"after"' in told


def test_a_models_plan_may_say_what_a_step_waits_for():
    text = '{"steps": [{"action": "pick", "arguments": {"item": "box"}}, ' \
           '{"action": "dock", "arguments": {"station": "dock"}, "after": [0]}]}'
    raw = parse_plan(text, DOMAIN)
    assert [step.after for step in raw] == [None, (0,)]


@pytest.mark.parametrize("after", ["[1]", "[-1]", '["pick"]', "[5]"])
def test_a_step_that_waits_for_a_later_one_is_refused(after):
    text = '{"steps": [{"action": "pick", "arguments": {"item": "box"}}, ' \
           f'{{"action": "dock", "arguments": {{"station": "dock"}}, "after": {after}}}]}}'
    assert isinstance(parse_plan(text, DOMAIN), ParseFailure)


def test_only_plans_for_several_robots_have_waits_in_their_schema():
    world = lab_world()
    alone = type(world)(world.objects, world.relations, {"panda": world.robots["panda"]})
    several, one = (answer_schema(DOMAIN, each)["properties"]["steps"]["items"]["anyOf"][0]["properties"]
                    for each in (world, alone))
    assert "after" in several
    assert "after" not in one

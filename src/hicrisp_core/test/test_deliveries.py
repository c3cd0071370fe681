"""Sentences for an arm and a base together, planned without a model: who does what, and in which order."""

import pytest
from failures import failure
from hicrisp_core.brain.offline import OfflineBrain
from hicrisp_core.domain.effects import apply_effects
from hicrisp_core.model import FeedbackKind, Relation, Task
from hicrisp_core.model.goal import Holds
from hicrisp_core.parsing.plan_text import parse_plan
from hicrisp_core.parsing.raw import ParseFailure
from hicrisp_core.ports.brain import PlanRequest
from hicrisp_core.prompting import describe
from hicrisp_core.prompting.answer_schema import answer_schema
from hicrisp_core.time.deadline import Deadline
from lab import DOMAIN, LabRun, lab_world
from schemas import variant
from tabletop import steps

FETCH = ["pick(panda, box)", "dock(agv, dock)", "load(panda, box, tray)"]


def plan(text, world=None, **asked):
    request = PlanRequest(Task(text), world or lab_world(), **asked)
    return OfflineBrain(DOMAIN).plan(request, Deadline(10.0))


def planned(text, world=None):
    answer = plan(text, world)
    assert answer.plan is not None, answer.refusal or answer.answer
    return [str(step) for step in answer.plan.steps]


@pytest.mark.parametrize(("text", "expected"), [
    ("put the box on the AGV", FETCH),
    ("bring the box to area 2", [*FETCH, "carry_to(agv, box, area_2)"]),
    ("load the box onto the AGV, bring it to area 2 and back",
     [*FETCH, "carry_to(agv, box, area_2)", "dock(agv, dock)"]),
    ("The Panda loads the box onto the AGV, the AGV brings it to another area, and back.",
     [*FETCH, "carry_to(agv, box, area_1)", "dock(agv, dock)"]),
    ("deliver the box to area 3 and return", [*FETCH, "carry_to(agv, box, area_3)", "dock(agv, dock)"]),
    ("bring the box to area 2 and back to the table",
     [*FETCH, "carry_to(agv, box, area_2)", "dock(agv, dock)", "unload(panda, box, tray)",
      "put_down(panda, box)"]),
    ("take the box to area 1 and meanwhile stack the red box on the blue box",
     [*FETCH, "carry_to(agv, box, area_1)", "pick(panda, red_box)", "place_on(panda, red_box, blue_box)"]),
    ("take the box to area 1 and back to the table, and meanwhile stack the red box on the blue box",
     [*FETCH, "carry_to(agv, box, area_1)", "pick(panda, red_box)", "place_on(panda, red_box, blue_box)",
      "dock(agv, dock)", "unload(panda, box, tray)", "put_down(panda, box)"]),
    ("stack the red box on the blue box and the green box on the red box, and go to area 1",
     ["pick(panda, red_box)", "place_on(panda, red_box, blue_box)", "pick(panda, green_box)",
      "place_on(panda, green_box, red_box)", "go_to(agv, area_1)"]),
    ("visit area 3, then area 2", ["visit(agv, area_3)", "visit(agv, area_2)"]),
    ("pick up the box", ["pick(panda, box)"]),
])
def test_tasks_are_divided_by_what_each_robot_can_do(text, expected):
    assert planned(text) == expected


def test_what_is_aboard_already_is_not_loaded_again():
    world = lab_world(Relation("agv", "docked", "dock"), Relation("box", "on", "tray"),
                      Relation("box", "aboard", "agv"))
    world = world.with_relations(world.relations - {Relation("box", "on", "table"),
                                                    Relation("agv", "at", "area_3")})
    assert planned("bring the box to area 2", world) == ["carry_to(agv, box, area_2)"]
    assert planned("unload the box", world) == ["unload(panda, box, tray)", "put_down(panda, box)"]


@pytest.mark.parametrize(("text", "why"), [
    ("bring the box to area 9", "area 9"), ("fly to the moon", "fly"), ("bring the lamp to area 2", "lamp"),
    ("visit area 9", "area 9")])
def test_what_cannot_be_done_is_refused_with_what_could(text, why):
    answer = plan(text)
    assert answer.plan is None
    assert why in answer.refusal
    assert answer.alternatives
    assert all(plan(sentence).refusal == "" for sentence in answer.alternatives), answer.alternatives


def test_an_area_that_cannot_be_reached_is_not_passed_over_as_if_it_had_been():
    feedback = failure(DOMAIN, lab_world(), "carry_to(agv, box, area_2)", FeedbackKind.UNREACHABLE,
                       subjects=("area_2",))
    answer = plan("bring the box to area 2 and back", feedback=(feedback,),
                  remaining=tuple(steps(DOMAIN, "carry_to(agv, box, area_2)", "dock(agv, dock)")))
    assert answer.plan is None
    assert "area 2" in answer.refusal


@pytest.mark.parametrize("text", [
    "load the box onto the AGV, bring it to area 2 and back",
    "bring the box to area 2 and back to the table", "bring the box and the red box to area 2",
    "take the box to area 1 and meanwhile build a tower with the red box, the blue box and the green box"])
def test_a_whole_task_of_both_robots_succeeds(text):
    from hicrisp_core.policy.policy import Policy

    run = LabRun(Policy("test", autonomy="full"), brain=OfflineBrain(DOMAIN))
    result = run(text)
    assert result.success, result.message
    assert not result.failures


def test_all_that_is_to_be_delivered_is_in_the_goal():
    answer = plan("bring the red box and the blue box to area 2")
    assert answer.plan is not None, answer.refusal
    assert sum(step.action == "carry_to" for step in answer.plan.steps) == 1
    assert set(answer.plan.goal.end) >= {Holds(Relation(name, "in_area", "area_2"))
                                         for name in ("red_box", "blue_box")}


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
    plans = (variant(answer_schema(DOMAIN, each), "plan")["properties"] for each in (world, alone))
    several, one = (each["steps"]["items"]["anyOf"][0]["properties"] for each in plans)
    assert "after" in several
    assert "after" not in one

"""What a step waits for, by the domain alone; and which commands may run at once."""

import pytest
from hicrisp_core.domain.interference import interfere, ordered
from hicrisp_core.model import Step
from lab import DOMAIN, lab_world
from tabletop import steps

WORLD = lab_world()
FETCH = ("dock(agv, dock)", "pick(panda, box)", "load(panda, box, tray)", "carry_to(agv, box, area_2)",
         "dock(agv, dock)", "unload(panda, box, tray)")


def waits(*texts):
    return [step.after for step in ordered(steps(DOMAIN, *texts), DOMAIN, WORLD)]


def command(text):
    return DOMAIN.ground(steps(DOMAIN, text)[0], WORLD)


def test_a_delivery_waits_for_both_robots_only_where_they_meet():
    assert waits(*FETCH) == [(), (), (0, 1), (2,), (3,), (4,)]


def test_the_arm_works_on_while_the_vehicle_is_away():
    assert waits(*FETCH[:4], "pick(panda, red_box)", "place_on(panda, red_box, blue_box)", FETCH[4]) == [
        (), (), (0, 1), (2,), (2,), (4,), (3,)]


def test_the_robots_names_are_filled_in():
    named = ordered([Step("", "dock", {"station": "dock"}), Step("", "pick", {"item": "box"})], DOMAIN, WORLD)
    assert [step.robot for step in named] == ["agv", "panda"]


def test_what_a_plan_itself_waits_for_is_kept_besides():
    plan = steps(DOMAIN, "pick(panda, red_box)", "go_to(agv, area_1)")
    plan[1] = Step(plan[1].text, plan[1].action, plan[1].arguments, after=(0,))
    assert ordered(plan, DOMAIN, WORLD)[1].after == (0,)


def test_words_alone_may_mean_anything_and_are_waited_for():
    plan = [*steps(DOMAIN, "pick(panda, box)"), Step("look around", ""), *steps(DOMAIN, "go_to(agv, area_1)")]
    assert [step.after for step in ordered(plan, DOMAIN, WORLD)] == [(), (0,), (1,)]


@pytest.mark.parametrize(("first", "second", "meet"), [
    ("carry_to(agv, box, area_2)", "load(panda, red_box, tray)", True),
    ("dock(agv, dock)", "unload(panda, box, tray)", True),
    ("carry_to(agv, box, area_2)", "place_on(panda, red_box, blue_box)", False),
    ("go_to(agv, area_1)", "pick(panda, red_box)", False),
    ("dock(agv, dock)", "place_next_to(panda, red_box, blue_box)", False),
    ("carry_to(agv, box, area_2)", "pick(panda, box)", True),
    ("carry_to(agv, box, area_2)", "pick(panda, red_box)", False),
    ("carry_to(agv, box, area_2)", "unload(panda, red_box, tray)", True),
    ("go_to(agv, area_1)", "wait(agv, 3)", True),
])
def test_commands_interfere_where_one_touches_what_the_other_needs(first, second, meet):
    assert interfere(DOMAIN, command(first), command(second)) is meet
    assert interfere(DOMAIN, command(second), command(first)) is meet


def test_every_order_that_the_waits_allow_ends_in_the_same_facts():
    from hicrisp_core.domain import apply_effects, check

    texts = (*FETCH[:4], "pick(panda, red_box)", "place_on(panda, red_box, blue_box)", FETCH[4], FETCH[5])
    plan = ordered(steps(DOMAIN, *texts), DOMAIN, WORLD)
    ends = set()

    def follow(world, done):
        ready = [i for i, step in enumerate(plan) if i not in done and set(step.after) <= done]
        if not ready:
            assert len(done) == len(plan)
            ends.add(world.relations)
        for index in ready:
            each = DOMAIN.ground(plan[index], world)
            assert check(DOMAIN, each, world) is None, each
            follow(apply_effects(DOMAIN, each, world), done | {index})

    follow(WORLD, frozenset())
    assert len(ends) == 1

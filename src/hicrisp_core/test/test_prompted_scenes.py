"""What a prompt tells of a scene, also of a large one."""

import random
import re

import pytest
from hicrisp_core.domain.loader import load_domain
from hicrisp_core.model import (
    Relation,
    RobotState,
    Task,
    WorldObject,
    WorldState,
)
from hicrisp_core.model.goal import Holds
from hicrisp_core.ports.brain import PlanRequest
from hicrisp_core.prompting.examples import shown_examples
from hicrisp_core.scene import load_scene
from tabletop import table_top

WORLD = table_top({"red_box": "box", "cylinder": "cylinder"})


def test_of_a_large_scene_what_is_named_is_described_and_of_all_the_rest_the_place_is_told(planning):
    things = {**{f"brick_{at}": "box" for at in range(120)}, "mug": "cylinder", "lid": "box", "crate": "bowl"}
    world = table_top(things, [("lid", "on", "mug"), ("mug", "on", "brick_3"), ("brick_9", "in", "crate")])
    asked = planning().plan(PlanRequest(Task("Put the MUG away"), world))
    told = [line for line in asked.splitlines() if line.startswith("- ")]
    assert [line for line in told if line.startswith("- brick")] == ["- brick_3: box"]
    assert {"- lid: box", "- mug: cylinder", "- on(lid,mug)", "- on(mug,brick_3)"} <= set(told)
    others = next(line for line in told if line.startswith("- also here: "))
    assert others.count("brick_") == 119
    assert "brick_9 (in crate)" in others
    assert "brick_7 (on table)" in others


def household(chance, rooms=8, things=50):
    """A house in which what is in a closed cupboard, on a table or in a room is drawn."""
    objects, facts = {}, set()
    for room in range(rooms):
        objects[f"room_{room}"] = WorldObject(f"room_{room}", "room", movable=False)
        places = [f"room_{room}"]
        for at in range(things):
            name = f"thing_{room}_{at}"
            objects[name] = WorldObject(name, "thing", movable=at > 10)
            facts.add(Relation(name, chance.choice(("inside", "on")), chance.choice(places)))
            if at <= 10:
                facts |= {Relation(name, "can_open"), Relation(name, chance.choice(("open", "closed")))}
                places.append(name)
            facts |= {Relation(name, each) for each in ("grabbable", "eatable") if chance.random() < 0.5}
    robots = {"character": RobotState("character", "base")}
    held = Relation("character", "holding", "thing_7_40")
    return WorldState(objects, frozenset({*facts, held}), robots)


@pytest.mark.parametrize("text", ["put thing_1_20 into thing_2_3", "tidy up", "put the apple into the fridge"])
def test_no_place_and_no_closed_door_of_a_house_is_hidden_by_what_a_request_names(config_dir, planning, text):
    domain = load_domain(config_dir / "domains" / "virtualhome.yaml")
    world = household(random.Random(text))
    asked = planning(domain=domain).plan(PlanRequest(Task(text), world))
    described = [line for line in asked.splitlines() if not line.startswith("- also here")]
    others = dict(re.findall(r"(\w+)(?: \(([^)]*)\))?(?:, |$)", next(
        line for line in asked.splitlines() if line.startswith("- also here: ")).partition(": ")[2]))
    for fact in world.relations:
        if fact.predicate in ("on", "inside", "open", "closed"):
            said = f"{fact.predicate} {fact.object}".strip()
            assert f"- {Holds(fact)}" in described or said in others[fact.subject].split(", "), fact
    assert "character holding it" in others["thing_7_40"]
    assert len(asked) < 30_000


def test_a_house_is_told_in_bounds_also_where_everything_in_it_is_named(config_dir, planning):
    domain = load_domain(config_dir / "domains" / "virtualhome.yaml")
    world = household(random.Random("large"), rooms=30)
    assert len(planning(domain=domain).plan(PlanRequest(Task("sort all things of every room"), world))) < 50_000


@pytest.mark.parametrize(("text", "needed"), [
    ("pour tomato juice into the first glass", ("at(tomato_juice_bottle,fridge)", "closed(fridge)")),
    ("make a caipirinha in the second glass", ("supplies(lime_slice_bowl,lime_slice)", "at(rum_bottle,shelf)"))])
def test_a_kitchen_is_told_whole_whatever_a_request_names(config_dir, planning, text, needed):
    scene = load_scene(config_dir / "scenes" / "barman.yaml")
    asked = planning(domain=load_domain(config_dir / "domains" / "kitchen.yaml")).plan(
        PlanRequest(Task(text), scene.first_state()))
    assert all(f"- {fact}" in asked.splitlines() for fact in needed)


def test_obstacles_are_told_whatever_numbers_a_request_says(config_dir, planning):
    areas = {name: WorldObject(name, "area", movable=False) for name in ("area_1", "area_2", "area_3")}
    obstacles = {f"obstacle_{at}": WorldObject(f"obstacle_{at}", "obstacle") for at in range(1, 15)}
    world = WorldState({**areas, **obstacles}, frozenset(), {"agv": RobotState("agv", "base")})
    asked = planning(domain=load_domain(config_dir / "domains" / "agv.yaml")).plan(
        PlanRequest(Task("visit area 1, then area 2"), world))
    assert all(f"- {name}: " in asked for name in world.objects)


@pytest.mark.parametrize(("text", "told"), [
    ("put the lid down", {"- left_of(lid,mug)"}),
    ("what is left of the mug?", {"- left_of(lid,mug)", "- right_of(cup,mug)"}),
    ("tidy up", {"- left_of(lid,mug)", "- right_of(cup,mug)"})])
def test_how_things_lie_is_told_of_what_is_named_or_of_all_where_nothing_is(planning, text, told):
    world = table_top({"lid": "box", "mug": "cylinder", "cup": "cylinder"}, [
        (name, "on", "table") for name in ("lid", "mug", "cup")] + [
        ("lid", "left_of", "mug"), ("mug", "left_of", "cup"), ("cup", "right_of", "mug")])
    asked = planning().plan(PlanRequest(Task(text), world))
    assert {line for line in asked.splitlines() if "_of(" in line} == told


def test_of_many_things_it_is_told_first_how_those_lie_that_are_named(planning):
    names = [f"brick_{at}" for at in range(30)]
    world = table_top(dict.fromkeys([*names, "mug", "lid"], "box"), [
        (first, "left_of", second) for at, first in enumerate([*names, "mug", "lid"])
        for second in [*names, "mug", "lid"][at + 1:]])
    asked = planning().plan(PlanRequest(Task("is the mug left of the lid, brick 1 and brick 2?"), world))
    lying = [line for line in asked.splitlines() if "left_of(" in line]
    assert "- left_of(mug,lid)" in lying
    assert len(lying) <= 150


def test_a_relation_that_has_an_inverse_is_told_once(planning):
    world = table_top({"a": "box", "b": "box"}, [("a", "on", "table"), ("b", "on", "table"),
                                                 ("a", "left_of", "b"), ("b", "right_of", "a")])
    asked = planning().plan(PlanRequest(Task("t"), world))
    assert "- left_of(a,b)" in asked
    assert "right_of" not in asked


def test_it_is_told_that_objects_stand_on_the_table_also_where_all_do(planning, domain):
    asked = planning().plan(PlanRequest(Task("t"), WORLD))
    assert {"- on(red_box,table)", "- on(cylinder,table)"} <= set(asked.splitlines())
    for shown in shown_examples(domain, WORLD.robots):
        placed = {name for fact in shown.world.relations for name in (fact.subject, fact.object)}
        assert placed >= {name for name, each in shown.world.objects.items() if each.movable}, shown.task

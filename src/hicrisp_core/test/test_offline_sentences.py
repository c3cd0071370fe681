"""More of what the offline planner reads: which thing is meant, where from, what is left out, what is
refused.
"""

import random
from dataclasses import replace

import pytest
from failures import no_motion
from hicrisp_core.brain.offline import OfflineBrain
from hicrisp_core.domain.checker import check
from hicrisp_core.domain.effects import apply_effects
from hicrisp_core.language import lexicon
from hicrisp_core.model import Task
from hicrisp_core.ports.brain import PlanRequest
from hicrisp_core.time.deadline import Deadline
from tabletop import steps, table_top

COLOURS = ("red", "green", "blue", "yellow", "orange")


def coloured(things, facts=()):
    """A table top of things whose colour is the first part of their name."""
    types = {name: next((t for t in ("bowl", "cylinder") if t in name), "box") for name in things}
    state = table_top(types, facts)
    objects = {name: replace(thing, attributes={"colour": name.split("_")[0]} if "_" in name else {})
               for name, thing in state.objects.items()}
    return replace(state, objects=objects)


BLOCKS = coloured([*(f"{colour}_box" for colour in COLOURS), "bowl", "cylinder"])
FILLED = coloured(["red_box", "blue_box", "green_box", "bowl", "cylinder"],
                  [("red_box", "in", "bowl"), ("blue_box", "in", "bowl"), ("bowl", "on", "table"),
                   ("green_box", "on", "cylinder"), ("cylinder", "on", "table")])
TWINS = coloured(["red_box_1", "red_box_2", "blue_box", "bowl"])


def ask(domain, world, text, **more):
    return OfflineBrain(domain).plan(PlanRequest(Task(text), world, **more), Deadline(5.0))


def short(answer, picks=False):
    """Steps without the robot and, unless asked for, without the picks."""
    assert answer.plan is not None, answer.refusal or answer.answer
    return [str(step).replace("panda, ", "") for step in answer.plan.steps if picks or step.action != "pick"]


def inside(*names, place="bowl"):
    return [f"place_in({name}, {place})" for name in names]


@pytest.mark.parametrize(("text", "expected"), [
    ("put the red one on the green one", ["place_on(red_box, green_box)"]),
    ("I want the red box to be on the blue box", ["place_on(red_box, blue_box)"]),
    ("the red box should be next to the cylinder", ["place_next_to(red_box, cylinder)"]),
    ("move the red box over to the left of the cylinder", ["place_left_of(red_box, cylinder)"]),
    ("move the red box to the bowl", inside("red_box")),
    ("take the red box to the bowl", inside("red_box")),
    ("place the red box, next to the cylinder", ["place_next_to(red_box, cylinder)"]),
    ("put everything that is red in the bowl", inside("red_box")),
    ("put two of the boxes, red and green, in the bowl", inside("red_box", "green_box")),
    ("put the red box on the table into the bowl", inside("red_box")),
    ("1. pick up the red box 2. put it in the bowl", inside("red_box")),
    ("Step 1: pick up the red box. Step 2: put it in the bowl.", inside("red_box")),
    ("pick up the red box and drop it", ["put_down(red_box)"]),
    ("put two boxes next to the cylinder and one in the bowl",
     ["place_next_to(blue_box, cylinder)", "place_next_to(green_box, cylinder)", *inside("orange_box")]),
    ("put two boxes next to the cylinder, then put the others in the bowl",
     ["place_next_to(blue_box, cylinder)", "place_next_to(green_box, cylinder)",
      *inside("orange_box", "red_box", "yellow_box")]),
    ("put the red box on the blue box and the other boxes in the bowl",
     ["place_on(red_box, blue_box)", *inside("green_box", "orange_box", "yellow_box")]),
    ("put the red box on the blue box and another box in the bowl",
     ["place_on(red_box, blue_box)", *inside("green_box")]),
    ("put all but the red box in the bowl",
     inside("blue_box", "cylinder", "green_box", "orange_box", "yellow_box")),
    ("put all boxes other than the red and the blue one into the bowl",
     inside("green_box", "orange_box", "yellow_box")),
    ("clear the table into the bowl except the cylinder and the red box",
     inside("blue_box", "green_box", "orange_box", "yellow_box")),
    ("put the red box next to the cylinder, then on the blue box",
     ["place_next_to(red_box, cylinder)", "place_on(red_box, blue_box)"]),
    ("put the red, green and blue boxes next to each other",
     ["place_next_to(green_box, red_box)", "place_next_to(blue_box, green_box)"]),
    ("stack red on blue on green", ["place_on(blue_box, green_box)", "place_on(red_box, blue_box)"]),
    ("stack the red box and the green box on the blue box",
     ["place_on(red_box, blue_box)", "place_on(green_box, red_box)"]),
    ("stack the red box and the green box on the table", ["place_on(green_box, red_box)"]),
    ("put the red box on the blue box, then put the green box on top",
     ["place_on(red_box, blue_box)", "place_on(green_box, red_box)"]),
    ("build a red, green and blue tower", ["place_on(green_box, red_box)", "place_on(blue_box, green_box)"]),
    ("build a three-block tower", ["place_on(green_box, blue_box)", "place_on(orange_box, green_box)"]),
    ("build a tower of the red and the green box on the cylinder",
     ["place_on(red_box, cylinder)", "place_on(green_box, red_box)"]),
    ("place three blocks around the cylinder in a ring",
     [f"place_around({name}, cylinder, {bearing})" for name, bearing in (
         ("blue_box", 0.0), ("green_box", 120.0), ("orange_box", 240.0))]),
    ("arrange two boxes around the cylinder",
     ["place_around(blue_box, cylinder, 0.0)", "place_around(green_box, cylinder, 180.0)"]),
    ("go home", ["home(panda)"]),
])
def test_a_sentence_and_its_steps(domain, text, expected):
    assert short(ask(domain, BLOCKS, text)) == expected


@pytest.mark.parametrize(("one", "same"), [
    ("put the boxes in a line", "line up the boxes"),
    ("put the boxes in a row", "arrange the boxes as a line"),
    ("build a tower", "put the boxes in a pile"),
    ("place the cubes in an L shape", "form the letter L with the cubes"),
    ("stack the boxes", "stack the boxes on top of each other"),
    ("sort by colour", "sort the boxes by color")])
def test_two_ways_to_say_the_same(domain, one, same):
    assert ask(domain, BLOCKS, one).plan == ask(domain, BLOCKS, same).plan


@pytest.mark.parametrize("text", [
    "empty the bowl", "clear the bowl", "take everything out of the bowl", "remove both boxes from the bowl",
    "put the things in the bowl on the table"])
def test_a_bowl_is_emptied_onto_the_table(domain, text):
    found = short(ask(domain, FILLED, text))
    assert [name.split("(")[0] for name in found] in (["put_down"] * 2, ["place_on"] * 2)
    assert all("red_box" in first or "blue_box" in first for first in found)


@pytest.mark.parametrize(("text", "expected"), [
    ("pick up the box on the cylinder", ["pick(green_box)"]),
    ("pick up the green box from the cylinder", ["pick(green_box)"]),
    ("take the red box out of the bowl", ["pick(red_box)", "put_down(red_box)"]),
    ("take the red box out of the bowl and put it on the green box",
     ["pick(red_box)", "place_on(red_box, green_box)"]),
    ("remove the green box from the cylinder", ["pick(green_box)", "put_down(green_box)"]),
    ("clear the cylinder", ["pick(green_box)", "put_down(green_box)"]),
    ("unstack everything", ["pick(green_box)", "put_down(green_box)"]),
    ("take the cylinder off the table",
     ["pick(green_box)", "put_down(green_box)", "pick(cylinder)"]),
    ("swap the red box and the green box",
     ["pick(green_box)", "place_in(green_box, bowl)", "pick(red_box)", "place_on(red_box, cylinder)"]),
])
def test_where_things_are_tells_which_and_where_from(domain, text, expected):
    assert short(ask(domain, FILLED, text), picks=True) == expected


def test_the_bowl_of_the_same_colour(domain):
    world = coloured(["red_box", "blue_box", "red_bowl", "blue_bowl"])
    for text in ("put each block in the bowl of its colour",
                 "put the blocks into the bowls of the same colour",
                 "sort the blocks into bowls of the same colour", "sort the blocks by colour"):
        assert sorted(short(ask(domain, world, text))) == [
            "place_in(blue_box, blue_bowl)", "place_in(red_box, red_bowl)"]


def test_it_is_what_the_robot_holds(domain):
    world = coloured(["red_box", "bowl"], [("panda", "holding", "red_box"), ("bowl", "on", "table")])
    assert short(ask(domain, world, "put it in the bowl"), picks=True) == inside("red_box")


def test_what_it_was_taken_for_is_said(domain):
    plan = ask(domain, BLOCKS, "put the red box left of the green box and put the blue box right of it").plan
    assert "'it' was read as red_box" in plan.reasoning


@pytest.mark.parametrize(("text", "end"), [
    ("red box behind the green box; green box behind the blue box",
     ["behind(green_box,blue_box)", "behind(red_box,green_box)"]),
    ("The red box on the green box. The blue box next to it.",
     ["next_to(blue_box,green_box)", "on(red_box,green_box)"]),
])
def test_wishes_between_stops_hold_together(domain, text, end):
    assert sorted(str(part) for part in ask(domain, BLOCKS, text).plan.goal.end) == end


@pytest.mark.parametrize(("text", "end"), [
    ("put the red box left of the green box and the blue box right of it", "right_of(blue_box,green_box)"),
    ("the red box left of the green box, the blue box behind it", "behind(blue_box,green_box)"),
    ("put the red box on the green box and the blue box on it", "on(blue_box,red_box)"),
    ("put the red box on the table and the blue box left of it", "left_of(blue_box,red_box)"),
])
def test_beside_it_is_beside_what_the_last_thing_was_placed_by(domain, text, end):
    assert end in [str(part) for part in ask(domain, BLOCKS, text).plan.goal.end]


@pytest.mark.parametrize(("text", "why"), [
    ("place the red box 10 cm left of the cylinder", "'10 cm' is not understood"),
    ("pick up the biggest box", "'biggest' is not understood"),
    ("pick up the leftmost box", "'leftmost' is not understood"),
    ("put the red box between the bowl and the cylinder", "'between' is not understood"),
    ("put the red box deep under the cylinder", "'under' is not understood"),
    ("put the red box on the cylinder or on the bowl", "'or' is not understood"),
    ("put the red box in the bowl unless it is full", "conditions cannot be planned"),
    ("put the red box in the bowl twice", "repetitions cannot be planned"),
    ("move the red box to the left", "say of which thing"),
    ("put the red box back", "not remembered"),
    ("put no box in the bowl", "say what to do instead"),
    ("put the red box in the bowl but don\u2019t touch the cylinder", "say what to do instead"),
    ("bring the red box to the cylinder", "next to it or on it"),
    ("put the red box slightly behind the cylinder", "no 'red box slightly'"),
    ("clean the cylinder", "only a table can be tidied"),
    ("build a tower in the bowl", "cannot be built in"),
    ("build a line next to the cylinder", "'next to' is not understood after 'line'"),
    ("build a ring of boxes", "say what the ring should be around"),
    ("put the two boxes in the bowl", "'the 2 boxes' may be any of"),
    ("put both boxes in the bowl", "may be any of"),
    ("put the red box and the blue box in the bowl, then put it on the table",
     "'it' may be any of: red_box, blue_box"),
    ("pick up the red box on the cylinder", "no 'red box on cylinder'"),
    ("place the box next to the cylindre", "did you mean 'cylinder'?"),
    ("swap the red box and the blue box", "places there have no names"),
    ("swap the red box", "two things can be swapped, not 1"),
    ("pick up the red box and then the blue box", "an action was expected before 'the'"),
    ("hello", "names no action"),
    ("put the red box on the green box, the green box on the blue box and the blue box on the red box",
     "contradicts itself"),
])
def test_what_would_change_the_meaning_is_refused_and_never_dropped(domain, text, why):
    answer = ask(domain, BLOCKS, text)
    assert answer.plan is None
    assert why in answer.refusal, answer.refusal
    assert 0 < len(answer.alternatives) <= 3
    assert all(ask(domain, BLOCKS, sentence).refusal == ""
               for sentence in answer.alternatives), answer.alternatives


def test_one_of_two_red_things_is_not_chosen_silently(domain):
    asked = ask(domain, TWINS, "put the red one in the bowl").question
    assert [choice.text for choice in asked.choices] == ["red box 1", "red box 2"]
    assert short(ask(domain, TWINS, "put a red one in the bowl")) == inside("red_box_1")
    assert short(ask(domain, TWINS, "put the two red boxes in the bowl")) == inside("red_box_1", "red_box_2")


def test_another_thing_is_placed_by_where_the_sentence_leaves_the_choice(domain):
    world = coloured(["red_box", "blue_cylinder", "green_cylinder"])
    feedback = (no_motion(domain, world, "place_next_to(panda, red_box, blue_cylinder)"),)
    remaining = tuple(steps(domain, "place_next_to(panda, red_box, blue_cylinder)"))
    free = ask(domain, world, "put the red box next to a cylinder", feedback=feedback, remaining=remaining)
    assert short(free) == ["place_next_to(red_box, green_cylinder)"]
    bound = ask(domain, world, "put the red box next to the blue cylinder", feedback=feedback,
                remaining=remaining)
    assert short(bound) == ["place_next_to(red_box, blue_cylinder)"]


def runs(domain, world, plan):
    for step in plan.steps:
        command = domain.ground(step, world)
        assert check(domain, command, world) is None, f"{step} cannot run"
        world = apply_effects(domain, command, world)


def test_two_towers_swap_their_tops(domain):
    world = coloured(["red_box", "blue_box", "green_box", "cylinder"],
                     [("red_box", "on", "blue_box"), ("green_box", "on", "cylinder"),
                      ("blue_box", "on", "table"),
                      ("cylinder", "on", "table")])
    plan = ask(domain, world, "swap red with green").plan
    runs(domain, world, plan)
    assert [str(step) for step in plan.steps if step.action == "place_on"] == [
        "place_on(panda, green_box, blue_box)", "place_on(panda, red_box, cylinder)"]


def said_at_random(chance):
    """A request made of the grammar's own words: one part is senseless, the rest has the form of
    sentences.
    """
    def some(table):
        return chance.choice([phrase for phrases in table.values() for phrase in phrases])

    def noun():
        return " ".join(filter(None, (
            chance.choice(("the", "a", "all", "two", "both", "every", "the other", "")),
            chance.choice((*COLOURS, "", "")),
            some(lexicon.NOUNS), chance.choice(("", "", "", "except the red one", "that is on the table")))))

    def clause():
        return f"{some(lexicon.VERBS)} {noun()} {chance.choice((some(lexicon.RELATIONS) + ' ' + noun(), ''))}"

    def simple():
        what, where = chance.choice(("a box", "all boxes", "two boxes", "it",
                                     "another box")), some(lexicon.RELATIONS)
        verb, there = chance.choice(('put', 'move', 'stack', 'take')), chance.choice(('the bowl', 'a box'))
        return f"{verb} {what} {where} {there}"

    if chance.random() < 0.7:
        make = chance.choice((clause, simple, simple))
        return chance.choice((" and ", ", then ", "; ")).join(make() for _ in range(chance.randint(1, 3)))
    others = (*COLOURS, *lexicon.PRONOUNS, *lexicon.EXCEPT, *lexicon.THEN, "and", "one", "each other", "of",
              "what is")
    return " ".join(chance.choice((noun(), some(lexicon.RELATIONS), some(lexicon.VERBS), some(lexicon.SHAPES),
                                   chance.choice(others))) for _ in range(chance.randint(1, 7)))


@pytest.mark.parametrize("world", [BLOCKS, FILLED, TWINS])
def test_whatever_is_said_the_answer_is_a_plan_that_can_run_a_question_or_a_reason(domain, world):
    brain, chance = OfflineBrain(domain), random.Random(7)
    planned = 0
    for _ in range(150):
        text = said_at_random(chance)
        answer = brain.plan(PlanRequest(Task(text), world), Deadline(5.0))
        assert sum(map(bool, (answer.plan, answer.answer, answer.refusal, answer.question))) == 1, text
        if answer.plan is not None:
            planned += 1
            runs(domain, world, answer.plan)
    assert planned > 12

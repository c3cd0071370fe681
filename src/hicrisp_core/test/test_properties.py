"""What holds for every text, world, goal and pose that there may be; examples are drawn, always the same."""

from __future__ import annotations

import json
import math
import sys

import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.corrector.stack import FeedbackStack
from hicrisp_core.domain import Searcher, load_domain, preconditions_of
from hicrisp_core.domain.checker import check
from hicrisp_core.domain.effects import apply_effects, expected_facts
from hicrisp_core.errors import DomainError
from hicrisp_core.model import Command, Feedback, FeedbackKind, Level, Pose, Relation, Step
from hicrisp_core.model.correction import NOBODY
from hicrisp_core.model.geometry import distance, from_euler, turn_between
from hicrisp_core.model.goal import Count, Holds, Not, facts_in
from hicrisp_core.model.goal_text import parse_statement
from hicrisp_core.parsing.grounding import ground_steps
from hicrisp_core.parsing.json_text import read_json
from hicrisp_core.parsing.plan_text import ParseFailure, parse_plan
from hicrisp_core.policy.search_limits import SearchLimits
from tabletop import table_top

if sys.version_info < (3, 11):
    pytest.skip("the library that draws the cases is of requirements/dev.txt", allow_module_level=True)
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

drawn = settings(derandomize=True, database=None, deadline=None, max_examples=150)
some = settings(drawn, max_examples=50)
few = settings(drawn, max_examples=25)
THINGS = {"box": "box", "red_box": "box", "cylinder": "cylinder", "bowl": "bowl"}
NAMES = (*THINGS, "table", "panda", "teapot", "")
WORLD = table_top(THINGS)


DOMAIN = load_domain(config_file("domains", "tabletop"))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.sampled_from(NAMES),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from(("kind", "steps", "action", "arguments", "item", "robot")) | st.text(max_size=5),
        inner, max_size=4), max_leaves=12)
answers = st.one_of(
    st.text(max_size=200),
    json_values.map(json.dumps),
    json_values.map(lambda value: f"Sure:\n```json\n{json.dumps(value)[:-1]}"),
    st.lists(st.sampled_from((*'{}[]",:<\\', "pick", "(box)", "1.", "\n", "```")), max_size=60).map("".join))


@drawn
@given(answers)
def test_any_answer_is_read_or_refused_and_a_step_names_only_what_there_is(text):
    raw = parse_plan(text, DOMAIN)
    if isinstance(raw, ParseFailure):
        assert raw.message
        return
    found = ground_steps(raw, DOMAIN, WORLD)
    if isinstance(found, ParseFailure):
        assert found.message
        return
    for step in found.steps:
        assert not step.action or step.action in DOMAIN.actions
        for value in step.arguments.values():
            assert not isinstance(value, str) or value in WORLD.objects or value in WORLD.robots


@some
@given(st.dictionaries(st.text(max_size=6), json_values.filter(lambda value: value == value), max_size=4),
       st.text(alphabet="abc .\n", max_size=20), st.text(alphabet="abc .\n", max_size=20))
def test_an_object_is_found_among_words_as_it_was_written(value, before, after):
    found = read_json(f"{before}{json.dumps(value)}{after}", lambda each: isinstance(each, dict))
    assert found is not None
    assert json.dumps(found.value) == json.dumps(value)


words = st.text(alphabet="abcdefgh_1", min_size=1, max_size=6).filter(lambda word: word[0].isalpha())
facts = st.builds(lambda name, a, b: Holds(Relation(a, f"p_{name}", b)), words, words, words | st.just(""))
counts = st.tuples(st.integers(0, 3), st.sampled_from(("least", "exactly", "most")))


def counted(parts, count):
    number, how = min(count[0], len(parts)), count[1]
    if how == "least":
        return Count(tuple(parts), max(1, number))
    return Count(tuple(parts), number if how == "exactly" else 0, number)


statements = st.recursive(
    facts, lambda inner: inner.map(Not) | st.builds(counted, st.lists(inner, min_size=1, max_size=3), counts),
    max_leaves=5)


def holds(statement, true):
    if isinstance(statement, Holds):
        return statement.fact in true
    if isinstance(statement, Not):
        return not holds(statement.part, true)
    count = sum(holds(part, true) for part in statement.parts)
    return statement.least <= count and (statement.most is None or count <= statement.most)


@some
@given(statements, st.randoms(use_true_random=False))
def test_a_goal_that_was_written_is_read_with_the_same_meaning(statement, dice):
    read = parse_statement(str(statement))
    for _ in range(4):
        true = {fact for fact in facts_in(statement) if dice.random() < 0.5}
        assert holds(read, true) == holds(statement, true)
    assert str(parse_statement(str(read))) == str(read)


@drawn
@given(st.text(max_size=80) | st.text(alphabet="alnotyexc()_,12 ", max_size=80))
def test_any_text_is_a_goal_or_a_misfit_with_a_message(text):
    read = parse_statement(text)
    if isinstance(read, (Holds, Not, Count)):
        assert str(parse_statement(str(read))) == str(read)
    else:
        assert read.message


@st.composite
def commands(draw):
    action = draw(st.sampled_from(sorted(DOMAIN.actions)))
    arguments = {name: draw(st.sampled_from(NAMES) if each.type != "number" else st.floats())
                 for name, each in DOMAIN.actions[action].parameters.items() if name != "robot"}
    return Step("", action, arguments, "panda")


def walked(world, data, steps):
    """The world after as many steps by chance as can be taken."""
    for _ in range(steps):
        try:
            command = DOMAIN.ground(data.draw(commands()), world)
        except DomainError:
            continue
        if check(DOMAIN, command, world) is None:
            world = apply_effects(DOMAIN, command, world)
            made, removed = expected_facts(DOMAIN, command)
            assert set(made) <= world.relations
            assert not set(removed) & world.relations
    return world


@few
@given(st.data())
def test_what_the_checker_allows_makes_its_effects_and_keeps_the_hand_and_the_things(data):
    world = walked(WORLD, data, 12)
    held = [fact for fact in world.relations if fact.predicate == "holding"]
    assert len(held) <= 1
    assert {fact.subject for fact in world.relations} <= {*world.objects, *world.robots}
    for thing in THINGS:
        places = [fact for fact in world.relations
                  if fact.subject == thing and fact.predicate in ("on", "in")]
        assert len(places) + sum(fact.object == thing for fact in held) == 1


@few
@given(st.data())
def test_what_a_search_finds_can_be_done_in_turn_and_leads_to_the_goal(data):
    world = walked(WORLD, data, 6)
    item, other = data.draw(st.permutations(sorted(THINGS)).map(lambda names: names[:2]))
    wanted = Command("place_next_to", {"robot": "panda", "item": item, "reference": other}, "panda")
    try:
        command = DOMAIN.ground(Step("", wanted.action, wanted.arguments, "panda"), world)
    except DomainError:
        return
    goal = preconditions_of(DOMAIN, command)
    answer = Searcher(DOMAIN).find(world, goal, SearchLimits(depth=6, states=300))
    for each in answer.commands:
        assert check(DOMAIN, each, world) is None
        world = apply_effects(DOMAIN, each, world)
    if answer.found:
        assert check(DOMAIN, command, world) is None


@drawn
@given(st.integers(1, 5), st.lists(st.sampled_from(("push", "pop", "update", "replace")), max_size=30))
def test_a_stack_does_what_a_list_does_and_never_grows_beyond_its_depth(depth, deeds):
    stack, model = FeedbackStack(depth), []
    for number, deed in enumerate(deeds):
        command = Command(f"c{number}")
        feedback = Feedback(Level.LOW, FeedbackKind.PLANNING, command)
        if deed == "push" and len(model) < depth:
            stack.push(command, feedback)
            model.append([command, 1])
        elif deed == "push":
            with pytest.raises(ValueError, match="full"):
                stack.push(command, feedback)
        elif model and deed == "pop":
            assert stack.pop().command == model.pop()[0]
        elif model and deed == "update":
            stack.update(command, feedback)
            model[-1] = [command, model[-1][1] + 1]
        elif model and deed == "replace":
            stack.replace(command, NOBODY)
            model[-1] = [command, 0]
        assert [[each.command, each.attempts] for each in stack.entries] == model
        assert stack.full == (len(model) == depth)


lengths = st.floats(-5.0, 5.0)
angles = st.floats(-math.pi, math.pi)
poses = st.builds(lambda x, y, z, roll, pitch, yaw: Pose((x, y, z), from_euler(roll, pitch, yaw)),
                  lengths, lengths, lengths, angles, angles, angles)


@drawn
@given(poses, poses, st.tuples(lengths, lengths, lengths))
def test_a_pose_undoes_its_inverse_and_composes_as_its_points_do(first, second, point):
    there = first.compose(second)
    assert distance(there.apply(point), first.apply(second.apply(point))) < 1e-6
    back = there.compose(there.inverse())
    assert distance(back.position, (0.0, 0.0, 0.0)) < 1e-6
    assert turn_between(back.orientation, (0.0, 0.0, 0.0, 1.0)) < 1e-6
    assert there.finite

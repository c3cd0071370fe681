"""Goals: read from writing, checked, judged on facts, compared, put in words, made searchable."""

import random
from itertools import combinations

import pytest
from goals import goal, read
from hicrisp_core.domain import Searcher, apply_effects, load_domain
from hicrisp_core.domain.goal_wording import GoalWords, goal_words
from hicrisp_core.errors import ConfigError
from hicrisp_core.goals.planning import conditions_of, way_to
from hicrisp_core.goals.truth import holds, missing, normal, same_goal
from hicrisp_core.goals.validation import check_goal, mended, without_implied
from hicrisp_core.model import Relation
from hicrisp_core.model.goal import Count, Goal, GoalError, GoalErrorKind, Holds, Not, all_of, any_of
from hicrisp_core.model.goal_text import DEEPEST, LONGEST, parse_statement
from hicrisp_core.policy.search_limits import SearchLimits
from hicrisp_core.time.deadline import Deadline
from tabletop import table_top

THINGS = {"fork": "box", "plate": "box", "cup": "cylinder", "glass": "cylinder", "bowl": "bowl"}
WORLD = table_top(THINGS, [("cup", "on", "plate"), ("fork", "in", "bowl"), ("fork", "left_of", "glass"),
                           ("cup", "next_to", "glass"), ("plate", "on", "table"), ("glass", "on", "table")])


@pytest.mark.parametrize("text", [
    "on(fork,plate)", "lying(cup)", "not(next_to(fork,glass))", "any(in(a,b),in(c,b))",
    "all(on(a,b),not(on(c,d)))", "at_least(2,in(a,x),in(b,x),in(c,x))", "exactly(1,in(a,x),in(b,x))",
    "at_most(2,on(a,x),on(b,x),on(c,x))", "any(all(on(a,b),on(b,c)),on(c,a))", "level(glass,250)"])
def test_what_is_read_is_written_the_same_again(text):
    assert str(parse_statement(text)) == text


@pytest.mark.parametrize(("text", "meant"), [
    (" on( fork , plate ) ", "on(fork,plate)"), ("not on(fork, plate)", "not(on(fork,plate))"),
    ("on('red box', plate)", "on(red_box,plate)"), ("NOT(on(a,b))", "not(on(a,b))"),
    ("all(on(a,b))", "on(a,b)"), ("not(on(a,b),on(b,c))", "not(all(on(a,b),on(b,c)))")])
def test_small_slips_of_the_pen_are_read_as_they_are_meant(text, meant):
    assert str(parse_statement(text)) == meant


@pytest.mark.parametrize(("text", "kind"), [
    ("", GoalErrorKind.FORM), ("on", GoalErrorKind.FORM), ("on(a", GoalErrorKind.FORM),
    ("on(a,b))", GoalErrorKind.FORM),
    ("on(a,b) or on(b,c)", GoalErrorKind.FORM), ("on(,b)", GoalErrorKind.FORM), ("on(a,b,c)", GoalErrorKind.FORM),
    ("at_least(on(a,b))", GoalErrorKind.FORM), ("at_least(x,on(a,b))", GoalErrorKind.FORM),
    ("on(__import__('os').system('x'),b)", GoalErrorKind.FORM), ("on(a;b,c)", GoalErrorKind.FORM),
    ("on(a," + "b" * LONGEST + ")", GoalErrorKind.LIMIT),
    ("not(" * (DEEPEST + 2) + "on(a,b)" + ")" * (DEEPEST + 2), GoalErrorKind.LIMIT),
    ("all(" + ",".join(f"on(a,{i})" for i in range(100)) + ")", GoalErrorKind.LIMIT)])
def test_what_cannot_be_read_is_refused_with_its_kind(text, kind):
    found = parse_statement(text)
    assert isinstance(found, GoalError)
    assert found.kind is kind
    assert found.message


def test_any_text_at_all_is_read_or_refused():
    random.seed(5)
    for _ in range(3000):
        text = "".join(random.choice("on(a,b) not any(at_least2;'\\ \n") for _ in range(random.randrange(40)))
        found = parse_statement(text)
        assert isinstance(found, GoalError) or parse_statement(str(found)) == found


@pytest.mark.parametrize(("text", "kind", "said"), [
    ("over(fork,plate)", GoalErrorKind.PREDICATE, "there are: behind"),
    ("on(fork)", GoalErrorKind.PREDICATE, "on(thing,object)"),
    ("on(spoon,plate)", GoalErrorKind.NAME, "there is no 'spoon'; there are: bowl, cup, fork"),
    ("on(frok,plate)", GoalErrorKind.NAME, "did you mean 'fork'?"),
    ("in(bowl,bowl)", GoalErrorKind.TYPE, "a graspable is needed; there are: cup, fork, glass, plate"),
    ("in(fork,plate)", GoalErrorKind.TYPE, "there are: bowl"),
    ("on(fork,bowl)", GoalErrorKind.TYPE, "use in(fork,bowl)"),
    ("not(on(fork,bowl))", GoalErrorKind.TYPE, "use in(fork,bowl)"),
    ("holding(fork,cup)", GoalErrorKind.TYPE, "there are: panda"),
    ("next_to(fork,fork)", GoalErrorKind.CONTRADICTION, "itself"),
    ("at_least(3,on(fork,plate),on(cup,plate))", GoalErrorKind.COUNT, "3 of 2")])
def test_what_does_not_fit_the_domain_or_the_world_is_refused_with_what_does(domain, text, kind, said):
    found = check_goal(goal(text), domain, WORLD)
    assert (found.kind, said in found.message) == (kind, True), found.message


@pytest.mark.parametrize("end", [
    ("on(fork,plate)", "on(plate,fork)"), ("on(fork,plate)", "not(on(fork,plate))"),
    ("on(fork,plate)", "on(fork,cup)"), ("in(fork,bowl)", "on(fork,table)"),
    ("left_of(fork,plate)", "right_of(fork,plate)"), ("left_of(fork,plate)", "left_of(plate,fork)"),
    ("left_of(fork,plate)", "left_of(plate,cup)", "right_of(fork,cup)"),
    ("next_to(cup,fork)", "not(next_to(fork,cup))"),
    ("holding(panda,fork)", "holding(panda,cup)"), ("holding(panda,fork)", "on(fork,table)"),
    ("on(fork,plate)", "on(plate,cup)", "on(cup,fork)"), ("all(on(fork,plate),on(plate,fork))",)])
def test_a_goal_that_contradicts_itself_is_refused(domain, end):
    assert check_goal(goal(*end), domain, WORLD).kind is GoalErrorKind.CONTRADICTION


def test_what_must_not_be_on_the_way_may_not_be_at_the_end(domain):
    assert check_goal(goal("next_to(fork,glass)", keep=["not(next_to(glass,fork))"]), domain,
                      WORLD) is not None
    assert check_goal(goal("next_to(fork,cup)", keep=["not(next_to(glass,fork))"]), domain, WORLD) is None


def test_a_goal_with_a_choice_or_in_another_order_contradicts_nothing(domain):
    assert check_goal(goal("any(on(fork,plate),on(plate,fork))", "on(cup,table)", first=["on(cup,glass)"],
                           robot="panda"), domain, WORLD) is None


def test_an_unknown_robot_and_an_empty_goal_are_refused(domain):
    assert "there are: panda" in check_goal(goal("on(fork,plate)", robot="agv"), domain, WORLD).message
    assert check_goal(Goal(), domain, WORLD).kind is GoalErrorKind.EMPTY


@pytest.mark.parametrize(("said", "left"), [
    (("in(plate,bowl)", "on(cup,plate)", "in(cup,bowl)"), ["in(plate,bowl)", "on(cup,plate)"]),
    (("all(on(fork,cup),on(cup,plate),in(plate,bowl),in(fork,bowl))",),
     ["on(fork,cup)", "on(cup,plate)", "in(plate,bowl)"]),
    (("on(cup,plate)", "in(cup,bowl)"), ["on(cup,plate)", "in(cup,bowl)"]),
    (("in(plate,bowl)", "in(cup,bowl)"), ["in(plate,bowl)", "in(cup,bowl)"])])
def test_what_stands_on_something_that_goes_into_a_bowl_is_in_there_as_well(domain, said, left):
    assert list(map(str, without_implied(goal(*said), domain).stages[-1].conditions)) == left


def test_what_goes_into_a_bowl_is_not_on_it(domain):
    statement, = read("any(on(fork,bowl),not(on(cup,bowl)),on(cup,plate))")
    assert str(mended(statement, domain, WORLD)) == "any(in(fork,bowl),not(in(cup,bowl)),on(cup,plate))"
    kept, = read("on(bowl,bowl)")
    assert mended(kept, domain, WORLD) == kept


@pytest.mark.parametrize(("text", "true"), [
    ("on(cup,plate)", True), ("on(plate,cup)", False), ("not(on(plate,cup))", True),
    ("next_to(glass,cup)", True), ("right_of(glass,fork)", True), ("left_of(glass,fork)", False),
    ("any(on(plate,cup),in(fork,bowl))", True), ("all(on(cup,plate),in(fork,bowl))", True),
    ("at_least(2,on(cup,plate),in(fork,bowl),lying(cup))", True),
    ("exactly(1,on(cup,plate),in(fork,bowl))", False),
    ("at_most(1,on(cup,plate),lying(cup))", True), ("not(at_most(1,on(cup,plate),in(fork,bowl)))", True)])
def test_a_statement_holds_as_the_facts_say(domain, text, true):
    statement, = read(text)
    assert holds(statement, WORLD.relations, domain) is true
    assert holds(normal(statement, domain), WORLD.relations, domain) is true
    assert holds(normal(statement, domain, denied=True), WORLD.relations, domain) is not true


def test_what_is_missing_is_named_one_by_one(domain):
    wanted = read("all(on(cup,plate),on(fork,plate),right_of(glass,fork))", "lying(cup)",
                  "next_to(glass,cup)")
    assert [str(each) for each in missing(wanted, WORLD.relations, domain)] == ["on(fork,plate)",
                                                                                "lying(cup)"]


@pytest.mark.parametrize(("one", "other"), [
    (["next_to(fork,cup)"], ["next_to(cup,fork)"]), (["right_of(fork,cup)"], ["left_of(cup,fork)"]),
    (["on(fork,plate)", "on(cup,table)"], ["all(on(cup,table),on(fork,plate))"]),
    (["not(any(on(fork,plate),on(cup,plate)))"], ["not(on(cup,plate))", "not(on(fork,plate))"]),
    (["at_least(1,on(fork,plate),on(cup,plate))"], ["any(on(cup,plate),on(fork,plate))"]),
    (["not(not(on(fork,plate)))"], ["on(fork,plate)"]),
    (["behind(cup,fork)", "behind(cup,fork)"], ["in_front_of(fork,cup)"])])
def test_goals_that_mean_the_same_are_the_same(domain, one, other):
    assert same_goal(goal(*one), goal(*other), domain)


def test_the_order_of_what_comes_first_makes_a_difference(domain):
    one = goal("on(cup,table)", first=["on(cup,plate)", "on(cup,glass)"])
    assert not same_goal(one, goal("on(cup,table)", first=["on(cup,glass)", "on(cup,plate)"]), domain)


@pytest.mark.parametrize(("said", "words"), [
    (goal("left_of(fork,plate)"), "the fork ends up left of the plate"),
    (goal("in(fork,bowl)", "in(cup,bowl)", "on(glass,table)"),
     "the fork and the cup end up in the bowl and the glass ends up on the table"),
    (goal("holding(panda,fork)"), "the fork ends up in the hand of the panda"),
    (goal("left_of(fork,plate)", keep=["not(next_to(cup,glass))"]),
     "the fork ends up left of the plate, keeping the cup away from the glass"),
    (goal("on(cup,table)", first=["on(cup,plate)"], robot="panda"),
     "first the cup ends up on the plate, and in the end the cup ends up on the table; the panda does it"),
    (goal("any(in(fork,bowl),in(cup,bowl))"),
     "either the fork ends up in the bowl or the cup ends up in the bowl"),
    (goal("not(on(fork,plate))", "not(lying(cup))"), "the fork is not on the plate and the cup is upright"),
    (goal("at_least(2,in(fork,bowl),in(cup,bowl),in(glass,bowl))"),
     "at least 2 of these hold: the fork ends up in the bowl; the cup ends up in the bowl; "
     "the glass ends up in the bowl")])
def test_a_goal_is_said_in_the_domains_words(domain, said, words):
    assert goal_words(said, domain) == words


def test_a_statement_is_said_as_it_is_now(domain):
    statement, = read("not(on(fork,plate))")
    assert GoalWords(domain).now(statement) == "the fork is not on the plate"


@pytest.mark.parametrize("end", [
    ["right_of(plate,fork)", "in(cup,bowl)"], ["exactly(2,in(fork,bowl),in(cup,bowl),in(glass,bowl))"],
    ["any(all(on(fork,plate),on(plate,cup)),in(glass,bowl))"], ["not(on(cup,plate))", "not(in(fork,bowl))"],
    ["at_most(0,in(fork,bowl),on(cup,plate))"], ["next_to(bowl,fork)"],
    ["not(all(on(cup,plate),in(fork,bowl)))"]])
def test_what_the_search_plans_makes_the_goal_true(domain, end):
    wanted = goal(*end)
    conditions = conditions_of(wanted.stages[-1].conditions, domain)
    answer = Searcher(domain).find(WORLD, conditions, SearchLimits(depth=20, states=20_000, seconds=20.0))
    assert answer.found
    state = WORLD
    for command in answer.commands:
        state = apply_effects(domain, command, state)
    assert not missing(wanted.stages[-1].conditions, state.relations, domain)


def test_a_count_with_too_many_cases_is_refused_rather_than_searched(domain):
    parts = tuple(Holds(Relation(f"thing_{i}", "in", "bowl")) for i in range(40))
    found = conditions_of([Count(parts, 20)], domain)
    assert isinstance(found, GoalError)
    assert found.kind is GoalErrorKind.LIMIT


def test_a_choice_with_too_many_cases_is_searched_part_by_part(domain):
    cubes = [f"cube_{i}" for i in range(6)]
    world = table_top({name: "box" for name in cubes}, [("cube_1", "on", "cube_0"),
                                                        *((name, "on", "table") for name in cubes if name != "cube_1")])
    towers = [all_of(*(Holds(Relation(upper, "on", lower)) for lower, upper in zip(some, some[1:])))
              for some in combinations(cubes, 3)]
    wanted = Goal.of(any_of(*towers))
    assert isinstance(conditions_of(wanted.statements, domain), GoalError)
    upon = way_to(Searcher(domain), world, wanted, Deadline(20.0)).commands[-1]
    assert upon.arguments["surface"] == "cube_1"
    barred = frozenset(f"place_on(panda, {name}, cube_1)" for name in cubes)
    way = way_to(Searcher(domain), world, wanted, Deadline(20.0), barred=barred)
    for command in way.commands:
        world = apply_effects(domain, command, world)
    assert holds(wanted.statements[0], world.relations, domain)


def test_more_than_there_are_holds_in_no_state(domain):
    conditions = conditions_of([Count((Holds(Relation("fork", "in", "bowl")),), 3)], domain)
    assert not Searcher(domain).find(WORLD, conditions).found
    assert isinstance(normal(Not(Count((), 0)), domain), Count)


DOMAIN = """
domain: small
types: {thing: object}
predicates:
  over: {args: [thing, thing], text: "{0} is over {1}", EXTRA}
  under: {args: [thing, thing], text: "{0} is under {1}", inverse: over}
actions: {}
"""


@pytest.mark.parametrize(("extra", "message"), [
    ("inverse: below", "domain.yaml:5: .*'below' is no other predicate of this domain; there are: under"),
    ("symmetric: true", "'over' must have the inverse 'under'"),
    ("symmetric: true, inverse: under", "leave 'inverse' out"),
    ("inverse: under, instead: {box: under}", "unknown type 'box'"),
    ("inverse: under, instead: {thing: in}", "'in' is no other predicate")])
def test_a_wrong_relation_between_predicates_is_refused_with_its_place(tmp_path, extra, message):
    file = tmp_path / "domain.yaml"
    file.write_text(DOMAIN.replace("EXTRA", extra))
    with pytest.raises(ConfigError, match=message):
        load_domain(file)


def test_the_thing_that_is_said_to_be_somewhere_is_the_one_that_moves(domain):
    asked = goal("left_of(fork,plate)")
    first = conditions_of(asked.stages[-1].conditions, domain, either_way=False)
    assert [str(each) for each in first] == ["left_of(fork,plate)"]
    commands = way_to(Searcher(domain), WORLD, asked, Deadline(20.0)).commands
    assert [str(each) for each in commands] == ["pick(panda, fork)", "place_left_of(panda, fork, plate)"]
    other = way_to(Searcher(domain), WORLD, goal("left_of(bowl,glass)"), Deadline(20.0)).commands
    assert [str(each) for each in other] == ["pick(panda, glass)", "place_right_of(panda, glass, bowl)"]

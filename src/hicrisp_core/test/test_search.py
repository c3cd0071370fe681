"""The search over the domain's operators: repairs come out of it, none is written down."""

from threading import Thread

import pytest
from hicrisp_core.domain import Ending, Searcher, goal_of, load_domain, preconditions_of
from hicrisp_core.domain.search.static import spare_actions
from hicrisp_core.model import RobotState, WorldObject, WorldState
from hicrisp_core.policy.search_limits import SearchLimits
from hicrisp_core.time.deadline import Deadline
from tabletop import steps, table_top

PATIENT = SearchLimits(seconds=60.0)
"""No wall time decides what a test sees."""


def found(domain, state, *goal):
    answer = Searcher(domain).find(state, goal_of(*goal), PATIENT)
    return [str(command) for command in answer.commands] if answer.found else None


THREE = {"a": "box", "b": "box", "c": "cylinder"}


def test_nothing_is_needed_for_what_holds(domain):
    assert found(domain, table_top(THREE), "on(a, table)") == []


def test_an_item_not_in_hand_is_picked_up(domain):
    command = domain.ground(steps(domain, "place_on(panda, a, b)")[0], table_top(THREE))
    answer = Searcher(domain).find(table_top(THREE), preconditions_of(domain, command), PATIENT)
    assert [str(command) for command in answer.commands] == ["pick(panda, a)"]


def test_a_full_hand_is_freed_and_what_stands_on_top_is_moved(domain):
    state = table_top(THREE, [("b", "on", "a"), ("a", "on", "table"), ("panda", "holding", "c")])
    assert found(domain, state, "holding(panda, a)") == [
        "put_down(panda, c)", "pick(panda, b)", "put_down(panda, b)", "pick(panda, a)"]


def test_two_conditions_are_met_in_the_order_that_works(domain):
    commands = found(domain, table_top(THREE), "on(a, b)", "on(c, a)")
    assert commands == ["pick(panda, a)", "place_on(panda, a, b)", "pick(panda, c)", "place_on(panda, c, a)"]


def test_what_no_operator_can_make_has_no_answer(domain):
    assert found(domain, table_top(THREE), "on(table, a)") is None


def test_a_goal_on_itself_has_no_answer(domain):
    assert found(domain, table_top(THREE), "on(a, a)") is None


def test_either_alternative_of_a_condition_will_do(domain):
    assert found(domain, table_top(THREE), "holding(panda, a) or on(a, table)") == []


@pytest.mark.parametrize("count", [4, 12])
def test_a_repair_among_many_things_looks_at_few_states(domain, count):
    state = table_top({f"box_{i}": "box" for i in range(count)}, [("panda", "holding", "box_0")])
    answer = Searcher(domain).find(state, goal_of("holding(panda, box_1)"), PATIENT)
    assert list(map(str, answer.commands)) == ["put_down(panda, box_0)", "pick(panda, box_1)"]
    assert answer.looked_at <= 3


def test_a_robot_s_own_way_to_a_fact_does_not_hide_the_way_of_things(tmp_path):
    """Sitting makes ``on(robot, seat)``; that is no way to make a cup stand on a table."""
    file = tmp_path / "home.yaml"
    file.write_text("""
domain: home
types: {thing: object}
predicates:
  on: {args: [object, object], text: "{0} is on {1}"}
  holding: {args: [base, thing], text: "{0} holds {1}"}
actions:
  sit: {text: "sit on {seat}", parameters: {robot: base, seat: thing}, effects: ["on(robot, seat)"]}
  grab: {text: "grab {item}", parameters: {robot: base, item: thing}, effects: ["holding(robot, item)"]}
  put:
    text: "put {item} on {place}"
    parameters: {robot: base, item: thing, place: thing}
    preconditions: ["holding(robot, item)"]
    effects: ["not holding(robot, item)", "on(item, place)"]
""")
    state = WorldState({name: WorldObject(name, "thing") for name in ("cup", "table")}, frozenset(),
                       {"someone": RobotState("someone", "base")})
    assert found(load_domain(file), state, "on(cup, table)") == ["grab(someone, cup)",
                                                                 "put(someone, cup, table)"]


def test_what_no_action_can_ever_make_is_not_searched_for(tmp_path):
    file = tmp_path / "home.yaml"
    file.write_text("""
domain: home
types: {thing: object}
predicates:
  sharp: {args: [thing], text: "{0} is sharp"}
  near: {args: [base, thing], text: "{0} is near {1}"}
actions:
  go: {text: "go to {item}", parameters: {robot: base, item: thing}, effects: ["near(robot, item)"]}
""")
    things = {f"thing_{i}": WorldObject(f"thing_{i}", "thing") for i in range(60)}
    state = WorldState(things, frozenset(), {"someone": RobotState("someone", "base")})
    answer = Searcher(load_domain(file)).find(
        state, goal_of("near(someone, thing_1)", "sharp(?blade) and near(someone, ?blade)"), PATIENT)
    assert answer.ending is Ending.NO_WAY
    assert answer.looked_at <= 3


HOME = """
domain: home
types: {thing: object}
predicates:
  near: {args: [base, thing], text: "{0} is near {1}"}
  carried: {args: [base, thing], text: "{0} carries {1}"}
  clean: {args: [thing], text: "{0} is clean"}
actions:
  go:
    text: "go to {item}"
    parameters: &item {robot: base, item: thing}
    effects:
      - "not near(robot, _)"
      - "near(robot, item)"
      - {when: "carried(robot, ?load)", then: "near(robot, ?load)"}
  take:
    text: "take {item}"
    parameters: *item
    preconditions: ["near(robot, item)"]
    effects: ["carried(robot, item)"]
  wipe:
    text: "wipe {item}"
    parameters: *item
    preconditions: ["near(robot, item)", "carried(robot, ?cloth)"]
    effects: &cleaning ["clean(item)"]
  wash: {text: "wash {item}", parameters: *item, preconditions: ["near(robot, item)"], effects: *cleaning}
"""


def at_home(tmp_path, things):
    """A home with many things, and somebody in it."""
    file = tmp_path / "home.yaml"
    file.write_text(HOME)
    objects = {f"thing_{i}": WorldObject(f"thing_{i}", "thing") for i in range(things)}
    return load_domain(file), WorldState(objects, frozenset(), {"someone": RobotState("someone", "base")})


def test_a_thing_is_taken_along_where_two_must_be_near_at_once(tmp_path):
    """To go to either is the short way, which loses the other one each time."""
    domain, state = at_home(tmp_path, 200)
    commands = found(domain, state, "near(someone, thing_1)", "near(someone, thing_2)")
    assert commands[0][2:] in ("(someone, thing_1)", "(someone, thing_2)")
    assert [command[:2] for command in commands] == ["go", "ta", "go"]


def test_an_action_that_does_no_more_and_needs_more_than_another_one_is_not_looked_at(tmp_path):
    domain, state = at_home(tmp_path, 200)
    assert spare_actions(domain, undoable=True) == {"wipe"}
    assert found(domain, state, "clean(thing_7)") == ["go(someone, thing_7)", "wash(someone, thing_7)"]


def test_where_the_first_way_is_too_long_the_search_soon_ends(domain):
    """Five boxes stand on the one that is wanted: eleven commands."""
    state = table_top({f"box_{i}": "box" for i in range(10)},
                      [(f"box_{i + 1}", "on", f"box_{i}") for i in range(5)])
    goal = goal_of("holding(panda, box_0)")
    assert len(Searcher(domain).find(state, goal, SearchLimits(depth=11, seconds=60.0)).commands) == 11
    answer = Searcher(domain).find(state, goal, SearchLimits(depth=10, seconds=60.0))
    assert answer.ending is Ending.NO_WAY
    assert answer.looked_at < 200


def test_a_search_whose_time_is_over_says_so(domain):
    state = table_top({f"box_{i}": "box" for i in range(10)}, [("panda", "holding", "box_0")])
    answer = Searcher(domain).find(state, goal_of("on(box_1, box_2)"), deadline=Deadline(0.0))
    assert answer.ending is Ending.OUT_OF_TIME
    assert not answer.found


def test_a_long_search_ends_with_its_own_seconds(domain):
    """Nothing can stand on a thing that is held, so all orders of all boxes would be looked at."""
    state = table_top({f"box_{i}": "box" for i in range(24)})
    limits = SearchLimits(depth=50, states=10_000_000, seconds=0.2)
    goal = goal_of("holding(panda, box_1)", "on(box_2, box_1)")
    assert Searcher(domain).find(state, goal, limits).ending is Ending.OUT_OF_TIME


def test_a_search_that_waits_for_another_one_ends_in_time(domain):
    searcher, asked = Searcher(domain), []
    limits = SearchLimits(depth=50, states=10_000_000, seconds=1.0)
    goal = goal_of("holding(panda, box_1)", "on(box_2, box_1)")
    state = table_top({f"box_{i}": "box" for i in range(24)})
    first = Thread(target=lambda: asked.append(searcher.find(state, goal, limits)))
    first.start()
    second = searcher.find(state, goal, limits, Deadline(0.1))
    first.join()
    assert [answer.ending for answer in (*asked, second)] == [Ending.OUT_OF_TIME] * 2


def test_what_was_asked_before_changes_no_answer(domain):
    state = table_top({f"box_{i}": "box" for i in range(6)},
                      [("box_1", "on", "box_0"), ("panda", "holding", "box_2")])
    goals = [goal_of("on(box_0, box_3)", "next_to(box_4, box_5)"), goal_of("holding(panda, box_0)"),
             goal_of("on(box_0, box_3)", "next_to(box_4, box_5)")]
    kept = Searcher(domain)
    assert [kept.find(state, goal, PATIENT) for goal in goals] == [
        Searcher(domain).find(state, goal, PATIENT) for goal in goals]


@pytest.mark.parametrize(("goals", "length"), [
    (["on(a, b)"], 2), (["on(a, b)", "on(c, a)"], 4), (["holding(panda, a)"], 1)])
def test_no_more_commands_are_found_than_are_needed(domain, goals, length):
    assert len(Searcher(domain).find(table_top(THREE), goal_of(*goals), PATIENT).commands) == length


def test_a_side_and_close_by_are_made_by_one_placement(domain):
    assert found(domain, table_top(THREE), "left_of(a, c)", "next_to(a, c)") == [
        "pick(panda, a)", "place_left_of(panda, a, c)"]

"""Domain files, their errors, grounding and the logical checker."""

import pytest
from failures import words
from hicrisp_core.domain import apply_effects, check, effects_hold, load_domain
from hicrisp_core.domain.wording import Words, told
from hicrisp_core.errors import ConfigError, DomainError
from hicrisp_core.model import Command, FeedbackKind, Relation, Step
from tabletop import steps, table_top

SMALL = """
domain: small
types: {thing: object}
predicates:
  on: {args: [thing, thing], text: "{0} is on {1}"}
actions:
  lift:
    text: "lift {item}"
    parameters: {item: thing}
    preconditions: ["not on(?other, item)"]
    effects: ["not on(item, _)"]
"""


def write(tmp_path, text):
    path = tmp_path / "domain.yaml"
    path.write_text(text)
    return path


def test_the_word_on_is_a_name_not_a_truth_value(tmp_path):
    assert "on" in load_domain(write(tmp_path, SMALL)).predicates


@pytest.mark.parametrize(("old", "new", "message"), [
    ("parameters:", "parametres:", r"domain.yaml:9: actions.lift.parametres: unknown key 'parametres' "
                                   r"\(did you mean 'parameters'\?\); valid are"),
    ("{item: thing}", "{item: thong}", "domain.yaml:9: .*unknown type 'thong'; valid are: arm, base, object"),
    ("not on(?other, item)", "not over(?other, item)",
     "domain.yaml:10: .*unknown predicate 'over'; valid are: on"),
    ("not on(?other, item)", "not on(item)", "has 1 arguments; on takes 2"),
    ("not on(item, _)", "on(item, _)", "needs names, not _"),
    ("types: {thing: object}", "types: {thing: thing}", "unknown parent type 'thing'"),
    ("domain: small", "domain: [small]", "domain.yaml:2: domain: a text was expected"),
    ("domain: small", "", "the key 'domain' is missing"),
    ("text: \"lift {item}\"", "text: 3", "a text was expected, got 3"),
    ("    text: \"lift", "    parameters: {}\n    text: \"lift", "the key 'parameters' stands here twice"),
    ("actions:", "actions: [", "domain.yaml:"),
])
def test_a_wrong_domain_file_is_refused_with_the_place_and_what_is_valid(tmp_path, old, new, message):
    assert old in SMALL
    with pytest.raises(ConfigError, match=message):
        load_domain(write(tmp_path, SMALL.replace(old, new, 1)))


def test_a_missing_domain_file_is_said(tmp_path):
    with pytest.raises(ConfigError, match=r"cannot read .*nothing.yaml"):
        load_domain(tmp_path / "nothing.yaml")


STATE = table_top({"box": "box", "red_box": "box", "bowl": "bowl", "cylinder": "cylinder"})


def test_the_only_robot_is_filled_in(domain):
    command = domain.ground(Step("", "pick", {"item": "box"}), STATE)
    assert (command.robot, str(command)) == ("panda", "pick(panda, box)")


def test_numbers_have_a_default_and_a_range(domain):
    step = Step("", "place_around", {"item": "box", "reference": "cylinder"})
    assert domain.ground(step, STATE).arguments["bearing"] == 0.0
    with pytest.raises(DomainError, match="a number from -360 to 360"):
        domain.ground(Step("", "place_around", {**step.arguments, "bearing": "nan"}), STATE)


@pytest.mark.parametrize(("step", "message"), [
    (Step("", "grab", {"item": "box"}), "no action 'grab'.*there are: home, pick"),
    (Step("", "pick", {"thing": "box"}), "pick has no parameter 'thing'; it takes: robot, item"),
    (Step("", "pick", {"item": "salt"}), "no object 'salt' in the world.*there are: box, cylinder, red_box"),
    (Step("", "pick", {"item": "bowl"}), "'bowl' is a bowl, but pick needs a graspable"),
    (Step("", "pick", {}), "pick needs 'item'"),
])
def test_a_step_that_does_not_fit_is_refused_with_the_valid_names(domain, step, message):
    with pytest.raises(DomainError, match=message):
        domain.ground(step, STATE)


def test_an_unmet_precondition_names_who_is_in_the_way(domain):
    state = table_top({"a": "box", "b": "box"}, [("b", "on", "a"), ("a", "on", "table")])
    feedback = check(domain, domain.ground(Step("", "pick", {"item": "a"}), state), state)
    assert feedback is not None
    assert feedback.kind is FeedbackKind.PRECONDITION
    assert (feedback.unmet[0].facts, feedback.unmet[0].negated) == ((Relation("b", "on", "a"),), True)
    assert words(domain, feedback) == Words("Cannot pick up a.", "B is on top of a.", "Move b away first.")


def test_a_box_may_not_be_placed_on_itself_or_in_a_taken_place(domain):
    state = table_top({"a": "box", "b": "box", "c": "box"},
                      [("panda", "holding", "a"), ("c", "on", "b"), ("b", "on", "table")])
    itself = Command("place_on", {"robot": "panda", "item": "a", "surface": "a"}, "panda")
    assert "nothing can be on itself" in told(check(domain, itself, state), domain).lower()
    taken = domain.ground(steps(domain, "place_on(panda, a, b)")[0], state)
    assert "c is already on b" in told(check(domain, taken, state), domain)
    assert check(domain, domain.ground(steps(domain, "place_on(panda, a, table)")[0], state), state) is None


def test_effects_remove_make_and_follow_what_holds(domain):
    state = table_top({"a": "box", "b": "box"}, [("panda", "holding", "a")])
    command = domain.ground(steps(domain, "place_left_of(panda, a, b)")[0], state)
    after = apply_effects(domain, command, state)
    assert Relation("a", "left_of", "b") in after.relations
    assert Relation("a", "on", "table") in after.relations, "beside something on the table is on the table"
    assert not any(fact.predicate == "holding" for fact in after.relations)
    assert effects_hold(domain, command, after)
    assert not effects_hold(domain, command, state)

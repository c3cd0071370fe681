"""Things that a request tells to leave: found by their words, and kept from every hand by the goal."""

import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.domain.loader import load_domain
from hicrisp_core.language.left_alone import leaving, left_alone
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.goal_text import parse_statement
from tabletop import table_top

DOMAIN = load_domain(config_file("domains", "tabletop"))
WORLD = table_top({"box": "box", "mug": "cylinder", "bowl": "bowl"})


def goal(*conditions):
    return Goal(tuple(parse_statement(each) for each in conditions))


@pytest.mark.parametrize("text", [
    "the box into the bowl without touching the mug", "box in bowl, don't touch the mug",
    "box in bowl, never move the mug",
    "put the box into the bowl and leave the mug alone", "the mug stays put, the box goes into the bowl",
    "the box into the bowl, but the mug must not be moved", "box into the bowl; hands off the mug",
    "leave the mug where it is and put the box in the bowl", "the mug should stay where it is"])
def test_what_is_to_be_left_is_found(text):
    assert left_alone(text, DOMAIN, WORLD) == ("mug",)


@pytest.mark.parametrize("text", [
    "put the box next to the mug", "the mug must not be next to the box", "leave the mug on the box",
    "the mug stays on the box", "don't put the mug in the bowl", "let the mug rest on the box",
    "move the mug"])
def test_what_is_only_named_is_not(text):
    assert left_alone(text, DOMAIN, WORLD) == ()


def test_no_hand_may_ever_hold_what_is_left_but_what_the_goal_moves():
    kept = leaving(goal("in(box,bowl)"), ("mug", "box"), DOMAIN, WORLD).keep
    assert [str(part) for part in kept] == ["not(holding(panda,mug))"]
    assert leaving(goal("next_to(box,mug)"), ("mug",), DOMAIN, WORLD).keep == kept

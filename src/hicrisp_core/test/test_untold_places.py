"""A place that no word of a request tells is next to; one that is told, however it is written, stays."""

import pytest
from hicrisp_core.language.untold_places import beside
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.goal_text import statements_of
from tabletop import table_top

WORLD = table_top({"mug": "cylinder", "jar": "cylinder", "fork": "box"}, [])


def told(text, domain, *end):
    return list(map(str, beside(text, Goal(statements_of(end)), domain, WORLD).end))


@pytest.mark.parametrize("text", [
    "the mug and the jar side by side please", "make the mug the jar's neighbour",
    "the mug right by the jar", "let the mug sit right next to the jar"])
def test_a_side_that_no_word_tells_is_next_to(domain, text):
    for side in ("right_of", "left_of", "behind"):
        assert told(text, domain, f"{side}(mug,jar)") == ["next_to(mug,jar)"]


@pytest.mark.parametrize(("text", "fact"), [
    ("the mug on the jar's right", "right_of(mug,jar)"), ("mug rihgt of jar", "right_of(mug,jar)"),
    ("mug to the right by the jar", "right_of(mug,jar)"), ("jar lft of mug", "right_of(mug,jar)"),
    ("a row: jar, mug", "right_of(mug,jar)"), ("hide the mug with the jar", "behind(mug,jar)"),
    ("mug behidn jar", "behind(mug,jar)"), ("mug infront of jar", "in_front_of(mug,jar)"),
    ("the mug goes between the jar and the fork", "right_of(mug,jar)")])
def test_a_side_that_is_told_stays(domain, text, fact):
    assert told(text, domain, fact) == [fact]


def test_only_the_axis_of_which_no_word_tells_changes(domain):
    assert told("the mug beside the jar, the fork left of the jar", domain, "behind(mug,jar)",
                "left_of(fork,jar)") == ["next_to(mug,jar)", "left_of(fork,jar)"]


@pytest.mark.parametrize(("text", "kept"), [
    ("put the mug beside the jar", False), ("mug and jar together, please", False),
    ("the mug next to the fork, on the jar", True), ("the jar carries the mug, close to the edge", True),
    ("the mug wants to be with the jar", True)])
def test_on_stays_where_a_word_may_tell_it_or_none_tells_next_to(domain, text, kept):
    assert told(text, domain, "on(mug,jar)") == [f"{'on' if kept else 'next_to'}(mug,jar)"]
    assert told(text, domain, "on(mug,table)") == ["on(mug,table)"]

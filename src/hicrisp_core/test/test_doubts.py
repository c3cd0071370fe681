"""Where the words of a request speak against what a model understood."""

from __future__ import annotations

import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.domain.loader import load_domain
from hicrisp_core.language.doubts import doubt
from hicrisp_core.language.mentions import mentions
from hicrisp_core.model import Relation, WorldObject, WorldState
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.goal_text import parse_statement

DOMAIN = load_domain(config_file("domains", "tabletop"))


def thing(name, type_, colour=""):
    return name, WorldObject(name, type_, attributes={"colour": colour} if colour else {},
                             movable=type_ != "surface")


WORLD = WorldState(dict((
    thing("red_box", "box", "red"), thing("blue_box", "box", "blue"), thing("fork", "box", "grey"),
    thing("mug", "cylinder", "red"), thing("bowl", "bowl", "white"), thing("box_2", "box", "green"),
    thing("table", "surface"))), frozenset({
        Relation("fork", "in", "bowl"), Relation("red_box", "next_to", "mug"),
        Relation("mug", "on", "table")}))


def goal(*conditions):
    return Goal(tuple(parse_statement(each) for each in conditions))


def named(text):
    return [(each.words, each.fitting, each.definite) for each in mentions(text, DOMAIN, WORLD)]


def test_things_are_found_by_name_type_and_colour_wherever_they_stand():
    assert named("The mug wants the blue cube on top, and box two beside it") == [
        ("mug", ("mug",), True), ("blue cube", ("blue_box",), True), ("box two", ("box_2",), False)]


def test_what_is_plural_counted_or_indefinite_means_no_single_thing():
    for text in ("the boxes in the bowl", "a box in the bowl", "two of the boxes in the bowl",
                 "all the red in it"):
        assert not named(text)[0][2], text


def test_a_colour_before_a_word_that_nobody_knows_means_no_single_thing():
    assert named("the red flag")[0] == ("red", ("mug", "red_box"), False)
    assert named("the red on the fork")[0] == ("red", ("mug", "red_box"), True)


@pytest.mark.parametrize(("text", "understood", "which"), [
    ("pop the red thing into the bowl", "in(mug,bowl)", ("mug", "red_box")),
    ("could the box go next to the mug?", "next_to(fork,mug)", ("blue_box", "box_2", "fork", "red_box")),
    ("pop the red box into the bowl", "in(red_box,bowl)", ()),
    ("the fork belongs in the white one", "in(fork,bowl)", ()),
    ("a red thing into the bowl", "in(mug,bowl)", ()),
    ("the red thing that you drink from into the bowl", "in(mug,bowl)", ()),
    ("the mug and the red one into the bowl", "in(red_box,bowl)", ()),
    ("take the box out of the bowl", "on(fork,table)", ()),
])
def test_a_phrase_that_fits_several_things_is_a_question(text, understood, which):
    assert doubt(text, goal(understood), DOMAIN, WORLD).which == which


@pytest.mark.parametrize(("text", "understood", "missing"), [
    ("the mug next to the blue box", "next_to(mug,red_box)", ("blue_box",)),
    ("the mug next to the blue box", "next_to(mug,blue_box)", ()),
    ("everything but the mug into the bowl", "in(red_box,bowl)", ()),
    ("what is in the bowl belongs on the blue box", "on(fork,blue_box)", ()),
    ("the red box into the bowl, but the mug must not be moved", "in(red_box,bowl)", ("mug",)),
    ("the red box into the bowl, not the mug", "in(red_box,bowl)", ()),
    ("the red box into the bowl without touching the mug", "in(red_box,bowl)", ("mug",)),
    ("put the mug into the bowl (correction: not the mug, the red box)", "in(red_box,bowl)", ()),
])
def test_a_thing_that_is_named_and_not_in_the_goal_is_told(text, understood, missing):
    assert doubt(text, goal(understood), DOMAIN, WORLD).missing == missing


@pytest.mark.parametrize(("text", "understood", "missing"), [
    ("all boxes into the bowl", ("in(red_box,bowl)", "in(fork,bowl)"), ("blue_box", "box_2")),
    ("boxes into the bowl", ("in(red_box,bowl)", "in(fork,bowl)"), ("blue_box", "box_2")),
    ("some boxes into the bowl", ("in(red_box,bowl)", "in(fork,bowl)"), ()),
    ("one of the boxes into the bowl", ("in(red_box,bowl)",), ()),
    ("all red things into the bowl", ("in(red_box,bowl)", "in(mug,bowl)"), ()),
    ("all boxes but the blue one into the bowl", ("in(red_box,bowl)", "in(fork,bowl)", "in(box_2,bowl)"), ()),
])
def test_what_is_left_out_of_all_is_told(text, understood, missing):
    assert doubt(text, goal(*understood), DOMAIN, WORLD).missing == missing


def test_what_shall_stay_and_is_not_so_is_told():
    def kept(condition):
        keep = (parse_statement(condition),)
        return doubt("", Goal((parse_statement("in(mug,bowl)"),), keep), DOMAIN, WORLD).unkept

    assert kept("in(fork,bowl)") == kept("not(in(fork,bowl))") == kept("in(mug,bowl)") == ()
    assert kept("on(fork,mug)") == (Relation("fork", "on", "mug"),)


@pytest.mark.parametrize(("understood", "idle"), [
    (("in(fork,bowl)",), True), (("next_to(mug,red_box)", "not(on(mug,fork))"), True), ((), False),
    (("in(fork,bowl)", "in(mug,bowl)"), False), (("not(in(fork,bowl))",), False)])
def test_a_goal_of_what_is_so_already_is_doubted(understood, idle):
    found = doubt("see to it", goal(*understood), DOMAIN, WORLD)
    assert found.idle == found.unsure == idle


@pytest.mark.parametrize(("text", "understood", "misordered"), [
    ("fork, mug and red box from the bottom up", ("on(mug,fork)", "on(red_box,mug)"), False),
    ("fork, mug and red box from the bottom up", ("on(fork,mug)", "on(mug,red_box)"), True),
    ("the fork, the mug, the red box: top to bottom", ("on(fork,mug)", "on(mug,red_box)"), False),
    ("from left to right the mug, fork and bowl", ("left_of(fork,mug)", "left_of(mug,bowl)"), True),
    ("from left to right the mug, fork and bowl", ("right_of(fork,mug)", "right_of(bowl,fork)"), False),
    ("the mug at the bottom, the fork on top", ("on(fork,mug)",), False),
    ("the mug at the bottom, the fork on top", ("on(mug,fork)",), True),
    ("the mug on top of the fork", ("on(mug,fork)",), False),
    ("the mug in the middle, the fork on the left, the red box on the right",
     ("left_of(fork,mug)", "left_of(mug,red_box)"), False),
    ("the mug in the middle, the fork on the left, the red box on the right",
     ("left_of(mug,fork)", "left_of(fork,red_box)"), True),
    ("the mug on the left of the fork", ("left_of(mug,fork)",), False),
    ("the mug sits over on the fork's right-hand side", ("right_of(mug,fork)",), False),
])
def test_a_tower_or_row_in_another_order_than_the_words_tell_is_told(text, understood, misordered):
    assert doubt(text, goal(*understood), DOMAIN, WORLD).misordered == misordered


@pytest.mark.parametrize(("text", "understood", "told"), [
    ("Fork left of the mug please", ("left_of(mug,fork)",), [("fork", "left_of", "mug")]),
    ("Fork left of the mug please", ("right_of(mug,fork)",), []),
    ("the fork goes on the mug, the mug must stand behind box two",
     ("on(fork,mug)", "in_front_of(mug,box_2)"), [("mug", "behind", "box_2")]),
    ("put the mug onto the bowl", ("in(mug,bowl)",), []),
    ("put the mug onto the bowl", ("next_to(mug,bowl)",), [("mug", "in", "bowl")]),
    ("box two beside the fork", ("next_to(fork,box_2)",), []),
    ("the fork in the bowl belongs on the blue box", ("on(fork,blue_box)",), []),
    ("the mug should not be on the fork any more", ("on(mug,table)",), []),
    ("the box left of the mug", ("left_of(fork,bowl)",), []),
    ("the mug, which is in the way left of the fork", ("on(mug,table)",), []),
    ("I can't get to the mug behind the fork, it should be in front", ("in_front_of(mug,fork)",), []),
    ("I can't get to the mug behind the fork, it should be in front", ("left_of(mug,fork)",),
     [("mug", "behind", "fork")]),
    ("The mug goes behind the fork", ("in_front_of(mug,fork)",), [("mug", "behind", "fork")]),
    ("Under the mug there ought to be the fork", ("on(fork,mug)",), [("mug", "on", "fork")]),
    ("Under the mug there ought to be the fork", ("on(mug,fork)",), []),
    ("Slide the fork under the mug", ("on(fork,mug)",), [("mug", "on", "fork")]),
    ("left of the mug I'd like the fork", ("left_of(mug,fork)",), [("fork", "left_of", "mug")]),
    ("on the mug's right goes the fork", ("right_of(fork,mug)",), []),
    ("the fork sits over on the mug's right side", ("right_of(fork,mug)",), []),
    ("box two into the bowl, fork on the mug's right", ("in(box_2,bowl)", "next_to(fork,mug)"),
     [("fork", "right_of", "mug")]),
    ("box two into the bowl, fork on the bowl's right", ("right_of(box_2,bowl)", "right_of(fork,bowl)"),
     [("box_2", "in", "bowl")]),
    ("box two into the bowl, fork at the mug's back", ("in(box_2,bowl)", "behind(fork,mug)"), []),
])
def test_a_relation_that_is_told_plainly_and_not_in_the_goal_is_told(text, understood, told):
    found = doubt(text, goal(*understood), DOMAIN, WORLD)
    assert [(each.subject, each.predicate, each.object) for each in found.unsaid] == told
    assert found.unsure or not told

"""What stands out among the things of a world."""

from __future__ import annotations

from hicrisp_core.language.extremes import extremes, extremes_text
from hicrisp_core.model import Pose, WorldObject, WorldState


def world(**things):
    """Things by name: type, size, place."""
    return WorldState({name: WorldObject(name, type_, size=size, pose=place and Pose((*place, 0.03)))
                       for name, (type_, size, place) in things.items()})


CUBE = (0.05, 0.05, 0.05)


def test_sizes_stand_out_where_people_would_agree_at_a_glance():
    found = dict(extremes(world(milk=("box", (0.06, 0.06, 0.16), None), tea=("box", (0.07, 0.05, 0.09), None),
                                coin=("cylinder", (0.03, 0.03, 0.01), None))))
    assert found == {"tallest": "milk", "flattest": "coin", "biggest": "milk", "smallest": "coin",
                     "longest": "milk", "tallest box": "milk", "flattest box": "tea",
                     "biggest box": "milk", "smallest box": "tea", "longest box": "milk"}


def test_things_of_one_size_do_not_stand_out():
    assert extremes(world(a=("box", CUBE, None), b=("box", CUBE, None), c=("box", CUBE, None))) == ()


def test_left_is_where_y_grows_and_the_front_is_near_the_robot():
    assert extremes_text(world(a=("box", CUBE, (0.4, 0.2)), b=("box", CUBE, (0.5, -0.1)))) == (
        "rearmost: b; frontmost: a; leftmost: a; rightmost: b")


def test_what_nobody_sees_is_nowhere():
    seen = world(a=("box", CUBE, (0.4, 0.2)), b=("box", CUBE, (0.4, -0.1)), c=("box", CUBE, (0.4, -0.3)))
    gone = WorldObject("d", "box", size=CUBE, pose=Pose((0.4, 0.9, 0.03)), lost=True)
    assert dict(extremes(WorldState({**seen.objects, "d": gone}))) == {"leftmost": "a", "rightmost": "c"}

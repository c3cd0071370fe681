"""A thing between two others may lie either way round; what is not plainly that is left to others."""

import pytest
from hicrisp_core.language.between import told_between
from tabletop import table_top

WORLD = table_top({"mug": "cylinder", "red_box": "box", "blue_box": "box", "lamp": "cylinder"}, [])


@pytest.mark.parametrize("text", [
    "put the mug between the red box and the blue box",
    "the mug goes in the middle between the red box and the blue box.",
    "place the mug between the two boxes"])
def test_either_way_round_is_between(domain, text):
    found = told_between(text, domain, WORLD)
    one, other = ("all(right_of(mug,red_box),left_of(mug,blue_box))",
                  "all(right_of(mug,blue_box),left_of(mug,red_box))")
    assert str(found.end[0]) in (f"any({one},{other})", f"any({other},{one})")


@pytest.mark.parametrize("text", [
    "put the mug next to the lamp", "choose between the red box and the blue box for the mug",
    "put the mug between the boxes and the lamp", "put the mug between the red box and the vase",
    "if there is room put the mug between the red box and the blue box",
    "put the lamp and the mug between the red box and the blue box"])
def test_anything_else_is_left_to_others(domain, text):
    assert told_between(text, domain, WORLD) is None

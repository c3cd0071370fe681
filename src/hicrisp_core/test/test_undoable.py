"""Commands for what no fact says are known by their verbs, and nothing else is taken for one."""

import pytest
from hicrisp_core.language.undoable import is_undoable
from tabletop import table_top

WORLD = table_top({"red_box": "box", "plate": "box", "glue": "box", "mug": "cylinder", "bowl": "bowl"}, [])


@pytest.mark.parametrize("text", [
    "Wash the plate.", "could you please paint the red box green", "pick up the mug and break it",
    "I want you to weigh my mug", "Pour some tea, then drink the mug empty"])
def test_what_no_fact_says_is_known(domain, text):
    assert is_undoable(text, domain, WORLD)


@pytest.mark.parametrize("text", [
    "put the mug on the plate", "I need something to cut the plate with", "glue next to the mug",
    "glue the plate", "the plate you wash goes into the bowl", "drop the mug into the bowl"])
def test_what_may_be_a_wish_is_left_to_others(domain, text):
    assert not is_undoable(text, domain, WORLD)

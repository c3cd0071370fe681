"""Goals as the plain commands that would be told for them."""

import pytest
from hicrisp_core.brain.offline import OfflineBrain
from hicrisp_core.model import Task
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.goal_text import parse_statement
from hicrisp_core.ports.brain import PlanRequest
from hicrisp_core.prompting.commands import commands
from hicrisp_core.time.deadline import Deadline
from tabletop import table_top

WORLD = table_top({"red_box": "box", "mug": "cylinder", "box_2": "box", "bowl": "bowl"})


def goal(*conditions):
    return Goal(tuple(map(parse_statement, conditions)))


@pytest.mark.parametrize(("end", "said"), [
    (("on(mug,red_box)", "holding(panda,box_2)"), "put the mug on the red box, pick up box 2"),
    (("in(mug,bowl)",), "put the mug in the bowl"),
    (("next_to(mug,bowl)",), "put the mug next to the bowl"),
    (("left_of(mug,red_box)",), "put the mug left of the red box"),
    (("on(mug,red_box)", "not(next_to(box_2,bowl))"),
     "put the mug on the red box, do not put box 2 next to the bowl"),
    (("behind(box_2,mug)", "in_front_of(red_box,mug)"),
     "put box 2 behind the mug, put the red box in front of the mug")])
def test_the_grammar_reads_them_as_the_same_goal(domain, end, said):
    assert commands(goal(*end), domain) == said
    read = OfflineBrain(domain).read(PlanRequest(Task(said), WORLD), Deadline(20))
    assert read.plan.goal.texts == {"end": end}


@pytest.mark.parametrize(("end", "said"), [
    (("any(on(mug,red_box),on(mug,box_2))",),
     "either the mug ends up on the red box or the mug ends up on box 2"),
    (("lying(mug)",), "the mug ends up lying on its side")])
def test_what_is_not_put_anywhere_is_said_in_words(domain, end, said):
    assert commands(goal(*end), domain) == said

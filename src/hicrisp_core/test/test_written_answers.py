"""Questions are answered from the world, with the facts that an answer rests on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hicrisp_core.model.goal import Holds
from test_written_worlds import Reason, answered, refused, scene_world


@pytest.mark.parametrize(("scene", "line", "text", "facts"), [
    ("dishes", "answer is in(spoon, big bowl)", "Yes, the spoon is in the big bowl.", ["in(spoon,big_bowl)"]),
    ("dishes", "answer is in(fork, big bowl)",
     "No, the fork is not in the big bowl: the fork is on the plate.", ["on(fork,plate)"]),
    ("dishes", "answer is not in(fork, big bowl)", "Yes, the fork is not in the big bowl.", []),
    ("dishes", "answer is on(cup, saucer) & on(fork, saucer)",
     "No, the fork is not on the saucer: the fork is on the plate.", ["on(fork,plate)"]),
    ("barman", "answer is closed(fridge)", "Yes, the fridge is closed.", ["closed(fridge)"]),
    ("dishes", "answer where spoon", "The spoon is in the big bowl.", ["in(spoon,big_bowl)"]),
    ("dishes", "answer which object {in big bowl}", "The spoon.", ["in(spoon,big_bowl)"]),
    ("barman", "answer which bottle {contains gin}", "The gin bottle.",
     ["at(gin_bottle,shelf)", "contains(gin_bottle,gin)"]),
    ("dishes", "answer which object {in small bowl}", "Nothing: there is no object in small bowl now.", []),
    ("sorting", "answer count red block", "2: red block 1 and red block 2.", []),
    ("sorting", "answer count red block {in red bowl}", "None: there is no red block in red bowl now.", []),
    ("bowl", "answer state bowl", "The bowl is a white bowl of 15 x 15 x 6 cm. The bowl is on the table.",
     ["on(bowl,table)"]),
    ("agv", "answer where area 1", "Area 1 is at (2.60, 1.27) m.", []),
    ("tabletop", "answer holding", "Nothing is in any hand.", []),
    ("tabletop", "answer scene", "The box and the cylinder are on the table.",
     ["on(box,table)", "on(cylinder,table)"]),
    ("agv", "answer abilities", "The agv can go to an area, visit an area, carry the load to an area, "
                                "dock at a station and wait some s.", []),
    ("tabletop", "answer status", "Nothing is being done now.", []),
])
def test_an_answer_says_what_holds(scene, line, text, facts):
    answer = answered(scene, line)
    assert answer.text == text
    assert [str(Holds(fact)) for fact in answer.facts] == facts


def test_what_is_in_the_hand_is_told():
    def told(line):
        return answered("tabletop", line, facts=[("panda", "holding", "box")],
                        gone=[("box", "on", "table")]).text

    assert told("answer holding") == "The panda is holding the box."
    assert told("answer where box") == "The panda is holding the box."
    assert told("answer which object {holding _}") == "The box."


def test_before_a_task_begins_the_robots_do_nothing():
    assert answered("tabletop", "answer status").text == "Nothing is being done now."


def test_one_of_a_kind_is_told_of_all_of_the_kind_and_an_exact_name_alone():
    assert answered("sorting", "answer where red block").text == \
        "Red block 1 is on the table. Red block 2 is on the table."
    assert answered("lab", "answer where box").text == "The box is on the table."


def test_what_is_not_seen_is_not_answered_as_if_it_were():
    domain, world = scene_world("tabletop")
    lost = replace(world.objects["box"], lost=True, pose_age=9.0)
    unseen = (domain, replace(world, objects={**world.objects, "box": lost}))
    assert answered(unseen, "answer where box").text == "The box has not been seen for 9.0 s."
    assert answered(unseen, "answer is on(box, table)").text == \
        "That is not known now: the box has not been seen for 9.0 s."


def test_a_question_about_what_is_not_there_is_refused():
    assert "no teapot" in refused("dishes", "answer where teapot", Reason.UNKNOWN_OBJECT)
    assert "no teapot" in refused("dishes", "answer which object {on teapot}", Reason.UNKNOWN_OBJECT)


def test_a_long_answer_is_cut_off():
    assert len(answered("household", "answer scene").text) <= 1200

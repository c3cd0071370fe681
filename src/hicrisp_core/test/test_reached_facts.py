"""What a repair of a missed goal may do: it keeps what is reached, and does not try again what was impossible."""

from dataclasses import replace

import pytest
from goals import ScriptedInterpreter, goal
from hicrisp_core.model import Relation, Rung, Status
from hicrisp_core.model.track import Visibility
from hicrisp_core.policy.policy import Policy
from lab import LabRun
from tabletop import Run, table_top

FETCH = ["pick(panda, box)", "dock(agv, dock)", "load(panda, box, tray)", "carry_to(agv, box, area_2)"]
POLICY = Policy("test", verify_goal="task", rungs=(Rung.REPAIR, Rung.LLM_REPLAN), autonomy="full")


def test_a_loaded_vehicle_is_not_sent_home_for_a_box_that_cannot_be_picked():
    wanted = goal("in_area(box,area_2)", "aboard(red_box,agv)")
    run = LabRun(POLICY, ["pick(panda, red_box)", "load(panda, red_box, tray)"], FETCH,
                 interpreter=ScriptedInterpreter(wanted))
    run.world.fails("pick(panda, red_box)", times=99, status=Status.PLANNING)
    result = run()
    assert (result.success, result.goal) == (False, "missed")
    assert run.world.executed.count("pick(panda, red_box)") == 1
    assert run.world.executed.count("dock(agv, dock)") == 1
    assert run.world.state.holds("in_area", "box", "area_2")
    assert "red box is not aboard" in result.message


def test_what_was_impossible_is_tried_again_once_something_about_it_has_changed():
    wanted = goal("in_area(box,area_2)", "on(red_box,blue_box)")
    run = LabRun(POLICY, ["pick(panda, red_box)", "place_on(panda, red_box, blue_box)"], FETCH,
                 interpreter=ScriptedInterpreter(wanted))
    run.world.fails("pick(panda, red_box)", times=1, status=Status.PLANNING)
    run.agv.during["carry_to(agv, box, area_2)"] = lambda: run.show(
        Relation("red_box", "next_to", "green_box"), Relation("green_box", "next_to", "red_box"))
    assert run().success
    assert run.world.state.holds("in_area", "box", "area_2")
    assert run.world.executed[-2:] == ["pick(panda, red_box)", "place_on(panda, red_box, blue_box)"]


def test_a_repair_that_must_undo_something_says_so_first(domain):
    state = table_top({"box": "box", "cup": "cylinder", "plate": "box"})
    run = Run(domain, state, POLICY, ["pick(panda, cup)", "place_on(panda, cup, box)"],
              interpreter=ScriptedInterpreter(goal("on(cup,box)", "on(box,plate)")))
    assert run().success
    kinds = [event["kind"] for event in run.events]
    (made,) = run.told("correction")
    assert made["note"] == "this must be undone first, and is made again: the cup is on the box"
    assert kinds.index("correction") < [at for at, event in enumerate(run.events) if event["kind"] == "command"][2]


def lost(world, *names):
    """A world in which some objects are not seen."""
    objects = {name: replace(thing, lost=True, visibility=Visibility.HIDDEN) if name in names else thing
               for name, thing in world.objects.items()}
    return replace(world, objects=objects, relations=frozenset(
        fact for fact in world.relations if not {fact.subject, fact.object} & set(names)))


THINGS = {"box": "box", "mug": "cylinder", "bowl": "bowl", "plate": "box"}
BOX = ["pick(panda, box)", "place_in(panda, box, bowl)"]


@pytest.mark.parametrize("wanted", [
    goal("on(mug,plate)", "in(box,bowl)"), goal("in(box,bowl)", first=["on(mug,plate)"]),
    goal("all(on(mug,plate),in(box,bowl))")])
def test_what_can_be_done_without_an_object_that_is_not_seen_is_done(domain, wanted):
    run = Run(domain, lost(table_top(THINGS), "mug"), replace(POLICY, brain="goal", rungs=(Rung.REPAIR,)),
              interpreter=ScriptedInterpreter(wanted), brain=None)
    result = run()
    assert run.world.executed == BOX
    assert (result.success, result.goal) == (False, "missed")
    assert "the mug is" in result.message
    assert "on the plate" in result.message


@pytest.mark.parametrize("rungs", [(), (Rung.REPAIR,), (Rung.REPAIR, Rung.LLM_REPLAN)])
def test_an_object_that_is_lost_on_the_way_does_not_stop_the_others(domain, rungs):
    run = Run(domain, table_top(THINGS), replace(POLICY, rungs=rungs),
              ["pick(panda, mug)", "place_on(panda, mug, plate)", *BOX],
              interpreter=ScriptedInterpreter(goal("on(mug,plate)", "in(box,bowl)")))
    run.world.state = lost(run.world.state, "mug")
    result = run()
    assert run.world.executed == (BOX if rungs else [])
    assert not result.success
    assert result.given_up == ("pick(panda, mug)",)
    assert "Cannot pick up mug: the mug was never seen" in result.message

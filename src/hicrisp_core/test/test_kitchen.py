"""The two-handed kitchen: CoPAL's errors (Tables II, III), quantities, words that several actions share."""

from __future__ import annotations

from typing import List, Sequence

import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.domain import check, load_domain
from hicrisp_core.domain.effects import apply_effects
from hicrisp_core.domain.wording import words_of
from hicrisp_core.factory import RunFactory
from hicrisp_core.model import Plan, Relation, Status, Step, Task, WorldState
from hicrisp_core.parsing.grounding import Grounded, ground_each, ground_steps
from hicrisp_core.parsing.plan_text import parse_plan
from hicrisp_core.policy.policy import Policy, load_policy
from hicrisp_core.ports.brain import CorrectionRequest, PlanAnswer, PlanRequest
from hicrisp_core.robot.symbolic import SymbolicWorld
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline

DOMAIN = load_domain(config_file("domains", "kitchen"))
BAR = load_scene("barman").first_state()
MID_LEVEL = load_policy(config_file("policies", "copal_m"))
SEARCHED = load_policy(config_file("policies", "copal_m_goal"))
"""Repairs whatever the search can; CoPAL's mid level repairs sequences only."""


def read(*lines: str):
    """The steps of a plan in the form in which CoPAL's models write it."""
    return parse_plan("\n".join(f"[Ropa to Roco] {line}" for line in lines), DOMAIN)


class Written:
    """A brain that answers with a plan as text, and with others after failures."""

    def __init__(self, *lines: str, then: Sequence[Sequence[str]] = ()) -> None:
        self._plans = [lines, *then]
        self.asked: List[PlanRequest] = []

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        self.asked.append(request)
        grounded = ground_each(read(*self._plans.pop(0)), DOMAIN, request.world)
        return PlanAnswer(Plan(grounded.steps, "written", "; ".join(grounded.notes)))

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        raise AssertionError("no model is asked on the middle level")


def run(*lines: str, state: WorldState = BAR, policy: Policy = MID_LEVEL):
    """Run a plan in the bar with the mid-level planner alone: the result and the world."""
    world = SymbolicWorld(DOMAIN, state, "robot")
    executive = RunFactory(DOMAIN, policy).executive({"robot": world}, world, lambda event: None,
                                                   brain=Written(*lines))
    return executive.run(Task("serve")), world


def after(state: WorldState, *lines: str) -> WorldState:
    """The world after some steps that all may run."""
    for step in ground_each(read(*lines), DOMAIN, state).steps:
        command = DOMAIN.ground(step, state)
        assert check(DOMAIN, command, state) is None
        state = apply_effects(DOMAIN, command, state)
    return state


def refusal(state: WorldState, line: str) -> str:
    """The name of the checker's refusal."""
    grounded = ground_steps(read(line), DOMAIN, state)
    assert isinstance(grounded, Grounded), grounded
    feedback = check(DOMAIN, DOMAIN.ground(grounded.steps[0], state), state)
    return feedback.name if feedback else ""


def test_what_is_not_in_hand_is_taken_first() -> None:
    result, world = run("put first_glass tray")
    assert result.success
    assert world.state.holds("at", "first_glass", "tray")
    assert result.corrections == {"repair": 1}


def test_a_closed_container_is_opened_for_what_goes_into_it_and_closed_again_when_the_plan_had_closed_it(

) -> None:
    result, world = run("open fridge", "close fridge", "get gin_bottle from shelf", "put gin_bottle fridge")
    assert result.success
    assert world.state.holds("at", "gin_bottle", "fridge")
    assert world.state.holds("closed", "fridge")


def test_opening_with_both_hands_full_frees_one() -> None:
    result, world = run("get gin_bottle from shelf hand_left", "get rum_bottle from shelf hand_right",
                        "open fridge")
    assert result.success
    assert not world.state.holds("closed", "fridge")


def test_getting_with_both_hands_full_frees_one_and_what_was_put_aside_is_taken_back_when_a_step_needs_it(

) -> None:
    result, world = run(
        "get gin_bottle from shelf hand_left", "get rum_bottle from shelf hand_right",
        "get first_glass from table hand_left", "pour gin_bottle first_glass 40", "put first_glass tray",
        policy=SEARCHED)
    assert result.success
    assert world.state.holds("contains", "first_glass", "gin")
    assert world.state.holds("level", "first_glass", "40")


def test_a_full_hand_is_replaced_by_the_free_one() -> None:
    result, world = run("get gin_bottle from shelf hand_right",
                        "get ice_cubes from ice_cubes_bowl hand_right")
    assert result.success
    assert world.state.holds("holding", "hand_left", "ice_cubes")
    assert world.state.holds("holding", "hand_right", "gin_bottle")


def test_what_stands_in_for_a_step_may_fail_and_be_tried_again_without_a_way_back_to_the_step() -> None:
    world = SymbolicWorld(DOMAIN, BAR, "robot")
    world.fails("get(ice_cubes, ice_cubes_bowl, hand_left)", status=Status.EXECUTION)
    brain = Written("get gin_bottle from shelf hand_right", "get ice_cubes from ice_cubes_bowl hand_right")
    result = RunFactory(DOMAIN, SEARCHED).executive(
            {"robot": world}, world, lambda event: None, brain=brain).run(Task("serve"))
    assert result.success
    assert world.executed[1:] == ["get(ice_cubes, ice_cubes_bowl, hand_left)"] * 2
    assert world.state.holds("holding", "hand_right", "gin_bottle")


def test_what_one_hand_finds_no_way_to_the_other_one_takes() -> None:
    world = SymbolicWorld(DOMAIN, BAR, "robot")
    world.fails("get(gin_bottle, shelf, hand_right)", times=9, status=Status.PLANNING, message="out of reach")
    result = RunFactory(DOMAIN, SEARCHED).executive(
        {"robot": world}, world, lambda event: None,
        brain=Written("get gin_bottle from shelf hand_right", "pour gin_bottle first_glass 20")).run(Task("serve"))
    assert result.success, result.message
    assert world.executed == ["get(gin_bottle, shelf, hand_right)", "get(gin_bottle, shelf, hand_left)",
                              "pour(gin_bottle, first_glass, 20.0)"]


def test_closing_what_has_no_door_is_left_out_with_a_note() -> None:
    events: List[dict] = []
    world = SymbolicWorld(DOMAIN, BAR, "robot")
    brain = Written("close mixing_container", "gaze tray")
    result = RunFactory(DOMAIN, MID_LEVEL).executive({"robot": world}, world, events.append,
                                                brain=brain).run(Task("serve"))
    assert result.success
    assert not world.state.holds("closed", "mixing_container")
    assert any("has no door" in event.get("note", "") for event in events if event["kind"] == "correction")


def test_a_step_whose_effect_holds_is_left_out() -> None:
    result, world = run("put ice_cubes_bowl table", "gaze tray")
    assert result.success
    assert world.executed == ["gaze(tray)"]


def test_a_repair_never_does_what_cannot_be_undone() -> None:
    state = after(BAR, "get lime_slice from lime_slice_bowl hand_left", "get mint from mint_bowl hand_right")
    result, world = run("open fridge", state=state)
    assert result.success
    filled = {fact.subject for fact in world.state.relations if fact.predicate == "contains"}
    assert all(name.endswith("_bottle") for name in filled)


@pytest.mark.parametrize(("line", "kind"), [
    ("pour first_glass second_glass 1", "not_held"), ("get tomato_juice_bottle from fridge", "closed"),
    ("close electric_shaker", "no_door"), ("put first_glass first_glass", "invalid"),
    ("switch_on tray", "no_switch")])
def test_the_checker_names_the_kind_of_failure(line: str, kind: str) -> None:
    assert refusal(BAR, line) == kind


def test_pouring_moves_what_is_there_and_no_more() -> None:
    state = after(BAR, "get gin_bottle", "pour gin_bottle first_glass 40", "put gin_bottle shelf",
                  "get first_glass",
                  "pour first_glass second_glass 100")
    assert state.holds("level", "gin_bottle", "960")
    assert state.holds("level", "first_glass", "0")
    assert state.holds("level", "second_glass", "40")
    assert state.holds("contains", "second_glass", "gin")


def test_nothing_is_poured_beyond_the_rim() -> None:
    state = after(BAR, "get gin_bottle", "pour gin_bottle first_glass 700")
    assert refusal(state, "pour gin_bottle first_glass 400") == "full"


def test_one_word_means_the_action_that_its_things_fit() -> None:
    found = ground_steps(read("put mint first_glass", "put mint_bowl first_glass",
                              "put gin_bottle first_glass",
                              "put gin_bottle shelf", "open gin_bottle", "open fridge"), DOMAIN, BAR)
    assert [step.action for step in found.steps] == ["put_into", "tip_into", "pour", "put", "unscrew", "open"]


@pytest.mark.parametrize(("written", "meant"), [
    ("tray_1", "tray"), ("tray.", "tray"), ("sugar_cube", "sugar_cubes"),
    ("mixer_container", "mixing_container")])
def test_a_name_with_one_close_match_is_read_as_it_and_reported(written: str, meant: str) -> None:
    found = ground_each(read(f"gaze {written}"), DOMAIN, BAR)
    assert found.steps[0].arguments == {"thing": meant}
    assert found.mended == (0,)
    assert written in found.notes[0]
    assert meant in found.notes[0]


@pytest.mark.parametrize(("written", "meant"), [
    ("get triple sec_bottle from shelf hand left",
     {"item": "triple_sec_bottle", "place": "shelf", "hand": "hand_left"}),
    ("get ice_cubes from ice_cubes bowl", {"item": "ice_cubes", "place": "ice_cubes_bowl"}),
    ("switch on electric shaker", {"device": "electric_shaker"}),
    ("put rm_bottle shelf", {"item": "rum_bottle", "place": "shelf"}),
    ("put first glass tray", {"item": "first_glass", "place": "tray"}),
    ("switch_of electric_shker", {"device": "electric_shaker"})])
def test_names_with_gaps_and_slips_are_read(written: str, meant: "dict[str, str]") -> None:
    found = ground_each(read(written), DOMAIN, BAR)
    assert {key: value for key, value in found.steps[0].arguments.items() if key != "amount"} == meant
    assert found.steps[0].action in ("get", "put", "switch_on", "switch_off")


@pytest.mark.parametrize("written", ["lemon_juice_bottle", "apple_juice_bottle", "rye_bottle", "sixth_glass"])
def test_what_is_not_there_is_not_read_as_what_sounds_like_it(written: str) -> None:
    found = ground_each(read(f"gaze {written}"), DOMAIN, BAR)
    assert found.notes == ()
    assert found.steps[0].arguments == {"thing": written}


def test_a_needless_step_that_stands_twice_in_a_plan_is_left_out_twice() -> None:
    result, world = run("close electric_shaker", "close electric_shaker", "get gin_bottle")
    assert result.success, result.message
    assert world.state.holds("holding", "hand_left", "gin_bottle")


def test_a_plan_runs_up_to_the_step_that_cannot_be_read_and_says_what_is_wrong_with_it() -> None:
    result, world = run("get first_glass", "pour lime_juice_bottle first_glass 20", "put first_glass tray")
    assert not result.success
    assert "no object 'lime_juice_bottle'" in result.message
    assert world.executed == ["get(first_glass, hand_left)"]


def test_in_the_pizza_kitchen_a_thing_in_the_way_is_moved() -> None:
    pizza = load_scene("pizza").first_state()
    result, world = run("get black_olives from black_olives_bowl", "put black_olives pizza_dough",
                        state=pizza, policy=SEARCHED)
    assert result.success
    assert world.state.holds("contains", "pizza_dough", "black_olives")
    moved, taken = (next(index for index, command in enumerate(world.executed)
                         if command.startswith(f"get({name}"))
                    for name in ("salt_bottle", "black_olives"))
    assert moved < taken


OLIVES = ("get black_olives from black_olives_bowl", "put black_olives pizza_dough")
CLEARED = ("get salt_bottle hand_right", "put salt_bottle shelf", *OLIVES)
FULL = ("get gin_bottle from shelf hand_left", "get rum_bottle from shelf hand_right", "get first_glass")
FREED = ("put rum_bottle shelf", "get first_glass from table hand_right")
INSIDE = ("open fridge", "get first_glass hand_left", "put first_glass fridge", "close fridge",
          "get gin_bottle hand_left", "pour gin_bottle first_glass 40")
OVERFULL = ("get gin_bottle hand_left", "pour gin_bottle first_glass 700", "pour gin_bottle first_glass 400")


@pytest.mark.parametrize("policy", ["copal_mh0", "copal_mh1", "copal_mh2"])
@pytest.mark.parametrize(("scene", "plan", "then", "why"), [
    ("pizza", OLIVES, CLEARED, "The salt_bottle is in the way."), ("barman", FULL, FREED, "Both hands are full."),
    ("barman", INSIDE, ["open fridge", INSIDE[-1], "close fridge"], "First_glass is in fridge, which is closed."),
    ("barman", OVERFULL, ["put gin_bottle shelf"], "First_glass takes 1000 ml and has 700 ml in it.")])
def test_what_the_paper_calls_unrecoverable_goes_up_to_the_model(
    policy: str, scene: str, plan: Sequence[str], then: Sequence[str], why: str
) -> None:
    world = SymbolicWorld(DOMAIN, load_scene(scene).first_state(), "robot")
    brain = Written(*plan, then=[then])
    result = RunFactory(DOMAIN, load_policy(config_file("policies", policy))).executive(
        {"robot": world}, world, lambda event: None, brain=brain).run(Task("serve"))
    assert result.success, result.message
    assert result.corrections == {"llm_replan": 1}
    assert words_of(brain.asked[1].feedback[0], DOMAIN, exact=True).reason == why


def test_without_a_model_what_is_unrecoverable_ends_the_run() -> None:
    for plan, scene in ((OLIVES, "pizza"), (FULL, "barman")):
        result, world = run(*plan, state=load_scene(scene).first_state())
        assert not result.success
        assert result.corrections == {}


def test_a_hand_that_is_left_open_is_chosen_when_the_step_runs() -> None:
    result, world = run("get gin_bottle from shelf hand_left", "get rum_bottle")
    assert result.success
    assert Relation("hand_right", "holding", "rum_bottle") in world.state.relations


def test_step_without_any_hand_is_grounded_with_the_first() -> None:
    command = DOMAIN.ground(Step("", "get", {"item": "gin_bottle"}), BAR)
    assert command.arguments == {"item": "gin_bottle", "hand": "hand_left"}
    assert command.robot == "robot"

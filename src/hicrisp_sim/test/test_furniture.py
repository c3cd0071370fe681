"""Doors and drawers in physics: pulled by their handle alone, judged by their measured joint, and what goes wrong."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from acting import LIMIT, Lab
from hicrisp_core.detector.detector import Detector
from hicrisp_core.domain.wording import words_of
from hicrisp_core.model import Cause, CauseKind, Command, FeedbackKind, Outcome, Pose, Status, WorldState
from hicrisp_core.model.geometry import distance, from_euler, rotate
from hicrisp_core.ports.robot import MotionFailure
from hicrisp_core.robot import handles
from hicrisp_core.robot.skills import SkillContext
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.embedded import EmbeddedWorld
from lasting import LONG

ARMS = {"drawer": "left_arm", "cupboard": "right_arm"}
SLIDING_AND_SWINGING = ("drawer", pytest.param("cupboard", marks=LONG))
PARTS = {"drawer": "drawer", "cupboard": "cupboard_door"}


class Kitchen:
    """The kitchen with its two arms."""

    def __init__(self, seed: int = 0) -> None:
        self.world = EmbeddedWorld("kitchen_arms", seed)

    def command(self, action: str, item: str, **others: object) -> Command:
        return Command(action, {"robot": ARMS.get(item, "left_arm"), "item": item, **others},
                       ARMS.get(item, "left_arm"))

    def do(self, action: str, item: str, progress: object = None, **others: object) -> Outcome:
        command = self.command(action, item, **others)
        return self.world.robots[command.robot].execute(command, Deadline(LIMIT), Event(), progress)

    def seen(self) -> WorldState:
        return self.world.observe(Deadline(LIMIT))

    def share(self, item: str) -> float:
        """How far it is open in the physics."""
        joint = self.world.scene.objects[PARTS[item]].joint
        return float(self.world.simulation.data.joint(PARTS[item]).qpos[0]) / joint.range


@pytest.fixture
def kitchen() -> Kitchen:
    return Kitchen()


@pytest.mark.parametrize("item", SLIDING_AND_SWINGING)
def test_it_is_opened_and_closed_by_its_handle(kitchen: Kitchen, item: str) -> None:
    assert kitchen.seen().holds("closed", item)
    assert kitchen.do("open", item).ok
    assert kitchen.share(item) > 0.9
    assert kitchen.seen().holds("open", item)
    assert not kitchen.seen().holds("closed", item)
    assert kitchen.do("close", item).ok
    assert kitchen.share(item) < 0.03
    assert kitchen.seen().holds("closed", item)
    assert not kitchen.seen().holds("open", item)


def test_a_handle_is_taken_by_the_grasp_with_which_the_arm_gets_to_the_end_of_the_way(
    kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch
) -> None:
    arm = next(each for each in kitchen.world.arms if each.name == ARMS["drawer"])
    plan, line, refused, taken = arm.plan_to, arm.plan_line, [], []

    def plan_to(pose, deadline, touch=frozenset(), then=()):
        if then and not refused:  # Something stands where the arm would be at the end.
            refused.append(pose)
            return MotionFailure.blocked("no_path", ("rack",))
        return plan(pose, deadline, touch, then)

    def plan_line(pose, *others):
        taken.append(pose)
        return line(pose, *others)

    monkeypatch.setattr(arm, "plan_to", plan_to)
    monkeypatch.setattr(arm, "plan_line", plan_line)
    assert kitchen.do("open", "drawer").ok
    assert kitchen.share("drawer") > 0.9
    assert taken[0] != refused[0]


def test_a_part_is_moved_as_far_as_the_arm_gets_and_taken_again_from_there(
    kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch
) -> None:
    arm = next(each for each in kitchen.world.arms if each.name == ARMS["drawer"])
    margin, sweep = arm.margin, SkillContext.sweep
    drawer = kitchen.world.scene.objects["drawer"]
    shut = drawer.pose.apply(drawer.joint.handle.position)

    def is_far(pose: Pose) -> bool:
        return kitchen.share("drawer") < 0.5 and distance(shut, pose.position) > 0.118

    monkeypatch.setattr(arm, "margin", lambda tool: None if is_far(tool) else margin(tool))
    monkeypatch.setattr(SkillContext, "sweep", lambda context, pose, *others: Outcome(
        Status.PLANNING, "it is too far") if is_far(pose) else sweep(context, pose, *others))
    assert kitchen.do("open", "drawer").ok
    assert kitchen.share("drawer") > 0.9


def test_a_drawer_that_comes_along_is_moved_in_longer_and_quicker_steps(
    kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep, ways, speeds = SkillContext.sweep, [], []

    def swept(context, pose, *others):
        ways.append(distance(context.arm.tool_pose().position, pose.position))
        began = kitchen.world.time
        outcome = sweep(context, pose, *others)
        speeds.append(ways[-1] / (kitchen.world.time - began))
        return outcome

    monkeypatch.setattr(SkillContext, "sweep", swept)
    assert kitchen.do("open", "drawer").ok
    assert kitchen.share("drawer") > 0.9
    assert ways[0] < 0.025
    assert max(ways) > 0.06
    assert speeds[ways.index(max(ways))] > 1.3 * 0.08  # That of the first step, at most.


def test_a_hand_that_has_opened_a_drawer_stays_near_its_handle_and_clear_of_it(kitchen: Kitchen) -> None:
    assert kitchen.do("open", "drawer").ok
    drawer = kitchen.seen().objects["drawer"]
    arm = next(each for each in kitchen.world.arms if each.name == ARMS["drawer"])
    away = distance(arm.tool_pose().position, drawer.pose.compose(drawer.joint.handle).position)
    assert 0.03 < away < 0.08  # Farther back the arm may be stretched.


def test_an_arm_that_presses_when_it_has_gripped_tries_the_step_again(
    kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep, left = SkillContext.sweep, [Outcome.because(CauseKind.TOUCHED, Status.EXECUTION, "it pressed")] * 2
    monkeypatch.setattr(SkillContext, "sweep", lambda *told: left.pop() if left else sweep(*told))
    assert kitchen.do("open", "drawer").ok
    assert kitchen.share("drawer") > 0.9


@pytest.mark.parametrize("item", SLIDING_AND_SWINGING)
def test_an_axis_five_degrees_and_two_centimetres_off_still_opens(kitchen: Kitchen, item: str) -> None:
    part = kitchen.world.eyes.known[PARTS[item]]
    lean = from_euler(math.radians(5.0), 0.0, 0.0) if item == "cupboard" else from_euler(0.0, 0.0, math.radians(5.0))
    x, y, z = part.joint.point
    wrong = replace(part.joint, axis=rotate(lean, part.joint.axis), point=(x + 0.014, y + 0.014, z))
    kitchen.world.eyes.known[PARTS[item]] = replace(part, joint=wrong)
    assert kitchen.do("open", item).ok
    assert kitchen.share(item) > 0.85


@pytest.mark.parametrize("item", SLIDING_AND_SWINGING)
def test_it_is_pressed_shut_where_no_hand_gets_around_its_handle(
    kitchen: Kitchen, item: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kitchen.do("open", item).ok
    monkeypatch.setattr(handles, "grasp_candidates", lambda *_: [])
    assert kitchen.do("close", item).ok
    assert kitchen.share(item) < 0.03
    assert not kitchen.do("open", item).ok
    assert kitchen.share(item) < 0.03


def test_a_drawer_that_stands_ajar_is_pushed_open_from_inside_where_no_hand_gets_around_its_handle(
    kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handles, "grasp_candidates", lambda *_: [])
    kitchen.world.simulation.data.joint("drawer").qpos[0] = 0.6 * kitchen.world.scene.objects["drawer"].joint.reach[1]
    assert not kitchen.seen().holds("open", "drawer")
    assert kitchen.do("open", "drawer").ok
    assert kitchen.share("drawer") > 0.9


@pytest.mark.parametrize("item", SLIDING_AND_SWINGING)
def test_what_is_stuck_is_told_to_hold_fast(kitchen: Kitchen, item: str) -> None:
    kitchen.world.inject("stuck", PARTS[item], (400.0,))
    before, command = kitchen.seen(), kitchen.command("open", item)
    outcome = kitchen.do("open", item)
    assert outcome.status is Status.EXECUTION
    assert outcome.cause is not None
    assert outcome.cause.kind is CauseKind.STUCK
    verdict = Detector(kitchen.world.domain).check(command, before, kitchen.seen(), outcome)
    assert verdict.feedback is not None
    said = words_of(verdict.feedback, kitchen.world.domain)
    assert said.error
    assert "holds fast" in said.reason
    assert "free" in said.suggestion
    assert kitchen.share(item) < 0.03


def test_a_handle_that_slips_out_of_the_hand_is_noticed(kitchen: Kitchen) -> None:
    fingers, simulation = kitchen.world.arms[0].joints, kitchen.world.simulation

    def slips(phase: str, part: float) -> None:
        if phase == "transfer" and 0.68 < part < 0.74:  # A third of the way.
            simulation.at(simulation.time, lambda: fingers.command_fingers(0.08, 70.0))

    outcome = kitchen.do("open", "drawer", slips)
    assert outcome.status is Status.EXECUTION
    assert outcome.cause is not None
    assert outcome.cause.kind is CauseKind.SLIPPED
    assert 0.08 < kitchen.share("drawer") < 0.7
    assert not kitchen.seen().holds("open", "drawer")
    assert not kitchen.seen().holds("closed", "drawer")


def test_a_handle_out_of_reach_is_told(kitchen: Kitchen) -> None:
    command = Command("open", {"robot": "left_arm", "item": "cupboard"}, "left_arm")
    outcome = kitchen.world.robots["left_arm"].execute(command, Deadline(LIMIT), Event())
    assert outcome.status is Status.PLANNING
    assert outcome.cause is not None
    assert outcome.cause.kind is CauseKind.OUT_OF_REACH


def test_a_driver_that_claims_to_have_opened_is_not_believed(kitchen: Kitchen) -> None:
    seen = kitchen.seen()
    verdict = Detector(kitchen.world.domain).check(
        kitchen.command("open", "cupboard"), seen, seen, Outcome(Status.SUCCESS))
    assert verdict.feedback is not None
    assert verdict.feedback.kind is FeedbackKind.NOT_REMOVED
    assert "cupboard is closed" in words_of(verdict.feedback, kitchen.world.domain).error


def test_a_door_that_is_not_seen_is_neither_open_nor_closed(kitchen: Kitchen) -> None:
    frames = {name: found for name, found in kitchen.world.frames().items() if name != "cupboard_door"}
    seen = kitchen.world.eyes.see(frames, kitchen.world.time)
    assert not seen.holds("open", "cupboard")
    assert not seen.holds("closed", "cupboard")
    verdict = Detector(kitchen.world.domain).check(
        kitchen.command("open", "cupboard"), kitchen.seen(), seen, Outcome(Status.SUCCESS))
    assert verdict.feedback is not None
    assert verdict.feedback.kind.value == "not_seen"


def test_what_lies_in_a_closed_drawer_is_not_seen_but_stays_known(kitchen: Kitchen) -> None:
    world = kitchen.world
    assert kitchen.do("open", "drawer").ok
    x, y, _ = world.frames()["drawer"][0].position
    world.simulation.put("red_box", Pose((x - 0.03, y, 0.06)))
    assert kitchen.seen().holds("in", "red_box", "drawer")
    assert kitchen.do("close", "drawer").ok
    assert "red_box" not in world.frames()
    assert world.look().objects["red_box"].pose is None
    assert kitchen.seen().holds("in", "red_box", "drawer")
    assert kitchen.do("open", "drawer").ok
    assert world.look().objects["red_box"].pose is not None
    assert kitchen.seen().holds("in", "red_box", "drawer")


CORNER = """
scene: corner
domain: furniture
robots: [panda]
objects:
  trunk: {type: cupboard, shape: tray, size: [0.20, 0.20, 0.10], position: [0.45, 0.33]}
  lid: {type: door, shape: box, size: [0.20, 0.20, 0.012], on: trunk, joint: {kind: swing, reach: [0, 90]}}
  panel: {type: case, shape: box, size: [0.04, 0.16, 0.30], position: [0.62, -0.30], yaw: 180}
  knob: {type: door, shape: box, size: [0.02, 0.06, 0.06], on: panel, joint: {kind: turn, reach: [0, 80]}}
"""


FRIDGE = """
scene: fridge
domain: furniture
robots: [panda]
objects:
  fridge: {type: cupboard, shape: case, size: [0.26, 0.34, 0.29], position: [0.50, 0.50], yaw: -90}
  fridge_door: {type: door, shape: box, size: [0.016, 0.34, 0.26], on: fridge, joint: {kind: swing, reach: [0, 86]}}
  milk: {type: cylinder, size: [0.06, 0.06, 0.13], mass: 0.2, on: fridge}
"""


def test_a_door_that_stands_ajar_is_pushed_open_from_behind_where_no_hand_gets_around_its_handle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handles, "grasp_candidates", lambda *_: [])
    scene, sweep, steps = tmp_path / "fridge.yaml", SkillContext.sweep, []
    scene.write_text(FRIDGE)
    monkeypatch.setattr(SkillContext, "sweep", lambda *way: (steps.append(way), sweep(*way))[1])
    world = EmbeddedWorld(scene)
    door = world.simulation.data.joint("fridge_door")
    door.qpos[0] = 0.6 * world.scene.objects["fridge_door"].joint.reach[1]
    world.observe(Deadline(LIMIT))
    outcome = world.robots["panda"].execute(
        Command("open", {"robot": "panda", "item": "fridge"}, "panda"), Deadline(LIMIT), Event())
    assert outcome.ok, outcome.message
    seen = world.observe(Deadline(LIMIT)).objects["fridge_door"]
    assert seen.joint.share(seen.pose) > 0.95
    assert len(steps) < 13  # The fingers come along with it, though they begin apart from it.


def test_a_door_that_comes_as_far_as_the_hand_is_in_its_way_is_taken_again(tmp_path: Path) -> None:
    scene = tmp_path / "fridge.yaml"
    scene.write_text(FRIDGE)
    lab = Lab(scene, seed=2)
    outcome = lab.do("open", item="fridge", robot="panda")
    assert outcome.ok, outcome.message
    assert lab.see().holds("open", "fridge")


@LONG
def test_something_is_taken_out_of_a_fridge_through_its_open_door_and_put_back(tmp_path: Path) -> None:
    scene = tmp_path / "fridge.yaml"
    scene.write_text(FRIDGE)
    lab = Lab(scene)
    closed = lab.do("pick", item="milk", robot="panda")
    assert closed.status is Status.PRECONDITION
    assert closed.cause == Cause(CauseKind.NOT_SEEN, ("milk",))
    assert lab.do("open", item="fridge", robot="panda").ok
    assert lab.see().holds("in", "milk", "fridge")
    assert lab.do("pick", item="milk", robot="panda").ok
    assert lab.do("home", robot="panda").ok
    assert not lab.see().holds("in", "milk", "fridge")
    put_back = lab.do("place_in", item="milk", container="fridge", robot="panda")
    assert put_back.ok, put_back.message
    assert lab.do("home", robot="panda").ok
    assert lab.see().holds("in", "milk", "fridge")
    assert lab.world.true_frames()["milk"][0].tilt < 0.05


@pytest.mark.parametrize(("item", "does"), [("trunk", ("open", "close")), ("knob", ("open", "home", "close"))])
def test_lids_swing_up_and_knobs_turn(tmp_path: Path, item: str, does: "tuple[str, ...]") -> None:
    scene = tmp_path / "corner.yaml"
    scene.write_text(CORNER)
    world = EmbeddedWorld(scene)
    for action in does:
        command = Command(action, {"robot": "panda", "item": item}, "panda")
        assert world.robot.execute(command, Deadline(LIMIT), Event()).ok
        assert world.observe(Deadline(LIMIT)).holds("closed" if action == "close" else "open", item)

"""Skills over a scripted arm: which phases run, in which order, and how each failure is told."""

from __future__ import annotations

import math
from dataclasses import replace
from threading import Event
from types import SimpleNamespace
from typing import Callable, Dict, List, Optional

import pytest
from hicrisp_core.domain.schema import SkillUse
from hicrisp_core.model import Cause, CauseKind, Command, Outcome, Pose, Status, Vector, WorldObject, WorldState
from hicrisp_core.model.geometry import from_yaw, multiply
from hicrisp_core.model.track import Visibility
from hicrisp_core.model.world import Uncertainty
from hicrisp_core.ports.robot import MotionFailure, Trajectory
from hicrisp_core.robot.arm_robot import ArmRobot
from hicrisp_core.robot.grasps import DOWN
from hicrisp_core.robot.skills_pick import in_hand
from hicrisp_core.time.deadline import Deadline
from panda_body import HAND

OK = Outcome(Status.SUCCESS)
TABLE = WorldObject("table", "surface", "surface", (0.8, 1.2, 0.04), pose=Pose((0.5, 0.0, -0.02)),
                    movable=False)
BOX = WorldObject("box", "box", "box", (0.05, 0.05, 0.05), pose=Pose((0.4, 0.1, 0.025)))
GOAL = Pose((0.5, -0.2, 0.025))
SKILLS = {"pick": SkillUse("pick", "item"), "put_down": SkillUse("place", "item"), "home": SkillUse("home"),
          "drive": SkillUse("go_to")}


class ScriptedArm:
    """Goes where it is told at once; what it holds goes along; failures are put in its way by phase."""

    name, max_opening = "panda", 0.08

    def __init__(self, *things: WorldObject) -> None:
        self.things = {thing.name: thing for thing in (TABLE, *things)}
        self.pose = Pose((0.3, 0.0, 0.5), DOWN)
        self.fingers, self.closes = 0.08, 0.05
        self.held = ""
        self.done: List[str] = []
        self.fails: Dict[str, object] = {}
        self.margins: Callable[[Pose], Optional[float]] = lambda pose: 1.0
        self._goal = self.pose

    def observe(self) -> WorldState:
        return WorldState(self.things)

    def tool_pose(self) -> Pose:
        return self.pose

    def opening(self) -> float:
        return self.fingers

    def sync(self, world: WorldState) -> None: ...

    def margin(self, pose: Pose):
        return self.margins(pose)

    def _plan(self, kind: str, pose: Pose):
        self._goal = pose
        failure = self.fails.get(kind)
        if isinstance(failure, MotionFailure):
            return failure
        joints = ((0.0,) * 7, (0.0,) * 7)
        return Trajectory(("j",) * 7, (0.0, 1.0), joints, joints)

    def plan_to(self, pose, deadline, touch=frozenset(), then=()):
        return self._plan("plan_to", pose)

    def plan_line(self, pose, deadline, speed, touch=frozenset()):
        return self._plan("plan_line", pose)

    def plan_home(self, deadline):
        return self._plan("plan_home", Pose((0.3, 0.0, 0.5), DOWN))

    def follow(self, trajectory, deadline, cancel, stop_on_contact=False):
        if cancel.is_set():
            return Outcome(Status.CANCELED, "the motion was stopped")
        kind = "guarded" if stop_on_contact else "follow"
        failure = self.fails.get(kind)
        goal = self._goal
        if callable(failure):
            goal = failure(goal)
        if self.held and self.fingers < 0.055:
            thing = self.things[self.held]
            self.things[self.held] = thing.at(goal.compose(self.pose.inverse().compose(thing.pose)))
        self.pose = goal
        self.done.append(kind)
        return Outcome(Status.EXECUTION, "the hand touched something") if failure else OK

    def move_gripper(self, opening, deadline, cancel):
        self.fingers = opening
        self.done.append("open")
        return OK

    def grasp(self, force, deadline, cancel):
        self.fingers = 0.0 if "grasp" in self.fails else self.closes
        self.done.append("grasp")
        return OK

    def attach(self, object_name):
        self.held = object_name

    def detach(self):
        self.held = ""

    def stop(self, deadline):
        self.done.append("stop")
        return self.fails.get("stop", OK)


def robot(arm: ScriptedArm) -> ArmRobot:
    return ArmRobot(arm, SKILLS, arm.observe, hand=HAND)


def run(arm: ScriptedArm, command: Command, cancel: Event = None, seconds: float = 10.0,
        progress: Callable = None):
    return robot(arm).execute(command, Deadline(seconds), cancel or Event(), progress)


PICK = Command("pick", {"item": "box"}, "panda")
PLACE = Command("put_down", {"item": "box"}, "panda", GOAL, GOAL)


@pytest.fixture
def arm() -> ScriptedArm:
    return ScriptedArm(BOX)


def test_an_empty_hand_carries_nothing_in_the_plans_for_a_pick(arm: ScriptedArm) -> None:
    arm.held, arm.fails["plan_to"] = "cylinder", MotionFailure("unreachable", "too far")
    assert run(arm, PICK).status is Status.PLANNING
    assert arm.held == ""


def test_a_pick_opens_goes_above_goes_down_grasps_and_lifts(arm: ScriptedArm) -> None:
    phases = []
    assert run(arm, PICK, progress=lambda phase, done: phases.append((phase, done))).ok
    assert arm.done == ["open", "follow", "guarded", "grasp", "follow"]
    assert [phase for phase, _ in phases] == ["look", "approach", "descend", "grasp", "lift"]
    assert sorted(done for _, done in phases) == [done for _, done in phases]
    assert arm.held == "box"


@pytest.mark.parametrize(("missed", "taken"), [((0.004, 0.004, 0.0), True), ((0.0, 0.0, 0.006), False)])
def test_a_hand_that_touches_something_as_deep_as_its_grasp_takes_the_item_also_a_bit_beside_it(
        arm: ScriptedArm, missed: Vector, taken: bool) -> None:
    arm.fails["guarded"] = lambda goal: goal.shifted(missed)
    assert run(arm, PICK).ok is taken


def test_a_place_carries_lowers_lets_go_and_retreats(arm: ScriptedArm) -> None:
    assert run(arm, PICK).ok
    arm.done.clear()
    assert run(arm, PLACE).ok
    assert arm.done == ["follow", "guarded", "open", "follow"]
    assert arm.things["box"].pose.position == pytest.approx(GOAL.position, abs=0.006)
    assert arm.held == ""


def test_the_aim_goes_before_the_target(arm: ScriptedArm) -> None:
    assert run(arm, PICK).ok
    assert run(arm, replace(PLACE, aim=GOAL.shifted((0.02, -0.01, 0.0)))).ok
    assert arm.things["box"].pose.position[:2] == pytest.approx((0.52, -0.21), abs=1e-6)


def test_fingers_that_close_on_nothing_are_told_and_opened_again(arm: ScriptedArm) -> None:
    arm.fails["grasp"] = True
    outcome = run(arm, PICK)
    assert outcome.status is Status.EXECUTION
    assert "closed on nothing" in outcome.message
    assert arm.held == ""
    assert arm.fingers == arm.max_opening


def test_the_first_reason_is_told_when_no_grasp_can_be_reached(arm: ScriptedArm) -> None:
    arm.fails["plan_to"] = MotionFailure("goal_in_collision", "at the goal, the salt is in the way",
                                         ("salt",))
    outcome = run(arm, PICK)
    assert outcome.status is Status.PLANNING
    assert outcome.message == "Cannot pick up the box: at the goal, the salt is in the way."
    assert "follow" not in arm.done


def test_an_early_contact_takes_the_item_back_up(arm: ScriptedArm) -> None:
    assert run(arm, PICK).ok
    arm.fails["guarded"] = lambda goal: goal.shifted((0.0, 0.0, 0.05))
    outcome = run(arm, PLACE)
    assert outcome.status is Status.EXECUTION
    assert "touched something 4.6 cm above the goal" in outcome.message
    assert arm.held == "box"
    assert arm.things["box"].pose.position[2] > 0.1


@pytest.mark.parametrize(("uncertainty", "within", "done"), [
    (Uncertainty(), 0.0, False), (Uncertainty(0.004, 0.004, 0.05), 0.0, True),
    (Uncertainty(0.004, 0.004, 0.05), 0.03, True)])
def test_what_hangs_from_its_rim_may_touch_early_where_a_camera_takes_it_to_be_level(uncertainty, within, done) -> None:
    bowl = WorldObject("box", "bowl", "dish", (0.15, 0.15, 0.055), pose=Pose((0.4, 0.1, 0.0275)),
                       uncertainty=uncertainty)
    arm = ScriptedArm(bowl)
    arm.closes = 0.006
    assert run(arm, PICK).ok

    def follow(*args, **kinds):  # Its far edge touches 4 cm above the goal.
        low = arm._goal.position[2] < GOAL.position[2] + 0.04
        arm.fails = {"guarded": lambda goal: goal.shifted((0.0, 0.0, 0.04))} if low else {}
        return ScriptedArm.follow(arm, *args, **kinds)

    arm.follow = follow
    assert run(arm, replace(PLACE, look_within=within)).ok is done
    if done:  # It is let go farther away from the hand than it shall stand: it swings back.
        assert 0.02 < math.dist(arm.things["box"].pose.position[:2], GOAL.position[:2]) < 0.06
        assert math.dist(arm.pose.position[:2], GOAL.position[:2]) < 0.06


def test_what_hangs_askew_and_cannot_be_moved_aside_is_let_go_no_higher_than_it_touched() -> None:
    arm = ScriptedArm(WorldObject("box", "bowl", "dish", (0.15, 0.15, 0.055), pose=Pose((0.4, 0.1, 0.0275)),
                                  uncertainty=Uncertainty(0.004, 0.004, 0.05)))
    arm.closes, plan, heights = 0.006, arm.plan_line, []
    assert run(arm, PICK).ok

    def plan_line(pose, deadline, speed, touch=frozenset()):
        aside = math.dist(pose.position[:2], arm.pose.position[:2]) > 0.005
        return MotionFailure("no_path", "the salt is in the way") if aside else plan(pose, deadline, speed, touch)

    def lowered(goal: Pose) -> Pose:
        heights.append(max(goal.position[2], min(heights, default=goal.position[2] + 0.04)))
        return goal.shifted((0.0, 0.0, heights[-1] - goal.position[2]))

    arm.plan_line, arm.fails["guarded"] = plan_line, lowered
    assert run(arm, PLACE).ok
    assert len(heights) == 2
    assert heights[1] == heights[0]


def test_a_contact_near_the_goal_is_the_expected_one(arm: ScriptedArm) -> None:
    assert run(arm, PICK).ok
    arm.fails["guarded"] = lambda goal: goal.shifted((0.0, 0.0, 0.004))
    assert run(arm, PLACE).ok


def test_an_item_that_is_not_in_the_hand_cannot_be_placed(arm: ScriptedArm) -> None:
    outcome = run(arm, PLACE)
    assert outcome.status is Status.PRECONDITION
    assert arm.done == ["stop"]


def test_an_item_that_is_not_seen_cannot_be_picked() -> None:
    assert run(ScriptedArm(replace(BOX, pose=None)), PICK).status is Status.PRECONDITION


def test_a_cancel_ends_with_a_confirmed_stop(arm: ScriptedArm) -> None:
    cancel = Event()
    outcome = run(arm, PICK, cancel, progress=lambda phase, _: cancel.set() if phase == "approach" else None)
    assert outcome.status is Status.CANCELED
    assert arm.done[-1] == "stop"
    assert "grasp" not in arm.done


def test_an_arm_that_does_not_confirm_its_stop_is_a_matter_of_safety(arm: ScriptedArm) -> None:
    arm.fails["stop"] = Outcome(Status.EXECUTION, "the arm still moves")
    arm.fails["grasp"] = True
    outcome = run(arm, PICK)
    assert outcome.status is Status.SAFETY
    assert "still moves" in outcome.message


def test_an_arm_that_can_be_reached_neither_to_act_nor_to_stop_is_lost(arm: ScriptedArm, monkeypatch) -> None:
    gone = Outcome(Status.LOST, "nobody answers")
    monkeypatch.setattr(arm, "grasp", lambda *_: gone)
    arm.fails["stop"] = gone
    assert run(arm, PICK).status is Status.LOST


def test_a_time_limit_that_has_passed_moves_nothing(arm: ScriptedArm) -> None:
    assert run(arm, PICK, seconds=0.0).status is Status.TIMEOUT
    assert arm.done == ["stop"]


@pytest.mark.parametrize(("command", "about", "told"), [
    (Command("fly", {}), "action", "it can: home, pick, put_down"),
    (Command("sing", {}), "action", "it can: home, pick, put_down"),
    (Command("pick", {"item": "cup"}), "item", "There is no 'cup'; there are: box, table"),
    (Command("pick", {}), "item", "names no item"),
    (Command("put_down", {"item": "box"}), "target", "does not say where to"),
    (replace(PLACE, aim=Pose((float("nan"), 0.0, 0.0))), "target", "not a finite pose"),
    (replace(PLACE, target=Pose((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0))), "target", "not a finite pose"),
])
def test_a_malformed_command_is_refused_with_what_is_valid(arm: ScriptedArm, command: Command, about: str,
                                                           told: str) -> None:
    outcome = run(arm, command)
    assert outcome.status is Status.INVALID
    assert outcome.cause == Cause(CauseKind.MALFORMED, (about,), said=outcome.message)
    assert told in outcome.message


def test_home_is_one_motion(arm: ScriptedArm) -> None:
    assert run(arm, Command("home", {})).ok
    assert arm.done == ["follow"]


def test_capabilities_are_the_actions_with_a_known_skill(arm: ScriptedArm) -> None:
    assert robot(arm).capabilities() == ("pick", "put_down", "home")


@pytest.mark.parametrize(("beside", "opening"), [(0.1, 0.08), (0.043, 0.062)])
def test_open_fingers_are_not_narrowed_where_they_have_room(beside: float, opening: float) -> None:
    others = [replace(BOX, name=name, size=(0.02, 0.02, 0.05),
                      pose=BOX.pose.shifted((x * beside * 1.5, y * beside * 1.5, 0.0)))
              for name, x, y in (("a", 1, 0), ("b", -1, 0), ("c", 0, 1), ("d", 0, -1))]
    arm = ScriptedArm(BOX, *others)
    widths = []
    arm.grasp = lambda *_: (widths.append(arm.fingers), ScriptedArm.grasp(arm, *_))[1]
    run(arm, PICK)
    assert widths == [pytest.approx(opening, abs=0.003)]


def test_an_item_that_is_seen_beside_its_goal_is_brought_above_it_first(arm: ScriptedArm) -> None:
    assert run(arm, PICK).ok
    arm.done.clear()
    arm.fails["follow"] = lambda goal: (arm.fails.clear(), goal.shifted((0.015, 0.0, 0.0)))[1]
    arm.follow = lambda *args, **kinds: (ScriptedArm.follow(arm, *args, **kinds), OK)[1]
    assert run(arm, replace(PLACE, look_within=0.02)).ok
    assert arm.done == ["follow", "guarded", "guarded", "guarded", "open", "follow"]
    assert arm.things["box"].pose.position == pytest.approx(GOAL.position, abs=0.006)


def test_what_is_lifted_under_something_is_taken_out_from_under_it_and_lifted_on(arm: ScriptedArm) -> None:
    low = BOX.pose.position[2] + 0.06

    def under(roofed: Callable, *poses: Pose):
        blocked = arm.held and any(pose.position[2] > low and pose.position[0] > 0.33 for pose in poses)
        return MotionFailure("no_path", "under a roof") if blocked else roofed(arm, poses[0], Deadline(1.0), 0.1)

    arm.plan_line = lambda pose, *_: under(ScriptedArm.plan_line, pose)
    arm.plan_to = lambda pose, deadline, touch=frozenset(), then=(): under(ScriptedArm.plan_to, pose, *then)
    assert run(arm, PICK).ok
    assert arm.pose.position[0] < 0.33
    assert arm.things["box"].pose.position[2] > 0.09


def test_a_lift_keeps_clear_of_an_open_drawer_over_an_item_and_not_of_one_that_it_is_in() -> None:
    over, around = (WorldObject(name, "drawer", "tray", (0.2, 0.2, 0.06), pose=Pose((0.4, 0.1, z)), movable=False)
                    for name, z in (("over", 0.3), ("around", 0.03)))
    arm, allowed = ScriptedArm(BOX, over, around), []
    arm.plan_line = lambda pose, deadline, speed, touch: (
        allowed.append(touch), ScriptedArm.plan_line(arm, pose, deadline, speed))[1]
    assert run(arm, PICK).ok
    assert "around" in allowed[-1]
    assert "over" not in allowed[-1]


def test_fingers_open_on_the_way_of_an_arm_that_can(arm: ScriptedArm) -> None:
    arm.ready_gripper = lambda opening: arm.done.append("ready")
    assert run(arm, PICK).ok
    assert arm.done[:2] == ["ready", "follow"]
    assert "open" not in arm.done


def test_a_bowl_goes_up_first_where_no_straight_way_leads_to_a_higher_place() -> None:
    arm = ScriptedArm(WorldObject("box", "bowl", "dish", (0.15, 0.15, 0.055), pose=Pose((0.4, 0.1, 0.0275))))
    arm.closes, ways, top = 0.006, [], 0.3
    assert run(arm, PICK).ok

    def plan_line(pose, deadline, speed, touch=frozenset()):
        aside = math.dist(pose.position[:2], arm.pose.position[:2]) > 0.005
        return MotionFailure("no_path", "in the way") if aside else ScriptedArm.plan_line(arm, pose, deadline, speed)

    def plan_to(pose, deadline, touch=frozenset(), then=()):
        if not then:
            ways.append(arm.pose.position[2])
        return ScriptedArm.plan_to(arm, pose, deadline)

    arm.plan_line, arm.plan_to = plan_line, plan_to
    assert run(arm, replace(PLACE, target=GOAL.shifted((0.0, 0.0, top)))).ok
    assert ways[0] > top


@pytest.mark.parametrize(("opening", "seen", "held"), [
    (0.0778, Visibility.HELD, True), (0.0778, Visibility.VISIBLE, False), (0.08, Visibility.HELD, False)])
def test_fingers_that_closed_on_what_hardly_fits_between_them_may_be_nearly_open(opening, seen, held) -> None:
    lemon = replace(BOX, size=(0.075, 0.05, 0.05), own_form=BOX.form, visibility=seen)
    arm = ScriptedArm(lemon)
    arm.pose, arm.fingers = Pose(BOX.pose.position, multiply(from_yaw(math.pi / 2.0), DOWN)), opening
    assert in_hand(SimpleNamespace(arm=arm), lemon) is held

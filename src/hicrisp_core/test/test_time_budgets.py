"""Nothing is corrected for ever: a task's seconds end it, between corrections and within one, with what was tried."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Callable, Dict, List, Tuple

import pytest
from agv_world import CONFIG, DOMAIN, seen
from goals import ScriptedInterpreter, visits
from hicrisp_core.brain.search_brain import SearchBrain
from hicrisp_core.corrector.ladder import Ladder
from hicrisp_core.domain import Domain
from hicrisp_core.executive import run_log as ledger_module
from hicrisp_core.executive.executive import Executive
from hicrisp_core.executive.run_log import RunLog, TaskResult
from hicrisp_core.factory import RunFactory
from hicrisp_core.model import Command, Feedback, FeedbackKind, Level, Outcome, Pose, Task, WorldState
from hicrisp_core.policy.policy import Budget, Policy, load_policy
from hicrisp_core.robot.base_robot import BaseRobot
from hicrisp_core.robot.landmarks import BaseSettings
from hicrisp_core.robot.symbolic import SymbolicWorld
from hicrisp_core.time.deadline import Deadline
from scripted_base import ScriptedBase
from tabletop import Run, steps, table_top

FOR_EVER = 1e6
POLICIES = sorted(file.stem for file in (CONFIG / "policies").glob("*.yaml"))
SETTINGS = BaseSettings("agv", speed=0.5, start_up=60.0, landmarks={})
LEAST = 1.5
"""Seconds that the last command may take beyond the budget: what a command gets at least, and a step."""


class Arena:
    """A base that needs its time, and eyes; its clock is ``base.time``."""

    def __init__(self, policy: Policy, **budget: float) -> None:
        self.base = ScriptedBase()
        self.base.pose = Pose((1.4, 0.9, 0.0))
        self.events: List[Dict[str, Any]] = []
        self.policy = replace(policy, budget=replace(policy.budget, **budget))
        self.robot = BaseRobot(self.base, DOMAIN.skills, self.base.where, SETTINGS, self.base.time)

    def observe(self, deadline: Deadline) -> WorldState:
        del deadline
        assert self.base.pose is not None
        return replace(seen(*self.base.pose.position[:2]), stamp=self.base.time())

    def visit(self, *areas: str, **ports: Any) -> TaskResult:
        """Visit areas, one after another."""
        executive: Executive = RunFactory(DOMAIN, self.policy).executive(
            {"agv": self.robot}, self, self.events.append,
            **{"brain": SearchBrain(DOMAIN), "interpreter": ScriptedInterpreter(visits(*areas)), **ports})
        return executive.run(Task("any words"))


def policy(name: str = "hierarchical") -> Policy:
    return replace(load_policy(CONFIG / "policies" / f"{name}.yaml"), memory="off")


@pytest.mark.parametrize("name", POLICIES)
def test_under_every_policy_a_base_that_never_arrives_gives_up_within_the_seconds_for_corrections(
    name: str
) -> None:
    arena = Arena(replace(policy(name), body="direct", brain="single"))
    arena.base.takes = FOR_EVER
    result = arena.visit("area_1")
    assert not result.success
    assert result.message
    first = SETTINGS.start_up + 30.0
    assert result.sim_s <= arena.policy.budget.correction_seconds + first + LEAST


def test_who_gives_up_says_what_was_tried_and_how_often() -> None:
    arena = Arena(policy(), correction_seconds=150.0)
    arena.base.takes = FOR_EVER
    result = arena.visit("area_1")
    assert "the task's budget of 150 seconds for corrections is used up" in result.message
    tries = len(arena.base.goals)
    assert f"Tried in vain: go to area 1 ({tries} times)." in result.message
    assert f"What ended it: the time limit passed ({tries} times)." in result.message


def test_an_area_to_which_drive_after_drive_fails_counts_as_unreachable_and_the_others_are_visited() -> None:
    arena = Arena(policy())
    arena.base.durations, arena.base.takes = [FOR_EVER] * 5, 10.0
    result = arena.visit("area_1", "area_3")
    assert not result.success
    assert "Area 1 was skipped" in result.message
    assert result.done == ("go to area 3",)
    assert len(arena.base.goals) == 6
    told = [event["feedback"] for event in arena.events if event["kind"] == "verdict" and event["feedback"]]
    assert told[-1]["reason"] == "No drive reached a free spot there: 5 drives failed."


def test_an_area_that_the_fifth_drive_reaches_is_reached() -> None:
    arena = Arena(policy())
    arena.base.durations, arena.base.takes = [FOR_EVER] * 4, 10.0
    result = arena.visit("area_1")
    assert result.success, result.message
    assert result.corrections == {"offset": 4}


def test_the_seconds_end_a_correction_that_is_under_way() -> None:
    arena = Arena(policy(), correction_seconds=100.0)
    arena.base.takes = FOR_EVER
    result = arena.visit("area_1")
    assert not result.success
    first, whole, cut = _drives(arena)
    assert whole == pytest.approx(first, abs=10.0)
    assert cut == pytest.approx(100.0 - whole, abs=LEAST)
    assert "budget of 100 seconds for corrections" in result.message


def test_no_step_begins_once_the_tasks_seconds_are_used_up_by_the_robots_clock() -> None:
    arena = Arena(policy(), seconds=60.0)
    arena.base.takes = 40.0
    result = arena.visit("area_1", "area_2", "area_3")
    assert not result.success
    assert "the task's budget of 60 seconds is used up" in result.message
    assert len(arena.base.goals) == 2
    assert result.sim_s <= 60.0 + LEAST
    assert result.wall_s < 60.0
    assert result.done == ("go to area 1",)


def test_what_was_mended_uses_no_more_seconds_for_corrections() -> None:
    arena = Arena(policy(), correction_seconds=60.0)
    arena.base.durations = [FOR_EVER, 40.0]
    arena.base.takes = 45.0
    result = arena.visit("area_1", "area_2", "area_3")
    assert result.success, result.message
    assert result.sim_s > 150.0


def test_a_step_that_follows_a_mended_one_is_corrected_with_what_is_left() -> None:
    arena = Arena(policy(), correction_seconds=60.0)
    arena.base.durations = [FOR_EVER, 40.0, FOR_EVER]
    arena.base.takes = 45.0
    result = arena.visit("area_1", "area_2", "area_3")
    assert "budget of 60 seconds for corrections" in result.message
    assert len(arena.base.goals) == 4


def test_seconds_that_a_person_takes_count_in_no_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_module, "_ASKED", 0.0)
    arena = Arena(policy(), correction_seconds=60.0, seconds=400.0)
    arena.base.durations = [FOR_EVER]
    arena.base.takes = 40.0
    pauses: List[float] = []

    def pause(_: object) -> None:
        pauses.append(arena.base.time())
        arena.base.hurry += 1000.0

    assert arena.visit("area_1", gate=pause).success
    assert len(pauses) == 2


def test_seconds_that_a_person_takes_for_a_yes_leave_the_motion_after_it_counted(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_module, "_ASKED", 0.0)
    arena = Arena(policy(), correction_seconds=100.0)
    arena.base.takes = FOR_EVER

    def permit(_: Command, __: str) -> bool:
        arena.base.hurry += 1000.0
        return True

    result = arena.visit("area_1", permit=permit)
    assert "budget of 100 seconds for corrections" in result.message
    assert len(arena.base.goals) == 3


def test_what_a_model_thinks_costs_wall_time_and_none_of_the_robots_clock_however_fast_that_goes() -> None:
    arena = Arena(policy(), correction_seconds=60.0, seconds=1500.0)
    arena.base.durations, arena.base.takes = [FOR_EVER], 40.0
    ladder = Ladder(DOMAIN, arena.policy)

    class Slow:
        """Thinks for 2000 seconds of the robot's clock, whatever it is asked."""

        def __init__(self, other: Any) -> None:
            self.other = other

        def __getattr__(self, name: str) -> Callable[..., Any]:
            answers = getattr(self.other, name)

            def thinks(*asked: Any) -> Any:
                arena.base.hurry += 2000.0
                return answers(*asked)
            return thinks

    result = arena.visit("area_1", corrector=Slow(ladder), brain=Slow(SearchBrain(DOMAIN)),
                         interpreter=Slow(ScriptedInterpreter(visits("area_1"))))
    assert result.success, result.message
    assert result.corrections


def test_the_wall_seconds_of_thinking_are_the_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(ledger_module.time, "monotonic", lambda: now[0])
    ledger = RunLog(Budget(seconds=10.0), lambda _: None)
    ledger.saw(0.0)
    with ledger.thinking():
        now[0] = 11.0
    assert "budget of 10 seconds" in ledger.out_of_time()


def test_what_goes_by_on_a_fast_clock_while_a_model_thinks_is_none_of_the_tasks_simulated_time(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(ledger_module.time, "monotonic", lambda: now[0])
    ledger = RunLog(Budget(), lambda _: None)
    ledger.saw(100.0)
    with ledger.thinking():
        now[0] = 10.0
    now[0] = 10.5
    ledger.saw(625.0)
    assert ledger.sim_seconds == pytest.approx(25.0)
    now[0] = 12.0
    ledger.saw(700.0)
    assert ledger.sim_seconds == pytest.approx(100.0)


class SlowWorld(SymbolicWorld):
    """Each command takes half a minute of its clock, whatever limit it gets."""

    def execute(self, *told: Any) -> Outcome:
        outcome = super().execute(*told)
        self.state = replace(self.state, stamp=self.state.stamp + 30.0)
        return outcome


def test_a_correction_of_several_commands_ends_between_them(domain: Domain) -> None:
    pick, beside = "pick(panda, box)", "place_next_to(panda, box, cylinder)"
    slow = Policy("slow", autonomy="full", budget=Budget(correction_seconds=20.0))
    run = Run(domain, table_top({"box": "box", "cylinder": "cylinder"}), slow, [pick, beside])
    run.world.__class__ = SlowWorld
    elsewhere = domain.ground(steps(domain, "put_down(panda, box)")[0], run.world.state)
    run.world.fails(beside, instead=elsewhere)
    result = run()
    assert not result.success
    assert run.world.executed == [pick, beside, pick]
    assert "budget of 20 seconds for corrections" in result.message


@pytest.fixture
def ledger() -> RunLog:
    return RunLog(Budget(correction_seconds=10.0), lambda _: None)


def fails(ledger: RunLog, robot: str = "agv") -> None:
    view = ledger.within(robot=robot) if robot else ledger
    view.failed(None, Feedback(Level.HIGH, FeedbackKind.NO_EFFECT), "", "")


@pytest.mark.parametrize(("ends", "used"), [
    (lambda ledger: ledger.mended("agv"), False),
    (lambda ledger: ledger.mended("panda"), True),
    (lambda ledger: (ledger.left("agv"), ledger.mended("panda")), False),
    (lambda ledger: ledger.left("agv"), True),
    (lambda ledger: ledger.begun_anew(), False),
])
def test_a_robot_is_in_trouble_until_a_step_of_its_own_or_one_in_its_place_is_done(
    ledger: RunLog, ends: Callable[[RunLog], object], used: bool
) -> None:
    ledger.saw(0.0)
    fails(ledger)
    ends(ledger)
    ledger.saw(11.0)
    assert bool(ledger.out_of_time()) is used
    assert bool(ledger.exhausted()) is used


def test_two_robots_in_trouble_use_each_second_once(ledger: RunLog) -> None:
    for stamp, robot in enumerate(("panda", "agv", "")):
        ledger.saw(float(stamp))
        fails(ledger, robot)
    ledger.saw(6.0)
    assert ledger.time_left == pytest.approx(4.0)


def _drives(arena: Arena) -> Tuple[float, ...]:
    """Seconds of the robot's clock that each drive took."""
    tried = [event["sim_t"] for event in arena.events if event["kind"] == "command"]
    ended = [event["sim_t"] for event in arena.events if event["kind"] == "verdict"]
    return tuple(end - begin for begin, end in zip(tried, ended))

"""Two robots in one task: what runs at once, what waits, and what one robot's failure stops."""

from dataclasses import replace
from threading import Barrier, BrokenBarrierError, Event, Thread

from goals import ScriptedInterpreter, goal
from hicrisp_core.domain.saying import spoken
from hicrisp_core.executive.task_order import TaskOrder
from hicrisp_core.model import Cause, CauseKind, Feedback, FeedbackKind, Level, Relation, Rung, Status
from hicrisp_core.policy.policy import Policy
from lab import DOMAIN, LabRun
from tabletop import steps
from waiting import PATIENCE

LADDER = Policy("test", autonomy="full")
NO_HELP = Policy("test", rungs=(), autonomy="full")
LOAD = ("dock(agv, dock)", "pick(panda, box)", "load(panda, box, tray)")
CARRY, BACK = "carry_to(agv, box, area_2)", "dock(agv, dock)"
STACK = ("pick(panda, red_box)", "place_on(panda, red_box, blue_box)")


def together(run, *pairs, then=None):
    """Let commands end only once the other one of their pair is under way too."""
    met = []
    for arm, base in pairs:
        barrier = Barrier(2, then, timeout=PATIENCE)

        def meet(barrier=barrier):
            try:
                barrier.wait()
                met.append(True)
            except BrokenBarrierError:
                met.append(False)

        run.panda.during[arm] = run.agv.during[base] = meet
    return met


def robots_of(run, kind):
    return [(event["index"], event["robot"]) for event in run.told(kind)]


def test_steps_of_two_robots_run_at_once_where_neither_needs_the_other():
    run = LabRun(LADDER, [*LOAD, CARRY, *STACK])
    met = together(run, ("pick(panda, box)", "dock(agv, dock)"), ("pick(panda, red_box)", CARRY))
    result = run()
    assert result.success, result.message
    assert met == [True] * 4
    assert set(robots_of(run, "step_started")) == {
        (0, "agv"), (1, "panda"), (2, "panda"), (3, "agv"), (4, "panda"), (5, "panda")}


def test_a_step_begins_only_after_what_it_waits_for():
    run = LabRun(LADDER, [*LOAD, CARRY, BACK, "unload(panda, box, tray)"])
    run()
    done = run.world.executed
    assert sorted(done[:2]) == ["dock(agv, dock)", "pick(panda, box)"]
    assert done[2:] == ["load(panda, box, tray)", CARRY, BACK, "unload(panda, box, tray)"]


def test_the_plan_is_told_with_robots_and_waits():
    run = LabRun(LADDER, [*LOAD, CARRY])
    run()
    plan = run.told("plan")[0]
    assert plan["robots"] == ["agv", "panda", "panda", "agv"]
    assert plan["after"] == [[], [], [0, 1], [2]]


def test_a_failing_vehicle_leaves_an_independent_step_of_the_arm_finished():
    run = LabRun(NO_HELP, [*LOAD, CARRY, *STACK, BACK])
    run.world.fails(CARRY, times=9, status=Status.EXECUTION, message="a wheel is stuck")
    result = run()
    assert not result.success
    assert "a wheel is stuck" in result.message.lower()
    assert run.world.state.holds("on", "red_box", "blue_box")
    # The two robots begin at once; either may be the first to end.
    assert set(result.done[:2]) == set(LOAD[:2])
    assert result.done[2:] == (LOAD[2], *map(spoken, STACK))
    assert result.given_up == (spoken(CARRY),)
    assert result.not_begun == (spoken(BACK),)
    end = run.told("task_finished")[0]
    assert (end["given_up"], end["not_begun"]) == ([spoken(CARRY)], [spoken(BACK)])


def test_a_failing_arm_stops_what_waits_for_it_and_nothing_else():
    plan = [LOAD[1], LOAD[0], LOAD[2], CARRY, "go_to(agv, area_1)"]
    run = LabRun(NO_HELP, plan)
    run.world.fails("pick(panda, box)", times=9, status=Status.EXECUTION)
    result = run()
    assert result.done == ("dock(agv, dock)",)
    assert result.not_begun == ("load(panda, box, tray)", spoken(CARRY), "go to(agv, area 1)")


def test_each_robot_is_corrected_on_a_stack_of_its_own():
    run = LabRun(LADDER, [*LOAD, CARRY, *STACK])
    run.world.fails(CARRY, status=Status.EXECUTION)
    run.world.fails("pick(panda, red_box)", status=Status.EXECUTION)
    result = run()
    assert result.success, result.message
    depths = {}
    for event in run.told("stack"):
        depths.setdefault(event["robot"], []).append(len(event["entries"]))
    assert depths == {"agv": [1, 0], "panda": [1, 0]}


def test_a_correction_waits_for_the_robot_that_it_commands():
    """The vehicle slips from the dock; the arm's correction docks it, though nothing in the plan says so."""
    run = LabRun(LADDER, [*LOAD])
    run.panda.during["pick(panda, box)"] = lambda: run.show(gone=[Relation("agv", "docked", "dock")])
    run.agv.during["dock(agv, dock)"] = lambda: None
    result = run()
    assert result.success, result.message
    assert run.world.state.holds("on", "box", "tray")


def test_a_new_plan_replaces_only_what_waited_for_the_failed_step():
    policy = Policy("test", rungs=(Rung.LLM_REPLAN,), autonomy="full")
    run = LabRun(policy, [*LOAD, CARRY, BACK, *STACK], ["carry_to(agv, box, area_1)", BACK])
    run.world.fails(CARRY, times=9, status=Status.EXECUTION)
    result = run()
    assert result.success, result.message
    asked = run.brain.requests[1]
    assert [str(step) for step in asked.remaining] == [CARRY, BACK]
    assert run.world.state.holds("on", "red_box", "blue_box")
    assert run.world.executed.count("pick(panda, red_box)") == 1
    assert run.told("plan")[1]["robots"] == ["agv", "agv"]


def test_what_another_robot_does_meanwhile_is_neither_failure_nor_success():
    """While the arm looks at its result, the vehicle passes through area 3: it has not visited it."""
    watch = TaskOrder(DOMAIN)
    wanted = ScriptedInterpreter(goal("visited(agv,area_2)", "on(red_box,blue_box)"))
    run = LabRun(replace(LADDER, verify_goal="task"), ["go_to(agv, area_2)", *STACK], watch=watch,
                 interpreter=wanted)
    run.show(gone=[Relation("agv", "at", "area_3")])
    passed, looked = Event(), Event()

    def drive():
        run.show(Relation("agv", "at", "area_3"), Relation("agv", "docked", "dock"))
        passed.set()
        assert looked.wait(PATIENCE)
        run.show(gone=[Relation("agv", "at", "area_3"), Relation("agv", "docked", "dock")])

    run.agv.during["go_to(agv, area_2)"] = drive
    run.panda.during[STACK[0]] = lambda: passed.wait(PATIENCE)
    run.panda.during[STACK[1]] = looked.set
    result = run()
    assert result.success, result.message
    assert not result.failures
    assert {fact.object for fact in watch.see(run.world.state).relations
            if fact.predicate == "visited"} == {"area_2"}


def test_a_canceled_task_stops_every_robot():
    run = LabRun(LADDER, [*LOAD, CARRY])
    met = together(run, ("pick(panda, box)", "dock(agv, dock)"), then=run.cancel.set)
    result = run()
    assert result.canceled
    assert met == [True, True]
    assert run.world.executed == []
    assert run.panda.stopped == run.agv.stopped == 1


def test_a_robot_that_does_not_confirm_its_stop_is_named():
    from hicrisp_core.model import Outcome

    run = LabRun(LADDER, [*LOAD])
    run.panda.during["pick(panda, box)"] = run.cancel.set
    run.agv.stop = lambda deadline: Outcome(Status.SAFETY, "the base still moves")
    assert "agv (the base still moves)" in run().message


def test_a_plan_in_words_that_nobody_can_place_runs_one_step_after_the_other():
    run = LabRun(NO_HELP, [])
    run.brain.plans = [[*steps(DOMAIN, "pick(panda, box)"), *steps(DOMAIN, "go_to(agv, area_9)"),
                        *steps(DOMAIN, "dock(agv, dock)")]]
    result = run()
    assert result.done == ("pick(panda, box)",)
    assert result.not_begun == ("dock(agv, dock)",)


def test_a_wait_ends_when_the_task_is_canceled():
    """A correction that waits for another robot's command must not wait for it once the task is canceled."""
    from hicrisp_core.executive.schedule import Traffic

    traffic, cancel = Traffic(DOMAIN), Event()
    dock = DOMAIN.ground(steps(DOMAIN, "dock(agv, dock)")[0], LabRun(LADDER).world.state)
    let_through = Event()

    def wait_behind():
        with traffic.passage(dock, cancel):
            let_through.set()

    with traffic.passage(dock, Event()):
        Thread(target=wait_behind, daemon=True).start()
        cancel.set()
        assert let_through.wait(PATIENCE)


HELPED = Policy("test", rungs=(Rung.REPAIR, Rung.HELP), autonomy="full")


class BlockedArea:
    """A body for which no trajectory leads to an area until something is gone."""

    def __init__(self, run, blockers=()):
        self.body = run.executive._ports.body
        self.blockers = blockers
        self.open = False
        self.asked = []

    def __getattr__(self, name):
        return getattr(self.body, name)

    def aim(self, command, world, offsets, deadline):
        blocked = not self.open and not (self.blockers
                                         and world.holds("holding", "panda", self.blockers[0])) and not (
            self.blockers and world.holds("on", self.blockers[0], "table"))
        if command.action == "carry_to" and blocked:
            return Feedback(Level.HIGH, FeedbackKind.UNREACHABLE, command, subjects=("area_2",),
                            blockers=self.blockers, cause=Cause(CauseKind.NO_PATH, ("area_2",)))
        return self.body.aim(command, world, offsets, deadline)

    def help(self, wanted):
        self.asked.append(wanted)
        self.open = True
        return True


def blocked(policy, blockers=(), **ports):
    run = LabRun(policy, [*LOAD, CARRY])
    area = BlockedArea(run, blockers)
    run.executive._ports = replace(run.executive._ports, body=area, **{
        name: getattr(area, how) for name, how in ports.items()})
    return run, area


def test_a_person_is_asked_to_clear_the_way_to_an_area_that_cannot_be_reached():
    run, area = blocked(HELPED, help="help")
    result = run()
    assert result.success, result.message
    assert result.corrections == {"help": 1}
    assert "Please clear the way" in area.asked[0]
    assert any("a person was asked" in note["text"] for note in run.told("note"))


def test_where_nobody_helps_the_area_is_given_up_with_the_reason():
    run, area = blocked(HELPED)
    result = run()
    assert not result.success
    assert "no path reaches area 2" in result.message
    assert result.given_up == (spoken(CARRY),)


def test_the_arm_clears_what_it_can_out_of_the_vehicles_way_before_anybody_is_asked():
    run, area = blocked(HELPED, blockers=("red_box",), help="help")
    run.show(Relation("red_box", "on", "green_box"), gone=[Relation("red_box", "on", "table")])
    result = run()
    assert result.success, result.message
    assert not area.asked
    assert "pick(panda, red_box)" in run.world.executed


def test_a_box_is_not_loaded_while_the_vehicle_is_away_but_the_repair_docks_it_first():
    run = LabRun(LADDER, ["pick(panda, box)", "load(panda, box, tray)"])
    result = run()
    assert result.success, result.message
    assert run.world.executed == ["pick(panda, box)", "dock(agv, dock)", "load(panda, box, tray)"]
    assert "tray is not docked at the table" in run.told("verdict")[1]["feedback"]["reason"].lower()

"""However a command ends early, the arm stands still soon and says so."""

from __future__ import annotations

from dataclasses import replace
from threading import Event, Thread

import numpy as np
import pytest
from acting import Lab
from hicrisp_core.model import Status
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.arm import EmbeddedArm
from waiting import PATIENCE


def test_a_canceled_command_stops_within_a_second() -> None:
    lab, cancel = Lab("tabletop", 3), Event()
    command, told_at = lab.command("pick", item="box"), lab.world.time + 0.8
    lab.world.simulation.at(told_at, cancel.set)
    assert lab.execute(command, cancel=cancel).status is Status.CANCELED
    assert told_at <= lab.world.time < told_at + 1.0
    assert np.abs(lab.arm.joints.velocities).max() < 0.05


def test_a_command_that_is_canceled_before_it_begins_moves_nothing(tabletop: Lab) -> None:
    before, cancel = tabletop.arm.tool_pose(), Event()
    cancel.set()
    assert tabletop.do("pick", cancel, item="box").status is Status.CANCELED
    assert tabletop.arm.tool_pose().position == pytest.approx(before.position, abs=1e-4)


def test_a_time_limit_ends_a_command() -> None:
    lab = Lab("tabletop", 3, rate=1.0)
    outcome = lab.execute(lab.command("pick", item="box"), seconds=0.6)
    assert outcome.status is Status.TIMEOUT
    assert np.abs(lab.arm.joints.velocities).max() < 0.05


def test_stop_from_another_thread_ends_what_runs() -> None:
    lab, told = Lab("tabletop", 3, rate=1.0), []
    moves = Event()
    stopper = Thread(target=lambda: (moves.wait(PATIENCE),
                                     told.append(lab.world.robot.stop(Deadline(PATIENCE)))))
    stopper.start()
    command = lab.command("pick", item="box")
    lab.world.simulation.at(lab.world.time + 0.6, moves.set)
    assert lab.execute(command).status is Status.CANCELED
    stopper.join(PATIENCE)
    assert told[0].ok


def test_after_a_stop_the_next_command_works(tabletop: Lab) -> None:
    assert tabletop.world.robot.stop(Deadline(PATIENCE)).ok
    assert tabletop.do("pick", item="box").ok


def test_a_commands_time_limit_counts_in_seconds_of_the_robots_clock(tabletop: Lab) -> None:
    """As fast as can be, two simulated seconds pass in a fraction of a wall second."""
    began = tabletop.world.time
    outcome = tabletop.execute(replace(tabletop.command("pick", item="box"), time_limit=2.0))
    assert outcome.status is Status.TIMEOUT
    assert "2 s" in outcome.message
    assert tabletop.world.time - began < 4.0
    assert np.abs(tabletop.arm.joints.velocities).max() < 0.05


def test_a_command_within_its_time_limit_is_not_ended(tabletop: Lab) -> None:
    assert tabletop.execute(replace(tabletop.command("pick", item="box"), time_limit=30.0)).ok


@pytest.mark.parametrize("limit", [0.0, 0.4])
def test_an_arm_that_creeps_is_waited_for_as_long_as_its_settings_say(
    tabletop: Lab, monkeypatch: pytest.MonkeyPatch, limit: float
) -> None:
    world = tabletop.world
    monkeypatch.setattr(type(world.arm.joints), "velocities", np.full(7, 0.05))
    settings = replace(world.description.settings, rest_time=limit)
    arm = EmbeddedArm(world.simulation, world.scene, replace(world.description, settings=settings))
    arm.sync(tabletop.see())
    motion = arm.plan_line(arm.tool_pose().shifted((0.0, 0.1, 0.0)), Deadline(PATIENCE), 0.3)
    began = world.time
    assert arm.follow(motion, Deadline(PATIENCE), Event()).ok
    assert world.time - began - motion.times[-1] == pytest.approx(limit, abs=0.05)

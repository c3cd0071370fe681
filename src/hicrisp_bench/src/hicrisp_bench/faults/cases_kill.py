"""Nodes that are killed in mid-motion, and a ROS master that is started again."""

from __future__ import annotations

import time
from functools import partial

from hicrisp_bench.faults.case import AGV, CAMERA, FaultCase, Seen
from hicrisp_bench.faults.rig import LIMIT, Rig

_LONG = 300.0


def thinker_killed(node: str, rig: Rig, seen: Seen) -> None:
    """A node without state, while a robot moves."""
    task = rig.in_motion()
    rig.kill(node)
    state = rig.ended(task, _LONG)
    seen.note(f"the task: {rig.said(task)}", state == "succeeded")
    done, planned = rig.carried_out(task), rig.planned(task)
    seen.note(f"{done} motions for {planned} steps of the plan", done <= planned)
    rig.until_ready()


def driver_killed(rig: Rig, seen: Seen) -> None:
    """The driver of a base, while move_base drives for it."""
    task = rig.in_motion()
    began = time.monotonic()
    rig.kill(rig.world.driver if rig.world.driver != "embedded_world" else "move_base_driver")
    seconds = seen.stood_s = rig.motion.standstill_after(began, LIMIT)
    state = rig.ended(task, _LONG)
    seen.note(f"last motion before a stand {seconds:.1f} s after the kill", seconds < _LONG)
    seen.note(f"the task: {rig.said(task)}", state in ("succeeded", "failed"))
    said = rig.outcomes(task)
    seen.note(f"said: {'; '.join(said) or 'nothing'}", bool(said))
    seen.note("the launch is up", rig.launch.alive)


def move_base_back_late(seconds: float, rig: Rig, seen: Seen) -> None:
    """What drives for the driver, in mid-drive."""
    task = rig.in_motion()
    rig.inject("move_base_gone", "", seconds)
    state = rig.ended(task, _LONG)
    seen.note(f"the task: {rig.said(task)}", state == "succeeded")
    waits = rig.waits(task)
    seen.note(f"said: {'; '.join(waits) or 'nothing'}", bool(waits))
    seen.note(f"{rig.status(task).corrections} corrections", rig.status(task).corrections == 1)


def world_killed(rig: Rig, seen: Seen) -> None:
    """The world with its robots: a simulator that begins again."""
    task = rig.in_motion()
    rig.kill("embedded_world")
    state = rig.ended(task, _LONG)
    seen.note(f"the task: {rig.said(task)}", state in ("interrupted", "failed"))
    rig.until_world_is_back()
    seen.note("the launch is up, the world is back", rig.launch.alive)
    rig.recover()
    after = rig.submit()
    state = rig.ended(after, _LONG)
    seen.note(f"the next task: {rig.said(after)}", state == "succeeded")


def master_restarted(rig: Rig, seen: Seen) -> None:
    """Killed in mid-motion, and started again three seconds later with nothing in it."""
    task = rig.in_motion()
    rig.kill_master()
    time.sleep(3.0)
    rig.start_master()
    began = time.monotonic()
    rig.until_ready()
    seen.note(f"every service is back {time.monotonic() - began:.1f} s after the master", True)
    state = rig.ended(task, _LONG)
    seen.note(f"the task that ran: {rig.said(task)}", state == "succeeded")
    after = rig.submit()
    state = rig.ended(after, _LONG)
    seen.note(f"the same task once more: {rig.said(after)}", state in ("succeeded", "answered"))


_GOES_ON = "goes on, no motion repeated"
CASES = (
    *(FaultCase(f"kill -9 of {node}", _GOES_ON, partial(thinker_killed, node), quick=node == "detector")
      for node in ("brain", "body", "detector", "corrector")),
    *(FaultCase(f"kill -9 of {name}", _GOES_ON, partial(thinker_killed, node), worlds=(CAMERA,))
      for name, node in (("perception", "perception"), ("the web page's node", "dashboard"))),
    FaultCase("kill -9 of the base's driver", "LOST; no blind resend", driver_killed, worlds=(AGV,)),
    *(FaultCase(f"move_base gone for {seconds:g} s", "waited for; one correction; done",
                partial(move_base_back_late, seconds), worlds=(AGV,)) for seconds in (4.8, 15.0)),
    FaultCase("kill -9 of the world", "the task ends as cut off; the next runs", world_killed, quick=True),
    FaultCase("ROS master killed and started again", "nodes register again; goes on",
              master_restarted, alone=True, own_master=True),
)

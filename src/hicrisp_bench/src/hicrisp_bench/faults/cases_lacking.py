"""What a robot lacks from the start, and a task of which a part cannot be done."""

from __future__ import annotations

import time
from functools import partial

from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.waiting import wait_until
from hicrisp_nodes.cli.client import ENDED

from hicrisp_bench.faults.case import ALONE, CLOCKLESS, HAND, SORTING, FaultCase, Seen
from hicrisp_bench.faults.rig import Rig

_LONG = 300.0
_OLD = 1.5
"""Wall seconds after which a pose from before is old."""
_LEFT, _DONE = "red_block_1", "red_block_2"


def lacking(words: str, rig: Rig, seen: Seen) -> None:
    """Before the first task of a launch."""
    began = time.monotonic()
    answer = rig.ask("submit_task", rig.world.task)
    told = answer.message
    if answer.accepted:
        task = answer.task_id
        wait_until(lambda: words in rig.said(task) or rig.status(task).state in ENDED, Deadline(_LONG), period=0.1)
        told = rig.said(task)
    seen.note(f"the task: {told}", words in told and not told.startswith("succeeded"))
    if rig.world.driver == "move_base_driver":
        seen.note("nothing moved", rig.motion.moved_at < began)
    seen.note("the launch is up", rig.launch.alive)


def part_undone(kind: str, rig: Rig, seen: Seen) -> None:
    """Before a task about two blocks, of one of them."""
    rig.inject(kind, _LEFT)
    time.sleep(_OLD)
    task = rig.submit()
    state = rig.ended(task, _LONG)
    told = rig.said(task)
    seen.note(f"the task: {told}", state == "failed" and _LEFT.replace("_", " ") in told.replace("_", " "))
    done = (_DONE, "in", "red_bowl") in rig.seen.relations
    seen.note(f"the other one is {'' if done else 'not '}in the bowl", done)


CASES = (
    FaultCase("hand that was not homed", "fails; says how to home it",
              partial(lacking, "/franka_gripper/homing/goal"), (HAND,)),
    FaultCase("move_base that was never started", "nothing moves; the missing part named",
              partial(lacking, "move_base"), (ALONE,)),
    FaultCase("simulated time without a clock", "nothing begins; the missing topic named",
              partial(lacking, "nothing publishes /clock"), (CLOCKLESS,)),
    *(FaultCase(f"one of two blocks {name}", "other delivered; this named",
                partial(part_undone, kind), (SORTING,)) for name, kind in (
        ("is out of reach", "unreachable"), ("is not seen", "pose_missing"))),
)

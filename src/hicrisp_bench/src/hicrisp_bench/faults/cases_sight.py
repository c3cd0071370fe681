"""Sensors that fall silent or tell nonsense."""

from __future__ import annotations

import time
from functools import partial
from typing import Tuple

from hicrisp_bench.faults.case import AGV, ARM, CAMERA, FaultCase, Seen
from hicrisp_bench.faults.rig import Rig

_LONG, _SOON = 300.0, 5.0
_ASIDE = "box"
"""The thing whose pose is told wrongly."""


def pose_wrong(kind: str, rig: Rig, seen: Seen) -> None:
    """Before a task that is about the thing."""
    rig.inject(kind, _ASIDE)
    time.sleep(1.5)  # What was seen before is old then.
    began = time.monotonic()
    task = rig.submit()
    state = rig.ended(task, _LONG)
    seen.note(f"the task: {rig.said(task)}", state in ("failed", "refused"))
    seen.note(f"'{_ASIDE}' is named", _ASIDE in rig.status(task).message)
    seen.note("nothing moved", rig.motion.moved_at < began)


def pose_grows_old(rig: Rig, seen: Seen) -> None:
    """In mid-motion, of the thing that the arm handles."""
    task = rig.in_motion()
    began = time.monotonic()
    rig.inject("pose_stale", _ASIDE)
    state = rig.ended(task, _LONG)
    seen.note(f"the task: {rig.said(task)}", state == "failed")
    seconds = seen.stood_s = rig.motion.standstill_after(began, _LONG)
    seen.note(f"stands {seconds:.1f} s after", rig.motion.moved_at < time.monotonic() - 0.4)


def base_told_wrongly(kind: str, rig: Rig, seen: Seen) -> None:
    """In mid-drive, until the world is put back."""
    task = rig.in_motion()
    began = time.monotonic()
    rig.inject(kind)
    state = rig.ended(task, _LONG)
    seen.note(f"the task: {rig.said(task)}", state == "failed")
    if kind != "odometry_nan":  # By which the standstill is judged.
        seconds = seen.stood_s = rig.motion.standstill_after(began, _LONG)
        seen.note(f"stands {seconds:.1f} s after", seconds < _SOON)


def slashed(rig: Rig, seen: Seen) -> None:
    """In mid-drive, until the task's end."""
    task = rig.in_motion()
    rig.inject("frame_slash")
    seen.note(f"the task: {rig.ended(task, _LONG)}", rig.state(task) == "succeeded")
    seen.note(f"said: {'; '.join(rig.outcomes(task)) or 'no failure'}", not rig.outcomes(task))


def camera_useless(kind: str, seconds: Tuple[float, ...], rig: Rig, seen: Seen) -> None:
    """Before a task."""
    rig.inject(kind, "", *seconds)
    time.sleep(2.0)
    began = time.monotonic()
    task = rig.submit()
    state = rig.ended(task, _LONG)
    seen.note(f"the task: {rig.said(task)}", state in ("failed", "refused"))
    seen.note("nothing moved", rig.motion.moved_at < began)


def reset_meanwhile(rig: Rig, seen: Seen) -> None:
    """Asked for in mid-motion."""
    task = rig.in_motion()
    answer = rig.ask("reset_world", "", 3)
    seen.note(f"refused: {answer.message}", not answer.ok)
    seen.note(f"the task: {rig.ended(task, _LONG)}", rig.state(task) == "succeeded")


_TOLD = "nothing moves; age named"
CASES = (
    FaultCase("scan silent", "stops; topic and age named", partial(base_told_wrongly, "scan_stops"), (AGV,)),
    FaultCase("scans without a number", "stops; topic named", partial(base_told_wrongly, "scan_nan"), (AGV,)),
    FaultCase("scans in an unknown frame", "stops; topic and frame named",
              partial(base_told_wrongly, "scan_frame"), (AGV,)),
    FaultCase("odometry of NaN", "stops; topic named", partial(base_told_wrongly, "odometry_nan"), (AGV,)),
    *(FaultCase(f"{what} from the future", "stops; source and offset named",
                partial(base_told_wrongly, f"{kind}_ahead"), (AGV,)) for what, kind in (
        ("scans", "scan"), ("odometry", "odometry"), ("base in TF", "pose"))),
    *(FaultCase(f"{what} with a stamp that stands still", "stops; topic and age named",
                partial(base_told_wrongly, f"{kind}_old"), (AGV,)) for what, kind in (
        ("scans", "scan"), ("odometry", "odometry"))),
    FaultCase("TF loses the base", "stops; frame and age named", partial(base_told_wrongly, "pose_stale"), (AGV,)),
    FaultCase("base that falls through its floor", "stops; frame and depth named",
              partial(base_told_wrongly, "pose_fallen"), (AGV,)),
    *(FaultCase(f"pose {name}", _TOLD, partial(pose_wrong, f"pose_{kind}"), (ARM,)) for name, kind in (
        ("of NaN", "nan"), ("of Inf", "inf"), ("that grows old", "stale"), ("that is missing", "missing"),
        ("in an unknown frame", "frame"), ("from the future", "ahead"))),
    FaultCase("pose that grows old in mid-motion", "fails by the pose's age; the arm stands", pose_grows_old, (ARM,)),
    FaultCase("frames with a leading slash", "goes on as without", slashed, (AGV,)),
    FaultCase("camera silent", "nothing moves; age named",
              partial(camera_useless, "camera_silent", (60.0,)), (CAMERA,)),
    FaultCase("calibration of NaN", "nothing moves; calibration named", partial(camera_useless, "lens_nan", ()),
              (CAMERA,)),
    FaultCase("world put back in mid-motion", "refused while a task runs", reset_meanwhile, (ARM, AGV)),
)

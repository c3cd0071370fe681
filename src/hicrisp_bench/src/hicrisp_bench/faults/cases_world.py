"""Faults of the world: sensors that fall silent or tell nonsense, hands among the objects, a line between two
hosts, a robot that lacks something.
"""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from functools import partial
from itertools import takewhile
from typing import Any, Callable, Iterator, Sequence

import rospy
from hicrisp_core.scene import load_scene
from hicrisp_core.time import Deadline, wait_until
from hicrisp_core.trace.event_log import read_events
from hicrisp_core.trace.events import CommandTried
from hicrisp_nodes.cli.client import ENDED

from hicrisp_bench.faults import probe as at
from hicrisp_bench.faults.probe import LONG, OLD, FaultCase, Probe
from hicrisp_bench.faults.watches import GoalWatch
from hicrisp_bench.launched import LIMIT, LaunchFailed

_ITEM, _OTHER, _TOOL = "box", "cylinder", "panda_hand_tcp"
_STACKED, _BOTH = "red_box", "bring the box to area 2 and put the red box on the blue box"
_LEFT, _DONE = "red_block_1", "red_block_2"
_STANDS_WITHIN = 5.0
"""Wall seconds from a sensor's fault to a stand."""
_SEEN_WITHIN = 1.2
"""Simulated seconds in which a change must be seen, with those of a look and its way over ROS."""
_IN_HAND, _MOVED = 0.04, 0.03
"""Metres between an object in the hand and the tool, at most; metres from which on an object has moved."""
_DELETED_AGAIN = 0.5
"""Wall seconds after which Gazebo has deleted again what it deletes, and its reference has read what it loses."""
_CUT, _CUT_STANDS_WITHIN = 10.0, 1.5
"""Wall seconds for which the line is cut, and from the cut to the last motion."""
_QUIET = 5.0
"""Wall seconds after the end of a task in which nothing may move."""


def base_told_wrongly(case: Probe, kind: str) -> None:
    """In mid-drive, until the world is put back; by odometry that is wrong no standstill can be judged.

    Args:
        case: the launched world, and what is seen of it.
        kind: of the fault that is injected.
    """
    case.moving().inject(kind).ends("failed")
    if kind != "odometry_nan":
        case.stands(_STANDS_WITHIN)


def useless(case: Probe, kind: str, item: str = "", seconds: Sequence[float] = ()) -> None:
    """Before a task, which is about the object; where it is a pose, it has grown old when the task comes.

    Args:
        case: the launched world, and what is seen of it.
        kind: of the fault that is injected.
        item: the object that it is about; empty for none.
        seconds: for which it lasts, if the kind takes them.
    """
    case.inject(kind, item, *seconds).rest(OLD if item else 2.0)
    case.submit().ends("failed", "refused", about=item).unmoved()


def reset_meanwhile(case: Probe) -> None:
    """Asked for in mid-motion."""
    answer = case.moving().rig.ask("reset_world", "", 3)
    case.note(f"refused: {answer.message}", not answer.ok).ends("succeeded")


_TOLD = "nothing moves; age named"
_BASE = (
    ("scan silent", "topic and age named", "scan_stops"),
    ("scans without a number", "topic named", "scan_nan"),
    ("scans in an unknown frame", "topic and frame named", "scan_frame"),
    ("odometry of NaN", "topic named", "odometry_nan"),
    ("scans from the future", "source and offset named", "scan_ahead"),
    ("odometry from the future", "source and offset named", "odometry_ahead"),
    ("base in TF from the future", "source and offset named", "pose_ahead"),
    ("scans with a stamp that stands still", "topic and age named", "scan_old"),
    ("odometry with a stamp that stands still", "topic and age named", "odometry_old"),
    ("TF loses the base", "frame and age named", "pose_stale"),
    ("base that falls through its floor", "frame and depth named", "pose_fallen"))
SIGHT = (
    *(FaultCase(name, f"stops; {told}", partial(base_told_wrongly, kind=kind), (at.AGV,))
      for name, told, kind in _BASE),
    *(FaultCase(f"pose {name}", _TOLD, partial(useless, kind=f"pose_{kind}", item=_ITEM), (at.ARM,)) for name, kind in (
        ("of NaN", "nan"), ("of Inf", "inf"), ("that grows old", "stale"), ("that is missing", "missing"),
        ("in an unknown frame", "frame"), ("from the future", "ahead"))),
    FaultCase("pose that grows old in mid-motion", "fails by the pose's age; the arm stands",
              lambda case: case.moving().inject("pose_stale", _ITEM).ends("failed").stands(LONG), (at.ARM,)),
    FaultCase("frames with a leading slash", "goes on",
              lambda case: case.moving().inject("frame_slash").ends("succeeded").failures(lambda said: not said),
              (at.AGV,)),
    FaultCase("camera silent", "nothing moves; age named", partial(useless, kind="camera_silent", seconds=(60.0,)),
              (at.CAMERA,)),
    FaultCase("calibration of NaN", "nothing moves; calibration named", partial(useless, kind="lens_nan"),
              (at.CAMERA,)),
    FaultCase("world put back in mid-motion", "refused while a task runs", reset_meanwhile, (at.ARM, at.AGV)),
)


def _noticed(case: Probe, since: float, what: str, changed: Callable[[], bool]) -> Probe:
    """Note after how many simulated seconds the detector shows a change."""
    found = wait_until(changed, Deadline(LIMIT), period=0.01)
    seconds = case.rig.seen.stamp - since
    return case.note(f"{what}: seen {seconds:.2f} simulated seconds later", found and seconds <= _SEEN_WITHIN)


def dropped(case: Probe) -> None:
    """It slips out of the gripper while it is carried."""
    watch = case.inject("slip", _ITEM, 0.5, count=1).submit().rig.seen
    for change in (lambda: watch.held(_ITEM), lambda: math.dist(watch.true[_ITEM], watch.true[_TOOL]) > _IN_HAND):
        if not wait_until(change, Deadline(LIMIT), period=0.01):
            raise LaunchFailed(f"'{_ITEM}' was not carried, or did not slip")
    _noticed(case, watch.true_at, "not in the hand", lambda: not watch.held(_ITEM)).ends("succeeded").corrected()


def moved(case: Probe) -> None:
    """A hand moves the reference while the arm is under way."""
    watch = case.moving().rig.seen
    before, since = watch.places[_OTHER], watch.true_at
    _noticed(case.inject("object_moved", _OTHER, 0.08), since, f"{_OTHER} elsewhere",
             lambda: math.dist(watch.places.get(_OTHER, before), before) > _MOVED).ends("succeeded")


def taken(case: Probe) -> None:
    """A hand takes the reference away while the arm is under way."""
    watch = case.moving().rig.seen
    since = watch.true_at
    _noticed(case.inject("vanish", _OTHER), since, f"{_OTHER} not there",
             lambda: _OTHER not in watch.places).ends("failed", about=_OTHER)


def added(case: Probe) -> None:
    """A hand puts something on the table that no scene knows, while the arm is under way."""
    watch = case.moving().rig.seen
    before, since = frozenset(watch.places), watch.true_at
    case.inject("intruder")
    found = wait_until(lambda: bool(frozenset(watch.places) - before), Deadline(LIMIT), period=0.01)
    case.note(f"{', '.join(sorted(frozenset(watch.places) - before))} is seen {watch.stamp - since:.1f} simulated "
              "seconds later", found).ends("succeeded")


def one_of_two(case: Probe) -> None:
    """Nobody sees one of the two objects that a task is about."""
    case.inject("pose_missing", _STACKED).rest(OLD).submit(_BOTH).ends("failed", about=_STACKED)
    drives = [each.partition("(")[0] for each in case.rig.commands(case.task) if "(agv" in each]
    case.note(f"the other one: {', '.join(drives)}", drives == ["dock", "carry_to"])


_SEEN = "seen within 1 s; corrected"
HANDS = (
    FaultCase("dropped in mid-carry", _SEEN, dropped, (at.ARM,)),
    FaultCase("moved by a hand in mid-motion", _SEEN, moved, (at.ARM,)),
    FaultCase("taken by a hand in mid-motion", "seen after 1 s; task fails", taken, (at.ARM,)),
    FaultCase("one of two things is not seen", "other delivered; this named", one_of_two, (at.LAB,)),
    FaultCase("added by a hand in mid-motion", "seen; done", added, (at.CAMERA,)),
)


def on_a_line(case: Probe, bad: Callable[[Probe], object]) -> None:
    """On two hosts: whatever the line does, nothing is sent twice, nothing moves without a task, and the next
    one is done.

    Args:
        case: the launched world, and what is seen of it.
        bad: what the line does, and what is seen of it until the task has ended.
    """
    goals = GoalWatch()
    bad(case)
    ended = time.monotonic()
    again = wait_until(lambda: case.rig.motion.moved_at > ended + 1.0, Deadline(_QUIET))
    case.note(f"{'something' if again else 'nothing'} moves after its end", not again)
    came, tried = len(goals.came), len(case.rig.commands(case.task))
    case.note(f"{came} commands came to the drivers for {tried} that were tried", came <= tried)
    case.again("succeeded", "answered")


def _line(case: Probe, loss: float = 0.0, delay: float = 0.0) -> Probe:
    if case.rig.hosts is None:
        raise LaunchFailed("there are no two hosts")
    case.rig.hosts.set_line(loss, delay)
    return case


def line_cut(case: Probe) -> None:
    """In mid-motion, for a while."""
    _line(case.moving(), loss=1.0).rest(_CUT)
    motion = case.rig.motion
    last, heard = max(0.0, motion.moved_at - case.since), motion.heard_at - case.since
    case.note(f"last motion {last:.2f} s after the cut, seen for {heard:.1f} s",
              last <= _CUT_STANDS_WITHIN and heard > _CUT - 1.0)
    case.does(lambda: _line(case)).explained("succeeded", "failed", "interrupted")
    case.note(f"it ended {case.took:.1f} s after the line was back")
    case.failures(lambda said: said or case.rig.state(case.task) != "succeeded")


def line_cut_at_once(case: Probe) -> None:
    """While a task is planned, whose first command is sent into the line that is cut."""
    _line(case.submit(), loss=1.0).rest(_CUT).unmoved("nothing moved meanwhile")
    _line(case).explained("succeeded", "failed", "interrupted").failures(lambda said: True)


def line_bad(case: Probe, loss: float = 0.0, delay: float = 0.0) -> None:
    """From before a task until its end.

    Args:
        case: the launched world, and what is seen of it.
        loss: share of the packets that are lost.
        delay: of the others, seconds each way.
    """
    _line(case, loss, delay)
    try:
        case.submit().explained("succeeded", "failed")
        case.failures(lambda said: said or case.rig.state(case.task) == "succeeded")
    finally:
        _line(case)


_GOES_ON = "done or explained; nothing sent twice"
HOSTS = tuple(FaultCase(f"line between two hosts {name}", expected, partial(on_a_line, bad=bad), place=at.TWO_HOSTS)
              for name, expected, bad in (
    ("cut for 10 s in mid-motion", "stands within 1.5 s; nothing sent twice", line_cut),
    ("cut for 10 s as a task begins", "nothing moves meanwhile or twice", line_cut_at_once),
    ("loses 20 % of the packets", _GOES_ON, partial(line_bad, loss=0.2)),
    ("is 200 ms slow each way", _GOES_ON, partial(line_bad, delay=0.2))))


def lacking(case: Probe, words: str, unmoved: bool = True) -> None:
    """Before the first task of a launch.

    Args:
        case: the launched world, and what is seen of it.
        words: what must be named.
        unmoved: whether nothing may move.
    """
    rig = case.rig
    answer = rig.ask("submit_task", rig.world.task)
    told, task = answer.message, answer.task_id
    if answer.accepted:
        wait_until(lambda: words in rig.said(task) or rig.status(task).state in ENDED, Deadline(LONG), period=0.1)
        told = rig.said(task)
    case.note(f"the task: {told}", words in told and not told.startswith("succeeded"))
    if unmoved:
        case.unmoved()
    case.up()


def part_undone(case: Probe, kind: str) -> None:
    """Before a task about two blocks, of one of them.

    Args:
        case: the launched world, and what is seen of it.
        kind: of the fault that is injected.
    """
    case.inject(kind, _LEFT).rest(OLD).submit().ends("failed", about=_LEFT)
    done = (_DONE, "in", "red_bowl") in case.rig.seen.relations
    case.note(f"the other one is {'' if done else 'not '}in the bowl", done)


@contextmanager
def _broken(name: str, value: Any) -> Iterator[None]:
    """Provide a context in which a parameter of a reference server says what goes wrong; else it has none."""
    rospy.set_param(name, value)
    try:
        yield
    finally:
        rospy.delete_param(name)


def base_misbehaves(case: Probe, mode: str, about: str) -> None:
    """From the world's task until its end.

    Args:
        case: the launched world, and what is seen of it.
        mode: of the reference's base and move_base.
        about: what must be said of the failure, by the task or of a command.
    """
    with _broken("/move_base/mode", mode):
        case.rest(OLD).submit().ends("failed").note(f"after {case.took:.0f} s")
        case.failures(lambda said: about in "; ".join((*said, case.rig.said(case.task))))
        case.does(lambda: time.sleep(1.0)).unmoved("the base stands")


def no_path(case: Probe) -> None:
    """To the second of two areas."""
    with _broken("/move_base/hall", 2.9):
        case.submit("Visit area 2, then area 3").ends("failed", about="area 3")
    before = takewhile(lambda event: event["kind"] != CommandTried.kind, read_events(case.rig.runs / case.task))
    said = [event["text"] for event in before if "No path leads to area 3" in event.get("text", "")]
    case.note(f"before the first drive: {'; '.join(said) or 'nothing'}", bool(said))


def models_lost(case: Probe, name: str, value: Any, about: str) -> None:
    """While the world is put back.

    Args:
        case: the launched world, and what is seen of it.
        name: of the parameter that lets the reference's Gazebo lose something.
        value: what it loses.
        about: what the answer must name.
    """
    with _broken(f"/gazebo/{name}", value):
        case.rest(_DELETED_AGAIN)
        answer = case.rig.ask("reset_world", "", 3)
    case.note(f"the answer: {answer.message}", not answer.ok and about in answer.message)
    case.rig.reset(seconds=LIMIT)
    case.note("put back once more, it is whole")


def names_deleted_twice(case: Probe) -> None:
    """Scenes that share names, one after the other: Gazebo deletes a name again after a while, whatever has it then."""
    for scene in ("agv_zone", "agv", "agv_zone", "agv"):
        answer = case.rig.ask("reset_world", scene, 3)
        case.rest(_DELETED_AGAIN)
        there = frozenset(rospy.get_param("/gazebo/things"))
        missing = {"agv", *(item.name for item in load_scene(scene, 3).things)} - there
        case.note(f"{answer.message}; missing: {', '.join(sorted(missing)) or 'nothing'}", answer.ok and not missing)


LACKS = (
    FaultCase("hand that was not homed", "fails; says how to home it",
              partial(lacking, words="/franka_gripper/homing/goal", unmoved=False), (at.HAND,)),
    FaultCase("move_base that was never started", "nothing moves; the missing part named",
              partial(lacking, words="move_base"), (at.ALONE,)),
    FaultCase("an area that no path reaches", "told before the first drive", no_path, (at.REAL_BASE,)),
    *(FaultCase(name, expected, partial(base_misbehaves, mode=mode, about=about), (at.REAL_BASE,),
                # After these the reference's base is elsewhere, or its move_base is still busy.
                alone=mode in ("jumps", "mapless", "deaf"))
      for name, expected, mode, about in (
        ("wheels that spin", "stops; topic named", "slips", "does not follow its commands on /cmd_vel"),
        ("odometry that jumps", "stops; topic named", "jumps", "the odometry jumped by"),
        ("localisation without a map", "stops; frame and age named", "mapless", "TF does not say where"),
        ("move_base that lies", "not believed", "lies", "area 3"),
        ("move_base that never answers", "fails; move_base named", "silent", "move_base took the goal"),
        ("move_base that cannot be canceled", "fails; move_base named", "deaf", "move_base took the goal"))),
    FaultCase("names that Gazebo deletes twice", "every model there", names_deleted_twice, (at.GAZEBO,)),
    *(FaultCase(f"{what} lost by Gazebo", "answer names it", partial(
        models_lost, name=name, value=value, about=about), (at.GAZEBO,)) for what, name, value, about in (
            ("model", "forgets", "obstacle_2", "Gazebo has no obstacle_2"),
            ("floor", "floorless", True, "has fallen by"))),
    FaultCase("simulated time without a clock", "nothing moves; the missing part named",
              partial(lacking, words="nothing publishes /clock"), (at.CLOCKLESS,)),
    *(FaultCase(f"one of two blocks {name}", "other delivered; this named",
                partial(part_undone, kind=kind), (at.SORTING,)) for name, kind in (
        ("is out of reach", "unreachable"), ("is not seen", "pose_missing"))),
)

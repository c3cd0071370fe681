"""One case while it runs: what is done to a launched world and what is seen of it, in words that are chained."""

from __future__ import annotations

import signal
import time
from dataclasses import dataclass, field
from typing import Callable, List, Optional, Tuple

from hicrisp_core.time import Deadline, wait_until

from hicrisp_bench.faults.rig import Rig, World
from hicrisp_bench.faults.wild_model import Play, WildModel
from hicrisp_bench.launched import LIMIT, LaunchFailed

ARM, AGV, LAB = "arm", "AGV", "lab"
CAMERA, MODEL, MENDING = "camera", "model", "model that corrects"
HAND, ALONE, CLOCKLESS = "unhomed hand", "no move_base", "no clock"
REAL_BASE, GAZEBO = "move_base", "Gazebo"
SORTING = "sorting"
_BESIDE = "Place the box next to the cylinder"
WORLDS = {
    ARM: World("tabletop", _BESIDE),
    AGV: World("agv", "Visit area 3, then area 2"),
    LAB: World("lab", "Load the box onto the AGV, bring it to area 2 and back"),
    CAMERA: World("tabletop", _BESIDE, {"perception": "camera", "web": "true", "pictures": "true"}),
    MODEL: World("tabletop", _BESIDE, {"record": "true", "rate": "3"}, model=True),
    MENDING: World("tabletop", _BESIDE, {"policy": "hicrisp", "rate": "3"}, model=True),
    SORTING: World("sorting", "Put every red block into the red bowl", {"rate": "3"}),
    HAND: World("tabletop", "Pick up the box", launch=("hicrisp_bench", "hand_not_homed.launch")),
    ALONE: World("agv", "Visit area 3", launch=("hicrisp_bench", "base_alone.launch")),
    REAL_BASE: World("agv", "Visit area 3", launch=("hicrisp_bench", "base.launch")),
    GAZEBO: World("agv", "Visit area 3", launch=("hicrisp_bench", "base_in_gazebo.launch")),
    CLOCKLESS: World("agv", "Visit area 3", launch=("hicrisp_bench", "base_without_clock.launch")),
}
EVERYWHERE = (ARM, AGV, LAB)
TWO_HOSTS, SMALL_DISK = "two hosts", "small disk"
QUESTION = "What is there?"
LONG = 300.0
"""Wall seconds for a task."""
OLD = 1.5
"""Wall seconds after which a pose from before is old."""
_SOON, _AT_ONCE = 1.0, 1.0
"""Wall seconds within which a robot must stand, and in which a service answers at once."""


@dataclass
class Seen:
    """What was seen: remarks in their order, and whether each is as it must be.

    Args:
        stood_s: seconds from the fault to the last motion, where robots must stand.
    """

    remarks: List[Tuple[str, bool]] = field(default_factory=list)
    stood_s: Optional[float] = None

    @property
    def ok(self) -> bool:
        """Whether everything is as it must be, and something was seen at all."""
        return bool(self.remarks) and all(ok for _, ok in self.remarks)

    @property
    def text(self) -> str:
        """Everything that was seen; what is not as it must be is marked."""
        return "; ".join(remark if ok else f"NOT AS IT MUST BE: {remark}" for remark, ok in self.remarks)

    @property
    def result(self) -> str:
        """In a word: whether it is as it must be, or the seconds until the robots stood."""
        return "**no**" if not self.ok else "ok" if self.stood_s is None else f"{self.stood_s:.2f}"


class Probe:
    """Does what a case asks for in a world where nothing runs, and notes what it sees.

    ``task`` is the one that the case is about, ``since`` the moment (wall seconds) from which on is judged
    whether something moves: when something was done last. Every method that returns a probe returns this one.
    """

    def __init__(self, rig: Rig, seen: Seen) -> None:
        self.rig, self.seen = rig, seen
        self.task, self.since, self.pid = "", time.monotonic(), 0

    @property
    def model(self) -> WildModel:
        """The endpoint of the world's model."""
        if self.rig.model is None:
            raise LaunchFailed("this world has no model")
        return self.rig.model

    @property
    def took(self) -> float:
        """Wall seconds since something was done last."""
        return time.monotonic() - self.since

    def note(self, remark: str, ok: bool = True) -> "Probe":
        """Add what was seen.

        Args:
            remark: what that is, for the row.
            ok: whether it is as it must be.

        Returns:
            This probe.
        """
        self.seen.remarks.append((remark, ok))
        return self

    def submit(self, text: str = "") -> "Probe":
        """Submit a task.

        Args:
            text: its words; without them the world's own task.

        Returns:
            This probe.
        """
        self.since = time.monotonic()
        self.task = self.rig.submit(text or self.rig.world.task)
        return self

    def moving(self) -> "Probe":
        """Submit the world's task and wait until it moves a robot."""
        self.task = self.rig.in_motion()
        self.since = time.monotonic()
        return self

    def inject(self, kind: str, target: str = "", *magnitude: float, count: int = 0) -> "Probe":
        """Let something go wrong in the simulation.

        Args:
            kind: of the fault, as ``inject_fault`` takes it.
            target: the object that it is about; empty for none.
            magnitude: as the kind asks for it: metres, seconds or a share.
            count: how often it happens; 0 for always, until the world is put back.

        Returns:
            This probe.
        """
        return self.does(lambda: self.rig.inject(kind, target, magnitude, count))

    def kill(self, node: str, number: int = signal.SIGKILL) -> "Probe":
        """Send a signal to a node.

        Args:
            node: its name below the namespace.
            number: of the signal.

        Returns:
            This probe, with the process as ``pid``.
        """
        self.since = time.monotonic()
        self.pid = self.rig.kill(node, number)
        return self

    def does(self, act: Callable[[], object]) -> "Probe":
        """Do anything else now.

        Args:
            act: what is done, from which on is judged whether something moves.

        Returns:
            This probe.
        """
        self.since = time.monotonic()
        act()
        return self

    def rest(self, seconds: float) -> "Probe":
        """Let time pass.

        Args:
            seconds: of wall time.

        Returns:
            This probe.
        """
        time.sleep(seconds)
        return self

    def plays(self, play: Play) -> "Probe":
        """Let the model answer so, whatever it is asked.

        Args:
            play: its answers from now on.

        Returns:
            This probe.
        """
        self.model.plays(play)
        return self

    def ready(self) -> "Probe":
        """Wait until every service is back."""
        self.rig.until_ready()
        return self

    def ends(self, *states: str, about: str = "", what: str = "the task") -> "Probe":
        """Wait for the task's end, which must be one of some states.

        Args:
            states: in words.
            about: what its message must name.
            what: how the remark calls the task.

        Returns:
            This probe.
        """
        state = self.rig.ended(self.task, LONG)
        said = self.rig.said(self.task)
        named = about.replace("_", " ") in said.replace("_", " ")
        return self.note(f"{what}: {said}", state in states and named)

    def explained(self, *states: str, what: str = "the task") -> "Probe":
        """Wait for the end, which says something of itself.

        Args:
            states: in words, one of which it must be.
            what: how the remark calls the task.

        Returns:
            This probe.
        """
        return self.ends(*states, what=what).note("it says so", bool(self.rig.status(self.task).message))

    def again(self, *states: str, what: str = "the same task once more") -> "Probe":
        """Submit the world's task, once every service is back.

        Args:
            states: in words, one of which it must end in.
            what: how the remark calls the task.

        Returns:
            This probe.
        """
        return self.ready().submit().ends(*states, what=what)

    def unmoved(self, what: str = "nothing moved") -> "Probe":
        """Note that nothing moved since something was done last.

        Args:
            what: the remark.

        Returns:
            This probe.
        """
        return self.note(what, self.rig.motion.moved_at < self.since)

    def stands(self, limit: float = _SOON) -> "Probe":
        """Note how long after something was done last the robots stood.

        Args:
            limit: wall seconds in which they must.

        Returns:
            This probe.
        """
        seconds = self.seen.stood_s = self.rig.motion.standstill_after(self.since, LIMIT)
        return self.note(f"stands after {seconds:.2f} s", seconds <= limit)

    def cancels(self) -> "Probe":
        """Cancel the task, which is answered at once."""
        self.since = time.monotonic()
        answer = self.rig.ask("cancel_task", self.task)
        return self.note(f"the answer comes after {self.took:.2f} s", answer.ok and self.took <= _AT_ONCE).stands()

    def refuses(self, when: str) -> "Probe":
        """Note that a new task is refused.

        Args:
            when: for the remark.

        Returns:
            This probe.
        """
        answer = self.rig.ask("submit_task", self.rig.world.task)
        return self.note(f"a new task {when}: {answer.message}", not answer.accepted)

    def triggers(self, name: str, what: str, success: bool = True) -> "Probe":
        """Note what a service without arguments answers.

        Args:
            name: of the service.
            what: the remark, before the answer.
            success: what it must answer.

        Returns:
            This probe.
        """
        answer = self.rig.ask(name)
        return self.note(f"{what}: {answer.message}", answer.success is success)

    def stop_works(self) -> "Probe":
        """Note that an emergency stop works, holds, and ends on purpose."""
        self.triggers("estop", "an emergency stop all the same").refuses("meanwhile")
        return self.triggers("clear_estop", "and its end").triggers("resume", "resumed")

    def failures(self, right: Callable[[List[str]], object] = bool) -> "Probe":
        """Note what the drivers, or those who wait for them, said of commands that failed.

        Args:
            right: whether that is as it must be; without it something must have been said.

        Returns:
            This probe.
        """
        said = [f"{event['status']}: {event['message']}" for event in self.rig.events(self.task, "outcome")
                if event["status"] != "success"]
        return self.note(f"said: {'; '.join(said) or 'no failure'}", bool(right(said)))

    def corrected(self, least: int = 1, most: int = 1000) -> "Probe":
        """Note how often the task was corrected.

        Args:
            least: how often it must have been.
            most: how often it may have been.

        Returns:
            This probe.
        """
        number = self.rig.status(self.task).corrections
        return self.note(f"{number} corrections", least <= number <= most)

    def begins(self, task: str, what: str) -> "Probe":
        """Note that a task that waits begins in time.

        Args:
            task: its id.
            what: the remark.

        Returns:
            This probe.
        """
        return self.note(what, wait_until(lambda: self.rig.state(task) != "queued", Deadline(LIMIT), period=0.1))

    def waits(self, task: str, when: str) -> "Probe":
        """Note that a task still waits.

        Args:
            task: its id.
            when: for the remark.

        Returns:
            This probe.
        """
        return self.note(f"one in line {when}: {self.rig.said(task)}", self.rig.state(task) == "queued")

    def up(self) -> "Probe":
        """Note that the launch goes on."""
        return self.note("the launch is up", self.rig.launch.alive)

    def no_traceback(self) -> "Probe":
        """Note that no log shows a crash."""
        found = self.rig.complaints()
        return self.note(f"{len(found)} tracebacks" if found else "no traceback", not found)


@dataclass(frozen=True)
class FaultCase:
    """One fault.

    Args:
        run: lets it happen in a world where nothing runs, and notes what is seen.
        worlds: where it can happen.
        alone: whether it ends the launch, or needs one of its own.
        quick: whether it belongs to the short form.
        own_master: whether its launch uses a ROS master that outlives it.
        terminal: whether roslaunch runs in a terminal of its own.
        place: where its launch runs, if that is not as usual: ``TWO_HOSTS`` or ``SMALL_DISK``.
    """

    name: str
    expected: str
    run: Callable[[Probe], object]
    worlds: Tuple[str, ...] = EVERYWHERE
    alone: bool = False
    quick: bool = False
    own_master: bool = False
    terminal: bool = False
    place: str = ""

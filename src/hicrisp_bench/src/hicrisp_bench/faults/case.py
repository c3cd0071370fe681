"""What one row of the suite is: a fault in a world, what must happen, and what was seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Callable, List, Mapping, Optional, Tuple

if TYPE_CHECKING:
    from hicrisp_bench.faults.rig import Rig

DEMO = ("hicrisp_bringup", "demo.launch")


@dataclass(frozen=True)
class World:
    """A launched world.

    Args:
        scene: file in ``config/scenes`` without its suffix.
        task: something that moves a robot for some seconds.
        driver: the node that moves the robot whose motion the cases interrupt.
        arguments: of the launch, besides the usual ones.
        model: whether a language model's endpoint on loopback plans and corrects, as each case wants.
        launch: package and launch file; another one than the demo's has no simulation, and no ``inject_fault``.
    """

    scene: str
    task: str
    driver: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    model: bool = False
    launch: Tuple[str, str] = DEMO


ARM, AGV, LAB = "arm", "AGV", "lab"
CAMERA, MODEL, MENDING = "camera", "model", "model that corrects"
HAND, ALONE, CLOCKLESS = "unhomed hand", "no move_base", "no clock"
SORTING = "sorting"
WORLDS: Mapping[str, World] = {
    ARM: World("tabletop", "Place the box next to the cylinder", "embedded_world"),
    AGV: World("agv", "Visit area 3, then area 2", "move_base_driver"),
    LAB: World("lab", "Load the box onto the AGV, bring it to area 2 and back", "embedded_world"),
    CAMERA: World("tabletop", "Place the box next to the cylinder", "embedded_world",
                  {"perception": "camera", "web": "true", "pictures": "true"}),
    MODEL: World("tabletop", "Place the box next to the cylinder", "embedded_world",
                 {"record": "true", "rate": "3"}, model=True),
    MENDING: World("tabletop", "Place the box next to the cylinder", "embedded_world",
                   {"policy": "hicrisp", "rate": "3"}, model=True),
    SORTING: World("sorting", "Put every red block into the red bowl", "embedded_world", {"rate": "3"}),
    HAND: World("tabletop", "Pick up the box", "moveit_driver", launch=("hicrisp_bench", "hand_not_homed.launch")),
    ALONE: World("agv", "Visit area 3", "move_base_driver", launch=("hicrisp_bench", "base_alone.launch")),
    CLOCKLESS: World("agv", "Visit area 3", "move_base_driver",
                     launch=("hicrisp_bench", "base_without_clock.launch")),
}
EVERYWHERE = (ARM, AGV, LAB)
TWO_HOSTS, SMALL_DISK = "two hosts", "small disk"


@dataclass
class Seen:
    """What was seen: remarks in their order, and whether each is as it must be.

    Args:
        stood_s: seconds from the fault to the last motion, where robots must stand.
    """

    remarks: List[Tuple[str, bool]] = field(default_factory=list)
    stood_s: Optional[float] = None

    def note(self, remark: str, ok: bool = True) -> bool:
        """Add what was seen; whether it is as it must be."""
        self.remarks.append((remark, ok))
        return ok

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


@dataclass(frozen=True)
class FaultCase:
    """One fault.

    Args:
        run: lets it happen in a world where nothing runs, and notes what is seen.
        worlds: where it can happen.
        alone: whether it ends the launch, or needs one of its own.
        quick: whether it belongs to the short form.
    """

    name: str
    expected: str
    run: "Callable[[Rig, Seen], None]"
    worlds: Tuple[str, ...] = EVERYWHERE
    alone: bool = False
    quick: bool = False
    own_master: bool = False
    """Whether its launch uses a ROS master that outlives it."""
    terminal: bool = False
    """Whether roslaunch runs in a terminal of its own."""
    place: str = ""
    """Where its launch runs, if that is not as usual: ``TWO_HOSTS`` or ``SMALL_DISK``."""

"""Calibrating a camera: an arm shows it a tag, or shows a tag to it, until its mounting is known well enough."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Callable, List, NamedTuple, Optional, Protocol, Union

import numpy as np
from hicrisp_core.model import Outcome, Pose, Status
from hicrisp_core.model.picture import Lens
from hicrisp_core.ports.observer import Frames
from hicrisp_core.robot.description import RobotBody
from hicrisp_core.scene.cameras import Mounting
from hicrisp_core.scene.tags import Tag

from hicrisp_perception.calibration.hand_eye import LEAST, Calibration, NoCalibration, TagView, hand_eye
from hicrisp_perception.calibration.stances import Stance, Stances, ToolReach
from hicrisp_perception.tags.reader import TagFinder

_BLIND = 10
"""Pictures without the tag, from the first one on, after which it is given up."""
_BEYOND = 0.05
"""How much nearer and farther than where it places objects an arm may hold its tool, metres."""
_OVER = (Status.LOST, Status.SAFETY, Status.CANCELED, Status.INVALID)
"""Outcomes of a motion after which no other one is tried."""


class Look(NamedTuple):
    """A picture's colour and lens, and the robot's frames in the world at its moment."""

    colour: np.ndarray
    lens: Lens
    frames: Frames


class Rig(Protocol):
    """An arm and a camera."""

    missing: str
    """Why there was no picture; empty after one."""

    def move(self, tool: Pose) -> Outcome:
        """Move the tool to a pose around obstacles, and let it come to rest.

        Args:
            tool: tool pose, world frame.

        Returns:
            What the driver reports.
        """

    def look(self) -> Optional[Look]:
        """Take an image.

        Returns:
            The image with the pose of the moving link; ``None`` without one.
        """


@dataclass(frozen=True)
class Bench:
    """What a camera is calibrated with.

    Args:
        tag: on a link of the arm for a camera that stands still, on what stands still (with its pose in the
            world) for one on a link.
        tool: frame of the arm's tool centre point.
        reach: where the arm can hold it.
        views: pictures of the tag that are taken.
        position: greatest standard deviation of a mounting that is good enough, metres.
        turn: of its orientation, radians.
    """

    tag: Tag
    tool: str
    reach: ToolReach
    views: int = 20
    position: float = 0.003
    turn: float = math.radians(0.3)

    def __post_init__(self) -> None:
        if self.views < LEAST:
            raise ValueError(f"at least {LEAST} views are needed, got {self.views}")


def reach_of(body: RobotBody) -> ToolReach:
    """Return where an arm can hold its tool during calibration.

    Args:
        body: description of the arm.

    Returns:
        The reach, metres in the world frame.
    """
    least, greatest = body.distances
    return ToolReach(body.origin, max(0.0, least - _BEYOND), greatest + _BEYOND)


def calibrate(rig: Rig, bench: Bench, mounting: Mounting, dice: np.random.Generator,
              tell: Callable[[str], None]) -> Union[Calibration, NoCalibration]:
    """Find the mounting of a camera.

    Args:
        rig: moves the arm, and takes images.
        bench: tag, tool frame and reach.
        mounting: approximate pose and link of the camera, from which the views are chosen.
        dice: random generator.
        tell: called with progress messages.

    Returns:
        The calibration, or why there is none.
    """
    first = rig.look()
    if first is None:
        return NoCalibration("No picture comes; check that the camera runs.")
    carrier = mounting.link or bench.tag.thing
    missing = [name for name in (carrier, bench.tool) if name not in first.frames]
    if missing:
        return NoCalibration(f"The frame {missing[0]} is not there; there are: "
                             f"{', '.join(sorted(first.frames))}.")
    to_tool = first.frames[carrier][0].inverse().compose(first.frames[bench.tool][0])
    stances = Stances(bench.tag, first.lens, mounting.pose, mounting.in_hand, to_tool, bench.reach, dice)
    return _Session(rig, bench, mounting, stances, carrier, first.lens, tell).run()


class _Session:
    """One calibration on its way."""

    def __init__(self, rig: Rig, bench: Bench, mounting: Mounting, stances: Stances, carrier: str, lens: Lens,
                 tell: Callable[[str], None]) -> None:
        self._rig, self._bench, self._mounting, self._stances = rig, bench, mounting, stances
        self._carrier, self._lens, self._tell = carrier, lens, tell
        self._finder = TagFinder()
        self._views: List[TagView] = []
        self._blind = 0

    def run(self) -> Union[Calibration, NoCalibration]:
        for _ in range(4 * self._bench.views):
            stance = self._stances.next()
            if stance is None or len(self._views) == self._bench.views:
                break
            given_up = self._visit(stance)
            if given_up is not None:
                return given_up
        found = self._found()
        if isinstance(found, NoCalibration):
            return found
        if found.position > self._bench.position or found.turn > self._bench.turn:
            return NoCalibration(
                f"After {found.used} views the mounting is known to {1000.0 * found.position:.1f} mm and "
                f"{math.degrees(found.turn):.2f} degrees, and {1000.0 * self._bench.position:g} mm and "
                f"{math.degrees(self._bench.turn):.2g} degrees are needed; take more views, or a larger tag.")
        return found

    def _visit(self, stance: Stance) -> Optional[NoCalibration]:
        """Take a view; return why no view is possible, if that is so."""
        outcome = self._rig.move(stance.tool)
        if outcome.status in _OVER:
            return NoCalibration(f"The arm does not go on: {outcome.message}")
        if not outcome.ok:
            self._stances.avoid(stance)
            return None
        look = self._rig.look()
        if look is None or self._carrier not in look.frames:
            return NoCalibration("The camera fell silent; check that it runs, and begin again.")
        corners = self._finder.find(look.colour).get(self._bench.tag.number)
        if corners is None:
            self._stances.avoid(stance)
            self._blind += 1
            if not self._views and self._blind >= _BLIND:
                return NoCalibration(
                    f"The tag {self._bench.tag.number} is in none of {self._blind} pictures: check its "
                    "number and its place in the tag file, and that the camera's file has about the right mounting.")
            return None
        link = look.frames[self._carrier][0]
        self._take(TagView(corners, link.inverse() if self._mounting.in_hand else link))
        return None

    def _take(self, view: TagView) -> None:
        self._views.append(view)
        self._stances.learn(view.link)
        found = self._found() if len(self._views) >= LEAST else None
        if isinstance(found, Calibration):
            self._stances.believe(found.mounting, found.tag)
            self._tell(f"View {len(self._views)} of {self._bench.views}: known to "
                       f"{1000.0 * found.position:.1f} mm and "
                       f"{math.degrees(found.turn):.2f} degrees.")
        else:
            self._tell(f"View {len(self._views)} of {self._bench.views}.")

    def _found(self) -> Union[Calibration, NoCalibration]:
        return hand_eye(self._views, self._bench.tag, self._lens, self._mounting.pose)

"""A plan waits for a whole picture of the world, says what it waits for, and does not wait for what is
lost.
"""

from __future__ import annotations

import math
from dataclasses import replace
from threading import Event
from typing import List, Optional, Sequence, Tuple

from hicrisp_core.model import Pose, RobotState, WorldObject, WorldState
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.ports.picture import wait_for_picture

HERE = Pose((0.4, 0.0, 0.0))
BOX = WorldObject("red_box", "box", pose=HERE)
LOST = WorldObject("red_box", "box", pose=HERE, pose_age=9.1, lost=True)
NEVER = WorldObject("red_box", "box", pose_age=math.inf)
CAN = WorldObject("can", "cylinder", pose=HERE)


class Film:
    """Shows one state of the world after another, then the last one for ever."""

    def __init__(self, *states: Optional[WorldState]) -> None:
        self._states = states
        self.shown = 0

    def next(self, seen: int, seconds: float) -> Tuple[int, Optional[WorldState]]:
        state = self._states[min(self.shown, len(self._states) - 1)]
        self.shown += 1
        return self.shown, state


def world(*things: WorldObject, agv: Optional[Pose] = HERE) -> WorldState:
    return WorldState({thing.name: thing for thing in things}, robots={"agv": RobotState("agv", "base", agv)})


def wait(
    film: Film, seconds: float = 30.0, robots: Sequence[str] = ("agv",), cancel: bool = False
) -> Tuple[str, List[str]]:
    told: List[str] = []
    canceled = Event()
    if cancel:
        canceled.set()
    return wait_for_picture(film, robots, Deadline(seconds), canceled, told.append), told


def test_a_whole_picture_is_not_waited_for() -> None:
    film = Film(world(BOX, CAN))
    assert wait(film) == ("", [])
    assert film.shown == 1


def test_it_waits_for_things_and_robots_and_says_for_which() -> None:
    film = Film(None, world(NEVER, CAN, agv=None), world(BOX, CAN, agv=None), world(BOX, CAN))
    missing, told = wait(film)
    assert missing == ""
    assert told == ["waiting to see any state of the world", "waiting to see red box; agv",
                    "waiting to see agv"]


def test_what_is_lost_is_named_and_not_waited_for() -> None:
    film = Film(world(LOST, CAN))
    assert wait(film) == ("Not in the picture: the red box has not been seen for 9.1 s.", [])
    assert film.shown == 1


def test_what_is_wrong_with_the_camera_is_said_with_what_is_missing() -> None:
    blind = replace(world(NEVER, CAN), trouble="The camera is 20 mm off its mounting.")
    missing, told = wait(Film(blind), seconds=0.0)
    assert missing == "Not in the picture: the red box was never seen. The camera is 20 mm off its mounting."
    assert wait(Film(blind, world(BOX, CAN)))[1] == [
        "waiting to see red box: The camera is 20 mm off its mounting."]


def test_when_the_time_is_over_it_says_what_is_missing() -> None:
    missing, told = wait(Film(world(NEVER, CAN, agv=None)), seconds=0.0)
    assert missing == "Not in the picture: the red box was never seen; the robot agv is not seen."
    assert told == []
    assert wait(Film(None), seconds=0.0)[0] == "No state of the world has arrived."


def test_a_cancel_ends_the_wait() -> None:
    assert wait(Film(world(NEVER, CAN)), cancel=True)[0] == "Not in the picture: the red box was never seen."


def test_a_world_of_facts_has_no_picture_to_wait_for() -> None:
    facts = WorldState({"glass": WorldObject("glass", "glass")}, robots={"robot": RobotState("robot")})
    assert wait(Film(facts), robots=("robot",)) == ("", [])


def test_a_robot_with_stamps_from_the_future_is_named_with_how_far_ahead() -> None:
    state = replace(world(BOX, CAN), robots={"agv": RobotState("agv", "base", ahead=4.0)})
    missing, told = wait(Film(state), seconds=0.3)
    assert missing == "Not in the picture: the robot agv has poses that are stamped 4.0 s ahead of the clock."
    assert told == ["waiting to see agv"]

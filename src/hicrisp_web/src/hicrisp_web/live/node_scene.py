"""The scene that the workspace has loaded: its section, its examples, and what a typed task would mean."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import Callable, Dict, Optional

from hicrisp_core.domain import Domain
from hicrisp_core.errors import HicrispError
from hicrisp_core.model import WorldState
from hicrisp_core.robot.safety import load_safety
from hicrisp_core.scene.scene_record import Box, scene_section
from hicrisp_ros.config_files import Configuration
from hicrisp_ros.conversions import UNDERSTOOD, WORLD
from hicrisp_ros.node_threads import NodeThread
from hicrisp_ros.scene_change import SceneFollower
from hicrisp_ros.service_client import ServiceClient

from hicrisp_msgs.msg import WorldState as WorldStateMsg
from hicrisp_msgs.srv import ReadTask, ReadTaskRequest
from hicrisp_web.live.brain_reading import meaning_shown
from hicrisp_web.server.page_actions import PageAction, Said
from hicrisp_web.view.board import Board
from hicrisp_web.view.scene_view import camera_section, tolerance_section

_NO_WORLD = WorldState()
_READ_LIMIT, _EXAMPLES_LIMIT = 5.0, 30.0
"""Wall seconds for one answer of the brain."""


class NodeScene:
    """Puts the scene and its examples onto the board, and follows when another one is loaded.

    Args:
        safety: file with the box of the tool's goals; empty where there is none.
        seen: gives the latest state of the world, where there is one.
    """

    def __init__(self, board: Board, configuration: Configuration, safety: str,
                 seen: Callable[[], Optional[WorldStateMsg]]) -> None:
        self._board = board
        self._seen = seen
        self._workspace = _workspace(safety)
        self._news = Event()
        self._configuration = configuration
        self._brain = ServiceClient("brain/read", ReadTask)
        self._show(configuration)
        self._follower = SceneFollower(self._show)
        NodeThread("examples", self._loop, self._news.set).start()

    def domain(self) -> Domain:
        """The domain of the scene that is loaded now."""
        return self._configuration.domain

    def world(self) -> WorldState:
        """Return what was observed last; before that a symbolic scene's first state, or an empty world."""
        return WORLD.from_msg(self._observed())

    def actions(self) -> Dict[str, PageAction]:
        """What reads only."""
        return {"read": PageAction(self._read, {"task": str})}

    def _show(self, configuration: Configuration) -> None:
        self._configuration = configuration
        scene, budget = configuration.scene, configuration.policy.budget
        workspace = self._workspace if scene.arena is None or len(scene.robots) > 1 else None
        self._board.put({
            "scene": scene_section(scene, workspace), "camera": camera_section(scene),
            "tolerances": tolerance_section(configuration.domain), "examples": [scene.task] if scene.task else [],
            "budget": {"calls": budget.llm_calls, "tokens": budget.tokens, "seconds": budget.seconds,
                       "corrections": budget.corrections, "policy": configuration.policy.name}})
        self._news.set()

    def _observed(self) -> WorldStateMsg:
        scene = self._configuration.scene
        return self._seen() or WORLD.to_msg(scene.first_state() if scene.symbolic else _NO_WORLD)

    def _read(self, task: str) -> Said:
        """Return what the brain makes of words that are being typed."""
        found = self._brain.call(ReadTaskRequest(task, self._observed(), False), _READ_LIMIT).response
        if found is None:
            return Said(False, "The brain does not answer; ask again once it is back.")
        meaning = UNDERSTOOD.from_msg(found.meaning).meaning if found.read else None
        if meaning is None:
            return Said(False, "")
        return Said(True, "", {**meaning_shown(meaning, self.domain()), "steps": list(found.steps)})

    def _loop(self, ended: Event) -> None:
        """Find examples once something was seen; it takes a second, which nobody waits for."""
        while not ended.is_set():
            self._news.wait()
            while not ended.wait(0.2) and self._seen() is None:
                continue
            self._news.clear()
            if ended.is_set():
                return
            asked = ReadTaskRequest(self._configuration.scene.task, self._observed(), True)
            found = self._brain.call(asked, _EXAMPLES_LIMIT).response
            if found is not None:
                self._board.put({"examples": list(found.examples)})


def _workspace(safety: str) -> Optional[Box]:
    """The ground under the box; nothing where no file says."""
    if not safety or not Path(safety).is_file():
        return None
    try:
        limits = load_safety(safety)
    except HicrispError:
        return None  # The driver, which needs it, says what is wrong with it.
    return (*limits.low[:2], *limits.high[:2])

"""The lab's door: the arm's driver as at a table, the base behind ``/move_base``, one clock and one tree
of frames.
"""

from __future__ import annotations

from typing import Dict, FrozenSet, Sequence, Tuple

from hicrisp_core.model import Pose, WorldState
from hicrisp_core.scene import Scene
from hicrisp_core.scene.lab import tray_in_base
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.ports.observer import TopicObserver
from hicrisp_ros.static_frames import StaticFrames

from hicrisp_sim.agv_topics import AgvTopics
from hicrisp_sim.lab.world import LabWorld
from hicrisp_sim.move_base_server import MoveBaseServer
from hicrisp_sim.simulation import Snapshot
from hicrisp_sim.world_server import LOOK_LIMIT, Perception, WorldServer


class LabServer(WorldServer):
    """Serves a lab. The loop of the base advances time while nothing moves."""

    def __init__(self, world: LabWorld, eyes: TopicObserver, sigma: float = 0.0,
                 perception: Perception = Perception.POSES) -> None:
        self._lab = world
        self._riding: FrozenSet[str] = frozenset()
        """What is seen to go where the base goes."""
        trays = [start.tray for start in world.scene.arena.starts.values()] if world.scene.arena else []
        frame = world.eyes.frame_of(world.base_settings.name)
        self._own = frozenset((frame, *trays))
        static = StaticFrames()
        self._topics = AgvTopics(world.base, frame, clock=False,
                                 tray=(trays[0], tray_in_base()) if any(trays) else None, static=static,
                                 faults=world.base_faults)
        super().__init__(world, eyes, sigma, perception, static)

    def _let_time_pass(self) -> None:
        self._follow()
        self._drives = MoveBaseServer(self._lab.base)
        self._lab.base_faults.leave = self._drives.leave

    def _follow(self) -> None:
        self._lab.base.followers.append(self._after_period)

    def _after_period(self) -> None:
        self._publish()
        self._topics.publish()

    def _frames(self, snapshot: Snapshot) -> Dict[str, Tuple[Pose, float]]:
        """Return all but those of the base, which hang in the tree by way of its odometry."""
        return {name: found for name, found in super()._frames(snapshot).items() if name not in self._own}

    def _look(self) -> WorldState:
        """As at a table, without a wait for the base and for what it carries."""
        self._publish()
        self._eyes.world_changed()
        base = self._lab.base_settings.name
        seen = self._eyes.observe_beside(lambda: self._riding | {base}, Deadline(LOOK_LIMIT))
        aboard = self._lab.domain.roles.aboard
        self._riding = frozenset(fact.subject for fact in seen.relations
                                 if aboard and fact.predicate == aboard and fact.object == base)
        return seen

    def _reset(self, scene: Scene, seed: int) -> Sequence[str]:
        self._drives.cancel_all()
        with self._drives.wheel:
            problems = super()._reset(scene, seed)
            self._follow()
        self._topics.begin()
        return problems

"""Which embedded world the parameters ask for; and the doors of the arena and of the lab."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Dict, FrozenSet, Sequence, Tuple, Union

import rospy
from hicrisp_core.errors import ConfigError
from hicrisp_core.extensions import extensions
from hicrisp_core.model import Pose, WorldState
from hicrisp_core.robot.symbolic import SymbolicWorld
from hicrisp_core.scene import Scene, load_scene
from hicrisp_core.scene.lab import LAB, tray_in_base
from hicrisp_core.scene.scene import EMBEDDED
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.config_files import config_file, domain_of, parameter
from hicrisp_ros.frames import StaticFrames
from hicrisp_ros.ports.observer import TopicObserver
from hicrisp_ros.simulated_world import Resets, WorldClock, begin_faults, injected
from hicrisp_ros.tracks import by_camera

from hicrisp_msgs.srv import InjectFault, ResetWorld
from hicrisp_msgs.srv import Snapshot as SnapshotService
from hicrisp_sim.agv.fleet_world import FleetWorld
from hicrisp_sim.agv.world import AgvWorld
from hicrisp_sim.agv_topics import AgvTopics, AgvTruth
from hicrisp_sim.camera import SceneCamera
from hicrisp_sim.embedded import EmbeddedWorld
from hicrisp_sim.fact_server import FactServer
from hicrisp_sim.lab.world import LabWorld
from hicrisp_sim.move_base_server import MoveBaseServer
from hicrisp_sim.simulation import Snapshot
from hicrisp_sim.world_server import LOOK_LIMIT, WorldServer


class LabServer(WorldServer):
    """Serves a lab. The loop of the base advances time while nothing moves."""

    def __init__(self, world: LabWorld, eyes: TopicObserver, sigma: float = 0.0,
                 camera: bool = False) -> None:
        self._lab = world
        self._riding: FrozenSet[str] = frozenset()
        """What is seen to go where the base goes."""
        trays = [start.tray for start in world.scene.arena.starts.values()] if world.scene.arena else []
        frame = world.eyes.frame_of(world.base_settings.name)
        self._own = frozenset((frame, *trays))
        static = StaticFrames()
        self._topics = AgvTopics(world.base, frame,
                                 tray=(trays[0], tray_in_base()) if any(trays) else None, static=static,
                                 faults=world.base_faults)
        super().__init__(world, eyes, sigma, camera, static)

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


class _BaseServer:
    """Serves one base of an arena; the action and its services are under ``ROOT/move_base``."""

    def __init__(self, world: AgvWorld, clock: WorldClock, root: str) -> None:
        self.world = world
        self.topics = AgvTopics(world.base, world.eyes.frame_of(world.base.name), clock, faults=world.faults, root=root)
        self._truth = AgvTruth(world.base)
        self.follow()
        self.drives = MoveBaseServer(world.base, root)
        world.faults.leave = self.drives.leave

    def follow(self) -> None:
        self.world.base.followers.append(self._after_period)

    def _after_period(self) -> None:
        self.topics.publish()
        self._truth.publish()


class AgvServer:
    """Serves an arena. The topics, services and actions of several bases are under ``/NAME``; those of the world are in
    the node's namespace."""

    def __init__(self, world: FleetWorld) -> None:
        self._world = world
        self._camera = SceneCamera(world.simulation)
        clock, several = WorldClock(world.simulation.follow), len(world.bases) > 1
        begin_faults(world.scene.faults)
        self._bases = [_BaseServer(base, clock, f"/{name}" if several else "") for name, base in world.bases.items()]
        self._remember()
        self._resets = Resets(world.scene, self._reset)
        self._services = (
            rospy.Service("inject_fault", InjectFault, lambda request: injected(request, world.inject)),
            rospy.Service("reset_world", ResetWorld, self._resets.answer),
            rospy.Service("snapshot", SnapshotService, self._camera.answer),
        )

    def _remember(self) -> None:
        first = self._bases[0].world
        first.base.followers.append(lambda: self._camera.remember(first.simulation.snapshot))

    def _reset(self, scene: Scene, seed: int) -> Sequence[str]:
        for base in self._bases:
            base.drives.cancel_all()
        with ExitStack() as held:
            for base in self._bases:
                held.enter_context(base.drives.wheel)
            self._world.reset(scene, seed)
            for base in self._bases:
                base.follow()
            self._remember()
        begin_faults(scene.faults)
        self._camera.forget()
        for base in self._bases:
            base.topics.begin()
        return ()


_RECENT = 0.3
"""Seconds of the ROS clock: a picture that was taken so shortly before the arm looks need not be taken again,
where nothing was moved since; two of a camera are half as far apart.
"""


def build() -> Union[WorldServer, AgvServer, FactServer]:
    """Create the world that the parameters name: of an arm, a base, or of facts only if the scene has no geometry.

    Returns:
        The server.
    """
    seed, rate = int(parameter("seed", 0)), float(parameter("rate", 1.0))
    scene = load_scene(config_file("scenes", str(parameter("scene", "tabletop"))), seed)
    if scene.symbolic and extensions().worlds.get(scene.world).launch == EMBEDDED:
        domain = domain_of(scene)
        return FactServer(
            scene, lambda begun: SymbolicWorld(domain, begun.first_state(), begun.robots[0]), rate)
    sigma, camera = float(parameter("sigma", 0.0)), by_camera()
    eyes = TopicObserver(still=0.01, window=0.05, patience=1.0,
                         recent=_RECENT if camera else 0.1)
    if scene.world == LAB:
        return LabServer(LabWorld(scene, seed, rate), eyes, sigma, camera)
    if scene.arena is not None:
        return AgvServer(FleetWorld(scene, seed, rate))
    if scene.world != EMBEDDED:
        raise ConfigError(f"scene {scene.name} is of the world '{scene.world}': launch it with "
                          f"world:={scene.world}")
    return WorldServer(EmbeddedWorld(scene, seed, rate), eyes, sigma, camera)

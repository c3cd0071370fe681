"""What every simulated world's node does: inject faults, reset, and publish both in its private parameters.

Writers of results read ``~faults``, what was made to go wrong, ``~scene`` and ``~seed``, which layout
it was.
"""

from __future__ import annotations

import math
from threading import Lock
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence

import rosgraph
import rospy
from hicrisp_core.detector.state_estimator import StateEstimator
from hicrisp_core.errors import ConfigError, HicrispError
from hicrisp_core.model import WorldState
from hicrisp_core.scene import Scene, SceneFault, load_scene
from hicrisp_core.time import Deadline, wait_until
from rosgraph_msgs.msg import Clock
from tf2_msgs.msg import TFMessage

from hicrisp_msgs.srv import InjectFaultRequest, InjectFaultResponse, ResetWorldRequest, ResetWorldResponse
from hicrisp_ros.config_files import Configuration, config_file, config_files_of
from hicrisp_ros.conversions.geometry import frames_from_msg
from hicrisp_ros.publisher import Publisher
from hicrisp_ros.scene_change import let_all_follow, let_all_forget, tasks_held

Inject = Callable[[str, str, Sequence[float], int], str]
"""Makes a fault of a kind, target, magnitude and count happen, and says what was done."""


_CLOCK = "/clock"
_FIRST_TICK = 5.0
"""Wall seconds in which a clock that another node publishes must tick."""
_TOPIC = "ground_truth"
_PATIENCE = 3.0
"""Wall seconds in which a simulation that publishes true poses does so."""


class WorldClock:
    """Publishes the world's time as the ROS clock, unless another node on this master does: two clocks are none.

    Args:
        follow: is given that other clock, for the world to keep up with.
    """

    def __init__(self, follow: Callable[[Callable[[], float]], None] = lambda clock: None) -> None:
        self._lock, self._told = Lock(), -math.inf
        self._publisher: Optional[Publisher] = Publisher(_CLOCK, Clock, queue_size=5, tcp_nodelay=True)
        published, _, _ = rosgraph.Master(rospy.get_name()).getSystemState()
        # The master has them in the order in which they came.
        first = next((nodes[0] for topic, nodes in published if topic == _CLOCK), "")
        self.led_by = ""
        """Who publishes the clock that the world has to follow; empty if it leads."""
        # A node that was killed is known to the master still, and does not tick.
        if first not in ("", rospy.get_name()) and wait_until(
                lambda: rospy.get_time() > 0.0, Deadline(_FIRST_TICK), in_vain=rospy.is_shutdown):
            self.led_by = first
            self._publisher.unregister()
            self._publisher = None
            rospy.loginfo("this world follows the clock of %s", first)
            follow(rospy.get_time)

    def tell(self, now: float) -> None:
        """Publish the time of the world that leads the clock; an earlier one than before is left out.

        Args:
            now: simulation time, seconds.
        """
        with self._lock:
            if self._publisher is not None and now >= self._told:
                self._told = now
                self._publisher.publish(Clock(rospy.Time.from_sec(now)))


def begin_faults(faults: Iterable[SceneFault]) -> None:
    """Publish the initial faults; earlier ones are removed.

    Args:
        faults: kind, target, magnitude and count of each.
    """
    rospy.set_param("~faults", [_entry(fault) for fault in faults])


def add_fault(fault: SceneFault) -> None:
    """Publish one more fault.

    Args:
        fault: kind, target, magnitude and count.
    """
    rospy.set_param("~faults", [*rospy.get_param("~faults", []), _entry(fault)])


def injected(request: InjectFaultRequest, inject: Inject) -> InjectFaultResponse:
    """Answer a request to inject a fault.

    Args:
        request: kind, target, magnitude and count.
        inject: injects the fault, and returns what was done.

    Returns:
        The response.
    """
    try:
        said = inject(request.kind, request.target, request.magnitude, request.count)
    except HicrispError as error:
        return InjectFaultResponse(False, str(error))
    add_fault(SceneFault(request.kind, request.target, tuple(request.magnitude), request.count))
    return InjectFaultResponse(True, said)


Begin = Callable[[Scene, int], Sequence[str]]
"""Begins again with a scene that was drawn with a seed; what did not go well, as sentences."""


class Resets:
    """Answers ``reset_world``: which scene and seed it means, whether that fits, and that every node follows.

    Args:
        scene: the scene at the start; its seed is the one of the launch.
        begin: puts the world back. It may raise ``HicrispError``.
    """

    def __init__(self, scene: Scene, begin: Begin) -> None:
        self._launched = scene.seed
        self._scene = scene
        self._named = scene.source or scene.name
        self._begin = begin
        rospy.set_param("~seed", scene.seed)  # It tells others that this node simulates, and what was drawn.

    def answer(self, request: ResetWorldRequest) -> ResetWorldResponse:
        """Reset the world, or refuse.

        Args:
            request: an empty scene keeps the current one; seed 0 is the seed of the launch, -1 is seed 0.

        Returns:
            Whether the world was reset, or why not.
        """
        with tasks_held() as busy:
            if busy:
                return ResetWorldResponse(False, busy)
            try:
                return self._reset(request.scene or self._named, self._seed(int(request.seed)))
            except HicrispError as error:
                return ResetWorldResponse(False, str(error))

    def _seed(self, asked: int) -> int:
        if asked < ResetWorldRequest.SEED_ZERO:
            raise ConfigError(f"no seed {asked}; give one from 1 on, 0 for the seed of the launch "
                              f"({self._launched}), or -1 for seed 0")
        return 0 if asked == ResetWorldRequest.SEED_ZERO else asked or self._launched

    def _reset(self, named: str, seed: int) -> ResetWorldResponse:
        scene = load_scene(config_file("scenes", named), seed)
        if kind_of(scene) != kind_of(self._scene):
            raise ConfigError(_misfit(scene, self._scene))
        problems = list(self._begin(scene, seed))
        changed = scene.source != self._scene.source
        self._scene, self._named = scene, named
        rospy.set_param("~seed", int(seed))
        rospy.set_param("~resets", int(rospy.get_param("~resets", 0)) + 1)
        if changed:
            rospy.set_param("~scene", named)
            problems += let_all_follow(named, seed)
        else:
            problems += let_all_forget()
        return ResetWorldResponse(not problems,
                                  "; ".join((f"scene {scene.name} with seed {seed}", *problems)))


def kind_of(scene: Scene) -> Dict[str, str]:
    """Return the properties of a scene that a running world cannot change.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.

    Returns:
        Values by name, in words.
    """
    starts = scene.arena.starts if scene.arena is not None else {}
    bases = {name: f" (radius {start.radius:g} m{', tray ' + start.tray if start.tray else ''})"
             for name, start in starts.items()}
    return {"world": scene.world, "domain": scene.domain,
            "robots": ", ".join(name + bases.get(name, "") for name in sorted(scene.robots))}


def _misfit(scene: Scene, running: Scene) -> str:
    """Return why a scene cannot be changed to, and what to do."""
    wanted, there = kind_of(scene), kind_of(running)
    wrong = ", ".join(f"{what}: {wanted[what]} instead of {has}" for what, has in there.items()
                      if wanted[what] != has)
    return (f"scene {scene.name} does not fit what runs ({wrong}); these do: {', '.join(_fitting(running))}. "
            f"For {scene.name}, launch again with scene:={scene.name}")


def _fitting(running: Scene) -> List[str]:
    """Return the scenes of the configuration that the running world can change to."""
    found: List[str] = []
    for file in config_files_of("scenes"):
        try:
            fits = kind_of(load_scene(file)) == kind_of(running)
        except HicrispError:
            continue  # An invalid file is not offered as a scene.
        if fits:
            found.append(file.stem)
    return found


def _entry(fault: SceneFault) -> Dict[str, Any]:
    return {"fault": fault.kind, "target": fault.target,
            "magnitude": [float(value) for value in fault.magnitude],
            "count": fault.count}


def true_state(configuration: Configuration) -> Optional[WorldState]:
    """Return the world as its simulation knows it.

    Args:
        configuration: scene and domain of the running workspace.

    Returns:
        ``None`` if no node publishes true poses; an empty world, in which nothing holds, if they do not arrive.
    """
    if [rospy.resolve_name(_TOPIC), TFMessage._type] not in rospy.get_published_topics():
        return None
    try:
        frames = frames_from_msg(rospy.wait_for_message(_TOPIC, TFMessage, _PATIENCE))
    except rospy.ROSException as error:
        rospy.logwarn("nothing is kept of this run: the simulation's true poses do not come (%s)", error)
        return WorldState()
    newest = max((stamp for _, stamp in frames.values()), default=0.0)
    return StateEstimator(configuration.scene, configuration.domain).see(frames, newest)

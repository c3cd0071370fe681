"""Pictures through the perception node: its camera's topics in, its tracks out, and how long that takes."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Condition, Event
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple
from xml.sax.saxutils import quoteattr
from xmlrpc.client import ServerProxy

import rosgraph
import rospy
from hicrisp_core.factory import load_factory
from hicrisp_core.model import Picture, Pose, Task
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.scene import Scene
from hicrisp_core.scene.cameras import CameraSettings, load_camera
from hicrisp_core.time import Deadline, wait_on, wait_until
from hicrisp_nodes.cli.client import become_node
from hicrisp_nodes.cli.graph import Graph, MasterPort
from hicrisp_nodes.cli.launch import Launch
from hicrisp_ros.conversions.geometry import transform_to_msg
from hicrisp_ros.conversions.picture import colour_to_msg, depth_to_msg, lens_to_msg
from hicrisp_ros.conversions.world import WORLD_FRAME
from hicrisp_ros.frames import StaticFrames
from hicrisp_ros.tracks import TRACKS
from hicrisp_sim.embedded import EmbeddedWorld
from hicrisp_sim.tracker import Tracker
from sensor_msgs.msg import CameraInfo, Image
from tf2_msgs.msg import TFMessage

from hicrisp_bench.eyes.trial import TAGS, EyesTrial, layout
from hicrisp_bench.pool import Result
from hicrisp_bench.statistics import spread
from hicrisp_bench.suite import Runner
from hicrisp_msgs.msg import TrackArray

Moment = Tuple[Picture, Dict[str, Pose]]
"""A picture, and the robot's frames when it was taken."""
NODE = "/perception"
_START_LIMIT, _ANSWER_LIMIT = 120.0, 20.0
"""Wall seconds for the node to be there, and for the tracks of a picture to come."""
_PROCESS_CLOCK = 2
"""What Linux adds to a process's number for the clock of its processor time."""
_ROUNDED = 1e-3
"""Seconds by which a stamp may come back earlier."""


@contextmanager
def task_stream(config: Path, scene: Scene, seed: int, most: int) -> Iterator[Iterator[Moment]]:
    """What a camera sees while the scene's own task is carried out in one process, at the camera's rate of
    simulated time.

    Args:
        most: pictures, from the first on.
    """
    parts = load_factory(config, scene.domain, "hierarchical", bodies=bodies_of(scene))
    world = EmbeddedWorld(scene, seed, domain=parts.domain)
    period, moments, enough = 1.0 / world.camera.settings.rate, [world.simulation.snapshot], Event()

    def remember() -> None:
        snapshot = world.simulation.snapshot
        if len(moments) >= most:
            enough.set()
        elif snapshot.time - moments[-1].time >= period:
            moments.append(snapshot)

    world.simulation.listeners.append(remember)
    try:
        executive = parts.executive({world.robot.name: world.robot}, world, lambda event: None, enough)
        executive.run(Task(scene.task))
        world.simulation.listeners.remove(remember)
        tracker = Tracker(world.description.links())
        yield ((picture, tracker.read(snapshot)[0]) for snapshot in moments
               for picture in (world.camera.take(snapshot),) if picture is not None)
    finally:
        world.close()


def run_through_node(
    config: Path, cases: Sequence[Tuple[str, str]], seed: int, frames: int, runner: Runner
) -> List[Dict[str, Any]]:
    """A row for each scene and method: how long the node takes for a picture of a task.

    Args:
        frames: pictures of each, at most.
    """
    return runner.run_together([[_Stream(config, scene, method, seed, frames)] for scene, method in cases], "frames")


class _Stream(EyesTrial):
    """How long the node takes for the pictures of a task; this process is its camera."""

    def key(self) -> str:
        return f"through the node: {super().key()}"

    def run(self) -> Result:
        with TemporaryDirectory(prefix="hicrisp_eyes_") as folder:
            return _run(self, Path(folder))


def _launch_file(folder: Path, scene: Path, seed: int) -> Path:
    """Write a launch file of the perception alone."""
    file = folder / "eyes.launch"
    file.write_text(f"""<launch>
  <param name="scene" value={quoteattr(str(scene))}/>
  <param name="seed" value="{seed}"/>
  <include file="$(find hicrisp_bringup)/launch/include/perception.launch"/>
</launch>
""", encoding="utf-8")
    return file


def _run(trial: EyesTrial, folder: Path) -> Result:
    scene = replace(layout(trial.config, trial.scene, trial.seed), tags=trial.method == TAGS)
    file = folder / f"{trial.scene}.yaml"
    told = (trial.config / "scenes" / f"{trial.scene}.yaml").read_text(encoding="utf-8")
    file.write_text(f"{told}\ntags: true\n" if trial.method == TAGS else told, encoding="utf-8")
    camera = load_camera(scene.camera, scene.source or None)
    port = MasterPort()
    uri = f"http://127.0.0.1:{port.number}"
    launch = Launch(str(_launch_file(folder, file, trial.seed)), {}, folder / "launch.log", uri, package="")
    shown: List[Tuple[float, float]] = []
    with task_stream(trial.config, scene, trial.seed, trial.pictures) as stream:
        try:
            with _one_core():
                launch.start()
            wait_until(Graph(uri).reachable, Deadline(_START_LIMIT), in_vain=lambda: not launch.alive)
            become_node(uri)
            feeder = _Feeder(camera)
            if not wait_until(feeder.heard, Deadline(_START_LIMIT), in_vain=lambda: not launch.alive):
                return {"crashed": "\n".join(launch.tail(3)) or "the node did not start"}
            there: Any = ServerProxy(rosgraph.Master("/hicrisp_bench").lookupNode(NODE))
            node = int(there.getPid("/hicrisp_bench")[2])
            for picture, robot in stream:
                before = _processor_seconds(node)
                taken = feeder.show(picture, robot)
                if taken is not None:
                    shown.append((taken, _processor_seconds(node) - before))
                time.sleep(max(0.0, 1.0 / camera.rate - (taken or 0.0)))
        finally:
            launch.stop()
    wall, processor = (spread([1000.0 * each[which] for each in shown]) for which in (0, 1))
    return {"scene": trial.scene, "method": trial.method, "seed": trial.seed,
            "n": len(shown), "wall_ms": wall.get("median"), "wall_ms_p95": wall.get("p95"),
            "cpu_ms": processor.get("median"), "cpu_ms_p95": processor.get("p95"),
            "cpu_ms_worst": processor.get("worst")}


def _processor_seconds(process: int) -> float:
    """What all threads of a process have used so far, those that ended included."""
    return time.clock_gettime(~process << 3 | _PROCESS_CLOCK)


@contextmanager
def _one_core() -> Iterator[None]:
    """Inside, what is started has one core, and this process the others, where there are others."""
    cores = os.sched_getaffinity(0)
    one = {max(cores)}
    os.sched_setaffinity(0, one)
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores - one or cores)


class _Feeder:
    """A camera's driver and a robot's state publisher, for one picture at a time."""

    def __init__(self, camera: CameraSettings) -> None:
        names = camera.topics
        self._frame = camera.frame
        self._colour = rospy.Publisher(names.colour, Image, queue_size=1, tcp_nodelay=True)
        self._depth = rospy.Publisher(names.depth, Image, queue_size=1, tcp_nodelay=True)
        self._info = rospy.Publisher(names.info, CameraInfo, queue_size=1, tcp_nodelay=True)
        self._tf = rospy.Publisher("/tf", TFMessage, queue_size=5, tcp_nodelay=True)
        self._static = StaticFrames()
        self._static.put([transform_to_msg(WORLD_FRAME, self._frame, camera.mounting.pose, rospy.Time())])
        self._news, self._answered, self._at = Condition(), 0.0, 0.0
        self._tracks = rospy.Subscriber(TRACKS, TrackArray, self._on_tracks, queue_size=1, tcp_nodelay=True)

    def heard(self) -> bool:
        """Whether the node is connected with all of it."""
        topics = (self._colour, self._depth, self._info, self._tf, self._tracks)
        return all(topic.get_num_connections() for topic in topics)

    def show(self, picture: Picture, robot: Dict[str, Pose]) -> Optional[float]:
        """Send a picture as if it were of now; the wall seconds until its tracks came, ``None`` where they
        did not.
        """
        stamp = rospy.Time.now()
        self._tf.publish(TFMessage([transform_to_msg(WORLD_FRAME, name, pose, stamp) for name, pose in robot.items()]))
        messages = ((self._info, lens_to_msg(picture.lens, self._frame, stamp)),
                    (self._colour, colour_to_msg(picture.colour, self._frame, stamp)),
                    (self._depth, depth_to_msg(picture.depth, self._frame, stamp)))
        began = time.monotonic()
        for topic, message in messages:
            topic.publish(message)
        sent = stamp.to_sec() - _ROUNDED
        came = wait_on(self._news, lambda: self._answered >= sent, Deadline(_ANSWER_LIMIT))
        return self._at - began if came else None

    def _on_tracks(self, message: TrackArray) -> None:
        with self._news:
            self._answered, self._at = message.header.stamp.to_sec(), time.monotonic()
            self._news.notify_all()

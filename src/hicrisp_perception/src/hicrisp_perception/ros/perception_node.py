"""The perception over ROS: images of the camera in; tracks, and the newest image with what was recognised, out."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from random import getrandbits
from threading import Event, Lock
from typing import Any, Callable, List, Mapping, Optional, Tuple

import rospy
from geometry_msgs.msg import Vector3
from hicrisp_core.detector.perception import frames_of
from hicrisp_core.errors import HicrispError
from hicrisp_core.model import Picture, Track, Tracks, Visibility, WorldObject
from hicrisp_core.ports.observer import Frames
from hicrisp_core.ports.perception import ObjectTracker
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.scene import Scene
from hicrisp_core.scene.cameras import CameraSettings, load_camera
from hicrisp_ros.config_files import SECOND_CAMERA, Configuration, load_configuration, parameter
from hicrisp_ros.conversions import VIEW, pose_to_msg
from hicrisp_ros.conversions.geometry import transform_to_msg
from hicrisp_ros.conversions.world import WORLD_FRAME
from hicrisp_ros.diagnostics import ERROR, OK, WARN, Diagnostics, Health
from hicrisp_ros.frames import MovingFrames
from hicrisp_ros.given_names import kept_names
from hicrisp_ros.node import run
from hicrisp_ros.node_threads import NodeThread
from hicrisp_ros.publisher import Publisher
from hicrisp_ros.scene_change import SceneFollower
from hicrisp_ros.tf_world import TfWorld
from hicrisp_ros.tracks import TRACKS
from sensor_msgs.msg import CompressedImage

from hicrisp_msgs.msg import TrackArray
from hicrisp_msgs.srv import Snapshot, SnapshotRequest, SnapshotResponse
from hicrisp_perception.annotating import annotated, as_jpeg, cut_out, numbered
from hicrisp_perception.picture_witness import Take
from hicrisp_perception.ros.naming_server import NamingServer, open_naming
from hicrisp_perception.ros.picture_topics import CLOCK_JUMP, PictureTopics, SecondCamera, check_topics
from hicrisp_perception.ros.witness_server import WitnessServer, open_witness
from hicrisp_perception.sources import observe, open_source

DETECTIONS = "detections"
NOTHING = Tracks(0.0)
"""What is published before the first image."""
_SEEN = (Visibility.VISIBLE, Visibility.HELD)


class TrackPublisher:
    """Publishes views: ``tracks`` for the detector, TF for people and tools, and where that package is
    installed ``detections`` as ``vision_msgs/Detection3DArray``.
    """

    def __init__(self) -> None:
        self._last = NOTHING
        self._tracks = Publisher(TRACKS, TrackArray, queue_size=1, latch=True, tcp_nodelay=True)
        self._tf = MovingFrames()
        self._vision: Optional[Any] = import_module("vision_msgs.msg") if find_spec("vision_msgs") else None
        self._detections = None if self._vision is None else Publisher(
            DETECTIONS, self._vision.Detection3DArray, queue_size=1)

    def publish_trouble(self, why: str) -> None:
        """Publish the last view with the reason why no image can be used.

        Args:
            why: the reason, as a sentence.
        """
        self._tracks.publish(VIEW.to_msg(replace(self._last, trouble=why)))

    def forget(self) -> None:
        """Drop the last view after the world was reset."""
        self._last = NOTHING

    def publish(self, view: Tracks, objects: Mapping[str, WorldObject]) -> None:
        """Tell what is to be seen.

        Args:
            objects: what the scene holds, for their sizes.
        """
        self._last = view
        self._tracks.publish(VIEW.to_msg(view))
        seen = [track for track in view.tracks if track.visibility in _SEEN and track.stamp >= view.stamp]
        stamp = rospy.Time.from_sec(view.stamp)
        self._tf.tell([transform_to_msg(WORLD_FRAME, track.name, track.pose, stamp) for track in seen])
        if self._detections is not None and self._vision is not None:
            self._detections.publish(_detections(self._vision, seen, stamp, objects))


def _detections(
    vision: Any, seen: List[Track], stamp: rospy.Time, objects: Mapping[str, WorldObject]
) -> Any:
    """Return the objects that are seen as boxes; the number of each is its place among the scene's names, and what
    is unknown comes after them.
    """
    names = sorted(objects)
    found = vision.Detection3DArray()
    found.header.frame_id, found.header.stamp = WORLD_FRAME, stamp
    for track in seen:
        item = track.unknown or objects.get(track.name)
        detection = vision.Detection3D(header=found.header)
        detection.bbox.center = pose_to_msg(track.pose)
        detection.bbox.size = Vector3(*(item.size if item is not None else (0.0, 0.0, 0.0)))
        known = vision.ObjectHypothesisWithPose()
        known.id = names.index(track.name) if track.name in names else len(names)
        known.score = 1.0
        known.pose.pose = pose_to_msg(track.pose)
        sure = track.uncertainty
        for index, sigma in zip((0, 7, 14, 35), (sure.position, sure.position, sure.height, sure.yaw)):
            known.pose.covariance[index] = sigma ** 2
        detection.results.append(known)
        found.detections.append(detection)
    return found


SERVICE = "camera_view"
_Looked = Tuple[Picture, Tuple[Track, ...], Mapping[str, WorldObject]]


class PictureServer:
    """Serves ``camera_view``, with unknown objects by the names that they were given."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._looked: Optional[_Looked] = None
        self._drawn: Optional[Tuple[float, bytes]] = None
        self._service = rospy.Service(SERVICE, Snapshot, self._answer)

    @property
    def stamp(self) -> Optional[float]:
        """Stamp of the newest image; ``None`` before the first."""
        looked = self._looked
        return None if looked is None else looked[0].stamp

    @property
    def picture(self) -> Optional[Picture]:
        """The newest image; ``None`` before the first."""
        looked = self._looked
        return None if looked is None else looked[0]

    def show(self, picture: Picture, tracks: Tuple[Track, ...], objects: Mapping[str, WorldObject]) -> None:
        """Set the image to serve.

        Args:
            picture: colour and depth with stamp, lens and camera pose.
            tracks: tracks of the image; empty if it could not be evaluated.
            objects: shapes and sizes of the scene's objects by name.
        """
        with self._lock:
            self._looked = picture, tracks, objects

    def close(self) -> None:
        """Stop serving."""
        self._service.shutdown()

    def _answer(self, request: SnapshotRequest) -> SnapshotResponse:
        names = kept_names()
        with self._lock:
            if self._looked is None:
                return SnapshotResponse(False, "no picture has come yet", CompressedImage())
            picture, tracks, objects = self._looked
            tracks = tuple(replace(track, name=names.get(track.name, track.name)) for track in tracks)
            if request.thing:
                data = cut_out(picture, request.thing, tracks, objects)
            elif request.numbered:
                data = as_jpeg(numbered(picture, tracks, request.numbered))
            else:
                if self._drawn is None or self._drawn[0] != picture.stamp:
                    self._drawn = picture.stamp, as_jpeg(annotated(picture, tracks, objects))
                data = self._drawn[1]
            if not data:
                return SnapshotResponse(False, f"the camera does not show {request.thing}", CompressedImage())
            image = CompressedImage(format="jpeg", data=data)
        image.header.stamp = rospy.Time.from_sec(max(0.0, picture.stamp))
        return SnapshotResponse(True, "", image)


PATIENCE = 5.0
"""Wall seconds without a picture after which the log says why, and again after as many."""

OpenSight = Callable[[Scene], ObjectTracker]
"""Makes what looks at the pictures of a scene's objects."""


class PerceptionServer:
    """Looks at every picture that it has time for; the newest comes first, and what is older is dropped.

    Args:
        patience: wall seconds without a picture before the log says so.
        naming: names unknown objects, where a model for that is configured.
        witness: serves the pictures to a model that says what became of a task, where one is configured.
        second: returns the settings of a camera that shows what the first one hides, such as the hand's, once there is
            one.
    """

    def __init__(
        self, configuration: Configuration, camera: CameraSettings, sight: OpenSight,
        patience: float = PATIENCE, naming: Optional[NamingServer] = None,
        witness: Callable[[Take], Optional[WitnessServer]] = lambda take: None,
        second: Callable[[], Optional[CameraSettings]] = lambda: None,
    ) -> None:
        self._open_sight, self._patience, self._naming = sight, patience, naming
        self._lock = Lock()
        self._tf = TfWorld()
        self._publisher = TrackPublisher()
        self._pictures = PictureTopics(camera, self._tf, lambda: self._frames, self._trouble)
        self._second = SecondCamera(second, self._tf, lambda: self._frames)
        self._door = PictureServer()
        self._witness = witness(lambda: self._door.picture)
        self._looked, self._why, self._seconds = -math.inf, "", 0.0
        self._open(configuration.scene)
        self._follower = SceneFollower(self._follow, self._forget)
        self._thread = NodeThread("perception", self._loop)
        self._thread.start()
        self._diagnostics = Diagnostics("camera", self._health, camera.name)

    def stop(self) -> None:
        """Stop processing images."""
        self._thread.end()
        if self._naming is not None:
            self._naming.stop()
        if self._witness is not None:
            self._witness.stop()
        self._pictures.close()
        self._second.close()
        self._door.close()
        self._diagnostics.stop()
        self._follower.stop()

    def _open(self, scene: Scene) -> None:
        self._scene, self._sight = scene, self._open_sight(scene)
        self._frames: Tuple[str, ...] = tuple(
            name for robot, body in bodies_of(scene).items()
            for name in dict.fromkeys((*frames_of(robot, body).frames, *body.links)))
        self._newest = -math.inf
        self._forget_names()

    def _forget_names(self) -> None:
        self._session = getrandbits(31)  # It fits into a parameter.
        if self._naming is not None:
            self._naming.forget()

    def _follow(self, configuration: Configuration) -> None:
        with self._lock:
            self._open(configuration.scene)
            self._second.close()
            self._pictures.forget()
            self._publisher.forget()

    def _forget(self) -> None:
        with self._lock:
            self._sight.forget()
            self._forget_names()
            self._newest = -math.inf
            self._second.close()
            self._pictures.forget()
            self._publisher.forget()

    def _loop(self, ended: Event) -> None:
        try:
            while not ended.is_set() and not rospy.is_shutdown():
                picture = self._pictures.next(self._patience)
                if picture is not None and not ended.is_set():
                    self._look(picture)
        finally:
            if not ended.is_set() and not rospy.is_shutdown():
                rospy.signal_shutdown("the perception failed")  # It is started again.

    def _look(self, picture: Picture) -> None:
        began = time.monotonic()
        with self._lock:
            if picture.stamp < self._newest - CLOCK_JUMP:
                self._sight.forget()
                self._forget_names()
            self._newest = picture.stamp
            try:
                tracks = observe(self._sight, picture, self._robots, self._second.take)
            except HicrispError as error:
                self._trouble(str(error))
                self._door.show(picture, (), {})
                return
            view = Tracks(picture.stamp, tracks, session=self._session, eye=picture.camera.position)
            objects = self._scene.objects
            self._second.rest()
        self._door.show(picture, view.tracks, objects)
        self._publisher.publish(view, objects)
        if self._naming is not None:
            self._naming.show(picture, view)
        self._looked, self._why = time.monotonic(), ""
        self._seconds = self._looked - began
        with self._lock:
            self._sight.afterwards()

    def _robots(self, picture: Picture) -> Frames:
        """Return the robots' frames at the moment of an image."""
        moment, objects = rospy.Time.from_sec(picture.stamp), self._scene.objects
        poses = {name: self._tf.pose_at(name, moment) for name in self._tf.names if name not in objects}
        return {name: (pose, picture.stamp) for name, pose in poses.items() if pose is not None}

    def _health(self) -> Health:
        """Report whether images arrive, the age of the newest, and its problems."""
        age = time.monotonic() - self._looked
        values = {"picture's age": f"{age:.1f} s", "the last look took": f"{1000.0 * self._seconds:.0f} ms"}
        if self._why:
            return Health(self._why, ERROR, values)
        if math.isinf(age):
            return Health("waits for the first picture", WARN)
        late = age > self._patience
        return Health(f"no picture for {age:.0f} s" if late else "pictures come", ERROR if late else OK,
                      values)

    def _trouble(self, why: str) -> None:
        self._why = why
        self._publisher.publish_trouble(why)
        rospy.logerr_throttle(self._patience, f"no picture: {why}")


def build() -> PerceptionServer:
    """Create the perception that the parameters name.

    Returns:
        The server.

    Raises:
        ConfigError: for an invalid file of scene, camera or robot.
    """
    configuration = load_configuration()
    scene = configuration.scene
    camera = load_camera(str(parameter("camera", "")) or scene.camera, scene.source or None)
    check_topics(camera)

    def second() -> Optional[CameraSettings]:
        name = str(parameter(SECOND_CAMERA, ""))
        return load_camera(name, scene.source or None) if name else None

    return PerceptionServer(configuration, camera, open_source, naming=open_naming(), witness=open_witness,
                            second=second)


def main() -> None:
    """Run the node."""
    run("perception", build)

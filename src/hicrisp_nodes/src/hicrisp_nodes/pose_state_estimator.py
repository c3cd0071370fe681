"""The detector's eyes on TF, a camera's tracks and a lidar: they publish ``world_state`` whenever there is
something new to see.
"""

from __future__ import annotations

import time
from threading import Condition
from typing import FrozenSet, Optional, Sequence

import rospy
from hicrisp_core.detector.state_estimator import StateEstimator
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Relation
from hicrisp_core.ports.observer import Estimator, Naming, NamingRequest
from hicrisp_ros.config_files import Configuration
from hicrisp_ros.diagnostics import OK, WARN, Diagnostics, Health
from hicrisp_ros.given_names import keep_names, kept_record
from hicrisp_ros.publisher import Publisher
from hicrisp_ros.scans import ScanTopic
from hicrisp_ros.tf_world import TfWorld
from hicrisp_ros.tracks import TrackTopic
from hicrisp_ros.wall_clock import WallTimer

from hicrisp_msgs.msg import WorldState
from hicrisp_ros import conversions as to

SILENCE = 0.5
"""Seconds of wall time after which the world is published although TF is silent: the poses' ages have grown."""
_SHOWN_LIMIT = 5.0
"""Seconds of wall time in which another scene is published for the first time; longer only where nobody looks."""
DUTY = 0.3
"""The part of the time that may go into looking."""


class PoseStateEstimator:
    """Publishes what TF and the lidar show, with the facts that follow from it.

    Args:
        rate: world states per second of wall time, at most.
        pose_age_limit: age from which on a pose does not count as seen, s.
        scan: topic of the lidar, which is looked at where the scene has a base; empty where there is none.
        tracks: topic of the camera's tracks, by which the objects are seen; empty where TF has their poses.
    """

    def __init__(
        self, configuration: Configuration, rate: float, pose_age_limit: float = 1.0, scan: str = "/scan",
        tracks: str = "",
    ) -> None:
        if not rate > 0.0:
            raise ConfigError(f"the detector's rate must be more than 0 Hz, got {rate}")
        self._pose_age_limit = pose_age_limit
        self._period = 1.0 / rate
        self._scan = scan
        self._scans: Optional[ScanTopic] = None
        self._configuration = configuration
        self._eyes = self._open(configuration)
        self._eyes.names.restore(kept_record())
        self._kept = (self._eyes, 0)
        """The eyes whose names are kept, and after which of their changes."""
        self._shown: Optional[Estimator] = None
        self._news = Condition()
        self._tf = TfWorld()
        self._tracks = TrackTopic(tracks, self._tf.wake) if tracks else None
        self._measured: Optional[FrozenSet[Relation]] = None
        self._measures = rospy.Subscriber("measured", WorldState, self._on_measured, queue_size=1, tcp_nodelay=True)
        self._publisher = Publisher("world_state", WorldState, queue_size=1, latch=True, tcp_nodelay=True)
        self._seen = -1
        self._missing: Sequence[str] = ()
        self._looks = 0
        self._timer = WallTimer(self._period, self._look, "eyes")
        self._diagnostics = Diagnostics("eyes", self._health)

    def follow(self, configuration: Configuration) -> None:
        """Observe the objects of another scene; returns once its state was published, unless that takes long.

        Args:
            configuration: scene, domain and policy.
        """
        self._configuration = configuration
        self.forget()

    def forget(self) -> None:
        """Look anew for the objects of the scene, whose world began again: what was seen before is over. On
        return that has been published once, where it took no long time.
        """
        if self._tracks is not None:
            self._tracks.forget()
        self._measured = None
        self._eyes = wanted = self._open(self._configuration)
        with self._news:
            self._news.wait_for(lambda: self._shown is wanted, _SHOWN_LIMIT)

    def give_name(self, wanted: NamingRequest) -> Naming:
        """Name an unknown object.

        Args:
            wanted: which object, its new name, and who gives it.

        Returns:
            The object that was named, or why none was.
        """
        if self._tracks is None:
            return Naming("", "Nobody looks with a camera here, so no unknown object is seen; start with "
                              "perception:=camera.")
        return self._eyes.give_name(wanted)

    def _open(self, configuration: Configuration) -> StateEstimator:
        scene = configuration.scene
        if scene.arena is not None and self._scan and self._scans is None:
            self._scans = ScanTopic(self._scan)
        return StateEstimator(scene, configuration.domain, self._pose_age_limit)

    def _on_measured(self, message: WorldState) -> None:
        self._measured = to.WORLD.from_msg(message).relations
        self._tf.wake()

    def _look(self) -> float:
        """Publish what is new to see; the seconds until the next look."""
        self._seen = self._tf.wait_for_news(self._seen, SILENCE)  # Tracks are news, too.
        began = time.monotonic()
        eyes = self._eyes
        frames = self._tf.frames(eyes.frames)
        # What moved since the last look is seen at the moment of each scan, and now.
        for scan in self._scans.take(self._tf) if self._scans is not None else ():
            eyes.follow(self._tf.frames_at(frames, scan.time), scan)
        eyes.follow(frames)
        view = self._tracks.view if self._tracks is not None else None
        if self._measured is not None:
            eyes.measure(self._measured)
        now = rospy.get_time()  # Not before the poses: they would seem to be ahead of the clock.
        seen = eyes.see(frames, now, view, ahead=self._tf.ahead(eyes.frames))
        self._publisher.publish(to.WORLD.to_msg(seen))
        self._looks += 1
        changed = eyes, eyes.names.changes
        if self._tracks is not None and changed != self._kept:
            keep_names(eyes.names.record)
            self._kept = changed
        self._missing = [*(name for name, robot in seen.robots.items() if robot.pose is None),
                         *(name for name, item in seen.objects.items() if item.pose is None or item.lost)]
        with self._news:
            self._shown = eyes
            self._news.notify_all()
        spent = time.monotonic() - began
        return max(0.0, max(self._period, spent / DUTY) - spent)

    def _health(self) -> Health:
        """What is not seen, and how often the eyes look."""
        looks, self._looks = self._looks, 0
        values = {"by": "camera" if self._tracks is not None else "TF", "looks a second": looks,
                  **self._tf.problems(self._eyes.frames if self._tracks is None else ())}
        if not looks:
            return Health("waits for poses on TF", WARN, values)
        return Health(f"does not see {', '.join(self._missing)}" if self._missing else "sees everything",
                      WARN if self._missing else OK, values)

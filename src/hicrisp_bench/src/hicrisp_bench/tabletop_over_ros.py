"""The table top's trials over the launched nodes, judged by the poses that the simulation publishes for judges."""

from __future__ import annotations

from typing import Mapping, Tuple

import rospy
from hicrisp_core.domain.loader import load_domain
from hicrisp_core.model import Pose
from hicrisp_core.scene import load_scene
from hicrisp_core.time import Deadline, wait_until
from hicrisp_ros.conversions.geometry import frames_from_msg
from tf2_msgs.msg import TFMessage

from hicrisp_bench.launched import LIMIT, NAMESPACE, LaunchFailed
from hicrisp_bench.over_ros import Run
from hicrisp_bench.pool import Result
from hicrisp_bench.trial import TrialSettings, holds_in_truth, told_of

_SETTLING = 1.0
"""Seconds of the world's clock after which everything is taken to lie still."""


class TruePoses:
    """The newest true poses, which the simulation publishes for judges only."""

    def __init__(self) -> None:
        self._frames: Mapping[str, Tuple[Pose, float]] = {}
        self._subscriber = rospy.Subscriber(f"/{NAMESPACE}/ground_truth", TFMessage, self._on_frames, queue_size=1)

    def _on_frames(self, message: TFMessage) -> None:
        self._frames = frames_from_msg(message)

    def at_rest(self) -> Mapping[str, Tuple[Pose, float]]:
        """The frames once the world's clock has gone on long enough for everything to lie still.

        Raises:
            LaunchFailed: when no such poses come.
        """
        since = rospy.get_time() + _SETTLING
        if not wait_until(lambda: any(stamp >= since for _, stamp in self._frames.values()), Deadline(LIMIT)):
            raise LaunchFailed(f"no true poses came on /{NAMESPACE}/ground_truth within {LIMIT:g} s")
        return self._frames


class TabletopJudge:
    """Judges where the objects lie at the end of a trial."""

    ARGUMENTS: Mapping[str, str] = {}

    def __init__(self) -> None:
        self._truth = TruePoses()

    def begin(self, trial: TrialSettings) -> None:
        """Nothing is followed: what counts is the end."""

    def result(self, trial: TrialSettings, run: Run) -> Result:
        """Judge a trial as in one process.

        Args:
            trial: settings of the trial.
            run: what the nodes reported.

        Returns:
            The same dictionary as that of the trial in one process.
        """
        scene = load_scene(trial.config / "scenes" / f"{trial.scene}.yaml", trial.seed)
        domain = load_domain(trial.config / "domains" / f"{scene.domain}.yaml")
        told = {**run.found, "message": run.message, "wall_s": run.wall_s, "policy": trial.policy, "llm": trial.llm}
        truth = holds_in_truth(trial.goal, self._truth.at_rest(), scene, domain, rospy.get_time())
        return {**told_of(trial, told, run.events, domain), "success": truth}

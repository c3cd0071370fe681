"""The table top's trials over the launched nodes, judged by the poses that the simulation publishes for
judges.
"""

from __future__ import annotations

from typing import Mapping, Tuple

import rospy
from hicrisp_core.domain.loader import load_domain
from hicrisp_core.model import Pose
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.waiting import wait_until
from hicrisp_ros.conversions.geometry import frames_from_msg
from tf2_msgs.msg import TFMessage

from hicrisp_bench.arrangement import holds_in_truth
from hicrisp_bench.over_ros import ANSWER_LIMIT, NAMESPACE, LaunchFailed, Result, Run
from hicrisp_bench.trial import TrialSettings, placements, releases

_SETTLING = 1.0
"""Seconds of the world's clock after which everything is taken to lie still."""


class TruePoses:
    """The newest true poses, which the simulation publishes for judges only."""

    def __init__(self) -> None:
        self._frames: Mapping[str, Tuple[Pose, float]] = {}
        self._subscriber = rospy.Subscriber(f"/{NAMESPACE}/ground_truth", TFMessage, self._on_frames,
                                            queue_size=1)

    def _on_frames(self, message: TFMessage) -> None:
        self._frames = frames_from_msg(message)

    def at_rest(self) -> Mapping[str, Tuple[Pose, float]]:
        """The frames once the world's clock has gone on long enough for everything to lie still.

        Raises:
            LaunchFailed: when no such poses come.
        """
        since = rospy.get_time() + _SETTLING
        if not wait_until(lambda: self._now() >= since, Deadline(ANSWER_LIMIT)):
            raise LaunchFailed(f"no true poses came on /{NAMESPACE}/ground_truth within {ANSWER_LIMIT:g} s")
        return self._frames

    def _now(self) -> float:
        return max((stamp for _, stamp in self._frames.values()), default=0.0)


class TabletopJudge:
    """Judges where the things lie at the end of a trial."""

    ARGUMENTS: Mapping[str, str] = {}

    def __init__(self) -> None:
        self._truth = TruePoses()

    def begin(self, trial: TrialSettings) -> None:
        """Nothing is followed: what counts is the end."""

    def result(self, trial: TrialSettings, run: Run) -> Result:
        """Judge a trial as in one process.

        Args:
            trial: settings of the trial.
            run: what the nodes reported, and the true poses.

        Returns:
            The same dictionary as that of the trial in one process.
        """
        scene = load_scene(trial.config / "scenes" / f"{trial.scene}.yaml", trial.seed)
        domain = load_domain(trial.config / "domains" / f"{scene.domain}.yaml")
        found = run.found
        return {
            "task": trial.task, "scene": trial.scene, "seed": trial.seed, "policy": trial.policy,
            "llm": trial.llm,
            "success": holds_in_truth(
                trial.goal, self._truth.at_rest(), scene, domain, rospy.get_time()),
            "claimed": bool(found["success"]), "message": run.message, "plan": found["plan"],
            "steps_executed": found["steps_executed"], "corrections": found["corrections"],
            "corrected_by": found["corrected_by"],
            "failures": found["failures"], "attempts": placements(run.events, domain),
            "releases": releases(run.events, domain),
            "replans": sum(1 for event in run.events if event["kind"] == "plan") - 1,
            "placement_error_m": found["placement_error_m"], "llm_calls": found["llm_calls"],
            "tokens": found["tokens"], "wall_s": run.wall_s, "sim_s": found["sim_s"]}

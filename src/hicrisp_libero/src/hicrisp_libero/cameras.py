"""The benchmark's two cameras as files of ours: where they are, their lenses and their topics."""

from __future__ import annotations

import math
from typing import Any, Dict, Mapping

import yaml
from hicrisp_core.model import Pose

from hicrisp_libero.scene_from_model import pose_from

FIXED, WRIST = "fixed", "wrist"
CAMERAS = {FIXED: "agentview", WRIST: "robot0_eye_in_hand"}
"""What the benchmark calls them."""
SIZE = (640, 480)
HAND = "panda_hand"
OPTICAL = Pose((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
"""An optical frame (z ahead, y down) in a frame of MuJoCo's cameras (z back, y up)."""


def camera_files(told: Mapping[str, Any], origin: Pose) -> Dict[str, str]:
    """Return the cameras' files, by our names.

    Args:
        told: the benchmark's answer to ``make``.
        origin: pose of our world frame in the benchmark's.

    Returns:
        Texts of YAML files of ``config/cameras``: lens and mounting as the benchmark's model has them.
    """
    world, hand = origin.inverse(), pose_from(told["hand"]).inverse()
    found: Dict[str, str] = {}
    for name, theirs in CAMERAS.items():
        seen, link = told["cameras"][theirs], {} if name == FIXED else {"link": HAND}
        pose = (world if name == FIXED else hand).compose(pose_from(seen["pose"])).compose(OPTICAL)
        focal = SIZE[1] / 2.0 / math.tan(math.radians(seen["opening"]) / 2.0)
        root = "camera" if name == FIXED else "wrist_camera"
        found[name] = yaml.safe_dump({
            "frame": f"{root}_color_optical_frame",
            "topics": {"colour": f"{root}/color/image_raw", "info": f"{root}/color/camera_info",
                "depth": f"{root}/aligned_depth_to_color/image_raw"},
            "lens": {"width": SIZE[0], "height": SIZE[1], "fx": focal, "fy": focal, "cx": (SIZE[0] - 1) / 2.0,
                "cy": (SIZE[1] - 1) / 2.0},
            "mounting": {**link, "position": list(pose.position), "orientation": list(pose.orientation)},
            "depth": {"near": 0.1, "far": 3.0}}, sort_keys=False)
    return found

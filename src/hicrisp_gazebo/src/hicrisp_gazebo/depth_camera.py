"""The camera that a scene names as a sensor of Gazebo 11, with gazebo_plugins' depth camera behind it."""

from __future__ import annotations

import math
from xml.etree.ElementTree import Element

from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose
from hicrisp_core.scene import Scene
from hicrisp_core.scene.cameras import CameraSettings, load_camera
from hicrisp_core.scene.scene import TABLE

from hicrisp_gazebo import sdf
from hicrisp_gazebo.inertia import Solid

LINK = "depth_camera"
PLUGIN = "libgazebo_ros_openni_kinect.so"
EXACT = "camera/exact_depth/image_raw"
"""Topic of what Gazebo draws: its depth sensors take no ``noise``."""
_BODY = Pose((0.0, 0.0, 0.0), (-0.5, 0.5, -0.5, -0.5))
"""Gazebo's camera frame (x ahead, z up) in the optical frame (z ahead, y down)."""
_HOUSING = Solid("housing", "box", (0.02, 0.09, 0.025), Pose((-0.03, 0.0, 0.0)))
"""What is seen of it, behind the lens."""
_DARK = (0.2, 0.2, 0.22, 1.0)


def camera_of(scene: Scene) -> CameraSettings:
    """The camera that a scene names.

    Raises:
        ConfigError: when its file is wrong, or a robot carries it: here it stands still.
    """
    settings = load_camera(scene.camera, beside=scene.source or None)
    if settings.mounting.in_hand:
        raise ConfigError(f"the camera '{settings.name}' is mounted on '{settings.mounting.link}', and in "
                          "Gazebo a scene's camera stands still; name one without 'link' in the scene's "
                          "'camera'")
    lens = settings.lens
    if abs(lens.fx - lens.fy) > 1e-3 * lens.fx:
        raise ConfigError(f"the camera '{settings.name}' has fx {lens.fx:g} and fy {lens.fy:g}, and Gazebo's "
                          "pixels are square; make them the same")
    return settings


def has_camera(scene: Scene) -> bool:
    """Whether a camera watches a scene: those with a table are watched."""
    return TABLE in scene.objects


def add_camera(model: Element, settings: CameraSettings, namespace: str) -> None:
    """Give a model that stands still a link with the camera.

    Args:
        namespace: of the topics whose names do not begin with a slash.
    """
    link = sdf.link(model, LINK)
    sdf.add(link, "pose", sdf.pose_text(settings.mounting.pose.compose(_BODY)))
    sdf.add_solids(link, [_HOUSING], _DARK, None)
    lens, depth, noise = settings.lens, settings.depth, settings.colour.noise
    sensor = sdf.add(link, "sensor", {
        "always_on": "true", "update_rate": f"{settings.rate:g}", "visualize": "false", "camera": {
            "horizontal_fov": (2.0 * math.atan(lens.width / (2.0 * lens.fx)),),
            "image": {"width": str(lens.width), "height": str(lens.height), "format": "R8G8B8"},
            "clip": {"near": "0.05", "far": f"{max(10.0, 2.0 * depth.far):g}"},
            **({"noise": {"type": "gaussian", "mean": "0", "stddev": f"{noise / 255.0:.6g}"}} if noise > 0.0 else {})}},
        name=LINK, type="depth")
    topics = settings.topics
    # What Gazebo draws has its principal point in the middle of the picture; for 0 the plugin says one pixel more.
    middle = [f"{(side - 1) / 2.0:g}" for side in (lens.width, lens.height)]
    sdf.add(sensor, "plugin", {
        "cameraName": LINK, "alwaysOn": "true", "updateRate": f"{settings.rate:g}",
        "imageTopicName": _absolute(topics.colour, namespace),
        "cameraInfoTopicName": _absolute(topics.info, namespace),
        "depthImageTopicName": _absolute(EXACT, namespace),
        "depthImageCameraInfoTopicName": _absolute(f"{topics.depth.rsplit('/', 1)[0]}/camera_info", namespace),
        "pointCloudTopicName": _absolute("camera/depth/color/points", namespace),
        "frameName": settings.frame,
        "pointCloudCutoff": f"{depth.near:g}", "pointCloudCutoffMax": f"{depth.far:g}",
        "hackBaseline": "0", "distortionK1": "0", "distortionK2": "0", "distortionK3": "0",
        "distortionT1": "0", "distortionT2": "0", "CxPrime": middle[0], "Cx": middle[0], "Cy": middle[1],
        "focalLength": "0"}, name=LINK, filename=PLUGIN)


def _absolute(topic: str, namespace: str) -> str:
    return topic if topic.startswith("/") else f"/{namespace.strip('/')}/{topic}".replace("//", "/")

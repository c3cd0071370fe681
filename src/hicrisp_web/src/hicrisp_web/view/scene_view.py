"""What the view from above shows besides the scene and the world: the camera, and how far off a placement may be."""

from __future__ import annotations

import math
from typing import Any, Dict, Optional

from hicrisp_core.domain.schema import Domain
from hicrisp_core.errors import HicrispError
from hicrisp_core.model.geometry import rotate
from hicrisp_core.scene.cameras import load_camera
from hicrisp_core.scene.scene import Scene


def camera_section(scene: Scene) -> Optional[Dict[str, Any]]:
    """Return where the scene's depth camera stands and looks.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.

    Returns:
        Ground positions in metres and the view's width in degrees; ``None`` for a camera on a robot.
    """
    try:
        camera = load_camera(scene.camera, scene.source or None)
    except HicrispError:
        return None  # Who looks through it says what is wrong with it.
    if camera.mounting.in_hand:
        return None
    pose, lens = camera.mounting.pose, camera.lens
    ahead = rotate(pose.orientation, (0.0, 0.0, 1.0))
    return {"at": list(pose.position[:2]), "ahead": list(ahead[:2]),
            "opening": round(2.0 * math.degrees(math.atan2(0.5 * lens.width, lens.fx)))}


def tolerance_section(domain: Domain) -> Dict[str, Dict[str, Any]]:
    """Return what each placing action makes, and how far off that may be.

    Args:
        domain: types, predicates and actions of the application.

    Returns:
        Fact and tolerance in millimetres by the action's name.
    """
    found: Dict[str, Dict[str, Any]] = {}
    for name, action in domain.actions.items():
        made = [effect.atom.predicate for effect in action.effects if not effect.removes and effect.when is None]
        judged = [each for each in made if each != domain.roles.held and domain.predicates[each].tolerance > 0.0]
        judged.sort(key=lambda each: each == domain.roles.stands_on)  # What it stands on says least of where.
        if judged and action.places:
            found[name] = {"fact": judged[0].replace("_", " "),
                           "mm": round(1000.0 * domain.predicates[judged[0]].tolerance)}
    return found

"""What every simulated world's door does: inject faults, begin again, and tell of both in its private parameters.

Whoever writes a result reads ``~faults``, what was made to go wrong, and ``~seed``, which layout it was.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, Optional, Sequence

import rospy
from hicrisp_core.errors import HicrispError
from hicrisp_core.scene import Scene, SceneFault, load_scene

from hicrisp_msgs.srv import InjectFaultRequest, InjectFaultResponse, ResetWorldRequest, ResetWorldResponse
from hicrisp_ros.config_files import config_file

Inject = Callable[[str, str, Sequence[float], int], str]
"""Makes a fault of a kind, target, magnitude and count happen, and says what was done."""


def begin_faults(faults: Iterable[SceneFault]) -> None:
    """Tell what goes wrong from the beginning; what was told before is over."""
    rospy.set_param("~faults", [_entry(fault) for fault in faults])


def add_fault(fault: SceneFault) -> None:
    """Tell of one more fault."""
    rospy.set_param("~faults", [*rospy.get_param("~faults", []), _entry(fault)])


def injected(request: InjectFaultRequest, inject: Inject) -> InjectFaultResponse:
    """The answer to a request for a fault, which is told when it could be injected."""
    try:
        said = inject(request.kind, request.target, request.magnitude, request.count)
    except HicrispError as error:
        return InjectFaultResponse(False, str(error))
    add_fault(SceneFault(request.kind, request.target, tuple(request.magnitude), request.count))
    return InjectFaultResponse(True, said)


def requested_scene(request: ResetWorldRequest) -> Optional[Scene]:
    """The scene to begin again with; ``None`` for the one that there is.

    Raises:
        ConfigError: when there is no such scene, or its file is wrong.
    """
    return load_scene(config_file("scenes", request.scene), request.seed) if request.scene else None


def was_reset(scene: Scene, seed: int) -> ResetWorldResponse:
    """The answer to a reset that is done, whose seed is told."""
    rospy.set_param("~seed", int(seed))
    return ResetWorldResponse(True, f"scene {scene.name} with seed {seed}")


def _entry(fault: SceneFault) -> Dict[str, Any]:
    return {"fault": fault.kind, "target": fault.target, "magnitude": [float(value) for value in fault.magnitude],
            "count": fault.count}

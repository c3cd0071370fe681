"""The brain's doors, with the brain that the parameter ``~llm`` names."""

from __future__ import annotations

from typing import Dict, Tuple
from urllib.parse import urlparse

import rospy
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import BRAIN, GOAL, LlmSettings
from hicrisp_core.ports.brain import Brain
from hicrisp_core.ports.interpreter import Interpreter
from hicrisp_ros.config_files import Configuration, load_configuration
from hicrisp_ros.diagnostics import ERROR, WARN, Diagnostics, Health
from hicrisp_ros.llm_choice import chosen_llm
from hicrisp_ros.ports.camera_view import CameraView
from hicrisp_ros.scene_change import SceneFollower

from hicrisp_nodes.brain_server import Asked, BrainServer
from hicrisp_nodes.composition import parts_of
from hicrisp_nodes.reading import ReadingServer


def model_health(models: Models, asked: Asked) -> Health:
    """Judge the models by the probe and the last request.

    Args:
        models: the node's models.
        asked: cost and outcome of the requests.

    Returns:
        Level, text and values for the diagnostics.
    """
    used = [models.settings.of_role(role) for role in (GOAL, BRAIN)]
    if all(each.offline for each in used):
        return Health("no model: tasks are read in controlled English", values={"configuration": models.settings.name})
    values: Dict[str, object] = {
        "configuration": models.settings.name, "model": ", ".join(dict.fromkeys(
            "no model" if each.offline else f"{each.backend}:{each.model_name}" for each in used)),
        "endpoint": ", ".join(dict.fromkeys(map(_where, used))), "calls": asked.calls, "tokens": asked.tokens,
        "last answer took": f"{asked.seconds:.1f} s" if asked.calls else "nothing asked yet"}
    if asked.failure:
        return Health(f"the last request got no answer: {asked.failure}", ERROR, values)
    silent = [each for each in models.known if each.failure is not None]
    if silent and not asked.calls:
        return Health(f"{_where(used[0])} gives no answer: {silent[0].failure.message}"
                      if silent[0].failure is not None else "", WARN, values)
    return Health("answers" if asked.calls or models.known else "not asked yet", values=values)


def _where(settings: LlmSettings) -> str:
    """The host of an endpoint, without what stands before and behind it."""
    if settings.offline:
        return "none"
    if settings.replay:
        return "a recorded run"
    found = urlparse(settings.url)
    if not settings.url:
        return "this machine" if settings.own else "the usual one"
    return f"{found.hostname}:{found.port}" if found.port else str(found.hostname)


def build() -> BrainServer:
    """The brain that the parameters ask for; it follows the scene of the world."""
    configuration = load_configuration()
    llm, why = chosen_llm()
    models = Models(llm)
    rospy.loginfo("the brain is %s: %s", llm.name, why)

    look = CameraView()

    def brain(found: Configuration) -> Tuple[Brain, Interpreter]:
        parts = parts_of(found, models)
        return parts.brain(), parts.interpreter(look)

    server, reading = BrainServer(*brain(configuration)), ReadingServer(configuration.domain)

    def follow(found: Configuration) -> None:
        server.use(*brain(found))
        reading.use(found.domain)

    models.begin_probe()
    server.diagnostics = Diagnostics("language model", lambda: model_health(models, server.asked))
    server.follower = SceneFollower(follow)
    return server

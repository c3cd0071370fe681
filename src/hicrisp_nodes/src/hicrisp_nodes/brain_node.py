"""The brain's doors, with the brain that the parameter ``~llm`` names."""

from __future__ import annotations

from typing import Tuple

import rospy
from hicrisp_core.llm.models import Models
from hicrisp_core.ports.brain import Brain
from hicrisp_core.ports.interpreter import Interpreter
from hicrisp_ros.config_files import Configuration, load_configuration
from hicrisp_ros.diagnostics import Diagnostics
from hicrisp_ros.node import run
from hicrisp_ros.scene_change import SceneFollower

from hicrisp_nodes.brain_server import BrainServer
from hicrisp_nodes.composition import chosen_llm, parts_of
from hicrisp_nodes.model_health import model_health
from hicrisp_nodes.reading import ReadingServer


def build() -> BrainServer:
    """The brain that the parameters ask for; it follows the scene of the world."""
    configuration = load_configuration()
    llm, why = chosen_llm()
    models = Models(llm)
    rospy.loginfo("the brain is %s: %s", llm.name, why)

    def brain(found: Configuration) -> Tuple[Brain, Interpreter]:
        parts = parts_of(found, models)
        return parts.brain(), parts.interpreter()

    server, reading = BrainServer(*brain(configuration)), ReadingServer(configuration.domain)

    def follow(found: Configuration) -> None:
        server.use(*brain(found))
        reading.use(found.domain)

    models.begin_probe()
    server.diagnostics = Diagnostics("language model", lambda: model_health(models, server.asked))
    server.follower = SceneFollower(follow)
    return server


def main() -> None:
    """Run the node."""
    run("brain", build)

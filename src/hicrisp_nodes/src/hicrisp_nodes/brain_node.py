"""The brain's door, with the brain that the parameter ``~llm`` names."""

from __future__ import annotations

import os

import rospy
from hicrisp_core.brain.factory import make_brain
from hicrisp_core.llm.settings import AUTO, choose_llm, load_llm_settings
from hicrisp_core.ports.brain import Brain
from hicrisp_ros.config_files import Configuration, config_file, config_folder, load_configuration, parameter
from hicrisp_ros.node import run
from hicrisp_ros.scene_change import SceneFollower

from hicrisp_nodes.brain_server import BrainServer


def build() -> BrainServer:
    """The brain that the parameters ask for; it follows the scene of the world."""
    configuration = load_configuration()
    name, why = choose_llm(str(parameter("llm", AUTO)), os.environ)
    rospy.loginfo("the brain is %s: %s", name, why)
    settings = load_llm_settings(config_file("llm", name))

    def brain(found: Configuration) -> Brain:
        prompts, policy = config_folder("prompts", found.policy.prompts), found.policy
        return make_brain(settings, found.domain, prompts, policy.brain, policy.worded)

    server = BrainServer(brain(configuration))
    server.follower = SceneFollower(lambda found: server.use(brain(found)))
    return server


def main() -> None:
    """Run the node."""
    run("brain", build)

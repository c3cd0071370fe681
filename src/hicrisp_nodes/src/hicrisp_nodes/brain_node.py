"""The brain's door, with the brain that the parameter ``~llm`` names."""

from __future__ import annotations

from hicrisp_core.brain.offline import OfflineBrain

from hicrisp_nodes.brain_server import BrainServer
from hicrisp_nodes.config_files import load_configuration
from hicrisp_nodes.node import run


def build() -> BrainServer:
    """The brain that the parameters ask for."""
    return BrainServer(OfflineBrain(load_configuration().domain))


def main() -> None:
    """Run the node."""
    run("brain", build)

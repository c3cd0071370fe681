"""The parts of a run for the nodes, as a configuration asks for them."""

from __future__ import annotations

from typing import Any

from hicrisp_core.factory import RunFactory
from hicrisp_core.llm.models import Models
from hicrisp_ros.config_files import Configuration, config_folder


def parts_of(configuration: Configuration, models: Models, **more: Any) -> RunFactory:
    """Return the factory of a run's parts.

    Args:
        configuration: scene, domain and policy.
        models: the node's models; parts for another scene use the same.
        **more: fields of ``RunFactory``.

    Returns:
        The factory.
    """
    policy = configuration.policy
    return RunFactory(configuration.domain, policy, models.settings, models=models,
                      prompts=config_folder("prompts", policy.prompts), **more)

"""The parts of a run for the nodes: what ``~llm`` names, and what a configuration asks for."""

from __future__ import annotations

import os
from typing import Any, Tuple

from hicrisp_core.executive.assembly import Parts
from hicrisp_core.llm.settings import AUTO, LlmSettings, choose_llm, load_llm_settings
from hicrisp_ros.config_files import Configuration, config_file, config_folder, parameter


def chosen_llm() -> Tuple[LlmSettings, str]:
    """The settings of the language model that plans, and why it is that one."""
    name, why = choose_llm(str(parameter("llm", AUTO)), os.environ)
    return load_llm_settings(config_file("llm", name)), why


def parts_of(configuration: Configuration, llm: LlmSettings, **more: Any) -> Parts:
    """The parts for a scene, a domain and a policy.

    Args:
        more: fields of ``Parts``.
    """
    policy = configuration.policy
    return Parts(configuration.domain, policy, llm, config_folder("prompts", policy.prompts), **more)

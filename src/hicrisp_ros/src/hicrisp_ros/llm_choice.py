"""The language models that the parameter ``~llm`` names."""

from __future__ import annotations

import os
from typing import Tuple

from hicrisp_core.llm.settings import AUTO, LlmSettings, choose_llm, is_replay, load_llm_settings

from hicrisp_ros.config_files import config_file, parameter
from hicrisp_ros.core_log import hide_in_log


def chosen_llm() -> Tuple[LlmSettings, str]:
    """The settings of the language model that plans, and why it is that one; its keys stay out of the log."""
    name, why = choose_llm(str(parameter("llm", AUTO)), os.environ)
    settings = named_llm(name)
    hide_in_log(*settings.api_keys)
    return settings, why


def named_llm(name: str) -> LlmSettings:
    """Read a language model's settings.

    Args:
        name: a name in ``config/llm``, a file, or ``replay:FILE`` for a recorded run.

    Returns:
        The checked settings.

    Raises:
        ConfigError: when there is no such file, or it is wrong.
    """
    return load_llm_settings(name if is_replay(name) else config_file("llm", name))

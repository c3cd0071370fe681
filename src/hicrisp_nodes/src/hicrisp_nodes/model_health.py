"""How the language models of a brain are, for ``/diagnostics``; keys and the paths of URLs are never told."""

from __future__ import annotations

from typing import Dict
from urllib.parse import urlparse

from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import BRAIN, GOAL, LlmSettings
from hicrisp_ros.diagnostics import ERROR, WARN, Health

from hicrisp_nodes.brain_server import Asked


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
        "configuration": models.settings.name, "model": ", ".join(dict.fromkeys(map(_name, used))),
        "endpoint": ", ".join(dict.fromkeys(map(_where, used))), "calls": asked.calls, "tokens": asked.tokens,
        "last answer took": f"{asked.seconds:.1f} s" if asked.calls else "nothing asked yet"}
    if asked.failure:
        return Health(f"the last request got no answer: {asked.failure}", ERROR, values)
    silent = [each for each in models.known if each.failure is not None]
    if silent and not asked.calls:
        return Health(f"{_where(used[0])} gives no answer: {silent[0].failure.message}"
                      if silent[0].failure is not None else "", WARN, values)
    return Health("answers" if asked.calls or models.known else "not asked yet", values=values)


def _name(settings: LlmSettings) -> str:
    return "no model" if settings.offline else f"{settings.backend}:{settings.model_name}"


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

"""What waiting for a model costs, and what each trick saves: every task is told twice, through a server on
loopback that takes its time.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean
from typing import Any, Dict, List, Mapping, Optional, Sequence

from hicrisp_core.errors import ConfigError
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import OPENAI, LlmSettings

from hicrisp_bench.brains.loopback import Answerer, Canned, Forward, Loopback
from hicrisp_bench.brains.tasks import Told
from hicrisp_bench.brains.trial import BrainTrial, tell
from hicrisp_bench.pool import run_all
from hicrisp_bench.statistics import spread
from hicrisp_bench.suite import Row

CANNED = "canned goals"
COLUMNS = ("model", "policy", "latency_s", "tricks", "n", "success", "calls", "first_motion_s", "done_s",
           "again_calls", "again_first_motion_s", "again_done_s")
_MARGIN = 120.0
"""Wall seconds for an answer beside the latency."""


@dataclass(frozen=True)
class Tricks:
    """Which tricks are on.

    Args:
        repeats: whether the answer to the very same question comes from memory.
        prefix: whether questions begin with the same words, so that a server keeps what it has read of them.
    """

    name: str
    repeats: bool
    prefix: bool


ALL_ON = Tricks("all on", True, True)
SWITCHES = (ALL_ON, Tricks("repeats off", False, True), Tricks("prefix off", True, False))
FOR_CANNED = SWITCHES[:2]
"""A server that reads nothing has no prefix to keep."""


@dataclass(frozen=True)
class _Twice:
    trial: BrainTrial


def latency_rows(
    config: Path, told: Sequence[Told], policies: Sequence[str], settings: Optional[LlmSettings],
    latencies: Sequence[float], sigma: float,
) -> List[Row]:
    """A row for each policy, latency and switch.

    Args:
        settings: of an endpoint that is asked through the slow server; without it the goals are canned.

    Raises:
        ConfigError: for a model that is no endpoint.
    """
    answer: Answerer = Canned([each.sentence for each in told])
    if settings is not None:
        if settings.backend != OPENAI or not settings.url:
            raise ConfigError(f"{settings.name} names no endpoint that a slow server could ask; name a file "
                              "with base_url (--llm), a model's file (--gguf), or neither for canned goals")
        answer = Forward(settings.url, settings.api_key())
    rows: List[Row] = []
    for latency in latencies:
        for tricks in SWITCHES if settings is not None else FOR_CANNED:
            for policy in policies:
                with ExitStack() as stack:
                    server = stack.enter_context(Loopback(answer, latency, not tricks.prefix))
                    model = _through(settings, server.url, latency, tricks)
                    trials = [_Twice(BrainTrial(config, each, policy, model, sigma)) for each in told]
                    results = run_all(_twice, trials, 1, f"{policy}, {latency:g} s, {tricks.name}")
                rows.append({"model": settings.model_name if settings else CANNED, "policy": policy,
                             "latency_s": latency, "tricks": tricks.name, **_figures(results)})
    return rows


def _through(settings: Optional[LlmSettings], url: str, latency: float, tricks: Tricks) -> LlmSettings:
    """The settings of a model behind the slow server."""
    base = settings or LlmSettings(CANNED, model="canned", only_goals=True, retries=0,
                                   response_format="json_object")
    return replace(base, base_url=url, api_key_env="", api_key_file="", probe=False, temperature=0.0,
                   cache=base.cache or LlmSettings().cache if tricks.repeats else 0,
                   timeout_s=max(base.timeout_s, latency + _MARGIN))


def _twice(asked: _Twice) -> Dict[str, Any]:
    """The same words in the same layout, twice in one process."""
    trial = asked.trial
    models = Models(trial.llm) if trial.llm is not None else None
    return {"first": tell(trial, models), "again": tell(trial, models)}


def _figures(results: Sequence[Mapping[str, Any]]) -> Row:
    whole = [each for each in results if "crashed" not in each]
    row: Row = {"n": len(results), "crashed": [each["crashed"] for each in results if "crashed" in each],
                "success": sum(1 for each in whole if each["first"]["success"]) / max(1, len(results))}
    for prefix, name in (("", "first"), ("again_", "again")):
        own = [each[name] for each in whole]
        moved = [each for each in own if each["first_motion_s"] is not None]
        row[f"{prefix}calls"] = mean([each["llm_calls"] for each in own]) if own else None
        row[f"{prefix}first_motion_s"] = spread([each["first_motion_s"] for each in moved]) if moved else None
        row[f"{prefix}done_s"] = spread([each["wall_s"] for each in moved]) if moved else None
    return row

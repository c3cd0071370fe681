"""What waiting for a model costs, and what each trick saves: every task is told twice, through a server on
loopback that takes its time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence

from hicrisp_core.config.files import config_file
from hicrisp_core.domain.loader import load_domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import BRAIN, OFFLINE, OPENAI, LlmSettings
from hicrisp_core.policy.policy import MODEL, Policy, load_policy
from hicrisp_core.scene import load_scene

from hicrisp_bench.brains.loopback import Answerer, Canned, Forward, Loopback
from hicrisp_bench.brains.trial import BrainTrial, Told, tell
from hicrisp_bench.statistics import Tally, spread
from hicrisp_bench.suite import Row, Runner

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
        look_ahead: whether a body with a model translates the next step while the robot moves.
    """

    name: str
    repeats: bool = True
    prefix: bool = True
    look_ahead: bool = True


ALL_ON = Tricks("all on")
REPEATS_OFF, PREFIX_OFF = Tricks("repeats off", repeats=False), Tricks("prefix off", prefix=False)
LOOK_AHEAD_OFF = Tricks("look ahead off", look_ahead=False)


def switches(policy: Policy, canned: bool) -> Sequence[Tricks]:
    """All tricks on, then one after the other off that makes a difference: a server that reads nothing has no
    prefix to keep, and a body without a model nothing to ask ahead.
    """
    found = [ALL_ON, REPEATS_OFF]
    found += [] if canned else [PREFIX_OFF]
    return [*found, LOOK_AHEAD_OFF] if policy.body == MODEL else found


def latency_rows(
    config: Path, told: Sequence[Told], policies: Sequence[str], settings: Optional[LlmSettings],
    latencies: Sequence[float], sigma: float, rate: float = 0.0, runner: Optional[Runner] = None,
) -> List[Row]:
    """A row for each policy, latency and switch.

    Args:
        settings: of an endpoint that is asked through the slow server; without it the goals are canned, and
            the commands of a body with a model.
        rate: simulated seconds a second; 0 for as fast as can be.
        runner: keeps the trials; one is run at a time, so that none waits for another.

    Raises:
        ConfigError: for a model that is no endpoint.
    """
    names = {load_scene(config_file("scenes", each.sentence.scene, config), each.seed).domain for each in told}
    domains = [load_domain(config_file("domains", name, config)) for name in sorted(names)]
    answer: Answerer = Canned([each.sentence for each in told], domains)
    if settings is not None:
        if settings.backend != OPENAI or not settings.url:
            raise ConfigError(f"{settings.name} names no endpoint that a slow server could ask; name a file "
                              "with base_url (--llm), a model's file (--gguf), or neither for canned goals")
        answer = Forward(settings.url, settings.api_key())
    rows: List[Row] = []
    known = {name: load_policy(config_file("policies", name, config)) for name in policies}
    for latency in latencies:
        for policy in policies:
            for tricks in switches(known[policy], settings is None):
                with Loopback(answer, latency, not tricks.prefix) as server:
                    model = _through(settings, server.url, latency, tricks)
                    trials = [BrainTrial(config, each, policy, model, sigma, tricks.look_ahead, rate) for each in told]
                    name = f"{policy}, {latency:g} s, {tricks.name}"
                    results = replace(runner or Runner(), jobs=1).run([_Twice(name, each) for each in trials], name)
                rows.append({"model": settings.model_name if settings else CANNED, "policy": policy,
                             "latency_s": latency, "tricks": tricks.name, **_figures(results)})
    return rows


def _through(settings: Optional[LlmSettings], url: str, latency: float, tricks: Tricks) -> LlmSettings:
    """The settings of a model behind the slow server."""
    base = settings or LlmSettings(CANNED, model="canned", retries=0, response_format="json_object",
                                   roles={BRAIN: LlmSettings(OFFLINE, backend=OFFLINE)})
    return replace(base, base_url=url, api_key_env="", api_key_file="", probe=False, temperature=0.0,
                   cache=base.cache or LlmSettings().cache if tricks.repeats else 0,
                   timeout_s=max(base.timeout_s, latency + _MARGIN))


@dataclass(frozen=True)
class _Twice:
    """The same words in the same layout, twice in one process."""

    name: str
    trial: BrainTrial

    def key(self) -> str:
        return f"{self.name}: {self.trial.key()}"

    def run(self) -> Dict[str, Any]:
        models = Models(self.trial.llm) if self.trial.llm is not None else None
        return {"first": tell(self.trial, models), "again": tell(self.trial, models)}


def _figures(results: Sequence[Mapping[str, Any]]) -> Row:
    tally = Tally(results)
    row: Row = {**tally.trials, "success": tally.count(lambda each: each["first"]["success"]) / max(1, len(results))}
    for prefix, name in (("", "first"), ("again_", "again")):
        own = Tally(each[name] for each in tally.whole)
        moved = [each for each in own.whole if each["first_motion_s"] is not None]
        row[f"{prefix}calls"] = own.means("llm_calls")["llm_calls"]
        row[f"{prefix}first_motion_s"] = spread([each["first_motion_s"] for each in moved]) if moved else None
        row[f"{prefix}done_s"] = spread([each["wall_s"] for each in moved]) if moved else None
    return row

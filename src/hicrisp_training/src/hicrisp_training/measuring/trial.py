"""An adapter tried on the families that were held out, served as at run time."""

from __future__ import annotations

import logging
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.llm.embedded import EMBEDDED
from hicrisp_core.llm.embedded_files import ModelFiles
from hicrisp_core.llm.embedded_process import ServerProcess
from hicrisp_core.llm.exchange import LlmFailure
from hicrisp_core.time.deadline import Deadline

from hicrisp_training.measuring.asking import Said, ask
from hicrisp_training.measuring.verdicts import (
    ASKED,
    REFUSED,
    RIGHT,
    WRONG,
    doubted,
    read,
    thresholds,
    verdict_of,
)
from hicrisp_training.sentences.samples import Sample

log = logging.getLogger(__name__)
_START_S = 180.0


@dataclass(frozen=True)
class Tried:
    """One request, what was answered, and whether that is right."""

    sample: Sample
    said: Said
    verdict: str


def tried(
    base: Path,
    adapter: Optional[Path],
    samples: Sequence[Sample],
    domains: Mapping[str, Domain],
    threads: int,
) -> List[Tried]:
    """Every sample's answer and verdict.

    Raises:
        ConfigError: where the server does not start.
    """
    server = ServerProcess(ModelFiles(base, adapter), {**EMBEDDED.options, "threads": threads})
    address = server.address(Deadline(_START_S))
    if isinstance(address, LlmFailure):
        raise ConfigError(address.message)
    found: List[Tried] = []
    try:
        for number, sample in enumerate(samples, 1):
            began = time.monotonic()
            said = ask(address.url, sample, domains[sample.domain])
            said = replace(said, seconds=time.monotonic() - began)
            if doubted(sample, read(sample, said.text, domains[sample.domain]), domains[sample.domain])[1]:
                said = replace(said, chance=0.0, least=0.0)
            found.append(Tried(sample, said, verdict_of(sample, said.text, domains[sample.domain])))
            if number % 50 == 0:
                log.info("%d of %d: %s", number, len(samples), dict(Counter(each.verdict for each in found)))
    finally:
        server.close()
    return found


def table(results: Sequence[Tried]) -> List[Dict[str, Any]]:
    """A row for each class, the one called ``all`` last."""
    by_class: Dict[str, List[Tried]] = defaultdict(list)
    for each in results:
        by_class[each.sample.kind].append(each)
    rows = [(kind, by_class[kind]) for kind in sorted(by_class)]
    return [_row(kind, each) for kind, each in (*rows, ("all", list(results)))]


def _row(kind: str, results: Sequence[Tried]) -> Dict[str, Any]:
    verdicts = Counter(each.verdict for each in results)
    seconds = sorted(each.said.seconds for each in results)
    return {
        "class": kind,
        "n": len(results),
        **{name: round(verdicts[name] / len(results), 3) for name in (RIGHT, ASKED, REFUSED, WRONG)},
        "seconds": round(seconds[len(seconds) // 2], 2),
    }


def bounds(results: Sequence[Tried]) -> Dict[str, List[Mapping[str, Any]]]:
    """What asking back below a bound does, by what tells how sure an answer is."""
    goals: List[Tuple[Said, str]] = [(each.said, each.verdict) for each in results]
    return {
        "chance": thresholds([(said.chance, verdict) for said, verdict in goals]),
        "least": thresholds([(said.least, verdict) for said, verdict in goals]),
    }

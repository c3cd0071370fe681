"""Asks the embedded model's server as the workspace does, and notes how sure it was."""

from __future__ import annotations

import json
import math
import urllib.request
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional

from hicrisp_core.domain.schema import Domain
from hicrisp_core.prompting.goal_prompt import goal_messages, goal_schema

from hicrisp_training.sentences.samples import Sample


@dataclass(frozen=True)
class Said:
    """One answer.

    Args:
        chance: the product of the tokens' probabilities.
        least: the smallest of them.
    """

    text: str
    chance: float
    least: float
    seconds: float = 0.0


def ask(
    url: str,
    sample: Sample,
    domain: Domain,
    temperature: float = 0.0,
    seed: int = 0,
    timeout_s: float = 120.0,
) -> Said:
    """The model's answer to a sample's request."""
    messages = goal_messages(sample.text, domain, sample.world)
    request: Dict[str, Any] = {
        "messages": [
            {"role": "system", "content": messages.system},
            {"role": "user", "content": messages.user},
        ],
        "temperature": temperature,
        "seed": seed,
        "max_tokens": 300,
        "logprobs": True,
        "top_logprobs": 1,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "goal", "strict": True, "schema": goal_schema(domain, sample.world)},
        },
    }
    answer = _post(f"{url}/chat/completions", request, timeout_s)
    choice = answer["choices"][0]
    chances = token_chances(choice)
    return Said(choice["message"]["content"], math.exp(sum(chances)), math.exp(min(chances, default=0.0)))


def token_chances(choice: Mapping[str, Any]) -> List[float]:
    """The logarithms of the tokens' probabilities."""
    found: Optional[Mapping[str, Any]] = choice.get("logprobs")
    return [float(token["logprob"]) for token in (found or {}).get("content") or ()]


def _post(url: str, request: Mapping[str, Any], timeout_s: float) -> Any:
    call = urllib.request.Request(url, json.dumps(request).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(call, timeout=timeout_s) as reply:
        return json.load(reply)

"""What an endpoint can, as a value and as one line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple

from hicrisp_core.llm.exchange import LlmFailure


@dataclass(frozen=True)
class Capabilities:
    """What was found out about a model behind an endpoint; ``None`` where it could not be.

    Args:
        name: the backend and the model.
        where: the endpoint.
        schema: whether answers follow a JSON schema.
        object: whether answers are JSON objects where that is asked for.
        strict: whether it takes a schema in strict mode.
        seed: whether the endpoint takes a seed.
        context: tokens that prompt and answer may have together; 0 where it does not say.
        listed: whether the endpoint's list of models has this one.
        refused: parameters and schema keywords that the endpoint refused, so that they are not sent.
        seconds: what the asking took.
        failure: why there was no answer at all.
    """

    name: str
    where: str
    schema: Optional[bool] = None
    object: Optional[bool] = None
    strict: Optional[bool] = None
    seed: Optional[bool] = None
    context: int = 0
    listed: Optional[bool] = None
    refused: Tuple[str, ...] = ()
    seconds: float = 0.0
    failure: Optional[LlmFailure] = None

    @property
    def line(self) -> str:
        """Everything in one line."""
        if self.failure is not None:
            return f"{self.name} at {self.where} gives no answer: {self.failure.message}"
        found = [f"JSON schema {_word(self.schema)}", f"JSON object {_word(self.object)}",
                 f"strict {_word(self.strict)}", f"seed {_word(self.seed)}",
                 f"context {self.context} tokens" if self.context else "context unknown",
                 {True: "model listed", False: "model not listed", None: "no list of models"}[self.listed]]
        if self.refused:
            found.append(f"does not take {' and '.join(self.refused)}")
        return f"{self.name} at {self.where}: {', '.join(found)} ({self.seconds:.1f} s)"


def _word(known: Optional[bool]) -> str:
    return {True: "yes", False: "no", None: "not asked"}[known]

"""One question to a model, asked again with what is wrong when its answer cannot be used."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Callable, Generic, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union

from hicrisp_core.llm.chat_model import ChatModel, Completion, LlmFailure, Message
from hicrisp_core.llm.images import KEY as IMAGES
from hicrisp_core.parsing.plan_text import ParseFailure, is_ambiguous
from hicrisp_core.ports.brain import Usage
from hicrisp_core.prompting.quarantine import plain
from hicrisp_core.time.deadline import Deadline

_ASKS = 2
"""How often a model is asked for one answer: an unreadable one is asked again with what is wrong with it."""
_SEVERAL = ParseFailure("the answer holds several objects, and it is not said which of them counts; write the one")
_Read = TypeVar("_Read")
Turn = Tuple[str, str]
"""A question and its answer."""


@dataclass(frozen=True)
class ModelReply(Generic[_Read]):
    """What came of a question: the answer as it was read, or why there is none; and what it cost.

    Args:
        silent: whether the model gave no answer at all, rather than one that cannot be used.
        sure: how likely the model found its answer, 0 to 1; ``None`` where the endpoint does not say.
    """

    answer: Optional[_Read]
    trouble: str
    usage: Usage
    silent: bool = False
    sure: Optional[float] = None


def ask(
    client: ChatModel, system: str, prompt: str, deadline: Deadline, schema: Mapping[str, Any],
    read: Callable[[Completion], Union[_Read, ParseFailure]], examples: Sequence[Turn] = (),
    keep: Callable[[_Read], bool] = lambda found: True, images: Sequence[str] = (),
) -> ModelReply[_Read]:
    """Ask a model.

    Args:
        schema: the JSON schema of the answer, for servers that have it.
        read: reads the answer, or says why it cannot be used; one with several objects is not read.
        examples: questions and answers that go before, as if they had been asked and answered.
        keep: whether the same question may get the same answer from the model's memory the next time.
        images: pictures that go with the question, as data URIs.
    """
    keys = frozenset(schema.get("properties", ()))
    turns = [{"role": role, "content": said} for turn in examples for role, said in zip(("user", "assistant"), turn)]
    messages: List[Message] = [{"role": "system", "content": system}, *turns,
                               {"role": "user", "content": prompt, **({IMAGES: list(images)} if images else {})}]
    usage = Usage()
    trouble = ""
    for _ in range(_ASKS):
        said = client.complete(messages, deadline, schema)
        usage = usage + cost_of(said)
        if isinstance(said, LlmFailure):
            before = f" Its first answer could not be used: {trouble}" if trouble else ""
            return ModelReply(None, f"The language model gave no answer: {said.message}.{before}", usage, silent=True)
        found = _SEVERAL if is_ambiguous(said.text, keys) else read(said)
        if isinstance(found, ParseFailure) or not keep(found):
            client.forget(messages, schema)
        if not isinstance(found, ParseFailure):
            return ModelReply(found, "", usage, sure=said.sure)
        trouble = str(found)
        messages = [*messages, {"role": "assistant", "content": said.text},
                    {"role": "user", "content": f"This cannot be used: {plain(trouble)} Answer again, in the form "
                                                "that was asked for, with the names that are listed only."}]
    return ModelReply(None, f"The language model's answer cannot be used: {trouble}", usage)


def compact(answer: object) -> str:
    """Return an answer as the one line of JSON that a model should write."""
    return json.dumps(answer, separators=(",", ":"), ensure_ascii=False)


def cost_of(answer: Union[Completion, LlmFailure]) -> Usage:
    """What an answer cost, or the lack of one."""
    if isinstance(answer, LlmFailure):
        return Usage(answer.calls, exchanges=answer.exchanges)
    return Usage(answer.calls, answer.prompt_tokens, answer.completion_tokens, answer.seconds, answer.exchanges)

"""Files of a suite's recorded answers: by trial, role and number of the call."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from hicrisp_core.errors import ConfigError
from hicrisp_core.llm.chat_model import Completion, LlmFailure, Message, fingerprint
from hicrisp_core.llm.images import KEY, words_of
from hicrisp_core.llm.redaction import redacted_values
from hicrisp_core.trace.exchanges import FILE_NAME

SUFFIX = ".json"
TRIAL = "#"
"""Stands between a file of answers and the trial whose calls are answered from it."""
_DIGITS = 12
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_LEAST, _SHARE = 1.0, 0.25
"""By how much a number beside pictures may differ, and by which share of the larger one."""
Call = Tuple[str, str, int, int]
"""Fingerprint of the prompt, name of the answer, tokens of both."""


class Recorded(NamedTuple):
    """A question that was recorded, and what came of it.

    Args:
        prompt: its fingerprint (:func:`prompt_key`).
        model: name of the model that was asked.
        messages: the prompt itself; ``None`` if only its fingerprint was kept.
        schema: hash of the JSON schema of the answer; ``None`` if it was not kept.
    """

    prompt: str
    answer: Union[Completion, LlmFailure]
    model: str
    messages: Optional[Sequence[Message]] = None
    schema: Optional[str] = None


def prompt_key(messages: Sequence[Message]) -> str:
    """Return the fingerprint by which a file of answers knows a prompt: that of its words, for no two pictures are the
    same. Numbers beside pictures were measured in them, and follow the fingerprint (:func:`same_prompt`).

    Args:
        messages: the conversation, oldest first.

    Returns:
        Twelve hexadecimal digits, and the numbers.
    """
    words, numbers = redacted_values([words_of(each) for each in messages]), []
    for told in (told for told, each in zip(words, messages) if each.get(KEY)):
        numbers += _NUMBER.findall(told["content"])
        told["content"] = _NUMBER.sub("#", told["content"])
    return " ".join([fingerprint(words)[:_DIGITS], *numbers])


def same_prompt(one: str, other: str) -> bool:
    """Check whether two prompts have the same words, and beside pictures about the same numbers.

    Args:
        one: fingerprint of a prompt.
        other: that of the other.

    Returns:
        Whether no number differs by more than 1, or a quarter of the larger one.
    """
    (words, *numbers), (others, *measured) = one.split(), other.split()
    pairs = [(float(a), float(b)) for a, b in zip(numbers, measured)]
    return words == others and all(abs(a - b) <= max(_LEAST, _SHARE * max(a, b)) for a, b in pairs)


def holds_answers(replay: str) -> bool:
    """Check whether what a configuration replays is answers by trial: a JSON file, or a folder of such files.

    Args:
        replay: value of the key ``replay``.

    Returns:
        Whether it is; a recorded run is not.
    """
    path = Path(replay.partition(TRIAL)[0]).expanduser()
    return bool(replay) and (path.suffix == SUFFIX or path.is_dir() and not (path / FILE_NAME).exists())


def read_answers(path: Path, trial: str, role: str) -> Tuple[List[Recorded], Dict[str, Recorded]]:
    """Read the answers of one role.

    Args:
        path: a file, or a folder of such files.
        trial: the trial's key.
        role: whose answers.

    Returns:
        The trial's own in the order of its calls, and those of all trials by their prompts' fingerprints.

    Raises:
        ConfigError: when a file cannot be read or holds something else.
    """
    own: List[Recorded] = []
    known: Dict[str, Recorded] = {}
    for file in sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path]:
        content = _content(file, file.stat().st_mtime if file.is_file() else 0.0)
        for key, roles in content["trials"].items():
            for prompt, name, asked, answered in roles.get(role, ()):
                found = Recorded(prompt, Completion(content["answers"][name], content["model"], asked, answered),
                                 content["model"])
                known.setdefault(prompt, found)
                own += [found] if key == trial else []
    return own, known


@lru_cache(maxsize=16)
def _content(file: Path, changed: float) -> Mapping[str, Any]:
    """A file's answers; hundreds of trials read the same one."""
    del changed
    try:
        content: Dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        calls = [call for roles in content["trials"].values() for own in roles.values() for call in own]
        if isinstance(content["model"], str) and all(content["answers"][call[1]] and len(call) == 4 for call in calls):
            return content
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(f"cannot read the answers in {file}: {error!r}") from error
    raise ConfigError(f"{file} holds no answers: keys 'model', 'answers' and 'trials', whose calls have four parts")


def answers_of(model: str, trials: Mapping[str, Sequence[Mapping[str, Any]]]) -> Dict[str, Any]:
    """Make the content of a file of answers.

    Args:
        model: who answered, in words.
        trials: the calls of each trial in order, by the trial's key: ``role``, ``prompt``, ``answer``,
            ``prompt_tokens`` and ``completion_tokens``.

    Returns:
        JSON values; equal answers are stored once.
    """
    answers: Dict[str, str] = {}
    found: Dict[str, Dict[str, List[Call]]] = {}
    for trial, calls in trials.items():
        for each in calls:
            name = fingerprint(each["answer"])[:_DIGITS]
            answers[name] = each["answer"]
            found.setdefault(trial, {}).setdefault(each["role"], []).append(
                (each["prompt"], name, each["prompt_tokens"], each["completion_tokens"]))
    return {"model": model, "answers": answers, "trials": found}

"""A suite's recorded answers in place of its language models: by trial, role and number of the call."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from hicrisp_core.errors import ConfigError
from hicrisp_core.llm.chat_model import ChatModel, Completion, LlmFailure, Message, fingerprint
from hicrisp_core.llm.redaction import redacted_values
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.exchanges import FILE_NAME

SUFFIX = ".json"
TRIAL = "#"
"""Stands between a file of answers and the trial whose calls are answered from it."""
_DIGITS = 12
Call = Tuple[str, str, int, int]
"""Fingerprint of the prompt, name of the answer, tokens of both."""


def prompt_key(messages: Sequence[Message]) -> str:
    """Return the fingerprint by which a file of answers knows a prompt.

    Args:
        messages: the conversation, oldest first.

    Returns:
        Twelve hexadecimal digits.
    """
    return fingerprint(redacted_values([dict(each) for each in messages]))[:_DIGITS]


def holds_answers(replay: str) -> bool:
    """Check whether what a configuration replays is answers by trial: a JSON file, or a folder of such files.

    Args:
        replay: value of the key ``replay``.

    Returns:
        Whether it is; a recorded run is not.
    """
    path = Path(replay.partition(TRIAL)[0]).expanduser()
    return bool(replay) and (path.suffix == SUFFIX or path.is_dir() and not (path / FILE_NAME).exists())


class AnswersModel(ChatModel):
    """Answers one role's calls in one trial.

    The very same prompt gets its answer, the trial's own first; any other prompt gets the answer to the
    trial's call with the same number, and the record of that answer says so.

    Args:
        replay: file or folder, ``#`` and the trial's key.
        role: whose calls are answered.

    Raises:
        ConfigError: when a file cannot be read or holds something else.
    """

    def __init__(self, replay: str, role: str) -> None:
        path, _, self._trial = replay.partition(TRIAL)
        self._role, self._path = role, Path(path).expanduser()
        self._own: List[Tuple[str, Completion]] = []
        """The trial's prompts and answers in the order of its calls."""
        self._others: Dict[str, Completion] = {}
        self._calls, self._lock = 0, threading.Lock()
        files = sorted(self._path.glob(f"*{SUFFIX}")) if self._path.is_dir() else [self._path]
        for file in files:
            self._read(_content(file, file.stat().st_mtime if file.is_file() else 0.0))
        self._left = list(range(len(self._own)))

    def _read(self, content: Mapping[str, Any]) -> None:
        for trial, roles in content["trials"].items():
            for prompt, name, asked, answered in roles.get(self._role, ()):
                found = Completion(content["answers"][name], content["model"], asked, answered)
                self._others.setdefault(prompt, found)
                if trial == self._trial:
                    self._own.append((prompt, found))

    @property
    def name(self) -> str:
        """The model that answered."""
        return next((each.model for each in (*(own for _, own in self._own), *self._others.values())),
                    f"replay:{self._path.name}")

    def complete(
        self, messages: Sequence[Message], deadline: Deadline, schema: Optional[Mapping[str, Any]] = None
    ) -> Union[Completion, LlmFailure]:
        """Return the recorded answer.

        Args:
            messages: the conversation, oldest first.
            deadline: wall-clock limit of the call; nothing takes long here.
            schema: JSON schema of the answer; makes no difference.

        Returns:
            The answer; a failure of the kind ``replay`` where neither the prompt nor the call is recorded.
        """
        prompt = prompt_key(messages)
        with self._lock:
            number, self._calls = self._calls, self._calls + 1
            at = next((each for each in self._left if self._own[each][0] == prompt), None)
            if at is None and prompt in self._others:
                return self._others[prompt]
            if at is None and number in self._left:
                at = number
            if at is None:
                return LlmFailure("replay", f"call {number + 1} of {self._role} in '{self._trial}' is not among the "
                                            f"answers in {self._path}", 0)
            self._left.remove(at)
        recorded, answer = self._own[at]
        note = "" if recorded == prompt else f"the prompt of {self._role} {number + 1} is not the recorded one"
        return replace(answer, note=note)


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

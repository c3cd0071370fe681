"""A recording in place of its language models: each call gets its recorded answer, and nothing is asked."""

from __future__ import annotations

import logging
import threading
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any, List, Mapping, Optional, Sequence, Union

from hicrisp_core.llm.answers import TRIAL, Recorded, holds_answers, prompt_key, read_answers, same_prompt
from hicrisp_core.llm.chat_model import ChatModel, Completion, LlmFailure, Message, RequestAttempt, schema_hash
from hicrisp_core.llm.redaction import redacted_values
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.exchange import Exchange
from hicrisp_core.trace.exchanges import read_exchanges

log = logging.getLogger(__name__)

_SHOWN = 80
"""Characters that a difference quotes of each side."""


class ReplayModel(ChatModel):
    """Answers one role's questions from a recording: of a run, or of a suite's trial.

    The very same question gets its answers in their order, and the last of them from then on; in a suite
    another trial's answer serves, too. Any other question gets the answer to the call with the same number,
    and the difference is reported: once in the log, and in the record of each such answer.

    Args:
        replay: ``llm.jsonl`` of a run, or its folder; or a suite's answers, ``#`` and the trial's key.
        role: whose questions are answered.

    Raises:
        ConfigError: when the file cannot be read or holds something else.
    """

    def __init__(self, replay: Union[str, FilePath], role: str) -> None:
        path, _, trial = str(replay).partition(TRIAL) if holds_answers(str(replay)) else (str(replay), "", "")
        self._role, self._file = role, FilePath(path).expanduser()
        self._place = f"{self._file}, trial '{trial}'" if trial else str(self._file)
        self._others: Mapping[str, Recorded] = {}
        if holds_answers(path):
            self._questions, self._others = read_answers(self._file, trial, role)
        else:
            self._questions = _questions(self._file, role)
        self._used = [False] * len(self._questions)
        self._calls = 0
        self._warned = False
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The model that was recorded."""
        return next((each.model for each in (*self._questions, *self._others.values())), f"replay:{self._file.name}")

    def complete(
        self, messages: Sequence[Message], deadline: Deadline, schema: Optional[Mapping[str, Any]] = None
    ) -> Union[Completion, LlmFailure]:
        """Return the recorded answer to a question.

        Args:
            messages: the conversation, oldest first.
            deadline: wall-clock limit of the call.
            schema: JSON schema of the answer; compared with the recorded one.

        Returns:
            The recorded reply; a failure beyond the recording's end.
        """
        prompt, wanted = prompt_key(messages), schema_hash(schema)
        with self._lock:
            number, self._calls = self._calls, self._calls + 1
            words = [at for at, question in enumerate(self._questions) if same_prompt(question.prompt, prompt)]
            same = [at for at in words if self._questions[at].schema in (None, wanted)] or words
            other = next((each for key, each in self._others.items() if same_prompt(key, prompt)), None)
            if not same and other is not None:
                return other.answer
            if not same and number >= len(self._questions):
                return LlmFailure("replay", (
                    f"call {number + 1} of {self._role} is beyond the end of {self._place}, which holds "
                    f"{len(self._questions)}; record the run again" if self._questions else
                    f"{self._place} holds no prompt of {self._role}; it was recorded with another policy"), 0)
            fresh = next((each for each in same if not self._used[each]), None)
            at = fresh if fresh is not None else (same or [number])[-1]
            if same and fresh is None:
                self._calls = at + 1  # The task begins again, and so do its numbers.
            self._used[at] = True
            recorded = self._questions[at]
            if isinstance(recorded.answer, LlmFailure) or same and recorded.schema in (None, wanted):
                return recorded.answer
            note = f"the prompt of {self._role} {number + 1} is not the recorded one"
            if recorded.messages is not None:
                what = difference(recorded.messages, redacted_values(list(messages))) or (
                    "the words are the same, the JSON schema is not: recorded "
                    f"{(recorded.schema or '')[:12] or 'none'}, asked {wanted[:12] or 'none'}")
                note = f"{note}: {what}"
            if not self._warned:
                log.warning("%s; the recorded answer is given, here and wherever else it differs", note)
                self._warned = True
            return replace(recorded.answer, note=note)


def folder_of(recording: Union[str, FilePath]) -> FilePath:
    """Return the folder of the run that a recording belongs to.

    Args:
        recording: the run folder, or its ``llm.jsonl``.

    Returns:
        The folder.
    """
    path = FilePath(recording).expanduser()
    return path if path.is_dir() else path.parent


def difference(recorded: Sequence[Message], asked: Sequence[Message]) -> str:
    """Find the first line at which two prompts differ.

    Args:
        recorded: messages of the recording.
        asked: messages of the question.

    Returns:
        Both sides in words; empty if they are the same.
    """
    for at, (old, new) in enumerate(zip(recorded, asked), start=1):
        place = f"message {at} ({new.get('role', '')})"
        if old.get("role") != new.get("role"):
            return f"{place} comes from '{old.get('role', '')}' in the recording"
        old_lines, new_lines = (str(each.get("content", "")).split("\n") for each in (old, new))
        for line in range(max(len(old_lines), len(new_lines))):
            pair = [lines[line] if line < len(lines) else None for lines in (old_lines, new_lines)]
            if pair[0] != pair[1]:
                shown = ["nothing" if each is None else repr(_around(each, pair)) for each in pair]
                return f"{place}, line {line + 1}: recorded {shown[0]}, asked {shown[1]}"
    if len(recorded) != len(asked):
        return f"it has {len(recorded)} messages in the recording, {len(asked)} here"
    return ""


def _around(line: str, pair: Sequence[Optional[str]]) -> str:
    """The part of a long line around the first character that differs."""
    old, new = (each or "" for each in pair)
    at = next((i for i, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
    start = max(0, at - _SHOWN // 2) if len(line) > _SHOWN else 0
    return ("..." if start else "") + line[start:start + _SHOWN] + ("..." if len(line) > start + _SHOWN
                                                                    else "")


def _answer(question: Sequence[Exchange]) -> Union[Completion, LlmFailure]:
    last = question[-1]
    before = tuple(RequestAttempt(each.failure, each.error, each.seconds) for each in question[:-1])
    if last.failure:
        return LlmFailure(last.failure, last.error, last.attempt, last.seconds, before)
    return Completion(last.answer, last.answered_by, last.prompt_tokens, last.completion_tokens, last.cut_off,
                      last.seconds, last.attempt, before, sure=last.sure if last.sure >= 0.0 else None)


def _questions(path: FilePath, role: str) -> List[Recorded]:
    """The role's questions in the order in which they were asked; an exchange each, or several attempts."""
    found: List[List[Exchange]] = []
    for exchange in read_exchanges(path):
        if exchange.role == role:
            found[len(found):] = [[]] if exchange.attempt <= 1 or not found else []
            found[-1].append(exchange)
    return [Recorded(prompt_key(each[-1].messages), _answer(each), each[-1].model, each[-1].messages, each[-1].schema)
            for each in found]

"""A recorded run in place of its language models: each call gets its recorded answer, and nothing is asked."""

from __future__ import annotations

import logging
import threading
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any, List, Mapping, Optional, Sequence, Tuple, Union

from hicrisp_core.llm.chat_model import ChatModel, Completion, LlmFailure, Message, RequestAttempt, schema_hash
from hicrisp_core.llm.redaction import redacted_values
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.events import Exchange
from hicrisp_core.trace.exchanges import read_exchanges

log = logging.getLogger(__name__)

_SHOWN = 80
"""Characters that a difference quotes of each side."""


class ReplayModel(ChatModel):
    """Answers one role's questions from the recording of a task.

    The very same question gets its answers in their order, and the last of them from then on. Any other
    question gets the answer to the call with the same number, and the difference is reported: once in the
    log, and in the record of each such answer.

    Args:
        file: ``llm.jsonl`` of a run, or its folder; a run is one task's.
        role: whose questions are answered.

    Raises:
        ConfigError: when the file cannot be read or holds something else.
    """

    def __init__(self, file: Union[str, FilePath], role: str) -> None:
        self._role = role
        self._file = FilePath(file).expanduser()
        self._questions = _questions(self._file, role)
        self._used = [False] * len(self._questions)
        self._calls = 0
        self._warned = False
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The model that was recorded."""
        return self._questions[0][-1].model if self._questions else f"replay:{self._file.name}"

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
        asked, wanted = redacted_values(list(messages)), schema_hash(schema)
        with self._lock:
            number, self._calls = self._calls, self._calls + 1
            words = [at for at, question in enumerate(self._questions)
                     if [dict(each) for each in question[-1].messages] == asked]
            same = [at for at in words if self._questions[at][-1].schema == wanted] or words
            if not same and number >= len(self._questions):
                return LlmFailure("replay", (
                    f"call {number + 1} of {self._role} is beyond the end of {self._file}, which holds "
                    f"{len(self._questions)}; record the run again" if self._questions else
                    f"{self._file} holds no prompt of {self._role}; it was recorded with another policy"), 0)
            fresh = next((each for each in same if not self._used[each]), None)
            at = fresh if fresh is not None else (same or [number])[-1]
            if same and fresh is None:
                self._calls = at + 1  # The task begins again, and so do its numbers.
            self._used[at] = True
            recorded, answer = self._questions[at][-1], _answer(self._questions[at])
            note = difference(recorded.messages, asked)
            if not note and recorded.schema != wanted:
                note = (f"the words are the same, the JSON schema is not: recorded {recorded.schema[:12] or 'none'}, "
                        f"asked {wanted[:12] or 'none'}")
            if not note or isinstance(answer, LlmFailure):
                return answer
            note = f"the prompt of {self._role} {number + 1} is not the recorded one: {note}"
            if not self._warned:
                log.warning("%s; the recorded answer is given, here and wherever else it differs", note)
                self._warned = True
            return replace(answer, note=note)


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


def _answer(question: Tuple[Exchange, ...]) -> Union[Completion, LlmFailure]:
    last = question[-1]
    before = tuple(RequestAttempt(each.failure, each.error, each.seconds) for each in question[:-1])
    if last.failure:
        return LlmFailure(last.failure, last.error, last.attempt, last.seconds, before)
    return Completion(last.answer, last.answered_by, last.prompt_tokens, last.completion_tokens, last.cut_off,
                      last.seconds, last.attempt, before, sure=last.sure if last.sure >= 0.0 else None)


def _questions(path: FilePath, role: str) -> List[Tuple[Exchange, ...]]:
    """The role's questions, each with its attempts, in the order in which they were asked."""
    found: List[List[Exchange]] = []
    for exchange in read_exchanges(path):
        if exchange.role == role:
            found[len(found):] = [[]] if exchange.attempt <= 1 or not found else []
            found[-1].append(exchange)
    return [tuple(attempts) for attempts in found]

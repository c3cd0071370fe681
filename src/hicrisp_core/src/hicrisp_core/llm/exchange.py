"""What goes to a model and what comes back, and how exchanges are recorded and replayed."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from hicrisp_core.errors import ConfigError

Message = Mapping[str, str]
"""``{"role": ..., "content": ...}``"""
_SECRET = re.compile(r"\b(sk|key|gsk|xai)-[A-Za-z0-9_-]{8,}|Bearer\s+\S+")


@dataclass(frozen=True)
class Completion:
    """A model's answer."""

    text: str
    model: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cut_off: bool = False
    """The answer ended at the limit of tokens."""
    seconds: float = 0.0
    calls: int = 1


@dataclass(frozen=True)
class LlmFailure:
    """Why there is no answer: ``timeout``, ``connection``, ``unauthorised``, ``rate_limit``, ``server``, ``request``,
    ``empty`` or ``replay``.
    """

    kind: str
    message: str
    calls: int = 1


def redacted(text: str) -> str:
    """The text without anything that looks like a key."""
    return _SECRET.sub("[redacted]", text)


def fingerprint(request: Mapping[str, Any]) -> str:
    """The same for the same request, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(request, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


class Recorder:
    """Appends exchanges to a JSON-lines file."""

    def __init__(self, file: Union[str, FilePath]) -> None:
        self._file = FilePath(file).expanduser()
        self._file.parent.mkdir(parents=True, exist_ok=True)

    def add(self, request: Mapping[str, Any], completion: Completion) -> None:
        """Write one exchange."""
        entry = {"fingerprint": fingerprint(request), "request": request, "completion": vars(completion)}
        with self._file.open("a", encoding="utf-8") as stream:
            stream.write(redacted(json.dumps(entry, ensure_ascii=False)) + "\n")


class Replayer:
    """Answers requests from a recording, byte for byte; the same request twice gets its answers in order."""

    def __init__(self, file: Union[str, FilePath]) -> None:
        path = FilePath(file).expanduser()
        self._answers: Dict[str, List[Completion]] = {}
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise ConfigError(f"cannot read the recording {path}: {error.strerror}") from error
        for number, line in enumerate(lines, start=1):
            try:
                entry = json.loads(line)
                completion = Completion(**entry["completion"])
            except (ValueError, KeyError, TypeError) as error:
                raise ConfigError(f"{path}:{number}: not a recorded exchange: {error}") from error
            self._answers.setdefault(entry["fingerprint"], []).append(completion)

    def answer(self, request: Mapping[str, Any]) -> Union[Completion, LlmFailure]:
        """The recorded answer to exactly this request."""
        found = self._answers.get(fingerprint(request), [])
        if not found:
            return LlmFailure("replay", "the recording holds no answer to this request; it begins: "
                              f"{_last(request.get('messages'))[:120]!r}", 0)
        return found.pop(0) if len(found) > 1 else found[0]


def _last(messages: Optional[Sequence[Message]]) -> str:
    return messages[-1]["content"] if messages else ""

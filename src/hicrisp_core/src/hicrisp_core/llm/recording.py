"""Exchanges recorded to a file and replayed from it, byte for byte."""

from __future__ import annotations

import hashlib
import json
import logging
from difflib import SequenceMatcher
from pathlib import Path as FilePath
from typing import Any, Dict, List, Mapping, Union

from hicrisp_core.errors import ConfigError
from hicrisp_core.llm.exchange import Completion, LlmFailure, redacted_values

log = logging.getLogger(__name__)

_SHOWN = 60
"""Characters that a difference quotes of each side."""


def fingerprint(request: Mapping[str, Any]) -> str:
    """The same for the same request, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(request, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


class Recorder:
    """Appends exchanges to a JSON-lines file, without keys.

    Args:
        secrets: texts that never reach the file.

    Raises:
        ConfigError: when the file cannot be written.
    """

    def __init__(self, file: Union[str, FilePath], *secrets: str) -> None:
        self._file = FilePath(file).expanduser()
        self._secrets = secrets
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.open("a", encoding="utf-8").close()
        except OSError as error:
            raise ConfigError(f"cannot record to {self._file}: {error.strerror}") from error

    def add(self, request: Mapping[str, Any], completion: Completion) -> None:
        """Write one exchange; a full disk costs the recording, never the answer."""
        entry = {"fingerprint": fingerprint(request), "request": request, "completion": vars(completion)}
        line = json.dumps(redacted_values(entry, *self._secrets), ensure_ascii=False)
        try:
            with self._file.open("a", encoding="utf-8") as stream:
                stream.write(line + "\n")
        except OSError as error:
            log.error("an exchange could not be recorded to %s: %s", self._file, error.strerror)


class Replayer:
    """Answers requests from a recording; the same request asked again gets its answers in their order."""

    def __init__(self, file: Union[str, FilePath]) -> None:
        path = FilePath(file).expanduser()
        self._answers: Dict[str, List[Completion]] = {}
        self._requests: List[Mapping[str, Any]] = []
        try:
            lines = path.read_text(encoding="utf-8").split("\n")
        except OSError as error:
            raise ConfigError(f"cannot read the recording {path}: {error.strerror}") from error
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                entry = json.loads(line)
                completion = Completion(**entry["completion"])
                self._answers.setdefault(entry["fingerprint"], []).append(completion)
                self._requests.append(entry["request"])
            except (ValueError, KeyError, TypeError) as error:
                raise ConfigError(f"{path}:{number}: not a recorded exchange: {error}") from error

    def answer(self, request: Mapping[str, Any]) -> Union[Completion, LlmFailure]:
        """The recorded answer to exactly this request, or a failure that says where the nearest one
        differs.
        """
        found = self._answers.get(fingerprint(request), [])
        if found:
            return found.pop(0) if len(found) > 1 else found[0]
        if not self._requests:
            return LlmFailure("replay", "the recording is empty", 0)
        wanted = _text(request)
        nearest = max(self._requests,
                      key=lambda each: SequenceMatcher(None, _text(each), wanted).quick_ratio())
        return LlmFailure("replay",
                          f"the recording holds no answer to this request; the nearest one differs: "
                                    f"{difference(nearest, request)}", 0)


def difference(recorded: Any, asked: Any, place: str = "request") -> str:
    """The first place at which two requests differ, with both sides; empty when they are the same."""
    if isinstance(recorded, Mapping) and isinstance(asked, Mapping):
        found = (difference(recorded.get(key), asked.get(key), f"{place}.{key}")
                 for key in sorted({*recorded, *asked}, key=str))
        return next(filter(None, found), "")
    if isinstance(recorded, (list, tuple)) and isinstance(asked, (list, tuple)):
        if len(recorded) != len(asked):
            return f"{place} has {len(recorded)} entries in the recording, {len(asked)} here"
        found = (difference(*pair, f"{place}[{index}]") for index, pair in enumerate(zip(recorded, asked)))
        return next(filter(None, found), "")
    if recorded == asked:
        return ""
    if isinstance(recorded, str) and isinstance(asked, str):
        at = next((i for i, (a, b) in enumerate(zip(recorded, asked)) if a != b),
                  min(len(recorded), len(asked)))
        shown = slice(at, at + _SHOWN)
        return f"{place}, character {at}: recorded {recorded[shown]!r}, asked {asked[shown]!r}"
    return f"{place}: recorded {recorded!r}, asked {asked!r}"


def _text(request: Mapping[str, Any]) -> str:
    return "\n".join(str(message.get("content", "")) for message in request.get("messages", ()))[-4000:]

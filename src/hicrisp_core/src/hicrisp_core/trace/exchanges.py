"""The exchanges of a run with language models in ``llm.jsonl``, written and read: one JSON object a line, no keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List, Mapping, Union

from hicrisp_core.errors import ConfigError
from hicrisp_core.trace.exchange import Exchange
from hicrisp_core.trace.plain import to_json
from hicrisp_core.trace.read_event import problems_of, record_of

FILE_NAME = "llm.jsonl"
_REMOVED = ("goal_prompt", "read_back")
"""Fields of earlier releases, which are not read any more."""


class ExchangeFile:
    """Appends exchanges to a file and numbers each role's questions.

    Args:
        file: made when the first exchange is written.
    """

    def __init__(self, file: Union[str, Path]) -> None:
        self._file = Path(file).expanduser()
        self._numbers: Dict[str, int] = {}

    def open(self) -> None:
        """Make the file where it is missing.

        Raises:
            OSError: when it cannot be written.
        """
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.open("a", encoding="utf-8").close()

    def add(self, entry: Mapping[str, Any]) -> None:
        """Append one exchange; exchanges of one question follow each other.

        Args:
            entry: the exchange as a JSON object.

        Raises:
            OSError: when it cannot be written.
        """
        role = str(entry.get("role", ""))
        first = int(entry.get("attempt") or 0) <= 1
        self._numbers[role] = self._numbers.get(role, 0) + (1 if first else 0)
        with self._file.open("a", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(to_json({**entry, "number": self._numbers[role]}) + "\n")


def read_exchanges(recording: Union[str, Path]) -> List[Exchange]:
    """Read the exchanges of a recording.

    Args:
        recording: path of the file, or of a run folder that contains it.

    Returns:
        The exchanges in order.

    Raises:
        ConfigError: when it cannot be read or holds something else.
    """
    path = Path(recording).expanduser()
    path = path / FILE_NAME if path.is_dir() else path
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read the recording {path}: {error}") from error
    found = []
    for at, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"{path}:{at}: not a recorded exchange: {error}") from error
        if not isinstance(entry, dict) or entry.get("kind") != Exchange.kind:
            raise ConfigError(f"{path}:{at}: not a recorded exchange: 'kind' is not '{Exchange.kind}'")
        entry = {key: value for key, value in entry.items() if key not in _REMOVED}
        wrong = problems_of(entry)
        if wrong:
            raise ConfigError(f"{path}:{at}: not a recorded exchange: {wrong[0]}")
        found.append(record_of(Exchange, entry))
    return found

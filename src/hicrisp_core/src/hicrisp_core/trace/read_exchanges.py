"""Reading a run's exchanges with language models back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import List, Union

from hicrisp_core.errors import ConfigError
from hicrisp_core.trace.exchanges import FILE_NAME, Exchange
from hicrisp_core.trace.read_event import problems_of, record_of


def read_exchanges(recording: Union[str, Path]) -> List[Exchange]:
    """The exchanges of a recording, or of the recording in a run's folder, in their order.

    Raises:
        ConfigError: when it cannot be read or holds something else.
    """
    path = Path(recording).expanduser()
    path = path / FILE_NAME if path.is_dir() else path
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read the recording {path}: {error}") from error
    return [_exchange(line, f"{path}:{at}") for at, line in enumerate(lines, start=1) if line.strip()]


def _exchange(line: str, place: str) -> Exchange:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{place}: not a recorded exchange: {error}") from error
    if not isinstance(entry, dict) or entry.get("kind") != Exchange.kind:
        raise ConfigError(f"{place}: not a recorded exchange: 'kind' is not '{Exchange.kind}'")
    wrong = problems_of(entry)
    if wrong:
        raise ConfigError(f"{place}: not a recorded exchange: {wrong[0]}")
    return record_of(Exchange, entry)

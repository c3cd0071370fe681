"""Writing a configuration file whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Callable, TypeVar

from hicrisp_core.errors import ConfigError

T = TypeVar("T")


def write_whole(target: Path, text: str, load: Callable[[Path], T]) -> T:
    """Write a file beside its place, load it, and put it there only then.

    Args:
        load: reads the file; what it raises leaves the target as it was.

    Returns:
        What was loaded.

    Raises:
        ConfigError: when it cannot be written.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(suffix=".yaml", prefix=f".{target.stem}_", dir=target.parent)
        written = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            written.chmod(target.stat().st_mode if target.exists() else 0o644)
            loaded = load(written)
            written.replace(target)
        finally:
            written.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigError(f"{target} cannot be written: {error.strerror}; give another file") from error
    return loaded

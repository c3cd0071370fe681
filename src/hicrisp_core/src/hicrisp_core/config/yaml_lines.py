"""YAML that remembers its lines, and checks whose errors name the file, the line, the key and what is
valid.
"""

from __future__ import annotations

import pickle
import re
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path as FilePath
from typing import Any, Dict, Iterable, Mapping, Tuple, Union

import yaml

from hicrisp_core.errors import ConfigError

Key = Union[str, int]
Path = Tuple[Key, ...]
"""The way to a value: keys of mappings and indices of lists."""


def _only_true_and_false(safe: Any) -> Any:
    """Safe YAML in which only true and false are truth values: ``on`` and ``off`` are words here (YAML
    1.2).
    """
    resolvers = {
        first: [(tag, pattern) for tag, pattern in each if tag != "tag:yaml.org,2002:bool"]
        for first, each in yaml.SafeLoader.yaml_implicit_resolvers.items()}
    loader: Any = type("Loader", (safe,), {"yaml_implicit_resolvers": resolvers})
    loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|True|false|False)$"),
                                 list("tTfF"))
    return loader


_Exact = _only_true_and_false(yaml.SafeLoader)
"""Says best where a mistake is."""
_Fast = _only_true_and_false(getattr(yaml, "CSafeLoader", yaml.SafeLoader))
"""Over libyaml where PyYAML has it: it reads a domain eight times as fast."""


class Positions:
    """Where each value of a YAML file stands."""

    def __init__(self, file: str, lines: Mapping[Path, int]) -> None:
        self.file = file
        self._lines = dict(lines)

    def where(self, path: Path = ()) -> str:
        """``file:line: key.key`` of a value, or of the nearest one around it that is known."""
        known = path
        while known and known not in self._lines:
            known = known[:-1]
        dotted = ".".join(str(key) for key in path)
        return f"{self.file}:{self._lines.get(known, 1)}" + (f": {dotted}" if dotted else "")

    def error(self, path: Path, message: str) -> ConfigError:
        """A ConfigError at a place."""
        return ConfigError(f"{self.where(path)}: {message}")


def read_yaml(file: Union[str, FilePath]) -> Tuple[Dict[str, Any], Positions]:
    """Read a YAML file that holds one mapping.

    Raises:
        ConfigError: the file is missing, is no YAML, holds a key twice or is no mapping.
    """
    path = FilePath(file)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text: {error}") from error
    try:
        values, lines = _parsed(text, str(path))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigError(f"{path}:{line}: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not YAML: {error}") from error
    read = pickle.loads(values)  # noqa: S301 - made below; each reader gets values of its own
    if not isinstance(read, dict):
        raise ConfigError(f"{path}:1: a mapping (key: value) was expected, got {type(read).__name__}")
    return read, Positions(str(path), lines)


@lru_cache(maxsize=128)
def _parsed(text: str, file: str) -> Tuple[bytes, Mapping[Path, int]]:
    """The values of a text, pickled, and the lines on which they stand; what was read before is kept."""
    try:
        return _read(_Fast(text), file)
    except yaml.YAMLError:
        return _read(_Exact(text), file)


def _read(loader: Any, file: str) -> Tuple[bytes, Mapping[Path, int]]:
    lines: Dict[Path, int] = {}
    try:
        node = loader.get_single_node()
        if node is None:
            return pickle.dumps(None), lines
        _note_lines(node, (), lines, file)  # First: a value's construction resolves its merge keys in place.
        return pickle.dumps(loader.construct_document(node)), lines
    finally:
        loader.dispose()


def check_keys(
    mapping: Any, allowed: Iterable[str], required: Iterable[str], positions: Positions, path: Path = ()
) -> Dict[str, Any]:
    """The mapping, when it holds only allowed keys and all required ones.

    Raises:
        ConfigError: with the place, the closest valid key and all of them.
    """
    valid = sorted(allowed)
    if not isinstance(mapping, dict):
        raise positions.error(path, f"a mapping with the keys {', '.join(valid)} was expected, "
                                    f"got {type(mapping).__name__}")
    for key in mapping:
        if key not in valid:
            close = get_close_matches(str(key), valid, n=1)
            hint = f" (did you mean '{close[0]}'?)" if close else ""
            raise positions.error((*path, key), f"unknown key '{key}'{hint}; valid are: {', '.join(valid)}")
    for key in required:
        if key not in mapping:
            raise positions.error(path, f"the key '{key}' is missing")
    return mapping


def _note_lines(node: yaml.Node, path: Path, lines: Dict[Path, int], file: str) -> None:
    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            name = (*path, key.value)
            if name in lines:
                raise ConfigError(f"{file}:{key.start_mark.line + 1}: the key '{key.value}' stands here "
                                  "twice")
            lines[name] = key.start_mark.line + 1
            _note_lines(value, name, lines, file)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            _note_lines(value, (*path, index), lines, file)

"""YAML files with the place of every value: what no reader would get to the end of is refused with its line."""

from __future__ import annotations

import pickle
import re
from functools import lru_cache
from pathlib import Path as FilePath
from typing import Any, Dict, Mapping, Tuple, Union

import yaml

from hicrisp_core.errors import ConfigError

Key = Union[str, int]
Path = Tuple[Key, ...]
"""The way to a value: keys of mappings and indices of lists."""
MOST_BYTES = 4_000_000
"""Of a file."""
MOST_VALUES = 200_000
"""Values of a file, as often as aliases repeat them: eight lines can stand for a thousand million."""
DEEPEST = 50
"""Lists and mappings in one another."""
_TOO_DEEP = f"more than {DEEPEST} lists and mappings lie in one another here, or one lies in itself"
_KEYS = ("str", "merge")
"""The kinds of words that a key may be."""
_BRACKET = re.compile(r"[][{}]")
_FAR_RIGHT = re.compile(r"^[ ?-]{200}", re.MULTILINE)
_HALF_A_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]|\\U0000[dD][89a-fA-F]")
_NO_VALUE = (ValueError, LookupError, TypeError, ArithmeticError)
"""What Python raises for words in the form of a number, a date or a tag that are none."""


class _Readable:
    """Refuses, with its line, a value that has the form of its kind and is none, such as the date
    ``2024-13-45``; and what lies too deep before the reading takes long.
    """

    _depth = 0

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Construct a value; report one that does not fit its tag, such as the date ``2024-13-45``, with its line.

        Args:
            node: the YAML node.
            deep: whether nested values are constructed at once.

        Returns:
            The Python value.

        Raises:
            ConstructorError: if the text is not a value of its kind.
        """
        parent: Any = super()
        try:
            return parent.construct_object(node, deep)
        except _NO_VALUE as error:
            kind = node.tag.rpartition(":")[2]
            raise yaml.constructor.ConstructorError(
                None, None, f"'{str(node.value)[:40]}' is no {kind}; put words in quotes", node.start_mark) from error

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Compose a node and limit the nesting depth.

        Args:
            parent: the enclosing node.
            index: key or position within the parent.

        Returns:
            The composed node.

        Raises:
            ComposerError: if the document is nested too deeply.
        """
        self._depth += 1
        if self._depth > DEEPEST + 2:  # A document's top and a value in the deepest list.
            mark = self.peek_event().start_mark  # type: ignore[attr-defined]
            raise yaml.composer.ComposerError(None, None, _TOO_DEEP, mark)
        above: Any = super()
        try:
            return above.compose_node(parent, index)
        finally:
            self._depth -= 1


def _only_true_and_false(safe: Any) -> Any:
    """Safe YAML in which only true and false are truth values: ``on`` and ``off`` are words here (YAML
    1.2).
    """
    resolvers = {
        first: [(tag, pattern) for tag, pattern in each if tag != "tag:yaml.org,2002:bool"]
        for first, each in yaml.SafeLoader.yaml_implicit_resolvers.items()}
    loader: Any = type("Loader", (_Readable, safe), {"yaml_implicit_resolvers": resolvers})
    loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|True|false|False)$"), list("tTfF"))
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
        """Return where a value stands, or the nearest enclosing value whose line is known.

        Args:
            path: keys and list indices from the top of the file; empty for the whole file.

        Returns:
            ``file:line: key.key``, or ``file:line`` for an empty path.
        """
        known = path
        while known and known not in self._lines:
            known = known[:-1]
        dotted = ".".join(str(key) for key in path)
        return f"{self.file}:{self._lines.get(known, 1)}" + (f": {dotted}" if dotted else "")

    def error(self, path: Path, message: str) -> ConfigError:
        """Create an error that names the place of a value.

        Args:
            path: keys and list indices from the top of the file.
            message: what is wrong and what is valid.

        Returns:
            The error, to be raised by the caller.
        """
        return ConfigError(f"{self.where(path)}: {message}")


def read_yaml(file: Union[str, FilePath]) -> Tuple[Dict[str, Any], Positions]:
    """Read a YAML file that holds one mapping.

    Args:
        file: path of the file.

    Returns:
        The mapping, as a fresh copy for each caller, and the positions of its values.

    Raises:
        ConfigError: if the file is missing, too large, not a regular file or not valid YAML, repeats a key, or does not
            hold a mapping.
    """
    path = FilePath(file)
    try:
        if path.exists() and not path.is_file():
            raise ConfigError(f"{path} is no file")  # A device or a pipe might never end.
        if path.stat().st_size > MOST_BYTES:
            raise ConfigError(f"{path} is larger than {MOST_BYTES // 1_000_000} MB")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text: {error}") from error
    half = _HALF_A_CHARACTER.search(text)
    if half:
        line = text.count("\n", 0, half.start()) + 1
        raise ConfigError(f"{path}:{line}: {text[half.start():half.end() + 2]} is half a character")
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
    if not _may_be_deep(text):
        try:
            return _read(_Fast(text), file)
        except yaml.YAMLError:
            pass  # The other says better where it is.
    return _read(_Exact(text), file)


def _may_be_deep(text: str) -> bool:
    """Whether so much may lie in one another that libyaml would take minutes, or all of the stack."""
    if _FAR_RIGHT.search(text):
        return True
    depth = 0
    for bracket in _BRACKET.findall(text):
        depth = depth + 1 if bracket in "[{" else max(0, depth - 1)
        if depth > DEEPEST:
            return True
    return False


def _read(loader: Any, file: str) -> Tuple[bytes, Mapping[Path, int]]:
    lines: Dict[Path, int] = {}
    try:
        node = loader.get_single_node()
        if node is None:
            return pickle.dumps(None), lines
        _Lines(file, lines).note(node, ())  # First: a value's construction resolves its merge keys in place.
        return pickle.dumps(loader.construct_document(node)), lines
    finally:
        loader.dispose()


class _Lines:
    """Notes on which line each value of a file stands, and refuses what no reader of it would get to the end of."""

    def __init__(self, file: str, lines: Dict[Path, int]) -> None:
        self._file, self._lines, self._count = file, lines, 0

    def note(self, node: yaml.Node, path: Path) -> None:
        """Record the line of a value and of all values in it.

        Args:
            node: the YAML node of the value.
            path: keys and list indices from the top of the file.

        Raises:
            ConfigError: if the file holds too many values or is nested too deeply.
        """
        line = node.start_mark.line + 1
        self._count += 1
        if self._count > MOST_VALUES:
            raise self._wrong(line, f"the file holds more than {MOST_VALUES} values, with what its aliases repeat")
        if len(path) > DEEPEST:
            raise self._wrong(line, _TOO_DEEP)
        self._lines.setdefault(path, line)
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                line = key.start_mark.line + 1
                if not isinstance(key, yaml.ScalarNode):
                    raise self._wrong(line, "a key is one word, no list and no mapping")
                if key.tag.rpartition(":")[2] not in _KEYS:
                    raise self._wrong(line, f"'{key.value}' is no key: put it in quotes" if key.value
                                      else "a key is missing before the colon")
                name = (*path, key.value)
                if name in self._lines:
                    raise self._wrong(line, f"the key '{key.value}' stands here twice")
                self._lines[name] = line
                self.note(value, name)
        elif isinstance(node, yaml.SequenceNode):
            for index, value in enumerate(node.value):
                self.note(value, (*path, index))

    def _wrong(self, line: int, message: str) -> ConfigError:
        return ConfigError(f"{self._file}:{line}: {message}")

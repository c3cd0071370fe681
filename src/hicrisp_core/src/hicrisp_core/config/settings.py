"""Settings from a configuration file: a dataclass's fields are the keys, its types say what they may be.

Pydantic reads and checks the values; this module says where a wrong one stands in the file and which would be
right. A class of settings is made with ``pydantic.dataclasses.dataclass(frozen=True, config=STRICT)``, so
that its constructor holds the same ranges.
"""

from __future__ import annotations

import collections.abc
import json
import pickle
import re
from dataclasses import MISSING, Field, field, fields, is_dataclass, replace
from difflib import get_close_matches
from enum import Enum
from functools import lru_cache
from pathlib import Path as FilePath
from typing import Any, Dict, Hashable, Iterable, List, Mapping, Optional, Tuple, Type, TypeVar, Union, cast

import yaml
from annotated_types import Gt, Le
from pydantic import ConfigDict, TypeAdapter, ValidationError
from typing_extensions import Annotated, Literal, get_args, get_origin, get_type_hints

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
STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
"""No text passes for a number, no unknown key is passed over, numbers are finite."""
Part = Annotated[float, Gt(0.0), Le(1.0)]
"""A part of a whole, above 0 and up to 1."""

_FIXED = "fixed"
_Settings = TypeVar("_Settings")
_Value = TypeVar("_Value")
_UNKNOWN = "unexpected_keyword_argument"
_WANTED = {
    "string_type": "a text", "bool_type": "true or false", "float_type": "a number",
    "int_type": "a whole number",
    "int_from_float": "a whole number", "tuple_type": "a list", "list_type": "a list",
    "dict_type": "a mapping",
    "dataclass_type": "a mapping",
    "finite_number": "a finite number",
}
_BOUNDS = {
    "greater_than": ("gt", "more than"), "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"), "less_than_equal": ("le", "at most"),
}


def fixed(value: _Value) -> _Value:
    """Declare a field that no file sets, because one value is right wherever the class is used; code may pass another.

    Args:
        value: its value.

    Returns:
        The field's declaration.
    """
    return cast(_Value, field(default=value, metadata={_FIXED: True}))


def is_fixed(declared: "Field[Any]") -> bool:
    """Check whether no file sets a field of a settings class.

    Args:
        declared: the field.

    Returns:
        True for one that was declared with ``fixed``.
    """
    return bool(declared.metadata.get(_FIXED))


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
        ConfigError: if the file is missing, too large, not a regular file or not valid YAML, repeats a key, or does
            not
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


def check_keys(
    mapping: Any, allowed: Iterable[str], required: Iterable[str], positions: Positions, path: Path = (),
    removed: Optional[Mapping[str, str]] = None,
) -> Dict[str, Any]:
    """Check that a mapping holds only allowed keys and all required ones.

    Args:
        mapping: the value to check, which may be of any type.
        allowed: the valid keys.
        required: the keys that must be present.
        positions: line numbers of the values, for error messages.
        path: where the mapping stands in the file.
        removed: keys of earlier releases, with what replaces each.

    Returns:
        The mapping itself.

    Raises:
        ConfigError: with the place, the closest valid key and the list of all.
    """
    valid = sorted(allowed)
    if not isinstance(mapping, dict):
        raise positions.error(path, f"a mapping with the keys {', '.join(valid)} was expected, "
                                    f"got {type(mapping).__name__}")
    for key in mapping:
        if key in (removed or {}):
            raise positions.error((*path, key), f"the key '{key}' was removed: {(removed or {})[key]}")
        if key not in valid:
            close = get_close_matches(str(key), valid, n=1)
            hint = f" (did you mean '{close[0]}'?)" if close else ""
            raise positions.error((*path, key), f"unknown key '{key}'{hint}; valid are: {', '.join(valid)}")
    for key in required:
        if key not in mapping:
            raise positions.error(path, f"the key '{key}' is missing")
    return mapping


class _Lines:
    """Notes on which line each value of a file stands, and refuses what no reader of it would get to the end
    of.
    """

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
            raise self._wrong(line, f"the file holds more than {MOST_VALUES} values, with what its aliases " "repeat")
        if len(path) > DEEPEST:
            raise self._wrong(line, _TOO_DEEP)
        self._lines.setdefault(path, line)
        if isinstance(node, yaml.MappingNode):
            self._note_mapping(node, path)
        elif isinstance(node, yaml.SequenceNode):
            for index, value in enumerate(node.value):
                self.note(value, (*path, index))

    def _note_mapping(self, node: yaml.MappingNode, path: Path) -> None:
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

    def _wrong(self, line: int, message: str) -> ConfigError:
        return ConfigError(f"{self._file}:{line}: {message}")


def read_settings(
    kind: Type[_Settings], mapping: Any, positions: Positions, path: Path = (), *, required: Iterable[str] = (),
    others: Iterable[str] = (), renamed: Optional[Mapping[str, str]] = None, base: Optional[_Settings] = None,
    removed: Optional[Mapping[str, str]] = None,
) -> _Settings:
    """Build a settings dataclass from a mapping whose keys are its fields; omitted keys keep their defaults.

    Args:
        kind: the dataclass.
        mapping: the value to read, which may be of any type.
        positions: line numbers of the values, for error messages.
        path: where the mapping stands in the file.
        required: fields that must be present although they have a default.
        others: further keys that are allowed here and read elsewhere.
        renamed: the keys of the file for fields with other names: ``{"name": "policy"}``.
        base: settings that provide the values of omitted keys, in place of the defaults.
        removed: keys of earlier releases, with what replaces each.

    Returns:
        The settings.

    Raises:
        ConfigError: with file, line, key and the valid values.
    """
    keys = {(renamed or {}).get(each.name, each.name): each for each in fields(cast(Any, kind))}
    needed = [key for key, each in keys.items() if each.default is MISSING and each.default_factory is MISSING]
    _refuse_fixed(kind, mapping, positions, path)
    check_keys(mapping, [*(key for key, each in keys.items() if not is_fixed(each)), *others], [*needed, *required],
               positions, path, removed)
    own = {each.name: mapping[key] for key, each in keys.items() if key in mapping}
    try:
        found = cast(_Settings, _adapter(cast(Hashable, kind)).validate_json(json.dumps(own, default=str)))
        return found if base is None else _over(base, found, own)
    except ValidationError as error:
        unknown_first = sorted(error.errors(), key=lambda each: each["type"] != _UNKNOWN)
        raise _told(unknown_first[0], kind, own, positions, path, renamed or {}) from error


def _refuse_fixed(kind: Any, mapping: Any, positions: Positions, path: Path) -> None:
    """Raise an error for the first key, in a mapping or its sections, that no file sets."""
    for each in fields(kind) if isinstance(mapping, dict) else ():
        if each.name in mapping and is_fixed(each):
            raise positions.error((*path, each.name), f"the key '{each.name}' is no longer read from files, because "
                                                      "one value is right for all; leave it out")
        hint = _hint(kind, (each.name,))
        if each.name in mapping and is_dataclass(hint):
            _refuse_fixed(hint, mapping[each.name], positions, (*path, each.name))


def keys_of(*kinds: type) -> Tuple[str, ...]:
    """Return the keys that settings classes read.

    Args:
        kinds: settings dataclasses.

    Returns:
        The names of their fields, in order.
    """
    return tuple(each.name for kind in kinds for each in fields(cast(Any, kind)))


def _over(base: _Settings, found: _Settings, told: Mapping[str, Any]) -> _Settings:
    """The base with what a mapping told, section by section."""
    values = {key: getattr(found, key) for key in told}
    return replace(cast(Any, base), **{
        key: _over(getattr(base, key), value, told[key]) if is_dataclass(value) else value
        for key, value in values.items()})


@lru_cache(maxsize=None)
def _adapter(kind: Hashable) -> "TypeAdapter[Any]":
    return TypeAdapter(cast(Any, kind))


def _names(kind: Any) -> List[str]:
    return [each.name for each in fields(kind) if not is_fixed(each)]


def _told(
    error: Mapping[str, Any], kind: Any, values: Any, positions: Positions, path: Path, renamed: Mapping[str, str]
) -> ConfigError:
    """The first error of Pydantic's, at its place in the file and in our words."""
    inside = _place(error["loc"], kind)
    place, type_, got = (*path, *inside), str(error["type"]), _at(values, inside)
    if inside:
        place = (*path, renamed.get(str(inside[0]), inside[0]), *inside[1:])
    if type_ == _UNKNOWN:
        try:
            check_keys({inside[-1]: got}, _names(_hint(kind, inside[:-1])), (), positions, place[:-1])
        except ConfigError as unknown:
            return unknown
    if type_ == "missing" and isinstance(inside[-1], str):
        return positions.error(place[:-1], f"the key '{inside[-1]}' is missing")
    if type_ in ("missing", "too_short", "too_long", "tuple_type"):
        inside = inside[:-1] if type_ == "missing" else inside
        arguments = get_args(_hint(kind, inside))
        wanted = "a list" if arguments[-1:] == (...,) else f"a list of {len(arguments)} values"
        return positions.error((*path, *inside), f"{wanted} was expected, got {_at(values, inside)!r}")
    if type_ in ("literal_error", "enum"):
        return positions.error(place, f"'{got}' is not one of: {', '.join(_choices(_hint(kind, inside)))}")
    if type_ in _BOUNDS:
        key, words = _BOUNDS[type_]
        return positions.error(place, f"{words} {error['ctx'][key]:g} is needed, got {got}")
    if type_ == "value_error":
        return positions.error(place, str(error["ctx"]["error"]))
    return positions.error(place, f"{_WANTED.get(type_, error['msg'])} was expected, got {got!r}")


def _place(place: Tuple[Union[str, int], ...], kind: Any) -> Path:
    """An error's place without what Pydantic adds for the parts of a type, such as the member of a union."""
    inside: Path = ()
    for part in place:
        hint = _hint(kind, inside)
        if isinstance(part, int) or is_dataclass(hint) or get_origin(hint) is collections.abc.Mapping:
            inside = (*inside, part)
    return inside


def _hint(kind: Any, inside: Path) -> Any:
    """The type of what stands at a place inside a value of a type."""
    hint = _bare(kind)
    for part in inside:
        arguments = get_args(hint)
        if is_dataclass(hint):
            hint = get_type_hints(cast(Any, hint)).get(str(part), Any)
        elif isinstance(part, int) and arguments[-1:] != (...,):
            hint = arguments[min(part, len(arguments) - 1)]
        else:
            hint = arguments[0] if isinstance(part, int) else arguments[-1]
        hint = _bare(hint)
    return hint


def _bare(hint: Any) -> Any:
    """A type without its constraints; of an optional one, the type that it is when it is given."""
    if get_origin(hint) is Annotated:
        return _bare(get_args(hint)[0])
    if get_origin(hint) is Union:
        return _bare(next(each for each in get_args(hint) if each is not type(None)))
    return hint


def _choices(hint: Any) -> List[str]:
    if get_origin(hint) is Literal:
        return sorted(map(str, get_args(hint)))
    return [str(member.value) for member in hint] if isinstance(hint, type) and issubclass(hint, Enum) else []


def _at(values: Any, inside: Path) -> Any:
    """The value at a place; ``None`` where there is none."""
    found: Optional[Any] = values
    for part in inside:
        try:
            found = found[part]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            return None
    return found

"""Settings from a configuration file: a dataclass's fields are the keys, its types say what they may be.

Pydantic reads and checks the values; this module says where a wrong one stands in the file and which would be
right. A class of settings is made with ``pydantic.dataclasses.dataclass(frozen=True, config=STRICT)``, so
that its constructor holds the same ranges.
"""

from __future__ import annotations

import collections.abc
import json
from dataclasses import MISSING, Field, field, fields, is_dataclass, replace
from enum import Enum
from functools import lru_cache
from typing import Any, Dict, Hashable, Iterable, List, Mapping, Optional, Tuple, Type, TypeVar, Union, cast

from annotated_types import Gt, Le
from pydantic import ConfigDict, TypeAdapter, ValidationError
from typing_extensions import Annotated, Literal, get_args, get_origin, get_type_hints

from hicrisp_core.config.yaml_files import Path, Positions
from hicrisp_core.errors import ConfigError, did_you_mean

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
            raise positions.error((*path, key), f"unknown key '{key}'{did_you_mean(key, valid)}; "
                                                f"valid are: {', '.join(valid)}")
    for key in required:
        if key not in mapping:
            raise positions.error(path, f"the key '{key}' is missing")
    return mapping


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
        hint = _hint(kind, (each.name,)) if each.name in mapping else None
        if is_dataclass(hint):
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
            valid = [each.name for each in fields(_hint(kind, inside[:-1])) if not is_fixed(each)]
            check_keys({inside[-1]: got}, valid, (), positions, place[:-1])
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
            hint = _hints(cast(Hashable, hint)).get(str(part), Any)
        elif isinstance(part, int) and arguments[-1:] != (...,):
            hint = arguments[min(part, len(arguments) - 1)]
        else:
            hint = arguments[0] if isinstance(part, int) else arguments[-1]
        hint = _bare(hint)
    return hint


@lru_cache(maxsize=None)
def _hints(kind: Hashable) -> Mapping[str, Any]:
    return get_type_hints(cast(Any, kind))


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

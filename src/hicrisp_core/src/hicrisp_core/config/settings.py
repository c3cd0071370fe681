"""Settings from a configuration file: a dataclass's fields are the keys, and their defaults say the types."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, Callable, Iterable, Mapping, Optional, Type, TypeVar

from hicrisp_core.config.yaml_lines import Path, Positions, check_keys, numbers, value_of

_Settings = TypeVar("_Settings")


@dataclass(frozen=True)
class Bound:
    """What a number may be, and the words for it."""

    words: str
    allows: Callable[[float], bool]


FINITE = Bound("a finite number", math.isfinite)
FROM_ZERO = Bound("a number from 0 on", lambda number: 0.0 <= number < math.inf)
ABOVE_ZERO = Bound("a number above 0", lambda number: 0.0 < number < math.inf)
PART = Bound("a part above 0 and up to 1", lambda number: 0.0 < number <= 1.0)


def read_settings(
    kind: Type[_Settings], mapping: Any, positions: Positions, path: Path = (), *, usual: Bound = FROM_ZERO,
    bounds: Optional[Mapping[str, Bound]] = None, required: Iterable[str] = (), others: Iterable[str] = (),
) -> _Settings:
    """A dataclass from a mapping with its fields; what that leaves out keeps its default.

    Args:
        kind: its defaults are texts, numbers, truth values, mappings, and tuples of numbers or of texts.
        usual: what its numbers may be.
        bounds: what those may be that differ, by name.
        required: what may not be left out.
        others: further keys, which somebody else reads.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    defaults, found = kind(), {}
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    check_keys(mapping, [*names, *others], required, positions, path)
    for name in (name for name in names if name in mapping):
        default = getattr(defaults, name)
        if type(default) in (int, float):
            bound = (bounds or {}).get(name, usual)
            found[name] = read_number(mapping, name, positions, path, bound, type(default))
        elif isinstance(default, tuple) and isinstance(default[0], float):
            found[name] = tuple(numbers(mapping[name], None, positions, (*path, name)))
        elif isinstance(default, tuple):
            found[name] = tuple(value_of(mapping, name, list, positions, path))
            if not all(isinstance(text, str) for text in found[name]):
                raise positions.error((*path, name), f"texts were expected, got {mapping[name]!r}")
        else:
            found[name] = value_of(mapping, name, type(default), positions, path)
    return kind(**found)


def read_number(
    mapping: Mapping[str, Any], key: str, positions: Positions, path: Path, bound: Bound, type_: Type[Any] = float
) -> Any:
    """A number within a bound.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    number = value_of(mapping, key, type_, positions, path)
    if not bound.allows(number):
        raise positions.error((*path, key), f"{bound.words} was expected, got {number}")
    return number

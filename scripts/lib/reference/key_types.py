"""The types of keys in words: what may stand in a file, and in which range."""

from __future__ import annotations

import collections.abc
from dataclasses import MISSING, Field, is_dataclass
from enum import Enum
from typing import Any, Callable, List, Tuple, Type, Union

import yaml
from annotated_types import BaseMetadata, Ge, Gt, Interval, Le, Lt
from pydantic import AfterValidator
from pydantic_core import to_jsonable_python
from typing_extensions import Annotated, Literal, get_args, get_origin, get_type_hints

_PLAIN = {str: "text", float: "number", int: "whole number", bool: "true or false", type(None): "nothing"}


def hints(kind: type) -> "dict[str, Any]":
    """Return the types of a class's fields, ranges included.

    Args:
        kind: a class.

    Returns:
        Type by the field's name.
    """
    return get_type_hints(kind, include_extras=True)


def in_words(hint: Any) -> str:
    """Describe a type for people.

    Args:
        hint: an annotation.

    Returns:
        For example ``whole number, at least 1``.
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        if isinstance(arguments[0], type) and issubclass(arguments[0], Enum):
            return _choices(arguments[0], arguments[1:])
        bounds = ", ".join(_bounds(arguments[1:]))
        return f"{in_words(arguments[0])}{', ' + bounds if bounds else ''}"
    if origin is Union:
        return " or ".join(in_words(each) for each in arguments if each is not type(None))
    if origin is Literal:
        return ", ".join(f"`{each}`" for each in arguments)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _choices(hint, ())
    if origin in (tuple, list):
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return f"list of: {in_words(arguments[0])}"
        if len(set(map(str, arguments))) == 1:
            return f"list of {len(arguments)}: {in_words(arguments[0])}"
        return f"list of: {', '.join(map(in_words, arguments))}"
    if origin in (dict, collections.abc.Mapping):
        return f"mapping of names to: {in_words(arguments[1])}"
    if is_dataclass(hint):
        return f"[{_name(hint)}](#{anchor(hint)})"
    return _PLAIN.get(hint, "anything")


def _choices(kind: Type[Enum], metadata: Tuple[Any, ...]) -> str:
    """The members that the validators beside the type let through."""
    validators = [each.func for each in metadata if isinstance(each, AfterValidator)]
    return ", ".join(f"`{each.value}`" for each in kind if all(_lets(check, each) for check in validators))


def _lets(check: Callable[[Any], Any], value: Any) -> bool:
    try:
        check(value)
    except ValueError:
        return False
    return True


def anchor(kind: Any) -> str:
    """Return the label of a class's section.

    Args:
        kind: a class.

    Returns:
        A label for links within the site.
    """
    return f"key-{kind.__module__.replace('.', '-').replace('_', '-')}-{_name(kind).lower()}"


def nested(hint: Any) -> "List[type]":
    """Find the classes of settings within a type.

    Args:
        hint: an annotation.

    Returns:
        Classes in their order.
    """
    if isinstance(hint, type) and is_dataclass(hint):
        return [hint]
    return [found for each in get_args(hint) for found in nested(each)]


def usual(field: "Field[Any]") -> str:
    """Write the default of a field as a file would.

    Args:
        field: a field of a class of settings.

    Returns:
        The default; ``required`` if it has none.
    """
    if field.default is not MISSING:
        return _value(field.default)
    if field.default_factory is not MISSING:
        made = field.default_factory()
        return "its keys' own" if is_dataclass(made) else _value(made)
    return "required"


def _value(value: Any) -> str:
    plain = to_jsonable_python(value)
    written = plain if isinstance(plain, str) else yaml.safe_dump(plain, default_flow_style=True, width=1000)
    return "nothing" if plain is None else f"`{written.split(chr(10))[0]}`" if plain != "" else "empty"


def _bounds(metadata: Tuple[Any, ...]) -> List[str]:
    found: List[str] = []
    for each in metadata:
        for bound in each if isinstance(each, Interval) else [each]:
            if isinstance(bound, BaseMetadata):
                found += [words for kind, key, words in (
                    (Gt, "gt", "above {:g}"), (Ge, "ge", "at least {:g}"),
                    (Lt, "lt", "below {:g}"), (Le, "le", "at most {:g}"))
                    if isinstance(bound, kind)
                    for words in [words.format(getattr(bound, key))]]
    return found


def _name(kind: Any) -> str:
    return str(kind.__name__).lstrip("_")

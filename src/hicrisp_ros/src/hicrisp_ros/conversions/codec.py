"""Values as messages and back by the names of their fields: what has one form on both sides needs no code."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum
from typing import Any, Callable, Generic, Mapping, Optional, Type, TypeVar

Value = TypeVar("Value")


@dataclass(frozen=True)
class Part(Generic[Value]):
    """Both ways of one form: into a message, and back from it."""

    to_msg: Callable[[Any], Any]
    from_msg: Callable[[Any], Value]

    @property
    def each(self) -> "Part[Any]":
        """The same of a sequence."""
        return Part(lambda values: list(map(self.to_msg, values)),
                    lambda messages: tuple(map(self.from_msg, messages)))


_PLAIN: Part[Any] = Part(lambda value: list(value) if isinstance(value, tuple) else value,
                         lambda value: tuple(value) if isinstance(value, (list, tuple)) else value)


def named(kinds: Type[Enum], otherwise: Enum) -> Part[Any]:
    """Make the part of an enumeration that messages have by its values.

    Args:
        kinds: the enumeration.
        otherwise: what a value means that is none of it.

    Returns:
        The part.
    """
    members = {each.value: each for each in kinds}
    return Part(lambda kind: kind.value, lambda value: members.get(value, otherwise))


class Codec(Generic[Value]):
    """Converts a dataclass whose fields have the names of a message's.

    A field that may be ``None`` is marked in the message by one named ``has_`` and its name.

    Args:
        value: the dataclass.
        message: the class of the message.
        called: the message's names of fields that have another one there.
        **parts: for each field that has another form in the message, both ways; the way there takes ``None``
            where the field may be that. ``None`` in place of both leaves a field to who calls.
    """

    def __init__(self, value: Callable[..., Value], message: Any, called: Optional[Mapping[str, str]] = None,
                 **parts: Any) -> None:
        self._value, self._message = value, message
        slots, called = message.__slots__, called or {}
        self._fields = [(each.name, called.get(each.name, each.name),
                         f"has_{each.name}" if f"has_{each.name}" in slots else "",
                         parts.get(each.name, _PLAIN)) for each in fields(value)  # type: ignore[arg-type]
                        if parts.get(each.name, _PLAIN) is not None]

    def to_msg(self, value: Optional[Value], **others: Any) -> Any:
        """Convert a value to a message.

        Args:
            value: may be missing.
            **others: fields of the message that are not the value's, or not in this way.

        Returns:
            The message; empty for a missing value, which the enclosing message marks.
        """
        message = self._message(**others)
        for name, slot, flag, part in self._fields if value is not None else ():
            field = getattr(value, name)
            if flag:
                setattr(message, flag, field is not None)
            if slot not in others and not (field is None and part is _PLAIN):
                setattr(message, slot, part.to_msg(field))
        return message

    def from_msg(self, message: Any, **others: Any) -> Value:
        """Convert a value from a message.

        Args:
            message: the ROS message.
            **others: fields of the value that are not the message's, or not in this way.

        Returns:
            The value.
        """
        for name, slot, flag, part in self._fields:
            if name not in others:
                present = not flag or getattr(message, flag)
                others[name] = part.from_msg(getattr(message, slot)) if present else None
        return self._value(**others)

    @property
    def each(self) -> Part[Any]:
        """The same of a sequence."""
        return Part(self.to_msg, self.from_msg).each

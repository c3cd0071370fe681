"""Values as messages and back by the names of their fields: what has one form on both sides needs no code."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum
from typing import Any, Callable, Generic, Type, TypeVar

Value = TypeVar("Value")


@dataclass(frozen=True)
class Part(Generic[Value]):
    """Both ways of one form: into a message, and back from it."""

    to_msg: Callable[..., Any]
    from_msg: Callable[[Any], Value]

    @property
    def each(self) -> "Part[Any]":
        """The same of a sequence."""
        return Part(lambda values: list(map(self.to_msg, values)),
                    lambda messages: tuple(map(self.from_msg, messages)))


class Spread(Part[Value]):
    """Both ways of a field that is no field of the message: into values by the names of the message's fields, and
    back from the whole message.
    """


_PLAIN: Part[Any] = Part(lambda value: list(value) if isinstance(value, tuple) else value,
                         lambda value: tuple(value) if isinstance(value, (list, tuple)) else value)


def named(kinds: Type[Enum], otherwise: Enum, codes: Any = None) -> Part[Any]:
    """Make the part of an enumeration that messages have by its values, or by constants of its members' names.

    Args:
        kinds: the enumeration.
        otherwise: what a value means that is none of it.
        codes: the class of the message that has the constants, where it has them.

    Returns:
        The part.
    """
    values = {each: each.value if codes is None else getattr(codes, each.name) for each in kinds}
    members = {value: each for each, value in values.items()}
    return Part(values.__getitem__, lambda value: members.get(value, otherwise))


def marked(part: Part[Value], slot: str, flag: str, present: bool = True) -> Spread[Any]:
    """Make the part of a field that may be ``None`` where the message marks it in another way than ``has_`` does.

    Args:
        part: of the field where it is there; the way to the message takes ``None``.
        slot: the message's field for it.
        flag: the message's field that marks it.
        present: what the mark is if the field is there.

    Returns:
        The part.
    """
    return Spread(lambda value: {slot: part.to_msg(value), flag: (value is not None) is present},
                  lambda message: part.from_msg(getattr(message, slot)) if getattr(message, flag) is present else None)


def codec(value: Callable[..., Value], message: Any, **parts: Part[Any]) -> Part[Value]:
    """Make the part of a dataclass whose fields have the names of a message's.

    A field that may be ``None`` is marked in the message by one named ``has_`` and its name. The way to the message
    takes further fields of it by name, and makes an empty one of ``None``.

    Args:
        value: the dataclass.
        message: the class of the message.
        **parts: for each field that has another form in the message, both ways; the way there takes ``None``
            where the field may be that.

    Returns:
        The part.

    Raises:
        TypeError: if a part is of no field, or a field that needs a place in the message has none there.
    """
    slots, names = message.__slots__, [each.name for each in fields(value)]  # type: ignore[arg-type]
    lost = [name for name in names if name not in slots and not isinstance(parts.get(name), Spread)]
    strays = [*sorted(set(parts) - set(names)), *lost]
    if strays:
        raise TypeError(f"{value} and {message.__name__} do not share {', '.join(strays)}; a Spread makes other fields")
    known = [(name, f"has_{name}" if f"has_{name}" in slots else "", parts.get(name, _PLAIN)) for name in names]

    def to_msg(given: Any, **others: Any) -> Any:
        made = message(**others)
        for name, flag, part in known if given is not None else ():
            field = getattr(given, name)
            if flag:
                setattr(made, flag, field is not None)
            if isinstance(part, Spread):
                for slot, said in part.to_msg(field).items():
                    setattr(made, slot, said)
            elif not (field is None and part is _PLAIN):
                setattr(made, name, part.to_msg(field))
        return made

    def from_msg(given: Any) -> Value:
        return value(**{
            name: part.from_msg(given if isinstance(part, Spread) else getattr(given, name))
            if not flag or getattr(given, flag) else None for name, flag, part in known})

    return Part(to_msg, from_msg)

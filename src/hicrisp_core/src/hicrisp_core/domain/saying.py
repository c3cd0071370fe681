"""How names, lists and sentences are said."""

from __future__ import annotations

from typing import Callable, Iterable, List

Namer = Callable[[str], str]
"""How a name is said: :func:`spoken` or :func:`named`."""


def spoken(name: str) -> str:
    """A name of the world as it is said; a topic stays as it is."""
    return name if "/" in name else name.replace("_", " ")


def named(name: str, say: Namer = spoken) -> str:
    """A name with its article; one with a number needs none."""
    said = say(name)
    return said if not said or said[-1].isdigit() or "/" in said else f"the {said}"


def sentence(text: str) -> str:
    """A text with a capital and a full stop."""
    text = text.strip()
    return text and text[:1].upper() + text[1:] + ("" if text[-1] in ".!?" else ".")


def joined(parts: List[str], word: str) -> str:
    """A list in words: ``a, b and c``."""
    return f"{', '.join(parts[:-1])} {word} {parts[-1]}" if len(parts) > 1 else "".join(parts)


def listed(names: Iterable[str], most: int = 8, empty: str = "nothing") -> str:
    """Return names in their order as a list, and how many more there are.

    Args:
        most: names that are listed.
        empty: what is said where there is none.

    Returns:
        The list in words.
    """
    known = sorted(names)
    more = f" and {len(known) - most} more" if len(known) > most else ""
    return f"{', '.join(known[:most])}{more}" or empty

"""How names, lists and sentences are said."""

from __future__ import annotations

from typing import Callable, Iterable, List

Spelling = Callable[[str], str]
"""How a name is said: :func:`spoken` or :func:`named`."""


def spoken(name: str) -> str:
    """Write a name of the world as people say it.

    Args:
        name: an object, robot or topic.

    Returns:
        The name with spaces for underscores; a topic as it is.
    """
    return name if "/" in name else name.replace("_", " ")


def named(name: str, say: Spelling = spoken) -> str:
    """Put the article before a name.

    Args:
        name: an object or robot; one that ends in a digit needs no article.
        say: turns the name into words.

    Returns:
        For example ``the red box``, ``area 1``.
    """
    said = say(name)
    return said if not said or said[-1].isdigit() or "/" in said else f"the {said}"


def sentence(text: str) -> str:
    """Make a text a sentence.

    Args:
        text: words with or without capital and full stop.

    Returns:
        The text with both; empty for an empty text.
    """
    text = text.strip()
    return text and text[:1].upper() + text[1:] + ("" if text[-1] in ".!?" else ".")


def joined(parts: List[str], word: str) -> str:
    """Join parts as in English: ``a, b and c``.

    Args:
        parts: words in their order.
        word: the last conjunction.

    Returns:
        One text; empty without parts.
    """
    return f"{', '.join(parts[:-1])} {word} {parts[-1]}" if len(parts) > 1 else "".join(parts)


def listed(names: Iterable[str], most: int = 8, empty: str = "nothing") -> str:
    """Return names in alphabetical order as a list, and how many more there are.

    Args:
        most: names that are listed.
        empty: what is said where there is none.

    Returns:
        The list in words.
    """
    known = sorted(names)
    more = f" and {len(known) - most} more" if len(known) > most else ""
    return f"{', '.join(known[:most])}{more}" or empty

"""What a class says of its fields: the ``Args`` of its docstring, and texts below single fields."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from typing import Dict

_ARGUMENT = re.compile(r"^ {4}(\w+): (.*)$")
_SECTION = re.compile(r"^(Args|Attributes|Raises|Returns|Yields|Note):\s*$")


def fields_told(kind: type) -> Dict[str, str]:
    """Read the descriptions of a class's fields.

    Args:
        kind: a class; descriptions of its bases come first.

    Returns:
        Description by the field's name.
    """
    found: Dict[str, str] = {}
    for each in reversed(kind.__mro__[:-1]):
        found.update(_arguments(inspect.cleandoc(each.__doc__ or "")))
        found.update(_below_fields(each))
    return found


def summary(kind: type) -> str:
    """Read what stands in a class's docstring before its sections.

    Args:
        kind: a class.

    Returns:
        The text.
    """
    lines = []
    for line in inspect.cleandoc(kind.__doc__ or "").splitlines():
        if _SECTION.match(line):
            break
        lines.append(line)
    return "\n".join(lines).strip()


def _arguments(text: str) -> Dict[str, str]:
    found: Dict[str, str] = {}
    inside, name = False, ""
    for line in text.splitlines():
        section = _SECTION.match(line)
        if section:
            inside, name = section.group(1) in ("Args", "Attributes"), ""
            continue
        argument = _ARGUMENT.match(line) if inside else None
        if argument:
            name = argument.group(1)
            found[name] = argument.group(2)
        elif inside and name and line.strip():
            found[name] += " " + line.strip()
    return found


def _below_fields(kind: type) -> Dict[str, str]:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    except (OSError, TypeError):
        return {}
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    found: Dict[str, str] = {}
    for field, after in zip(body, body[1:]):
        if (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
                and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)):
            found[field.target.id] = str(after.value.value)
    return found

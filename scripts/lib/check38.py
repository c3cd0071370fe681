"""Checks, with any newer interpreter, that sources parse under Python 3.8 and evaluate nothing that it lacks."""
# ruff: noqa: T201  a command line prints

from __future__ import annotations

import ast
import sys
import tokenize
from io import StringIO
from pathlib import Path
from typing import Iterator, List, Tuple

# Generics that cannot be subscripted under 3.8, where the expression is evaluated.
BUILTIN_GENERICS = {"dict", "frozenset", "list", "set", "tuple", "type"}
COLLECTIONS_GENERICS = {"Counter", "OrderedDict", "defaultdict", "deque", "ChainMap"}
# Names that came with 3.9 or later, by module.
NEWER = {
    "typing": {"Annotated", "Concatenate", "Never", "NotRequired", "ParamSpec", "Required", "Self",
               "TypeAlias",
               "TypeGuard", "Unpack", "assert_never", "override"},
    "functools": {"cache"},
    "itertools": {"batched", "pairwise"},
    "math": {"lcm", "nextafter", "ulp", "cbrt"},
    "enum": {"StrEnum"},
    "contextlib": {"chdir", "aclosing"},
    "datetime": {"UTC"},
    "asyncio": {"to_thread", "timeout", "TaskGroup"},
}
NEWER_MODULES = {"zoneinfo", "graphlib", "tomllib"}
NEWER_METHODS = {"removeprefix", "removesuffix", "is_relative_to", "hardlink_to", "with_stem", "bit_count"}
NEWER_KEYWORDS = {"dataclass": {"slots", "kw_only"}, "zip": {"strict"}}

Finding = Tuple[int, str]


def findings(source: str, name: str) -> List[Finding]:
    """Find what Python 3.8 does not accept in a module.

    Args:
        source: its text.
        name: its path, for messages.

    Returns:
        Line number and sentence of each finding.
    """
    try:
        tree = ast.parse(source, name, feature_version=(3, 8))
    except SyntaxError as error:
        return [(error.lineno or 0, f"does not parse under 3.8: {error.msg}")]
    postponed = any(isinstance(node, ast.ImportFrom) and node.module == "__future__"
                    and any(alias.name == "annotations" for alias in node.names) for node in tree.body)
    annotations = set(_annotation_nodes(tree)) if postponed else set()
    newer = [finding for node in ast.walk(tree) if id(node) not in annotations for finding in _newer(node)]
    return sorted([*newer, *_with_in_brackets(source)])


def _with_in_brackets(source: str) -> Iterator[Finding]:
    """Parsers since 3.13 take ``with (a as b):`` whatever version they are asked for."""
    tokens = list(tokenize.generate_tokens(StringIO(source).readline))
    for first, second, place in zip(tokens, tokens[1:], range(2, len(tokens))):
        if (first.string, second.string) == ("with", "("):
            depth = 1
            for inner in tokens[place:]:
                depth += (inner.string in ("(", "[", "{")) - (inner.string in (")", "]", "}"))
                if depth == 0:
                    break
                if depth == 1 and inner.string == "as":
                    yield first.start[0], "with (... as ...) came with 3.9"
                    break


def _annotation_nodes(tree: ast.AST) -> Iterator[int]:
    """The nodes that are never evaluated, as annotations are postponed."""
    for node in ast.walk(tree):
        roots = []
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            roots.append(node.returns)
        elif isinstance(node, (ast.arg, ast.AnnAssign)):
            roots.append(node.annotation)
        for root in roots:
            if root is not None:
                yield from (id(inner) for inner in ast.walk(root))


def _newer(node: ast.AST) -> Iterator[Finding]:
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and isinstance(node.ctx,
                                                                                           ast.Load):
        if node.value.id in BUILTIN_GENERICS | COLLECTIONS_GENERICS:
            yield node.lineno, f"{node.value.id}[...] is evaluated; use typing's"
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        if any(isinstance(side, ast.Constant) and side.value is None for side in (node.left, node.right)):
            yield node.lineno, "X | None is evaluated; use Optional"
        if any(isinstance(side, (ast.Dict, ast.DictComp)) for side in (node.left, node.right)):
            yield node.lineno, "dict | dict came with 3.9"
    elif isinstance(node, ast.ImportFrom) and node.module in NEWER:
        for alias in node.names:
            if alias.name in NEWER[node.module]:
                yield node.lineno, f"{node.module}.{alias.name} came after 3.8"
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        modules = [node.module or ""] if isinstance(node,
                                                    ast.ImportFrom) else [alias.name for alias in node.names]
        for module in modules:
            if module in NEWER_MODULES:
                yield node.lineno, f"the module {module} came after 3.8"
    elif isinstance(node, ast.Attribute):
        if node.attr in NEWER_METHODS:
            yield node.lineno, f".{node.attr} came after 3.8"
        if isinstance(node.value, ast.Name) and node.attr in NEWER.get(node.value.id, ()):
            yield node.lineno, f"{node.value.id}.{node.attr} came after 3.8"
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        for keyword in node.keywords:
            if keyword.arg in NEWER_KEYWORDS.get(node.func.id, ()):
                yield node.lineno, f"{node.func.id}({keyword.arg}=...) came after 3.8"
    elif isinstance(node, (ast.With, ast.AsyncWith)) and len(node.items) == 1:
        inner = node.items[0].context_expr
        if isinstance(inner, ast.Tuple):
            yield node.lineno, "with (a, b): came after 3.8"


def main(paths: List[str]) -> int:
    """Check files, and the Python files below folders.

    Args:
        paths: files and folders.

    Returns:
        Exit status; 1 if anything was found.
    """
    files: List[Path] = []
    for given in map(Path, paths):
        files += [given] if given.is_file() else sorted(given.rglob("*.py"))
    count = 0
    for path in files:
        for line, sentence in findings(path.read_text(encoding="utf-8"), str(path)):
            print(f"{path}:{line}: {sentence}")
            count += 1
    print(f"{len(files)} files, {count} findings")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What a node's program reaches in our packages, read from the sources without running them."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, Iterator, Optional, Set, Tuple

_SKIPPED = ("hicrisp_core",)
"""Packages in which nothing speaks ROS."""


@dataclass
class Module:
    """A module as its source says it: what it defines, and what it has from elsewhere."""

    name: str
    about: str
    definitions: Dict[str, ast.AST] = field(default_factory=dict)
    imported: Dict[str, Tuple[str, str]] = field(default_factory=dict)
    constants: Dict[str, str] = field(default_factory=dict)


class Sources:
    """Our packages' modules, parsed when they are first asked for."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._modules: Dict[str, Optional[Module]] = {}

    def module(self, name: str) -> Optional[Module]:
        """Parse a module of the workspace.

        Args:
            name: its dotted name.

        Returns:
            The module; ``None`` for one of another project.
        """
        if name not in self._modules:
            self._modules[name] = self._parsed(name)
        return self._modules[name]

    def reached(self, module: str, name: str) -> Iterator[Tuple[Module, ast.AST]]:
        """Find the functions and classes that a definition uses, itself first, in any module of the workspace.

        Args:
            module: where the definition is.
            name: its name.

        Yields:
            Module and syntax tree of each.
        """
        seen: Set[Tuple[str, str]] = set()
        waiting = [(module, name)]
        while waiting:
            place = waiting.pop(0)
            found = self.module(place[0]) if place not in seen else None
            seen.add(place)
            if found is None or place[0].startswith(_SKIPPED):
                continue
            definition = found.definitions.get(place[1])
            if definition is None:
                if place[1] in found.imported:
                    waiting.append(found.imported[place[1]])
                continue
            yield found, definition
            for each in ast.walk(definition):
                if isinstance(each, ast.Name) and each.id in found.definitions:
                    waiting.append((found.name, each.id))
                elif isinstance(each, ast.Name) and each.id in found.imported:
                    waiting.append(found.imported[each.id])

    def constant(self, module: Module, name: str) -> Optional[str]:
        """Find the text that a name stands for, also one from another module.

        Args:
            module: where the name is used.
            name: the constant.

        Returns:
            The text; ``None`` if it is not a constant.
        """
        if name in module.constants:
            return module.constants[name]
        if name in module.imported:
            place, there = module.imported[name]
            other = self.module(place)
            return self.constant(other, there) if other is not None else None
        return None

    def _parsed(self, name: str) -> Optional[Module]:
        package = name.split(".")[0]
        base = self._root / "src" / package / "src" / Path(*name.split("."))
        file = next((each for each in (base.with_suffix(".py"), base / "__init__.py") if each.is_file()),
                    None)
        if file is None:
            return None
        tree = ast.parse(file.read_text(encoding="utf-8"))
        found = Module(name, ast.get_docstring(tree) or "")
        for each in ast.walk(tree):
            if isinstance(each, ast.ImportFrom) and each.module:
                found.imported.update({alias.asname or alias.name: (each.module, alias.name)
                                       for alias in each.names})
        for statement in tree.body:
            if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                found.definitions[statement.name] = statement
            elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
                _keep_constant(found, statement)
        return found


def _keep_constant(module: Module, statement: ast.AST) -> None:
    target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
    value = getattr(statement, "value", None)
    pairs = zip(target.elts, value.elts) if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) \
        else [(target, value)]
    for name, told in pairs:
        if isinstance(name, ast.Name) and isinstance(told, ast.Constant) and isinstance(told.value, str):
            module.constants[name.id] = told.value

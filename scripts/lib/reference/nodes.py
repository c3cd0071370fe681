"""Nodes: what each publishes, listens to, serves and reads, as its sources register it."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Mapping, Optional, Set, Tuple

import yaml

from reference.launch_files import parameter_texts
from reference.markdown import cell, page, table
from reference.problems import Problems
from reference.source_walk import Module, Sources

_CALLS = {"Publisher": "publishes", "Subscriber": "listens", "Service": "serves", "ActionServer": "acts",
          "trigger": "serves"}
_OWN = "hicrisp_msgs"
_GENERIC = ("<action>", "<name>", "<topic>", "<_topic>", "<service>")
"""How the kit's own classes begin a name that whoever uses them gives."""
_NODES = (
    "What each program registers, read from its sources. Names without a leading slash are in the namespace, "
    "`hicrisp` by default; `~` stands for the node's own. `<...>` is filled in by a file or a parameter. "
    "Names that a class gets from whoever uses it are left out.")
_IMPORT = re.compile(r"^\s*from (\S+) import (\w+)$", re.MULTILINE)


@dataclass
class Node:
    """A node's program and what its sources register: (name, type) by how."""

    package: str
    name: str
    about: str
    registered: Dict[str, Set[Tuple[str, str]]] = field(
        default_factory=lambda: {each: set() for each in _CALLS.values()})
    parameters: Dict[str, str] = field(default_factory=dict)


def node_pages(root: Path, problems: Problems) -> Dict[str, str]:
    """Write the pages of nodes, and of topics, services and actions.

    Args:
        root: the workspace.
        problems: collects what has no description.

    Returns:
        Markdown by file name.
    """
    told = yaml.safe_load((Path(__file__).parent / "interfaces.yaml").read_text(encoding="utf-8"))
    sources = Sources(root)
    nodes = [_read(file, sources) for file in sorted((root / "src").glob("*/nodes/*"))]
    registered = {name for node in nodes for each in node.registered.values() for name, _ in each}
    for name in sorted(registered ^ set(told["names"])):
        what = "is registered and not described" if name in registered else "is described and registered by no node"
        problems.add("scripts/lib/reference/interfaces.yaml", f"'{name}' {what}")
    texts = parameter_texts(root)
    parts = [_node(node, texts, told["parameters"], problems) for node in nodes]
    return {
        "nodes.md": page("Nodes", _NODES, *parts),
        "interfaces.md": page("Topics, services and actions",
                              "All names that our nodes register. Names without a "
                              "leading slash are in the namespace, `hicrisp` by default.",
                              *_names(nodes, told["names"])),
    }


def _read(file: Path, sources: Sources) -> Node:
    starts = [found for found in _IMPORT.findall(file.read_text(encoding="utf-8")) if found[0].startswith("hicrisp")]
    module = sources.module(starts[0][0])
    assert module is not None, f"{file} starts {starts[0][0]}, which is no module of ours"
    node = Node(file.parts[-3], file.name, module.about)
    for where, definition in (found for start in starts for found in sources.reached(*start)):
        for call in (each for each in ast.walk(definition) if isinstance(each, ast.Call)):
            _take(call, where, sources, node)
    return node


def _take(call: ast.Call, where: Module, sources: Sources, node: Node) -> None:
    function = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if function == "parameter" and call.args and isinstance(call.args[0], ast.Constant):
        default = ast.unparse(call.args[1]) if len(call.args) > 1 else "required"
        node.parameters.setdefault(str(call.args[0].value), default)
    if function not in _CALLS or not call.args:
        return
    name = _name(call.args[0], where, sources)
    if name is not None and not name.startswith(_GENERIC):
        kind = "Trigger" if function == "trigger" else ast.unparse(call.args[1]) if len(call.args) > 1 else ""
        node.registered[_CALLS[function]].add((name, kind.split(".")[-1]))


def _name(told: ast.AST, where: Module, sources: Sources) -> Optional[str]:
    """A name as its registration says it; parts that are known at run time alone stand in angle brackets."""
    if isinstance(told, ast.Call) and getattr(told.func, "id", "") == "own_topic":
        return _name(told.args[0], where, sources)
    if isinstance(told, ast.Constant):
        return str(told.value)
    if isinstance(told, ast.JoinedStr):
        parts = [_name(each.value if isinstance(each, ast.FormattedValue) else each, where, sources)
                 or "<...>"
                 for each in told.values]
        return "".join(parts)
    if isinstance(told, ast.Name):
        found = sources.constant(where, told.id)
        return found if found is not None else f"<{told.id.strip('_')}>"
    return f"<{told.attr}>" if isinstance(told, ast.Attribute) else None


def _node(node: Node, launched: Mapping[str, str], told: Mapping[str, str],
          problems: Problems) -> str:
    lines = [f"## {node.name} ({node.package})", cell(node.about)]
    for how, words in (("publishes", "Publishes"), ("listens", "Listens to"), ("serves", "Serves"),
                       ("acts", "Acts on")):
        if node.registered[how]:
            lines.append(f"**{words}** " + ", ".join(f"`{name}`" for name, _ in sorted(node.registered[how])))
    if node.parameters:
        rows = []
        for name, default in sorted(node.parameters.items()):
            text = next(filter(None, (texts.get(key) for key in (f"{node.name}/{name}", name)
                                      for texts in (launched, told))), "")
            rows.append((f"`~{name}`", f"`{default}`",
                         cell(problems.text(f"parameter ~{name} of {node.name}", text))))
        lines.append(table(("parameter", "default", "meaning"), rows))
    return "\n\n".join(lines)


def _names(nodes: List[Node], told: Mapping[str, str]) -> List[str]:
    sections = []
    for title, ways in (("Topics", ("publishes", "listens")), ("Services", ("serves",)),
                        ("Actions", ("acts",))):
        found: Dict[str, Set[str]] = {}
        givers: Dict[str, Set[str]] = {}
        for node in nodes:
            for way in ways:
                for name, kind in node.registered[way]:
                    found.setdefault(name, set()).add(kind)
                    if way != "listens":
                        givers.setdefault(name, set()).add(node.name)
        rows = [(f"`{name}`", ", ".join(f"`{kind}`" for kind in sorted(kinds) if kind),
                 ", ".join(sorted(givers.get(name, {"others"}))), cell(str(told.get(name, ""))))
                for name, kinds in sorted(found.items())]
        sections.append(f"## {title}\n\n" + table(("name", "type", "from", "meaning"), rows))
    return sections

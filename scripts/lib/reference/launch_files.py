"""Launch files: what each starts, its arguments with their meaning, and the parameters that it gives to nodes."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Dict

from reference.markdown import cell, code, page, table
from reference.problems import Problems

_ARG = re.compile(r"\$\(arg (\w+)\)")


def launch_page(root: Path, problems: Problems) -> str:
    """Write the page of all launch files.

    Args:
        root: the workspace.
        problems: collects what has no description.

    Returns:
        The page in Markdown.
    """
    parts = [_file(file, root, problems) for file in files(root)]
    return page("Launch files",
                "`roslaunch hicrisp_bringup FILE.launch ARGUMENT:=VALUE`. The files of `include/` are "
                "parts of the others.", *parts)


def files(root: Path) -> "list[Path]":
    """List the launch files, those that people start first.

    Args:
        root: the workspace.

    Returns:
        Their paths.
    """
    folder = root / "launch"
    return [*sorted(folder.glob("*.launch")), *sorted(folder.glob("include/*.launch"))]


def count_arguments(root: Path) -> int:
    """Count the arguments that all launch files declare, those of the packages too."""
    there = {file.resolve() for file in (*files(root), *root.glob("src/*/launch/*.launch"))}
    return sum(len(ElementTree.parse(file).getroot().findall("arg")) for file in there)


def parameter_texts(root: Path) -> Dict[str, str]:
    """What launch files say of the parameters that they set from an argument: by NODE/NAME, or by NAME alone
    for those of a namespace.
    """
    found: Dict[str, str] = {}
    for file in files(root):
        tree = ElementTree.parse(file).getroot()
        told = {arg.get("name", ""): arg.get("doc", "") for arg in tree.findall("arg")}
        owners = {parameter: node.get("type", "") + "/" for node in tree.iter("node") for parameter in node}
        for parameter in tree.iter("param"):
            named = _ARG.fullmatch(parameter.get("value", ""))
            if named and told.get(named.group(1)):
                found.setdefault(owners.get(parameter, "") + parameter.get("name", ""), told[named.group(1)])
    return found


def _file(file: Path, root: Path, problems: Problems) -> str:
    text = file.read_text(encoding="utf-8")
    tree = ElementTree.fromstring(text)
    comment = re.search(r"<launch>\s*<!--(.*?)-->", text, re.DOTALL)
    name = str(file.relative_to(root / "launch"))
    about = problems.text(f"launch/{name}", comment.group(1) if comment else "")
    rows = []
    for arg in tree.findall("arg"):
        told = problems.text(f"launch/{name}: argument {arg.get('name')}", arg.get("doc", ""))
        default = arg.get("default")
        rows.append((code(arg.get("name", "")), "required" if default is None else code(default) or "empty",
                     cell(told)))
    return f"## {name}\n\n{cell(about)}\n\n" + table(("argument", "default", "meaning"), rows)

"""`hicrisp completion`: what a shell needs to complete commands, options, task ids, scenes and policies."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from typing import Any, Iterator, Mapping, Tuple

from hicrisp_nodes.cli.console import Console
from hicrisp_nodes.cli.options import make_parser as make_demo_parser

SHELLS = ("bash", "zsh")
_FOLDERS: Mapping[str, Tuple[str, str]] = {
    "tasks": ("${HICRISP_RUNS_DIR:-$HICRISP_ROOT/runs}", "/events.jsonl"),
    "scenes": ("$HICRISP_ROOT/config/scenes", ".yaml"),
    "policies": ("$HICRISP_ROOT/config/policies", ".yaml"),
    "llm": ("$HICRISP_ROOT/config/llm", ".yaml")}
"""What is completed from the names in a folder that have such an ending, without it."""
_COMPLETED: Mapping[str, str] = {
    "task_id": "tasks", "run": "tasks", "scene": "scenes", "policy": "policies", "llm": "llm"}
"""What an argument of that name is completed with."""
_BASH = """_hicrisp_{name}() {{
  local each
  for each in "{folder}"/*{ending}; do
    [ -e "$each" ] || continue
    each=${{each%{ending}}}
    case ${{each##*/}} in "$1"*) printf '%s\\n' "${{each##*/}}" ;; esac
  done
}}
"""
_ZSH = """_hicrisp_{name}() {{
  local -a found
  found=("{folder}"/*{ending}(N:{stem}))
  compadd -a found
}}
"""
_HERE: Mapping[str, str] = {
    "bash": "complete -o bashdefault -F _shtab_scripts_demo ./scripts/demo",
    "zsh": "compdef -p _shtab_scripts_demo '*/scripts/demo'"}
"""Completes the demo by other paths, too."""


def add_completion_command(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command ``completion`` with its options.

    Args:
        commands: the subcommands of ``hicrisp``.
    """
    command = commands.add_parser(
        "completion", help="print what a shell needs to complete hicrisp and scripts/demo",
        description="Complete hicrisp and scripts/demo in your shell.",
        epilog="For bash: eval \"$(hicrisp completion bash)\". For zsh, after compinit: "
               "eval \"$(hicrisp completion zsh)\".")
    command.add_argument("shell", choices=SHELLS, help="the shell to complete in: bash or zsh")


def print_completion(shell: str, parser: argparse.ArgumentParser, console: Console) -> int:
    """Print the script that a shell evaluates.

    Args:
        shell: ``bash`` or ``zsh``.
        parser: the parser of ``hicrisp``.
        console: the terminal.

    Returns:
        Exit status: 1 if the package that writes the script is missing.
    """
    if find_spec("shtab") is None:
        console.error("the Python package 'shtab' is not installed", "install it: pip install shtab")
        return 1
    console.say(completion(shell, parser))
    return 0


def completion(shell: str, parser: argparse.ArgumentParser) -> str:
    """Write the completion of ``hicrisp`` and ``scripts/demo``.

    Args:
        shell: ``bash`` or ``zsh``.
        parser: the parser of ``hicrisp``.

    Returns:
        The shell script.
    """
    import shtab

    form, scripts = _BASH if shell == "bash" else _ZSH, []
    preamble = "\n".join(form.format(name=name, folder=folder, ending=ending,
                                     stem="h:t" if ending.startswith("/") else "t:r")
                         for name, (folder, ending) in _FOLDERS.items())
    for number, each in enumerate((parser, make_demo_parser())):
        for action in _actions(each):
            kind = _COMPLETED.get(action.dest)
            if kind is not None:
                action.complete = {name: f"_hicrisp_{kind}" for name in SHELLS}
        scripts.append(shtab.complete(each, shell, preamble=preamble if number == 0 else ""))
    return "\n".join([*scripts, _HERE[shell]])


def _actions(parser: argparse.ArgumentParser) -> Iterator[Any]:
    """All arguments of a parser and of its commands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for own in action.choices.values():
                yield from _actions(own)

"""Command lines: their options as their own parsers describe them."""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import Callable, Iterator, List, Tuple
from unittest.mock import patch

from reference.markdown import cell, page, table
from reference.problems import Problems

COMMANDS = (
    ("scripts/demo", "hicrisp_nodes.cli.options"),
    ("hicrisp", "hicrisp_nodes.cli.main"),
    ("scripts/bench", "hicrisp_bench.cli"),
    ("scripts/look", "hicrisp_perception.scene_scan.look_options"),
    ("scripts/calibrate_camera", "hicrisp_perception.calibration.calibrate_options"),
)
"""What people type, and the module whose ``parse`` reads its command line."""


class _Caught(Exception):
    """The parser of a command, taken out before it reads anything."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        super().__init__()
        self.parser = parser


def command_page(problems: Problems) -> str:
    """Write the page of all command lines.

    Args:
        problems: collects what has no description.

    Returns:
        The page in Markdown.
    """
    parts = [_command(name, parser_of(import_module(module).parse), problems) for name, module in COMMANDS]
    return page("Command lines",
                "Each says the same with `--help`. The scripts set up what they need; `hicrisp` needs "
                "`source scripts/env` first.", *parts)


def parser_of(parse: Callable[[List[str]], object]) -> argparse.ArgumentParser:
    """Catch the parser that a function makes and uses.

    Args:
        parse: reads a command line.

    Returns:
        The parser.
    """
    def caught(parser: argparse.ArgumentParser, *_: object, **__: object) -> None:
        raise _Caught(parser)

    with patch.object(argparse.ArgumentParser, "parse_known_args", caught):
        try:
            parse([])
        except _Caught as found:
            return found.parser
    raise TypeError(f"{parse.__module__}.{parse.__qualname__} reads no command line")


def _command(name: str, parser: argparse.ArgumentParser, problems: Problems) -> str:
    text = f"## {name}\n\n{cell(parser.description or '')}\n\n{_options(name, parser, problems)}"
    for inner, about, sub in _subcommands(parser):
        problems.text(f"{name} {inner}", about)
        text += f"\n### {name} {inner}\n\n{cell(about)}\n\n{_options(f'{name} {inner}', sub, problems)}"
        for deeper, told, last in _subcommands(sub):
            options = _options(f"{name} {inner} {deeper}", last, problems)
            text += f"\n`{inner} {deeper}`: {cell(told)}\n\n{options}"
    return text


def _subcommands(parser: argparse.ArgumentParser) -> Iterator[Tuple[str, str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            about = {each.dest: each.help or "" for each in action._choices_actions}
            for name, sub in action.choices.items():
                yield name, about.get(name, ""), sub


def _options(where: str, parser: argparse.ArgumentParser, problems: Problems) -> str:
    rows = []
    for action in parser._actions:
        if isinstance(action,
                      (argparse._SubParsersAction, argparse._HelpAction)) or action.help is argparse.SUPPRESS:
            continue
        name = ", ".join(action.option_strings) or str(action.metavar or action.dest).upper()
        told = problems.text(f"{where} {name}", action.help or "")
        takes = action.metavar or action.dest.upper()
        if action.choices is not None:
            takes = "\\|".join(map(str, action.choices))
        shown = f"{name} {takes}" if action.option_strings and action.nargs != 0 else name
        rows.append((f"`{shown}`", cell(told % {"default": action.default})))
    return table(("option", "meaning"), rows) if rows else ""

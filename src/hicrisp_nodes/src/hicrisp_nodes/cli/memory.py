"""`hicrisp memory`: what earlier runs left, to look at, to forget, to take elsewhere."""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Callable, Dict, List, Optional, Sequence, Tuple

import rospkg
import rospy
from hicrisp_core.domain import Domain, load_domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.memory import tables
from hicrisp_core.memory.entries import Entry, Example, Mended, Numbered, Offset
from hicrisp_core.memory.likeness import alike_in_words
from hicrisp_core.memory.store import FILE_NAME, Store, Trouble
from hicrisp_core.memory.transfer import lines_of, read_lines, take_in
from hicrisp_ros.config_files import BRINGUP, config_file

from hicrisp_nodes.cli.client import namespaces
from hicrisp_nodes.cli.console import Console
from hicrisp_nodes.cli.graph import Graph

_MOST_TOLD = 20
"""Lines left out that are told one by one."""


def add_memory_command(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command ``memory`` with its verbs.

    Args:
        commands: the subcommands of ``hicrisp``.
    """
    memory = commands.add_parser("memory", help="what earlier runs left: list, forget, export, import")
    memory.add_argument("--file", type=Path, metavar="FILE",
                        help="the memory's file (the running workspace's, else runs/memory.sqlite)")
    verbs = memory.add_subparsers(dest="verb", required=True, metavar="VERB")
    listed = verbs.add_parser("list", help="the entries with their ids, the latest last")
    listed.add_argument("--domain", help="of this domain only")
    listed.add_argument("--like", metavar="TEXT", help="tasks like this one only, the most alike last")
    listed.add_argument("--most", type=int, default=50, metavar="N", help="how many (50)")
    forget = verbs.add_parser("forget", help="delete entries")
    forget.add_argument("ids", nargs="*", metavar="ID", help="as list shows them: e3, c1, o2")
    forget.add_argument("--all", action="store_true", help="everything")
    export = verbs.add_parser("export", help="write the entries as JSON lines")
    export.add_argument("to", nargs="?", type=Path, metavar="TO", help="a file (the standard output)")
    taken = verbs.add_parser("import",
                             help="take entries in; each line is checked, and told where it is left out")
    taken.add_argument("source", nargs="?", type=Path, metavar="FROM", help="a file (the standard input)")


def run_memory(options: argparse.Namespace, console: Console) -> int:
    """Carry out ``hicrisp memory ...``; no workspace needs to run.

    Args:
        options: the parsed command line.
        console: the terminal.

    Returns:
        Exit status.
    """
    store = Store(options.file or _usual_file(namespaces(options.namespace)))
    verbs: Dict[str, Callable[[argparse.Namespace, Store, Console], int]] = {
        "list": _list, "forget": _forget, "export": _export, "import": _import}
    try:
        return verbs[options.verb](options, store, console)
    except BrokenPipeError:
        raise
    except OSError as error:
        console.error(f"{error.filename or options.verb}: {error.strerror}")
        return 1


def _list(options: argparse.Namespace, store: Store, console: Console) -> int:
    found = _everything(store, console)
    if found is None:
        return 1
    shown = [each for each in found if not options.domain
             or not isinstance(each.entry, Offset) and each.entry.domain == options.domain]
    if options.like:
        told = [(each, each.entry.text) for each in shown if isinstance(each.entry, Example)]
        scores = alike_in_words(options.like, [text for _, text in told])
        order = sorted(zip(scores, range(len(told))))
        shown = [told[index][0] for score, index in order if score > 0.0]
    for each in shown[-max(0, options.most):]:
        day = time.strftime("%Y-%m-%d %H:%M", time.localtime(each.last)) if each.last else "-"
        console.say("  ".join((console.paint(f"{each.id:<6}", "strong"), f"{day:<16}",
                               _said(each.entry, each.times, each.failed))))
    if not shown:
        console.say(f"nothing is remembered in {store.file}")
    return 0


def _forget(options: argparse.Namespace, store: Store, console: Console) -> int:
    if not options.all and not options.ids:
        console.error("say what to forget", "by id: hicrisp memory forget e3 c1", "or everything: --all")
        return 2
    if not store.file.exists():
        console.say(f"nothing is remembered in {store.file}")
        return 0 if options.all else 1
    gone = store.write(lambda file: tables.forget(
        file, [each.id for each in tables.everything(file)] if options.all else options.ids))
    if isinstance(gone, Trouble):
        console.error(gone.message)
        return 1
    console.say(f"{gone} {'entry' if gone == 1 else 'entries'} forgotten")
    return 0 if options.all or gone == len(set(options.ids)) else 1


def _export(options: argparse.Namespace, store: Store, console: Console) -> int:
    found = _everything(store, console)
    if found is None:
        return 1
    with ExitStack() as files:
        stream = files.enter_context(open(options.to, "w", encoding="utf-8")) if options.to else sys.stdout
        for line in lines_of(found):
            stream.write(line + "\n")
    if options.to:
        console.say(f"{_count(found)} written to {options.to}")
    return 0


def _import(options: argparse.Namespace, store: Store, console: Console) -> int:
    with ExitStack() as files:
        stream = files.enter_context(open(
            options.source, encoding="utf-8", errors="replace")) if options.source else sys.stdin
        entries, left_out = read_lines(stream, _domain)
    written = store.write(lambda file: take_in(file, entries)) if entries else None
    if isinstance(written, Trouble):
        console.error(written.message)
        return 1
    console.say(f"{_count(entries)} taken in, {len(left_out)} left out")
    for each in left_out[:_MOST_TOLD]:
        console.say(f"  line {each.line}: {console.paint(each.why, 'warn')}")
    if len(left_out) > _MOST_TOLD:
        console.say(f"  ... and {len(left_out) - _MOST_TOLD} more")
    return 0 if entries or not left_out else 1


def _everything(store: Store, console: Console) -> Optional[Tuple[Numbered, ...]]:
    nothing: Tuple[Numbered, ...] = ()
    found = store.read(tables.everything, nothing)
    if isinstance(found, Trouble):
        console.error(found.message)
        return None
    return found


def _said(entry: Entry, times: int, failed: int) -> str:
    if isinstance(entry, Offset):
        x, y = (f"{1000.0 * each:+.1f}" for each in entry.estimate.mean)
        samples = entry.estimate.samples
        return f"offset     {entry.body}: {entry.key} {x}, {y} mm from {samples:.1f} placements"
    often = f" ({times} times)" if times > 1 else ""
    if isinstance(entry, Mended):
        steps = "; ".join(map(str, entry.steps))
        fell = f", {failed} of them failed" if failed else ""
        wrong = f"{entry.failure.command}: {entry.failure.label or entry.failure.kind}"
        return f"correction {entry.domain}: {wrong} -> {steps}{often}{fell}"
    goal = "; ".join(text for texts in entry.goal.values() for text in texts)
    return f"example    {entry.domain}: {entry.text}{f' -> {goal}' if goal else ''}{often}"


def _count(entries: Sequence[object]) -> str:
    return f"{len(entries)} {'entry' if len(entries) == 1 else 'entries'}"


def _domain(name: str) -> Optional[Domain]:
    """The domain of that name among the workspace's; never a path that a line gives."""
    if not name.replace("_", "").replace("-", "").isalnum():
        return None
    try:
        return load_domain(config_file("domains", name))
    except ConfigError:
        return None


def _usual_file(names: Sequence[str]) -> Path:
    """The file of the workspace that runs in one of the namespaces; without one that of the workspace's usual
    folder for runs.
    """
    for namespace in names if Graph().reachable() else ():
        running: List[str] = [str(rospy.get_param(f"/{namespace}/{name}", "")) for name in
                              ("supervisor/memory_file", "runs_dir")]
        if running[0]:
            return Path(running[0]).expanduser()
        if running[1]:
            return Path(running[1]).expanduser() / FILE_NAME
    return Path(rospkg.RosPack().get_path(BRINGUP)).resolve().parents[1] / "runs" / FILE_NAME

"""`hicrisp watch`: what runs, live in a terminal, or line by line in a pipe and for screen readers."""

from __future__ import annotations

import argparse
import os
import sys
from importlib.util import find_spec
from typing import Callable, Optional

from hicrisp_core.trace.events import TaskFinished

from hicrisp_msgs.msg import TaskStatus
from hicrisp_nodes.cli.client import EventStream, Supervisor, Unreachable
from hicrisp_nodes.cli.console import Console
from hicrisp_nodes.cli.follow import Follower, Teller
from hicrisp_nodes.cli.narrator import Narrator

_DAY = 86400.0
_SLICE = 0.5
_GONE = "the supervisor has gone away"


def add_watch_command(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command ``watch`` with its options.

    Args:
        commands: the subcommands of ``hicrisp``.
    """
    watch = commands.add_parser("watch", help="follow what runs, live")
    watch.add_argument("task_id", nargs="?", default="", help="the running or the last one by default")
    watch.add_argument("--plain", action="store_true",
                       help="line by line, as in a pipe; for screen readers and for logs")


def live_is_wanted(plain: bool) -> bool:
    """Check whether the live view can and shall be shown.

    Args:
        plain: whether the user asked for lines.

    Returns:
        Whether the output is a terminal that can be redrawn, and ``rich`` is installed.
    """
    able = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    return able and not plain and find_spec("rich") is not None


def watch(
    options: argparse.Namespace, supervisor: Supervisor, events: EventStream, console: Console,
    say_status: Callable[[TaskStatus, Console], None]
) -> int:
    """Follow a task to its end, or all tasks until Ctrl-C.

    Args:
        options: the parsed command line.
        supervisor: the running workspace.
        events: the supervisor's events.
        console: the terminal.
        say_status: prints in one line where a task stands.

    Returns:
        Exit status.

    Raises:
        Unreachable: when the supervisor went away.
    """
    status = supervisor.status(options.task_id)
    if options.task_id and status is None:
        console.error(f"there is no task '{options.task_id}'", "those that there are: hicrisp tasks")
        return 1
    if live_is_wanted(options.plain):
        return _live(options.task_id, status, supervisor, events, console, say_status)
    if status is not None:
        say_status(status, console)
    if options.task_id:
        Follower(supervisor, events, console).follow(options.task_id, _DAY)
        return 0
    console.say(console.paint("watching; Ctrl-C ends it", "soft"))
    return _follow_all(events, Narrator(console))


def _live(task_id: str, status: Optional[TaskStatus], supervisor: Supervisor, events: EventStream,
          console: Console, say_status: Callable[[TaskStatus, Console], None]) -> int:
    from hicrisp_nodes.cli.live_screen import LiveScreen  # Only here is rich needed.

    with LiveScreen(console) as screen:
        if status is not None:
            screen.begin(status.task_id, status.run_folder)
        if not task_id:
            return _follow_all(events, screen)
        told = Follower(supervisor, events, console, teller=screen, aside=screen.aside).follow(task_id, _DAY)
    if not (told and told[-1].get("kind") == TaskFinished.kind) and status is not None:
        say_status(status, console)
    return 0


def _follow_all(events: EventStream, teller: Teller) -> int:
    while True:
        event = events.next(_SLICE)
        if event is not None:
            teller.tell(event)
        elif not events.connected:
            raise Unreachable(_GONE)

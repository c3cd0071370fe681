"""`hicrisp watch`: what runs, line by line; the dashboard shows it live."""

from __future__ import annotations

import argparse
from typing import Callable

from hicrisp_msgs.msg import TaskStatus
from hicrisp_nodes.cli.client import EventStream, Supervisor, Unreachable
from hicrisp_nodes.cli.console import Console
from hicrisp_nodes.cli.follow import Follower
from hicrisp_nodes.cli.narrator import Narrator

_DAY = 86400.0
_SLICE = 0.5
_GONE = "the supervisor has gone away"


def add_watch_command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", which: argparse.ArgumentParser
) -> None:
    """Add the command and what it can be told.

    Args:
        commands: those of the command line.
        which: the parent that reads which task is meant.
    """
    watch = commands.add_parser("watch", help="follow what runs, live", parents=[which])
    watch.add_argument("--plain", action="store_true",
                       help="line by line, which is the only form now; for scripts of earlier releases")


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
    if status is not None:
        say_status(status, console)
    if options.task_id:
        Follower(supervisor, events, console).follow(options.task_id, _DAY)
        return 0
    console.say(console.paint("watching; Ctrl-C ends it", "soft"))
    narrator = Narrator(console)
    while True:
        event = events.next(_SLICE)
        if event is not None:
            narrator.tell(event)
        elif not events.connected:
            raise Unreachable(_GONE)

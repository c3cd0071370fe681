"""The `hicrisp` command: submit, watch, cancel and explain tasks of a running workspace."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

import rospy
from hicrisp_core.errors import ConfigError
from hicrisp_core.executive.conversation import KEPT
from hicrisp_core.trace.timeline import verdict_words
from hicrisp_ros.action_client import ActionClient, Limits

from hicrisp_msgs.msg import ExecuteTaskAction, ExecuteTaskGoal, TaskStatus
from hicrisp_nodes.cli.client import ENDED, STATES, EventStream, Supervisor, Unreachable, connect, namespaces
from hicrisp_nodes.cli.completion import add_completion_command, print_completion
from hicrisp_nodes.cli.console import Console
from hicrisp_nodes.cli.follow import Follower, wait_for_report
from hicrisp_nodes.cli.memory import add_memory_command, run_memory
from hicrisp_nodes.cli.options import whole_path
from hicrisp_nodes.cli.past import past_runs
from hicrisp_nodes.cli.watch import add_watch_command, watch
from hicrisp_nodes.supervisor.gate import LEVELS

_DAY = 86400.0
_HEARD_LIMIT = 180.0
"""Seconds in which a remark is understood, with a question to the user."""
_CONNECT_LIMIT = 10.0
_STYLES = {"succeeded": "good", "answered": "good", "failed": "bad"}


def _submit(options: argparse.Namespace, console: Console) -> int:
    supervisor, text = Supervisor(options.namespace), " ".join(options.task)
    if options.dry_run:
        client = ActionClient(f"/{options.namespace}/execute_task", ExecuteTaskAction)
        reply = client.call(ExecuteTaskGoal(task=text, dry_run=True), Limits(server=10.0, execution=600.0))
        if reply.result is None:
            raise Unreachable(f"/{options.namespace}/execute_task: {reply.message or reply.status.value}")
        console.say(reply.result.message)
        return 0 if reply.result.success else 1
    events = _listen(options.namespace)
    answer = supervisor.ask("submit_task", text)
    if not answer.accepted:
        console.error(f"not accepted: {answer.message}")
        return 1
    console.say(f"{answer.task_id}: {answer.message}")
    if options.no_wait:
        return 0
    told = Follower(supervisor, events, console).follow(answer.task_id, _DAY)
    status = supervisor.status(answer.task_id)
    report = wait_for_report(status.run_folder) if status else None
    if report:
        console.say(f"   report: {report}")
    return 0 if told and told[-1].get("success") else 1


def _tell(options: argparse.Namespace, console: Console) -> int:
    supervisor = Supervisor(options.namespace)
    events = _listen(options.namespace)
    running = supervisor.status(options.task_id)
    answer = supervisor.ask("tell", options.task_id, " ".join(options.text))
    if not answer.ok or running is None:
        return _said(answer, console)
    console.say(answer.message)
    heard = Follower(supervisor, events, console).hear(running.task_id, _HEARD_LIMIT)
    return 0 if heard is not None and heard.effect != KEPT else 1


def _tasks(options: argparse.Namespace, console: Console) -> int:
    supervisor = Supervisor(options.namespace)
    answer = supervisor.ask("get_task", "")
    present = [answer.status] if answer.found and answer.status.state not in ENDED else []
    present += filter(None, (supervisor.status(task_id) for task_id in answer.queue))
    for status in reversed(present):
        _say_status(status, console)
    runs = Path(rospy.get_param(f"/{options.namespace}/runs_dir", "")).expanduser()
    past = past_runs(runs, options.most, {status.task_id for status in present})
    for run in past:
        state = console.paint(f"{verdict_words(run.verdict):<12}", _STYLES.get(run.verdict, "warn"))
        console.say(f"{run.id}  {state}  {run.seconds:7.1f} s  {run.task}")
    if not present and not past:
        console.say("no task has run yet")
    return 0


def _say_status(status: TaskStatus, console: Console) -> None:
    state = STATES.get(status.state, str(status.state))
    style = _STYLES.get(state, "warn")
    where = f"step {status.step_index + 1}/{status.step_count}: {status.step}" if status.step_count else ""
    console.say("  ".join(part for part in (
        status.task_id, console.paint(f"{state:<12}", style), status.text, console.paint(where, "soft"))
        if part))


def _ask(options: argparse.Namespace, console: Console) -> int:
    """Ask for the service of the command, with what the user gave; what it says back is the answer."""
    service, fields = _REQUESTS[options.command]
    return _said(Supervisor(options.namespace).ask(service, *fields(options)), console)


def _said(answer: Any, console: Console) -> int:
    good, said = (getattr(answer, field) for field in answer.__slots__)
    console.say(said)
    return 0 if good else 1


def _listen(namespace: str) -> EventStream:
    events = EventStream(namespace)
    if not events.wait(_CONNECT_LIMIT):
        raise Unreachable(f"the supervisor's events do not come within {_CONNECT_LIMIT:g} s")
    return events


_REQUESTS: Dict[str, Tuple[str, Callable[[argparse.Namespace], Tuple[Any, ...]]]] = {
    "cancel": ("cancel_task", lambda given: (given.task_id,)),
    "approve": ("approve", lambda given: (given.task_id, True)),
    "refuse": ("approve", lambda given: (given.task_id, False)),
    "answer": ("answer", lambda given: (given.task_id, " ".join(given.answer))),
    "explain": ("explain", lambda given: (given.task_id,)),
    "name": ("name_thing", lambda given: (given.thing, " ".join(given.name), [], False)),
    "autonomy": ("set_autonomy", lambda given: (given.level,)),
    "reset": ("reset_world", lambda given: (given.scene and whole_path(given.scene), given.seed)),
    "estop": ("estop", lambda _: ()), "clear": ("clear_estop", lambda _: ()),
    "pause": ("pause", lambda _: ()), "resume": ("resume", lambda _: ()),
}
"""The services of the commands that ask for no more than an answer, each with the fields of its request."""
_COMMANDS: Dict[str, Callable[[argparse.Namespace, Console], int]] = {
    "submit": _submit, "tasks": _tasks, "tell": _tell, **dict.fromkeys(_REQUESTS, _ask),
    "watch": lambda options, console: watch(
        options, Supervisor(options.namespace), _listen(options.namespace), console, _say_status)}


def make_parser() -> argparse.ArgumentParser:
    """The parser of the command."""
    parser = argparse.ArgumentParser(prog="hicrisp",
                                     description="Tasks in plain language for a running workspace.")
    parser.add_argument("--namespace", type=lambda name: name.strip("/"), default="",
                        help="namespace of the supervisor (hicrisp, within ROS_NAMESPACE where that is set)")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    submit = commands.add_parser("submit", help="submit a task and follow it")
    submit.add_argument("task", nargs="+", help="what shall be done")
    submit.add_argument("--no-wait", action="store_true", help="do not follow it")
    submit.add_argument("--dry-run", action="store_true", help="plan and check it, move nothing")
    which = argparse.ArgumentParser(add_help=False)
    which.add_argument("task_id", nargs="?", default="", help="the running or the last one by default")
    for name, text in (
        ("cancel", "end a task"), ("explain", "why a task went as it did"),
        ("approve", "allow the action that waits"), ("refuse", "forbid the action that waits"),
    ):
        commands.add_parser(name, help=text, parents=[which])
    for name, text in (
        ("estop", "stop everything at once; nothing moves until clear and then resume"),
        ("clear", "end the emergency stop; everything stays paused until resume"),
        ("pause", "begin no further command"), ("resume", "let commands and tasks begin again"),
    ):
        commands.add_parser(name, help=text)
    autonomy = commands.add_parser("autonomy", help="set what is asked before it is done")
    autonomy.add_argument("level", choices=LEVELS,
                          help="nothing; what cannot be undone; besides that corrections, plans or commands")
    add_watch_command(commands, which)
    answer = commands.add_parser("answer", help="say what a task means that is asked about")
    answer.add_argument("task_id", help="the task that asks")
    answer.add_argument("answer", nargs="+", help="the number of a choice, or words of your own")
    tell = commands.add_parser("tell", help="say something while a task runs: not that one, the blue one")
    tell.add_argument("task_id", help="the task that is meant")
    tell.add_argument("text", nargs="+", help="what is meant instead, or besides; stop ends the task")
    naming = commands.add_parser("name", help="give a name to an object that no file describes")
    naming.add_argument("name", nargs="+", help="what you call it: coffee cup")
    naming.add_argument("--thing", default="", metavar="NAME",
                      help="its present name, such as unknown_2 (the only one that is there)")
    tasks = commands.add_parser("tasks", help="the tasks that wait, run and have ended, the newest first")
    tasks.add_argument("--most", type=int, default=20, metavar="N", help="how many that have ended (20)")
    reset = commands.add_parser("reset", help="put a simulated world back to its beginning")
    reset.add_argument("scene", nargs="?", default="", help="another scene of the same kind (the one that runs)")
    reset.add_argument("--seed", type=int, default=0, help="another layout; -1 for seed 0 (the launch's)")
    replay = commands.add_parser("replay",
                                 help="a past run in the browser, step by step; without robot and ROS")
    replay.add_argument("run", help="folder of the run, or its name in the folder of runs")
    replay.add_argument("--runs-dir", default="runs", metavar="DIR", help="folder of runs (runs)")
    replay.add_argument("--port", type=int, metavar="N", help="port of the page (8642)")
    add_memory_command(commands)
    add_completion_command(commands)
    return parser


def parse(arguments: Optional[List[str]] = None) -> argparse.Namespace:
    """Read the command line of ``hicrisp``.

    Args:
        arguments: the command line; that of the process if ``None``.

    Returns:
        The command and its options.
    """
    return make_parser().parse_args(arguments)


def main(arguments: Optional[List[str]] = None) -> int:
    """Run ``hicrisp``.

    Args:
        arguments: the command line; that of the process if ``None``.

    Returns:
        Exit status.
    """
    options = parse(arguments)
    console = Console()
    try:
        return _run(options, console)
    except Unreachable as error:
        console.error(str(error), *error.mends)
        return 1
    except ConfigError as error:
        console.error(str(error))
        return 2
    except BrokenPipeError:  # Whoever read the lines has had enough, as `head` has.
        console.close()
        return 128 + signal.SIGPIPE
    except KeyboardInterrupt:
        return 130


def _run(options: argparse.Namespace, console: Console) -> int:
    if options.command == "memory":
        return run_memory(options, console)
    if options.command == "completion":
        return print_completion(options.shell, make_parser(), console)
    if options.command == "replay":
        # The page is a program beside this one, not a part of it.
        port = ["--port", str(options.port)] if options.port is not None else []
        os.execv(sys.executable, [sys.executable, "-m", "hicrisp_web.replay", options.run, "--runs-dir",
                                  options.runs_dir, *port])
    options.namespace = connect(namespaces(options.namespace))
    return _COMMANDS[options.command](options, console)


if __name__ == "__main__":
    sys.exit(main())

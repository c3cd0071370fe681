"""The trials of a demo: each resets the world with its own seed, hands in the task and follows it."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any, Dict, Iterator, List

from hicrisp_core.trace import trial_of

from hicrisp_nodes.cli.client import EventStream, Supervisor, Unreachable, WorldWatch
from hicrisp_nodes.cli.console import Console
from hicrisp_nodes.cli.follow import Follower, wait_for_report

_CONNECT_LIMIT = 20.0
_RESET_LIMIT = 60.0
_FRESH_STATES = 5


def run_trials(
    options: Namespace, task: str, brain: str, supervisor: Supervisor, events: EventStream,
    follower: Follower,
    console: Console,
) -> Iterator[Dict[str, Any]]:
    """Run the trials one after another; each result as soon as it is there.

    Raises:
        Unreachable: when the workspace goes away.
    """
    if not events.wait(_CONNECT_LIMIT):
        raise Unreachable(f"the supervisor's events do not come within {_CONNECT_LIMIT:g} s")
    world = WorldWatch(options.namespace)
    for number in range(options.trials):
        seed = options.seed + number
        if options.trials > 1:
            console.say(f"\n{console.paint(f'Trial {number + 1} of {options.trials}', 'strong')}, seed "
                        f"{seed}")
        if number:
            reset = supervisor.ask("reset_world", "", seed, patience=_RESET_LIMIT)
            if not reset.ok:
                raise Unreachable(f"the world could not be reset: {reset.message}")
            if not world.wait_for(_FRESH_STATES, _CONNECT_LIMIT):
                raise Unreachable(f"no state of the world was seen for {_CONNECT_LIMIT:g} s after its reset")
        named = {"task": task, "scene": options.scene, "seed": seed, "policy": options.policy, "llm": brain,
                 "sigma": options.sigma}
        yield {**_trial(task, options.time_limit, supervisor, follower, console), **named}


def _trial(
    task: str, seconds: float, supervisor: Supervisor, follower: Follower, console: Console
) -> Dict[str, Any]:
    answer = supervisor.ask("submit_task", task)
    if not answer.accepted:
        console.say(f"{console.paint('✗ not accepted:', 'bad')} {answer.message}")
        return {**trial_of([]), "message": answer.message}
    told = follower.follow(answer.task_id, seconds)
    status = supervisor.status(answer.task_id)
    folder = status.run_folder if status else ""
    report = wait_for_report(folder)
    if report is not None:
        console.say(f"   report: {report}")
    return result_of_task(told, folder)


def result_of_task(told: List[Dict[str, Any]], folder: str) -> Dict[str, Any]:
    """The result as the run folder has it, or as the events tell it."""
    try:
        trial = json.loads((Path(folder) / "result.json").read_text(encoding="utf-8")) if folder else None
    except (OSError, ValueError):
        trial = None
    return trial if isinstance(trial, dict) else trial_of(told, folder)

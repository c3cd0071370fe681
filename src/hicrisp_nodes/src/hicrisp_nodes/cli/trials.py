"""The trials of a demo: each resets the world with its own seed, hands in the task and follows it."""

from __future__ import annotations

import json
from argparse import Namespace
from collections import Counter
from pathlib import Path
from statistics import fmean
from typing import Any, Dict, Iterator, List, Mapping, Sequence

from hicrisp_core.trace import trial_of

from hicrisp_nodes.cli.client import EventStream, Supervisor, Unreachable, WorldWatch
from hicrisp_nodes.cli.console import Console
from hicrisp_nodes.cli.follow import Follower, wait_for_report

_CONNECT_LIMIT = 20.0
_FRESH_STATES = 5


def run_trials(
    options: Namespace, task: str, brain: str, supervisor: Supervisor, events: EventStream,
    follower: Follower,
    console: Console,
) -> Iterator[Dict[str, Any]]:
    """Run trials one after another.

    Args:
        options: the parsed command line.
        task: the text to submit.
        brain: the language model's configuration, for the results.
        supervisor: the running workspace.
        events: the supervisor's events.
        follower: shows each task.
        console: the terminal.

    Yields:
        Each result as soon as the trial has ended.

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
            reset = supervisor.ask("reset_world", "", seed)
            if not reset.ok:
                raise Unreachable(f"the world could not be reset: {reset.message}")
            if not world.wait_for(_FRESH_STATES, _CONNECT_LIMIT):
                raise Unreachable(f"no state of the world was seen for {_CONNECT_LIMIT:g} s after its reset")
        named = {"task": task, "scene": options.scene, "seed": seed, "policy": options.policy, "llm": brain,
                 "sigma": options.sigma}
        yield {**_trial(task, options.time_limit, supervisor, follower, console), **named}


def summary(trials: Sequence[Mapping[str, Any]]) -> str:
    """Sum up trials in one line.

    Args:
        trials: results of the trials.

    Returns:
        How many succeeded, corrections by rung, and the means of error (mm) and time (s).
    """
    rungs: "Counter[str]" = Counter()
    for trial in trials:
        rungs.update(trial["corrections"])
    told = ", ".join(f"{rung} {count}" for rung, count in rungs.most_common())
    words = [f"{sum(bool(trial['success']) for trial in trials)} of {len(trials)} succeeded",
             f"{sum(rungs.values())} corrections" + (f" ({told})" if told else "")]
    errors = [trial["placement_error_m"] for trial in trials if trial["placement_error_m"] is not None]
    if errors:
        words.append(f"placements {1000.0 * fmean(errors):.1f} mm off")
    words.append(f"{fmean(trial['wall_s'] or 0.0 for trial in trials):.1f} s a trial")
    return "; ".join(words)


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
    """Read a task's result.

    Args:
        told: the task's events.
        folder: its run folder; empty if it has none.

    Returns:
        The result in the folder, else one made of the events.
    """
    try:
        trial = json.loads((Path(folder) / "result.json").read_text(encoding="utf-8")) if folder else None
    except (OSError, ValueError):
        trial = None
    return trial if isinstance(trial, dict) else trial_of(told, folder)

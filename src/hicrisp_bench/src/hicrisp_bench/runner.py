"""Where the trials of every suite are run: in processes here or on a cluster, each kept as soon as it has
ended.
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Type

from hicrisp_core.errors import ConfigError

from hicrisp_bench.cluster import is_here, run_on
from hicrisp_bench.pool import Progress, Result, guarded, run_all, run_in_fresh_process
from hicrisp_bench.trial_file import NAME, TrialFile, folder_digest

_HOW = frozenset({"suite", "json", "out", "jobs", "dask", "resume", "config", "threads", "quick", "queries",
                  "publish"})
"""Options that change no trial's result."""


@dataclass(frozen=True)
class Runner:
    """Runs trials.

    Args:
        jobs: processes side by side.
        dask: address of a cluster's scheduler; empty for this machine.
        kept: where trials are kept; nowhere without it.
    """

    jobs: int = 1
    dask: str = ""
    kept: Optional[TrialFile] = field(default=None, compare=False)

    def run(
        self, function: Callable[[Any], Result], items: Sequence[Any], key: Callable[[Any], str], what: str,
        alone: bool = False,
    ) -> List[Result]:
        """A function's results for all items, in their order; a crash is a result.

        Args:
            function: of a module's top level; it and the items travel to other processes.
            key: names a trial by all that its result depends on beside the suite's settings; each other.
            alone: one after the other in this process, where no cluster is asked: for times and memory that
                must not be shared.
        """
        keys = _different([key(item) for item in items])
        results, left = self._known(keys)
        keep = partial(_keep_at, left, self._keeper(keys, results))
        todo = [items[place] for place in left]
        if self.dask:
            run_on(self.dask, function, todo, what, keep)
        elif alone:
            _one_by_one(function, todo, what, keep)
        else:
            run_all(function, todo, self.jobs, what, keep)
        return results

    def run_over_ros(self, trials: Sequence[Any], key: Callable[[Any], str], what: str,
                     judge: Type[Any]) -> List[Result]:
        """The same through launched nodes; two processes' work a launch.

        Raises:
            ConfigError: on a cluster, whose workers start no launches.
        """
        from hicrisp_bench.over_ros import run_all_over_ros  # ROS is needed for this way only.

        if self.dask:
            raise ConfigError("--over-ros launches its nodes on this machine: leave out --dask")
        keys = _different([key(trial) for trial in trials])
        results, left = self._known(keys)
        keep = partial(_keep_at, left, self._keeper(keys, results))
        run_all_over_ros([trials[place] for place in left], max(1, self.jobs // 2), what, judge, keep)
        return results

    def run_together(
        self, function: Callable[[Sequence[Any]], Iterator[Result]], groups: Sequence[Sequence[Any]],
        key: Callable[[Any], str], what: str,
    ) -> List[Result]:
        """The same where some items are run by one process that starts nodes for them: one group after the
        other, each in a fresh process, as rospy knows one master for the life of a process.

        Args:
            function: of a module's top level; yields the results of a group's items, each as it ends.

        Raises:
            ConfigError: on a cluster, whose workers start no nodes.
        """
        if self.dask:
            raise ConfigError(f"{what} starts nodes on this machine: leave out --dask")
        keys = _different([key(item) for group in groups for item in group])
        results, left = self._known(keys)
        progress, keep = Progress(what, len(left)), self._keeper(keys, results)

        def ended(place: int, result: Result) -> None:
            keep(place, result)
            progress.step()

        begin = 0
        for group in groups:
            places = [place for place in range(begin, begin + len(group)) if place in left]
            run_in_fresh_process(function, [group[place - begin] for place in places],
                                 partial(_keep_at, places, ended))
            begin += len(group)
        progress.end()
        return results

    def needs_loopback(self, model: str) -> None:
        """Make sure that what this machine serves on loopback is reached by whoever runs the trials.

        Raises:
            ConfigError: for a cluster elsewhere.
        """
        if self.dask and not is_here(self.dask):
            raise ConfigError(f"this machine serves {model} on its loopback address, which the workers of "
                              f"{self.dask} cannot reach: name an endpoint with base_url (--llm), or leave "
                              "out --dask")

    def _keeper(self, keys: Sequence[str], results: List[Result]) -> Callable[[int, Result], None]:
        """What puts a result in its place, and keeps it for a run that goes on."""
        def keep(place: int, result: Result) -> None:
            results[place] = self.kept.add(keys[place], result) if self.kept else result

        return keep

    def _known(self, keys: Sequence[str]) -> "tuple[List[Result], List[int]]":
        """The results that are kept, and the places of those that have to be run."""
        kept = [self.kept.known(key) if self.kept else None for key in keys]
        return [each or {} for each in kept], [place for place, each in enumerate(kept) if each is None]


def runner_of(options: argparse.Namespace, selects: Sequence[str]) -> Runner:
    """Build the runner that a suite's options ask for.

    Args:
        options: the parsed command line.
        selects: options of the suite that only say which trials are run, not how.

    Returns:
        The runner, which resumes earlier trials if asked to.

    Raises:
        ConfigError: when a run goes on with other settings than it was begun with.
    """
    settings: Dict[str, Any] = {name: _plain(value) for name, value in sorted(vars(options).items())
                                if name not in _HOW and name not in selects}
    settings["config"] = folder_digest(options.config)
    kept = TrialFile(folder_of(options) / NAME, settings, options.resume)
    return Runner(options.jobs, options.dask, kept)


def folder_of(options: argparse.Namespace) -> Path:
    """Return where a suite's results go.

    Args:
        options: the parsed command line.

    Returns:
        ``--out``, or ``runs/bench/SUITE``.
    """
    return options.out or Path("runs/bench") / options.suite


def settings_told(options: argparse.Namespace) -> Mapping[str, Any]:
    """Return a suite's own options, for its results.

    Args:
        options: the parsed command line.

    Returns:
        JSON values by the option's name.
    """
    left_out = {"suite", "json", "out", "config", "dask", "resume", "publish"}
    return {name: _plain(value) for name, value in sorted(vars(options).items()) if name not in left_out}


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, Path) else value


def _keep_at(places: Sequence[int], keep: Callable[[int, Result], None], at: int, result: Result) -> None:
    keep(places[at], result)


def _one_by_one(function: Callable[[Any], Result], items: Sequence[Any], what: str,
                each: Callable[[int, Result], None]) -> None:
    progress = Progress(what, len(items))
    for place, item in enumerate(items):
        each(place, guarded((function, item)))
        progress.step()
    progress.end()


def _different(keys: List[str]) -> List[str]:
    twice = [key for key, count in Counter(keys).items() if count > 1]
    if twice:
        raise ValueError(f"trials with the same key: {', '.join(twice[:3])}")
    return keys

"""Where the trials of every suite are run: in processes here or on a cluster, each kept in a file as soon as it has
ended, so that what a stopped run has done need not be done again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import count, islice
from operator import methodcaller
from pathlib import Path
from threading import Lock
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Protocol, Sequence, Tuple, Type

from hicrisp_core.errors import ConfigError
from hicrisp_core.extensions import Lazy

from hicrisp_bench.pool import Progress, Result, guarded, is_here, run_all, run_in_fresh_process, run_on
from hicrisp_bench.statistics import Tally

NAME = "trials.jsonl"
_SETTINGS = "settings"
_HOW = frozenset({"suite", "json", "out", "jobs", "dask", "resume", "config", "quick", "queries", "publish"})
"""Options that change no trial's result."""
_RUN = methodcaller("run")


class Trial(Protocol):
    """One run of a suite: a value that holds all that its result depends on, and that travels to other processes."""

    def key(self) -> str:
        """Name it by all that its result depends on beside the suite's settings; each trial of a suite by another."""

    def run(self) -> Result:
        """Run it, and return the result as JSON values."""


def one_by_one(trials: Sequence[Trial]) -> Iterator[Result]:
    """Run trials one after another."""
    return map(_RUN, trials)


class TrialFile:
    """A file of JSON lines: first the settings that all its trials share, then a trial a line with its key.

    A line is written by one call at the end of the file, so that several processes may write to it and a
    process that is killed leaves at most one line cut off, which is left out when the file is read again.

    Args:
        settings: what a trial's result depends on beside its key.
        resume: keep what the file holds; else it is begun anew.

    Raises:
        ConfigError: when a run goes on with other settings than it was begun with.
    """

    def __init__(self, file: Path, settings: Mapping[str, Any], resume: bool) -> None:
        self.file = file
        file.parent.mkdir(parents=True, exist_ok=True)
        self._known: Dict[str, Result] = {}
        ours = json.loads(json.dumps(settings))
        if resume and file.exists():
            theirs, self._known = read_trials(file)
            if theirs is not None and theirs != ours:
                differ = "; ".join(f"{name} was {theirs.get(name)!r} and is {ours.get(name)!r}"
                                   for name in {**theirs, **ours} if theirs.get(name) != ours.get(name))
                raise ConfigError(f"--resume: the trials in {file} have other settings: {differ}. Run with the same "
                                  "ones, or without --resume to begin anew")
        lines = [{_SETTINGS: ours}, *({"key": key, "result": result} for key, result in self._known.items())]
        whole = file.with_suffix(".new")
        whole.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        whole.replace(file)

    def known(self, key: str) -> Optional[Result]:
        """Look up a trial's result.

        Args:
            key: names the trial.

        Returns:
            The result; ``None`` if the trial has to be run, also after a crash.
        """
        return self._known.get(key)

    def add(self, key: str, result: Result) -> Result:
        """Append a trial.

        Args:
            key: names the trial.
            result: JSON values.

        Returns:
            The result as it will be read again.
        """
        line = json.dumps({"key": key, "result": result})
        handle = os.open(self.file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(handle, f"{line}\n".encode())
        finally:
            os.close(handle)
        read: Result = json.loads(line)["result"]
        return read


def folder_digest(folder: Path) -> str:
    """Hash what the files of a folder hold.

    Args:
        folder: any folder.

    Returns:
        Sixteen hexadecimal digits.
    """
    found = hashlib.sha256()
    for file in sorted(each for each in folder.rglob("*") if each.is_file()):
        found.update(f"{file.relative_to(folder)}\0".encode())
        found.update(hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()[:16]


def read_trials(file: Path) -> Tuple[Optional[Dict[str, Any]], Dict[str, Result]]:
    """Read a file of trials.

    Args:
        file: as :class:`TrialFile` writes it.

    Returns:
        The settings, and the results of the trials that did not crash, by key.
    """
    settings: Optional[Dict[str, Any]] = None
    known: Dict[str, Result] = {}
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if not isinstance(entry, dict):
            continue
        if isinstance(entry.get(_SETTINGS), dict):
            settings = entry[_SETTINGS]
        result = entry.get("result")
        if isinstance(entry.get("key"), str) and isinstance(result, dict) and "crashed" not in result:
            known[entry["key"]] = result
    return settings, known


@dataclass(frozen=True)
class Runner:
    """Runs trials.

    Args:
        jobs: processes side by side.
        dask: address of a cluster's scheduler; empty for this machine.
        kept: where trials are kept; nowhere without it.
        crashed: the trials that crashed so far, each with its ``trial`` and why it ``crashed``.
    """

    jobs: int = 1
    dask: str = ""
    kept: Optional[TrialFile] = field(default=None, compare=False)
    crashed: List[Dict[str, str]] = field(default_factory=list, compare=False)

    def run(self, trials: Sequence[Trial], what: str, alone: bool = False) -> List[Result]:
        """The results of all trials, in their order; a crash is a result.

        Args:
            alone: one after the other in this process, where no cluster is asked: for times and memory that
                must not be shared.
        """
        results, left, keep = self._known(trials)
        todo, ended = [trials[place] for place in left], partial(_keep_at, left, keep)
        if self.dask:
            run_on(self.dask, _RUN, todo, what, ended)
        elif alone:
            progress = Progress(what, len(todo))
            for place, trial in enumerate(todo):
                ended(place, guarded((_RUN, trial)))
                progress.step()
            progress.end()
        else:
            run_all(_RUN, todo, self.jobs, what, ended)
        return results

    def by_case(self, cases: Sequence[Tuple[Any, Sequence[Trial]]], what: str, judge: Optional[Lazy] = None
                ) -> List[Tuple[Any, Tally]]:
        """The same for cases with several trials each: every case with the sum of its results.

        Args:
            judge: of trials over launched nodes, if they run there.
        """
        trials = [trial for _, own in cases for trial in own]
        results = iter(self.run(trials, what) if judge is None else self.run_over_ros(trials, what, judge.value))
        return [(case, Tally(islice(results, len(own)))) for case, own in cases]

    def run_over_ros(self, trials: Sequence[Any], what: str, judge: Type[Any]) -> List[Result]:
        """The same through launched nodes; two processes' work a launch.

        Raises:
            ConfigError: on a cluster, whose workers start no launches.
        """
        from hicrisp_bench.over_ros import alike, run_group  # ROS is needed for this way only.

        places = alike(trials)
        results = self.run_together([[trials[each] for each in group] for group in places], f"{what} over ROS",
                                    partial(run_group, judge), max(1, self.jobs // 2))
        found = dict(zip((each for group in places for each in group), results))
        return [found[place] for place in range(len(trials))]

    def run_together(
        self, groups: Sequence[Sequence[Any]], what: str,
        function: Callable[[Sequence[Any]], Iterator[Result]] = one_by_one, jobs: int = 1,
    ) -> List[Result]:
        """The same where some trials are run by one process that starts nodes for them: each group in a fresh
        process, as rospy knows one master for the life of a process.

        Args:
            function: of a module's top level; yields the results of a group's trials, each as it ends.
            jobs: groups side by side.

        Raises:
            ConfigError: on a cluster, whose workers start no nodes.
        """
        if self.dask:
            raise ConfigError(f"{what} starts nodes on this machine: leave out --dask")
        results, left, keep = self._known([trial for group in groups for trial in group])
        progress, one_at_a_time = Progress(what, len(left)), Lock()
        numbers = count()
        placed = [[(next(numbers), trial) for trial in group] for group in groups]

        def ended(place: int, result: Result) -> None:
            with one_at_a_time:
                keep(place, result)
                progress.step()

        def run_group(group: "Sequence[Tuple[int, Any]]") -> None:
            todo = [(place, trial) for place, trial in group if place in left]
            run_in_fresh_process(function, [trial for _, trial in todo],
                                 partial(_keep_at, [place for place, _ in todo], ended))

        with ThreadPoolExecutor(jobs) as side_by_side:
            list(side_by_side.map(run_group, placed))
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

    def _known(self, trials: Sequence[Trial]) -> Tuple[List[Result], List[int], Callable[[int, Result], None]]:
        """Return the results that are kept, the places of those that have to be run, and what puts a result in
        its place and keeps it for a run that goes on.
        """
        keys = [trial.key() for trial in trials]
        twice = [key for key, number in Counter(keys).items() if number > 1]
        if twice:
            raise ValueError(f"trials with the same key: {', '.join(twice[:3])}")
        kept = [self.kept.known(key) if self.kept else None for key in keys]
        results = [each or {} for each in kept]

        def keep(place: int, result: Result) -> None:
            if "crashed" in result:
                self.crashed.append({"trial": keys[place], "crashed": str(result["crashed"])})
            results[place] = self.kept.add(keys[place], result) if self.kept else result

        return results, [place for place, each in enumerate(kept) if each is None], keep


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

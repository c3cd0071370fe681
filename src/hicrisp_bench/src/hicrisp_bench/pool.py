"""Trials side by side, in processes here or on a cluster of dask.distributed, with a progress line and the time
left; a crash is a result, not the end.
"""

from __future__ import annotations

import ipaddress
import sys
import time
import traceback
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, Callable, Dict, Iterator, List, Sequence, Tuple
from urllib.parse import urlsplit

from hicrisp_core.errors import ConfigError

Result = Dict[str, Any]


def run_on(
    scheduler: str, function: Callable[[Any], Result], items: Sequence[Any], what: str,
    each: Callable[[int, Result], None],
) -> None:
    """Apply a function to all items on a cluster.

    Args:
        scheduler: the scheduler's address, ``tcp://host:8786``.
        each: called in this process with the place and the result of each item as soon as it is there.

    Raises:
        ConfigError: when dask.distributed is not installed here, or nobody answers at the address.
    """
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise ConfigError("--dask needs the Python package 'distributed', of the cluster's own version: "
                          "pip install distributed") from error
    progress = Progress(what, len(items))
    try:
        client = Client(scheduler)
    except (OSError, ValueError) as error:
        raise ConfigError(f"--dask: no scheduler answers at {scheduler} ({error})") from error
    with client:
        futures = client.map(guarded, [(function, item) for item in items], pure=False)
        places = {future.key: index for index, future in enumerate(futures)}
        for future in as_completed(futures):
            each(places[future.key], result_of(future))
            progress.step()
    progress.end()


def is_here(scheduler: str) -> bool:
    """Check whether a scheduler's workers reach this machine's loopback address.

    Args:
        scheduler: its address, ``tcp://host:8786``.

    Returns:
        True for a loopback address.
    """
    host = urlsplit(scheduler).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def run_all(
    function: Callable[[Any], Result], items: Sequence[Any], jobs: int, what: str,
    each: Callable[[int, Result], None] = lambda index, result: None,
) -> List[Result]:
    """Apply a function to all items in ``jobs`` processes; results come in the order of the items.

    Args:
        each: called in this process with the place and the result of each item as soon as it is there.
    """
    results: List[Result] = [{} for _ in items]
    progress = Progress(what, len(items))
    with ProcessPoolExecutor(max_workers=jobs) as pool:
        futures = {pool.submit(guarded, (function, item)): index for index, item in enumerate(items)}
        for future in as_completed(futures):
            index = futures[future]
            results[index] = result_of(future)
            each(index, results[index])
            progress.step()
    progress.end()
    return results


def run_in_fresh_process(function: Callable[[Sequence[Any]], Iterator[Result]], items: Sequence[Any],
                         each: Callable[[int, Result], None]) -> None:
    """Let a new process work through some items; those that it did not come to have crashed.

    Args:
        function: of a module's top level; yields the items' results in their order.
        each: called in this process with the place and the result of each item as soon as it is there.
    """
    if not items:
        return
    context = get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_work_through, args=(function, items, theirs))
    process.start()
    theirs.close()
    done = 0
    while done < len(items):
        try:
            result = ours.recv()
        except EOFError:
            break
        each(done, result)
        done += 1
    process.join()
    for place in range(done, len(items)):
        each(place, {"success": False, "trace": "", "crashed": f"its process ended with the status {process.exitcode}"})


def _work_through(function: Callable[[Sequence[Any]], Iterator[Result]], items: Sequence[Any],
                  results: Connection) -> None:
    with results:
        for result in function(items):
            results.send(result)


class Progress:
    """One line on the terminal: how many of how many, the seconds so far and about how many are left."""

    def __init__(self, what: str, total: int) -> None:
        self._what = what
        self._total = total
        self._done = 0
        self._began = time.monotonic()

    def step(self) -> None:
        """One more is done."""
        self._done += 1
        spent = time.monotonic() - self._began
        left = spent / self._done * (self._total - self._done)
        show(f"\r{self._what}: {self._done}/{self._total}, {spent:.0f} s, about {left:.0f} s left   ")

    def end(self) -> None:
        """Leave the line."""
        show("\n")


def show(text: str) -> None:
    """Write to the terminal; nobody looking is no reason to end.

    Args:
        text: whole lines, or what changes one.
    """
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        pass


def guarded(call: Tuple[Callable[[Any], Result], Any]) -> Result:
    """Call a function; a crash becomes a result.

    Args:
        call: the function and its item.

    Returns:
        The function's result, or ``crashed`` with the error and its trace.
    """
    function, item = call
    try:
        return function(item)
    except Exception as error:  # noqa: BLE001 - whatever goes wrong in one trial is that trial's row
        return {"success": False, "crashed": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()}


def result_of(future: "Future[Result]") -> Result:
    """Return what a process answered.

    Args:
        future: the call in the other process.

    Returns:
        The result; ``crashed`` if the process was killed.
    """
    error = future.exception()
    if error is None:
        return future.result()
    return {"success": False, "crashed": f"{type(error).__name__}: {error}", "trace": ""}

"""The same work on an existing cluster of dask.distributed, whose workers have this workspace."""

from __future__ import annotations

import ipaddress
from typing import Any, Callable, Dict, List, Sequence
from urllib.parse import urlsplit

from hicrisp_core.errors import ConfigError

from hicrisp_bench.pool import Progress, guarded, result_of


def run_on(
    scheduler: str, function: Callable[[Any], Dict[str, Any]], items: Sequence[Any], what: str,
    each: Callable[[int, Dict[str, Any]], None],
) -> List[Dict[str, Any]]:
    """Apply a function to all items on a cluster; as :func:`hicrisp_bench.pool.run_all`.

    Args:
        scheduler: the scheduler's address, ``tcp://host:8786``.

    Raises:
        ConfigError: when dask.distributed is not installed here, or nobody answers at the address.
    """
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise ConfigError("--dask needs the Python package 'distributed', of the cluster's own version: "
                           "pip install distributed") from error
    results: List[Dict[str, Any]] = [{} for _ in items]
    progress = Progress(what, len(items))
    try:
        client = Client(scheduler)
    except (OSError, ValueError) as error:
        raise ConfigError(f"--dask: no scheduler answers at {scheduler} ({error})") from error
    with client:
        futures = client.map(guarded, [(function, item) for item in items], pure=False)
        places = {future.key: index for index, future in enumerate(futures)}
        for future in as_completed(futures):
            index = places[future.key]
            results[index] = result_of(future)
            each(index, results[index])
            progress.step()
    progress.end()
    return results


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

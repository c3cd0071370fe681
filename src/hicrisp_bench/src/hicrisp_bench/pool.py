"""Trials side by side, with a progress line and the time left; a crash is a result, not the end."""

from __future__ import annotations

import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any, Callable, Dict, List, Sequence, Tuple


def run_all(
    function: Callable[[Any], Dict[str, Any]], items: Sequence[Any], jobs: int, what: str
) -> List[Dict[str, Any]]:
    """Apply a function to all items in ``jobs`` processes; results come in the order of the items."""
    results: List[Dict[str, Any]] = [{} for _ in items]
    began = time.monotonic()
    with ProcessPoolExecutor(max_workers=jobs) as pool:
        futures = {pool.submit(_guarded, (function, item)): index for index, item in enumerate(items)}
        for done, future in enumerate(as_completed(futures), start=1):
            results[futures[future]] = future.result()
            spent = time.monotonic() - began
            left = spent / done * (len(items) - done)
            sys.stderr.write(f"\r{what}: {done}/{len(items)}, {spent:.0f} s, about {left:.0f} s left   ")
            sys.stderr.flush()
    sys.stderr.write("\n")
    return results


def _guarded(call: Tuple[Callable[[Any], Dict[str, Any]], Any]) -> Dict[str, Any]:
    function, item = call
    try:
        return function(item)
    except Exception as error:  # noqa: BLE001 - whatever goes wrong in one trial is that trial's row
        return {"success": False, "crashed": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()}

"""A call that ends in time whatever the other side does."""

from __future__ import annotations

import threading
from typing import Any, Callable, List


class Overdue(Exception):
    """A call took longer than it may."""


def within(seconds: float, call: Callable[[], Any]) -> Any:
    """The call's result, or its exception.

    Raises:
        Overdue: after the given seconds; the call is left to end by its own timeouts, and its result is dropped.
    """
    results: List[Any] = []
    errors: List[Exception] = []

    def run() -> None:
        try:
            results.append(call())
        except Exception as error:  # noqa: BLE001 - handed to the caller, whatever it is
            errors.append(error)

    thread = threading.Thread(target=run, name="llm-request", daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise Overdue(f"no result within {seconds:g} s")
    return results[0]

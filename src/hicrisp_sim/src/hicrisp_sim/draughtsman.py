"""A thread that draws: OpenGL wants each context in one thread."""

from __future__ import annotations

from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread
from typing import Any, Callable, Optional, Tuple

_Order = Optional[Tuple["Future[Any]", Callable[[], Any]]]


class Draughtsman:
    """Draws one picture after another in a thread of its own.

    Its queue may be written to from anywhere, also while garbage is collected, when a thread pool would wait
    for a lock that its own thread may hold.

    Args:
        name: of the thread.
    """

    def __init__(self, name: str) -> None:
        self._orders: "SimpleQueue[_Order]" = SimpleQueue()
        Thread(target=_draw, args=(self._orders,), name=name, daemon=True).start()

    def do(self, draw: Callable[[], Any]) -> "Future[Any]":
        """Draw in the thread that owns the OpenGL context.

        Args:
            draw: called in that thread.

        Returns:
            Its future result.
        """
        done: "Future[Any]" = Future()
        self._orders.put((done, draw))
        return done

    def end(self, last: Callable[[], Any]) -> None:
        """End the thread after a last call; the caller does not wait for it.

        Args:
            last: called in that thread.
        """
        self._orders.put((Future(), last))
        self._orders.put(None)


def _draw(orders: "SimpleQueue[_Order]") -> None:
    while True:
        order = orders.get()
        if order is None:
            return
        done, draw = order
        del order
        if not done.set_running_or_notify_cancel():
            continue
        try:
            done.set_result(draw())
        except Exception as error:  # noqa: BLE001 - the caller waiting for the image gets it.
            done.set_exception(error)
        del done, draw

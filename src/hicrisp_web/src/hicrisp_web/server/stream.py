"""The board as a stream of server-sent events: first everything, then what has changed."""

from __future__ import annotations

import asyncio
from typing import AsyncIterator, Callable

from hicrisp_core.trace.plain import to_json

from hicrisp_web.view.board import Board

PACE = 0.1
"""Seconds between two messages to a page, at least; what changes in between goes together."""
BEAT = 10.0
"""Seconds of silence after which a page is told that it is still connected."""


async def stream(board: Board, over: Callable[[], bool], beat: float = BEAT) -> AsyncIterator[str]:
    """Send a page its sections as server-sent events: ``whole`` once, then ``changes``.

    Args:
        board: the page's sections.
        over: whether the server is about to end; asked after each message.
        beat: longest silence, seconds.

    Yields:
        The events as text.
    """
    loop, news = asyncio.get_running_loop(), asyncio.Event()

    def tell() -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(news.set)

    end, count, kind = board.listen(tell), 0, "whole"
    try:
        while not over():
            news.clear()
            count, sections = board.since(count)
            if sections or kind == "whole":
                yield f"event: {kind}\ndata: {to_json(sections)}\n\n"
                kind = "changes"
            try:
                await asyncio.wait_for(news.wait(), beat)
            except asyncio.TimeoutError:
                yield ": still here\n\n"
            await asyncio.sleep(PACE)
    finally:
        end()

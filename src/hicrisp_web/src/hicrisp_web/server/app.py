"""The routes of the dashboard."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, AsyncIterator, Callable, Dict, List, Mapping, Optional

from hicrisp_core.trace.plain import to_json
from hicrisp_core.trace.report import PAGE
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from hicrisp_web.history.history import History
from hicrisp_web.server.guard import Allowance, Guard, Protection
from hicrisp_web.server.history_routes import history_routes
from hicrisp_web.server.page_actions import PageAction, Said, read_fields
from hicrisp_web.server.shot import Camera, no_camera
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


_OWN = Path(__file__).resolve().parents[1] / "page"
"""The files of the page that the report does not have."""
LARGEST_BODY = 64_000
"""Bytes of a request that are read."""
_LONGEST_NAME = 200
"""Characters of the words that name an object."""
MOST_STREAMS = 40
"""Pages that may watch at once."""
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


@dataclass
class Desk:
    """Everything that the server hands out.

    Args:
        actions: what a page may ask for, by name; none in a replay.
        pace: how often actions are done that are not urgent; so is ``guesses`` of wrong tokens.
        over: whether the server is about to end.
    """

    board: Board
    history: History
    guard: Guard
    actions: Mapping[str, PageAction] = field(default_factory=dict)
    camera: Camera = no_camera
    pace: Allowance = field(default_factory=lambda: Allowance(10.0, 30))
    guesses: Allowance = field(default_factory=lambda: Allowance(1.0, 20))
    over: Callable[[], bool] = lambda: False


def make_app(desk: Desk) -> Starlette:
    """Build the web application.

    Args:
        desk: what the page shows and may request.

    Returns:
        The ASGI application.
    """
    doors = _Doors(desk)
    routes: List[BaseRoute] = [
        *_page_routes(), *history_routes(desk.history), Route("/api/live", doors.live),
        Route("/api/camera", doors.camera), Route("/api/may", doors.may),
        Route("/api/do/{action}", doors.do, methods=["POST"])]
    return Starlette(routes=routes, middleware=[Middleware(Protection, guard=desk.guard)])


def reply(value: Any, status: int = 200) -> Response:
    """Answer with JSON.

    Args:
        value: JSON values.
        status: HTTP status.

    Returns:
        The response.
    """
    return Response(to_json(value), status, media_type="application/json")


def _page_routes() -> List[BaseRoute]:
    """The page's files; nothing else of the disk has an address."""
    def send(path: Path) -> Callable[[Request], Any]:
        async def answer(_: Request) -> Response:
            return Response(path.read_bytes(), media_type=_TYPES[path.suffix])

        return answer

    found = [Route(f"/{path.relative_to(folder).as_posix()}", send(path)) for folder in (_OWN, PAGE)
             for path in sorted(folder.rglob("*")) if path.suffix in _TYPES]
    return [Route("/", send(_OWN / "index.html")), *found]


class _Doors:
    """What the server answers about the live workspace.

    Args:
        desk: what the page shows and may request.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def live(self, _: Request) -> Response:
        if self._desk.board.readers >= MOST_STREAMS:
            return _refusal(503, f"{MOST_STREAMS} pages watch already; close one.")
        return StreamingResponse(stream(self._desk.board, self._desk.over), media_type="text/event-stream")

    async def camera(self, request: Request) -> Response:
        refused = self._stranger(request, "The camera's picture needs the token.")
        if refused is not None:
            return refused
        shot = await run_in_threadpool(self._desk.camera, request.query_params.get("of", "")[:_LONGEST_NAME])
        if not shot.image:
            return Response(status_code=204)
        return Response(shot.image, media_type=shot.kind, headers={"X-Eye": shot.eye, "X-Age": f"{shot.age:.1f}"})

    async def may(self, request: Request) -> Response:
        """Whether whoever asks may steer."""
        refused = self._stranger(request)
        if refused is not None and refused.status_code == 429:
            return refused
        live = bool(self._desk.actions)
        return reply({"steer": refused is None and live, "live": live})

    async def do(self, request: Request) -> Response:
        if not self._desk.guard.origin_ok(request.headers.get("origin")):
            return _refusal(403, "Another site's page may not do this.")
        refused = self._stranger(request, "Steering needs the token: open the address that the launch printed.")
        if refused is not None:
            return refused
        action = self._desk.actions.get(request.path_params["action"])
        if action is None:
            return _refusal(404, "There is no such action.")
        if not action.urgent and not self._desk.pace.take():
            return _refusal(429, "Too many requests at once; wait a moment.")
        told = await _body(request)
        fields = told if isinstance(told, str) else read_fields(action, told)
        if isinstance(fields, str):
            return _refusal(400, fields)
        return reply((await run_in_threadpool(action.call, **fields)).as_dict())

    def _stranger(self, request: Request, why: str = "") -> Optional[Response]:
        """The refusal of whoever has no token, or a wrong one; those are taken at a slow pace."""
        if self._desk.guard.token_ok(request.headers.get("authorization")):
            return None
        if not self._desk.guesses.take():
            return _refusal(429, "Too many wrong tokens; wait a moment.")
        return _refusal(401, why)


def _refusal(status: int, why: str) -> Response:
    return reply(Said(False, why).as_dict(), status)


async def _body(request: Request) -> Any:
    """The JSON value of a request, or what is wrong with it in words."""
    read = b""
    async for part in request.stream():
        read += part
        if len(read) > LARGEST_BODY:
            return f"The request is larger than {LARGEST_BODY} bytes."
    try:
        found: Dict[str, Any] = json.loads(read or b"{}")
    except (ValueError, RecursionError):
        return "The request is no JSON."
    return found

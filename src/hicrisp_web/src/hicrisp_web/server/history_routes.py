"""The routes of past runs; they only read."""

from __future__ import annotations

import gzip
import json
from typing import Any, Callable, List

from hicrisp_core.trace.plain import to_json
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Route

from hicrisp_web.history.history import History
from hicrisp_web.history.index import Filter
from hicrisp_web.server.guard import REPORT_POLICY

_WORTH_PACKING = 4_000
"""Bytes from which on an answer is compressed."""
_DIGITS = 6
_LATEST = 10 ** _DIGITS
"""A moment after every other."""


def history_routes(history: History) -> List[BaseRoute]:
    """Build the routes of past runs: the list, one run, its replay, its files, and two runs side by side.

    Args:
        history: the run folders.

    Returns:
        Routes below ``/api`` and ``/runs``.
    """
    async def found(request: Request) -> Response:
        asked = request.query_params
        wanted = Filter(asked.get("words", "")[:200], asked.get("verdict", ""), asked.get("scene", ""),
                        asked.get("sort", ""),
                        asked.get("rising") == "true", _whole(asked.get("first", ""), 0),
                        _whole(asked.get("most", ""), 50))
        return await _answer(request, lambda: history.find(wanted))

    async def run(request: Request) -> Response:
        return await _answer(request, lambda: history.result(request.path_params["run"]))

    async def part(request: Request) -> Response:
        at = _whole(request.query_params.get("at", ""), _LATEST)
        return await _answer(request, lambda: history.part(request.path_params["run"], at))

    async def compare(request: Request) -> Response:
        asked = request.query_params
        return await _answer(request,
                             lambda: history.compare(asked.get("left", ""), asked.get("right", "")))

    async def file(request: Request) -> Response:
        path = history.file(request.path_params["run"], request.path_params["path"])
        if path is None:
            return Response("There is no such file.\n", 404, media_type="text/plain")
        page = path.suffix == ".html"
        return FileResponse(path, headers={"Content-Security-Policy": REPORT_POLICY} if page else None)

    return [Route("/api/runs", found), Route("/api/compare", compare), Route("/api/runs/{run}", run),
            Route("/api/runs/{run}/part", part), Route("/api/runs/{run}/files/{path:path}", file)]


async def _answer(request: Request, ask: Callable[[], Any]) -> Response:
    """JSON values, compressed where that is worth it; 404 for ``None``."""
    return await run_in_threadpool(_packed, ask, "gzip" in request.headers.get("accept-encoding", ""))


def _packed(ask: Callable[[], Any], may_pack: bool) -> Response:
    value = ask()
    if value is None:
        return Response(to_json({"message": "There is no such run."}), 404, media_type="application/json")
    try:  # What is plain already is not looked through once more, for there may be much of it.
        text = json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (TypeError, ValueError):
        text = to_json(value).encode("utf-8")
    if may_pack and len(text) > _WORTH_PACKING:
        return Response(gzip.compress(text, 5), media_type="application/json",
                        headers={"Content-Encoding": "gzip"})
    return Response(text, media_type="application/json")


def _whole(text: str, otherwise: int) -> int:
    return int(text) if text.isdigit() and len(text) <= _DIGITS else otherwise

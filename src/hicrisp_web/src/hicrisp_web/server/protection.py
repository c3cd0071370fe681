"""Around every answer: foreign names are turned away, and browsers are told what the page may do."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, MutableMapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse

from hicrisp_web.server.guard import Guard

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
          "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
REPORT_POLICY = ("default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
                 "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-scripts")
"""A report brings everything along; its script runs in an origin of its own and reaches nothing."""
_HEADERS = {
    "Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store"}


class Protection:
    """An ASGI layer; what an answer already says stays."""

    def __init__(self, app: Any, guard: Guard) -> None:
        self._app = app
        self._guard = guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        async def guarded(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if not self._guard.host_ok(Headers(scope=scope).get("host")):
            answer = PlainTextResponse("This name is not one of the dashboard's. Open the address that the "
                                       "launch printed.\n", 421)
            await answer(scope, receive, guarded)
            return
        await self._app(scope, receive, guarded)

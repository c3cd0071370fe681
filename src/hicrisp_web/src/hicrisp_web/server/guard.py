"""Who may look and who may steer: names of this host, the origin of a page, the token, and how often; and around every
answer, what browsers are told that a page may do.
"""

from __future__ import annotations

import hmac
import time
from threading import Lock
from typing import Any, Awaitable, Callable, Iterable, MutableMapping, Optional

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse

_SCHEME = "Bearer "
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


class Guard:
    """Knows the token and the names under which this server is reached.

    A page of another site reaches a server on the loopback address too, by its number or by a name of its
    own that it lets point there. So nothing is answered under a foreign name, and nothing is done for a page
    of another origin, whatever it knows.

    Args:
        token: what steering needs.
        hosts: values of the header ``Host`` that are answered, such as ``127.0.0.1:8642``.
    """

    def __init__(self, token: str, hosts: Iterable[str]) -> None:
        if len(token) < 16:
            raise ValueError("a token of fewer than 16 characters is guessed too soon")
        self._token = token.encode("utf-8")
        self._hosts = frozenset(host.lower() for host in hosts)

    def host_ok(self, host: Optional[str]) -> bool:
        """Check whether a request names this server.

        Args:
            host: header ``Host``.

        Returns:
            Whether it does; other names are refused.
        """
        return (host or "").lower() in self._hosts

    def origin_ok(self, origin: Optional[str]) -> bool:
        """Check whether a request comes from a page of this server, or from no page at all.

        Args:
            origin: header ``Origin``; ``None`` if it is missing.

        Returns:
            Whether it does.
        """
        scheme, _, host = (origin or "").lower().partition("://")
        return origin is None or (scheme in ("http", "https") and host in self._hosts)

    def token_ok(self, authorization: Optional[str]) -> bool:
        """Check the token in constant time.

        Args:
            authorization: header ``Authorization``.

        Returns:
            Whether it holds the token.
        """
        told = authorization or ""
        given = told[len(_SCHEME):] if told.startswith(_SCHEME) else ""
        return hmac.compare_digest(given.encode("utf-8", "replace"), self._token)


class Allowance:
    """So many requests a second, and some at once.

    Args:
        rate: requests per second of wall time.
        burst: how many may come at once.
    """

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._left = float(burst)
        self._clock = clock
        self._at = clock()
        self._lock = Lock()

    def take(self) -> bool:
        """Whether one more request is within the limits; it counts then."""
        with self._lock:
            now = self._clock()
            self._left = min(self._burst, self._left + self._rate * (now - self._at))
            self._at = now
            if self._left < 1.0:
                return False
            self._left -= 1.0
            return True


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

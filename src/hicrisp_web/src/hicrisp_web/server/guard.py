"""Who may look and who may steer: names of this host, the origin of a page, the token, and how often."""

from __future__ import annotations

import hmac
import time
from threading import Lock
from typing import Callable, Iterable, Optional

_SCHEME = "Bearer "


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

"""HTTP for the ``openai`` package in which an answer has a largest size and a latest end."""

from __future__ import annotations

import json
import ssl
import time
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, List, Tuple

import openai

_LIBRARY = "httpx2" if find_spec("httpx2") else "httpx"
"""What the package sends requests with: the second one by its releases for Python 3.8."""

MOST_BYTES = 4_000_000
"""Of one answer's body; the longest useful answers are a hundredth of it."""


@lru_cache(maxsize=None)
def trusted() -> ssl.SSLContext:
    """The certificates that the package's HTTP library trusts. To read them takes 50 ms, so all clients of a
    process share them."""
    return import_module(_LIBRARY).create_ssl_context()


_PROVIDER_FAILED = 502
"""The status of an error that says none."""


class Unreadable(Exception):
    """A body cannot be read to its end; the message is what the HTTP library said, if anything."""


class AnswerTooLong(Unreadable):
    """A body is larger than anything that is read."""


class AnswerTooSlow(Unreadable):
    """A body has not ended in time, although parts of it kept coming."""


class BrokenOff(Unreadable):
    """The connection ended in the middle of a body."""


class BoundedHttp(openai.DefaultHttpxClient):
    """The package's own HTTP client with bounds: its time limit holds for a whole body, not for each read.

    Raises:
        AnswerTooLong, AnswerTooSlow, BrokenOff: from ``send``, which closes the connection then.
    """

    def send(self, request: Any, *, stream: bool = False, **more: Any) -> Any:
        """Send a request and read the whole answer within the bounds, unless it is streamed.

        Args:
            request: the HTTP request; its read timeout bounds the whole answer, seconds.
            stream: whether the caller reads the answer.
            **more: further options of httpx.

        Returns:
            The HTTP response.
        """
        limit = (request.extensions.get("timeout") or {}).get("read") or float("inf")
        end = time.monotonic() + limit
        response = super().send(request, stream=True, **more)
        if stream:
            return response
        try:
            body = _read(response, end)
        finally:
            response.close()
        status, body = _as_refused(response.status_code, body)
        headers = [(name, value) for name, value in response.headers.multi_items()
                   if name.lower() not in ("content-encoding", "content-length", "transfer-encoding")]
        return type(response)(status, headers=headers, content=body, request=response.request)


def _as_refused(status: int, body: bytes) -> Tuple[int, bytes]:
    """An answer that holds an error in place of its text, as gateways send it with HTTP 200, as the refusal that it
    is.
    """
    try:
        said = json.loads(body) if status == 200 and b'"error"' in body else None
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        return status, body
    choices = said.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    ended = isinstance(choice, dict) and choice.get("finish_reason") == "error"
    error = choice.get("error") or said.get("error") if isinstance(choice, dict) and ended else said.get("error")
    if not error or choices and not ended:
        return status, body
    code = error.get("code") if isinstance(error, dict) else None
    known = isinstance(code, int) and 400 <= code < 600
    return (int(code) if known and code is not None else _PROVIDER_FAILED), json.dumps({"error": error}).encode()


def _read(response: Any, end: float) -> bytes:
    parts: List[bytes] = []
    size = 0
    try:
        for part in response.iter_bytes():
            parts.append(part)
            size += len(part)
            if size > MOST_BYTES:
                raise AnswerTooLong(f"the answer is larger than {MOST_BYTES // 1_000_000} MB")
            if time.monotonic() > end:
                raise AnswerTooSlow("the answer has not ended in time")
    except Unreadable:
        raise
    except Exception as error:  # noqa: BLE001  the package's HTTP library, of which there are two, has its own
        raise (AnswerTooSlow if time.monotonic() > end else BrokenOff)(str(error)) from error
    return b"".join(parts)

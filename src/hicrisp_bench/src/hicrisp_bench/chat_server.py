"""A chat-completions server on loopback, of real HTTP: whoever derives from it answers each request."""

from __future__ import annotations

import json
import threading
from abc import ABC, abstractmethod
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, Iterable, Union


class LoopbackServer(ABC):
    """Listens on a port of its own between ``listen`` and ``close``; requests at once are answered side by side."""

    def __init__(self) -> None:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
                with suppress(OSError):  # The client has hung up: its deadline came first.
                    for part in outer.answer(request):
                        self.wfile.write(part)
                        self.wfile.flush()
                self.close_connection = True

            def do_GET(self) -> None:
                with suppress(OSError):
                    self.wfile.write(whole(json.dumps({"data": [{"id": "tame"}]})))
                self.close_connection = True

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @abstractmethod
    def answer(self, request: Dict[str, Any]) -> Iterable[bytes]:
        """Answer a request.

        Args:
            request: as the client wrote it.

        Returns:
            Bytes of HTTP, in the pieces in which they are sent.
        """

    def listen(self) -> None:
        """Take requests."""
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def close(self) -> None:
        """Take no more."""
        self._server.shutdown()
        self._server.server_close()


def whole(body: Union[str, bytes], status: str = "200 OK", *headers: str) -> bytes:
    """Write a whole answer. It says that the server will close, lest the next request race the connection's end.

    Args:
        body: what it holds.
        status: its code and its words.
        headers: further ones, a line each.

    Returns:
        The bytes of HTTP.
    """
    data = body.encode() if isinstance(body, str) else body
    lines = (f"HTTP/1.1 {status}", "Content-Type: application/json", f"Content-Length: {len(data)}",
             "Connection: close", *headers)
    return "\r\n".join((*lines, "", "")).encode() + data


def completion(text: str, model: str, prompt_tokens: int = 50, finish: str = "stop") -> str:
    """Write the body of an answer with a text.

    Args:
        text: of the model.
        model: its name.
        prompt_tokens: that it counts as read.
        finish: why it ends.

    Returns:
        The body, JSON.
    """
    return json.dumps({
        "id": "1", "object": "chat.completion", "created": 0, "model": model,
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": prompt_tokens, "completion_tokens": len(text) // 4}})

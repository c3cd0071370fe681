"""A chat-completions server on loopback that plays a script; a real HTTP server, no mock of the client."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, List, Mapping, Optional

from hicrisp_core.llm.dialect import QUESTION


class ChatServer:
    """Plays a script, its last entry for ever, and keeps what it was asked.

    An entry is a text, a function that makes one from the request, or a mapping of ``status``, ``text`` or
    ``body``, ``headers``, ``finish``, ``message`` (further fields of it), ``delay`` before the answer and
    ``trickle`` between its single bytes, both in seconds. A client's probe is answered well, beside the
    script, unless the script is to have it.

    Args:
        port: where it listens; 0 for any that is free.
        pages: what a GET or a POST of a path is answered, as JSON.
        probed: whether the script answers probes, too.
    """

    def __init__(
        self, *script: Any, port: int = 0, pages: Optional[Mapping[str, Any]] = None, probed: bool = False
    ) -> None:
        self.script = list(script)
        self.paths: List[str] = []
        self.headers: List[Dict[str, str]] = []
        self.requests: List[Dict[str, Any]] = []
        self.keys: List[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                page = (pages or {}).get(self.path)
                body = json.dumps({} if page is None else page).encode()
                self.send_response(404 if page is None else 200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if self.path in (pages or {}):
                    self._play({"body": json.dumps((pages or {})[self.path])})
                    return
                outer.paths.append(self.path)
                outer.headers.append({name.lower(): value for name, value in self.headers.items()})
                if not probed and asked["messages"] == [dict(each) for each in QUESTION]:
                    self._play({"text": json.dumps({"verdict": "cold"})})
                    return
                outer.keys.append(self.headers.get("Authorization", ""))
                outer.requests.append(asked)
                step = outer.script.pop(0) if len(outer.script) > 1 else outer.script[0]
                if callable(step):
                    step = step(outer.requests[-1])
                if isinstance(step, str):
                    step = {"text": step}
                self._play(step)

            def _play(self, step: Mapping[str, Any]) -> None:
                time.sleep(step.get("delay", 0.0))
                body = step.get("body")
                if body is None:
                    chances = {"content": [{"token": "t", "logprob": each, "top_logprobs": []}
                                           for each in step.get("logprobs", ())]}
                    body = json.dumps({
                        "id": "1", "object": "chat.completion", "created": 0, "model": "test",
                        "choices": [{"index": 0,
                                     "logprobs": chances if "logprobs" in step else None,
                                     "finish_reason": step.get("finish", "stop"),
                                     "message": {"role": "assistant", "content": step.get("text", ""),
                                                 **step.get("message", {})}}],
                        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}})
                try:
                    self.send_response(step.get("status", 200))
                    for name, value in {"Content-Type": "application/json",
                                        **step.get("headers", {})}.items():
                        self.send_header(name, value)
                    self.end_headers()
                    if "trickle" not in step:
                        self.wfile.write(body.encode())
                        return
                    for byte in body.encode():
                        self.wfile.write(bytes([byte]))
                        time.sleep(step["trickle"])
                except (BrokenPipeError, ConnectionResetError):
                    pass  # The client's deadline came first.

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02},
                         daemon=True).start()

    def __enter__(self) -> "ChatServer":
        return self

    def __exit__(self, *_: Any) -> None:
        self._server.shutdown()
        self._server.server_close()

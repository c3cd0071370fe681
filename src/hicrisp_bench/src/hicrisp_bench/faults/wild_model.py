"""A language model's endpoint on loopback that misbehaves as a case wants: real HTTP, down to the bytes."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Sequence, Tuple, Union

import yaml

from hicrisp_bench.stub_models import kinds_of

Step = Tuple[str, Mapping[str, str]]
"""An action and its arguments."""
Play = Callable[["WildModel", Mapping[str, Any], BufferedIOBase], None]
"""Answers one question: with the request, to the connection."""
GOAL = "next_to(box,cylinder)"
"""What the tasks of the worlds with a model mean."""
TIMEOUT = 3.0
"""Wall seconds for each request, as the file of settings says."""


class WildModel:
    """Listens while it is entered.

    ``play`` answers whatever is asked; ``asked`` holds the questions since it was set.
    """

    def __init__(self) -> None:
        self._play: Play = plan()
        self.asked: List[Mapping[str, Any]] = []
        self.ending = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.asked.append(request)
                with suppress(OSError):  # The client has hung up.
                    outer._play(outer, request, self.wfile)
                self.close_connection = True

            def do_GET(self) -> None:
                with suppress(OSError):
                    self.wfile.write(_whole(json.dumps({"data": [{"id": "tame"}]})))
                self.close_connection = True

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def plays(self, play: Play) -> None:
        """Answer so from now on."""
        self.asked, self._play = [], play

    def start(self, folder: Path, secret: str) -> Path:
        """Listen, and write the file of settings that names this endpoint; its path.

        Args:
            secret: the key that it is asked with, which must be nowhere else.
        """
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05},
                         daemon=True).start()
        folder.mkdir(parents=True, exist_ok=True)
        key = folder / "key"
        key.touch(mode=0o600)
        key.write_text(secret, encoding="utf-8")
        file = folder / "wild.yaml"
        file.write_text(yaml.safe_dump({
            "llm": "wild", "backend": "openai", "model": "wild", "base_url": self._url,
            "api_key_file": str(key), "timeout_s": TIMEOUT, "retries": 2, "probe": False, "cache": 0,
            "response_format": "json_schema"}), encoding="utf-8")
        return file

    def stop(self) -> None:
        """Listen no more, and let go whoever waits for an answer that never ends."""
        self.ending.set()
        self._server.shutdown()
        self._server.server_close()


def _whole(body: Union[str, bytes], status: str = "200 OK", *headers: str) -> bytes:
    """A whole answer. It says that the server will close, lest the next request race the connection's end."""
    data = body.encode() if isinstance(body, str) else body
    lines = (f"HTTP/1.1 {status}", "Content-Type: application/json", f"Content-Length: {len(data)}",
             "Connection: close", *headers)
    return "\r\n".join((*lines, "", "")).encode() + data


def completion(text: str, finish: str = "stop") -> str:
    """The body of an answer."""
    return json.dumps({
        "id": "1", "object": "chat.completion", "created": 0, "model": "wild",
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 50, "completion_tokens": len(text) // 4}})


def says(text: str, finish: str = "stop") -> Play:
    """This text, whatever is asked."""
    return lambda model, request, to: _send(to, _whole(completion(text, finish)))


def sends(data: Union[str, bytes], status: str = "200 OK", *headers: str) -> Play:
    """This body, whatever is asked."""
    return lambda model, request, to: _send(to, _whole(data, status, *headers))


def hangs(model: WildModel, request: Mapping[str, Any], to: BufferedIOBase) -> None:
    """Take the question and say nothing."""
    model.ending.wait()


def drips(model: WildModel, request: Mapping[str, Any], to: BufferedIOBase) -> None:
    """Send an answer of many bytes, a few a second."""
    to.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
    while not model.ending.wait(0.3):
        _send(to, b" ")


def closes(model: WildModel, request: Mapping[str, Any], to: BufferedIOBase) -> None:
    """Hang up in mid-answer."""
    _send(to, _whole(completion("{}"))[:-30])


def plan(steps: Sequence[Step] = (), correction: Sequence[Step] = (), wrap: str = "{}") -> Play:
    """The task's goal for the interpreter, a plan of these steps for whoever asks for one, and each
    correction in turn for whoever asks for that.

    Args:
        wrap: what stands around the JSON.
    """
    asked = [0]

    def play(model: WildModel, request: Mapping[str, Any], to: BufferedIOBase) -> None:
        kinds = kinds_of(request.get("response_format", {}).get("json_schema", {}).get("schema", {}))
        answer: Dict[str, Any] = {"kind": "plan", "reasoning": "so", "steps": [_step(each) for each in steps]}
        if "goal" in kinds:
            answer = {"kind": "goal", "stages": [{"conditions": [GOAL]}]}
        elif "plan" not in kinds or ("retry" in kinds and correction):
            action, arguments = correction[asked[0] % len(correction)] if correction else ("", {})
            asked[0] += 1
            answer = {"kind": "plan", "reasoning": "so", "steps": [_step((action, arguments))]}
        _send(to, _whole(completion(wrap.replace("{}", json.dumps(answer)))))

    return play


def _step(step: Step) -> Dict[str, Any]:
    return {"action": step[0], "arguments": dict(step[1])}


def _send(to: BufferedIOBase, data: bytes) -> None:
    to.write(data)
    to.flush()

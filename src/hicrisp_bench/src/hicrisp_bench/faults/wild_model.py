"""A language model's endpoint on loopback that misbehaves as a case wants: real HTTP, down to the bytes."""

from __future__ import annotations

import json
import threading
from io import BufferedIOBase
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Sequence, Tuple, Union

import yaml

from hicrisp_bench.chat_server import LoopbackServer, completion, whole
from hicrisp_bench.stub_models import kinds_of

Step = Tuple[str, Mapping[str, str]]
"""An action and its arguments."""
Play = Callable[["WildModel", Mapping[str, Any], BufferedIOBase], None]
"""Answers one question: with the request, to the connection."""
GOAL = "next_to(box,cylinder)"
"""What the tasks of the worlds with a model mean."""
TIMEOUT = 3.0
"""Wall seconds for each request, as the file of settings says."""


class WildModel(LoopbackServer):
    """Listens once it is started: ``play`` answers whatever is asked, ``asked`` holds the questions since it was
    set.
    """

    def __init__(self) -> None:
        super().__init__()
        self._play: Play = plan()
        self.asked: List[Mapping[str, Any]] = []
        self.ending = threading.Event()

    def answer(self, request: Dict[str, Any], to: BufferedIOBase) -> None:
        """Answer as it is played now."""
        self.asked.append(request)
        self._play(self, request, to)

    def plays(self, play: Play) -> None:
        """Answer so from now on."""
        self.asked, self._play = [], play

    def start(self, folder: Path, secret: str) -> Path:
        """Listen, and write the file of settings that names this endpoint; its path.

        Args:
            secret: the key that it is asked with, which must be nowhere else.
        """
        self.listen()
        folder.mkdir(parents=True, exist_ok=True)
        key = folder / "key"
        key.touch(mode=0o600)
        key.write_text(secret, encoding="utf-8")
        file = folder / "wild.yaml"
        file.write_text(yaml.safe_dump({
            "llm": "wild", "backend": "openai", "model": "wild", "base_url": self.url,
            "api_key_file": str(key), "timeout_s": TIMEOUT, "retries": 2, "probe": False, "cache": 0,
            "response_format": "json_schema"}), encoding="utf-8")
        return file

    def stop(self) -> None:
        """Listen no more, and let go whoever waits for an answer that never ends."""
        self.ending.set()
        self.close()


def says(text: str, finish: str = "stop") -> Play:
    """This text, whatever is asked."""
    return lambda model, request, to: _send(to, whole(completion(text, "wild", finish=finish)))


def sends(data: Union[str, bytes], status: str = "200 OK", *headers: str) -> Play:
    """This body, whatever is asked."""
    return lambda model, request, to: _send(to, whole(data, status, *headers))


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
    _send(to, whole(completion("{}", "wild"))[:-30])


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
        _send(to, whole(completion(wrap.replace("{}", json.dumps(answer)), "wild")))

    return play


def _step(step: Step) -> Dict[str, Any]:
    return {"action": step[0], "arguments": dict(step[1])}


def _send(to: BufferedIOBase, data: bytes) -> None:
    to.write(data)
    to.flush()

"""A language model's endpoint on loopback that misbehaves as a case wants: real HTTP, down to the bytes."""

from __future__ import annotations

import json
import threading
from itertools import count
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Sequence, Tuple

import yaml

from hicrisp_bench.chat_server import LoopbackServer, completion, whole
from hicrisp_bench.stub_models import kinds_of

Step = Mapping[str, Any]
"""A command as a model writes it: its action and its arguments."""
Play = Callable[["WildModel", Mapping[str, Any]], Iterable[bytes]]
"""Answers one question, in the pieces in which its answer is sent."""
GOAL = "next_to(box,cylinder)"
"""What the tasks of the worlds with a model mean."""
TIMEOUT = 3.0
"""Wall seconds for each request, as the file of settings says."""


class WildModel(LoopbackServer):
    """Listens once it is started: ``asked`` holds the questions since it was said how they are answered."""

    def __init__(self) -> None:
        super().__init__()
        self._play: Play = plan()
        self.asked: List[Mapping[str, Any]] = []
        self.ending = threading.Event()

    def answer(self, request: Dict[str, Any]) -> Iterable[bytes]:
        """Answer as it is played now.

        Args:
            request: as the client wrote it.

        Returns:
            The pieces of the answer, bytes of HTTP.
        """
        self.asked.append(request)
        return self._play(self, request)

    def plays(self, play: Play) -> None:
        """Answer so from now on.

        Args:
            play: answers whatever is asked.
        """
        self.asked, self._play = [], play

    def start(self, folder: Path, secret: str) -> Path:
        """Listen, and return the file of settings that names this endpoint.

        Args:
            folder: takes it, and the key's file.
            secret: the key that it is asked with, which must be nowhere else.
        """
        self.listen()
        folder.mkdir(parents=True, exist_ok=True)
        key, file = folder / "key", folder / "wild.yaml"
        key.touch(mode=0o600)
        key.write_text(secret, encoding="utf-8")
        file.write_text(yaml.safe_dump({
            "llm": "wild", "backend": "openai", "model": "wild", "base_url": self.url,
            "api_key_file": str(key), "timeout_s": TIMEOUT, "retries": 2, "probe": False, "cache": 0,
            "response_format": "json_schema"}), encoding="utf-8")
        return file

    def stop(self) -> None:
        """Listen no more, and let go whoever waits for an answer that never ends."""
        self.ending.set()
        self.close()


def step(action: str, **arguments: str) -> Step:
    """Make a command.

    Args:
        action: its name.
        arguments: its arguments by their names.

    Returns:
        The command, as a model writes it.
    """
    return {"action": action, "arguments": arguments}


def says(text: str) -> Play:
    """Answer with a text, whatever is asked.

    Args:
        text: of the model.

    Returns:
        What plays it.
    """
    return sends(completion(text, "wild"))


def sends(body: str, status: str = "200 OK", *headers: str) -> Play:
    """Answer with a body, whatever is asked.

    Args:
        body: of the HTTP answer.
        status: of the HTTP answer.
        headers: further ones, a line each.

    Returns:
        What plays it.
    """
    return lambda model, request: (whole(body, status, *headers),)


def hangs(model: WildModel, request: Mapping[str, Any]) -> Tuple[()]:
    """Take the question and say nothing."""
    model.ending.wait()
    return ()


def drips(model: WildModel, request: Mapping[str, Any]) -> Iterator[bytes]:
    """Send an answer of many bytes, a few a second."""
    yield b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"
    while not model.ending.wait(0.3):
        yield b" "


def closes(model: WildModel, request: Mapping[str, Any]) -> Tuple[bytes]:
    """Hang up in mid-answer."""
    return (whole(completion("{}", "wild"))[:-30],)


def plan(steps: Sequence[Step] = (), correction: Sequence[Step] = (), wrap: str = "{}") -> Play:
    """Answer the interpreter with the task's goal, whoever asks for a plan with one, and whoever asks for a
    correction with each in turn.

    Args:
        steps: of the plan.
        correction: the corrections, a command each.
        wrap: what stands around the JSON.

    Returns:
        What plays it.
    """
    corrections = count()

    def play(model: WildModel, request: Mapping[str, Any]) -> Iterable[bytes]:
        kinds = kinds_of(request.get("response_format", {}).get("json_schema", {}).get("schema", {}))
        answer: Dict[str, Any] = {"kind": "plan", "reasoning": "so", "steps": steps}
        if "goal" in kinds:
            answer = {"kind": "goal", "stages": [{"conditions": [GOAL]}]}
        elif "plan" not in kinds or ("retry" in kinds and correction):
            turn = next(corrections)
            answer["steps"] = [correction[turn % len(correction)] if correction else step("")]
        return says(wrap.replace("{}", json.dumps(answer)))(model, request)

    return play

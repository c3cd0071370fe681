"""A chat-completions server on loopback that takes its time: it answers itself, or asks another server."""

from __future__ import annotations

import json
import re
import time
import urllib.error
import urllib.request
from difflib import SequenceMatcher
from http.client import responses
from threading import Lock
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.understanding.model import answer_of

from hicrisp_bench.chat_server import LoopbackServer, completion, whole
from hicrisp_bench.language.sentences import Sentence

_PATIENCE = 900.0
"""Seconds for an answer of the other server."""
_ALIKE = 0.6
"""The least share of words in which a request and a sentence that is meant by it are the same."""


class Reply(NamedTuple):
    """An HTTP status and a JSON body."""

    status: int
    body: bytes


Answerer = Callable[[Mapping[str, Any]], Reply]


class Loopback(LoopbackServer):
    """Listens while it is entered; answers each request after a time, those at once side by side.

    Args:
        reply: makes the reply to a request.
        latency: seconds before each reply.
        fresh_prefix: whether each question begins with other words, so that no server can use what it has
            read of an earlier one.
    """

    def __init__(self, reply: Answerer, latency: float, fresh_prefix: bool = False) -> None:
        super().__init__()
        self._reply = reply
        self._latency = latency
        self._fresh_prefix = fresh_prefix
        self.requests, self._lock = 0, Lock()

    def answer(self, request: Dict[str, Any]) -> Tuple[bytes]:
        """Answer a request when the reply is due.

        Args:
            request: as the client wrote it.

        Returns:
            The reply, bytes of HTTP.
        """
        with self._lock:
            self.requests += 1
            number = self.requests
        time.sleep(self._latency)
        if self._fresh_prefix:
            first, *others = request["messages"]
            fresh = {**first, "content": f"Question {number}.\n{first['content']}"}
            request = {**request, "messages": [fresh, *others]}
        status, body = self._reply(request)
        return (whole(body, f"{status} {responses.get(status, '')}"),)

    def __enter__(self) -> "Loopback":
        self.listen()
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class Forward:
    """Asks another server.

    Args:
        url: where that one speaks chat completions, up to ``/v1``.
        key: what it asks for; none where empty.
    """

    def __init__(self, url: str, key: str = "") -> None:
        self._url = f"{url.rstrip('/')}/chat/completions"
        self._headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}

    def __call__(self, request: Mapping[str, Any]) -> Reply:
        """Its reply; a gateway's error where it cannot be reached."""
        asked = urllib.request.Request(self._url, json.dumps(request).encode(), self._headers)
        try:
            with urllib.request.urlopen(asked, timeout=_PATIENCE) as answered:
                return Reply(answered.status, answered.read())
        except urllib.error.HTTPError as error:
            return Reply(error.code, error.read())
        except OSError as error:
            return Reply(502, json.dumps({"error": {"message": str(error)}}).encode())


class Canned:
    """Knows the goals of some sentences and the commands of a domain's own words, and refuses all others: no
    model, but its form and its traffic.
    """

    def __init__(self, sentences: Sequence[Sentence], domains: Sequence[Domain] = ()) -> None:
        self._forms = [(action.name, _form(action.text)) for domain in domains for action in domain.actions.values()]
        self._goals: List[Tuple[List[str], Dict[str, Any]]] = [
            (each.text.lower().split(), answer_of(each.goals[0])) for each in sentences]

    def __call__(self, request: Mapping[str, Any]) -> Reply:
        """The goal of the sentence in the last message."""
        asked = str(request["messages"][-1]["content"])
        said = asked.rpartition("<<<")[2].partition(">>>")[0].strip()
        words = said.lower().split()
        # The sentence that is most like the request: objects may be called by other names in it.
        alike = [(SequenceMatcher(None, words, each).ratio(), at) for at, (each, _) in enumerate(self._goals)]
        ratio, best = max(alike, default=(0.0, 0))
        answer: Dict[str, Any] = {"kind": "refuse", "why": "no_task"}
        if ratio >= _ALIKE:
            answer = self._goals[best][1]
        else:  # A step that a body asks for, in the words of the domain.
            for name, form in self._forms:
                found = form.fullmatch(said)
                if found is not None:
                    answer = {"kind": "command", "action": name, "arguments": found.groupdict()}
                    break
        return Reply(200, completion(json.dumps(answer), "canned", len(json.dumps(request)) // 4).encode())


def _form(text: str) -> "re.Pattern[str]":
    """An action's words with its parameters as groups: names are single words."""
    parts = re.split(r"\{(\w+)\}", text)
    return re.compile("".join(rf"(?P<{part}>[\w.-]+)" if at % 2 else re.escape(part) for at, part in enumerate(parts)))

"""Alex, who talks with the user (CoPAL, section III-A): answers what needs no motion, hands on the rest,
reports.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Mapping, Tuple, Union

from hicrisp_core.brain.plan_answer import TOO_LONG
from hicrisp_core.domain.schema import Domain
from hicrisp_core.llm.chat_model import ChatModel
from hicrisp_core.llm.exchange import Completion
from hicrisp_core.parsing.json_text import read_json, without_thoughts
from hicrisp_core.parsing.raw import ParseFailure
from hicrisp_core.ports.brain import PlanRequest, ReportAnswer, ReportRequest
from hicrisp_core.prompting import describe
from hicrisp_core.prompting.answer_schema import closed
from hicrisp_core.prompting.asking import Asked, ask
from hicrisp_core.prompting.quarantine import plain, quarantined
from hicrisp_core.prompting.report_examples import OUTCOMES, report_turns
from hicrisp_core.prompting.templates import Prompts
from hicrisp_core.prompting.turns import task_text
from hicrisp_core.time.deadline import Deadline

_WORDS: Mapping[str, Any] = {"type": "string"}
_HEARD: Mapping[str, Any] = closed({
    "kind": {"type": "string", "enum": ["task", "talk"]}, "forward": _WORDS, "answer": _WORDS})
"""What comes first decides: a task that is handed on, or words for the user; the other words are empty."""
_TOLD: Mapping[str, Any] = closed({"answer": _WORDS})
_LINE = 450


@dataclass(frozen=True)
class Heard:
    """What Alex makes of a request: an answer for the user, or the request for the planner. One of both is
    set.
    """

    answer: str = ""
    forward: str = ""


class Alex:
    """The only agent that is told what was said and done before."""

    def __init__(self, client: ChatModel, domain: Domain, prompts: Prompts) -> None:
        self._client = client
        self._domain = domain
        self._prompts = prompts
        self._system = prompts.render("alex", description=domain.description, abilities=describe.abilities_text(domain))
        self._reports = report_turns(domain, prompts)

    def hear(self, request: PlanRequest, deadline: Deadline) -> Asked[Heard]:
        """Whether the request needs the robot; an answer that cannot be used lets the user's own words go
        on.
        """
        prompt = self._prompts.render(
            "alex_request", task=task_text(request.task.text, request.conversation), history=_history(request.history),
            objects=describe.objects_text(request.world), facts=describe.facts_text(self._domain, request.world))
        asked = ask(self._client, self._system, prompt, deadline, _HEARD, _read_heard,
                    keep=lambda heard: not heard.answer)
        if asked.answer is None and not asked.silent:
            return Asked(Heard(forward=request.task.text), "", asked.usage)
        return asked

    def report(self, request: ReportRequest, deadline: Deadline) -> ReportAnswer:
        """The end of a task in words for its user; no text when the model gives none."""
        prompt = self._prompts.render(
            "alex_report", task=quarantined(request.task.text), history=_history(request.history),
            outcome=OUTCOMES[request.success], message=quarantined(request.message),
            done=describe.listed([describe.record_text(record) for record in request.done]),
            failures=describe.listed([describe.failed_text(self._domain, entry)
                                      for entry in request.failures]))
        asked = ask(self._client, self._system, prompt.strip(), deadline, _TOLD, _read_told, self._reports)
        return ReportAnswer(asked.answer or "", asked.usage)


def _history(lines: Tuple[str, ...]) -> str:
    return "\n".join(f"- {quarantined(line, _LINE)}" for line in lines) or "- nothing"


def _fields(said: Completion) -> Dict[str, str]:
    found = read_json(said.text, lambda value: isinstance(value, dict))
    return {key: plain(str(value or "")).strip() for key, value in found.value.items()} if found else {}


def _read_heard(said: Completion) -> Union[Heard, ParseFailure]:
    if said.cut_off:
        return ParseFailure(TOO_LONG, said.text[-80:])
    fields = _fields(said)
    # Also when there are words beside it: what needs the robot is not answered away.
    if fields.get("forward"):
        return Heard(forward=fields["forward"])
    if fields.get("answer"):
        return Heard(answer=fields["answer"])
    return ParseFailure("one of 'answer' and 'forward' is needed, in JSON", said.text.strip()[:80])


def _read_told(said: Completion) -> Union[str, ParseFailure]:
    """The words of a report; they move nothing, so prose will do."""
    fields = _fields(said)
    words = fields.get("answer") or ("" if fields else plain(without_thoughts(said.text)).strip())
    return words or ParseFailure("words for the user are needed as 'answer'", said.text.strip()[:80])

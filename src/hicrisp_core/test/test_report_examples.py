"""The examples that go before a report to the user."""

import json

from chat_server import ChatServer
from hicrisp_core.brain.agents import AgentBrain
from hicrisp_core.brain.search_brain import SearchBrain
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.model import Task
from hicrisp_core.ports.brain import ReportRequest
from hicrisp_core.prompting.templates import AGENT_PLACEHOLDERS, Prompts
from hicrisp_core.time.deadline import Deadline


def test_examples_of_reports_are_turns_with_their_own_outcome_in_the_form_of_the_request(domain, config_dir):
    with ChatServer('{"answer": "Done."}') as server:
        prompts = Prompts(config_dir / "prompts" / "copal", AGENT_PLACEHOLDERS)
        models = Models.of_settings(LlmSettings("t", base_url=server.url))
        brain = AgentBrain(models, domain, prompts, SearchBrain(domain))
        brain.report(ReportRequest(Task("t"), True, "done"), Deadline(10))
        system, *turns, request = (each["content"] for each in server.requests[0]["messages"])
    told = list(zip(turns[::2], turns[1::2]))
    assert told
    for asked, answer in told:
        assert asked.splitlines()[0] == request.splitlines()[0]
        assert json.loads(answer)["answer"] not in system
        assert ("it was done" in asked) == json.loads(answer)["answer"].startswith("Done")
    assert len({answer for _, answer in told}) == len(told)

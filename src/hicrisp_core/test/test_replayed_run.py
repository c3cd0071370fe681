"""A whole task is run again from its recording: the same exchanges, the same events, the same commands."""

import json
from dataclasses import replace
from pathlib import Path

from chat_server import ChatServer
from hicrisp_core.brain.factory import make_brain
from hicrisp_core.factory import RunFactory
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.redaction import redacted_values
from hicrisp_core.llm.settings import LlmSettings, load_llm_settings
from hicrisp_core.model import Status, Step, Task
from hicrisp_core.policy.policy import Policy, load_policy
from hicrisp_core.ports.brain import PlanRequest
from hicrisp_core.ports.interpreter import Request
from hicrisp_core.robot.symbolic import SymbolicWorld
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace import finish_run
from hicrisp_core.trace.event_log import EventLog, read_events
from hicrisp_core.trace.events import TaskReceived
from hicrisp_core.understanding.factory import make_interpreter
from tabletop import table_top

WORLD = table_top({"red_box": "box", "cylinder": "cylinder"})
OTHER = table_top({"fork": "box", "bowl": "cylinder"}, [("panda", "holding", "fork")])
TASK = Task("place the box next to the cylinder")
TIMES = ("t", "sim_t", "seconds", "wall_s", "first_motion_s")


def words(*steps):
    return json.dumps({"reasoning": "", "steps": list(steps)})


def action(name, **arguments):
    return json.dumps({"steps": [{"action": name, "arguments": arguments}]})


SCRIPT = (words("take the red box", "set it beside the cylinder"), {"status": 503, "body": "{}"},
          action("pick", item="red_box"), "I cannot say.",
          action("place_next_to", item="red_box", reference="cylinder"),
          words("set the box beside the cylinder"),
          action("place_next_to", item="red_box", reference="cylinder"))


def run(folder, llm, domain, config_dir, text=TASK.text):
    """A task with brain and body models whose placement fails once; what the robot did."""
    policy = load_policy(config_dir / "policies" / "brainbody.yaml")
    world = SymbolicWorld(domain, WORLD)
    world.fails("place_next_to(panda, red_box, cylinder)", status=Status.PLANNING, message="out of reach")
    with EventLog(folder) as log:
        parts = RunFactory(domain, policy, llm, config_dir / "prompts" / policy.prompts)
        result = parts.executive({"panda": world}, world, log).run(Task(text))
    return result, world.executed


def without_times(entries):
    return [{key: value for key, value in entry.items() if key not in TIMES} for entry in entries]


def test_a_task_runs_again_from_its_recording_byte_for_byte(domain, config_dir, tmp_path):
    with ChatServer(*SCRIPT) as server:
        result, executed = run(tmp_path / "first", LlmSettings("t", base_url=server.url), domain, config_dir)
    assert result.success
    recorded = [json.loads(line) for line in (tmp_path / "first" / "llm.jsonl").read_text().splitlines()]
    assert [(each["role"], each["number"], each["attempt"]) for each in recorded] == [
        ("brain", 1, 1), ("body", 1, 1), ("body", 1, 2), ("body", 2, 1), ("body", 3, 1), ("brain", 2, 1),
        ("body", 4, 1)]
    llm = load_llm_settings(f"replay:{tmp_path / 'first'}")
    again, repeated = run(tmp_path / "again", llm, domain, config_dir)
    assert repeated == executed
    assert (again.llm_calls, again.tokens) == (result.llm_calls, result.tokens)
    first, second = (without_times(read_events(tmp_path / name)) for name in ("first", "again"))
    assert second == first
    twice = [json.loads(line) for line in (tmp_path / "again" / "llm.jsonl").read_text().splitlines()]
    for one, other in zip(recorded, twice):
        assert {**other, "t": 0, "sim_t": 0} == {**one, "t": 0, "sim_t": 0}
    assert len(twice) == len(recorded)


def test_a_recording_says_how_its_models_were_asked(tmp_path):
    goals = LlmSettings("small", only_goals=True, ask_below=0.5)
    for name, brain in (("model", goals), ("search", LlmSettings("none", backend="offline"))):
        with ChatServer("hi") as server, EventLog(tmp_path / name) as log:
            there = {"goal": replace(goals, base_url=server.url), "brain": brain}
            model = Models(LlmSettings("t", roles=there)).of("goal")
            said = model.complete([{"role": "user", "content": "a"}], Deadline(60))
            log(said.exchanges[0].as_dict())
        settings = load_llm_settings(f"replay:{tmp_path / name}")
        goal = settings.of_role("goal")
        assert (goal.only_goals, goal.ask_below) == (True, 0.5)
        assert settings.of_role("brain").only_goals is (brain is goals)
        assert settings.of_role("brain").offline is (brain is not goals)


def test_a_task_that_has_changed_goes_on_with_the_recorded_answers_and_reports_the_change(
        domain, config_dir, tmp_path, caplog):
    with ChatServer(*SCRIPT) as server:
        _, executed = run(tmp_path / "first", LlmSettings("t", base_url=server.url), domain, config_dir)
    llm = load_llm_settings(f"replay:{tmp_path / 'first' / 'llm.jsonl'}")
    _, repeated = run(tmp_path / "again", llm, domain, config_dir, "place the red box next to the cylinder")
    assert repeated == executed
    assert "the prompt of brain 1 is not the recorded one: message " in caplog.text
    again = [json.loads(line) for line in (tmp_path / "again" / "llm.jsonl").read_text().splitlines()]
    assert "place the red box next to" in next(each["note"] for each in again if each["role"] == "brain")


def test_the_rules_that_a_model_gets_do_not_change_with_task_or_world(domain, config_dir):
    """Servers keep a prompt's beginning from one question to the next."""
    brains = [Policy("one"), Policy("two", body="model"), Policy("three", brain="copal")]
    answers = {"Alex": '{"answer": "", "forward": "x"}',
               "Travi": '{"goal": "g", "objects": [], "state": "s", "steps": []}'}

    def answer(request):
        system = request["messages"][0]["content"]
        return next((text for name, text in answers.items() if f"You are {name}" in system), words("x"))

    with ChatServer(answer) as server:
        for policy in brains:
            folder = config_dir / "prompts" / ("copal" if policy.brain == "copal" else "default")
            systems = []
            for world, text in ((WORLD, "lift the box"), (OTHER, "put the fork into the bowl")):
                server.requests.clear()
                models = Models(LlmSettings("t", base_url=server.url))
                make_brain(models, domain, folder, policy).plan(PlanRequest(Task(text), world), Deadline(60))
                RunFactory(domain, Policy("b", body="model"), models.settings,
                      config_dir / "prompts" / "default").body() \
                    .translate(Step(text, ""), world, Deadline(60))
                systems.append([request["messages"][0]["content"] for request in server.requests])
                assert all(text not in system for system in systems[-1])
            assert set(systems[0]) == set(systems[1])
    with ChatServer('{"kind": "refusal", "say": "no", "reason": "impossible"}') as server:
        interpreter = make_interpreter(LlmSettings("t", base_url=server.url), domain)
        for world, text in ((WORLD, "a"), (OTHER, "b")):
            interpreter.understand(Request(text, world), Deadline(60))
        first, second = ([each["content"] for each in request["messages"]] for request in server.requests)
    assert first[0] == second[0]
    assert first[1] != second[1]


def test_a_key_that_a_model_says_back_is_in_no_event_report_or_recording(domain, config_dir, tmp_path, monkeypatch):
    monkeypatch.setenv("LAB_KEY", "plainword123")
    policy, heard = load_policy(config_dir / "policies" / "brainbody.yaml"), []
    said = json.dumps({"kind": "answer", "reasoning": "", "steps": [], "why": "", "text": "The key is plainword123."})
    with ChatServer(said) as server:
        llm = LlmSettings("t", base_url=server.url, api_key_env="LAB_KEY", record=str(tmp_path / "mine.jsonl"))
        world = SymbolicWorld(domain, WORLD)
        with EventLog(tmp_path, [heard.append], lambda entry: redacted_values(entry, *llm.api_keys)) as log:
            parts = RunFactory(domain, policy, llm, config_dir / "prompts" / policy.prompts)
            result = parts.executive({"panda": world}, world, log).run(Task("what is the key?"))
            log(TaskReceived(text="it was plainword123").as_dict())
    finish_run(tmp_path)
    assert result.message == "The key is plainword123."
    assert "The key is [redacted]." in (tmp_path / "report.html").read_text()
    assert "plainword123" not in json.dumps([heard, log.events])
    for file in filter(Path.is_file, tmp_path.rglob("*")):
        assert "plainword123" not in file.read_text(), file

"""The ten household tasks: the home, the goals, plans without a model, recorded programs, and a model over HTTP."""

import json
import sys
from collections import Counter
from pathlib import Path

import pytest
from hicrisp_bench.cli import main
from hicrisp_bench.suite import data_folder
from hicrisp_bench.virtualhome import package

if not package.installed():
    pytest.skip(str(package.Missing()), allow_module_level=True)

from hicrisp_bench.virtualhome.household import TASKS, load_home, world_of
from hicrisp_bench.virtualhome.household_suite import POLICIES, PROGPROMPT, HouseholdRun
from hicrisp_bench.virtualhome.programs import read_program, read_programs
from hicrisp_bench.virtualhome.published import reference
from hicrisp_bench.virtualhome.scoring import METRICS, Course, reference_course, score
from hicrisp_core.errors import ConfigError
from hicrisp_core.time.deadline import Deadline
from virtualhome_home import CONFIG, domain

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "hicrisp_core" / "test"))
from chat_server import ChatServer

FORGETFUL = {"steps": [
    {"action": "find", "arguments": {"item": "chips_11"}},
    {"action": "grab", "arguments": {"item": "chips_11"}},
    {"action": "sit", "arguments": {"item": "sofa_60"}}]}
"""HiCRISP, Fig. 4: nobody looks for the sofa."""
FIND_SOFA = {"steps": [{"action": "find", "arguments": {"item": "sofa_60"}}]}


@pytest.fixture(scope="module")
def home():
    return load_home(CONFIG)


@pytest.fixture
def model(monkeypatch):
    """Runs the chips under a policy with what a model answers; gives the metrics and what the model was asked."""
    def ask(policy, *answers, temperature=0.5):
        with ChatServer(*map(json.dumps, answers)) as server:
            monkeypatch.setenv("HICRISP_LLM_BASE_URL", server.url)
            monkeypatch.setenv("OPENAI_API_KEY", "none")
            found = HouseholdRun(CONFIG, "chips", policy, "openai", temperature, 3).run()
            return found, server.requests
    return ask


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_every_ending_of_a_task_can_be_reached_in_the_home(task, home):
    for ending in task.endings:
        course = reference_course(ending, domain(), home)
        assert course.taken == course.asked, ending.reference
        assert score(task, course, domain(), home) == dict.fromkeys(METRICS, 1.0)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_doing_nothing_ends_no_task_well_and_spoils_nothing(task, home):
    idle = Course((world_of(domain(), home).observe(Deadline(60.0)),), 0, 0)
    found = score(task, idle, domain(), home)
    assert (found["exec"], found["sr"], found["psr"], found["precision"]) == (0.0, 0.0, 0.0, 1.0)


def test_one_of_two_things_on_the_table_is_half_of_the_goal(home):
    """BrainBody-LLM's own example of goal conditions recall."""
    task = next(task for task in TASKS if task.name == "coffeepot")
    whole = reference_course(task.endings[0], domain(), home)
    half = Course(whole.states[:-1], whole.asked, whole.taken - 1)
    assert score(task, half, domain(), home)["gcr"] == 0.5


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_without_a_model_a_user_gets_every_task_carried_out(task):
    """Clean is all that "wash" asks for: a sink and a faucet are not named."""
    found = HouseholdRun(CONFIG, task.name, "hierarchical", "offline", None, 0).run()
    assert (found["sr"], found["exec"], found["llm_calls"]) == (float(task.name != "plate"), 1.0, 0), found


PROGRAM = """def eat_chips_on_the_sofa():
\t# 0: walk to living room
\twalk('livingroom')
\tassert('chips' in 'hands')
\t\telse: find('chips')
\t\telse: grab('chips')
\tfind('tv')
\tassert('close' to 'tv')
\t\telse: find('sofa')
\tsit('sofa')
\twait(120)
\t# 6:Done"""


def test_a_programs_checks_are_carried_out_where_they_do_not_hold_and_cost_nothing_where_they_do(home):
    found = HouseholdRun(CONFIG, "chips", PROGPROMPT, "offline", None, 0, program=PROGRAM).run()
    assert [line.split("]")[0][1:] for line in found["carried_out"]] == ["WALK", "FIND", "GRAB", "FIND"]
    assert (found["actions"], found["corrections"]) == (4, {})
    assert found["exec"] == pytest.approx(4 / 6)  # Nobody stands at the sofa, and nothing waits.
    mended = HouseholdRun(CONFIG, "chips", "hierarchical", "offline", None, 0, program=PROGRAM).run()
    assert mended["sr"] == 1.0
    assert mended["corrections"]["repair"] == 1


def test_the_authors_recorded_programs_are_runs_of_their_tasks(tmp_path):
    folder = data_folder() / "hicrisp"
    if not folder.is_dir():
        pytest.skip(f"there is no {folder}: HICRISP_DATA names the folder with HiCRISP's recordings")
    programs = read_programs(folder)
    assert set(programs) >= {task.text.lower() for task in TASKS}
    assert main(["virtualhome10", "--plans", "recorded", "--tasks", "salmon", "light", "--jobs", "1", "--config",
                 str(CONFIG), "--out", str(tmp_path)]) == 0
    rows = json.loads((tmp_path / "results.json").read_text())["rows"]
    assert [row["policy"] for row in rows] == [PROGPROMPT, "hicrisp", "repair", "hierarchical"]
    assert {(row["llm"], row["n"], row["sr"]) for row in rows} == {("recorded: gpt-3.5", 3, 1.0)}


def test_programs_of_ones_own_are_run_and_progprompt_runs_nothing_else(tmp_path, capsys):
    file, options = tmp_path / "own.json", ["--jobs", "1", "--config", str(CONFIG), "--out", str(tmp_path / "out")]
    file.write_text(json.dumps({"Turn off light": "find('lightswitch')\nswitchoff('lightswitch')"}))
    assert main(["virtualhome10", "--plans", str(file), "--policies", PROGPROMPT, *options]) == 0
    rows = json.loads((tmp_path / "out" / "results.json").read_text())["rows"]
    assert [(row["policy"], row["llm"], row["n"], row["sr"]) for row in rows] == [(PROGPROMPT, str(file), 1, 1.0)]
    assert main(["virtualhome10", "--llm", "offline", "--policies", PROGPROMPT, *options]) == 2
    assert "--plans" in capsys.readouterr().err
    assert main(["virtualhome10", "--plans", str(tmp_path / "none.json"), *options]) == 2
    assert "none.json" in capsys.readouterr().err


def test_a_model_is_asked_for_a_program_which_runs_with_its_checks(monkeypatch):
    program = ("def eat_chips_on_the_sofa():\n\tfind('chips')\n\tgrab('chips')\n"
               "\tassert('close' to 'sofa')\n\t\telse: find('sofa')\n\tsit('sofa')\n\teat('chips')")
    with ChatServer(program) as server:
        monkeypatch.setenv("HICRISP_LLM_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        found = HouseholdRun(CONFIG, "chips", PROGPROMPT, "openai", 0.5, 3).run()
        asked = server.requests[0]["messages"][-1]["content"]
    assert found["sr"] == 1.0
    assert len(found["carried_out"]) == 5, "the check finds the sofa"
    assert "putin <obj> <obj>" in asked
    assert asked.endswith("def eat_chips_on_the_sofa():")
    assert [each["role"] for each in found["questions"]] == ["brain"]


def test_a_program_is_read_in_the_homes_names(home):
    text = "assert('fridge' is 'opened')\n\telse: open('fridge')\nputon('salmon', 'fridge')"
    program = read_program(text, domain(), home)
    check, put = program.steps
    assert program.recoveries[check.text][0] == ("fridge_12", "open")
    assert (put.action, put.arguments) == ("putback", {"item": "salmon_14", "place": "fridge_12"})


def test_open_loop_a_forgotten_find_leaves_the_person_standing(model):
    found, _ = model("open_loop", FORGETFUL)
    assert found["sr"] == 0.0
    assert found["gcr"] == pytest.approx(1 / 3)
    assert found["exec"] == pytest.approx(2 / 3)


def test_hicrisp_asks_the_model_for_the_corrective_action(model):
    found, requests = model("hicrisp", FORGETFUL, FIND_SOFA)
    assert found["sr"] == 1.0
    assert found["corrections"] == {"llm_step": 1}
    asked = requests[1]["messages"][-1]["content"]
    assert "not close to sofa_60" in asked
    assert "find sofa_60 first" not in asked.lower()


def test_brain_and_body_are_two_models_and_the_brain_plans_anew_from_the_failed_step(model):
    words = {"steps": ["look for the chips", "take the chips", "sit down on the sofa"]}
    anew = {"steps": ["look for the sofa", "sit down on the sofa"]}
    commands = [{"steps": [step]} for step in FORGETFUL["steps"]]
    found, requests = model("brainbody", words, *commands, anew, FIND_SOFA, commands[-1])
    assert found["sr"] == 1.0, found
    assert found["corrections"] == {"llm_replan": 1}
    assert len(requests) == 7


def test_the_default_policy_finds_the_sofa_without_asking(model):
    found, requests = model("hierarchical", FORGETFUL)
    assert found["sr"] == 1.0
    assert found["corrections"] == {"repair": 1}
    assert len(requests) == 3  # Twice for the goal, which this model does not state, and once for the plan.


def test_what_the_offline_planner_forgets_is_the_same_under_every_policy_and_is_mended_by_some():
    found = {policy: [HouseholdRun(CONFIG, "salmon", policy, "offline", None, run, 0.3).run()
                      for run in range(4)] for policy in POLICIES}
    recall = {policy: sum(result["gcr"] for result in results) for policy, results in found.items()}
    assert recall["open_loop"] < recall["hicrisp"]
    assert recall["open_loop"] < recall["hierarchical"]
    assert all(result["corrections"] == {} for result in found["open_loop"])
    assert {rung for result in found["brainbody"] for rung in result["corrections"]} == {"llm_replan"}


def test_the_temperature_and_the_seed_go_out_with_the_request(model):
    _, requests = model("open_loop", FORGETFUL, temperature=0.5)
    assert (requests[0]["temperature"], requests[0]["seed"]) == (0.5, 3)


def test_a_model_runs_twice_at_zero_and_five_times_at_a_half(tmp_path, monkeypatch):
    with ChatServer(json.dumps(FORGETFUL)) as server:
        monkeypatch.setenv("HICRISP_LLM_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        assert main(["virtualhome10", "--llm", "openai", "--policies", "open_loop", "hierarchical", "--tasks",
                     "chips",
                     "--jobs", "1", "--config", str(CONFIG), "--out", str(tmp_path)]) == 0
    rows = json.loads((tmp_path / "results.json").read_text())["rows"]
    assert [(row["policy"], row["temperature"], row["n"], row["sr"]) for row in rows] == [
        ("open_loop", 0.0, 2, 0.0), ("open_loop", 0.5, 5, 0.0), ("hierarchical", 0.0, 2, 1.0),
        ("hierarchical", 0.5, 5, 1.0)]


def test_the_papers_figures_stand_beside_ours(tmp_path):
    assert main(["virtualhome10", "--llm", "offline", "--tasks", "light", "--jobs", "1", "--config",
                 str(CONFIG),
                 "--out", str(tmp_path)]) == 0
    results = json.loads((tmp_path / "results.json").read_text())
    assert [row["policy"] for row in results["rows"]] == list(POLICIES)
    assert results["reference"] == json.loads(json.dumps(reference()))
    by_table = Counter(row["source"].rpartition(", ")[2] for row in reference())
    assert by_table == {"Table I": 20, "Table 1": 12, "Table 2": 30}
    salmon = next(row for row in reference() if (row["policy"], row["task"]) == ("hicrisp", "salmon"))
    assert (salmon["actions"], salmon["psr"], salmon["precision"], salmon["exec"]) == (7, 0.0, 0.99, 0.90)
    assert len([row for row in reference() if row["source"].endswith("Table 2")]) * 3 == 90


def test_a_models_file_may_be_named_by_its_path(tmp_path):
    file = tmp_path / "own.yaml"
    file.write_text("llm: own\nbackend: offline\n")
    assert main(["virtualhome10", "--llm", str(file), "--tasks", "light", "--policies", "open_loop", "--jobs", "1",
                 "--config", str(CONFIG), "--out", str(tmp_path / "out")]) == 0


def test_a_missing_home_is_said_with_its_file(tmp_path):
    with pytest.raises(ConfigError, match="household.json"):
        load_home(tmp_path)

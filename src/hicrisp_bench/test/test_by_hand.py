"""What a capable model answered by hand to the papers' suites, replayed without a key: a sample of the trials."""

import json
from pathlib import Path

import pytest
from hicrisp_bench.barman.trial import BarmanTrial
from hicrisp_bench.openworld.grounding import GroundingTrial, read_descriptions
from hicrisp_bench.results import ANSWERS
from hicrisp_bench.trial import TrialSettings
from hicrisp_bench.virtualhome import package
from hicrisp_bench.virtualhome.household_suite import HouseholdRun
from hicrisp_core.config.files import config_file
from hicrisp_core.llm.answers import answers_of, prompt_key
from hicrisp_core.llm.chat_model import LlmFailure
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.replay import ReplayModel
from hicrisp_core.llm.settings import load_llm_settings
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline

from hicrisp_bench import franka7

ROOT = Path(__file__).resolve().parents[3]
CONFIG = ROOT / "config"
BY_HAND = "by_hand"


def asked(text):
    return [{"role": "user", "content": text}]


def call(text, answer):
    return {"role": "brain", "prompt": prompt_key(asked(text)), "answer": answer, "prompt_tokens": 3,
            "completion_tokens": 2}


@pytest.fixture
def model(tmp_path):
    (tmp_path / ANSWERS).write_text(json.dumps(answers_of("somebody", {
        "first": [call("plan", "one"), call("again", "two")], "second": [call("other", "three")]})))
    return lambda trial: ReplayModel(f"{tmp_path / ANSWERS}#{trial}", "brain")


def said(model, text):
    answer = model.complete(asked(text), Deadline(1.0))
    return answer if isinstance(answer, LlmFailure) else (answer.text, bool(answer.note))


def test_a_call_is_answered_by_its_prompt_and_else_by_its_number_which_is_noted(model):
    own = model("first")
    assert said(own, "a plan") == ("one", True)
    assert said(own, "again") == ("two", False)
    assert own.name == "somebody"
    assert said(model("first"), "again") == ("two", False)


def test_another_trial_answers_the_very_same_prompt_and_nothing_else(model):
    own = model("third")
    assert said(own, "other") == ("three", False)
    assert said(own, "new").kind == "replay"
    assert "'third'" in said(own, "new").message


def test_a_role_that_was_not_recorded_has_no_answer(tmp_path, model):
    file = tmp_path / ANSWERS
    settings = load_llm_settings(f"replay:{file}").of_trial("first")
    assert said(Models(settings).of("brain"), "plan") == ("one", False)
    assert said(Models(settings).of("goal"), "plan").kind == "replay"


def whole(result):
    """A trial's result, all of whose questions were answered from the fixture."""
    assert "crashed" not in result, result
    assert result["questions"]
    assert all(each["answer"] for each in result["questions"])
    assert {each["answered_by"] for each in result["questions"]} == {"a capable model, by hand"}
    return result


@pytest.mark.parametrize("policy", ["copal_bl", "copal_mh2"])
def test_the_bar_serves_a_cocktail(policy):
    result = whole(BarmanTrial(CONFIG, policy, "Mojito", llm=BY_HAND).run())
    assert result["executable"]
    assert result["correct"]


@pytest.mark.skipif(not package.installed(), reason="VirtualHome's package is not installed")
@pytest.mark.parametrize(("policy", "done"), [("open_loop", 0.5), ("hicrisp", 1.0)])
def test_a_household_task_is_corrected_where_the_policy_asks_for_it(policy, done):
    result = whole(HouseholdRun(CONFIG, "plate", policy, BY_HAND, None, 0).run())
    assert result["psr"] == done


@pytest.mark.parametrize(("policy", "done"), [("base_llm", False), ("brainbody", True)])
def test_an_arm_reaches_the_cube_that_coordinates_show_to_be_near(policy, done):
    task = next(each for each in franka7.TASKS if each.scene == "franka7_3_beside")
    words = load_scene(CONFIG / "scenes" / f"{task.scene}.yaml").task
    assert whole(TrialSettings(CONFIG, task.scene, words, task.goal, policy, llm=BY_HAND).run())["success"] is done


def test_what_is_described_on_a_layout_is_found_without_a_key():
    every = read_descriptions(CONFIG / "sentences" / "workbench_descriptions.json")
    said = [each for each in every if each.seed == 901]
    found = whole(GroundingTrial(CONFIG, "workbench", 901, BY_HAND, said).run())
    assert [each["role"] for each in found["questions"]] == ["vision", *["goal"] * len(said)]
    assert [each["came_to"] for each in found["answers"] if each["llm"] == BY_HAND] == ["grounded"] * 4 + ["asked"]


def test_published_figures_name_the_model_by_hand():
    settings = load_llm_settings(config_file("llm", BY_HAND))
    assert "by hand" in settings.model
    for file in sorted((CONFIG / "llm" / BY_HAND).glob("*.json")):
        assert json.loads(file.read_text())["model"] == settings.model, file
        tables = json.loads((ROOT / "docs" / "results" / file.name).read_text())["tables"]
        assert "--llm by_hand" in tables[BY_HAND]["command"], file

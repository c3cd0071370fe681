"""The barman suite: how recordings are read, how a tray is judged, what the recorded plans come to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hicrisp_bench.barman.recipes import judge, load_recipes
from hicrisp_bench.barman.recordings import FILES, failure_kind, first_failure, named_ingredients, read_recordings
from hicrisp_bench.barman.trial import BarmanTrial, run_barman
from hicrisp_bench.suite import data_folder
from hicrisp_core.domain import load_domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Relation
from hicrisp_core.scene import load_scene

CONFIG = Path(__file__).resolve().parents[3] / "config"
RECIPES = load_recipes(CONFIG / "recipes" / "cocktails.yaml")
DOMAIN = load_domain(CONFIG / "domains" / "kitchen.yaml")
BAR = load_scene(CONFIG / "scenes" / "barman.yaml").first_state()
RECORDED = [data_folder() / "copal" / name for name in FILES]
needs_recordings = pytest.mark.skipif(not all(file.is_file() for file in RECORDED),
                                      reason=
                                      "no recorded runs of CoPAL; HICRISP_DATA names the folder with 'copal'")

PLAN = """[Ropa to Roco] get gin_bottle from shelf hand_left
[Ropa to Roco] pour gin_bottle mixing_container 40
[Ropa to Roco] get vermouth_bottle from shelf hand_left
[Ropa to Roco] pour vermouth_bottle mixing_container 10
[Ropa to Roco] pour mixing_container first_glass 50
[Ropa to Roco] put first_glass tray"""


def recording(folder: Path, plan: str = PLAN, **entry: object) -> Path:
    file = folder / "F9.json"
    file.write_text(json.dumps({"feedbackType": "F9", "02.09 Martini": [{
        "request": "Please, prepare a Martini", "log": [{"type": "TRAVI", "specs": "..."},
                                                       {"type": "rePlan", "plan": plan, **entry}]}]}))
    return file


def on_tray(*contents: str, glasses: int = 1):
    names = ("first_glass", "second_glass")[:glasses]
    facts = {Relation(glass, "at", "tray") for glass in names}
    facts |= {Relation("first_glass", "contains", content) for content in contents}
    return BAR.with_relations(BAR.relations | facts)


def test_a_glass_is_correct_with_all_that_must_and_nothing_beyond_what_may_be_in_it() -> None:
    martini = RECIPES["Martini"]
    assert judge(martini, on_tray("gin", "vermouth", "ice_cubes")).correct
    assert not judge(martini, on_tray("gin", "vermouth", "ice_cubes", glasses=2)).correct
    assert judge(martini, on_tray("gin", "mint", "salt")).distance == pytest.approx(1.0 + 2 * 0.2)
    assert not judge(martini, BAR).correct


def test_the_first_plan_of_a_run_is_read_with_the_step_that_failed_in_it(tmp_path: Path) -> None:
    message = "[Roco to Ropa] Error: cannot get vermouth_bottle with specified hand because it is full."
    plan, = read_recordings([recording(tmp_path, commandIdx=2, message=message)])
    assert (plan.recipe, plan.failed_step, plan.failure) == ("Martini", 2, "hand_full")
    assert first_failure(DOMAIN, BAR, plan.text) == (2, "hand_full")


def test_the_mid_level_alone_mends_what_the_baseline_fails_at(tmp_path: Path) -> None:
    plan, = read_recordings([recording(tmp_path, commandIdx=2, message="...")])
    baseline = run_barman(BarmanTrial(CONFIG, "copal_bl", "Martini", plan))
    repaired = run_barman(BarmanTrial(CONFIG, "copal_m", "Martini", plan))
    assert not baseline["executable"]
    assert repaired["executable"]
    assert repaired["correct"]
    assert repaired["repairs"] >= 2
    assert repaired["tokens"] == 0


@pytest.mark.parametrize("change", [
    ("put first_glass tray", "gaze tray"), ("pour vermouth_bottle mixing_container 10", "gaze tray"),
    ("pour vermouth_bottle", "pour rum_bottle")])
def test_who_knows_the_recipe_completes_or_makes_anew_what_the_plan_gets_wrong(change,
                                                                               tmp_path: Path) -> None:
    plan, = read_recordings([recording(tmp_path, PLAN.replace(*change), commandIdx=2, message="...")])
    blind = run_barman(BarmanTrial(CONFIG, "copal_m", "Martini", plan))
    knowing = run_barman(BarmanTrial(CONFIG, "copal_m_goal", "Martini", plan))
    assert blind["executable"]
    assert not blind["correct"]
    assert knowing["executable"], knowing["message"]
    assert knowing["correct"]


def test_a_plan_names_what_is_in_the_bottles_and_bowls_that_it_fills_vessels_from() -> None:
    text = PLAN + "\n[Ropa to Roco] put lime_slice_bowl first_glass\n[Ropa to Roco] get mint hand_left"
    assert named_ingredients(DOMAIN, BAR, text) == {"gin", "vermouth", "lime_slice"}
    assert RECIPES["Martini"].met_by(named_ingredients(DOMAIN, BAR, PLAN))
    assert not RECIPES["Martini"].met_by(named_ingredients(DOMAIN, BAR, text))


@pytest.mark.parametrize(("content", "message"), [
    ("{", "is no JSON"), ("[]", "is no recording"), ('{"02.09 Martini": [{"request": "x"}]}', "a 'log'")])
def test_what_is_no_recording_is_refused(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "x.json"
    file.write_text(content)
    with pytest.raises(ConfigError, match=message):
        read_recordings([file])
    with pytest.raises(ConfigError, match="there is no recording"):
        read_recordings([tmp_path / "none.json"])


@needs_recordings
def test_every_failure_of_the_recorded_simulator_has_a_kind() -> None:
    plans = read_recordings(RECORDED)
    assert len(plans) == 202
    failed = [plan.message for plan in plans if plan.failed_step is not None]
    assert [message for message in failed if failure_kind(message) == "other"] == []


@needs_recordings
def test_nearly_every_recorded_first_plan_can_be_executed_without_a_model() -> None:
    plans = read_recordings(RECORDED)[::5]
    results = [run_barman(BarmanTrial(CONFIG, "copal_m", plan.recipe, plan)) for plan in plans]
    executable = [result for result in results if result["executable"]]
    assert len(executable) >= 0.95 * len(plans)
    assert sum(result["correct"] for result in executable) >= 0.9 * len(executable)


def test_an_endpoint_plans_and_replans_a_cocktail(monkeypatch: pytest.MonkeyPatch) -> None:
    from chat_server import ChatServer

    alex = json.dumps({"answer": "", "forward": "Prepare a Martini"})
    travi = json.dumps({"goal": "a Martini on the tray", "objects": ["gin_bottle"], "state": "-",
                        "steps": ["mix it"]})
    wrong = json.dumps({"steps": ["squeeze(gin_bottle)"]})
    right = json.dumps({"steps": [
        "get(gin_bottle, shelf, hand_left)", "pour(gin_bottle, first_glass, 40)", "put(gin_bottle, shelf)",
        "get(vermouth_bottle, shelf, hand_left)", "pour(vermouth_bottle, first_glass, 10)",
        "put(first_glass, tray)"]})
    with ChatServer(alex, travi, wrong, travi, right, json.dumps({"answer": "Here it is."})) as server:
        monkeypatch.setenv("HICRISP_LLM_BASE_URL", server.url)
        result = run_barman(BarmanTrial(CONFIG, "copal_mh1", "Martini", llm="openai"))
    assert result["executable"], result["message"]
    assert result["correct"]
    assert result["replans"] == 1
    assert result["tokens"] > 0

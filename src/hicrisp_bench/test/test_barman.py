"""The barman suite: how recordings are read, how a tray is judged, what the recorded plans come to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict

import pytest
from hicrisp_bench.barman.recipes import judge
from hicrisp_bench.barman.recordings import (
    FILES,
    failure_kind,
    first_failure,
    named_ingredients,
    read_recordings,
    replanned,
)
from hicrisp_bench.barman.suite import errors_of, row_of, times_of
from hicrisp_bench.barman.trial import BarmanTrial
from hicrisp_bench.cli import main
from hicrisp_bench.suite import data_folder
from hicrisp_core.config.recipes import load_recipes
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
    baseline = BarmanTrial(CONFIG, "copal_bl", "Martini", plan).run()
    repaired = BarmanTrial(CONFIG, "copal_m", "Martini", plan).run()
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
    blind = BarmanTrial(CONFIG, "copal_m", "Martini", plan).run()
    knowing = BarmanTrial(CONFIG, "copal_m_goal", "Martini", plan).run()
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
    results = [BarmanTrial(CONFIG, "hierarchical", plan.recipe, plan).run() for plan in plans]
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
        result = BarmanTrial(CONFIG, "copal_mh1", "Martini", llm="openai").run()
    assert result["executable"], result["message"]
    assert result["correct"]
    assert result["replans"] == 1
    assert result["tokens"] > 0


def test_what_a_live_plan_names_was_never_measured_and_is_not_reported_as_none_right() -> None:
    live = {"executable": True, "correct": True, "search_seconds": [], "out_of_time": 0, "repairs": 0, "replans": 0,
            "distance": 0.0, "seconds": 0.1, "tokens": 0}
    assert row_of("copal_h1", "openai", [live])["plan_right"] is None
    assert row_of("copal_bl", "recorded", [{**live, "plan_right": True}, {**live, "plan_right": False}])[
        "plan_right"] == 0.5


def test_what_is_wrong_is_counted_by_what_is_missing_and_superfluous() -> None:
    def made(missing: int, superfluous: int) -> Dict[str, Any]:
        return {"executable": True, "correct": not missing and not superfluous, "missing": ["gin"] * missing,
                "superfluous": ["salt"] * superfluous}

    rows = errors_of([made(0, 0), made(0, 0), made(1, 0), made(1, 2), {**made(1, 0), "executable": False}],
                     {(0, 1): 0.05}).rows
    assert [(row["missing"], row["superfluous"], row["share"], row["published"]) for row in rows] == [
        (0, 1, 0.0, 0.05), (1, 0, 0.25, None), (1, 2, 0.25, None)]
    assert rows[2]["distance"] == pytest.approx(1.4)


def test_the_agents_times_stand_beside_the_papers() -> None:
    asked = [{"role": "travi", "calls": 1, "tokens": 9, "seconds": seconds} for seconds in (2.0, 4.0)]
    rows = times_of([{"questions": asked}]).rows
    assert (rows[0]["role"], rows[0]["n"], rows[0]["seconds"]) == ("travi", 2, 3.0)
    published = {row["role"]: row["seconds"] for row in rows if "source" in row}
    assert published == {"alex": 0.6, "travi": 16.1, "ropa": 14.9}


@needs_recordings
def test_the_recorded_runs_needed_as_many_new_plans_as_the_papers_figure_shows() -> None:
    high, both = replanned(RECORDED)
    assert (high["executable"], round(high["replans_high"], 2), high["repairs"]) == (1.0, 1.61, 0)
    assert round(both["replans_high"], 2) == 0.48
    assert both["repairs"] > 1.0


def test_a_dough_is_right_with_the_recipes_toppings_and_no_others() -> None:
    pizza = load_recipes(CONFIG / "recipes" / "pizzas.yaml")["Mushroom_Pizza"]
    kitchen = load_scene(CONFIG / "scenes" / "pizza.yaml").first_state()
    topped = {Relation("pizza_dough", "contains", each) for each in pizza.mandatory}
    right = kitchen.with_relations(kitchen.relations | topped)
    wrong = right.with_relations(right.relations | {Relation("pizza_dough", "contains", "ham")})
    assert judge(pizza, right).correct
    assert judge(pizza, wrong).superfluous == {"ham"}
    assert judge(pizza, kitchen).missing == set(pizza.mandatory)


def test_pizzas_whose_toppings_stand_behind_bottles_fail_as_planned_and_are_made_by_the_default_policy(
    tmp_path: Path,
) -> None:
    assert main(["pizza", "--trials", "3", "--policies", "copal_bl", "hierarchical", "--jobs", "1", "--config",
                 str(CONFIG), "--out", str(tmp_path)]) == 0
    found = json.loads((tmp_path / "results.json").read_text())
    rows = {row["policy"]: row for row in found["rows"]}
    assert rows["copal_bl"]["executable"] < 1.0
    assert all("in the way" in run["message"] for run in found["runs"] if not run["executable"])
    made = rows["hierarchical"]
    assert (made["n"], made["executable"], made["correct"]) == (6, 1.0, 1.0)

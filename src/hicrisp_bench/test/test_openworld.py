"""The open world's suite: it counts what a camera finds, and judges tasks by where objects truly are."""

from __future__ import annotations

import json
import math
from argparse import Namespace
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Dict, List

import pytest
from hicrisp_bench.cli import parse
from hicrisp_bench.cost import QUESTIONS
from hicrisp_bench.openworld.explained import row_of
from hicrisp_bench.openworld.grounding import (
    GroundingTrial,
    grounding_row,
    judged,
    read_descriptions,
)
from hicrisp_bench.openworld.suite import run
from hicrisp_bench.openworld.testimony import SLIP
from hicrisp_bench.openworld.touching import drawn_together
from hicrisp_bench.openworld.trial import LOOK, OpenWorldTrial
from hicrisp_bench.openworld.truth import BESIDE, INTO, Asked, done, draw_task, matched, middle_of, seen
from hicrisp_bench.runner import Runner
from hicrisp_bench.statistics import Tally
from hicrisp_core.errors import ConfigError
from hicrisp_core.llm.chat_model import ChatModel, LlmFailure
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import VISION, load_llm_settings
from hicrisp_core.model import Pose, Relation, WorldObject
from hicrisp_core.model.goal import Goal, Holds, Not
from hicrisp_core.model.meaning import Choice, Question, Reason, Refusal
from hicrisp_core.scene import load_scene
from hicrisp_core.scene.undescribed import Ware, wares_of, with_undescribed
from shapely.geometry import MultiPoint

CONFIG = Path(__file__).resolve().parents[3] / "config"
GAP = 0.06


def layout(seed: int) -> Dict[str, Ware]:
    scene = with_undescribed(load_scene(CONFIG / "scenes" / "workbench.yaml", seed), seed)
    return {item.name: item for item in wares_of(scene)}


@pytest.fixture
def wares() -> Dict[str, Ware]:
    """A layout with a lemon, a mug and a bowl."""
    return next(found for found in map(layout, range(50)) if {"lemon", "mug", "bowl"} <= set(found))


def put(wares: Dict[str, Ware], name: str, x: float, y: float, z: float) -> Dict[str, Ware]:
    return {**wares, name: replace(wares[name], pose=Pose((x, y, z)))}


def beside(wares: Dict[str, Ware], away: float, z: float = 0.0) -> Dict[str, Ware]:
    """The lemon so far beyond the mug's side."""
    x, y, _ = wares["mug"].middle
    mug, lemon = (wares[name].size for name in ("mug", "lemon"))
    return put(wares, "lemon", x + math.hypot(*mug[:2]) / 2.0 + lemon[0] / 2.0 + away, y, lemon[2] / 2.0 + z)


def test_what_stands_near_the_other_object_is_next_to_it(wares: Dict[str, Ware]) -> None:
    asked = Asked(BESIDE, "lemon", "mug")
    assert done(asked, beside(wares, 0.01), GAP)


@pytest.mark.parametrize(("away", "z", "held"), [
    (0.12, 0.0, ()), (0.01, 0.1, ()), (0.01, -0.75, ()), (0.01, 0.0, ("lemon",))],
                         ids=["moved away", "in the air", "on the floor", "in the hand"])
def test_what_is_elsewhere_was_not_put_next_to_it(wares: Dict[str, Ware], away: float, z: float, held: tuple) -> None:
    assert not done(Asked(BESIDE, "lemon", "mug"), beside(wares, away, z), GAP, held)


@pytest.mark.parametrize(("aside", "z", "success"), [(0.0, 0.035, True), (0.0, 0.12, False), (0.13, 0.028, False)],
                         ids=["in it", "above it", "beside it"])
def test_only_what_is_in_the_bowl_is_in_it(wares: Dict[str, Ware], aside: float, z: float, success: bool) -> None:
    x, y, _ = wares["bowl"].middle
    assert done(Asked(INTO, "lemon", "bowl"), put(wares, "lemon", x + aside, y, z), GAP) is success


def observed(wares: Dict[str, Ware], **off: float) -> Dict[str, WorldObject]:
    """Unknown objects where the true ones are, some of them so far off in x."""
    return {f"unknown_{number}": WorldObject("", "", "box", item.size, pose=Pose(
        (middle_of(item)[0] + off.get(name, 0.0), *middle_of(item)[1:])))
        for number, (name, item) in enumerate(wares.items())}


def test_a_track_finds_one_object_that_is_near_and_visible(wares: Dict[str, Ware]) -> None:
    visible = {**dict.fromkeys(wares, 1.0), "bowl": 0.2}
    tracks = observed(wares, lemon=0.035)
    tracks["unknown_99"] = WorldObject("", "", "box", pose=Pose((0.9, 0.5, 0.02)))
    found = seen(wares, tracks, visible)

    assert (found["expected"], found["found"], found["missed"]) == (len(wares) - 1, len(wares) - 2, ["lemon"])
    assert found["phantoms"] == 1
    assert max(found["position_mm"]) < 1.0
    assert "unknown_99" not in matched(wares, tracks).values()


def test_a_name_is_judged_by_the_nouns_of_the_object_that_it_stands_at(wares: Dict[str, Ware]) -> None:
    called = {"lemon": "lemon_2", "mug": "coffee_cup", "bowl": "hat"}
    tracks = {called.get(name, track): item for (name, (track, item)) in zip(wares, observed(wares).items())}
    found = seen(wares, tracks, dict.fromkeys(wares, 1.0))
    assert (found["named_rightly"], found["wrong_names"]) == (2, ["bowl: hat"])
    assert all(item.nouns for item in wares.values())


def test_a_look_has_objects_named_by_recorded_answers_and_keeps_these() -> None:
    vision = load_llm_settings(CONFIG / "llm" / "workbench.yaml").of_role(VISION)
    found = OpenWorldTrial(CONFIG, "workbench", LOOK, 41, vision=vision).run()
    assert (found["named_rightly"], found["wrong_names"]) == (found["found"], [])
    assert [each["role"] for each in found[QUESTIONS]] == [VISION]


def test_two_that_touch_are_put_so_by_the_seed_and_told_apart() -> None:
    scene = load_scene(CONFIG / "scenes" / "workbench.yaml", 206)
    drawn = drawn_together(scene, 206)
    assert drawn is not None
    one, other = (next(ware for ware in wares_of(drawn[0]) if ware.name == name) for name in drawn[1])
    assert MultiPoint(one.corners[:, :2]).convex_hull.distance(MultiPoint(other.corners[:, :2]).convex_hull) < 0.001
    found = OpenWorldTrial(CONFIG, "workbench", LOOK, 206, touching=True).run()
    assert found["pair"] == list(drawn[1])
    assert found["told_apart"]


def test_tasks_are_those_that_a_layout_has_and_the_same_for_a_seed(wares: Dict[str, Ware]) -> None:
    asked = [draw_task(wares, seed) for seed in range(30)]
    assert asked == [draw_task(wares, seed) for seed in range(30)]
    assert {each.kind for each in asked if each} == {BESIDE, INTO}
    assert not any(done(each, wares, GAP) for each in asked if each)
    del wares["bowl"]
    assert draw_task(wares, 1, (INTO,)) is None


def test_a_look_at_a_layout_finds_most_of_it_and_asks_for_nothing() -> None:
    found = OpenWorldTrial(CONFIG, "workbench", LOOK, 2).run()
    assert found["expected"] >= 4
    assert found["found"] >= found["expected"] - 1
    assert (found["task"], found["success"]) == ("", False)


def test_a_task_in_a_quick_run_is_judged_by_the_true_poses() -> None:
    found = OpenWorldTrial(CONFIG, "workbench", "open_loop", 6).run()
    assert found["task"].startswith("Put the ")
    assert found["success"] or found["message"]
    assert not found["first"] or found["success"]


def _result(trial: OpenWorldTrial) -> Dict[str, Any]:
    fell = trial.seed == 1
    return {"seed": trial.seed, "task": "Put the lemon next to the mug", "kind": BESIDE, "named": True, "claimed": True,
            "success": not fell, "first": trial.seed == 0, "corrections": {"repair": trial.seed}, "corrected_by": {},
            "message": "", "seconds": 9.0, "expected": 6, "found": 5, "opaque": 5, "found_opaque": 5,
            "missed": ["glass"], "named_rightly": 4, "wrong_names": ["mug: hat"],
            "position_mm": [3.0, 9.0], "size_mm": [5.0], "phantoms": 1}


@dataclass(frozen=True)
class _MadeUp(Runner):
    def by_case(self, cases: Any, *rest: Any, **more: Any) -> List[Any]:
        assert len({each.key() for _, own in cases for each in own}) == sum(len(own) for _, own in cases)
        return [(case, Tally([_result(each) for each in own])) for case, own in cases]


def test_a_row_says_what_was_found_and_placed_and_what_was_falsely_believed() -> None:
    options: Namespace = parse(["openworld", "--trials", "4", "--policies", "hicrisp"])
    report = run(options, _MadeUp())
    row = report.rows[0]
    assert (row["things"], row["found"], row["phantoms"], row["named"]) == (24, 20 / 24, 4, 1.0)
    assert row["found_opaque"] == 1.0
    assert (row["placed_first"], row["placed"], row["false_success"]) == (0.25, 0.75, 1)
    assert [each["task"] for each in report.rows] == ["all", BESIDE, INTO]
    assert "named_rightly" not in row, "nobody was asked"
    asked: Namespace = parse(["openworld", "--trials", "4", "--look", "--llm", "workbench"])
    assert [run(asked, _MadeUp()).rows[0][key] for key in ("named_rightly", "named_wrongly")] == [16 / 20, 4]
    assert "no language model" in report.note


MUG, BOWL = (Relation("panda", "holding", name) for name in ("mug", "bowl_2"))
DESCRIBED = [{"seed": 6, "pixel": [320, 250], "say": "the tallest thing"}]


@pytest.mark.parametrize(("meaning", "came_to"), [
    (Goal.of(Holds(MUG)), "grounded"), (Goal.of(Holds(BOWL)), "wrong"), (Goal.of(Holds(MUG), Holds(BOWL)), "wrong"),
    (Goal.of(Not(Holds(MUG))), "wrong"), (Question("Which?", (Choice("mug"), Choice("bowl 2"))), "asked"),
    (Question("Which?", (Choice("salt"), Choice("bowl 2"))), "wrong"), (Refusal(Reason.UNKNOWN_OBJECT), "refused"),
    (None, "refused")])
def test_a_description_is_grounded_by_the_one_object_that_is_meant(meaning: Any, came_to: str) -> None:
    assert judged(meaning, "mug", "holding") == came_to


def test_descriptions_are_asked_about_and_judged_by_the_object_at_their_pixel(tmp_path: Path) -> None:
    file = tmp_path / "descriptions.json"
    file.write_text(json.dumps(DESCRIBED))
    found = GroundingTrial(CONFIG, "workbench", 6, "offline", read_descriptions(file)).run()
    (answer,) = found["answers"]
    assert (answer["llm"], found[QUESTIONS]) == ("offline", [])
    assert answer["track"].startswith("unknown_")
    assert (answer["came_to"] == "grounded") is (answer["track"] in answer["meant"])
    row = grounding_row("workbench", "offline", found["answers"] * 4)
    assert (row["n"], row[answer["came_to"]]) == (4, 1.0)
    file.write_text('[{"seed": 6}]')
    with pytest.raises(ConfigError, match="'pixel' .column, row. and 'say'"):
        read_descriptions(file)


class _Away(ChatModel):
    name = "away"

    def complete(self, messages: Any, deadline: Any, schema: Any = None) -> LlmFailure:
        return LlmFailure("unreachable", "away")


def test_a_slip_is_left_to_a_model_that_is_asked_with_and_without_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Models, "of", lambda self, role: _Away())
    llm = replace(load_llm_settings(CONFIG / "llm" / "openai.yaml"), base_url="http://127.0.0.1:9/v1")
    trial = OpenWorldTrial(CONFIG, "workbench", "explained", 1508, fault=SLIP, llm=llm)
    found = trial.run()
    assert (found["slipped"], found["claimed"], found["success"]) == (True, False, False)
    assert found["failed_commands"] > 0
    assert found["corrections"] == {}, "no search repairs"
    rows = [row_of("explained", Tally([{**found, "explained": number, "claimed": True, "success": number > 0}
                                       for number in range(3)]))]
    assert [rows[0][key] for key in ("tasks", "slipped", "repaired", "explained", "false_success")] == [3, 3, 2, 3, 1]
    with pytest.raises(ConfigError, match="--llm NAME"):
        run(parse(["openworld", "--explained"]), _MadeUp())
    assert "slip" in trial.key()

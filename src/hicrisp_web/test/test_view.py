"""What the page shows of a run, made from its events alone."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, List

import pytest
from conftest import Entries, a_run, write_run
from hicrisp_core.config.files import config_file
from hicrisp_core.domain import load_domain
from hicrisp_core.model import Pose, RobotState
from hicrisp_core.scene import load_scene
from hicrisp_core.trace.sections import changed_sections, sections_of
from hicrisp_core.trace.timeline import Timeline, timeline_of
from hicrisp_web.view.board import Board
from hicrisp_web.view.following import Following
from hicrisp_web.view.ground_view import Standing
from hicrisp_web.view.health_view import SILENT_AFTER, Heard, health_section
from hicrisp_web.view.scene_view import camera_section, tolerance_section


def shown(entries: Entries) -> Dict[str, Any]:
    return sections_of(timeline_of(entries))


def after(run: Timeline, entry: Dict[str, Any]) -> Dict[str, Any]:
    """The sections that an event changes."""
    event = run.take(entry)
    return {} if event is None else changed_sections(run, event)


def up_to(entries: Entries, kind: str, number: int = 1) -> Entries:
    """The events up to the so many-th of a kind."""
    at = [index for index, entry in enumerate(entries) if entry["kind"] == kind][number - 1]
    return entries[: at + 1]


def test_a_plan_shows_each_steps_state(entries: Entries) -> None:
    now = shown(up_to(entries, "command", 2))
    assert now["plan"]["steps"] == [0, 1]
    assert [now[f"step:{index}"]["state"] for index in (0, 1)] == ["done", "running"]
    assert now["doing"] == {"panda": "place box next to cylinder"}
    assert shown(entries)["doing"] == {}


def test_a_verdict_comes_with_its_measured_deviation(entries: Entries) -> None:
    tried = [each for each in shown(entries)["step:1"]["moments"] if each["is"] == "command"]
    assert [each["ok"] for each in tried] == [False, True]
    assert [each["purpose"] for each in tried] == ["step", "retry"]
    assert tried[0]["deviation"]["plane"] == 40.0
    assert tried[0]["feedback"]["suggestion"] == "aim again"
    assert tried[1]["deviation"]["plane"] == pytest.approx(2.24, abs=0.01)


def test_a_correction_says_which_rung_who_and_why(entries: Entries) -> None:
    made = next(each for each in shown(entries)["step:1"]["moments"] if each["is"] == "correction")
    assert (made["rung"], made["who"], made["why"]) == ("offset", "the action decoder", "30 mm in x")
    assert shown(entries)["corrections"] == {"offset": 1}


def test_the_stack_grows_and_falls(entries: Entries) -> None:
    grown = shown(up_to(entries, "stack"))["stack"]
    assert [entry["command"] for entry in grown["entries"]] == ["place box next to cylinder"]
    fallen = shown(entries)["stack"]
    assert fallen["entries"] == []
    assert [len(column["bars"]) for column in fallen["columns"]] == [1, 0]
    assert fallen["deepest"] == 1


def test_a_target_is_shown_with_where_the_thing_ended(entries: Entries) -> None:
    first, second = shown(entries)["places"]
    assert first["achieved"] == pytest.approx([0.54, 0.1, 0.03])
    assert second["aim"] == [0.47, 0.1, 0.03]


def test_a_deviation_is_turned_out_of_the_targets_frame(entries: Entries) -> None:
    for entry in entries:
        if entry["kind"] == "command" and "turn" in entry:
            entry["turn"] = [0.0, 0.0, 0.5 ** 0.5, 0.5 ** 0.5]  # A quarter turn to the left.
    assert shown(entries)["places"][0]["achieved"] == pytest.approx([0.5, 0.14, 0.03])


def test_the_end_says_the_verdict_and_the_figures(entries: Entries) -> None:
    run = shown(entries)["run"]
    assert (run["state"], run["verdict"]) == ("ended", "succeeded")
    assert run["figures"]["seconds"] == 3.4
    assert shown(entries)["goal"]["state"] == "seen"


def test_a_goals_conditions_say_when_they_apply(entries: Entries) -> None:
    assert shown(entries)["goal"]["conditions"] == [{"when": "at the end", "text": "next_to(box,cylinder)"}]
    staged = {"kind": "goal", "t": 0.1, "known": True, "said": "first this, then that",
              "stages": ["if open(fridge): in(cup,fridge)", "@panda on(a,b)"], "otherwise": ["on(b,a)"],
              "invariants": ["not(on(c,b))"]}
    assert shown([entries[0], staged])["goal"]["conditions"] == [
        {"when": "stage 1", "text": "if open(fridge): in(cup,fridge)"},
        {"when": "stage 2", "text": "@panda on(a,b)"},
        {"when": "otherwise", "text": "on(b,a)"}, {"when": "on the way", "text": "not(on(c,b))"}]


def test_a_goal_of_an_older_log_is_shown_in_stages(entries: Entries) -> None:
    older = {"kind": "goal", "t": 0.1, "known": True, "first": ["holding(panda,box)"],
             "end": ["on(box,bowl)"], "keep": ["not(on(c,b))"]}
    assert [each["when"] for each in shown([entries[0], older])["goal"]["conditions"]] \
        == ["stage 1", "stage 2", "on the way"]


def test_a_new_plan_takes_the_place_of_the_steps_from_there_on(entries: Entries) -> None:
    again = {"kind": "plan", "t": 2.0, "steps": ["push box"], "from_step": 1, "source": "model"}
    run = timeline_of(up_to(entries, "step_finished"))
    changed = after(run, again)
    assert changed["plan"]["steps"] == [0, 1]
    assert changed["step:1"]["text"] == "push box"
    assert changed["plan"]["replans"] == 1
    shorter = after(run, {**again, "steps": []})
    assert shorter["step:1"] is None


def test_an_event_changes_only_what_it_is_about(entries: Entries) -> None:
    run = Timeline()
    changes = [set(after(run, entry)) for entry in entries]
    finished = next(at for at, entry in enumerate(entries) if entry["kind"] == "outcome")
    assert changes[finished] == {"run", "step:0", "doing"}
    assert after(run, {"kind": "from another time"}) == {}


def test_what_changed_makes_up_the_whole(entries: Entries) -> None:
    run, made = Timeline(), {}  # type: ignore[var-annotated]
    made.update(sections_of(run))
    for entry in entries:
        made.update(json.loads(json.dumps(after(run, entry))))
    assert made == sections_of(run)


def test_a_page_gets_everything_first_and_then_what_is_new() -> None:
    board, told = Board(), []  # type: ignore[var-annotated]
    end = board.listen(lambda: told.append(1))
    board.put({"a": 1, "b": 2})
    count, all_ = board.since(0)
    board.put({"a": 1, "b": 3})
    assert all_ == {"a": 1, "b": 2}
    assert board.since(count)[1] == {"b": 3}
    end()
    board.put({"a": 5})
    assert len(told) == 2
    assert board.readers == 0


def live(entries: Entries, board: Board, folder: str = "", task: str = "") -> Following:
    following, task = Following(board), task or entries[0]["task_id"]
    if folder:
        following.status(task, folder)
    for entry in entries:
        following.event(task, entry)
    return following


def test_a_page_that_comes_late_sees_the_run_from_its_beginning(entries: Entries, tmp_path: Path) -> None:
    """The folder holds more than was heard: the node was started again while the task ran."""
    folder, board = write_run(tmp_path / "run", up_to(entries, "stack")), Board()
    following = Following(board)
    following.status(entries[0]["task_id"], str(folder))
    heard = entries[len(up_to(entries, "offset")) - 3:]  # Two of them are in the folder, too.
    for entry in heard:
        following.event(entries[0]["task_id"], entry)
    now = board.since(0)[1]
    assert {name: now[name] for name in shown(entries)} == shown(entries)


def test_a_run_whose_events_come_before_its_status_is_shown_from_its_beginning(
    entries: Entries, tmp_path: Path
) -> None:
    board, begun = Board(), up_to(entries, "stack")
    folder = write_run(tmp_path / "run", begun)
    following = live(begun[-2:], board, task=entries[0]["task_id"])
    following.status(entries[0]["task_id"], str(folder))
    for entry in entries[len(begun):]:
        following.event(entries[0]["task_id"], entry)
    now = board.since(0)[1]
    assert {name: now[name] for name in shown(entries)} == shown(entries)


def test_the_next_task_begins_on_an_empty_page(entries: Entries) -> None:
    board = Board()
    following = live(entries, board)
    following.event("next", {"kind": "task_received", "t": 0.0, "task_id": "next", "text": "pick the box"})
    now = board.since(0)[1]
    assert now["run"]["text"] == "pick the box"
    assert now["step:0"] is None
    assert now["stack"]["columns"] == []


def test_a_run_whose_folder_is_elsewhere_is_followed_by_its_events(entries: Entries) -> None:
    board = Board()
    live(entries, board, "/nowhere/else")
    assert board.since(0)[1]["run"]["verdict"] == "succeeded"


def test_a_robot_stands_once_it_was_seen_at_one_place_for_a_while() -> None:
    standing = Standing()

    def see(now: float, x: float) -> Any:
        return standing.see(now, {"panda": RobotState("panda", pose=Pose((x, 0.0, 0.5)))})["panda"]

    assert see(0.0, 0.1) is None
    assert see(0.3, 0.2) is False
    assert see(0.7, 0.2) is False
    assert see(0.9, 0.2001) is True
    assert standing.see(1.0, {"agv": RobotState("agv", "base")}) == {"agv": None}


def test_a_damaged_log_is_shown_as_far_as_it_goes(entries: Entries) -> None:
    broken: List[Dict[str, Any]] = [{"kind": "verdict", "ok": "perhaps"}, {"kind": "stack", "entries": 7},
                                    {"kind": "command", "target": [1]}, {"t": 3}, *a_run()]
    assert shown(broken)["run"]["verdict"] == "succeeded"


def test_a_node_is_as_well_as_its_worst_part_and_one_that_is_silent_or_away_is_not() -> None:
    now = 100.0
    section = health_section([
        Heard("brain: language model", 0, "ready", {"configuration": "openai", "model": "gpt-x"}, now),
        Heard("detector: eyes", 0, "sees all", {}, now), Heard("detector: tf", 1, "the box is old", {}, now),
        Heard("robot panda", 0, "stands ready", {}, now - SILENT_AFTER - 2.0),
        Heard("supervisor: parts", 2, "waits for corrector", {"corrector": "away", "body": "reachable"}, now),
    ], now)
    assert section["model"] == "gpt-x"
    assert {each["name"]: each["state"] for each in section["nodes"]} == {
        "brain": "ok", "body": "ok", "detector": "warn", "robot panda": "error", "supervisor": "error",
        "corrector": "error"}
    said = {each["name"]: each["message"] for each in section["nodes"]}
    assert (said["detector"], said["robot panda"]) == ("the box is old", "silent for 7 s")


def test_the_camera_is_shown_where_it_stands_and_whereto_it_looks_unless_a_robot_carries_it() -> None:
    scene = load_scene(config_file("scenes", "tabletop"), 0)
    shown = camera_section(replace(scene, camera="d435_fixed"))
    assert shown is not None
    assert shown["at"] == [1.05, 0.0]
    assert shown["ahead"][0] < -0.5  # From behind the table towards the robot.
    assert 40 < shown["opening"] < 90
    assert camera_section(replace(scene, camera="d435_hand")) is None


def test_a_placing_action_comes_with_what_its_fact_allows() -> None:
    allowed = tolerance_section(load_domain(config_file("domains", "tabletop")))
    assert allowed["place_next_to"] == {"fact": "next to", "mm": 60}
    assert allowed["put_down"] == {"fact": "on", "mm": 15}
    assert "pick" not in allowed

#!/usr/bin/env python3
"""The dashboard in a headless browser, over a running workspace."""

from __future__ import annotations

import json
import os
import re
import sys
import unittest
from pathlib import Path
from typing import Dict, List

import rosbag
import rospy
import rostest
from diagnostic_msgs.msg import DiagnosticArray
from mcap.reader import make_reader
from mcap_ros1.decoder import DecoderFactory
from visualization_msgs.msg import MarkerArray

from hicrisp_msgs.msg import TaskStatus

sys.path.insert(0, str(Path(__file__).parent / "support"))
import foxglove  # noqa: E402
from browser import RUN, Board, Browser, expect  # noqa: E402
from harness import Workspace, kill  # noqa: E402
from waiting import until  # noqa: E402

NEXT_TO, AWAY = "place the box next to the cylinder", "place the box next to the bowl"
CROWD = (Path(__file__).parent / "support/crowd.js").read_text()


class Dashboard(unittest.TestCase):
    """What a user does on the page."""

    workspace: Workspace
    browser: Browser
    board: Board

    @classmethod
    def setUpClass(cls) -> None:
        rospy.init_node("test_dashboard")
        cls.workspace = Workspace()
        file = Path(os.environ["ROS_HOME"]) / "dashboard"
        cls.browser = Browser(str(until(lambda: file.is_file() and file.read_text().strip(), "address")))
        cls.board = cls.browser.page()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.browser.close()

    def setUp(self) -> None:
        self.workspace.set_autonomy("full")
        self.workspace.clear_estop()
        self.workspace.resume()
        for thing in ("box", "red box"):  # Every test begins with a free hand.
            if self.workspace.holds("panda", "holding", thing.replace(" ", "_")):
                assert self.workspace.run(f"put down the {thing}").state == TaskStatus.SUCCEEDED
        self.board.page.goto(self.browser.address)
        self.board.page.reload()
        expect(self.board.find("#link")).to_have_text("Connected")

    def tearDown(self) -> None:
        self.board.keep(self.id().rpartition(".test_")[2])
        assert not self.browser.problems()

    def test_a_task_is_submitted_and_its_stack_grows_and_falls(self) -> None:
        task = self._task()
        self.workspace.inject_fault(kind="miss", count=1)
        self.board.submit(task)
        self.board.ends("succeeded", task)
        self.board.sees("#live-run .goal", "I understand: the box")
        self.board.sees("#live-run .goal", "The detector sees it.")
        expect(self.board.find("#live-run .moment.bad")).to_contain_text("Error")
        expect(self.board.find("#live-run .moment.correction .rung").first).to_be_visible()
        expect(self.board.find("#live-run .step.done")).to_have_count(2)
        expect(self.board.find("#live .stack rect.bar").first).to_be_visible()
        expect(self.board.find("#live .stack circle.none").last).to_be_visible()
        expect(self.board.find("#live .stack svg[role=img]")).to_have_attribute(
            "aria-label", re.compile("at most 1 deep, and now holds 0"))
        expect(self.board.find("#live .scene svg .achieved.good").last).to_be_visible()
        expect(self.board.find("#live-run .deviation").last).to_contain_text("mm off; “next to” allows 60 mm")
        expect(self.board.find("#cancel")).to_be_disabled()
        with self.board.page.expect_popup() as opened:
            self.board.press_link("Report with pictures")
        expect(opened.value.locator("body")).to_contain_text(task)
        opened.value.close()

    def test_the_idle_page_names_what_there_is_to_work_with_and_how_it_is(self) -> None:
        for told in ("panda (arm)", "test_table, seed 0", "hierarchical", "controlled English"):
            self.board.sees("#workspace", told)
        for node in ("supervisor", "brain", "body", "detector", "corrector", "robot panda"):
            expect(self.board.find("#workspace .nodes .ok", has_text=node).first).to_be_visible()

    def test_the_stack_stands_beside_the_plan_above_the_fold_and_early_on_a_phone(self) -> None:
        self._move()
        stack, plan = self.board.box(".stack"), self.board.box("#live-run .plan")
        assert stack["x"] >= plan["x"] + plan["width"]
        assert stack["y"] + stack["height"] <= self.board.height

        def on_a_phone() -> None:
            assert self.board.box(".stack")["y"] < min(self.board.height, self.board.box("#live-run .plan")["y"])
            self.board.keep("phone-busy")
        self.board.at_phone_width(on_a_phone)
        self.board.press("Cancel")
        self.board.ends("canceled")

    def test_the_view_from_above_has_axes_and_zooms_by_buttons_and_keys(self) -> None:
        axes = self.board.find("#live .axes text")
        expect(axes.filter(has_text="← y, m")).to_be_visible()
        expect(axes.filter(has_text=re.compile(r"^0\.4$")).first).to_be_visible()
        whole = self.board.ground()
        self.board.press("Zoom in")
        until(lambda: self.board.ground()[2] < 0.7 * whole[2], "a closer look")
        closer = self.board.ground()
        self.board.find("#live .above").focus()
        self.board.page.keyboard.press("ArrowRight")
        until(lambda: self.board.ground()[0] > closer[0], "a look farther right")
        self.board.press("Show all of it")
        until(lambda: self.board.ground() == whole, "all of it")

    def test_names_in_a_crowd_overlap_nothing_and_the_camera_is_seen_with_whereto_it_looks(self) -> None:
        for seed in range(3):
            drawn = self.board.page.evaluate(CROWD, seed)
            assert len(drawn["names"]) == 12
            for at, one in enumerate(drawn["names"]):
                for other in drawn["names"][at + 1:]:
                    assert one["right"] <= other["left"] or other["right"] <= one["left"] \
                        or one["bottom"] <= other["top"] or other["bottom"] <= one["top"], (seed, one, other)
            assert drawn["camera"]
            assert drawn["sight"]["bottom"] > drawn["sight"]["top"]

    def test_what_a_sentence_means_is_said_while_it_is_typed(self) -> None:
        self.board.find("#examples button").first.click()
        expect(self.board.find("#task")).to_have_value(re.compile("box"))
        expect(self.board.find("#read")).not_to_be_empty()
        self.board.find("#task").fill(self._task())
        self.board.sees("#read", "I understand: the box")
        self.board.find("#task").fill("place the object next to the cylinder")
        self.board.sees("#read", "I would ask: ")
        self.board.find("#task").fill("the box should feel at home beside the cylinder")
        self.board.sees("#read", "This is not controlled English")
        self.board.find("#task").fill("")

    def test_the_robots_own_interpreter_is_asked_on_request(self) -> None:
        self.board.find("#task").fill(self._task())
        self.board.press("What do you understand?")
        self.board.sees("#read", "I understand: the box")
        self.board.find("#task").fill("")

    def test_a_motion_is_canceled_and_the_robot_is_said_to_stand(self) -> None:
        self._move()
        self.board.press("Cancel")
        self.board.ends("canceled")
        self.board.sees("#banner", "Canceled. The robot stands still.")

    def test_stop_never_toggles_and_after_a_clear_only_resume_begins_a_motion(self) -> None:
        self._move()
        self.board.submit(self._task())
        self.board.sees("#queue", self._task())
        self.board.find("#stop").dblclick()
        self.board.sees("#banner", "Emergency stop. The robot stands still.")
        expect(self.board.find(f"{RUN} .badge")).to_have_text("stopped by you")
        expect(self.board.find("#stop")).to_have_text("Stop")
        self.board.find("#clear-ask").dblclick()  # Asked for, and not confirmed.
        expect(self.board.find("#clear-yes")).to_be_hidden()
        self.board.press("Clear the stop")
        self.board.keep("stopped")
        self.board.press("Stop")  # In the middle of the clearing.
        expect(self.board.find("#clear-yes")).to_be_hidden()
        expect(self.board.find("#clear-ask")).to_be_visible()
        self.board.press("Clear the stop")
        self.board.press("Yes, clear it")
        self.board.sees("#banner", "Paused. The robot stands still.")
        expect(self.board.find("#queue li")).to_have_count(1)
        self.board.press("Stop")
        self.board.sees("#banner", "Emergency stop.")
        expect(self.board.find("#resume")).to_be_disabled()
        self.board.press("Clear the stop")
        self.board.press("Yes, clear it")
        self.board.sees("#banner", "Paused.")
        self.board.press("Resume")
        expect(self.board.find("#queue li")).to_have_count(0)
        self.board.ends("succeeded")

    def test_a_pause_holds_the_next_command_back(self) -> None:
        self.board.press("Pause")
        self.board.sees("#banner", "Paused.")
        self.board.submit(self._task())
        expect(self.board.find("#live-run .badge.paused")).to_be_visible()
        self.board.press("Resume")
        self.board.ends("succeeded")

    def test_a_question_is_answered(self) -> None:
        self.board.submit("place the object next to the cylinder")
        self.board.sees("#ask", "the bowl, the box or the red box")
        expect(self.board.page).to_have_title("(?) The robot asks – HiCRISP")
        self.board.keep("question")
        self.board.press("red box")
        self.board.ends("succeeded", "place the object next to the cylinder")
        self.board.sees("#talk", "red box")
        expect(self.board.page).to_have_title("HiCRISP")
        self.board.sees("#live-run .plan", "pick up red box")
        expect(self.board.find("#live")).not_to_contain_text("red_box")

    def test_a_plan_is_changed_and_approved_and_so_is_what_cannot_be_undone(self) -> None:
        self.board.find("#autonomy").select_option("reviewed")
        self.board.submit(self._task())
        steps = self.board.find(".editor input")
        run = self.board.page.get_by_role("button", name="Run this plan")
        expect(steps).to_have_count(2)
        expect(run).to_be_enabled()
        self.board.sees("#ask .goal", "The goal: the box ends up next to the")
        expect(self.board.find(".editor .reading").first).to_have_text("Read as panda: pick up box")
        expect(self.board.find("#ask .missed")).to_be_empty()
        kept = steps.last.input_value()
        steps.last.fill("place the box next to the red box")
        self.board.sees("#ask .missed", "These steps miss a part of the goal: the box ends up next to the")
        self.board.keep("missed")
        expect(run).to_be_enabled()
        steps.last.fill(kept)
        expect(self.board.find("#ask .missed")).to_be_empty()
        self.board.press("Move step 2 earlier")
        expect(self.board.find(".editor .problem").first).not_to_be_empty()
        expect(run).to_be_disabled()
        self.board.press("Move step 1 later")
        expect(run).to_be_enabled()
        steps.first.fill("juggle the box")
        expect(self.board.find(".editor .problem").first).to_contain_text("juggle")
        self.board.keep("plan")
        steps.first.fill("pick up the box")
        expect(run).to_be_enabled()
        self.board.press("Add a step")
        steps.last.fill("pick up the red box")
        expect(run).to_be_enabled()
        run.click()
        self.board.sees("#ask-title", "May it do this?")
        self.board.press("Approve")
        self.board.ends("succeeded")
        expect(self.board.find("#live-run .step.done")).to_have_count(3)

    def test_a_plan_that_is_refused_moves_nothing(self) -> None:
        self.board.find("#autonomy").select_option("reviewed")
        self.board.submit(self._task())
        self.board.press("Refuse")
        self.board.ends("refused")
        expect(self.board.find("#live-run .moment")).to_have_count(0)

    def test_a_remark_changes_a_task_that_runs(self) -> None:
        self.workspace.slow_down(self)
        self.board.submit(self._task())
        self.board.sees("#live-run .message", "Now:")
        self.board.find("#tell").fill("not that one, the red one")
        self.board.press("Say")
        self.board.sees("#talk", "not that one, the red one")
        self.board.ends("succeeded")

    def test_two_pages_show_the_same_and_only_one_with_the_token_steers(self) -> None:
        watcher, other = self.browser.page(token=False), self.browser.page()
        self._move()
        for page in (watcher, other):
            page.sees("#live-run .message", "Now:")
        expect(watcher.find("#submit")).to_be_disabled()
        expect(watcher.find("#stop")).to_be_disabled()
        watcher.sees("#banner", "You are watching.")
        other.submit("where is the box?")
        self.board.sees("#queue", "where is the box?")
        other.press("Cancel where is the box?")
        expect(self.board.find("#queue li")).to_have_count(0)
        other.press("Cancel")
        for page in (watcher, other, self.board):
            page.ends("canceled")
        watcher.page.context.close()
        other.page.context.close()

    def test_a_page_whose_question_whether_it_may_steer_is_lost_asks_again(self) -> None:
        self.board.page.route("**/api/may", lambda route: route.abort(), times=3)
        self.board.page.reload()
        expect(self.board.find("#link")).to_have_text("Watching only")
        expect(self.board.find("#link")).to_have_text("Connected")

    def test_a_dashboard_that_is_killed_comes_back_with_the_run_and_steers_on(self) -> None:
        self._move()
        steps = self.board.find("#live-run .step").count()
        kill("dashboard")
        self.board.sees("#link", "No connection")
        expect(self.board.find("#link")).to_have_text("Connected")
        expect(self.board.find("#live-run .step")).to_have_count(steps)
        self.board.sees("#live-run .message", "Now:")
        self.board.press("Cancel")
        self.board.ends("canceled")

    def test_a_past_run_is_found_compared_and_replayed_by_the_keyboard(self) -> None:
        task = self._task()
        self.workspace.run(task)
        self.workspace.run("what is on the table?")
        self.board.find("#to-history").click()
        self.board.sees(".history tbody", "what is on the table?")
        self.board.keep("history")
        for box in (0, 1):
            self.board.find(".history tbody input").nth(box).check()
        self.board.press("Compare two")
        expect(self.board.find(".compare .differs").first).to_be_visible()
        self.board.keep("compare")
        self.board.find("#to-history").click()
        self.board.find("#verdict").select_option("succeeded")
        self.board.find("#words").fill(task)
        row = self.board.find(".history tbody tr").first
        expect(row).to_contain_text(task)
        row.get_by_role("link").first.click()
        self.board.sees("#replay .where", "1 of")
        expect(self.board.find("#replay .step")).to_have_count(0)
        self.board.find("#moment").focus()
        self.board.page.keyboard.press("End")
        expect(self.board.find("#replay .badge.succeeded")).to_be_visible()
        expect(self.board.find("#replay .step.done")).to_have_count(2)
        expect(self.board.find("#replay .scene .thing.movable")).to_have_count(4)
        self.board.keep("replay")

    def test_a_run_is_recorded_for_other_tools_and_drawn_for_rviz(self) -> None:
        markers: List[MarkerArray] = []
        health: Dict[str, str] = {}
        listeners = [rospy.Subscriber("/hicrisp/markers", MarkerArray, markers.append),
                     rospy.Subscriber("/diagnostics", DiagnosticArray, lambda message: health.update(
                         {status.name: status.message for status in message.status}))]
        until(lambda: markers, "markers")
        run = Path(self.workspace.run(self._task()).run_folder)
        until(lambda: (run / "run.bag").is_file() and (run / "run.mcap").is_file(), "recordings")
        with rosbag.Bag(str(run / "run.bag")) as bag:
            topics = bag.get_type_and_topic_info().topics
            told = [json.loads(message.json)["kind"]
                    for _, message, _ in bag.read_messages("/hicrisp/events")]
        assert {told[0], told[-1]} == {"task_received", "task_finished"}
        assert {"/hicrisp/world_state", "/hicrisp/task_status", "/tf"} <= set(topics)
        assert not {topic for topic in topics if topic.startswith(("/rosout", "/hicrisp/brain"))}
        with open(run / "run.mcap", "rb") as stream:
            opened = make_reader(stream, decoder_factories=[DecoderFactory()])
            assert opened.get_summary().statistics.channel_count >= len(topics)
            kinds = [json.loads(message.json)["kind"] for _, _, _, message
                     in opened.iter_decoded_messages(topics=["/hicrisp/events"])]
        assert kinds == told
        assert foxglove.faults(run / "run.mcap") == []
        drawn = {marker.ns for message in markers for marker in message.markers}
        assert {"things", "names", "goals", "stack"} <= drawn, drawn
        parts = ("brain: language model", "detector: eyes", "supervisor: parts", "supervisor: task",
                 "recorder: recording")
        until(lambda: {f"hicrisp/{part}" for part in parts} <= set(health), "reports of every part",
              besides=lambda: f"; there are: {sorted(health)}")
        for listener in listeners:
            listener.unregister()

    def test_nobody_is_kept_out(self) -> None:
        self.workspace.inject_fault(kind="miss", count=1)
        self.workspace.run(self._task())
        for scheme in ("light", "dark"):
            self.board.page.emulate_media(color_scheme=scheme)
            for view in ("live", "history"):
                self.board.find(f"#to-{view}").click()
                assert not self.board.faults(), (scheme, view)
            self.board.find(".history tbody a").first.click()
            self.board.press("✗", exact=False)
            expect(self.board.find("#replay .moment.bad")).to_be_visible()
            assert not self.board.faults(), (scheme, "replay")

    def test_a_phone_shows_everything_without_scrolling_sideways(self) -> None:
        def look() -> None:
            for view in ("history", "live"):
                self.board.find(f"#to-{view}").click()
                assert self.board.overhang() <= 0, view
                assert not self.board.faults(), view
            self.board.keep("phone")
        self.board.at_phone_width(look)

    def _move(self) -> None:
        """A task whose motion goes on until it is stopped."""
        self.workspace.slow_down(self)
        self.board.submit(self._task())
        self.board.sees("#live-run .message", "Now:")

    def _task(self) -> str:
        """A task that has something to do."""
        return AWAY if self.workspace.holds("box", "next_to", "cylinder") else NEXT_TO


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "dashboard", Dashboard)

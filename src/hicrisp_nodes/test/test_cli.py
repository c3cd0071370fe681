"""The command lines, without ROS running."""

from __future__ import annotations

import io
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import roslaunch.launch
from hicrisp_core.errors import ConfigError
from hicrisp_core.scene import load_scene
from hicrisp_core.trace import trial_of
from hicrisp_nodes.cli import options
from hicrisp_nodes.cli.client import namespaces
from hicrisp_nodes.cli.console import Console
from hicrisp_nodes.cli.demo import Demo, choose_master, perception_of
from hicrisp_nodes.cli.graph import Graph, MasterPort, port_is_free
from hicrisp_nodes.cli.launch import Launch
from hicrisp_nodes.cli.main import main as hicrisp
from hicrisp_nodes.cli.main import parse as parse_command
from hicrisp_nodes.cli.narrator import Narrator
from hicrisp_nodes.cli.options import choose_brain, parse
from hicrisp_nodes.cli.past import past_runs
from hicrisp_nodes.cli.patient_roslaunch import wait_longer_for_the_master
from ports import free_port
from waiting import PATIENCE, until

MISSED = {"level": "low", "kind": "misplaced", "error": "31 mm off", "reason": "drift",
          "suggestion": "aim right"}


def told(*events):
    stream = io.StringIO()
    narrator = Narrator(Console(stream, colour=False))
    for event in events:
        narrator.tell(event)
    return stream.getvalue()


def test_a_failure_its_correction_and_the_stack_are_told():
    text = told(
        {"kind": "plan", "steps": ["pick up box", "place box"], "source": "offline", "t": 0.1},
        {"kind": "step_started", "index": 1, "text": "place box"},
        {"kind": "command", "text": "place box", "purpose": "step", "t": 1.0},
        {"kind": "verdict", "ok": False, "feedback": MISSED, "t": 3.0},
        {"kind": "stack", "entries": [{"command": "place box", "error": "31 mm off", "attempts": 2}]},
        {"kind": "correction", "rung": "repair", "commands": ["pick up box"], "note": ""},
        {"kind": "task_finished", "success": True, "message": "done", "reason": "done",
         "steps_executed": 3, "corrections": {"repair": 1},
         "wall_s": 4.0})
    for part in ("2. place box", "2/2 place box", "31 mm off", "drift", "aim right", "place box (x2)",
                 "repair: pick up box", "succeeded 3 commands, 1 correction (repair 1), 4.0 s"):
        assert part in text


@pytest.mark.parametrize(("samples", "applied", "line"), [
    (0.999, 0.0, "measured for panda/place/world: -56.7 +0.0 mm (x y), 1 sample; not yet a bias"),
    (1.998, -0.055, "learnt bias of panda/place/world: -55.0 +0.0 mm (x y), 2 samples")])
def test_one_miss_is_not_told_as_a_bias(samples, applied, line):
    assert line in told({"kind": "offset", "key": "panda/place/world", "mean": [-0.0567, 0.0, 0.0],
                         "applied": [applied, 0.0, 0.0], "sigma": [0.02, 0.02, 0.0], "samples": samples})


@pytest.mark.parametrize(("scene", "wanted", "seen"), [
    ("tabletop", None, "camera"), ("tabletop", "poses", "poses"), ("lab", None, "poses"),
    ("lab", "camera", "camera"), ("agv", None, "poses"), ("household", None, "poses"),
    ("pizza", None, "poses")])
def test_the_demo_looks_by_camera_where_all_happens_at_a_table(scene, wanted, seen):
    assert perception_of(wanted, load_scene(scene)) == seen


def test_a_camera_that_has_nothing_to_look_at_is_refused():
    with pytest.raises(ConfigError, match="scene agv has none; use --perception poses"):
        perception_of("camera", load_scene("agv"))


def test_a_task_that_the_user_stopped_reads_so():
    end = {"kind": "task_finished", "success": False, "stopped": True, "steps_executed": 1, "wall_s": 4.0,
           "message": "Stopped by you with the emergency stop", "reason": "could not pick up box"}
    assert "stopped by you 1 command" in told(end)
    assert "failed" not in told(end)
    assert trial_of([end])["verdict"] == "stopped"


@pytest.mark.parametrize("address", ["nonsense", "", "http://localhost:port", "ftp://127.0.0.1:11311"])
def test_a_master_that_cannot_be_one_is_named_and_never_replaced(address, monkeypatch, capsys):
    monkeypatch.setenv("ROS_MASTER_URI", address)
    assert hicrisp(["tasks"]) == 2
    assert f"ROS_MASTER_URI is '{address}'" in capsys.readouterr().err


def test_a_master_that_takes_the_call_and_never_answers_is_given_up(monkeypatch):
    monkeypatch.setattr("hicrisp_nodes.cli.graph._ANSWER_LIMIT", 0.2)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        assert not Graph(f"http://127.0.0.1:{silent.getsockname()[1]}").reachable()


@pytest.mark.parametrize(("told_name", "within", "names"), [
    ("", "", ("hicrisp",)), ("", "/lab/", ("lab/hicrisp", "lab")), ("other", "/lab", ("other",))])
def test_the_supervisor_is_looked_for_where_ros_says(told_name, within, names):
    assert namespaces(told_name, {"ROS_NAMESPACE": within}) == names


def test_control_characters_of_a_task_do_not_reach_the_terminal():
    assert "\x1b" not in told({"kind": "task_received", "text": "\x1b[2Jgone"})


def test_an_unknown_kind_of_event_is_passed_over():
    assert told({"kind": "something new"}) == ""


def test_a_stream_that_knows_only_ascii_gets_ascii():
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    Console(stream).say("✓ Würfel")
    stream.seek(0)
    assert stream.read() == "+ W?rfel\n"


@pytest.mark.parametrize("wrong", [
    ["--sigma", "-1"], ["--sigma", "nan"], ["--trials", "-2"], ["--seed", "x"], ["--task", " "]])
def test_what_makes_no_sense_is_refused(wrong, capsys):
    with pytest.raises(SystemExit) as ended:
        parse(wrong)
    assert ended.value.code == 2
    assert "error" in capsys.readouterr().err


def test_the_brain_is_the_one_that_was_asked_for_or_has_a_key():
    assert choose_brain("local", {"OPENAI_API_KEY": "k"})[0] == "local"
    assert choose_brain(None, {"OPENAI_API_KEY": "k"})[0] == "openai"
    assert choose_brain(None, {})[0] in ("embedded", "offline")


def test_a_busy_port_is_not_taken():
    with socket.socket() as busy:
        busy.bind(("", 0))
        busy.listen()
        assert not port_is_free(busy.getsockname()[1])
    with_own = MasterPort()
    assert with_own.own
    assert port_is_free(with_own.number)


@pytest.mark.parametrize(("more", "at_terminal", "level"), [
    ([], True, "supervised"), ([], False, "full"), (["--keep"], False, "supervised"),
    (["--autonomy", "manual"], False, "manual")])
def test_nobody_at_the_terminal_is_asked_about_what_only_a_simulation_cannot_undo(
        monkeypatch, more, at_terminal, level):
    monkeypatch.setattr("sys.stdin.isatty", lambda: at_terminal, raising=False)
    demo = Demo(parse(["--scene", "pizza", "--llm", "offline", *more]), Console(io.StringIO()))
    assert f"autonomy:={level}" in demo.launch.command


def test_two_demos_that_start_at_once_take_two_ports():
    ports = [MasterPort() for _ in range(3)]
    assert len({port.number for port in ports}) == 3
    assert not MasterPort(ports[0].number).own, "a master that another demo has started is left to it"
    numbers = [port.number for port in ports]
    for port in ports:
        port.close()
    assert MasterPort(numbers[0]).own


def test_a_master_that_is_not_there_is_no_error():
    graph = Graph(f"http://127.0.0.1:{free_port()}")
    assert not graph.reachable()
    assert graph.missing(["/hicrisp/submit_task"]) == ["/hicrisp/submit_task"]


@pytest.mark.parametrize("program", ["hicrisp_nodes.cli.main", "hicrisp_nodes.cli.demo"])
@pytest.mark.parametrize(("uri", "said"), [
    ("nonsense", "'nonsense', which is not the address of a ROS master"), ("http://robot:port", "http://robot:port"),
    ("http://nowhere.invalid:11311", "no ROS master answers at http://nowhere.invalid:11311")])
def test_a_master_that_cannot_be_is_told_in_a_sentence(program, uri, said):
    arguments = ["tasks"] if program.endswith("main") else ["--keep"]
    done = subprocess.run([sys.executable, "-m", program, *arguments], env={**os.environ, "ROS_MASTER_URI": uri},
                          capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode in (1, 2)
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_the_master_that_a_user_names_is_used_and_another_one_is_told(monkeypatch):
    uri = f"http://127.0.0.1:{free_port()}"
    monkeypatch.setenv("ROS_MASTER_URI", uri)
    with io.StringIO() as said:
        chosen, port = choose_master(True, "hicrisp", Console(said))
        assert (chosen, said.getvalue()) == (uri, "")
        other, _ = choose_master(True, "hicrisp", Console(said))
        assert other != uri
        assert f"ROS_MASTER_URI, {uri}, is in use" in said.getvalue()
        port.close()


@pytest.mark.parametrize("command", ["completion bash", "memory --file none list"])
def test_a_reader_that_ends_early_ends_the_command_without_a_word(command):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([sys.executable, "-m", "hicrisp_nodes.cli.main", *command.split()], stdout=writing,
                          stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")


def test_a_stopped_launch_leaves_nothing_behind(tmp_path):
    """A stand-in for roslaunch starts a child in a session of its own that ignores SIGINT and SIGTERM."""
    stand_in = tmp_path / "roslaunch"
    stubborn = "setsid bash -c 'trap \"\" INT TERM; while :; do sleep 0.1; done' &"
    stand_in.write_text(f"#!/bin/bash\n{stubborn}\necho up\nsleep 60\n")
    stand_in.chmod(0o755)
    launch = Launch("demo.launch", {"seed": 1}, tmp_path / "log" / "launch.log", "http://127.0.0.1:1")
    launch.command = [str(stand_in)]
    launch.start()
    until(lambda: "up" in launch.tail(), "start")
    assert launch.alive
    assert launch.processes()
    assert launch.stop()
    assert launch.processes() == []


def test_what_a_node_says_as_it_ends_for_good_is_known_at_once(tmp_path):
    stand_in = tmp_path / "roslaunch"
    stand_in.write_text("#!/bin/bash\necho '[INFO] [1.5, 0.0]: up'\n"
                        "printf '\\033[31m[FATAL] [2.5, 0.0]: world: no ghost\\033[0m\\n'\nsleep 60\n")
    stand_in.chmod(0o755)
    launch = Launch("demo.launch", {}, tmp_path / "log" / "launch.log", "http://127.0.0.1:1")
    launch.command = [str(stand_in)]
    launch.start()
    until(launch.refusal, "its last words")
    assert (launch.refusal(), launch.alive) == ("world: no ghost", True)
    assert launch.stop()


def test_the_master_has_longer_to_start_than_roslaunch_would_give_it(monkeypatch):
    before = roslaunch.launch._TIMEOUT_MASTER_START
    monkeypatch.setattr(roslaunch.launch, "_TIMEOUT_MASTER_START", before)
    wait_longer_for_the_master()
    assert before < roslaunch.launch._TIMEOUT_MASTER_START


def test_the_command_says_how_to_start_when_there_is_no_master():
    environment = {**os.environ, "ROS_MASTER_URI": f"http://127.0.0.1:{free_port()}"}
    script = Path(__file__).resolve().parents[1] / "scripts" / "hicrisp"
    done = subprocess.run([sys.executable, str(script), "tasks"], env=environment, capture_output=True,
                          text=True,
                          timeout=PATIENCE, check=False)
    assert done.returncode == 1
    assert "no ROS master answers" in done.stderr
    assert "scripts/demo --keep" in done.stderr


def test_help_is_shown_before_anything_is_set_up():
    """`scripts/demo --help` on a new machine, where no package of the workspace can be imported yet."""
    script = Path(options.__file__)
    shown = subprocess.run([sys.executable, "-I", "-S", str(script), "--help"], capture_output=True,
                           text=True)
    assert shown.returncode == 0, shown.stderr
    assert "--scene" in shown.stdout


def test_past_tasks_are_listed_from_their_run_folders_newest_first(tmp_path):
    for name, result in (("20260101-101010-001",
                          {"task": "a", "success": True, "verdict": "succeeded", "wall_s": 3.2}),
                         ("20260102-101010-001",
                          {"task": "b", "success": False, "verdict": "refused", "wall_s": 0.1}),
                         ("20260103-101010-001", ["no result"]),
                         ("20260104-101010-001", {"task": "c", "success": False, "wall_s": None})):
        (tmp_path / name).mkdir()
        (tmp_path / name / "result.json").write_text(json.dumps(result))
    (tmp_path / "20260105-101010-001").mkdir()
    past = past_runs(tmp_path, 20)
    assert [(run.task, run.verdict, run.seconds) for run in past] == [
        ("c", "failed", 0.0), ("b", "refused", 0.1), ("a", "succeeded", 3.2)]
    assert [run.task for run in past_runs(tmp_path, 1, {"20260104-101010-001"})] == ["b"]
    assert past_runs(tmp_path / "nowhere", 20) == []


def test_a_refused_task_is_not_told_as_failed():
    why = "I cannot do this: 'fly' is no action."
    said = told({"kind": "task_received", "text": "fly"},
                {"kind": "refused", "text": why, "alternatives": ["wait", "go"]},
                {"kind": "task_finished", "success": False, "message": why})
    assert "refused" in said
    assert "failed" not in said
    assert "try, for example: wait; go" in said
    assert len(said.split("Refused", 1)[1].strip().splitlines()) <= 4


def test_the_goal_is_said_back_and_a_question_is_told_with_its_answer():
    text = told({"kind": "question", "text": "Which one?", "choices": ["cup"], "answer": ""},
                 {"kind": "goal", "known": True, "said": "the cup ends up on the plate", "source": "gpt"},
                 {"kind": "goal_judged", "seen": False,
                  "missing": "The task is not done: the cup is not on it."},
                 {"kind": "goal_judged", "seen": True}, {"kind": "goal", "known": False})
    for said in ("Which one? nobody answered in time", "I understand: the cup ends up on the plate.",
                 "the cup is not on it", "the goal is seen", "unknown: the steps alone are judged"):
        assert said in text, text


def test_an_answer_names_its_task():
    options = parse_command(["answer", "20260101-120000-001", "the", "tall", "one"])
    assert (options.task_id, options.answer) == ("20260101-120000-001", ["the", "tall", "one"])


def test_what_the_user_said_is_told_with_what_it_does_and_a_stopped_motion_is_no_failure():
    text = told(
        {"kind": "command", "text": "pick up red box", "t": 1.0},
        {"kind": "said", "text": "the blue one", "effect": "changed", "t": 2.0,
         "reply": "I understand: the blue box ends up in the bowl."},
        {"kind": "verdict", "ok": False, "t": 2.5,
         "feedback": {"level": "high", "kind": "said_by_user", "error": "The user changed the task."}})
    assert "Said   the blue one" in text
    assert "I understand: the blue box ends up in the bowl." in text
    assert "stopped: pick up red box" in text
    assert "✗" not in text


def test_a_remark_needs_its_task_and_its_words():
    asked = parse_command(["tell", "20260101-120000-001", "not", "that", "one"])
    assert (asked.task_id, asked.text) == ("20260101-120000-001", ["not", "that", "one"])
    with pytest.raises(SystemExit):
        parse_command(["tell", "20260101-120000-001"])

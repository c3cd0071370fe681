"""`scripts/demo`: from a task in plain language to a robot that does it, in one command."""

from __future__ import annotations

import os
import signal
import sys
import time
from argparse import Namespace
from collections import deque
from pathlib import Path
from types import FrameType
from typing import Any, Deque, Dict, List, Optional, Tuple, Type

import rospkg
import rospy
from hicrisp_core.errors import ConfigError, HicrispError
from hicrisp_core.extensions import extensions
from hicrisp_core.llm.settings import VISION
from hicrisp_core.ports.perception import CAMERA, POSES
from hicrisp_core.scene import Scene, load_scene
from hicrisp_core.time import Deadline, wait_until
from hicrisp_core.trace import trial_of
from hicrisp_core.trace.plain import to_json
from hicrisp_ros.config_files import BRINGUP, config_file
from hicrisp_ros.llm_choice import named_llm
from hicrisp_ros.tracks import NAMED
from std_msgs.msg import Bool

from hicrisp_nodes.check_launch import check, read_options
from hicrisp_nodes.cli.client import ENDED, NAMESPACE, NODES, EventStream, Supervisor, Unreachable, become_node
from hicrisp_nodes.cli.console import Console
from hicrisp_nodes.cli.follow import Follower
from hicrisp_nodes.cli.graph import DEFAULT_PORT, Graph, MasterPort, port_is_free
from hicrisp_nodes.cli.launch import Launch
from hicrisp_nodes.cli.options import choose_brain, parse
from hicrisp_nodes.cli.trials import result_of_task, run_trials, summary
from hicrisp_nodes.recording import BAG, MCAP

_START_LIMIT = 120.0
_PAGE_LIMIT = 15.0
_SLICE = 0.1
_MODEL_LIMIT = 20.0
"""Wall seconds in which the endpoint of a language model answers a small question."""
_NAMING_LIMIT = 20.0
"""Wall seconds in which objects are seen, beside the time that a model has for its answer."""
_ALONE = 5.0
"""Seconds that a question about a task waits where nobody sits at the terminal."""
_NEEDED = ("submit_task", "get_task", "detector/check")


class Stopped(Exception):
    """Somebody asked the demo to end."""


class Demo:
    """Everything that a demo starts, and its end."""

    def __init__(self, options: Namespace, console: Console) -> None:
        self._options = options
        self._console = console
        self._root = Path(rospkg.RosPack().get_path(BRINGUP)).resolve().parents[1]
        self._uri, self._port = choose_master(options.keep, options.namespace, console)
        self.brain, self._why = choose_brain(options.llm)
        log = self._root / "logs" / "demo" / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}" / "launch.log"
        self._address_file = log.parent / "dashboard"
        rate = options.rate if options.rate > 0.0 or not options.keep else 1.0
        self._scene = load_scene(config_file("scenes", options.scene), options.seed)
        self._perception = perception = perception_of(options.perception, self._scene)
        runs = Path(options.runs_dir).expanduser().resolve() if options.runs_dir else self._root / "runs"
        bases = tuple(self._scene.arena.starts) if self._scene.arena is not None else ()
        robots = bases if len(bases) > 1 else ()
        self._spaces = [f"{options.namespace}/{name}" for name in robots] or [options.namespace]
        """The namespaces in which robots have nodes of their own."""
        self._checks = ["--robots", " ".join(robots), "--scene", options.scene, "--seed", str(options.seed),
                        "--policy", options.policy, "--llm", self.brain, "--perception", perception,
                        "--runs-dir", str(runs)]
        attended = options.keep or sys.stdin.isatty()
        graph = Graph(self._uri)
        shared = graph.reachable() and any(node.endswith("/embedded_world") for node in graph.nodes())
        self.launch = Launch("demo.launch", {
            "scene": options.scene, "world": extensions().worlds.get(self._scene.world).launch,
            "policy": options.policy, "perception": perception,
            "llm": self.brain,
            "seed": options.seed,
            "sigma": options.sigma, "rate": rate,
            "autonomy": options.autonomy or ("supervised" if attended else "full"),
            "ask_time_limit": -1.0 if attended else _ALONE,
            "namespace": options.namespace, "tf_prefix": options.namespace if shared else "", "memory": options.memory,
            "record": str(options.record).lower(), "web": str(options.web).lower(),
            "web_address_file": self._address_file, "robots": " ".join(robots),
            "runs_dir": runs}, log, self._uri)
        if robots and options.trials > 1:
            raise ConfigError(f"the bases of {self._scene.name} begin together once: leave out --trials")
        self.world = options.namespace
        """Namespace of the world's node."""
        self._options = Namespace(**{**vars(options), "namespace": self._spaces[0]})
        self.trials: List[Dict[str, Any]] = []

    def run(self) -> bool:
        """Start, run the trials, and wait for Ctrl-C where that is wanted; whether every trial succeeded."""
        options = self._options
        tasks = [each.strip() for each in (options.task or self._scene.task).split(";")]
        task = tasks[0]
        check(read_options(self._checks))
        self._console.say(f"{self._console.paint('Brain', 'strong')}  {self.brain} "
                          + self._console.paint(f"({self._why})", "soft"))
        self._check_model()
        if options.sigma > 0.0:
            self._console.say(f"{self._console.paint('Noise', 'strong')}  injected: every placement is off "
                              f"by a normal deviate with a standard deviation of {1000.0 * options.sigma:g} "
                              "mm")
        self.launch.start()
        self._wait_until_ready()
        self._wait_for_names()
        if options.web:
            self._say_address()
        supervisor = Supervisor(options.namespace)
        events = EventStream(options.namespace)
        follower = Follower(supervisor, events, self._console, lambda: self.launch.alive)
        others = [(space, Supervisor(space)) for space in self._spaces if options.trials]
        if len(others) > 1 and len(tasks) == 1:  # One task for all of them, which the fleet divides.
            answer = Supervisor(self.world).ask("submit_task", task)
            self._console.say(f"{self._console.paint('Order', 'strong')}  {answer.message}")
            answer.task_id = ""  # That which each of them runs.
            begun = [(space, each, answer) for space, each in others if not answer.accepted or each.status()]
        else:
            begun = [(space, each, each.ask("submit_task", tasks[index % len(tasks)]))
                     for index, (space, each) in enumerate(others[1:], 1)]
            for trial in run_trials(options, task, self.brain, supervisor, events, follower, self._console):
                self.tell(trial)
                self.trials.append(trial)
        for space, each, answer in begun:
            self.trials.append(self._ended(space, each, answer))
        if len(self.trials) > 1:
            self._console.say(f"\n{self._console.paint('Trials', 'strong')} {summary(self.trials)}")
        if options.keep:
            self._stay()
        return all(trial["success"] for trial in self.trials)

    def tell(self, trial: Dict[str, Any]) -> None:
        """Say more of a trial that has ended; here there is nothing.

        Args:
            trial: its result.
        """

    def _ended(self, space: str, supervisor: Supervisor, answer: Any) -> Dict[str, Any]:
        """Wait for the task of another base, and say how it ended; its result."""
        if not answer.accepted:
            self._console.say(f"{space}: not accepted: {answer.message}")
            return {**trial_of([]), "message": answer.message}

        def ended() -> bool:
            status = supervisor.status(answer.task_id)
            return status is not None and status.state in ENDED

        wait_until(ended, Deadline(self._options.time_limit), period=_SLICE, in_vain=lambda: not self.launch.alive)
        status = supervisor.status(answer.task_id)
        self._console.say(f"{space}: {status.message if status is not None else 'its supervisor does not answer'}")
        return result_of_task([], status.run_folder if status is not None else "")

    def stop(self) -> None:
        """End everything; the supervisor cancels its task, and the other nodes serve it until the robots stand."""
        if not self.launch.stop():
            self._console.error(f"these processes did not end: {self.launch.processes()}")

    def _check_model(self) -> None:
        """Ask each endpoint a small question, so that a wrong key, address or model is known before the start."""
        from hicrisp_core.llm.failures import MAY_PASS  # The client's package takes a second to load.
        from hicrisp_core.llm.try_out import probe_endpoints

        for found in probe_endpoints(named_llm(self.brain), Deadline(_MODEL_LIMIT)):
            if found.failure is not None:
                if found.failure.kind == "connection" or found.failure.kind not in MAY_PASS:
                    raise Unreachable(found.line, "one call by itself: scripts/doctor --llm " + self.brain,
                                      "without it: --llm embedded, or --llm offline")
                self._console.say(self._console.paint(f"       {found.line}; going on all the same", "warn"))

    def _wait_until_ready(self) -> None:
        began = time.monotonic()
        graph = Graph(self._uri)
        root = f"/{self._options.namespace}"
        wanted = [f"/{space}/{name}" for space in self._spaces for name in _NEEDED]
        wanted += [f"/{self.world}/reset_world", f"/{self.world}/submit_task"]

        def up() -> bool:
            # A recording that is wanted begins with the next task.
            recorded = not self._options.record or f"{root}/recorder" in graph.listeners(f"{root}/events")
            return recorded and not graph.missing(wanted)

        if not wait_until(up, Deadline(_START_LIMIT), period=_SLICE,
                          in_vain=lambda: not self.launch.alive or bool(self.launch.refusal())):
            self._blame(graph)
        become_node(self._uri)
        self._console.say(self._console.paint(f"       ready after {time.monotonic() - began:.1f} s", "soft"))

    def _wait_for_names(self) -> None:
        """Let a model name what the camera sees before the task speaks of it."""
        settings = named_llm(self.brain)
        if self._perception != CAMERA or VISION not in settings.roles or settings.of_role(VISION).offline:
            return
        told: Deque[Bool] = deque(maxlen=1)
        topic = rospy.Subscriber(f"/{self.world}/{NAMED}", Bool, told.append)
        limit = Deadline(settings.of_role(VISION).timeout_s + _NAMING_LIMIT)
        if not wait_until(lambda: any(each.data for each in tuple(told)), limit, period=_SLICE,
                          in_vain=lambda: not self.launch.alive):
            self._console.say(self._console.paint("       what the camera sees has no names yet; going on all the same",
                                                  "warn"))
        topic.unregister()

    def say_recordings(self) -> None:
        """Say where the recordings are; they are complete once everything has ended."""
        for folder in (Path(trial["run"]) for trial in self.trials if trial.get("run")):
            files = [folder / name for name in (BAG, MCAP) if (folder / name).is_file()]
            if files:
                self._console.say(f"   recorded: {', '.join(map(str, files))}")
            else:
                self._console.error(f"no recording was written for {folder.name}",
                                    f"the log says why: {self.launch.log}")

    def _say_address(self) -> None:
        """Where the page in the browser is; the demo goes on without it where it does not come."""
        paint = self._console.paint
        if wait_until(self._address_file.is_file, Deadline(_PAGE_LIMIT), period=_SLICE,
                      in_vain=lambda: not self.launch.alive):
            address = self._address_file.read_text(encoding="utf-8").strip()
            self._console.say(f"{paint('Page', 'strong')}   {address}")
        else:
            self._console.say(paint("       no page in the browser: the log says why "
                                    f"({self.launch.log})", "soft"))

    def _blame(self, graph: Graph) -> None:
        """Say which node did not come, and what it said."""
        if self.launch.refusal():
            raise Unreachable(self.launch.refusal(), f"the whole log: {self.launch.log}")
        present = graph.nodes()
        missing = [name for name in NODES if f"/{self._options.namespace}/{name}" not in present]
        why = "the launch ended" if not self.launch.alive else f"nothing was ready after {_START_LIMIT:g} s"
        about = missing[0] if len(missing) == 1 else ""
        raise Unreachable(
            f"{why}; missing: {', '.join(missing) or 'no node, but a service'}",
            f"the whole log: {self.launch.log}", "what is set up and what is not: scripts/doctor",
            "what was said last:", *self.launch.tail(about=about))

    def _stay(self) -> None:
        say, paint = self._console.say, self._console.paint
        say()
        say(paint("Everything stays up until Ctrl-C. In another terminal:", "strong"))
        if self._port.number != DEFAULT_PORT:
            say(f"  export ROS_MASTER_URI={self._uri}")
        say("  source scripts/env")
        say(f"  rosservice call /{self._options.namespace}/submit_task \"{self._scene.task}\"")
        named = "" if self._options.namespace == NAMESPACE else f"--namespace {self._options.namespace} "
        say(f"  hicrisp {named}submit \"{self._scene.task}\"")
        while self.launch.alive:
            time.sleep(_SLICE)
        raise Unreachable("the launch ended", *self.launch.tail(), f"the whole log: {self.launch.log}")


def choose_master(keep: bool, namespace: str, console: Console) -> Tuple[str, MasterPort]:
    """Choose a ROS master, and say so if it is not that of ``ROS_MASTER_URI``.

    Args:
        keep: whether the nodes stay up, on the master of ``ROS_MASTER_URI``.
        namespace: namespace of the nodes.
        console: the terminal.

    Returns:
        The master's address, and its reserved port.

    Raises:
        Unreachable: when that one is on another machine and does not answer.
    """
    named = Graph()
    there = named.reachable()
    if keep and not there and not named.local:
        raise Unreachable(f"no ROS master answers at {named.uri}", "start it there: roscore",
                          "for a master of its own: unset ROS_MASTER_URI")
    free = not there and port_is_free(named.port)
    if keep and (free or not named.missing(["/rosout/get_loggers"])
                 and named.missing([f"/{namespace}/submit_task"])):
        found = MasterPort(named.port)
        if found.own or there and namespace != NAMESPACE:  # Another name than usual: beside what runs there.
            return named.uri, found
    port = MasterPort()
    uri = f"http://127.0.0.1:{port.number}"
    if named.port != port.number or not named.local:
        why = "is in use" if keep or named.local and not free else "is used with --keep alone"
        console.say(f"{console.paint('Master', 'strong')} {uri}, its own "
                    + console.paint(f"(ROS_MASTER_URI, {named.uri}, {why})", "soft"))
    return uri, port


def perception_of(wanted: Optional[str], scene: Scene) -> str:
    """Choose how objects are detected: as asked, else by camera if all happens at a table, because a base
    carries objects out of its sight.

    Args:
        wanted: ``camera``, ``poses`` or ``None``.
        scene: the initial objects, robots and facts, as its file describes them.

    Returns:
        ``camera`` or ``poses``.

    Raises:
        ConfigError: where the camera is wanted for a scene without a table.
    """
    if wanted == CAMERA and not scene.has_table:
        raise ConfigError(f"--perception camera looks at a table, and the scene {scene.name} has none; use "
                          "--perception poses")
    return wanted or (CAMERA if scene.has_table and scene.arena is None else POSES)


def main(arguments: Optional[List[str]] = None, kind: Type[Demo] = Demo) -> int:
    """Run ``scripts/demo``.

    Args:
        arguments: the command line; that of the process if ``None``.
        kind: the class of the demo.

    Returns:
        Exit status: 0 if every trial succeeded, 1 if not, 130 after an interrupt.
    """
    options = parse(arguments)
    console = Console()

    def interrupted(number: int, _: Optional[FrameType]) -> None:
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(each, signal.SIG_IGN)
        raise Stopped(number)

    demo: Optional[Demo] = None
    status = 1
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, interrupted)
        demo = kind(options, console)
        status = 0 if demo.run() else 1
    except Stopped:
        console.say("stopping ...")
        kept = options.keep and demo is not None and len(demo.trials) == options.trials
        status = 130
        if kept and demo is not None:
            status = 0 if all(trial["success"] for trial in demo.trials) else 1
    except Unreachable as error:
        console.error(str(error), *error.mends)
    except BrokenPipeError:
        console.close()
    except HicrispError as error:
        console.error(str(error))
        status = 2
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        if demo is not None:
            if options.json:
                path = Path(options.json)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(to_json({"trials": demo.trials}, indent=2) + "\n", encoding="utf-8",
                                errors="backslashreplace")
            demo.stop()
            if options.record:
                demo.say_recordings()
    return status


if __name__ == "__main__":
    sys.exit(main())

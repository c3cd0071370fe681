"""Carries out one task: the executive over ROS, its events to the topics and to the run folder."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple

import rospy
from hicrisp_core.domain.wording import described
from hicrisp_core.executive.executive import Executive
from hicrisp_core.executive.rehearsal import PlanReview
from hicrisp_core.executive.task_order import TaskOrder
from hicrisp_core.llm.redaction import redacted_values
from hicrisp_core.memory.memory import FileMemory
from hicrisp_core.model import Command, DecoderOffsets, Plan, Task, WorldState
from hicrisp_core.policy.policy import COPAL
from hicrisp_core.ports.executive import Ports
from hicrisp_core.scene.scene_record import SceneRecord
from hicrisp_core.time import AlarmEvent, Deadline
from hicrisp_core.trace import EventLog, explain, finish_run
from hicrisp_core.trace.event_log import FILE_NAME
from hicrisp_core.trace.events import FaultInjected, Noted, PictureTaken, TaskFinished, TaskReceived, Waiting
from hicrisp_core.trace.records import FaultRecord
from hicrisp_core.trace.scene_lines import FILE_NAME as SCENE_FILE
from hicrisp_core.trace.task_state import ENDED, State
from hicrisp_core.trace.timeline import Timeline
from hicrisp_core.understanding.controlled.interpreter import naming_in
from hicrisp_ros.config_files import Configuration
from hicrisp_ros.node_threads import NodeThread
from hicrisp_ros.ports.body import RosBody
from hicrisp_ros.ports.brain import RosBrain, RosInterpreter, RosReporter
from hicrisp_ros.ports.detector import RosNamer
from hicrisp_ros.ports.node_client import RosCorrector
from hicrisp_ros.ports.observer import TaskObserver, TopicObserver
from hicrisp_ros.ports.picture import wait_for_picture
from hicrisp_ros.ports.reach import drive_space
from hicrisp_ros.ports.robot import RosRobot
from hicrisp_ros.ports.witness import RosWitness
from hicrisp_ros.simulated_world import true_state

from hicrisp_nodes.supervisor.drives import Drives
from hicrisp_nodes.supervisor.dry_run import rehearse
from hicrisp_nodes.supervisor.gate import CORRECTION, Gate
from hicrisp_nodes.supervisor.memory import MemorySettings
from hicrisp_nodes.supervisor.parts import NodeClients
from hicrisp_nodes.supervisor.pictures import Camera, caption_of, wants_eye
from hicrisp_nodes.supervisor.reports import Reports
from hicrisp_nodes.supervisor.request import Request

_PERIOD = 0.5
"""Wall seconds between two looks."""
_PATIENCE = 0.5


class SceneWatch:
    """Looks now and then, in a thread of its own, from the beginning of its block to the end."""

    def __init__(self, observer: TopicObserver, record: SceneRecord) -> None:
        self._observer = observer
        self._record = record
        self._began = time.monotonic()
        self._thread = NodeThread("scene", self._loop)

    def __enter__(self) -> "SceneWatch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.end()
        self._thread.join(_PATIENCE + _PERIOD)

    def _loop(self, ended: Event) -> None:
        seen = -1
        while not rospy.is_shutdown():
            over = ended.wait(_PERIOD)  # What stands at the end is written, too.
            seen, world = self._observer.next(seen, 0.0 if over else _PATIENCE)
            if world is not None:
                try:
                    self._record.see(time.monotonic() - self._began, world)
                except OSError as error:
                    rospy.logwarn("what stands where is not written any more: %s", error)
                    return
            if over:
                return


_STOPPED = "Stopped by you with the emergency stop"
_SIMULATORS = ("embedded_world", "gazebo_scene")
"""The nodes that simulate."""


class TaskRunner:
    """Runs requests; keeps between them only what the action decoder has learnt.

    Args:
        labels: what is written into each result: policy, llm, scene, seed.
        changed: called when the request's progress has changed.
        patience: seconds of wall time that a plan waits at most until everything was seen.
        pictures: whether the run folders get pictures and an animation, where there is a camera.
        memory: what earlier runs left; nothing where none is given.
        route: topic of the path that a base's planner has found; empty where none tells.
        secrets: keys that reach no event, report or status.
        testifies: whether a model is asked from pictures whether goals hold.
    """

    def __init__(
        self, configuration: Configuration, clients: NodeClients, robots: Mapping[str, RosRobot],
        observer: TopicObserver,
        gate: Gate, reports: Reports, runs_dir: Path, labels: Mapping[str, Any],
        changed: Callable[[Request], None],
        patience: float = 10.0, pictures: bool = True, memory: Optional[MemorySettings] = None,
        route: str = "", secrets: Sequence[str] = (), testifies: bool = False,
    ) -> None:
        self._configuration = configuration
        self._clients = clients
        self._robots = robots
        self._observer = observer
        self._namer = RosNamer()
        self._gate = gate
        self._reports = reports
        self._runs_dir = runs_dir
        self._labels = dict(labels)
        self._changed = changed
        self._patience = patience
        self._camera = Camera()
        if pictures:
            self._camera.warm()
        else:
            self._camera.close()
        self._space = drive_space(configuration.scene)
        self._memory = memory
        self._route = route
        self._secrets = tuple(secrets)
        self._testifies = testifies
        self._offsets: Optional[DecoderOffsets] = None
        self._resets = 0

    def follow(self, configuration: Configuration) -> None:
        """Use another scene for the next task.

        Args:
            configuration: scene, domain and policy.
        """
        self._configuration = configuration
        self._space = drive_space(configuration.scene)
        self._labels = {**self._labels, "scene": configuration.scene.name, "seed": configuration.scene.seed}

    def close(self) -> None:
        """The node is about to end: take no more pictures, which would keep it waiting."""
        self._camera.close()

    def _hide(self, entry: Any) -> Any:
        return redacted_values(entry, *self._secrets)

    def close_runs(self, requests: Sequence[Request]) -> None:
        """Complete the run folders of tasks that a former supervisor left.

        Args:
            requests: the tasks.
        """
        for request in requests:
            folder = self._runs_dir / request.id
            if not (folder / FILE_NAME).is_file():
                continue
            request.progress = replace(request.progress, run_folder=str(folder))
            try:
                with EventLog(folder, hide=self._hide) as log:
                    log(TaskFinished(interrupted=True, message=request.progress.message,
                                     reason=request.progress.message).as_dict())
                finish_run(folder)
            except OSError as error:
                rospy.logerr("the run folder of the cut off task %s cannot be completed: %s", request.id, error)

    def run(self, request: Request) -> None:
        """Carry out one task to its end; it has ended once its run folder is complete.

        Args:
            request: the task.
        """
        folder = self._runs_dir / request.id
        begun = request.progress = replace(request.progress, run_folder=str(folder))
        timeline = Timeline()

        def began_again(seconds: float) -> None:
            request.cut_off = (f"the world began again under it: its clock went back by {seconds:.1f} s, and "
                               "nothing that was done holds any more. Submit it again where it is wanted")
            request.cancel.set()

        scene, problem = self._configuration.scene, ""
        bases = [name for name in scene.robots if scene.arena and name in scene.arena.starts]
        record = SceneRecord(folder / SCENE_FILE, scene, self._configuration.domain)
        try:
            events = EventLog(folder, [lambda event: self._reports.event(event, request.id)],
                              self._hide)
        except OSError as error:
            request.progress = request.progress.ended(
                State.FAILED, f"Nothing was begun: the run folder {folder} cannot be written "
                              f"({error.strerror or error}). Free the disk, or launch with another runs_dir.")
            return
        try:
            with events as log, SceneWatch(self._observer, record), \
                    self._observer.hearing_resets(began_again), \
                    Drives(self._observer, bases, self._route) as drives:
                request.explain = lambda: explain(log.events)
                self._follow(request, timeline, log, drives)
                said = explain(log.events)
                request.explain = lambda: said  # Its events may be many, and the task is remembered for long.
        finally:
            try:
                finish_run(folder)  # The result and the report.
            except OSError as error:
                rospy.logerr("the run folder %s has no report: %s", folder, error)
                problem = f"its run folder is not complete ({error.strerror or error})"
        progress = begun.at(timeline)
        request.progress = replace(progress, message=f"{progress.message}; {problem}") if problem else progress

    def _follow(self, request: Request, timeline: Timeline, log: EventLog, drives: Drives) -> None:
        began, began_ros, stops = time.monotonic(), rospy.get_time(), self._gate.stops
        self._camera.begin(log.folder)
        if self._memory is not None:
            self._memory.copy_to(log.folder, self._configuration)

        def tell(event: Dict[str, Any]) -> None:
            event = self._hide(_ended(event, request.cut_off, self._gate.stops > stops))
            happened = timeline.take(event)
            progress = request.progress.at(timeline)
            if progress.state not in ENDED:
                request.progress = progress
            log(event)
            drove = drives.after(happened)
            if drove is not None:
                log(drove.as_dict())
            # The end of a task that is canceled waits for no picture: only its last one is taken.
            if not request.cancel.is_set() or event.get("kind") == TaskFinished.kind:
                self._photograph(event, log)
            self._changed(request)

        seed = _of_the_world("seed", self._labels["seed"])  # A reset of the world changes it.
        labels = {name: self._labels.get(name, "") for name in ("policy", "llm", "scene")}
        tell(TaskReceived(task_id=request.id, text=request.text, seed=seed, faults=_injected(),
                          **labels).as_dict())
        task = Task(request.text, request.id, request.robot)
        # A plan made from half a picture fails or does too little.
        missing = wait_for_picture(
            self._observer, self._robots, Deadline(self._patience), request.cancel,
            lambda said: tell(Waiting(t=round(time.monotonic() - began, 4), text=said).as_dict()))
        if missing:
            tell(Noted(t=round(time.monotonic() - began, 4), text=missing).as_dict())
        if request.dry_run:
            ended = rehearse(self._configuration.domain, self._configuration.policy, self._ports(request), task,
                             request.history)
            tell(replace(ended, t=round(time.monotonic() - began, 4)).as_dict())
        else:
            before = _injected()
            self._carry_out(task, request, tell)
            for fault in _injected()[len(before):]:
                log(FaultInjected(t=round(time.monotonic() - began, 4), **vars(fault)).as_dict())
            self._camera.animate(began_ros, request.cancel)

    def _carry_out(self, task: Task, request: Request, tell: Callable[[Dict[str, Any]], None]) -> None:
        resets = int(_of_the_world("resets", 0))
        # The robot of a world that began again is another one: what was learned is over.
        if resets != self._resets:
            self._resets, self._offsets = resets, None
        policy = replace(self._configuration.policy,
                         autonomy="supervised")  # The gate knows the level of this moment.
        executive = Executive(
            self._ports(request), self._configuration.domain, policy, tell, request.cancel, self._offsets)
        try:
            ended = executive.run(task, request.history)
            request.done, request.conversation = ended.done, ended.conversation
        finally:
            self._offsets = executive.offsets

    def _photograph(self, event: Mapping[str, Any], log: EventLog) -> None:
        caption = caption_of(event)
        if not caption:
            return
        found = [("", self._camera.take(caption)),
                 ("camera", self._camera.look(caption) if wants_eye(event) else None)]
        for eye, file in found:
            if file is not None:
                log(PictureTaken(t=event["t"], sim_t=event["sim_t"], file=file, caption=caption,
                                 eye=eye).as_dict())

    def _ports(self, request: Request) -> Ports:
        domain, cancel = self._configuration.domain, request.cancel

        def planned(plan: Plan) -> None:
            request.plan = plan
            self._reports.plan(plan, request.id)

        def spoken() -> Event:
            """Set when the task is canceled, or something is said from now on."""
            before = request.remarks.count
            return AlarmEvent(lambda: True if request.remarks.count > before else None, cancel)

        def approve(command: Command, doubt: str) -> bool:
            return self._gate.approve(f"May {command.robot} {described(domain, command)}? {doubt}".rstrip(),
                                      spoken(), doubtful=bool(doubt))

        def permit(command: Command, purpose: str) -> bool:
            why = "To mend a step: may" if purpose == CORRECTION else "May"
            return self._gate.permit(f"{why} {command.robot} {described(domain, command)}?", purpose, spoken())

        def review(plan: Plan, world: WorldState) -> Optional[Plan]:
            if not self._gate.reviews:
                return plan
            request.plan = plan
            self._reports.plan(plan, request.id)
            return self._gate.review(PlanReview(plan, domain, world), cancel)

        memory: Optional[FileMemory] = None
        if self._memory is not None:
            simulator = next((name for name in _SIMULATORS if rospy.has_param(f"{name}/seed")), "")
            memory = self._memory.memory(self._configuration, self._labels, simulator, _injected())
        talks = self._configuration.policy.brain == COPAL
        return Ports(
            brain=RosBrain(self._clients.brain, cancel),
            body=RosBody(self._clients.body, self._clients.aim, cancel),
            robots=dict(self._robots),
            detector=self._clients.detector,
            corrector=RosCorrector(self._clients.corrector, cancel),
            observer=TaskObserver(self._observer, cancel),
            approve=approve,
            permit=permit,
            review=review,
            ask=lambda question, seconds: self._gate.ask(question, seconds, cancel),
            help=lambda wanted: self._gate.help(wanted, spoken()),
            announce=planned,
            gate=self._gate.pass_through,
            reporter=RosReporter(self._clients.reporter, cancel) if talks else None,
            watch=TaskOrder(domain, self._space) if domain.roles.drives else None,
            memory=memory,
            remarks=request.remarks,
            interpreter=RosInterpreter(self._clients.interpreter, cancel),
            naming=naming_in,
            namer=self._namer,
            witness=RosWitness(self._clients.witness, cancel) if self._testifies else None,
            true_state=lambda: true_state(self._configuration),
        )


def _ended(event: Dict[str, Any], why: str, stopped: bool) -> Dict[str, Any]:
    """The end of a task that was cut off or stopped says so; any other event stays as it is."""
    if event.get("kind") != TaskFinished.kind:
        return event
    if not why:
        stopped = stopped and not (event["success"] or event["canceled"])
        return {**event, "stopped": True, "message": _STOPPED} if stopped else event
    return {**event, "success": False, "canceled": False, "interrupted": True, "message": why, "reason": why}


def _injected() -> Tuple[FaultRecord, ...]:
    """What a simulated world was told to let go wrong; nothing where there is none."""
    return tuple(FaultRecord(fault["fault"], fault["target"], tuple(fault["magnitude"]), fault["count"])
                 for fault in _of_the_world("faults", []))


def _of_the_world(name: str, default: Any) -> Any:
    """What a simulated world tells of itself; its node is one of two."""
    first, second = _SIMULATORS
    try:
        return rospy.get_param(f"{first}/{name}", rospy.get_param(f"{second}/{name}", default))
    except OSError as error:
        rospy.logwarn("what the simulation tells of itself is not known (%s): the ROS master is away", error)
        return default

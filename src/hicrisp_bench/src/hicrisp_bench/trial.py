"""One trial in one process: a scene, a task, a policy, faults; the executive over the embedded world without ROS,
judged by the poses and the contacts of the physics.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple, Union

import cv2
import numpy as np
from hicrisp_core.detector.perception import frames_of, perceive
from hicrisp_core.domain.schema import Domain
from hicrisp_core.factory import RunFactory, load_factory
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import OFFLINE, VISION
from hicrisp_core.memory.memory import FileMemory
from hicrisp_core.memory.store import Store
from hicrisp_core.model import Goal, Holds, Picture, Pose, Relation, Status, Task, WorldState
from hicrisp_core.model.geometry import distance
from hicrisp_core.model.track import BLIND, Tracks
from hicrisp_core.ports.brain import Usage
from hicrisp_core.ports.interpreter import Interpreter
from hicrisp_core.ports.observer import Frames
from hicrisp_core.ports.perception import CAMERA, POSES, Camera, ObjectTracker
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.scene import Scene, load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.timeline import timeline_of
from hicrisp_libero.episode import GoalGiven
from hicrisp_perception.live_naming import STEADY, LiveNamer, live_namer
from hicrisp_perception.picture_witness import picture_witness
from hicrisp_perception.sources import observe, open_source
from hicrisp_sim.embedded import EmbeddedWorld

from hicrisp_bench.cost import QUESTIONS, questions_of

Wanted = Union[Tuple[Relation, ...], Callable[[WorldState], bool]]
"""The facts that must hold in the end, or a question about the final arrangement."""
_LOOKS, _PAUSE = 3, 0.2
"""How often the camera looks before anything is asked, and simulated seconds between."""
_SECONDS = 180.0
"""Simulated time of a task whose goal is known."""
_FIXED = 0
"""The body of what stands fast, as the table does."""
_MOVED = 0.001
"""Metres by which an object has moved that something has touched."""


def holds_in_truth(
    goal: Wanted, truth: Mapping[str, Tuple[Pose, float]], scene: Scene, domain: Domain, now: float,
) -> bool:
    """Check a goal against the true, noise-free frames.

    Args:
        goal: facts, or a function of the world.
        truth: pose in the world frame and its time by the frame's name.
        scene: the initial objects, robots and facts, as its file describes them.
        domain: types, predicates and actions of the application.
        now: simulation time, seconds.

    Returns:
        Whether the goal is reached.
    """
    robots = tuple(frames_of(name, body) for name, body in bodies_of(scene).items())
    world = perceive(truth, scene.objects, domain, now, robots)
    return goal(world) if callable(goal) else all(fact in world.relations for fact in goal)


class CameraTracks:
    """Takes a picture for every look.

    Args:
        robots: the frames of the robots at this moment.
        namer: names unknown objects, if a model does.
        closer: the camera in the hand, which shows what the first one does not.
    """

    def __init__(self, camera: Camera, perception: ObjectTracker, robots: Callable[[], Frames],
                 namer: Optional[LiveNamer] = None, closer: Optional[Camera] = None) -> None:
        self._camera, self._closer = camera, closer
        self._namer = namer
        self._perception = perception
        self._robots = robots
        self._view = BLIND
        self.usage = Usage()
        """What naming cost."""

    def look(self) -> Tracks:
        """What is to be seen now; what was seen last, with its stamp, where no picture came."""
        picture = self._camera.take()
        if picture is not None:
            tracks = observe(self._perception, picture, lambda _: self._robots(), self._take_closer)
            self._view = Tracks(picture.stamp, tracks, eye=picture.camera.position)
            self._perception.afterwards()
            if self._namer is not None:
                self.usage = self.usage + self._namer.look(picture, self._view)
        return self._view

    def _take_closer(self, stamp: float) -> Optional[Picture]:
        del stamp  # The world stands still between the two.
        return self._closer.take() if self._closer is not None else None

    def forget(self) -> None:
        """The world began again."""
        self._perception.forget()
        self._view = BLIND
        if self._namer is not None:
            self._namer.forget()


def camera_sight(world: EmbeddedWorld, models: Optional[Models] = None, idle: Callable[[], bool] = lambda: True
                 ) -> CameraTracks:
    """Observe a world by its own camera alone; the mounting is checked first.

    Args:
        world: the simulation with its camera.
        models: those of the run; their role ``vision`` names unknown objects, if there is one.
        idle: whether no task is carried out, in which objects keep their names.

    Returns:
        The observer.
    """
    namer = live_namer(models, world.give_name, lambda: world.eyes.unnamed, idle) if models is not None else None
    return CameraTracks(world.camera, open_source(world.scene), world.robot_frames, namer, world.wrist_camera)


@contextmanager
def seen_by_camera(scene: Scene, seed: int, domain: Domain, models: Optional[Models] = None
                   ) -> Iterator[Tuple[EmbeddedWorld, CameraTracks]]:
    """Provide a world that is observed by its own camera alone, with the observer.

    Args:
        scene: its layout.
        seed: draws the camera's noise.
        domain: of the commands.
        models: their role ``vision`` names unknown objects.
    """
    cv2.setNumThreads(1)
    eyes: List[CameraTracks] = []

    def sight(of: EmbeddedWorld) -> CameraTracks:
        eyes.append(camera_sight(of, models))
        return eyes[-1]

    world = EmbeddedWorld(scene, seed, domain=domain, sight=sight)
    try:
        yield world, eyes[0]
    finally:
        world.close()


def carry_out(world: EmbeddedWorld, parts: RunFactory, goal: Holds, words: str, listen: Callable[[Any], Any],
              **ports: Any) -> Dict[str, Any]:
    """Have a task carried out whose goal is known, within three minutes of simulated time.

    Args:
        world: the simulation.
        parts: with the policy.
        goal: what it means.
        words: what the user says.
        listen: called with each event.
        ports: further ones of the executive.

    Returns:
        What the run says of itself, as JSON values, and its simulated ``seconds``.
    """
    late, first, began = Event(), world.time, time.perf_counter()
    world.simulation.at(first + _SECONDS, late.set)
    executive = parts.executive(
        {world.robot.name: world.robot}, world, listen, late, interpreter=GoalGiven(Goal.of(goal)), **ports)
    result = executive.run(Task(words))
    world.settle(1.0)
    return {"claimed": bool(result.success), "corrections": dict(result.corrections),
            "corrected_by": dict(result.corrected_by), "message": result.message, "plan": list(result.plan),
            "seconds": round(world.time - first, 1), "wall_s": time.perf_counter() - began}


def look_steadily(world: EmbeddedWorld) -> None:
    """Observe a world until objects that stand still count as seen steadily, so that they are named before a task.

    Args:
        world: the simulation, observed by its camera.
    """
    for _ in range(2):
        world.look()
        world.pass_time(STEADY)
    world.look()


def first_view(world: EmbeddedWorld) -> WorldState:
    """Look at a world often enough for what stands still to be known.

    Args:
        world: the simulation.

    Returns:
        What is seen.
    """
    for _ in range(_LOOKS):
        world.pass_time(_PAUSE)
        state = world.observe(Deadline(1.0))
    return state


class Touches:
    """What touched the objects that nobody described, since this began to watch.

    Args:
        world: in which they stand already.
    """

    def __init__(self, world: EmbeddedWorld) -> None:
        self._world = world
        self._strangers = [item.name for item in world.scene.unknown]
        self._began = {name: world.true_frames()[name][0] for name in self._strangers}
        self._touched: Set[str] = set()
        if self._strangers:
            model = world.simulation.model
            self._numbers = {model.body(name).id: name for name in self._strangers}
            world.simulation.listeners.append(self._look)

    def _look(self) -> None:
        simulation = self._world.simulation
        bodies = simulation.model.geom_bodyid[np.asarray(simulation.data.contact.geom).reshape(-1, 2)]
        for pair in bodies.tolist():
            for own, other in (pair, pair[::-1]):
                if own in self._numbers and other != _FIXED:
                    self._touched.add(self._numbers[own])

    @property
    def names(self) -> List[str]:
        """Those that something other than the table touched, or that are not where they were."""
        frames = self._world.true_frames()
        moved = {name for name in self._strangers
                 if distance(frames[name][0].position, self._began[name].position) > _MOVED}
        return sorted(self._touched | moved)


@dataclass(frozen=True)
class TrialSettings:
    """What one trial is: all that its result depends on.

    Args:
        goal: by which the final arrangement is judged, in the true poses.
        policy: a file of ``config/policies``.
        faults: kind, target and magnitude of what is injected.
        llm: a file of ``config/llm``.
        models: those that are asked, in place of that file; trials that share them share what they remember.
        interpreter: in place of the usual one.
        look_ahead: in place of what the policy says.
        rate: simulated seconds a second; 0 for as fast as can be.
        perception: how objects are seen: ``poses``, the world's own, or ``camera``.
        memory: the file of what earlier trials taught; nothing is remembered without it.
    """

    config: Path
    scene: str
    task: str
    goal: Wanted
    policy: str = "hierarchical"
    seed: int = 0
    faults: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    llm: str = OFFLINE
    models: Optional[Models] = None
    interpreter: Optional[Interpreter] = None
    look_ahead: Optional[bool] = None
    rate: float = 0.0
    perception: str = POSES
    memory: Optional[Path] = None

    def key(self) -> str:
        """Name a trial among those of its suite.

        Returns:
            A key that differs for each trial.
        """
        faults = " ".join(f"{fault['kind']} {fault['magnitude']}" for fault in self.faults)
        return f"{self.scene}, {self.policy}, {self.seed}, {faults or 'no fault'}: {self.task}"

    def run(self) -> Dict[str, Any]:
        """Run it; see ``run_trial``."""
        return run_trial(self)


def run_trial(settings: TrialSettings, on_event: Callable[[Dict[str, Any]], Any] = lambda event: None
              ) -> Dict[str, Any]:
    """Run one trial.

    Args:
        settings: scene, task, policy, seed and faults.
        on_event: called with each event.

    Returns:
        The result as JSON values.
    """
    scene = load_scene(settings.config / "scenes" / f"{settings.scene}.yaml", settings.seed)
    llm = settings.models.settings if settings.models is not None else settings.llm
    parts = load_factory(settings.config, scene.domain, settings.policy, llm, models=settings.models,
                         bodies=bodies_of(scene))
    parts = replace(parts, llm=parts.llm.of_trial(settings.key()))
    if settings.look_ahead is not None:
        parts = replace(parts, policy=replace(parts.policy, look_ahead=settings.look_ahead))
    if settings.memory is not None:
        parts = replace(parts, memory=FileMemory(Store(settings.memory), parts.domain))
    models, begun = parts.models or Models(parts.llm), Event()
    parts, domain = replace(parts, models=models), parts.domain
    sight = partial(camera_sight, models=models, idle=lambda: not begun.is_set())
    world = EmbeddedWorld(scene, settings.seed, settings.rate, domain=domain,
                          sight=sight if settings.perception == CAMERA else None)
    for fault in settings.faults:
        world.inject(**fault)
    if settings.perception == CAMERA and VISION in models.settings.roles:
        look_steadily(world)
    touches = Touches(world)
    events: List[Dict[str, Any]] = []

    def listen(event: Dict[str, Any]) -> None:
        events.append(event)
        on_event(event)

    ports: Dict[str, Any] = {}
    if settings.interpreter is not None:
        ports["interpreter"] = settings.interpreter
    if settings.perception == CAMERA:
        ports["witness"] = picture_witness(models, world.camera.take)
    executive = parts.executive({world.robot.name: world.robot}, world, listen, **ports)
    began = time.perf_counter()
    begun.set()
    result = executive.run(Task(settings.task))
    wall = time.perf_counter() - began
    world.settle(1.0)
    world.close()
    truth = holds_in_truth(settings.goal, world.true_frames(), scene, domain, world.time)
    told = {**vars(result), "plan": list(result.plan), "failures": [vars(failure) for failure in result.failures],
            "policy": parts.policy.name, "llm": parts.llm.name, "wall_s": wall}
    return {
        **told_of(settings, told, events, domain), "success": truth, "strangers": len(world.scene.unknown),
        "touched": touches.names, "looks": result.looks, "goal_state": result.goal,
        "first_motion_s": result.first_motion_s}


def told_of(
    settings: TrialSettings, told: Mapping[str, Any], events: Sequence[Mapping[str, Any]], domain: Domain
) -> Dict[str, Any]:
    """Return what a run says of itself, for the result of its trial.

    Args:
        settings: of the trial.
        told: the run's own result, with its message and ``wall_s``.
        events: of the run.
        domain: by which its placements are known.
    """
    timeline = timeline_of(events)
    placing = {name for name, use in domain.skills.items() if use.skill == "place"}
    placed = [each for each in timeline.attempts if each.command.action in placing]
    return {
        "task": settings.task, "scene": settings.scene, "seed": settings.seed, "policy": told["policy"],
        "llm": told["llm"], "claimed": bool(told["success"]),
        **{key: told[key] for key in ("message", "plan", "steps_executed", "corrections", "corrected_by", "failures",
                                      "placement_error_m", "llm_calls", "tokens", "wall_s", "sim_s")},
        "attempts": len(placed),
        "releases": sum(each.outcome is not None and each.outcome.status == Status.SUCCESS.value for each in placed),
        "replans": max(0, len(timeline.plans) - 1), QUESTIONS: questions_of(events)}

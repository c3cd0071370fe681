"""The brain's doors, with the brain that the parameter ``~llm`` names."""

from __future__ import annotations

from threading import Lock
from typing import Dict, List, Optional, Tuple
from urllib.parse import urlparse

import rospy
from hicrisp_core.brain.search_brain import SearchBrain
from hicrisp_core.domain import Domain
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import BRAIN, GOAL, LlmSettings
from hicrisp_core.model import Answer, Meaning, Reason, Refusal, Task, WorldState
from hicrisp_core.plan import outlook
from hicrisp_core.ports.brain import Brain
from hicrisp_core.ports.interpreter import Interpreter, Understood
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.understanding.controlled.interpreter import ControlledInterpreter, line_of, naming_in, nearest
from hicrisp_core.understanding.controlled.reader import Reader as Sentences
from hicrisp_core.understanding.hearing import HearingInterpreter
from hicrisp_ros.config_files import Configuration, load_configuration
from hicrisp_ros.diagnostics import ERROR, WARN, Diagnostics, Health
from hicrisp_ros.llm_choice import chosen_llm
from hicrisp_ros.ports.camera_view import CameraView
from hicrisp_ros.scene_change import SceneFollower

from hicrisp_msgs.srv import ReadTask, ReadTaskRequest, ReadTaskResponse
from hicrisp_nodes.brain_server import Asked, BrainServer
from hicrisp_nodes.composition import parts_of
from hicrisp_ros import conversions as to

_LIMIT = 1.0
"""Wall seconds for one reading with its plan."""
_MOST_STEPS = 20


class Reader:
    """Reads controlled English in a domain, without a language model."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._interpreter = HearingInterpreter(ControlledInterpreter(domain), domain)
        self._brain = SearchBrain(domain)

    def read(self, text: str, world: WorldState) -> Tuple[Optional[Meaning], List[str]]:
        """Return what a task would mean.

        Args:
            text: the user's words.
            world: what was observed last.

        Returns:
            The meaning, ``None`` if the words are not controlled English; and the steps that a goal takes, if the time
            is enough to find them.
        """
        naming = naming_in(text, world.objects)
        if naming is not None:
            named = naming.thing.replace("_", " ") or "the unknown object"
            return Answer(f"The name of {named} becomes {naming.name}; nothing moves."), []
        if not text.strip() or isinstance(line_of(text, Sentences(self._domain, world)), Refusal):
            return None, []  # The interpreter would look for other sentences, which takes longer.
        deadline = Deadline(_LIMIT)
        found = outlook(self._interpreter, self._brain, Task(text), world, deadline)
        meaning, answer = found.understood.meaning, found.plan
        if answer is None or meaning is None:
            return meaning, []
        if answer.plan is not None:
            return meaning, [step.text or str(step) for step in answer.plan.steps][:_MOST_STEPS]
        if answer.answer:
            return Answer(answer.answer), []
        return meaning if deadline.passed else Refusal(Reason.IMPOSSIBLE, answer.refusal), []

    def examples(self, task: str, world: WorldState) -> List[str]:
        """Return sentences that would be carried out now.

        Args:
            task: the scene's own task; may be empty.
            world: what was observed last.

        Returns:
            The task and the sentences nearest to it.
        """
        found = nearest(task, Sentences(self._domain, world))
        others = [each for each in found if each.lower() != task.lower().rstrip(" .")]
        return [task, *others] if task else others


class ReadingServer:
    """Serves ``brain/read``; one reading after another."""

    def __init__(self, domain: Domain) -> None:
        self._lock = Lock()
        self.use(domain)
        self._service = rospy.Service("brain/read", ReadTask, self._read)

    def use(self, domain: Domain) -> None:
        """Read in this domain from now on.

        Args:
            domain: that of the loaded scene.
        """
        self._reader = Reader(domain)

    def _read(self, request: ReadTaskRequest) -> ReadTaskResponse:
        world = to.WORLD.from_msg(request.world)
        with self._lock:
            if request.examples:
                return ReadTaskResponse(examples=self._reader.examples(request.task, world))
            meaning, steps = self._reader.read(request.task, world)
        return ReadTaskResponse(read=meaning is not None, meaning=to.UNDERSTOOD.to_msg(Understood(meaning)),
                                steps=steps)


def model_health(models: Models, asked: Asked) -> Health:
    """Judge the models by the probe and the last request.

    Args:
        models: the node's models.
        asked: cost and outcome of the requests.

    Returns:
        Level, text and values for the diagnostics.
    """
    used = [models.settings.of_role(role) for role in (GOAL, BRAIN)]
    if all(each.offline for each in used):
        return Health("no model: tasks are read in controlled English", values={"configuration": models.settings.name})
    values: Dict[str, object] = {
        "configuration": models.settings.name, "model": ", ".join(dict.fromkeys(
            "no model" if each.offline else f"{each.backend}:{each.model_name}" for each in used)),
        "endpoint": ", ".join(dict.fromkeys(map(_where, used))), "calls": asked.calls, "tokens": asked.tokens,
        "last answer took": f"{asked.seconds:.1f} s" if asked.calls else "nothing asked yet"}
    if asked.failure:
        return Health(f"the last request got no answer: {asked.failure}", ERROR, values)
    silent = [each for each in models.known if each.failure is not None]
    if silent and not asked.calls:
        return Health(f"{_where(used[0])} gives no answer: {silent[0].failure.message}"
                      if silent[0].failure is not None else "", WARN, values)
    return Health("answers" if asked.calls or models.known else "not asked yet", values=values)


def _where(settings: LlmSettings) -> str:
    """The host of an endpoint, without what stands before and behind it."""
    if settings.offline:
        return "none"
    if settings.replay:
        return "a recorded run"
    found = urlparse(settings.url)
    if not settings.url:
        return "this machine" if settings.own else "the usual one"
    return f"{found.hostname}:{found.port}" if found.port else str(found.hostname)


def build() -> BrainServer:
    """The brain that the parameters ask for; it follows the scene of the world."""
    configuration = load_configuration()
    llm, why = chosen_llm()
    models = Models(llm)
    rospy.loginfo("the brain is %s: %s", llm.name, why)

    look = CameraView()

    def brain(found: Configuration) -> Tuple[Brain, Interpreter]:
        parts = parts_of(found, models)
        return parts.brain(), parts.interpreter(look)

    server, reading = BrainServer(*brain(configuration)), ReadingServer(configuration.domain)

    def follow(found: Configuration) -> None:
        server.use(*brain(found))
        reading.use(found.domain)

    models.begin_probe()
    server.diagnostics = Diagnostics("language model", lambda: model_health(models, server.asked))
    server.follower = SceneFollower(follow)
    return server

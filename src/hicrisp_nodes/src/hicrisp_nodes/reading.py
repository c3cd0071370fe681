"""What typed words would come to: controlled English read and planned at once, behind the service ``brain/read``."""

from __future__ import annotations

from threading import Lock
from typing import List, Optional, Tuple

import rospy
from hicrisp_core.brain.search_brain import SearchBrain
from hicrisp_core.domain import Domain
from hicrisp_core.model import Task, WorldState
from hicrisp_core.model.meaning import Answer, Meaning, Reason, Refusal
from hicrisp_core.plan import outlook
from hicrisp_core.ports.interpreter import Understood
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.understanding.controlled.interpreter import ControlledInterpreter, line_of, naming_in, nearest
from hicrisp_core.understanding.controlled.reader import Reader as Sentences
from hicrisp_core.understanding.hearing import HearingInterpreter

from hicrisp_msgs.srv import ReadTask, ReadTaskRequest, ReadTaskResponse
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

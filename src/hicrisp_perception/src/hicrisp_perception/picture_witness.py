"""A second witness that shows a model a camera's pictures from before and after."""

from __future__ import annotations

from threading import Lock
from typing import Callable, Dict, Optional, Sequence, Tuple

from hicrisp_core.config.files import named_folder
from hicrisp_core.llm.chat_model import ChatModel
from hicrisp_core.llm.images import data_uri
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import WITNESS
from hicrisp_core.model import Picture, Track, Uncertainty, WorldState
from hicrisp_core.ports.witness import Testimony
from hicrisp_core.prompting.templates import Prompts
from hicrisp_core.prompting.testimony import PLACEHOLDERS, PROMPTS, ask_for_reason, ask_witness
from hicrisp_core.time.deadline import Deadline

from hicrisp_perception.annotating import annotated, as_jpeg

Take = Callable[[], Optional[Picture]]


class PictureWitness:
    """Keeps pictures by the name of their moment, and shows them beside the newest one.

    Args:
        model: takes pictures.
        prompts: of the folder ``witness``.
        take: returns the newest picture; ``None`` if there is none.
        limit: time for an answer, wall seconds.
    """

    def __init__(self, model: ChatModel, prompts: Prompts, take: Take, limit: float) -> None:
        self._model, self._prompts, self._take, self._limit = model, prompts, take, limit
        self._kept: Dict[str, Tuple[Picture, WorldState]] = {}
        self._lock = Lock()

    def keep(self, moment: str, world: WorldState) -> bool:
        """Keep the picture of now.

        Args:
            moment: what the picture is called; it replaces an earlier one of that name.
            world: says where in the picture which object is.

        Returns:
            Whether there is one.
        """
        picture = self._take()
        with self._lock:
            self._kept.pop(moment, None)
            if picture is not None:
                self._kept[moment] = picture, world
        return picture is not None

    def ask(self, moment: str, statements: Sequence[str], names: Sequence[str], deadline: Deadline) -> Testimony:
        """Ask the model whether statements hold now.

        Args:
            moment: of the kept picture that shows what it was like before.
            statements: clauses in plain words.
            names: the objects that they are about, which are marked in the picture from before.
            deadline: wall-clock limit of the call.

        Returns:
            The answers, or why there are none.
        """
        return self._shown(moment, statements, names, deadline, ask_witness)

    def explain(self, moment: str, failure: Sequence[str], names: Sequence[str], deadline: Deadline) -> Testimony:
        """Ask the model why a command failed, and what to do about it.

        Args:
            moment: of the kept picture that shows what it was like before.
            failure: the command and what was measured, as sentences.
            names: the objects that they are about, which are marked in the picture from before.
            deadline: wall-clock limit of the call.

        Returns:
            Reason and suggestion, or why there are none.
        """
        return self._shown(moment, failure, names, deadline, ask_for_reason)

    def _shown(self, moment: str, told: Sequence[str], names: Sequence[str], deadline: Deadline,
               ask: Callable[..., Testimony]) -> Testimony:
        with self._lock:
            before, world = self._kept.get(moment, (None, WorldState()))
        now = self._take()
        if before is None or now is None:
            return Testimony(trouble="There is no picture from before, or none from now.")
        # Where the detector sees them now must not be shown: the witness would only repeat it.
        items = [world.objects[name] for name in names if name in world.objects]
        marks = [Track(item.name, item.pose, Uncertainty(), before.stamp, unknown=item)
                 for item in items if item.pose is not None]
        shown = (annotated(before, marks, {}), annotated(before, (), {}), annotated(now, (), {}))
        limit = Deadline(min(self._limit, max(0.0, deadline.remaining)))
        return ask(self._model, self._prompts, told, items, [data_uri(as_jpeg(each)) for each in shown], limit)


def picture_witness(models: Models, take: Take) -> Optional[PictureWitness]:
    """Create the witness that a configuration names a model for.

    Args:
        models: of the configuration of the run.
        take: returns the newest picture; ``None`` if there is none.

    Returns:
        The witness; ``None`` if ``roles`` of the configuration has neither ``witness`` nor ``vision``.

    Raises:
        ConfigError: if the model's settings or the prompts are wrong.
    """
    if not models.settings.testifies:
        return None
    prompts = Prompts(named_folder("prompts", PROMPTS) or PROMPTS, PLACEHOLDERS)
    return PictureWitness(models.of(WITNESS), prompts, take, models.settings.of_role(WITNESS).timeout_s)

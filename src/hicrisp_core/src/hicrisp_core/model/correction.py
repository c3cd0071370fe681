"""What the corrector works on and answers: the entries of the feedback stack and a Correction."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Optional, Tuple

from typing_extensions import Final

from hicrisp_core.model.feedback import Feedback
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.task import OFFLINE_SOURCE, Command, Step


class Rung:
    """Names of the rungs of the corrector's ladder, cheapest first; a package of one's own adds others."""

    REPAIR: Final = "repair"
    """A search over the domain's own operators, without a model."""
    SEQUENCE: Final = "sequence"
    """CoPAL's mid-level planner: the same search, only for what a sequence of commands recovers (Tables II, III); its
    corrections count as ``repair``.
    """
    OFFSET: Final = "offset"
    """The action decoder's estimate was updated by the measured deviation; the same action is tried again."""
    HELP: Final = "help"
    """A person is asked for what no robot here can do, and says when it is done; the same action is tried
    again.
    """
    MEMORY: Final = "memory"
    """What worked in an earlier run for such a failure, where the checker and a search find that it fits."""
    LLM_STEP: Final = "llm_step"
    """A corrective action from the brain (HiCRISP, Algorithm 1, line 8)."""
    LLM_REPLAN: Final = "llm_replan"
    """A new plan from the failed step on (BrainBody-LLM, CoPAL)."""
    GIVE_UP: Final = "give_up"
    """Nothing is left to try; the robot is stopped and the user told why."""


class MakerKind(Enum):
    """Who makes corrections."""

    NOBODY = "nobody"
    """There is no correction."""
    SEARCH = "search"
    """A search over the domain's operators."""
    DECODER = "decoder"
    """The action decoder: another aim, target or trajectory for the same action."""
    OFFLINE = "offline"
    """The planner without a model."""
    MODEL = "model"
    """A language model; its name is given."""
    PERSON = "person"
    """A person who was asked."""
    MEMORY = "memory"
    """An earlier run; its name is the id of the memory's entry."""


@dataclass(frozen=True)
class Maker:
    """Who made a correction; ``name`` is a model's."""

    kind: MakerKind = MakerKind.NOBODY
    name: str = ""

    @classmethod
    def of_plan(cls, source: str) -> "Maker":
        """Return the maker of a plan.

        Args:
            source: the plan's ``source``.

        Returns:
            The offline planner, or the model of that name.
        """
        return cls(MakerKind.OFFLINE) if source == OFFLINE_SOURCE else cls(MakerKind.MODEL, source)

    @property
    def label(self) -> str:
        """A model's name, the kind of every other maker; empty where there is none."""
        if self.kind is MakerKind.MODEL:
            return self.name
        return "" if self.kind is MakerKind.NOBODY else self.kind.value


NOBODY = Maker()
"""Of what is no correction."""


@dataclass(frozen=True)
class StackEntry:
    """A failed command and why it failed (HiCRISP, section III-D); ``maker`` made it, where a correction has it."""

    command: Command
    feedback: Feedback
    attempts: int = 1
    maker: Maker = NOBODY


@dataclass(frozen=True)
class TriedCommand:
    """A command that was tried for a step, and why it failed; without feedback it worked, and did not help."""

    command: Command
    feedback: Optional[Feedback] = None


@dataclass(frozen=True)
class Correction:
    """What the corrector answers.

    ``commands`` lead to a state in which the top of the stack can be retried; they may be none, when the
    retry alone may help (the decoder was corrected, or the failure may be transient). ``steps`` replace the plan from
    there on, whichever rung answers them; LLM_REPLAN also without any.
    """

    rung: str
    commands: Tuple[Command, ...] = ()
    steps: Tuple[Step, ...] = ()
    drop: bool = False
    """The failed command is dropped with a note: it is redundant, or the last of ``commands`` stands in
    for it.
    """
    note: str = ""
    """Why, in words for people; no code reads them."""
    maker: Maker = NOBODY
    goal: Optional[Goal] = None
    """What the new steps lead to, where who made them says it anew."""

    @property
    def replaces_plan(self) -> bool:
        """Whether the plan's rest is given up for ``steps``."""
        return bool(self.steps) or self.rung == Rung.LLM_REPLAN

"""The policy: which parts of the three systems are on, and their limits; one YAML file each, and reading it."""

from __future__ import annotations

from dataclasses import field, fields, replace
from pathlib import Path as FilePath
from typing import Tuple, Union

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveInt
from pydantic.dataclasses import dataclass
from typing_extensions import Final, Literal

from hicrisp_core.config.files import config_folders, extended_files
from hicrisp_core.config.settings import STRICT, fixed, read_settings
from hicrisp_core.config.yaml_files import read_yaml
from hicrisp_core.extensions import extensions
from hicrisp_core.model import Rung
from hicrisp_core.model.offsets import OffsetSettings
from hicrisp_core.policy.search_limits import SearchLimits

SINGLE: Final = "single"
GOAL: Final = "goal"
COPAL: Final = "copal"
"""The brains that a policy can name: one model that plans, one that makes goals, or CoPAL's agents."""
TASK: Final = "task"
STEPS: Final = "steps"
OFF: Final = "off"
"""What is judged at the end; ``MODEL`` is who judges it otherwise."""
LATER: Final = "later"
"""That failed steps are corrected once the whole plan was carried out."""
UNMEASURABLE, DOUBT, ALWAYS, FAILURES, ALL = "unmeasurable", "doubt", "always", "failures", "all"
"""What a second witness is asked about."""
ON: Final = "on"
"""That a part of a policy is on."""
DIRECT, MODEL, SIMILAR = "direct", "model", "similar"
"""The kinds of bodies."""
_REMOVED = {"grammar": "one interpreter reads what users say, and the language model's file in config/llm names it"}


@dataclass(frozen=True, config=STRICT)
class Budget:
    """What a task may use; reaching any of them ends it with the reason.

    What passes while the task is paused, or while a person is asked for leave or for help, counts in neither
    of the times.

    Args:
        llm_calls: requests to language models.
        tokens: tokens of all requests and answers.
        seconds: seconds from the task's start, of wall time or of the robot's clock, whichever are more: a
            simulated robot's clock may go faster, or slower. Thinking takes wall time only.
        corrections: commands that correct something.
        correction_seconds: seconds of the robot's clock between a failure and the next step of that robot
            that is carried out, or the goal that is seen after all; those of the whole task together. What
            passes while a model thinks does not count.
    """

    llm_calls: NonNegativeInt = 40
    tokens: NonNegativeInt = 200_000
    seconds: NonNegativeFloat = 1800.0
    corrections: NonNegativeInt = 60
    correction_seconds: NonNegativeFloat = 600.0


@dataclass(frozen=True, config=STRICT)
class Policy:
    """How a task is run.

    Args:
        name: name of the policy; the same as its file's.
        rungs: the ladder's rungs that are on, in the order in which they are climbed: ``repair``, ``sequence``,
            ``offset``, ``help``, ``memory``, ``llm_step``, ``llm_replan``, or one of a package of one's own.
        threshold: corrections for one failed step (HiCRISP, Algorithm 1, line 6).
        depth: entries of the feedback stack.
        replans: new plans for one task (CoPAL: 5).
        repeat_replans: whether a failure that was met before in the same state is planned anew again; a model
            that samples may answer otherwise, and ``replans`` bounds it.
        check_preconditions: whether the logical checker stops a command before it moves the robot.
        detect: whether verdicts are acted on; without it the plan runs open loop.
        on_failed_step: ``stop`` or ``continue`` when a step could not be corrected; with ``later`` none is corrected
            before the plan was carried out to its end, and what is missing then is (``verify_goal``).
        verify_goal: what is looked at once all steps are done, and mended: ``task``, the goal of the task
            (where nobody can say what that is, the steps); ``steps``, what they made; ``off``, nothing. With ``model``
            the brain judges whether the task is done, and plans what is left of it (CoPAL, Table V).
        ask_time_limit: wall seconds that the user has to say what is meant; then the task is refused.
        feedback_level: ``what``, ``why`` or ``how``: how much of ⟨error, reason, suggestion⟩ a model is told.
        brain: ``single``, one model that plans; ``goal``, a model that says what the task means and a search
            that plans (LLM+P); or ``copal``, its three agents (CoPAL, III-A and III-B).
        autonomy: what waits for a person's approval. ``full``: nothing; ``supervised``: actions that cannot
            be undone; ``corrections``: those and every correction; ``reviewed``: those and every plan;
            ``manual``: every command.
        memory: what earlier runs left: ``on``, it is used and kept; ``read``, used only; ``off``. Whoever
            launches the workspace may say otherwise.
        look_ahead: whether a body with a model translates the next step while the robot moves; the answer is
            used only where the question turns out to be the very same, and both are counted.
        look_before_release: whether an arm looks at what it holds above the goal, goes there anew until that
            is near enough, and only then lets go; and whether it looks at what it reaches for before its hand
            closes.
        witness: what the model of the role ``vision`` is asked about from pictures before and after:
            ``unmeasurable``, what a domain says only a witness sees; ``doubt``, also what of the goal is measured
            with a standard deviation above half the tolerance; ``always``, all of the goal. A sure measurement
            stands; else disagreement asks for another view. ``failures``, why a command failed that was carried out:
            its words go to the models that correct, as its own; ``all``, both. ``off``, or no such model: nothing.
        body: who turns steps into commands: ``direct`` (the brain names actions itself), ``model`` (a second
            language model, BrainBody-LLM) or ``similar`` (the nearest sentence embedding, its baseline).
        prompts: folder of ``config/prompts``, the policy's own or the workspace's; what it lacks is taken
            from ``default``.
        budget: what a task may use.
        offset: how the action decoder learns from what was measured.
        search: how far a repair or a plan is searched for.
    """

    name: str
    rungs: Tuple[str, ...] = (Rung.REPAIR, Rung.OFFSET, Rung.LLM_STEP, Rung.LLM_REPLAN)
    threshold: PositiveInt = 8
    depth: PositiveInt = 5
    replans: NonNegativeInt = 5
    repeat_replans: bool = False
    check_preconditions: bool = True
    detect: bool = True
    on_failed_step: Literal["stop", "continue", "later"] = "stop"
    verify_goal: Literal["task", "steps", "model", "off"] = STEPS
    ask_time_limit: NonNegativeFloat = 60.0
    feedback_level: Literal["what", "why", "how"] = "how"
    autonomy: Literal["supervised", "full", "reviewed", "corrections", "manual"] = "supervised"
    brain: Literal["single", "goal", "copal"] = SINGLE
    prompts: str = "default"
    look_ahead: bool = True
    body: Literal["direct", "model", "similar"] = "direct"
    memory: Literal["off", "read", "on"] = OFF
    look_before_release: Literal["off", "on"] = OFF
    witness: Literal["off", "unmeasurable", "doubt", "always", "failures", "all"] = OFF
    budget: Budget = field(default_factory=Budget)
    offset: OffsetSettings = field(default_factory=OffsetSettings)
    search: SearchLimits = fixed(SearchLimits())

    @property
    def interprets(self) -> bool:
        """Return whether a task is interpreted as a goal before it is planned."""
        return self.brain == GOAL or self.verify_goal == TASK

    @property
    def worded(self) -> bool:
        """Return whether the brain plans in words and leaves the commands to the body."""
        return self.body != DIRECT

    def allows(self, rung: str) -> bool:
        """Check whether a rung of the ladder is enabled.

        Args:
            rung: the rung to check.

        Returns:
            Whether the policy lists it.
        """
        return rung in self.rungs


def load_policy(file: Union[str, FilePath], chain: Tuple[FilePath, ...] = ()) -> Policy:
    """Read and check a policy file.

    Keys that the file leaves out come from the policies that it ``extends``; the last one takes precedence.

    Args:
        file: path of the YAML file.
        chain: the files that led to this one through ``extends``, to detect cycles.

    Returns:
        The policy.

    Raises:
        ConfigError: for an unknown key, rung or value, with the file, the line and the valid ones.
    """
    values, positions = read_yaml(file)
    parents = [load_policy(each, (*chain, FilePath(file)))
               for each in extended_files(FilePath(file), values, positions, "policy", chain)]
    usual = merged = Policy("")
    for parent in parents:  # Of what two of them say differently from the usual, the later one counts.
        merged = replace(merged, **{entry.name: getattr(parent, entry.name) for entry in fields(usual)
                                    if getattr(parent, entry.name) != getattr(usual, entry.name)})
    found = read_settings(
        Policy, values, positions, required=() if parents else ("rungs",), others=("description", "extends"),
        renamed={"name": "policy"}, base=merged, removed=_REMOVED)
    known = extensions().rungs
    for index, name in enumerate(found.rungs if "rungs" in values else ()):
        if name == Rung.GIVE_UP:
            raise positions.error(("rungs", index), "give_up is no rung to choose: every ladder ends there")
        if name not in known:
            raise positions.error(("rungs", index), known.unknown(name))
    # Its prompts may lie in ``prompts`` beside its own folder, and not in the workspace's.
    own = FilePath(file).resolve().parent.parent / "prompts" / found.prompts
    elsewhere = "prompts" in values and own.is_dir() and own.parent not in config_folders("prompts")
    return replace(found, prompts=str(own)) if elsewhere else found

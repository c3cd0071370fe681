"""A run as the page shows it, folded event by event: live and in a replay alike."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Set

from hicrisp_core.trace.events import (
    Answered,
    ApprovalAsked,
    CommandTried,
    CorrectionMade,
    Event,
    FaultInjected,
    GoalJudged,
    GoalUnderstood,
    Noted,
    OffsetLearnt,
    OutcomeClaimed,
    PictureTaken,
    PlanMade,
    QuestionAsked,
    Recalled,
    Refused,
    StackChanged,
    StepFinished,
    StepStarted,
    TaskFinished,
    TaskReceived,
    UsageSoFar,
    UserSaid,
    VerdictGiven,
    Waiting,
)
from hicrisp_core.trace.explain import source_words
from hicrisp_core.trace.plain import plain
from hicrisp_core.trace.read_event import event_of

from hicrisp_web.view.places import Places
from hicrisp_web.view.stack_view import StackView
from hicrisp_web.view.step_view import WAITING, StepView

Sections = Dict[str, Any]
PLANNING, RUNNING, CORRECTING, ENDED = "planning", "running", "correcting", "ended"
_MOST_SAID = 200
"""Lines of what was said and asked that are kept, the latest ones."""
_MOST_PICTURES = 8
"""Pictures that are named, the latest ones."""
_UNFOLDED = 40
"""Steps before the latest one that are shown with what was tried in them; of older ones there is a line."""
EMPTY: Mapping[str, Any] = {
    "run": None, "goal": None, "plan": None, "stack": StackView().section(), "usage": None, "offsets": {},
    "said": [], "pictures": [], "places": [], "corrections": {}, "doing": {}}
"""The sections of no run, without its steps."""


class RunView:
    """The sections of one run; ``after`` answers those that an event has changed.

    A section is a JSON value by its name: ``run``, ``goal``, ``plan``, ``step:0`` and so on, ``stack``,
    ``usage``, ``offsets``, ``said``, ``pictures``, ``places``, ``corrections``, ``doing`` (the command under
    way by robot). ``None`` in the place of a step means that a new plan has taken it away.
    """

    def __init__(self) -> None:
        self._run: Sections = {"state": PLANNING, "t": 0.0}
        self._goal: Optional[Sections] = None
        self._plan: Sections = {"steps": [], "source": "", "reasoning": "", "replans": 0}
        self._steps: Dict[int, StepView] = {}
        self._stack = StackView()
        self._usage: Optional[Sections] = None
        self._offsets: Dict[str, Sections] = {}
        self._said: List[Sections] = []
        self._pictures: List[Sections] = []
        self._places = Places()
        self._rungs: Dict[str, int] = {}
        self._doing: Dict[str, str] = {}
        self._tried = 0
        self._latest: Optional[int] = None
        self._touched: Set[str] = set()

    def after(self, entry: Mapping[str, Any]) -> Sections:
        """Advance by a written event.

        Args:
            entry: the event as it is written; unknown kinds change nothing.

        Returns:
            The changed sections.
        """
        event = event_of(entry)
        return {} if event is None else self.changed(event)

    def changed(self, event: Event) -> Sections:
        """Advance by an event.

        Args:
            event: the next event of the run.

        Returns:
            The changed sections.
        """
        self.fold(event)
        return {name: self._section(name) for name in sorted(self._touched)}

    def fold(self, event: Event) -> None:
        """Advance by an event without rendering it.

        Args:
            event: the next event of the run.
        """
        self._touched = {"run"}
        self._run["t"] = max(self._run["t"], event.t)
        self._take(event)

    @property
    def ended(self) -> bool:
        """Whether the run has come to its end."""
        return bool(self._run["state"] == ENDED)

    def sections(self) -> Sections:
        """Every section as it stands now."""
        return {name: self._section(name) for name in (*EMPTY, *(f"step:{index}" for index in self._steps))}

    def _section(self, name: str) -> Any:
        if name.startswith("step:"):
            step = self._steps.get(int(name[5:]))
            return None if step is None else step.section(folded=self._folded(step.index))
        return {
            "run": lambda: dict(self._run), "goal": lambda: self._goal and dict(self._goal),
            "plan": lambda: {**self._plan, "steps": sorted(self._steps)}, "stack": self._stack.section,
            "usage": lambda: self._usage, "offsets": lambda: dict(self._offsets),
            "said": lambda: list(self._said), "pictures": lambda: list(self._pictures),
            "places": self._places.section, "corrections": lambda: dict(self._rungs),
            "doing": lambda: dict(self._doing)}[name]()

    def _folded(self, index: int) -> bool:
        """Whether a step is so long over that its line alone is shown."""
        return self._latest is not None and index < self._latest - _UNFOLDED

    def _take(self, event: Event) -> None:
        if isinstance(event, TaskReceived):
            faults = [{"fault": each.fault, "target": each.target} for each in event.faults]
            self._run.update(
                task_id=event.task_id, text=event.text, policy=event.policy, llm=event.llm,
                scene=event.scene, seed=event.seed, faults=faults)
        elif isinstance(event, PlanMade):
            self._planned(event)
        elif isinstance(event, (StepStarted, StepFinished, CommandTried, OutcomeClaimed, VerdictGiven,
                                CorrectionMade)):
            self._stepped(event)
        elif isinstance(event, StackChanged):
            self._stack.change(event)
            self._run["state"] = CORRECTING if event.entries else RUNNING
            self._touched.add("stack")
        elif isinstance(event, (GoalUnderstood, GoalJudged, Answered, Refused, TaskFinished, Waiting)):
            self._told(event)
        elif isinstance(event, UsageSoFar):
            self._usage = {"calls": event.calls, "seconds": event.seconds,
                           "tokens": event.prompt_tokens + event.completion_tokens}
            self._touched.add("usage")
        elif isinstance(event, OffsetLearnt):
            self._offsets[event.key] = {"applied": plain(event.applied), "sigma": plain(event.sigma),
                                        "samples": event.samples}
            self._touched.add("offsets")
        elif isinstance(event, PictureTaken):
            taken = {"file": event.file, "caption": event.caption, "t": event.t, "eye": event.eye}
            self._pictures = [*self._pictures, taken][-_MOST_PICTURES:]
            self._touched.add("pictures")
        else:
            self._note(event)

    def _planned(self, event: PlanMade) -> None:
        for index in [each for each in self._steps if each >= event.from_step]:
            del self._steps[index]
            self._touched.add(f"step:{index}")
        robots = (*event.robots, *("" for _ in event.steps))
        for place, text in enumerate(event.steps):
            index = event.from_step + place
            self._steps[index] = StepView(index, text, robots[place])
            self._touched.add(f"step:{index}")
        again = self._plan["replans"] + (1 if event.from_step else 0)
        source = source_words(event.source) if event.source else ""
        self._plan = {"source": source, "reasoning": event.reasoning, "replans": again}
        self._run.update(state=RUNNING, waiting="")
        self._touched.add("plan")

    def _stepped(self, event: Event) -> None:
        step = self._step_of(event)
        self._touched.add(f"step:{step.index}")
        if isinstance(event, StepStarted):
            step.begin(event.t, event.text, event.robot)
            self._latest = step.index
            if step.index - _UNFOLDED - 1 in self._steps:
                self._touched.add(f"step:{step.index - _UNFOLDED - 1}")
            self._run.update(state=RUNNING, step=step.index)
        elif isinstance(event, StepFinished):
            step.end(event.t, event.ok)
            self._idle(event.robot)
        elif isinstance(event, CommandTried):
            self._tried += 1
            step.command(event, self._tried)
            self._places.aim(event, self._tried)
            self._doing[event.robot] = event.text or event.command
            self._touched |= {"doing", "places"}
        elif isinstance(event, OutcomeClaimed):
            step.outcome(event)
            self._run["waiting"] = ""
            self._idle(event.robot)
        elif isinstance(event, VerdictGiven):
            tried = step.verdict(event)
            self._idle(event.robot)
            if tried is not None and self._places.seen(event, tried["number"]):
                self._touched.add("places")
        elif isinstance(event, CorrectionMade):
            step.correction(event)
            self._rungs[event.rung] = self._rungs.get(event.rung, 0) + 1
            self._run["state"] = CORRECTING
            self._touched.add("corrections")

    def _told(self, event: Event) -> None:
        if isinstance(event, GoalUnderstood):
            self._goal = {"known": event.known, "said": event.said, "source": event.source, "state": "",
                          "conditions": _conditions(event), "missing": ""}
            self._touched.add("goal")
        elif isinstance(event, GoalJudged):
            before = self._goal or {"known": True, "said": "", "source": "", "conditions": []}
            self._goal = {**before, "state": "seen" if event.seen else "missed", "missing": event.missing}
            self._touched.add("goal")
        elif isinstance(event, Waiting):
            self._run["waiting"] = event.text
        elif isinstance(event, Answered):
            self._run["answer"] = event.text
        elif isinstance(event, Refused):
            self._run["refusal"] = {"text": event.text, "alternatives": list(event.alternatives)}
        elif isinstance(event, TaskFinished):
            self._finished(event)

    def _finished(self, event: TaskFinished) -> None:
        verdict = "canceled" if event.canceled else "interrupted" if event.interrupted else \
            "refused" if "refusal" in self._run else \
            "answered" if "answer" in self._run else "succeeded" if event.success else \
            "stopped" if event.stopped else "failed"
        self._run.update(
            state=ENDED, verdict=verdict, message=event.message, reason=event.reason, goal=event.goal,
            figures={"commands": event.steps_executed, "corrections": plain(event.corrections),
                     "calls": event.llm_calls, "tokens": event.tokens, "seconds": event.wall_s,
                     "robot_seconds": event.sim_s, "placement_error_m": event.placement_error_m,
                     "first_motion_s": event.first_motion_s},
            given_up=list(event.given_up), not_begun=list(event.not_begun))
        self._doing.clear()
        self._touched.add("doing")

    def _note(self, event: Event) -> None:
        """What is only told: to the step that is under way, and to the talk where a person is part of it."""
        said: Optional[Sections] = None
        if isinstance(event, QuestionAsked):
            said = {"kind": "question", "text": event.text, "choices": list(event.choices),
                    "reply": event.answer}
        elif isinstance(event, UserSaid):
            said = {"kind": "said", "text": event.text, "effect": event.effect, "reply": event.reply}
        elif isinstance(event, ApprovalAsked):
            said = {"kind": "approval", "text": event.command, "effect": "yes" if event.granted else "no",
                    "reply": event.doubt}
        elif isinstance(event, Recalled):
            said = {"kind": "recalled", "text": "; ".join(event.texts), "reply": event.what}
        elif isinstance(event, FaultInjected):
            said = {"kind": "fault", "text": event.fault, "reply": event.target}
        elif isinstance(event, Noted):
            said = {"kind": "note", "text": event.text}
        if said is not None:
            self._said = [*self._said, {"t": event.t, **said}][-_MOST_SAID:]
            self._touched.add("said")

    def _idle(self, robot: str) -> None:
        if self._doing.pop(robot, None) is not None:
            self._touched.add("doing")

    def _step_of(self, event: Event) -> StepView:
        """The step that an event names, else the latest; one is made for events that come before any."""
        index = event.index if event.index is not None else self._latest
        index = 0 if index is None else index
        if index not in self._steps:
            self._steps[index] = StepView(index, "")
            self._steps[index].state = WAITING
            self._touched |= {"plan", f"step:{index}"}
        return self._steps[index]


def _conditions(goal: GoalUnderstood) -> List[Sections]:
    """The parts of a goal in writing, each with when it applies."""
    numbered = len(goal.stages) > 1
    staged = [(f"stage {number}" if numbered else "at the end", each)
              for number, each in enumerate(goal.stages, start=1)]
    parts = (*staged, *(("otherwise", each) for each in goal.otherwise),
             *(("on the way", each) for each in goal.invariants))
    return [{"when": when, "text": text} for when, text in parts]

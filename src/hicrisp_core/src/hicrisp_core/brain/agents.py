"""CoPAL's agents as one brain: Alex talks, Travi thinks the task through, Ropa writes the actions (III-A, III-B)."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from typing import Any, Collection, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from hicrisp_core.brain.model_brain import TOO_LONG, read_plan_answer
from hicrisp_core.domain import Domain, goal_words, words_of
from hicrisp_core.llm.chat_model import Completion
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import ALEX, ROPA, TRAVI
from hicrisp_core.model import Command, Step, WorldState
from hicrisp_core.parsing.grounding import ground_name
from hicrisp_core.parsing.json_text import read_json
from hicrisp_core.parsing.plan_text import ParseFailure
from hicrisp_core.ports.brain import Brain, CorrectionRequest, PlanAnswer, PlanRequest, ReportAnswer, ReportRequest
from hicrisp_core.prompting import answer_schema as schemas
from hicrisp_core.prompting import describe
from hicrisp_core.prompting.asking import ModelReply, ask, compact
from hicrisp_core.prompting.describe import actions_text
from hicrisp_core.prompting.examples import Shown, remembered_answers, remembered_text, shown_examples, told_reports
from hicrisp_core.prompting.plan_prompt import NOTHING_SPECIAL, example_answer, request_texts, step_object, wanted_text
from hicrisp_core.prompting.quarantine import LIMIT, plain, quarantined, task_text
from hicrisp_core.prompting.templates import Prompts
from hicrisp_core.time.deadline import Deadline

_WORDS: Mapping[str, Any] = {"type": "string"}
_HEARD: Mapping[str, Any] = schemas.closed({
    "kind": schemas.one_of(["task", "talk"]), "forward": _WORDS, "answer": _WORDS})
"""What comes first decides: a task that is handed on, or words for the user; the other words are empty."""
_TOLD: Mapping[str, Any] = schemas.closed({"answer": _WORDS})
_FIELD: Mapping[str, Any] = {**schemas.WORDS, "maxLength": LIMIT}
_LINE = 450
_NO_PLAN = "no plan was made, and nothing was moved"
_FIELDS = ("goal", "objects", "state", "steps")
"""In the order in which they are to be thought through: each is a step of the chain of thought."""
_HEADING = re.compile(r"^[\s*#>-]*(goal|objects|state|steps)\b[^:\n]{0,40}:[\s*]*(.*)$", re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-*\u2022]|\d+\s*[.):])\s*")


@dataclass(frozen=True)
class Specification:
    """What Travi hands to Ropa: a task in detail, in words (CoPAL, section III-B).

    Args:
        objects: names of the world.
        steps: what remains to be done, one sentence each; none when nothing does, or nothing can be.
    """

    goal: str
    objects: Tuple[str, ...] = ()
    state: str = ""
    steps: Tuple[str, ...] = ()


class AgentBrain:
    """The three agents in their order. A new plan begins with Travi, who gets the feedback; Alex hears no failures,
    and is the only one that is told what was said and done before.

    Args:
        models: gives each agent its model.
        prompts: the templates of the agents.
        corrector: answers corrections within a step, which CoPAL has not.
    """

    def __init__(self, models: Models, domain: Domain, prompts: Prompts, corrector: Brain) -> None:
        self._alex, self._travi, self._ropa = map(models.of, (ALEX, TRAVI, ROPA))
        self._domain = domain
        self._prompts = prompts
        self._corrector = corrector
        self._can = "\n".join(f"- {re.sub('[{}]', '', action.text)}" for action in domain.actions.values())
        self._talking = prompts.render("alex", description=domain.description, abilities=self._can)
        self._reports = tuple((self._report_prompt(told.task, told.success, told.message, told.done),
                               compact({"answer": told.answer})) for told in told_reports(domain))

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """Answer, or plan; a task for which no plan can be made is told to the user by Alex."""
        if request.feedback:
            return self._planned(request, deadline)
        prompt = self._prompts.render(
            "alex_request", task=task_text(request.task.text, request.conversation), history=_history(request.history),
            objects=describe.objects_text(request.world), facts=describe.facts_text(self._domain, request.world))
        asked = ask(self._alex, self._talking, prompt, deadline, _HEARD, _read_heard, keep=lambda heard: not heard[1])
        if asked.answer is None and asked.silent:
            return PlanAnswer(refusal=asked.trouble, usage=asked.usage)
        # With an answer that cannot be used, the user's own words go on.
        forward, answer = asked.answer or (request.task.text, "")
        if answer:
            return PlanAnswer(answer=answer, usage=asked.usage)
        found = self._planned(replace(request, task=replace(request.task, text=forward)), deadline)
        found = replace(found, usage=asked.usage + found.usage)
        if found.plan is not None:
            return replace(found, plan=replace(found.plan, request=forward))
        # Ropa's message in Alex's words; as it is when Alex gives none.
        said = self.report(ReportRequest(
            request.task, bool(found.answer), found.answer or f"{found.refusal} ({_NO_PLAN})",
            history=request.history), deadline)
        found = replace(found, usage=found.usage + said.usage)
        if found.answer:
            return replace(found, answer=said.text or found.answer)
        return replace(found, refusal=said.text or found.refusal)

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        """The corrective actions for the top of the stack."""
        return self._corrector.correct(request, deadline)

    def report(self, request: ReportRequest, deadline: Deadline) -> ReportAnswer:
        """The end of a task in Alex's words; no text when the model gives none."""
        prompt = self._report_prompt(
            request.task.text, request.success, request.message, map(describe.record_text, request.done),
            [f"{self._domain.describe(entry.command)}: {words_of(entry.feedback, self._domain, exact=True).error}"
             for entry in request.failures], request.history)
        asked = ask(self._alex, self._talking, prompt, deadline, _TOLD, _read_told, self._reports)
        return ReportAnswer(asked.answer or "", asked.usage)

    def _report_prompt(
        self, task: str, success: bool, message: str, done: Iterable[str], failures: Iterable[str] = (),
        history: Tuple[str, ...] = (),
    ) -> str:
        return self._prompts.render(
            "alex_report", task=quarantined(task), history=_history(history),
            outcome="it was done" if success else "it was not done", message=quarantined(message),
            done=describe.listed(done), failures=describe.listed(failures)).strip()

    def _planned(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        specified = self._specified(request, deadline)
        if specified.answer is None:
            return PlanAnswer(refusal=specified.trouble, usage=specified.usage)
        answer = self._acted(specified.answer, request, deadline)
        return replace(answer, usage=specified.usage + answer.usage)

    def _specified(self, request: PlanRequest, deadline: Deadline) -> ModelReply[Specification]:
        """Travi's words for the task; after a failure from the state that it left, knowing what is done."""
        domain, world = self._domain, request.world
        known = self._known(request.task.text, world, request.goal.names if request.goal is not None else ())
        known["goal"] = wanted_text(request.goal)
        if request.feedback:
            prompt = self._prompts.render("travi_replan", **known, **describe.failure_texts(domain, request))
        else:
            earlier = remembered_answers(request.examples, lambda each: asdict(self._specification(
                goal_words(each.goal, domain) if each.goal is not None else plain(each.text), each.steps,
                NOTHING_SPECIAL, world.objects)))
            prompt = earlier + self._prompts.render("travi_request", **known)
        told = ((self._known(shown.task, shown.world, (), shown.notes), answer)
                for shown, answer in self._examples(world))
        turns = ((self._prompts.render("travi_request", **texts).strip(), compact(asdict(answer)))
                 for texts, answer in told)
        system, examples = self._prompts.opening("travi", turns, description=domain.description, abilities=self._can)
        client = self._travi.afresh() if request.feedback else self._travi
        objects = {"type": "array", "items": schemas.one_of_names(sorted(world.objects)),
                   "maxItems": schemas.LONGEST_ENUM}
        schema = schemas.closed({"goal": _FIELD, "objects": objects, "state": _FIELD,
                                 "steps": {"type": "array", "items": _FIELD, "maxItems": schemas.MOST_STEPS}})
        return ask(client, system, prompt.strip(), deadline, schema,
                   lambda said: _read_specification(said, domain, world), examples)

    def _known(
        self, task: str, world: WorldState, names: Iterable[str] = (), notes: Iterable[str] = ()
    ) -> Dict[str, str]:
        told = request_texts(self._domain, world, task, names, notes)
        return {"task": quarantined(task), "objects": told["objects"], "facts": told["sentences"], "goal": ""}

    def _examples(self, world: WorldState) -> Iterator[Tuple[Shown, Specification]]:
        """The domain's examples with what Travi should say; Alex answers those that ask something."""
        for shown in shown_examples(self._domain, world.robots):
            if not shown.answer:
                goal = ", ".join(self._domain.fact_text(fact) for fact in shown.end) or shown.task
                state = shown.reasoning or shown.refusal or NOTHING_SPECIAL
                yield shown, self._specification(goal, shown.steps, state, shown.world.objects)

    def _specification(self, goal: str, steps: Sequence[Step], state: str, objects: Collection[str]) -> Specification:
        used = dict.fromkeys(str(value) for step in steps for value in step.arguments.values())
        said = (self._domain.describe(Command(step.action, step.arguments)) if step.action in self._domain.actions
                else plain(step.text) for step in steps)
        return Specification(goal, tuple(name for name in used if name in objects), state, tuple(said))

    def _acted(self, task: Specification, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """Ropa's plan; ``answer`` when the goal is reached already, ``refusal`` when it cannot be.

        Names are not checked here: that is the sequencer's part, whose feedback calls for a new plan (section
        III-C).
        """
        domain, world = self._domain, request.world
        turns = ((self._actions_prompt(answer, shown.world, shown.notes), compact(example_answer(domain, shown)))
                 for shown, answer in self._examples(world))
        system, examples = self._prompts.opening(
            "ropa", turns, description=domain.description, actions=actions_text(domain, world))
        client = self._ropa.afresh() if request.feedback else self._ropa  # The last plan is not to be remembered.
        known = [each for each in request.examples if not request.feedback
                 and all(step.action in domain.actions for step in each.steps)]
        earlier = remembered_text(known, lambda step: step_object(domain, world, step))
        asked = ask(client, system, earlier + self._actions_prompt(task, world), deadline,
                    schemas.answer_schema(domain, world),
                    lambda said: read_plan_answer(said, domain, world, client.name, each=True), examples)
        if asked.answer is None:
            return PlanAnswer(refusal=asked.trouble, usage=asked.usage)
        answer = asked.answer
        if answer.plan is not None and not answer.plan.steps:
            said = answer.plan.reasoning or task.state or task.goal
            return PlanAnswer(answer=f"There is nothing to do: {said}", usage=asked.usage)
        if answer.plan is not None:
            answer = replace(answer, plan=replace(answer.plan, reasoning="; ".join(
                filter(None, (f"goal: {task.goal}", answer.plan.reasoning)))))
        return replace(answer, usage=asked.usage)

    def _actions_prompt(self, task: Specification, world: WorldState, notes: Iterable[str] = ()) -> str:
        told = request_texts(self._domain, world, task.goal, task.objects, notes)
        return self._prompts.render(
            "ropa_request", goal=quarantined(task.goal), things=", ".join(task.objects) or "none",
            state=quarantined(task.state), objects=told["objects"], facts=told["facts"],
            steps="\n".join(f"{number}. {quarantined(step)}" for number, step in enumerate(task.steps, 1))
            or "none").strip()


def _history(lines: Tuple[str, ...]) -> str:
    return "\n".join(f"- {quarantined(line, _LINE)}" for line in lines) or "- nothing"


def _fields(said: Completion) -> Dict[str, str]:
    found = read_json(said.text, lambda value: isinstance(value, dict))
    return {key: plain(str(value or "")).strip() for key, value in found.value.items()} if found else {}


def _read_heard(said: Completion) -> Union[Tuple[str, str], ParseFailure]:
    if said.cut_off:
        return ParseFailure(TOO_LONG, said.text[-80:])
    fields = _fields(said)
    # Also when there are words beside it: what needs the robot is not answered away.
    if fields.get("forward"):
        return fields["forward"], ""
    if fields.get("answer"):
        return "", fields["answer"]
    return ParseFailure("one of 'answer' and 'forward' is needed, in JSON", said.text.strip()[:80])


def _read_told(said: Completion) -> Union[str, ParseFailure]:
    """The words of a report; they move nothing, so prose will do."""
    fields = _fields(said)
    words = fields.get("answer") or ("" if fields else plain(said.text).strip())
    return words or ParseFailure("words for the user are needed as 'answer'", said.text.strip()[:80])


def _read_specification(said: Completion, domain: Domain, world: WorldState) -> Union[Specification, ParseFailure]:
    """Read Travi's answer, as JSON or under headings; an unknown object is refused with those that there are."""
    found = read_json(said.text, lambda value: isinstance(value, dict) and "goal" in value)
    if said.cut_off or (found is not None and found.cut_off):
        return ParseFailure(TOO_LONG, said.text[-80:])
    fields = found.value if found else _under_headings(said.text)
    goal = plain(_words(fields.get("goal")))
    if not goal or "steps" not in fields:
        return ParseFailure(f"the fields {', '.join(_FIELDS)} are needed", said.text.strip()[:80])
    objects: List[str] = []
    for written in _lines(fields.get("objects")):
        name = ground_name(written, domain, world)
        if isinstance(name, ParseFailure):
            return name
        objects.append(name)
    steps = tuple(plain(_BULLET.sub("", step)) for step in _lines(fields.get("steps")))
    return Specification(goal, tuple(objects), plain(_words(fields.get("state"))), steps)


def _under_headings(text: str) -> Mapping[str, List[str]]:
    """The lines below "Goal:", "Objects:", "State:" and "Steps:", with what stands behind the colon."""
    fields: Dict[str, List[str]] = {}
    current: Optional[List[str]] = None
    for line in text.splitlines():
        heading = _HEADING.match(line)
        if heading:
            current = fields.setdefault(heading.group(1).lower(), [])
            line = heading.group(2)
        if current is not None and line.strip():
            current.append(line.strip())
    if "objects" in fields:
        fields["objects"] = [name for line in fields["objects"] for name in line.split(",")]
    return fields


def _lines(value: Any) -> List[str]:
    entries = value if isinstance(value, list) else str(value or "").splitlines()
    said = [_BULLET.sub("", str(entry)).strip() for entry in entries]
    return [entry for entry in said if entry and entry.lower() not in ("none", "nothing")]


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {entry}" for key, entry in value.items())
    return "; ".join(str(entry) for entry in value) if isinstance(value, list) else str(value or "").strip()

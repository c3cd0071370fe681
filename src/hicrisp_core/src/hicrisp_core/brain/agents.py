"""CoPAL's agents as one brain: Alex talks, Travi thinks the task through, Ropa writes the actions (III-A, III-B)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Dict, Iterable, Mapping, Sequence, Tuple, Union

from hicrisp_core.brain.model_brain import TOO_LONG, read_plan_answer
from hicrisp_core.brain.specification import (
    Specification,
    example_specification,
    read_specification,
    remembered_specification,
    specification_schema,
)
from hicrisp_core.domain.schema import Domain
from hicrisp_core.llm import roles
from hicrisp_core.llm.chat_model import ChatModel
from hicrisp_core.llm.exchange import Completion
from hicrisp_core.llm.models import Models
from hicrisp_core.model import WorldState
from hicrisp_core.model.meaning import Turn as Said
from hicrisp_core.model.remembered import Remembered
from hicrisp_core.parsing.json_text import read_json
from hicrisp_core.parsing.plan_text import ParseFailure
from hicrisp_core.parsing.thoughts import without_thoughts
from hicrisp_core.ports.brain import Brain, CorrectionRequest, PlanAnswer, PlanRequest, ReportAnswer, ReportRequest
from hicrisp_core.prompting import describe
from hicrisp_core.prompting.answer_schema import answer_schema, closed
from hicrisp_core.prompting.asking import Asked, Turn, ask, compact
from hicrisp_core.prompting.describe import actions_text
from hicrisp_core.prompting.examples import OUTCOMES, remembered_answers, remembered_text, report_turns, shown_examples
from hicrisp_core.prompting.focus import focus
from hicrisp_core.prompting.plan_prompt import example_answer, goal_names, request_texts, step_object, wanted_text
from hicrisp_core.prompting.quarantine import plain, quarantined, task_text
from hicrisp_core.prompting.templates import Prompts
from hicrisp_core.time.deadline import Deadline

EXCHANGES = 8
"""Tasks that are remembered."""
_LONGEST = 400
"""Characters of one line; a task may be longer, but what is remembered of it need not."""
_WORDS: Mapping[str, Any] = {"type": "string"}
_HEARD: Mapping[str, Any] = closed({
    "kind": {"type": "string", "enum": ["task", "talk"]}, "forward": _WORDS, "answer": _WORDS})
"""What comes first decides: a task that is handed on, or words for the user; the other words are empty."""
_TOLD: Mapping[str, Any] = closed({"answer": _WORDS})
_LINE = 450
_NO_PLAN = "no plan was made, and nothing was moved"


@dataclass(frozen=True)
class Dialogue:
    """The last exchanges, oldest first. Nodes that think keep no state, so it travels with each request.

    Args:
        exchanges: for each task what the user asked, what was done and what was answered.
    """

    exchanges: Tuple[Tuple[str, ...], ...] = ()

    def after(
        self, asked: str, done: Iterable[str], answered: str, conversation: Sequence[Said] = ()
    ) -> "Dialogue":
        """The dialogue with one more task.

        Args:
            conversation: what was said about it, oldest first; its first words are not told twice.
        """
        actions = "; ".join(done)
        said = (f"{turn.speaker.value.capitalize()}: {turn.text}" for turn in conversation if turn.text != asked)
        lines = (f"User: {asked}", *said, f"Robot did: {actions or 'nothing'}", f"Robot: {answered}")
        return Dialogue((*self.exchanges, tuple(_bounded(line) for line in lines))[-EXCHANGES:])

    @property
    def history(self) -> Tuple[str, ...]:
        """The lines, as :class:`hicrisp_core.ports.brain.PlanRequest` takes them."""
        return tuple(line for exchange in self.exchanges for line in exchange)


def _bounded(line: str) -> str:
    return line if len(line) <= _LONGEST else line[:_LONGEST] + " [cut]"


@dataclass(frozen=True)
class Heard:
    """What Alex makes of a request: an answer for the user, or the request for the planner. One of both is set."""

    answer: str = ""
    forward: str = ""


class Alex:
    """The only agent that is told what was said and done before."""

    def __init__(self, client: ChatModel, domain: Domain, prompts: Prompts) -> None:
        self._client = client
        self._domain = domain
        self._prompts = prompts
        self._system = prompts.render("alex", description=domain.description, abilities=describe.abilities_text(domain))
        self._reports = report_turns(domain, prompts)

    def hear(self, request: PlanRequest, deadline: Deadline) -> Asked[Heard]:
        """Whether the request needs the robot; an answer that cannot be used lets the user's own words go on."""
        prompt = self._prompts.render(
            "alex_request", task=task_text(request.task.text, request.conversation), history=_history(request.history),
            objects=describe.objects_text(request.world), facts=describe.facts_text(self._domain, request.world))
        asked = ask(self._client, self._system, prompt, deadline, _HEARD, _read_heard,
                    keep=lambda heard: not heard.answer)
        if asked.answer is None and not asked.silent:
            return Asked(Heard(forward=request.task.text), "", asked.usage)
        return asked

    def report(self, request: ReportRequest, deadline: Deadline) -> ReportAnswer:
        """The end of a task in words for its user; no text when the model gives none."""
        prompt = self._prompts.render(
            "alex_report", task=quarantined(request.task.text), history=_history(request.history),
            outcome=OUTCOMES[request.success], message=quarantined(request.message),
            done=describe.listed([describe.record_text(record) for record in request.done]),
            failures=describe.listed([describe.failed_text(self._domain, entry)
                                      for entry in request.failures]))
        asked = ask(self._client, self._system, prompt.strip(), deadline, _TOLD, _read_told, self._reports)
        return ReportAnswer(asked.answer or "", asked.usage)


def _history(lines: Tuple[str, ...]) -> str:
    return "\n".join(f"- {quarantined(line, _LINE)}" for line in lines) or "- nothing"


def _fields(said: Completion) -> Dict[str, str]:
    found = read_json(said.text, lambda value: isinstance(value, dict))
    return {key: plain(str(value or "")).strip() for key, value in found.value.items()} if found else {}


def _read_heard(said: Completion) -> Union[Heard, ParseFailure]:
    if said.cut_off:
        return ParseFailure(TOO_LONG, said.text[-80:])
    fields = _fields(said)
    # Also when there are words beside it: what needs the robot is not answered away.
    if fields.get("forward"):
        return Heard(forward=fields["forward"])
    if fields.get("answer"):
        return Heard(answer=fields["answer"])
    return ParseFailure("one of 'answer' and 'forward' is needed, in JSON", said.text.strip()[:80])


def _read_told(said: Completion) -> Union[str, ParseFailure]:
    """The words of a report; they move nothing, so prose will do."""
    fields = _fields(said)
    words = fields.get("answer") or ("" if fields else plain(without_thoughts(said.text)).strip())
    return words or ParseFailure("words for the user are needed as 'answer'", said.text.strip()[:80])


class AgentBrain:
    """The three agents in their order. A new plan begins with Travi, who gets the feedback; Alex hears no failures.

    Args:
        models: gives each agent its model.
        prompts: the templates of the agents.
        corrector: answers corrections within a step, which CoPAL has not.
    """

    def __init__(self, models: Models, domain: Domain, prompts: Prompts, corrector: Brain) -> None:
        self._alex = Alex(models.of(roles.ALEX), domain, prompts)
        self._travi = Travi(models.of(roles.TRAVI), domain, prompts)
        self._ropa = Ropa(models.of(roles.ROPA), domain, prompts)
        self._corrector = corrector

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """Answer, or plan; a task for which no plan can be made is told to the user by Alex."""
        if request.feedback:
            return self._planned(request, deadline)
        heard = self._alex.hear(request, deadline)
        if heard.answer is None:
            return PlanAnswer(refusal=heard.trouble, usage=heard.usage)
        if heard.answer.answer:
            return PlanAnswer(answer=heard.answer.answer, usage=heard.usage)
        understood = replace(request, task=replace(request.task, text=heard.answer.forward))
        found = self._planned(understood, deadline)
        found = replace(found, usage=heard.usage + found.usage)
        if found.plan is not None:
            return replace(found, plan=replace(found.plan, request=heard.answer.forward))
        return self._told(request, found, deadline)

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        """The corrective actions for the top of the stack."""
        return self._corrector.correct(request, deadline)

    def report(self, request: ReportRequest, deadline: Deadline) -> ReportAnswer:
        """The end of a task in Alex's words."""
        return self._alex.report(request, deadline)

    def _planned(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        specified = self._travi.specify(request, deadline)
        if specified.answer is None:
            return PlanAnswer(refusal=specified.trouble, usage=specified.usage)
        answer = self._ropa.plan(specified.answer, request.world, deadline, again=bool(request.feedback),
                                 examples=() if request.feedback else request.examples)
        return replace(answer, usage=specified.usage + answer.usage)

    def _told(self, request: PlanRequest, found: PlanAnswer, deadline: Deadline) -> PlanAnswer:
        """Ropa's message in Alex's words; as it is when Alex gives none."""
        said = self._alex.report(ReportRequest(
            request.task, bool(found.answer), found.answer or f"{found.refusal} ({_NO_PLAN})",
            history=request.history), deadline)
        usage = found.usage + said.usage
        if found.answer:
            return replace(found, answer=said.text or found.answer, usage=usage)
        return replace(found, refusal=said.text or found.refusal, usage=usage)


class Travi:
    """Specifies a task: goal, things, state, remaining steps, each a field that is thought through in turn."""

    def __init__(self, client: ChatModel, domain: Domain, prompts: Prompts) -> None:
        self._client = client
        self._domain = domain
        self._prompts = prompts

    def specify(self, request: PlanRequest, deadline: Deadline) -> Asked[Specification]:
        """The task in detail; after a failure from the state that it left, knowing what is done."""
        known = self._known(request.task.text, request.world, goal_names(request.goal))
        known["goal"] = wanted_text(request.goal)
        if request.feedback:
            prompt = self._prompts.render("travi_replan", **known, **describe.failure_texts(self._domain, request))
        else:
            prompt = self._remembered(request.examples, request.world) + self._prompts.render("travi_request", **known)
        system, turns = self._prompts.opening(
            "travi", self._turns(request.world), description=self._domain.description,
            abilities=describe.abilities_text(self._domain))

        def read(said: Completion) -> Union[Specification, ParseFailure]:
            return read_specification(said, self._domain, request.world)

        client = self._client.afresh() if request.feedback else self._client
        return ask(client, system, prompt.strip(), deadline, specification_schema(request.world), read, turns)

    def _remembered(self, examples: Sequence[Remembered], world: WorldState) -> str:
        """Earlier tasks that were specified well; robots are no things that a specification names."""
        def answer(each: Remembered) -> Mapping[str, object]:
            told = asdict(remembered_specification(self._domain, each))
            return {**told, "objects": [name for name in told["objects"] if name in world.objects]}

        return remembered_answers(examples, answer)

    def _known(
        self, task: str, world: WorldState, names: Iterable[str] = (), notes: Iterable[str] = ()
    ) -> Dict[str, str]:
        facts = describe.facts_text(self._domain, focus(task, names, self._domain, world).world, notes)
        objects = request_texts(self._domain, world, task, names)["objects"]
        return {"task": quarantined(task), "objects": objects, "facts": facts, "goal": ""}

    def _turns(self, world: WorldState) -> Iterable[Turn]:
        for shown in shown_examples(self._domain, world.robots):
            if not shown.answer:  # Alex answers those.
                prompt = self._prompts.render("travi_request", **self._known(shown.task, shown.world, (), shown.notes))
                yield prompt.strip(), compact(asdict(example_specification(self._domain, shown)))


class Ropa:
    """Turns a specification into actions of the domain, or says that there is nothing to do or no way."""

    def __init__(self, client: ChatModel, domain: Domain, prompts: Prompts) -> None:
        self._client = client
        self._domain = domain
        self._prompts = prompts

    def plan(
        self, task: Specification, world: WorldState, deadline: Deadline, again: bool = False,
        examples: Sequence[Remembered] = (),
    ) -> PlanAnswer:
        """The plan; ``answer`` when the goal is reached already, ``refusal`` when it cannot be.

        Names are not checked here: that is the sequencer's part, whose feedback calls for a new plan (section
        III-C).

        Args:
            again: whether the last plan failed, so that it is not the one to be remembered.
            examples: earlier tasks that went well.
        """
        system, turns = self._prompts.opening(
            "ropa", self._turns(world), description=self._domain.description, actions=actions_text(self._domain, world))
        client = self._client.afresh() if again else self._client
        known = [each for each in examples if all(step.action in self._domain.actions for step in each.steps)]
        earlier = remembered_text(known, lambda step: step_object(self._domain, world, step))
        asked = ask(client, system, earlier + self._prompt(task, world), deadline, answer_schema(self._domain, world),
                    lambda said: read_plan_answer(said, self._domain, world, client.name, each=True), turns)
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

    def _prompt(self, task: Specification, world: WorldState, notes: Iterable[str] = ()) -> str:
        told = request_texts(self._domain, world, task.goal, task.objects, notes)
        return self._prompts.render(
            "ropa_request", goal=quarantined(task.goal), things=", ".join(task.objects) or "none",
            state=quarantined(task.state), objects=told["objects"], facts=told["facts"],
            steps="\n".join(f"{number}. {quarantined(step)}" for number, step in enumerate(task.steps, 1))
            or "none").strip()

    def _turns(self, world: WorldState) -> Iterable[Turn]:
        for shown in shown_examples(self._domain, world.robots):
            if not shown.answer:
                task = example_specification(self._domain, shown)
                yield self._prompt(task, shown.world, shown.notes), compact(example_answer(self._domain, shown))

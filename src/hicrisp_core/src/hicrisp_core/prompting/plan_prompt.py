"""What a planner is asked: the rules with the actions, the domain's examples, and last the request.

The examples are requests in small worlds, rendered by the same template as the request itself and answered in
the form that its answer has: a small model copies what it sees.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple, Union

from hicrisp_core.domain import Domain, words_of
from hicrisp_core.domain.checker import possible_actions, unready
from hicrisp_core.model import Goal, Holds, Step, Task, WorldState
from hicrisp_core.ports.brain import CorrectionRequest, PlanRequest
from hicrisp_core.prompting import describe
from hicrisp_core.prompting.answer_schema import ANSWER, PLAN, REFUSE, named_parameters, plan_answer
from hicrisp_core.prompting.asking import compact
from hicrisp_core.prompting.describe import actions_text
from hicrisp_core.prompting.examples import Shown, remembered_text, shown_examples
from hicrisp_core.prompting.focus import focus
from hicrisp_core.prompting.quarantine import plain, task_text
from hicrisp_core.prompting.templates import Opening, Prompts

_MOST_OTHERS = 500
"""Objects beside those that are described that are named."""
_MOST_MENDED = 3
NOTHING_SPECIAL = "Nothing is in the way."
StepForm = Callable[[Domain, WorldState, Step], object]
"""How an answer writes a step."""
_GOAL_PARTS = (("stages", "Wanted"), ("otherwise", "Otherwise"), ("invariants", "All the way"))


def command_object(domain: Domain, world: WorldState, step: Step) -> Dict[str, object]:
    """An action and its arguments, ``None`` for one that is left out; without the robot where only one can do it."""
    named = named_parameters(domain, world, domain.actions[step.action])
    return {"action": step.action, "arguments": {name: step.arguments.get(name) for name in named}}


def step_object(domain: Domain, world: WorldState, step: Step) -> Mapping[str, object]:
    """A step as an object; with the steps that it waits for where there are several robots."""
    waits = {"after": step.after and list(step.after)} if len(world.robots) > 1 else {}
    return {**command_object(domain, world, step), **waits}


def step_words(domain: Domain, world: WorldState, step: Step) -> object:
    """A step as a sentence."""
    return plain(step.text)


class PlanPrompt:
    """The prompts of one planner over one domain.

    Args:
        step_form: how its answers write steps.
        places: whether it is told the coordinates of objects and target locations (BrainBody-LLM, section 5).
    """

    def __init__(
        self, prompts: Prompts, domain: Domain, step_form: StepForm = step_object, places: bool = False
    ) -> None:
        self._prompts = prompts
        self._domain = domain
        self._step_form = step_form
        self._places = places

    def opening(self, world: WorldState) -> Opening:
        """The rules, and the examples that go before a request as turns."""
        turns = ((self._rendered("plan", PlanRequest(Task(shown.task), shown.world), notes=shown.notes),
                  compact(example_answer(self._domain, shown, self._step_form)))
                 for shown in shown_examples(self._domain, world.robots))
        return self._prompts.opening("system", turns, description=self._domain.description,
                                     actions=actions_text(self._domain, world))

    def plan(self, request: PlanRequest) -> str:
        """The prompt for a new plan, or for one from the failed step on."""
        goal, names = wanted_text(request.goal), request.goal.names if request.goal is not None else ()
        if not request.feedback:
            earlier = remembered_text(request.examples, lambda step: self._step_form(
                self._domain, request.world, step) if step.action in self._domain.actions else plain(step.text))
            return earlier + self._rendered("plan", request, names, goal)
        named = [str(value) for step in (*request.remaining, *(each.step for each in request.done))
                 for value in step.arguments.values()]
        # Errors with explanation and new plan (BrainBody-LLM, Fig. 4), made from the domain's examples.
        mended: List[Tuple[bool, str]] = []
        for shown in shown_examples(self._domain, request.world.robots):
            failed = unready(self._domain, shown.steps[1:], shown.world)
            if failed is not None:
                lacking = not any(unmet.negated for unmet in failed.unmet)
                why = words_of(failed, self._domain, exact=True).reason
                why += " What leads to that comes first." if lacking else f" {shown.reasoning}"
                answer = example_answer(self._domain, replace(shown, end=(), reasoning=why), self._step_form)
                error = describe.feedback_text(self._domain, failed, request.feedback_level)
                mended.append((lacking, f"{error}\n{compact(answer)}"))
        examples = "\n".join(text for _, text in sorted(mended, key=lambda each: each[0])[:_MOST_MENDED])
        return self._rendered("replan", request, (*names, *named), goal, examples=examples,
                              **describe.failure_texts(self._domain, request))

    def correct(self, request: CorrectionRequest) -> str:
        """The prompt for the corrective actions that the stack's top needs (HiCRISP, equation 3)."""
        arguments = [each.arguments for each in request.remaining] + [each.command.arguments for each in request.stack]
        names = [str(value) for each in arguments for value in each.values()]
        names += request.goal.names if request.goal is not None else ()
        return self._rendered("correct", request, names, wanted_text(request.goal),
                              **describe.correction_texts(self._domain, request))

    def _rendered(
        self, name: str, request: Union[PlanRequest, CorrectionRequest], names: Iterable[str] = (), goal: str = "",
        notes: Iterable[str] = (), **more: str,
    ) -> str:
        task, conversation = request.task.text, request.conversation
        said = " ".join((task, *(turn.text for turn in conversation)))
        values = request_texts(self._domain, request.world, said, names, notes, self._places)
        goal = f"\n{goal}" if goal else ""
        return self._prompts.render(name, task=task_text(task, conversation), goal=goal, **values, **more).strip()


def example_answer(domain: Domain, shown: Shown, step_form: StepForm = step_object) -> Mapping[str, Any]:
    """What a planner should answer to an example."""
    if not shown.steps:
        return plan_answer(REFUSE, why=shown.refusal) if shown.refusal else plan_answer(ANSWER, text=shown.answer)
    wanted = f"Wanted: {', '.join(str(Holds(fact)) for fact in shown.end)}." if shown.end else ""
    thought = " ".join(filter(None, (wanted, shown.reasoning)))
    return plan_answer(PLAN, reasoning=thought or NOTHING_SPECIAL,
                       steps=[step_form(domain, shown.world, step) for step in shown.steps])


def request_texts(
    domain: Domain, world: WorldState, task: str, names: Iterable[str] = (), notes: Iterable[str] = (),
    places: bool = False,
) -> Dict[str, str]:
    """What prompts tell of a world: ``objects``, ``available``, ``facts`` as in actions, ``sentences``, ``triplets``
    (BrainBody-LLM, section 3, the state's third part)."""
    seen, others = focus(task, names, domain, world)
    objects = describe.objects_text(seen, domain, places)
    if others:
        more = f" and {len(others) - _MOST_OTHERS} more" if len(others) > _MOST_OTHERS else ""
        objects += f"\n- also here: {', '.join(plain(each, 120) for each in others[:_MOST_OTHERS])}{more}"
    facts = sorted(seen.relations)
    return {"objects": objects, "facts": describe.listed((*map(str, map(Holds, facts)), *notes), "nothing to tell"),
            "sentences": describe.facts_text(domain, seen, notes), "triplets": describe.listed(
                (f"({', '.join(filter(None, fact))})" for fact in facts), "nothing is known"),
            "available": ", ".join(possible_actions(domain, world)) or "none"}


def wanted_text(goal: Optional[Goal]) -> str:
    """What a goal asks for, in the words of the actions; empty where no goal is known."""
    texts = goal.texts if goal is not None else {}
    return "\n".join(f"{word}: {', '.join(plain(each, 300) for each in texts[part])}"
                     for part, word in _GOAL_PARTS if part in texts)

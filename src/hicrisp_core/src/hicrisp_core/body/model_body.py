"""The Body-LLM: a second language model finds the one command for a step, or passes (BrainBody-LLM, section
3.2).

Its text becomes a command only through the parser and the domain's schema; an unknown name is refused with
the valid ones, once to the model and then, as feedback, to the brain.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from concurrent.futures import Future
from concurrent.futures import TimeoutError as StillAsking
from dataclasses import replace
from threading import Lock
from typing import Callable, NamedTuple, Optional, Tuple, Union

from hicrisp_core.body.decoder import ActionDecoder, Aiming, not_translated, translated
from hicrisp_core.domain.schema import Domain
from hicrisp_core.errors import DomainError
from hicrisp_core.llm.chat_model import ChatModel, Completion
from hicrisp_core.model import Step, WorldState
from hicrisp_core.parsing.grounding import Grounded, ground_steps
from hicrisp_core.parsing.json_text import read_json
from hicrisp_core.parsing.plan_text import ParseFailure, is_cut_off, parse_plan
from hicrisp_core.ports.body import Translation
from hicrisp_core.ports.brain import Usage
from hicrisp_core.prompting.answer_schema import COMMAND, PASS, REFUSE, command_schema, kind_of
from hicrisp_core.prompting.asking import ask, compact
from hicrisp_core.prompting.describe import actions_text
from hicrisp_core.prompting.examples import shown_examples
from hicrisp_core.prompting.plan_prompt import command_object, request_texts
from hicrisp_core.prompting.quarantine import plain, quarantined
from hicrisp_core.prompting.templates import Prompts
from hicrisp_core.time.deadline import Deadline

_KEPT = 4
"""Answers that wait for their turn at most."""
_MOST_PAIRS = 12
_PASS = re.compile(r"\W*pass\b[\s:;,.\-\u2013\u2014`*\"']*", re.IGNORECASE)
_KEYS = frozenset(("kind", "steps", "action", "pass", "refusal"))
_NO_REASON = "the model says that no command is needed"


class BodyQuestion(NamedTuple):
    """All that a model's answer depends on, and the robot for which it is read."""

    system: str
    prompt: str
    robot: str = ""


class BodyAnswers:
    """Keeps each answer until the very same is asked, once."""

    def __init__(self) -> None:
        self._made: "OrderedDict[BodyQuestion, Future[Optional[Translation]]]" = OrderedDict()
        self._lock = Lock()

    def make(self, question: BodyQuestion, ask: Callable[[], Translation]) -> Usage:
        """Ask in the caller's thread; others that need the same answer wait for it.

        Args:
            question: identifies step and world.
            ask: asks the model.

        Returns:
            The cost; nothing if the same question was asked before.
        """
        with self._lock:
            if question in self._made:
                return Usage()
            made: "Future[Optional[Translation]]" = Future()
            self._made[question] = made
            while len(self._made) > _KEPT:
                self._made.popitem(last=False)
        answer: Optional[Translation] = None
        try:
            answer = ask()
        finally:  # One that could not be read is asked for again at its turn.
            made.set_result(answer if answer is not None and answer.feedback is None else None)
        return answer.usage

    def take(self, question: BodyQuestion, deadline: Deadline) -> Optional[Translation]:
        """Return a prepared answer, and forget it.

        Args:
            question: identifies step and world.
            deadline: wall-clock limit of the call.

        Returns:
            The answer at no further cost; ``None`` without one.
        """
        with self._lock:
            made = self._made.pop(question, None)
        if made is None:
            return None
        try:
            answer = made.result(deadline.remaining)
        except StillAsking:
            return None
        return replace(answer, usage=Usage()) if answer is not None else None


class ModelBody(Aiming):
    """Asks a language model for one command for a step, or for the word ``pass`` with the reason."""

    def __init__(self, client: ChatModel, domain: Domain, decoder: ActionDecoder, prompts: Prompts) -> None:
        super().__init__(decoder)
        self._client = client
        self._domain = domain
        self._prompts = prompts
        self._ahead = BodyAnswers()

    def translate(self, step: Step, world: WorldState, deadline: Deadline) -> Translation:
        """Ask the model for the command of a step, or take the answer that was prepared.

        Args:
            step: a step of the plan.
            world: observed objects, robots and facts; poses in the world frame.
            deadline: wall-clock limit of the call.

        Returns:
            One command, a pass, or the feedback if the answer is not a command of the domain.
        """
        question = self._question(step, world)
        known = self._ahead.take(question, deadline)
        answer = known if known is not None else self._asked(question, step, world, deadline)
        if not answer.commands:
            return answer
        return replace(translated(self._domain, answer.commands[0], world), usage=answer.usage)

    def prepare(self, step: Step, world: WorldState, deadline: Deadline) -> Usage:
        """Ask for the command of a step before its turn.

        Args:
            step: a step of the plan.
            world: the world expected at its turn.
            deadline: wall-clock limit of the call.

        Returns:
            The cost.
        """
        question = self._question(step, world)
        return self._ahead.make(question, lambda: self._asked(question, step, world, deadline))

    def _question(self, step: Step, world: WorldState) -> BodyQuestion:
        said = step.text or str(step)
        told = request_texts(self._domain, world, said, map(str, step.arguments.values()))
        prompt = self._prompts.render(
            "body", step=quarantined(said), **{key: told[key] for key in ("objects", "facts", "triplets")})
        system, _ = self._prompts.opening(
            "system_body", (), description=self._domain.description, actions=actions_text(self._domain, world),
            pairs=pairs_text(self._domain, world))
        return BodyQuestion(system, prompt.strip(), step.robot)

    def _asked(self, question: BodyQuestion, step: Step, world: WorldState, deadline: Deadline) -> Translation:
        """Return what the model answers, whether or not that holds already."""
        asked = ask(self._client, question.system, question.prompt, deadline,
                    command_schema(self._domain, world), lambda answer: self._read(answer, step, world))
        if asked.answer is None:
            valid = () if asked.silent else tuple(self._domain.actions)
            return replace(not_translated(step, f"{plain(asked.trouble)}.", valid), usage=asked.usage)
        return replace(asked.answer, usage=asked.usage)

    def _read(self, answer: Completion, step: Step, world: WorldState) -> Union[Translation, ParseFailure]:
        if answer.cut_off or is_cut_off(answer.text):
            return ParseFailure("the answer was cut off before its end", answer.text[-80:])
        passed, refusal = _spoken(answer.text)
        if passed:
            return Translation(pass_reason=passed)
        if refusal:
            return not_translated(step, f"The body's language model refuses: {refusal}")
        raw = parse_plan(answer.text, self._domain)
        if isinstance(raw, ParseFailure):
            return raw
        if len(raw) != 1:
            return ParseFailure(f"one command was asked for, {len(raw)} came")
        grounded = ground_steps(raw, self._domain, world)
        if not isinstance(grounded, Grounded):
            return grounded
        try:
            command = self._domain.ground(grounded.steps[0], world, step.robot)
        except DomainError as error:
            return ParseFailure(str(error))
        return Translation((command,))


def pairs_text(domain: Domain, world: WorldState) -> str:
    """Return the steps of the domain's examples with their commands (BrainBody-LLM, section 3.2).

    Args:
        domain: types, predicates and actions of the application.
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        Pairs of lines; "(none)" without examples.
    """
    found = {step.text: compact({"kind": COMMAND, "commands": command_object(domain, shown.world, step), "why": ""})
             for shown in shown_examples(domain, world.robots) for step in shown.steps}
    return "\n".join(f"Step: {plain(said)}\nAnswer: {answer}"
                     for said, answer in list(found.items())[:_MOST_PAIRS]) or "(none)"


def _spoken(text: str) -> Tuple[str, str]:
    """Reason of a pass and of a refusal; empty if the model gave none."""
    bare = text.strip()
    word = _PASS.match(bare)
    if word and "{" not in bare:
        return plain(bare[word.end():].strip()) or _NO_REASON, ""
    said = read_json(text, lambda value: isinstance(value, dict) and not _KEYS.isdisjoint(value))
    words = said.value if said and isinstance(said.value, dict) else {}
    kind = kind_of(words)
    if words.get("steps") or words.get("action"):
        return "", ""
    if kind == PASS or words.get("pass"):
        reason = words.get("pass") or words.get("why") or ""
        return (plain(reason) if isinstance(reason, str) and reason.strip().lower() not in ("", "pass")
                else _NO_REASON), ""
    return "", plain(str(words.get("refusal") or (words.get("why") if kind == REFUSE else "") or ""))

"""The Brain-LLM: it plans in words, and the body finds the commands (BrainBody-LLM, section 3.1)."""

from __future__ import annotations

import re
from typing import Any, List, Union

from hicrisp_core.brain.model_brain import ModelBrain
from hicrisp_core.brain.plan_answer import read_plan_answer
from hicrisp_core.llm.chat_model import ChatModel
from hicrisp_core.llm.exchange import Completion
from hicrisp_core.model import Plan, Step, WorldState
from hicrisp_core.parsing.json_text import read_json, without_thoughts
from hicrisp_core.parsing.plan_text import is_cut_off
from hicrisp_core.parsing.raw import ParseFailure
from hicrisp_core.ports.brain import PlanAnswer
from hicrisp_core.prompting.answer_schema import worded_schema
from hicrisp_core.prompting.plan_prompt import StepForm, step_words
from hicrisp_core.prompting.quarantine import plain
from hicrisp_core.time.deadline import Deadline

_NUMBERED = re.compile(r"^\s*(?:step\s*)?\d+\s*[.):]\s*(\S.*?)\s*$", re.IGNORECASE | re.MULTILINE)
_MOST_STEPS = 60
_LONGEST = 300
"""Characters of a step that are kept."""


class WordsBrain(ModelBrain):
    """Plans in sentences, in JSON or in a numbered list; steps that it writes as actions are taken as those.

    Its corrections (the rung ``llm_step``) name actions, as those of every brain do.
    """

    @property
    def _step_form(self) -> StepForm:
        return step_words

    def _ask_plan(self, client: ChatModel, prompt: str, world: WorldState, deadline: Deadline) -> PlanAnswer:
        return self._asked(client, prompt, world, deadline, worded_schema(), self._read_words,
                           self._prompt.opening(world)[1])

    def _read_words(self, answer: Completion, world: WorldState, source: str) -> Union[PlanAnswer, ParseFailure]:
        """Sentences become steps without an action; every other form is read as the other brains' is."""
        said = read_json(answer.text, lambda value: isinstance(value, dict) and "steps" in value)
        words = said.value if said else {}
        sentences = _sentences(words["steps"]) if said else _NUMBERED.findall(without_thoughts(answer.text))
        if not sentences or answer.cut_off or is_cut_off(answer.text):
            return read_plan_answer(answer, self._domain, world, source)
        if len(sentences) > _MOST_STEPS:
            return ParseFailure(f"the plan has {len(sentences)} steps; at most {_MOST_STEPS} are taken")
        steps = tuple(Step(plain(sentence, _LONGEST), "") for sentence in sentences)
        return PlanAnswer(Plan(steps, source, plain(str(words.get("reasoning") or ""))))


def _sentences(entries: Any) -> List[str]:
    """The steps when all of them are sentences, else none."""
    if not isinstance(entries, list) or not all(isinstance(entry, str) and entry.strip() for entry in entries):
        return []
    return [entry.strip() for entry in entries]

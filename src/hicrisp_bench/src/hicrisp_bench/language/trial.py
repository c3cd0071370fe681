"""One sentence: the launched interpreter reads it, and what it understood is held against what was meant; with the
memory that this takes.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Dict, List

from hicrisp_core.domain import Domain, goal_words
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import GOAL, LlmSettings
from hicrisp_core.model import Answer, Choice, Goal, Question, Refusal
from hicrisp_core.ports.interpreter import Interpreter, Request, Understood
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.understanding.factory import make_interpreter

from hicrisp_bench.cost import QUESTIONS, questions_of
from hicrisp_bench.language.judging import Judge, asked_by
from hicrisp_bench.language.sentences import Sentence, Setting
from hicrisp_bench.options import llm_settings
from hicrisp_bench.serving import settings_of_file

_PROC = Path("/proc")
_LONGEST = 1500
"""Tokens of an answer of a model's file."""
_LIMIT = 300.0
"""Wall seconds for one sentence, as in a task."""


def peak_mib() -> float:
    """The most memory that this process and what it started, as far as that still runs, ever held; MiB."""
    parents = {each.name: str(int(_status(each.name).get("PPid", 0))) for each in _PROC.iterdir()
               if each.name.isdigit()}
    family: List[str] = [str(os.getpid())]
    for each in family:
        family += [child for child, parent in parents.items() if parent == each]
    return sum(_status(each).get("VmHWM", 0.0) for each in family) / 1024.0


def _status(process: str) -> Dict[str, float]:
    """The numbers that the kernel tells of a process; none of one that has ended."""
    try:
        lines = (_PROC / process / "status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    pairs = (line.split(":", 1) for line in lines if ":" in line)
    return {key: float(value.split()[0]) for key, value in pairs if value.split() and value.split()[0].isdigit()}


@dataclass(frozen=True)
class Asked:
    """Who is asked.

    Args:
        llm: a file of ``config/llm``.
        gguf: a model's file in its place; empty for none.
    """

    config: Path
    llm: str
    gguf: str = ""

    @property
    def settings(self) -> LlmSettings:
        """How its models are asked.

        Raises:
            ConfigError: for a file that is missing or wrong.
        """
        if self.gguf:
            return settings_of_file(Path(self.gguf), _LONGEST)
        return llm_settings(self.config, self.llm)


@dataclass(frozen=True)
class SentenceTrial:
    """All that a result depends on."""

    sentence: Sentence
    setting: Setting
    asked: Asked

    def key(self) -> str:
        """What tells a sentence from the others of the suite, and its reader from others."""
        who = self.asked.gguf or self.asked.llm
        return f"{who}, {self.sentence.id}, {self.sentence.scene}: {self.sentence.text}"

    def run(self) -> Dict[str, Any]:
        """Ask and judge; the result is a plain dictionary."""
        reader, sentence, setting = _reader(self.asked), self.sentence, self.setting
        interpreter, judge = reader.interpreter(setting.domain), reader.judge(self)
        began = time.perf_counter()
        found = interpreter.understand(Request(sentence.text, setting.world, sentence.turns), Deadline(_LIMIT))
        seconds, peak = time.perf_counter() - began, peak_mib()
        first = reader.fresh and found.usage.calls > 0
        reader.fresh = reader.fresh and not first
        mark, why = judge.judge(sentence, found)
        return {
            **head_of(sentence), "mark": mark.value, "why": why, **_said(found, setting.domain),
            **_if_asked(sentence, found, judge), "sure": found.sure, "ordered": sentence.ordered,
            "seconds": seconds, "first": first, "calls": found.usage.calls,
            QUESTIONS: questions_of(each.as_dict() for each in found.usage.exchanges),
            "prompt_tokens": found.usage.prompt_tokens, "completion_tokens": found.usage.completion_tokens,
            "rss_mb": peak, "before_mb": reader.before,
            "wanted": [{key: list(texts) for key, texts in each.texts.items()} for each in sentence.goals]
            + sorted(sentence.others)}


def name_of(models: Models) -> str:
    """Who reads sentences.

    Raises:
        ConfigError: for a backend that cannot be asked.
    """
    return "controlled English" if models.settings.of_role(GOAL).offline else models.of(GOAL).name


class _Reader:
    """The interpreters of a process, one for each domain over the same models, and the scenes' judges."""

    def __init__(self, asked: Asked) -> None:
        self.before = peak_mib()
        self.models = Models(asked.settings)
        self.fresh = True
        self._prompts = asked.config / "prompts" / "default"
        self._interpreters: Dict[str, Interpreter] = {}
        self._judges: Dict[str, Judge] = {}

    def interpreter(self, domain: Domain) -> Interpreter:
        """The interpreter for a domain, made as in a launch."""
        if domain.name not in self._interpreters:
            self._interpreters[domain.name] = make_interpreter(self.models, domain, self._prompts)
        return self._interpreters[domain.name]

    def judge(self, trial: SentenceTrial) -> Judge:
        """The judge of the trial's scene."""
        scene = trial.sentence.scene
        if scene not in self._judges:
            self._judges[scene] = Judge(trial.setting)
        return self._judges[scene]


@lru_cache(maxsize=1)
def _reader(asked: Asked) -> _Reader:
    return _Reader(asked)


def head_of(sentence: Sentence) -> Dict[str, str]:
    """What a result says of its sentence."""
    return {"id": sentence.id, "scene": sentence.scene, "text": sentence.text, "class": sentence.kind}


def _said(found: Understood, domain: Domain) -> Dict[str, Any]:
    """What was understood, for people and as data."""
    meaning = found.meaning
    if isinstance(meaning, Goal):
        return {"kind": "goal", "said": goal_words(meaning, domain),
                "goal": {key: list(texts) for key, texts in meaning.texts.items()}}
    if isinstance(meaning, Question):
        return {"kind": "question", "said": meaning.text, "choices": [each.text for each in meaning.choices],
                "asked_by": asked_by(found.usage)}
    if isinstance(meaning, Answer):
        return {"kind": "answer", "said": meaning.text}
    if isinstance(meaning, Refusal):
        return {"kind": "refusal", "said": meaning.text, "reason": meaning.reason.value}
    return {"kind": "none", "said": found.trouble}


def _if_asked(sentence: Sentence, found: Understood, judge: Judge) -> Dict[str, str]:
    """The marks of a goal whose likelihood is known: as it stands, and as a question whether it is right."""
    # The one goal that was understood, whether it stands or is shown with a question.
    meaning = found.meaning
    goals = [meaning] if isinstance(meaning, Goal) else [
        each.goal for each in meaning.choices if each.goal is not None] if isinstance(meaning, Question) else []
    if len(goals) != 1 or found.sure is None:
        return {}
    goal, = goals
    marks = {"at_once": judge.judge(sentence, Understood(goal)),
             "if_asked": judge.judge(sentence, Understood(Question("", (Choice("yes", goal),))))}
    return {key: mark.value for key, (mark, _) in marks.items()}

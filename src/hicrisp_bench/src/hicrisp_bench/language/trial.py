"""One sentence: whoever is asked reads it, and what was understood is held against what was meant."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Dict, Optional, Tuple

from hicrisp_core.config.files import config_file
from hicrisp_core.llm.models import make_chat_model
from hicrisp_core.llm.roles import GOAL
from hicrisp_core.llm.settings import load_llm_settings
from hicrisp_core.policy.policy import DOUBT, FIRST, OFF

from hicrisp_bench.language.judging import Judge
from hicrisp_bench.language.memory import peak_mib
from hicrisp_bench.language.scenes import Setting
from hicrisp_bench.language.sentences import Sentence
from hicrisp_bench.language.understanding import Listener, Reader, conditions, in_words
from hicrisp_bench.serving import settings_of_file

_LONGEST = 400
"""Tokens of an answer; a goal has about 30."""
_GRAMMAR_LIMIT = 20.0
"""Seconds for a sentence that no model is asked about."""
_NAMES = {FIRST: "the grammar, then {}", DOUBT: "the grammar and {}", OFF: "{}"}


@dataclass(frozen=True)
class Asked:
    """Who is asked.

    Args:
        llm: a file of ``config/llm``.
        gguf: a model's file in its place; empty for none.
        grammar: when the grammar is asked, as in a policy.
        prompt: a folder of ``config/prompts``; empty for the one that the model's settings name.
        ask_below: goals that the model finds less likely are asked back; ``None`` for what its settings say.
    """

    config: Path
    llm: str
    gguf: str
    threads: int
    grammar: str
    prompt: str
    ask_below: Optional[float] = None


@dataclass(frozen=True)
class SentenceTrial:
    """All that a result depends on."""

    sentence: Sentence
    setting: Setting
    asked: Asked


def key_of(trial: SentenceTrial) -> str:
    """What tells a sentence from the others of the suite."""
    return f"{trial.sentence.id}, {trial.sentence.scene}: {trial.sentence.text}"


def make_reader(asked: Asked) -> Tuple[Reader, str]:
    """Who is asked, and its name."""
    if asked.gguf:
        settings = settings_of_file(Path(asked.gguf), asked.threads, _LONGEST)
    else:
        settings = load_llm_settings(config_file("llm", asked.llm, beside=asked.config / "llm" / "any"))
    prompt = asked.config / "prompts" / (asked.prompt or settings.goal_prompt)
    if settings.offline:
        return Reader(Listener(None, prompt, FIRST, _GRAMMAR_LIMIT)), "the grammar"
    if asked.ask_below is not None:
        settings = replace(settings, ask_below=asked.ask_below)  # The model is asked how sure it is, too.
    model = make_chat_model(replace(settings, max_tokens=min(settings.max_tokens, _LONGEST)), GOAL)
    reader = Reader(Listener(model, prompt, asked.grammar, settings.timeout_s, settings.ask_below,
                             settings.read_back))
    return reader, _NAMES[asked.grammar].format(model.name)


class _Mind:
    """A reader that stays for all sentences of a process, and the judges of the scenes."""

    def __init__(self, asked: Asked) -> None:
        self.before = peak_mib()
        self.reader, _ = make_reader(asked)
        self.first = True
        self._judges: Dict[str, Judge] = {}

    def judge(self, trial: SentenceTrial) -> Judge:
        """The judge of the trial's scene."""
        scene = trial.sentence.scene
        if scene not in self._judges:
            self._judges[scene] = Judge(trial.setting)
        return self._judges[scene]


@lru_cache(maxsize=1)
def _mind(asked: Asked) -> _Mind:
    return _Mind(asked)


def run_sentence(trial: SentenceTrial) -> Dict[str, Any]:
    """Ask and judge; the result is a plain dictionary."""
    mind, sentence, setting = _mind(trial.asked), trial.sentence, trial.setting
    first, mind.first = mind.first, False
    reply = mind.reader.read(sentence.text, setting)
    peak = peak_mib()
    mark, why = mind.judge(trial).judge(sentence, reply.understood)
    doubted = {} if reply.doubted is None else {
        "doubted": in_words(reply.doubted, setting.domain),
        "doubted_mark": mind.judge(trial).judge(sentence, reply.doubted)[0].value}
    return {
        **head_of(sentence), "mark": mark.value, "why": why, **doubted, "sure": reply.sure,
        "understood": in_words(reply.understood, setting.domain),
        "conditions": {part: list(texts) for part, texts in conditions(reply.understood).items()},
        "said": reply.said, "seconds": reply.seconds, "first": first, "prompt_tokens": reply.tokens[0],
        "completion_tokens": reply.tokens[1], "peak_mib": peak, "before_mib": mind.before,
        "wanted": [", ".join(map(str, goal)) for goal in sentence.goals] + sorted(sentence.others)}


def head_of(sentence: Sentence) -> Dict[str, str]:
    """What a result says of its sentence."""
    return {"id": sentence.id, "scene": sentence.scene, "text": sentence.text, "class": sentence.kind}

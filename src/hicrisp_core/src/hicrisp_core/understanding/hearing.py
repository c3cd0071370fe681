"""What reaches an interpreter that knows English alone: letters as they are meant, no words that only end a task, and
no other language that is taken for English.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import FrozenSet, Iterable, Tuple

from hicrisp_core.config.files import config_folders
from hicrisp_core.config.recipes import recipes
from hicrisp_core.domain.schema import Domain
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.meaning import Question, Reason, Refusal, Speaker, wants_end
from hicrisp_core.parsing.names import words_of
from hicrisp_core.ports.interpreter import Interpreter, Request, Understood
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.understanding.controlled.interpreter import nearest
from hicrisp_core.understanding.controlled.reader import Reader
from hicrisp_core.understanding.controlled.tables import tables
from hicrisp_core.understanding.embedded import shown
from hicrisp_core.understanding.verifier import refusal_of, verify

_ENGLISH = "I understand English only."
_MOST_NAMED = 6
"""Unknown words that a message names."""
_NO_TASK = (Reason.NOTHING_TO_DO, Reason.IMPOSSIBLE)
"""Reasons to say what would be a task."""
WORDS = "words.txt"
"""The file of ``config/llm`` with the words of the sentences that the embedded model learnt from."""
_MOST_STRANGE = 0.5
"""Part of a text's words that may be unknown: docs/language.md says how it tells English from others."""
_LATIN = "LATIN"
_CALLED = {"CJK": "Chinese"}
"""Scripts that Unicode calls otherwise than people do."""


class HearingInterpreter:
    """Hands what was said to an interpreter of English, names what is none, and refuses goals that cannot be."""

    def __init__(self, interpreter: Interpreter, domain: Domain) -> None:
        self._interpreter = interpreter
        self._domain = domain

    def understand(self, request: Request, deadline: Deadline) -> Understood:
        """Return what the request means; a goal that was read in another language is only shown to the user."""
        # Compatible characters as a keyboard has them: full-width letters are plain ones.
        request = replace(request, text=unicodedata.normalize("NFKC", request.text), conversation=tuple(
            replace(turn, text=unicodedata.normalize("NFKC", turn.text)) for turn in request.conversation))
        if request.goal is None and not request.conversation and wants_end(request.text):
            return Understood(self._refused("No task is running.", request))
        said = " ".join((*(turn.text for turn in request.conversation if turn.speaker is Speaker.USER), request.text))
        here = request.world.types()
        script = script_of(said, here)
        if script:
            return Understood(self._refused(f"This is written in {script} characters. {_ENGLISH}", request))
        strange = strange_words(said, (*here, *here.values(), *recipes(), *chain(*tables().words.values())))
        found = self._interpreter.understand(request, deadline)
        misfit = verify(found.meaning, self._domain, request.world) if isinstance(found.meaning, Goal) else None
        found = replace(found, meaning=refusal_of(misfit)) if misfit is not None else found
        if strange and found.meaning is not None:
            words = ", ".join(f"'{word}'" for word in strange[:_MOST_NAMED])
            meaning, why = found.meaning, f"I do not know {words}. {_ENGLISH}"
            if isinstance(meaning, Goal):
                return replace(found, meaning=shown(meaning, self._domain, why))
            if isinstance(meaning, Question) and meaning.choices:
                return replace(found, meaning=replace(meaning, text=f"{why} {meaning.text}"))
            return replace(found, meaning=self._refused(why, request))
        refusal = found.meaning
        if isinstance(refusal, Refusal) and not refusal.alternatives and refusal.reason in _NO_TASK:
            return replace(found, meaning=replace(refusal, alternatives=self._refused("", request).alternatives))
        return found

    def _refused(self, why: str, request: Request) -> Refusal:
        """Return a refusal with sentences that are tasks here."""
        return Refusal(Reason.NOTHING_TO_DO, why, nearest(request.text, Reader(self._domain, request.world)))


def script_of(text: str, names: Iterable[str]) -> str:
    """Return the script of most letters if it is neither the Latin one nor that of a name here; empty otherwise."""
    scripts = Counter(unicodedata.name(letter, _LATIN).split()[0] for letter in text if letter.isalpha())
    most = max(scripts, key=lambda each: scripts[each], default=_LATIN)
    here = {unicodedata.name(letter, _LATIN).split()[0] for name in names for letter in name}
    if most == _LATIN or most in here:
        return ""
    return _CALLED.get(most, most.title())


def strange_words(text: str, names: Iterable[str]) -> Tuple[str, ...]:
    """Return the words that are neither known nor of a name here if they are most of a text; else none."""
    said = [word for word in words_of(text) if not word.isdigit()]
    here = {word for name in names for word in words_of(name)}
    strange = [word for word in said if word not in here and word not in known_words()]
    return tuple(dict.fromkeys(strange)) if len(strange) > _MOST_STRANGE * len(said) else ()


@lru_cache(maxsize=1)
def known_words() -> FrozenSet[str]:
    """Return the words of the sentences that the embedded model learnt from."""
    files = [folder / WORDS for folder in config_folders("llm") if (folder / WORDS).is_file()]
    return frozenset(files[0].read_text(encoding="utf-8").split()) if files else frozenset()

"""What was tried without effect to repair one failure: which commands, how often, and what ended them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Counter as Counts

from hicrisp_core.domain.saying import sentence
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.wording import cause_text, described
from hicrisp_core.executive.attempt import Attempt
from hicrisp_core.executive.relapses import counted
from hicrisp_core.model import CauseKind


class Tried:
    """Keeps the attempts of one failed command that failed, its first one and all corrections."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._commands: Counts[str] = Counter()
        self._causes: Counts[str] = Counter()

    def failed(self, attempt: Attempt) -> None:
        """Record an attempt; a successful one is ignored.

        Args:
            attempt: command, outcome and verdict.
        """
        feedback = attempt.verdict.feedback
        if feedback is None:
            return
        self._commands[described(self._domain, attempt.command)] += 1
        if feedback.cause is not None and feedback.cause.kind is not CauseKind.UNKNOWN:
            alike = replace(feedback.cause, seconds=None, metres=None)  # 38 and 39 s are one cause.
            self._causes[cause_text(alike)] += 1

    def told(self) -> str:
        """Describe the failed attempts in sentences.

        Returns:
            The text; empty if nothing was tried after the first failure.
        """
        if sum(self._commands.values()) < 2:
            return ""
        said = [f"tried in vain: {counted(self._commands)}"]
        if self._causes:
            said.append(f"what ended it: {counted(self._causes)}")
        return " ".join(map(sentence, said))

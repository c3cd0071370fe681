"""Compares a goal with near ones by how likely somebody would say the request who means each of them.

Small models exchange who goes where ("a good pedestal for the cylinder"), and are as sure of that as of what
they understand. Asked the other way round, how likely the user's own words are for each goal, they tell it:
the noisy channel of statistical translation (Brown et al. 1993), for language models Min et al. 2022.
"""

from __future__ import annotations

import logging
import math
from typing import List, Mapping, NamedTuple, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.near import near_goals
from hicrisp_core.language.told_relations import told_plainly
from hicrisp_core.llm.chat_model import ChatModel
from hicrisp_core.llm.exactly import exactly
from hicrisp_core.llm.exchange import LlmFailure
from hicrisp_core.model import WorldState
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.goal_text import statements_of
from hicrisp_core.ports.brain import Usage
from hicrisp_core.prompting.asking import Turn, conversation, cost_of
from hicrisp_core.prompting.commands import commands
from hicrisp_core.time.deadline import Deadline

log = logging.getLogger(__name__)

_MOST_FACTS = 3
"""Goals with more of them have too many near ones."""
_MOST_CHARACTERS = 200
"""Of a request; the likelihood of a long one says little."""
_TAKEN = 1.0
"""A goal for which the request is by so much likelier, as a logarithm, takes the other's place."""
_ASKED = 0.5
"""One for which it is likelier by more than that is asked about."""


class Compared(NamedTuple):
    """What came of a comparison.

    Args:
        goal: the one for which the request is likeliest, or the one that was given.
        unsure: whether another is likelier, but not by much.
    """

    goal: Goal
    unsure: bool
    usage: Usage


class BackTranslation:
    """Asks a model for the likelihood of requests.

    Args:
        rule: what the model is told that it does.
    """

    def __init__(self, client: ChatModel, domain: Domain, rule: str) -> None:
        self._client = client
        self._domain = domain
        self._rule = rule
        self._turns = _turns(domain)
        self._able = True

    def compare(self, text: str, goal: Goal, world: WorldState, deadline: Deadline) -> Compared:
        """A goal, or the near one that the request fits better; as it was where nobody can tell.

        What the words tell plainly is not compared.
        """
        settled = told_plainly(text, self._domain, world)
        near = near_goals(goal, self._domain, world, settled) if len(goal.end) <= _MOST_FACTS else ()
        return self.likelier(text, goal, near, deadline)

    def likelier(self, text: str, goal: Goal, others: Sequence[Goal], deadline: Deadline) -> Compared:
        """A goal, or the one of others that the request fits better; as it was where nobody can tell."""
        likely, usage = self._likely(text, (goal, *others), deadline) if others else ((), Usage())
        if not likely:
            return Compared(goal, False, usage)
        best = max(range(len(others)), key=lambda at: likely[at + 1])
        ahead = likely[best + 1] - likely[0]
        return Compared(others[best] if ahead > _TAKEN else goal, _ASKED < ahead <= _TAKEN, usage)

    def _likely(
        self, text: str, goals: Sequence[Goal], deadline: Deadline
    ) -> Tuple[Tuple[float, ...], Usage]:
        """The logarithms of how likely a request is for goals, and what asking cost; none where the model
        does not say, or the request is long.
        """
        usage, found = Usage(), []
        for goal in goals if self._able and len(text) <= _MOST_CHARACTERS else ():
            said = self._client.complete(
                conversation(self._rule, self._turns, commands(goal, self._domain)), deadline, exactly(text))
            usage = usage + cost_of(said)
            if isinstance(said, LlmFailure) or not said.sure:
                if isinstance(said, LlmFailure) and said.kind == "request":
                    log.warning("goals are not read back: %s", said.message)
                    self._able = False
                return (), usage
            found.append(math.log(said.sure))
        return tuple(found), usage


def _turns(domain: Domain) -> List[Turn]:
    """The domain's examples the other way round; what must be so all the way is no command."""
    found: List[Turn] = []
    for example in domain.goal_examples:
        answer = example["answer"]
        if isinstance(answer, Mapping) and answer.get("end") and not answer.get("keep"):
            found.append((commands(Goal(statements_of(answer["end"])), domain), str(example["request"])))
    return found

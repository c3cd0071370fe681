"""Compares a goal with near ones by how likely somebody would say the request who means each of them.

Small models exchange who goes where ("a good pedestal for the cylinder"), and are as sure of that as of what
they understand. Asked the other way round, how likely the user's own words are for each goal, they tell it:
the noisy channel of statistical translation (Brown et al. 1993), for language models Min et al. 2022.
"""

from __future__ import annotations

import math
from typing import List, Mapping, NamedTuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.near import near_goals
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

_MOST_FACTS = 3
"""Goals with more of them have too many near ones."""
_MOST_CHARACTERS = 200
"""Of a request; the likelihood of a long one says little."""
_TAKEN = 1.0
"""A goal for which the request is by so much likelier, as a logarithm, takes the other's place."""


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
        """A goal, or the near one that the request fits better; as it was where nobody can tell."""
        kept = Compared(goal, False, Usage())
        near = near_goals(goal, self._domain, world) if len(goal.end) <= _MOST_FACTS else ()
        if not self._able or not near or len(text) > _MOST_CHARACTERS:
            return kept
        usage, likely = Usage(), []
        for each in (goal, *near):
            said = self._client.complete(
                conversation(self._rule, self._turns, commands(each, self._domain)), deadline, exactly(text))
            usage = usage + cost_of(said)
            if isinstance(said, LlmFailure) or not said.sure:
                self._able = not (isinstance(said, LlmFailure) and said.kind == "request")
                return kept._replace(usage=usage)
            likely.append(math.log(said.sure))
        best = max(range(len(near)), key=lambda at: likely[at + 1])
        ahead = likely[best + 1] - likely[0]
        return Compared(near[best] if ahead > _TAKEN else goal, 0.0 < ahead <= _TAKEN, usage)


def _turns(domain: Domain) -> List[Turn]:
    """The domain's examples the other way round; what must be so all the way is no command."""
    found: List[Turn] = []
    for example in domain.goal_examples:
        answer = example["answer"]
        if isinstance(answer, Mapping) and answer.get("end") and not answer.get("keep"):
            found.append((commands(Goal(statements_of(answer["end"])), domain), str(example["request"])))
    return found

"""A domain's examples as tasks that have ended, each with what its user is told.

They go before a report as turns in its very form: a small model that finds one example among the rules says
that one again, whatever has happened.
"""

from __future__ import annotations

from typing import Iterator, Mapping, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.wording import GoalWords
from hicrisp_core.model.goal import Holds
from hicrisp_core.prompting import describe
from hicrisp_core.prompting.asking import Turn, compact
from hicrisp_core.prompting.examples import Shown, shown_examples
from hicrisp_core.prompting.quarantine import quarantined
from hicrisp_core.prompting.templates import Prompts

OUTCOMES: Mapping[bool, str] = {True: "it was done", False: "it was not done"}
_MOST = 4


def report_turns(domain: Domain, prompts: Prompts) -> Tuple[Turn, ...]:
    """Some reports of each kind: done, stopped half-way, not begun."""
    words = GoalWords(domain)
    turns = []
    for at, shown in enumerate(_told(domain)):
        if shown.refusal:
            turns.append(_turn(prompts, shown, False, shown.refusal, 0, f"I could not do that. {shown.refusal}"))
            continue
        wanted = words.state([Holds(fact) for fact in shown.end])
        if at % 2 == 0:
            turns.append(_turn(prompts, shown, True, "Every step was done.", len(shown.steps), f"Done: {wanted}."))
            continue
        *before, last = (step.text for step in shown.steps)
        turns.append(_turn(
            prompts, shown, False, f"The last step failed: {last}.", len(before),
            f"I could not finish: this failed: {last}. Done before: {', '.join(before) or 'nothing'}."))
    return tuple(turns)


def _told(domain: Domain) -> Iterator[Shown]:
    every = [shown for shown in shown_examples(domain, {}) if shown.steps and shown.end or shown.refusal]
    refused = [shown for shown in every if shown.refusal]
    yield from [shown for shown in every if not shown.refusal][:_MOST - len(refused[:1])]
    yield from refused[:1]


def _turn(prompts: Prompts, shown: Shown, success: bool, message: str, done: int, answer: str) -> Turn:
    prompt = prompts.render(
        "alex_report", task=quarantined(shown.task), history="- nothing", outcome=OUTCOMES[success],
        message=quarantined(message), done=describe.listed([step.text for step in shown.steps[:done]]),
        failures=describe.listed([]))
    return prompt.strip(), compact({"answer": answer})

"""A program in ProgPrompt's form from a live model."""

from __future__ import annotations

import re
from typing import Any, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.llm.chat_model import ChatModel, Completion
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.exchange import Exchange

_SYSTEM = "Complete the last function. Answer with its lines alone, in the form of the functions before it."
_EXAMPLE = """def put_towel_into_closet():
\t# 0: take the towel
\tfind('towel')
\tassert('close' to 'towel')
\t\telse: find('towel')
\tgrab('towel')
\t# 1: open the closet and put the towel in
\tfind('closet')
\tassert('closet' is 'opened')
\t\telse: open('closet')
\tassert('towel' in 'hands')
\t\telse: grab('towel')
\tputin('towel', 'closet')
\t# 2: close the closet
\tclose('closet')
\t# 3: Done"""
_LIMIT = 120.0
"""Wall seconds for the answer."""


def ask_for_program(
    model: ChatModel, domain: Domain, graph: Any, task: str
) -> Tuple[str, Tuple[Exchange, ...]]:
    """Ask a model for a program (ProgPrompt, as HiCRISP prompts it).

    Args:
        model: answers with the lines of a function.
        domain: whose actions a program may call.
        graph: the home, whose objects are told by their classes.
        task: the task's words, which name the function.

    Returns:
        The program's text, empty without an answer, and the record of the question.
    """
    calls = ", ".join(action.name + " <obj>" * sum(each != action.robot_parameter for each in action.parameters)
                      for action in domain.actions.values())
    things = sorted({node.class_name for node in graph.get_nodes() if node.class_name != "character"})
    name = re.sub(r"\W+", "_", task.lower())
    prompt = f"from actions import {calls}\n\nobjects = {things}\n\n{_EXAMPLE}\n\ndef {name}():"
    said = model.complete([{"role": "system", "content": _SYSTEM}, {"role": "user", "content": prompt}],
                          Deadline(_LIMIT))
    return said.text if isinstance(said, Completion) else "", said.exchanges

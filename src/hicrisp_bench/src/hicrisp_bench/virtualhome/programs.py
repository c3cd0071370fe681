"""ProgPrompt's programs, which HiCRISP records too, or from a live model: calls, and checks with what makes them true.

``assert('close' to 'chips')`` is a step of its own: where it holds nothing is done, else the calls of its ``else``.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Tuple

from hicrisp_core.domain.checker import malformed
from hicrisp_core.domain.schema import Domain
from hicrisp_core.errors import ConfigError, DomainError
from hicrisp_core.llm.chat_model import ChatModel, Completion
from hicrisp_core.model import Step, WorldState
from hicrisp_core.ports.body import Translation
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.exchange import Exchange

from hicrisp_bench.virtualhome.facts import CHARACTER
from hicrisp_bench.virtualhome.parts import VerbatimBody
from hicrisp_bench.virtualhome.reading import LineReader

CHECK = "assert"
_CALL = re.compile(r"^(else:)?\s*(\w+)\((.*)\)$")
_CONDITION = re.compile(r"^'([^']+)'\s+(?:to|in|is)\s+'([^']+)'$")
_WORDS = {"tv": "television"}
"""The authors' names for classes of the home."""
_STATES = {"opened": "open", "closed": "closed", "switchon": "switched_on", "switchoff": "switched_off"}


@dataclass(frozen=True)
class Program:
    """A program as steps.

    Args:
        steps: its calls and checks in order.
        recoveries: by the text of a check, the fact (subject, predicate, object) that it asks for, and the
            steps that follow where that does not hold.
    """

    steps: Tuple[Step, ...]
    recoveries: Dict[str, Tuple[Tuple[str, ...], Tuple[Step, ...]]]

    @property
    def actions(self) -> int:
        """How many steps are calls: HiCRISP's |A|."""
        return sum(step.action != CHECK for step in self.steps)


def read_programs(source: Path) -> Dict[str, List[str]]:
    """Read the distinct programs of a file, or of all of HiCRISP's recordings in a folder.

    Args:
        source: a JSON file with a program by the task's words, or the folder.

    Returns:
        The programs of each task, by its words in lower case.

    Raises:
        ConfigError: for a folder without recordings, or a file that holds something else.
    """
    found: Dict[str, List[str]] = {}
    for file in sorted(source.glob("Reflection-vh*_plans.json")) if source.is_dir() else [source]:
        try:
            for task, text in json.loads(file.read_text(encoding="utf-8")).items():
                if text not in found.setdefault(task.lower(), []):
                    found[task.lower()].append(text)
        except (OSError, ValueError, AttributeError) as error:
            raise ConfigError(f"{file} holds no programs, a JSON object of texts by the task's words: {error}; "
                              "HICRISP_DATA names the folder that holds 'hicrisp'") from error
    if not found:
        raise ConfigError(f"there are no recorded programs in {source}; set HICRISP_DATA to the folder that holds "
                          "'hicrisp'")
    return found


def read_program(text: str, domain: Domain, graph: Any) -> Program:
    """Read a program; what names no object of the home stays as it was written, and is refused at its turn.

    Args:
        text: a function of calls, checks and comments, a statement a line.
        domain: whose actions the calls are.
        graph: the home.

    Returns:
        The program.
    """
    steps: List[Step] = []
    recoveries: Dict[str, Tuple[Tuple[str, ...], Tuple[Step, ...]]] = {}
    checked: Tuple[str, ...] = ()
    for line in map(str.strip, text.splitlines()):
        call = _CALL.match(line)
        if call is None:
            continue
        name, inside = call.group(2), call.group(3).strip()
        condition = _CONDITION.match(inside)
        if name == CHECK and condition:
            checked = _fact(*(_called(word, domain, graph) for word in condition.groups()))
            text_of = " ".join((CHECK, *checked))
            steps.append(Step(text_of, CHECK))
            recoveries[text_of] = (checked, ())
            continue
        reader = LineReader(domain, {}, graph)
        objects = [_WORDS.get(word, word) for word in re.findall(r"'([^']*)'", inside)]
        reader.line("putback" if name == "puton" and len(objects) == 2 else name, objects)
        if call.group(1) and steps and steps[-1].action == CHECK:
            before = steps.pop()
            fact, calls = recoveries[before.text]
            after = Step(f"{before.text} else {reader.steps[0].text}", CHECK)
            recoveries[after.text] = (fact, (*calls, *reader.steps))
            steps.append(after)
        else:
            steps += reader.steps
    return Program(tuple(steps), recoveries)


def _called(word: str, domain: Domain, graph: Any) -> str:
    """The home's name for a word of a check; the word itself where it is none."""
    reader = LineReader(domain, {}, graph)
    reader.line("find", [_WORDS.get(word, word)])
    return str(reader.steps[0].arguments.get("item", word))


def _fact(first: str, second: str) -> Tuple[str, ...]:
    """The fact of ``'close' to X``, ``X in 'hands'``, ``X in Y`` or ``X is STATE``; one that is unknown never holds."""
    if first == "close":
        return (CHARACTER, "close", second)
    if second == "hands":
        return (CHARACTER, "holding", first)
    return (first, _STATES[second]) if second in _STATES else (first, "inside", second)


@dataclass(frozen=True)
class ProgramBody(VerbatimBody):
    """Grounds a program's calls, and answers a check from the facts."""

    program: Program

    def translate(self, step: Step, world: WorldState, deadline: Deadline) -> Translation:
        """Return the call's command, or those of a check that does not hold.

        Args:
            step: a step of the program.
            world: the home as it is now.
            deadline: grounding never waits.

        Returns:
            The commands; none, with the reason, for a check that holds; or the feedback on an unknown name.
        """
        if step.text not in self.program.recoveries:
            return super().translate(step, world, deadline)
        fact, calls = self.program.recoveries[step.text]
        if world.holds(fact[1], fact[0], *fact[2:]):
            return Translation(pass_reason=f"{' '.join(fact)} holds")
        try:
            return Translation(tuple(self.domain.ground(call, world, call.robot) for call in calls),
                               "" if calls else "nothing follows")
        except DomainError as error:
            return Translation(feedback=malformed(error, step=step))


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


def ask_for_program(model: ChatModel, domain: Domain, graph: Any, task: str) -> Tuple[str, Tuple[Exchange, ...]]:
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

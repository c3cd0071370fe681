"""What is fed: each target reads a text, and may refuse it in the ways that it names, and in no other."""

from __future__ import annotations

import logging
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Callable, Mapping, Sequence, Tuple
from unicodedata import category

from hicrisp_core.brain.search_brain import SearchBrain
from hicrisp_core.check import check_file
from hicrisp_core.detector.perception import perceive
from hicrisp_core.domain import Domain, load_domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.llm.chat_model import Completion
from hicrisp_core.model import Goal, GoalError, Task, WorldState
from hicrisp_core.model.goal_text import parse_statement
from hicrisp_core.parsing.grounding import ground_steps
from hicrisp_core.parsing.json_text import read_json
from hicrisp_core.parsing.plan_text import ParseFailure, parse_plan
from hicrisp_core.ports.brain import PlanRequest
from hicrisp_core.ports.interpreter import Request
from hicrisp_core.prompting.quarantine import CLOSE, OPEN, quarantined
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.understanding.controlled.interpreter import ControlledInterpreter
from hicrisp_core.understanding.hearing import HearingInterpreter
from hicrisp_core.understanding.model import read_meaning
from hicrisp_core.understanding.written import meaning_of, parse_line

KINDS = ("scenes", "domains", "policies", "robots", "llm", "cameras", "tags")
"""The folders of configuration whose files are read."""
_PLANNING = 5.0
"""Wall seconds for a plan."""
_ANSWERS = (
    '{"kind": "goal", "stages": [{"conditions": [{"predicate": "on", "subject": "red_box",'
    ' "object": "blue_box"}]}], "invariants": [{"predicate": "holding", "subject": "panda",'
    ' "object": "cylinder", "holds": false}]}',
    '{"kind": "question", "say": "which one?", "choices": ["red_box", "blue_box"]}',
    '{"kind": "refusal", "reason": "nothing_to_do"}')
_LINES = ("on(red box, blue box) > in(all box except red box, cylinder) | never holding(robot, cylinder)",
          "if on(box, table): next_to(2 box {on table}, cylinder) else not on(red box, table)",
          "answer where red box + cylinder", "ask object", "refuse unsafe")
_PLANS = (
    '{"kind": "plan", "steps": [{"action": "pick", "arguments": {"item": "red_box"}}]}',
    "1. pick(red_box)\n2. place_on(red_box, blue_box)", "```json\n[\"pick up the red box\"]\n```")
_GOALS = ("on(red_box,blue_box)", "not(next_to(box,cylinder))", "all(on(a,b),any(on(b,c),not(on(c,a))))",
          "exactly(2,on(a,b),on(c,b),on(d,b))")
_NO_TEXT = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
_TASKS = ("put the red box on the blue box", "pick up the cylinder, then place it next to the red box.",
          "where is the red box?", "stack all boxes but not the blue one", "build a tower of 2 boxes")


@dataclass(frozen=True)
class Target:
    """One reader.

    Args:
        read: raises what is a finding.
        seeds: texts to begin with.
    """

    read: Callable[[str], object]
    seeds: Sequence[str]


Table = Tuple[Domain, WorldState]
"""What is on a table, to which the words of a text are held."""


def targets(config: Path) -> Mapping[str, Callable[[], Target]]:
    """Return what makes each target, by its name.

    Args:
        config: the folder of configuration, whose files are the loaders' first examples.
    """
    def at_a_table(read: Callable[[str, Table], object], seeds: Sequence[str]) -> Target:
        domain, scene = load_domain(config / "domains/tabletop.yaml"), load_scene(config / "scenes/stack.yaml")
        frames = {name: (item.pose, 1.0) for name, item in scene.objects.items() if item.pose is not None}
        table = domain, perceive(frames, scene.objects, domain, 1.0, ())
        return Target(lambda text: read(text, table), seeds)

    return {
        "json": partial(Target, read_json, (*_ANSWERS, *_PLANS)), "plan": partial(at_a_table, _plan, _PLANS),
        "goal": partial(Target, _goal, _GOALS),
        "meaning": partial(at_a_table, lambda text, table: read_meaning(Completion(text), *table), _ANSWERS),
        "line": partial(at_a_table, _line, _LINES), "quarantine": partial(Target, _fenced, (*_TASKS, "<<<x>>>")),
        "task": partial(at_a_table, _task, _TASKS), **{kind: partial(_files, config, kind) for kind in KINDS}}


def _plan(text: str, table: Table) -> None:
    domain, world = table
    raw = parse_plan(text, domain)
    found = raw if isinstance(raw, ParseFailure) else ground_steps(raw, domain, world)
    if isinstance(found, ParseFailure):
        assert found.message
        return
    for step in found.steps:
        assert not step.action or step.action in domain.actions
        assert all(not isinstance(value, str) or value in world.objects or value in world.robots
                   for value in step.arguments.values())


def _goal(text: str) -> None:
    read = parse_statement(text)
    if isinstance(read, GoalError):
        assert read.message
    else:
        assert str(parse_statement(str(read))) == str(read)


def _line(text: str, table: Table) -> None:
    line = parse_line(text)
    if isinstance(line, GoalError):
        assert line.message
        return
    assert str(parse_line(str(line))) == str(line)
    meaning_of(line, *table)


def _fenced(text: str) -> None:
    fenced = quarantined(text)
    inside = fenced[len(OPEN):-len(CLOSE)]
    assert OPEN not in inside
    assert CLOSE not in inside
    assert len(inside.splitlines()) <= 1
    assert not any(category(char) in _NO_TEXT for char in inside)


def _task(text: str, table: Table) -> None:
    domain, world = table
    interpreter = HearingInterpreter(ControlledInterpreter(domain), domain)
    meaning = interpreter.understand(Request(text, world), Deadline(_PLANNING)).meaning
    if not isinstance(meaning, Goal):
        assert meaning is not None
        assert meaning.text
        return
    answer = SearchBrain(domain).plan(PlanRequest(Task(text), world, goal=meaning), Deadline(_PLANNING))
    assert answer.plan is not None or answer.refusal or answer.answer


def _files(config: Path, kind: str) -> Target:
    logging.disable(logging.CRITICAL)
    folder = Path(tempfile.mkdtemp(prefix="hicrisp_fuzz_"))
    for each in config.iterdir():  # What a file names beside it is there.
        if each.name != kind:
            (folder / each.name).symlink_to(each.resolve())
    (folder / kind).mkdir()
    for each in (config / kind).iterdir():
        (folder / kind / each.name).symlink_to(each.resolve())
    file = folder / kind / "fuzzed.yaml"

    def read(text: str) -> None:
        file.write_bytes(text.encode("utf-8", "replace"))
        with suppress(ConfigError):
            check_file(file)

    return Target(read, [file.read_text(encoding="utf-8") for file in sorted((config / kind).rglob("*.yaml"))])

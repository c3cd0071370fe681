"""Plans for LLM+P's blocks problems, as CoPAL's authors recorded them, through our parser and transition function.

Two judgements. Exact: every block stands on the one that the goal names, itself. Loose, as in the authors'
own check: it stands anywhere above it in the same tower, so that a plan of no moves passes where the blocks
stood so from the start. Both ask that every move could be made.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from hicrisp_core.domain import Domain, apply_effects, check, load_domain, words_of
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Step
from hicrisp_core.parsing.grounding import Grounded, ground_steps
from hicrisp_core.parsing.plan_text import ParseFailure, parse_plan

from hicrisp_bench.blocks_problems import Problem, above, sentence_problems
from hicrisp_bench.statistics import share_of

PLANS = "plans-blockstacking.json"
PROBLEMS = "ground-truth-blockstacking.json"
COLUMNS = ("policy", "llm", "blocks", "n", "as_written", "parsed", "empty", "executable", "goal_exact", "goal_loose")
METHODS: Mapping[str, Tuple[str, str]] = {
    "ChunksGPT4": ("CoPAL", "gpt-4"), "llm_ic_pddl": ("LLM+P", "gpt-3"), "llm": ("LLM-As-P", "gpt-3"),
    "llm_ic": ("LLM-As-P, with an example", "gpt-3"), "llm_step": ("LLM-As-P, step by step", "gpt-3"),
}
"""What the recording's names of the methods stand for, and the models that planned."""
_OTHER_COMMANDS = ("ChunksGPT4",)
"""Methods whose plans are in commands of their own (get, put), which the domain of the four operators does
not have.
"""
_GROUPS: Tuple[Tuple[str, int, int], ...] = (("3 blocks", 1, 2), ("up to 5 blocks", 1, 5), ("all recorded", 1, 20))
"""Title, first and last problem. The authors' script stops before p06, which has 5 blocks too."""
_TABLE_V = "CoPAL (Joublin et al.), Table V"
_AGAIN = "recomputed from the recorded plans by the authors' own check"

REFERENCE: Tuple[Dict[str, Any], ...] = tuple(
    {"policy": method, "llm": llm, "blocks": blocks, "goal_reached": share, "source": source, "note": note}
    for method, llm, shares, source, note in (
        ("CoPAL", "gpt-4", (0.83, 0.73), _TABLE_V,
         "replanning after the executed plan; goal judged by GPT-4"),
        ("LLM+P", "gpt-3", (0.33, 0.46), _TABLE_V, "GPT-3 writes PDDL for a classical planner"),
        ("LLM-As-P", "gpt-3", (0.0, 0.0), _TABLE_V, "as printed"),
        ("LLM-As-P", "gpt-3", (0.17, 0.27), _AGAIN, "the table prints 0 % and 0 %"),
    ) for blocks, share in zip(("3", "up to 5"), shares))


@dataclass(frozen=True)
class Recorded:
    """What came of the recorded plans: rows, every plan that could not be read or run with its place, and
    a note.
    """

    rows: Sequence[Dict[str, Any]] = ()
    errors: Sequence[Dict[str, str]] = ()
    note: str = ""


NONE = Recorded()


@dataclass(frozen=True)
class Judged:
    """One plan: its moves, or the place where reading it failed; how far it could be run; what it reached.

    Args:
        as_written: the first place of the model's own words that could not be read, empty where all was,
            ``None`` where it was not tried; the moves are the authors' wording.
    """

    moves: int = 0
    as_written: Optional[str] = None
    unread: str = ""
    refused: str = ""
    exact: bool = False
    loose: bool = False


def measure(folder: Path, config: Path) -> Recorded:
    """Judge every recorded plan, as far as the recordings are there."""
    missing = [name for name in (PLANS, PROBLEMS) if not (folder / name).is_file()]
    if missing:
        return Recorded(note=f"The recorded plans were not judged: {', '.join(missing)} not found in "
                             f"{folder.name}.")
    domain, steps = (load_domain(config / "domains" / f"{name}.yaml") for name in ("blocks_moves", "blocks"))
    problems = sentence_problems(folder / PROBLEMS)
    methods: Dict[str, Dict[str, Dict[str, Dict[str, Any]]]] = json.loads((folder / PLANS).read_text(encoding="utf-8"))
    rows: List[Dict[str, Any]] = []
    errors: List[Dict[str, str]] = []
    for method, (policy, llm) in METHODS.items():
        judged: List[Tuple[str, Judged]] = []
        for run, plans in methods.pop(method, {}).items():
            for name, plan in plans.items():
                found = judge(plan["revised"], problems[name], domain)
                if method not in _OTHER_COMMANDS:
                    found = replace(found, as_written=unread_words(plan["original"], problems[name], steps))
                judged.append((name, found))
                errors += [{"method": method, "run": run, "problem": name, "kind": kind, "error": error}
                           for kind, error in (("as written", found.as_written), ("parse", found.unread),
                                               ("execution", found.refused)) if error]
        rows += [_row({"policy": policy, "llm": f"{llm}, recorded", "blocks": title},
                      [one for name, one in judged if first <= int(name.lstrip("p")) <= last])
                      for title, first, last in _GROUPS]
    if methods:
        raise ConfigError(f"{folder / PLANS} holds methods that are not known here: {', '.join(methods)}")
    return Recorded(rows, errors, _note(rows))


def judge(lines: Sequence[str], problem: Problem, domain: Domain) -> Judged:
    """Read a plan line by line, then make its moves until one is refused."""
    steps = _read(lines, problem, domain)
    if isinstance(steps, ParseFailure):
        return Judged(unread=str(steps))
    world = problem.world()
    for number, step in enumerate(steps, start=1):
        command = domain.ground(step, world)
        refusal = check(domain, command, world)
        if refusal is not None:
            return Judged(len(steps), refused=f"move {number}, '{step.text}': {words_of(refusal, domain).reason}")
        world = apply_effects(domain, command, world)
    return Judged(len(steps), exact=all(fact in world.relations for fact in problem.facts),
                  loose=all(above(world, upper, lower) for upper, lower in problem.goal))


def unread_words(moves: Sequence[Sequence[str]], problem: Problem, domain: Domain) -> str:
    """The first place of a plan in the model's own words that is no step of the domain; empty where all is read.

    A line that names no block is a remark.
    """
    lines = [line for move in moves for line in move if re.search(r"\b(?:b\d+|it)\b", line)]
    if not lines:
        return ""
    raw = parse_plan("\n".join(lines), domain)
    if isinstance(raw, ParseFailure):
        return str(raw)
    if len(raw) < len(lines):
        left_out = next((line for line in lines if isinstance(parse_plan(line, domain), ParseFailure)), lines[-1])
        return str(ParseFailure("this is no step", left_out))
    grounded = ground_steps(raw, domain, problem.world())
    return "" if isinstance(grounded, Grounded) else str(grounded)


def _read(lines: Sequence[str], problem: Problem, domain: Domain) -> Union[List[Step], ParseFailure]:
    """One step a line; a line of none or of several is an error, for to leave one out is to change the plan."""
    steps: List[Step] = []
    for line in lines:
        raw = parse_plan(line, domain)
        if isinstance(raw, ParseFailure):
            return raw
        if len(raw) != 1:
            return ParseFailure(f"one move was expected, {len(raw)} were read", line)
        grounded = ground_steps(raw, domain, problem.world())
        if not isinstance(grounded, Grounded):
            return grounded
        steps.extend(grounded.steps)
    return steps


def _row(head: Dict[str, Any], judged: Sequence[Judged]) -> Dict[str, Any]:
    row = {**head, "n": len(judged), "empty": sum(1 for one in judged if not one.moves and not one.unread)}
    counts = {
        "as_written": sum(1 for one in judged if one.as_written == ""),
        "parsed": sum(1 for one in judged if not one.unread),
        "executable": sum(1 for one in judged if not one.unread and not one.refused),
        "goal_exact": sum(1 for one in judged if one.exact),
        "goal_loose": sum(1 for one in judged if one.loose),
    }
    for key, count in counts.items():
        if key == "as_written" and judged and all(one.as_written is None for one in judged):
            continue
        row.update(share_of(key, count, len(judged)))
    return row


def _note(rows: Sequence[Dict[str, Any]]) -> str:
    told = "; ".join(f"{row['policy']} {row['goal_loose']:.0%} and {row['goal_exact']:.0%}"
                     for row in rows if row["blocks"] == _GROUPS[1][0])
    return ("The recorded plans are those of the methods' own models, written down in whole moves by CoPAL's "
            "authors, judged as far as their script goes (p01 to p05 are its problems up to 5 blocks). "
            f"There, loosely as their check judges and exactly: {told}. Loosely, an empty plan passes where "
            "the blocks stood so at first. as_written: the share whose every line is read in the model's own "
            "words, by the four operators; CoPAL's are commands of its own (get, put), which this domain "
            "does not have.")

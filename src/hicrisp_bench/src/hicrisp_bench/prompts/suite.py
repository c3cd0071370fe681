"""The suite: the same requests by one folder's prompts, then by the other's."""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

from hicrisp_core.body.decoder import ActionDecoder
from hicrisp_core.body.factory import make_body
from hicrisp_core.brain.factory import make_brain
from hicrisp_core.config.files import config_file
from hicrisp_core.domain.search import Searcher
from hicrisp_core.errors import ConfigError
from hicrisp_core.llm.settings import LlmSettings, load_llm_settings
from hicrisp_core.model import Task
from hicrisp_core.model.goal import Goal
from hicrisp_core.policy.loader import load_policy
from hicrisp_core.policy.policy import GOAL, OFF, Policy
from hicrisp_core.ports.brain import PlanAnswer, PlanRequest
from hicrisp_core.time.deadline import Deadline

from hicrisp_bench.language.scenes import Setting, settings_of
from hicrisp_bench.language.sentences import Sentence, read_sentences
from hicrisp_bench.pool import Progress
from hicrisp_bench.prompts.playing import Played, Player
from hicrisp_bench.serving import served, settings_of_file
from hicrisp_bench.statistics import paired_interval, spread, wilson_interval
from hicrisp_bench.suite import Report, Row, Section, at_least_one

COLUMNS = ("prompts", "n", "reached", "mended", "no plan", "seconds", "tokens read", "tokens written")
_CHANGES = ("of", "n", "change", "better", "worse")
_LONGEST = 700
"""Tokens of an answer; a plan of ten steps has about 250."""


@dataclass(frozen=True)
class _Question:
    """What both folders are compared on."""

    sentences: Sequence[Sentence]
    settings: Dict[str, Setting]
    policy: Policy
    llm: LlmSettings
    with_goal: bool


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which folders, which requests, and who is asked."""
    parser.add_argument("folders", nargs=2, metavar="FOLDER",
                        help="a folder of config/prompts by its name, or any folder by its path")
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("--llm", metavar="NAME", help="a file of config/llm, or the path of one")
    who.add_argument("--gguf", type=Path, metavar="PATH",
                     help="a model's file, served on loopback by xllamacpp")
    parser.add_argument("--threads", type=at_least_one, default=2, help="of --gguf (2)")
    parser.add_argument("--policy", default="hicrisp", metavar="NAME",
                        help="whose brain and body are asked (hicrisp)")
    parser.add_argument("--sentences", type=Path, metavar="FILE",
                        help="requests with their goals (config/sentences/tabletop_development.json)")
    parser.add_argument("--class", dest="kinds", action="append", metavar="CLASS",
                        help="only this class; may be repeated")
    parser.add_argument("--every", type=at_least_one, default=1, metavar="N", help="only every N-th request")
    parser.add_argument("--with-goal", action="store_true", help="tell the planner the goal as well")
    parser.add_argument("--seed", type=int, default=0, help="of the scenes' layouts (0)")


def run(options: argparse.Namespace) -> Report:
    """Run the suite."""
    file = options.sentences or options.config / "sentences" / "tabletop_development.json"
    sentences = [each for each in read_sentences(file)
                 if each.goals and (not options.kinds or each.kind in options.kinds)][::options.every]
    if not sentences:
        raise ConfigError(f"{file} has no request of that class that wants something moved")
    folders = [_folder(name, options.config) for name in options.folders]
    policy = load_policy(config_file("policies", options.policy, beside=options.config / "policies" / "any"))
    if policy.brain == GOAL:
        raise ConfigError(f"the policy '{policy.name}' plans by search: its prompts make no plans")
    settings = settings_of(options.config, [each.scene for each in sentences], options.seed, options.jobs)
    llm = settings_of_file(options.gguf, options.threads, _LONGEST) if options.gguf else load_llm_settings(
        config_file("llm", options.llm, beside=options.config / "llm" / "any"))
    if llm.offline or llm.only_goals:
        raise ConfigError(f"'{llm.name}' plans by no prompt: name a language model that plans")
    with served(llm) as llm:
        question = _Question(sentences, settings, replace(policy, verify_goal=OFF), llm, options.with_goal)
        results = [_asked(folder, question) for folder in folders]
    rows = [_row(name, found) for name, found in zip(options.folders, results)]
    changes = [_change(key, *results) for key in ("reached", "mended")]
    note = (f"{llm.model_name} with the policy {policy.name}, {len(sentences)} requests of {file.name}. "
            "Reached: the checker lets every step of the plan through, and the goal holds at the end; "
            "mended: with what a search puts before steps that cannot be done yet. Nothing moves. "
            "Intervals: 95 %. Seconds without the first request, for which a model reads all of its rules.")
    title = f"{options.folders[1]} against {options.folders[0]}, request by request"
    extra = {"results": {name: found for name, found in zip(options.folders, results)}}
    return Report(rows, COLUMNS, (), note, extra, (Section(title, changes, _CHANGES),))


def _folder(name: str, config: Path) -> Path:
    for folder in (config / "prompts" / name, Path(name)):
        if folder.is_dir():
            return folder
    known = ", ".join(sorted(each.name for each in (config / "prompts").iterdir() if each.is_dir()))
    raise ConfigError(f"there is no folder of prompts '{name}'; give a path, or one of: {known}")


def _asked(folder: Path, question: _Question) -> List[Row]:
    """Every request by one folder's prompts."""
    results: List[Row] = []
    minds: Dict[str, Tuple[Any, Player]] = {}
    progress = Progress(folder.name, len(question.sentences))
    for sentence in question.sentences:
        setting = question.settings[sentence.scene]
        domain = setting.domain
        if domain.name not in minds:
            body = make_body(question.policy.body, domain, ActionDecoder(domain), question.llm, folder)
            minds[domain.name] = (make_brain(question.llm, domain, folder, question.policy),
                                  Player(Searcher(domain), body, question.llm.timeout_s))
        brain, player = minds[domain.name]
        goal = Goal(tuple(sentence.goals[0])) if question.with_goal else None
        began = time.perf_counter()
        answer = brain.plan(PlanRequest(Task(sentence.text), setting.world, goal=goal),
                            Deadline(question.llm.timeout_s))
        seconds = time.perf_counter() - began
        played = player.play(answer.plan, setting.world, sentence.goals) if answer.plan is not None \
            else Played(False, False, answer.refusal or answer.answer)
        results.append(_result(sentence, answer, played, seconds))
        progress.step()
    progress.end()
    return results


def _result(sentence: Sentence, answer: PlanAnswer, played: Played, seconds: float) -> Row:
    steps = [step.text or str(step) for step in answer.plan.steps] if answer.plan is not None else None
    return {"id": sentence.id, "scene": sentence.scene, "text": sentence.text, "class": sentence.kind,
            "steps": steps, "reasoning": answer.plan.reasoning if answer.plan is not None else "",
            **played._asdict(), "seconds": seconds, "prompt_tokens": answer.usage.prompt_tokens,
            "completion_tokens": answer.usage.completion_tokens}


def _row(name: str, results: Sequence[Row]) -> Row:
    row: Row = {"prompts": name, "n": len(results),
                "no plan": sum(each["steps"] is None for each in results),
                "seconds": spread([each["seconds"] for each in results[1:]]),
                "tokens read": spread([each["prompt_tokens"] for each in results]),
                "tokens written": spread([each["completion_tokens"] for each in results])}
    for key in ("reached", "mended"):
        count = sum(bool(each[key]) for each in results)
        row[key], row[f"{key}_ci"] = count / len(results), wilson_interval(count, len(results))
    return row


def _change(key: str, before: Sequence[Row], after: Sequence[Row]) -> Row:
    better = sum(bool(new[key]) and not old[key] for old, new in zip(before, after))
    worse = sum(bool(old[key]) and not new[key] for old, new in zip(before, after))
    return {"of": key, "n": len(after), "change": (better - worse) / len(after), "better": better,
            "worse": worse, "change_ci": paired_interval(better, worse, len(after))}

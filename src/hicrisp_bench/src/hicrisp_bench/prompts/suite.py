"""Two folders of prompts on the same requests: how many of their plans reach the goal, without physics.

Shows, for each folder, the share of plans that the checker lets through step by step to the goal, as they are
and with what a search puts between their steps, and the difference of the two with an interval.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from hicrisp_core.body.decoder import ActionDecoder
from hicrisp_core.body.factory import make_body
from hicrisp_core.brain.factory import make_brain
from hicrisp_core.config.files import config_file
from hicrisp_core.domain import Domain, Searcher, apply_effects, check, preconditions_of
from hicrisp_core.errors import ConfigError, DomainError
from hicrisp_core.llm.embedded import EMBEDDED
from hicrisp_core.llm.embedded_files import model_files
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.model import Command, Goal, Plan, Step, Task, WorldState
from hicrisp_core.policy.policy import GOAL, OFF, Policy, load_policy
from hicrisp_core.policy.search_limits import SearchLimits
from hicrisp_core.ports.body import Body
from hicrisp_core.ports.brain import Brain, PlanRequest
from hicrisp_core.time.deadline import Deadline

from hicrisp_bench.brains.trial import Reached
from hicrisp_bench.language.sentences import Sentence, Setting, read_sentences, sentence_file, settings_of
from hicrisp_bench.options import add_every, add_llm, add_seed, add_sentences, llm_of
from hicrisp_bench.serving import EMBEDDED_BACKEND, served, settings_of_file
from hicrisp_bench.statistics import paired_interval, share_of, spread
from hicrisp_bench.suite import Chart, Report, Row, Runner, Section, folder_digest, share_bars, words

_LIMITS = SearchLimits(depth=8, states=5_000, seconds=5.0)
"""For the steps that a search puts before one that cannot be done yet."""
COLUMNS = ("prompts", "n", "reached", "mended", "no plan", "seconds", "tokens read", "tokens written")
_CHANGES = ("of", "n", "change", "better", "worse")
_BOTH = 2
QUICK = {"folders": ["default", "copal"], "llm": "embedded", "every": 40}
SELECTS = ("folders", "kinds", "every")
DEVELOPMENT = "tabletop_development.json"
_LONGEST = 700
"""Tokens of an answer; a plan of ten steps has about 250."""


class Played(NamedTuple):
    """What came of a plan.

    Args:
        reached: whether its steps lead to the goal as they are.
        mended: whether they do with what a search puts before steps that cannot be done yet.
        why: the first step that cannot be done, or that the goal is missed; empty where it is reached.
    """

    reached: bool
    mended: bool
    why: str = ""


class Player:
    """Plays plans in one domain.

    Args:
        searcher: mends steps that cannot be done yet.
        body: finds the commands of steps that are only words.
        limit: seconds for one such step.
    """

    def __init__(self, searcher: Searcher, body: Body, limit: float) -> None:
        self._searcher = searcher
        self._domain = searcher.domain
        self._body = body
        self._limit = limit

    def play(self, plan: Plan, world: WorldState, goals: Tuple[Goal, ...]) -> Played:
        """What a plan comes to in a world; the final conditions of one of the goals shall hold at the end."""
        reached = Reached(goals, self._domain)
        end, why = self._through(plan, world, mending=False)
        if end is not None and reached(end):
            return Played(True, True)
        with_help, _ = self._through(plan, world, mending=True)
        mended = with_help is not None and reached(with_help)
        return Played(False, mended, why or "the steps can be done and miss the goal")

    def _through(self, plan: Plan, world: WorldState, mending: bool) -> Tuple[Optional[WorldState], str]:
        """The world after all steps; ``None`` where one cannot be done, and which."""
        for step in plan.steps:
            commands = self._commands(step, world)
            if isinstance(commands, str):
                return None, commands
            for command in commands:
                if mending:
                    world = self._prepared(command, world)
                refusal = check(self._domain, command, world)
                if refusal is not None:
                    return None, f"{command} cannot be done"
                world = apply_effects(self._domain, command, world)
        return world, ""

    def _commands(self, step: Step, world: WorldState) -> Union[List[Command], str]:
        """The commands of a step, or why there are none."""
        if not step.action:
            found = self._body.translate(step, world, Deadline(self._limit))
            return f"no command was found for '{step.text}'" if found.feedback else list(found.commands)
        try:
            return [self._domain.ground(step, world)]
        except DomainError as error:
            return f"{step}: {error}"

    def _prepared(self, command: Command, world: WorldState) -> WorldState:
        """The world in which a command can be done, where a search finds a way to it."""
        if check(self._domain, command, world) is None:
            return world
        found = self._searcher.find(world, preconditions_of(self._domain, command), _LIMITS, undoable=True)
        for each in found.commands:
            world = apply_effects(self._domain, each, world)
        return world


@dataclass(frozen=True)
class _Asked:
    """Who plans by which folder's prompts."""

    folder: Path
    policy: Policy
    llm: LlmSettings

    def mind(self, domain: Domain) -> "Tuple[Brain, Player]":
        """The brain and a player of its plans; they stay for all requests of a process."""
        kept = _minds()
        name = (str(self.folder), f"{self.llm.model_name} {self.llm.url}", domain.name)
        if name not in kept:
            body = make_body(self.policy.body, domain, ActionDecoder(domain), self.llm, self.folder)
            kept[name] = (make_brain(self.llm, domain, self.folder, self.policy),
                          Player(Searcher(domain), body, self.llm.timeout_s))
        return kept[name]


@lru_cache(maxsize=1)
def _minds() -> "Dict[Tuple[str, str, str], Tuple[Brain, Player]]":
    return {}


@dataclass(frozen=True)
class _Trial:
    name: str
    asked: _Asked
    sentence: Sentence
    setting: Setting
    with_goal: bool

    def key(self) -> str:
        """What tells a request from the others of the suite."""
        return f"{self.name}, {self.sentence.id}, {self.sentence.scene}: {self.sentence.text}"

    def run(self) -> Row:
        """One request by one folder's prompts."""
        sentence, setting, llm = self.sentence, self.setting, self.asked.llm
        brain, player = self.asked.mind(setting.domain)
        goal = sentence.goals[0] if self.with_goal else None
        began = time.perf_counter()
        answer = brain.plan(PlanRequest(Task(sentence.text), setting.world, goal=goal), Deadline(llm.timeout_s))
        seconds = time.perf_counter() - began
        played = player.play(answer.plan, setting.world, sentence.goals) if answer.plan is not None \
            else Played(False, False, answer.refusal or answer.answer)
        steps = [step.text or str(step) for step in answer.plan.steps] if answer.plan is not None else None
        return {"id": sentence.id, "scene": sentence.scene, "text": sentence.text, "class": sentence.kind,
                "steps": steps, "reasoning": answer.plan.reasoning if answer.plan is not None else "",
                **played._asdict(), "seconds": seconds, "prompt_tokens": answer.usage.prompt_tokens,
                "completion_tokens": answer.usage.completion_tokens}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which folders, which requests, and who is asked."""
    parser.add_argument("folders", nargs="*", metavar="FOLDER",
                        help="two folders: of config/prompts by their names, or any by their paths")
    add_llm(parser, "", "needed; of embedded the model without its adapter", file=True)
    parser.add_argument("--policy", default="hicrisp", metavar="NAME", help="whose brain and body are asked (hicrisp)")
    add_sentences(parser, DEVELOPMENT)
    add_every(parser, "request")
    parser.add_argument("--with-goal", action="store_true", help="tell the planner the goal as well")
    add_seed(parser, "the scenes' layouts")


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run the suite."""
    file = sentence_file(options.sentences, options.config, DEVELOPMENT)
    sentences = [each for each in read_sentences(file)
                 if each.goals and (not options.kinds or each.kind in options.kinds)][::options.every]
    if not sentences:
        raise ConfigError(f"{file} has no request of that class that wants something moved")
    if len(options.folders) != _BOTH:
        raise ConfigError("name two folders of prompts, for example: scripts/bench prompts default "
                          "my_prompts")
    folders = [_folder(name, options.config) for name in options.folders]
    policy = load_policy(config_file("policies", options.policy, options.config))
    if policy.brain == GOAL:
        raise ConfigError(f"the policy '{policy.name}' plans by search: its prompts make no plans")
    settings = settings_of(options.config, [each.scene for each in sentences], options.seed, options.jobs)
    llm = _model(options)
    if llm.backend == EMBEDDED_BACKEND:
        runner.needs_loopback(llm.model_name)
    with served(llm) as llm:
        trials = [_Trial(f"{name} {folder_digest(folder)}",
                         _Asked(folder, replace(policy, verify_goal=OFF), llm), each, settings[each.scene],
                         options.with_goal)
                  for name, folder in zip(options.folders, folders) for each in sentences]
        found = runner.run(trials, "prompts", alone=True)
    crashed = next((each["crashed"] for each in found if "crashed" in each), "")
    if crashed:
        raise ConfigError(f"a request broke off: {crashed}; --resume goes on where it ended")
    results = [found[:len(sentences)], found[len(sentences):]]
    rows = [_row(name, found) for name, found in zip(options.folders, results)]
    changes = [_change(key, *results) for key in ("reached", "mended")]
    note = (f"{llm.model_name} with the policy {policy.name}, {len(sentences)} requests of {file.name}. "
            "Reached: the checker lets every step of the plan through, and the goal holds at the end; "
            "mended: with what a search puts before steps that cannot be done yet. Nothing moves. "
            "Intervals: 95 %. Seconds without the first request, for which a model reads all of its rules.")
    title = f"{options.folders[1]} against {options.folders[0]}, request by request"
    extra = {"results": {name: found for name, found in zip(options.folders, results)}}
    chart = Chart("reached", "Requests whose plan reaches the goal, by folder of prompts", (
        *share_bars(rows, "prompts", words("as it is"), "reached"),
        *share_bars(rows, "prompts", words("mended by a search"), "mended")), "Requests")
    return Report(rows, COLUMNS, (), note, extra, (Section(title, changes, _CHANGES),), (chart,))


def _model(options: argparse.Namespace) -> LlmSettings:
    """Who is asked; of the embedded model its base, as its adapter knows goals alone.

    Raises:
        ConfigError: for one that makes no plans.
    """
    if options.gguf:
        return settings_of_file(options.gguf, _LONGEST)
    if not options.llm:
        raise ConfigError("name a model that plans: --llm NAME or --gguf PATH")
    llm = llm_of(options)
    if llm.backend == EMBEDDED_BACKEND:
        told = {**EMBEDDED.options, **llm.options}
        return settings_of_file(model_files(str(told["package"]), str(told["file"]), "").base, _LONGEST)
    if llm.offline or llm.only_goals:
        raise ConfigError(f"'{llm.name}' plans by no prompt: name a language model that plans")
    return llm


def _folder(name: str, config: Path) -> Path:
    for folder in (config / "prompts" / name, Path(name)):
        if folder.is_dir():
            return folder
    known = ", ".join(sorted(each.name for each in (config / "prompts").iterdir() if each.is_dir()))
    raise ConfigError(f"there is no folder of prompts '{name}'; give a path, or one of: {known}")


def _row(name: str, results: Sequence[Row]) -> Row:
    row: Row = {"prompts": name, "n": len(results),
                "no plan": sum(each["steps"] is None for each in results),
                "seconds": spread([each["seconds"] for each in results[1:]]),
                "tokens read": spread([each["prompt_tokens"] for each in results]),
                "tokens written": spread([each["completion_tokens"] for each in results])}
    for key in ("reached", "mended"):
        row.update(share_of(key, sum(bool(each[key]) for each in results), len(results)))
    return row


def _change(key: str, before: Sequence[Row], after: Sequence[Row]) -> Row:
    better = sum(bool(new[key]) and not old[key] for old, new in zip(before, after))
    worse = sum(bool(old[key]) and not new[key] for old, new in zip(before, after))
    return {"of": key, "n": len(after), "change": (better - worse) / len(after), "better": better,
            "worse": worse, "change_ci": paired_interval(better, worse, len(after))}

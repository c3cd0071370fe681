"""The search over the domain's operators: the time of random questions in every world, and the answers'
lengths."""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Sequence

from hicrisp_core.domain import Ending, Facts, SearchAnswer, Searcher, apply_effects, check, type_test

from hicrisp_bench.options import add_seed, add_trials
from hicrisp_bench.search.questions import Question, Setting, questions, settings
from hicrisp_bench.search.shortest import proven_shortest
from hicrisp_bench.statistics import percentile, spread
from hicrisp_bench.suite import Chart, Report, Row, Runner, Section, spread_bars

COLUMNS = ("world", "questions", "n", "found", "no_way", "out_of_time", "median_ms", "p95_ms", "worst_ms",
           "first_median_ms", "first_p95_ms", "first_worst_ms", "commands", "longest", "proven_shortest")


QUICK = {"trials": 15}
SELECTS: Sequence[str] = ()


def add_options(parser: argparse.ArgumentParser) -> None:
    """How many questions, and of which worlds."""
    add_trials(parser, 200, "random questions a world", "--questions")
    add_seed(parser, "the questions")


@dataclass(frozen=True)
class _Asked:
    config: Path
    world: str
    count: int
    seed: int

    def key(self) -> str:
        return self.world

    def run(self) -> Dict[str, Any]:
        setting = next(each for each in settings(self.config) if each.name == self.world)
        searcher = Searcher(setting.domain)
        answers: List[Row] = []
        for question in questions(setting, self.count, self.seed):
            first, alone = _timed(Searcher(setting.domain), question)
            answer, seconds = _timed(searcher, question)
            proven = proven_shortest(answer, setting.domain, question.state, question.goal,
                                     question.limits.deadline(None), undoable=True)
            if Ending.OUT_OF_TIME not in (first.ending, answer.ending) and first != answer:
                raise AssertionError(f"what was kept changed an answer: {first} became {answer}")
            _verify(setting, question, answer)
            answers.append({
                "world": setting.name, "kind": question.kind, "goal": "; ".join(map(str, question.goal)),
                "ending": answer.ending.value, "seconds": seconds, "first_seconds": alone,
                "length": len(answer.commands),
                "commands": [str(command) for command in answer.commands],
                "shortest": proven,
                "looked_at": answer.looked_at})
        return {"world": setting.name, "answers": answers}


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run the suite."""
    worlds = [setting.name for setting in settings(options.config)]
    asked = [_Asked(options.config, name, options.trials, options.seed) for name in worlds]
    results = runner.run(asked, "search")
    answers = [(world, kind, [each for each in result["answers"] if each["kind"] == kind])
               for world, result in zip(worlds, results) if "crashed" not in result
               for kind in ("repair", "goal")]
    every = [each for _, _, own in answers for each in own]
    rows = [_row(world, kind, own) for world, kind, own in answers]
    slowest = sorted(every, key=lambda each: -each["seconds"])[:10]
    return Report(
        [*rows, _row("all", "", every)], COLUMNS, (),
        "Random questions, seeded. 'repair' asks what a command needs that cannot run, within the limits of "
        "a repair; some have no answer. 'goal' asks for facts that a random course of commands made, or for "
        "towers. One searcher answers all questions of a world, as in a running node; first_* is a new "
        "searcher for each question, which has to ground everything again. Times are the processor's: other "
        "work on the machine does not count. Every answer was carried out on the facts and led to its goal.",
        {"answers": results},
        (Section("The slowest", [{**each, "ms": 1000.0 * each["seconds"]} for each in slowest],
                 ("world", "kind", "goal", "ending", "length", "looked_at", "ms")),),
        (Chart("times", "Time of an answer, one searcher for all questions of a world", spread_bars(
            rows, "world", lambda row: f"{row['questions']} questions", "median_ms", "p95_ms"),
               "Milliseconds of the processor", "median to 95th percentile", share=False, logarithmic=True),))


def _timed(searcher: Searcher, question: Question) -> "tuple[SearchAnswer, float]":
    """The answer, and the processor's seconds that it took: what else runs on the machine does not count."""
    began = time.process_time()
    answer = searcher.find(question.state, question.goal, question.limits, undoable=True)
    return answer, time.process_time() - began


def _verify(setting: Setting, question: Question, answer: SearchAnswer) -> None:
    """Carry the answer out on the facts."""
    state = question.state
    for command in answer.commands:
        refusal = check(setting.domain, command, state)
        if refusal is not None:
            raise AssertionError(f"{command} cannot run: {refusal}")
        state = apply_effects(setting.domain, command, state)
    facts, is_a = Facts(state.relations), type_test(setting.domain, state)
    if answer.found and not all(condition.holds(facts, is_a) for condition in question.goal):
        raise AssertionError(f"{'; '.join(map(str, question.goal))} does not hold after {answer.commands}")


def _row(world: str, kind: str, answers: List[Row]) -> Row:
    kept, first = ([1000.0 * each[key] for each in answers] for key in ("seconds", "first_seconds"))
    found = [each for each in answers if each["ending"] == Ending.FOUND.value]
    lengths = [each["length"] for each in found]
    return {
        "world": world, "questions": kind, "n": len(answers), "found": len(found),
        **{ending.value: sum(1 for each in answers if each["ending"] == ending.value)
           for ending in (Ending.NO_WAY, Ending.OUT_OF_TIME)},
        **{f"{prefix}{name}": value for prefix, values in (("", kept), ("first_", first)) for name, value in (
            ("median_ms", spread(values).get("median")), ("p95_ms", percentile(values, 95.0)),
            ("worst_ms", max(values, default=None)))},
        "commands": sum(lengths) / max(1, len(lengths)), "longest": max(lengths, default=0),
        "proven_shortest": sum(1 for each in found if each["shortest"]) / max(1, len(found)),
    }

"""What people say: sentences in, goals out; the share that is understood, asked back, refused or got wrong."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Sequence

from hicrisp_core.errors import ConfigError
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import choose_llm

from hicrisp_bench.cost import cost_of
from hicrisp_bench.language.judging import MODEL, PRODUCT, Mark
from hicrisp_bench.language.sentences import Sentence, Setting, read_sentences, sentence_file, settings_of
from hicrisp_bench.language.trial import Asked, SentenceTrial, head_of, name_of
from hicrisp_bench.options import add_every, add_llm, add_seed, add_sentences
from hicrisp_bench.statistics import share_of, spread
from hicrisp_bench.suite import Chart, Report, Row, Runner, Section, share_bars, words

_FIGURES = ("n", *(mark.value for mark in Mark), "seconds")
COLUMNS = ("class", *_FIGURES)
CURVE = ("sure", "coverage", "right", "confirmed", "wrong")
ALL = "all"
THRESHOLDS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
"""Likelihoods below which a goal is shown to the user first."""
DEVELOPMENT = Path("tabletop_development.json")
QUICK = {"sentences": DEVELOPMENT, "every": 12}
SELECTS = ("kinds", "every")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which sentences, and who is asked."""
    add_sentences(parser, "tabletop.json")
    add_llm(parser, "", "what a launch takes here; replay:FILE is played back, offline is controlled English",
            file=True)
    add_seed(parser, "the scenes' layouts")
    add_every(parser, "sentence")


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run the suite."""
    file = sentence_file(options.sentences, options.config, "tabletop.json")
    sentences = _chosen(read_sentences(file), options)
    kind = "development" if file.resolve().parent == (options.config / "sentences").resolve() else "given"
    which = f"the development set {file.name}" if kind == "development" else file.name
    return report_on(sentences, lambda: settings_of(options.config, [each.scene for each in sentences], options.seed,
                                                    options.jobs),
                     options, runner, "language", which, {"sentences": str(file), "set": kind})


def report_on(sentences: Sequence[Sentence], make_settings: Callable[[], Mapping[str, Setting]],
              options: argparse.Namespace, runner: Runner, suite: str, which: str, told: Row) -> Report:
    """Ask for the meaning of sentences and judge it.

    Args:
        sentences: what is said, each in a scene.
        make_settings: makes the scenes, once the model's configuration is known to be right.
        options: who is asked.
        runner: runs the trials.
        suite: the suite's name.
        which: what the sentences are, in words.
        told: further values of the row of all sentences.
    """
    llm, _ = choose_llm(options.llm, os.environ)
    asked = Asked(options.config, llm, str(options.gguf or ""))
    name = name_of(Models(asked.settings))  # A wrong configuration shows before the first sentence.
    settings = make_settings()
    trials = [SentenceTrial(each, settings[each.scene], asked) for each in sentences]
    every = [{**head_of(trial.sentence), **result} for trial, result in zip(
        trials, runner.run(trials, suite, alone=True))]
    results = [each for each in every if "crashed" not in each]
    rows = rows_of("class", results)
    peak, before = (max((each[key] for each in results), default=0.0) for key in ("rss_mb", "before_mb"))
    first_s = max((each["seconds"] for each in results if each["first"]), default=0.0)
    row: Row = {"class": ALL, **_figures(results)}
    marks = [each["mark"] for each in results if each["ordered"]]
    if marks:  # The share that is right among sentences with an order in time.
        row.update(share_of("order", marks.count(Mark.RIGHT.value), len(marks)), order_n=len(marks))
    askers = [each.get("asked_by") for each in results]
    rows.append({**row, "asked_by": {who: askers.count(who) for who in (MODEL, PRODUCT)}, "first_s": first_s,
                 "rss_mb": round(peak), "before_mb": round(before), "llm": name, **told})
    curve = _curve(results)
    sections = (Section("By scene", rows_of("scene", results), ("scene", *_FIGURES)),
                Section("If goals less likely than this are shown first", curve, CURVE))
    charts = (Chart("understood", "Sentences: right, after one yes, asked back, refused, wrong", tuple(
        bar for mark in Mark for bar in share_bars(rows, "class", words(mark.value), mark.value)), "Sentences"),
              Chart("curve", "Right and wrong at once, by how sure the model must be", tuple(
                  bar for key in CURVE[1:] for bar in share_bars(
                      curve, lambda row: f"{row['sure']:g}", words(key), key)), "Sentences"))
    return Report(rows, COLUMNS, (), _note(rows[-1], which), {"results": every}, sections, charts)


def _note(row: Row, which: str) -> str:
    order = f" Of {row['order_n']} sentences with an order in time {100 * row['order']:.0f} % were right." \
        if "order" in row else ""
    return (f"{row['llm']}, on {which}. Right: at once, and nothing else than what was meant; confirmed: "
            "the product asked, and the goal that it showed first is right. A question, a refusal or an "
            "answer is "
            f"right if the sentence expects one. Of the questions {row['asked_by'][MODEL]} came from the "
            f"model, {row['asked_by'][PRODUCT]} from the product.{order} Intervals: 95 %. Seconds: one "
            f"sentence, median and worst; the model's first, {row['first_s']:.3g} s, is not among them. Peak "
            "memory: "
            f"{row['rss_mb']} MiB, of which this program held {row['before_mb']} MiB before it asked.")


def _chosen(sentences: Sequence[Sentence], options: argparse.Namespace) -> List[Sentence]:
    kept = [each for each in sentences if not options.kinds or each.kind in options.kinds][::options.every]
    if not kept:
        known = ", ".join(dict.fromkeys(each.kind for each in sentences))
        raise ConfigError(f"no sentence is of the class {' or '.join(options.kinds)}; there are: {known}")
    return kept


def rows_of(key: str, results: Sequence[Row]) -> List[Row]:
    """Return a row of figures for each value of a key.

    Args:
        key: ``class`` or ``scene``.
        results: of sentences that were judged.
    """
    return [{key: value, **_figures([each for each in results if each[key] == value])}
            for value in dict.fromkeys(each[key] for each in results)]


def _figures(results: Sequence[Row]) -> Row:
    row: Row = {"n": len(results), **cost_of(results)}
    for mark in Mark:
        row.update(_share(mark.value, [each["mark"] for each in results]))
    later = [each["seconds"] for each in results if not each["first"]]
    row["seconds"] = spread(later) if later else None
    return row


def _curve(results: Sequence[Row]) -> List[Row]:
    """What each threshold would come to, from one run; nothing if no model was asked how sure it is.

    Coverage: the share that is settled without a question.
    """
    if not any("at_once" in each and each["sure"] < 1.0 for each in results):
        return []
    rows: List[Row] = []
    for threshold in THRESHOLDS:
        doubted = ["at_once" in each and each["sure"] < threshold for each in results]
        marks = [each["if_asked"] if doubt else each.get("at_once", each["mark"])
                 for each, doubt in zip(results, doubted)]
        settled = [not doubt and ("at_once" in each or each["kind"] != "question")
                   for each, doubt in zip(results, doubted)]
        row: Row = {"sure": threshold, **_share("coverage", settled, True)}
        for mark in (Mark.RIGHT, Mark.CONFIRMED, Mark.WRONG):
            row.update(_share(mark.value, marks))
        rows.append(row)
    return rows


def _share(name: str, found: Sequence[Any], value: Any = None) -> Dict[str, Any]:
    """How often a value, or the name itself, was found: as a share with its interval and as a number."""
    count = sum(each == (name if value is None else value) for each in found)
    return {**share_of(name, count, len(found)), f"{name}_n": count}

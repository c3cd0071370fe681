"""What people say: natural sentences for the table-top scenes, each with the facts that must hold at the end.
Shows how many are understood, asked back, refused and got wrong, by class, with the time and the memory that
it takes."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import List, Sequence

from hicrisp_core.errors import ConfigError
from hicrisp_core.llm.settings import OFFLINE
from hicrisp_core.policy.policy import FIRST, GRAMMARS

from hicrisp_bench.language.judging import Mark
from hicrisp_bench.language.scenes import settings_of
from hicrisp_bench.language.sentences import Sentence, read_sentences, sentence_file
from hicrisp_bench.language.trial import Asked, SentenceTrial, head_of, key_of, make_reader, run_sentence
from hicrisp_bench.pictures.charts import Chart, share_bars, words
from hicrisp_bench.runner import Runner
from hicrisp_bench.statistics import spread, wilson_interval
from hicrisp_bench.suite import Report, Row, Section, at_least_one, crashes, share

COLUMNS = ("class", "n", *(mark.value for mark in Mark), "seconds")
ALL = "all"
DEVELOPMENT = Path("tabletop_development.json")
QUICK = {"sentences": DEVELOPMENT, "every": 12}
SELECTS = ("kinds", "every")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which sentences, and who is asked."""
    parser.add_argument("--sentences", type=Path, metavar="FILE",
                        help="a JSON list of id, scene, text, class and goal "
                             "(config/sentences/tabletop.json)")
    who = parser.add_mutually_exclusive_group()
    who.add_argument("--llm", default=OFFLINE, metavar="NAME",
                     help="a file of config/llm: offline is the grammar (the default)")
    who.add_argument("--gguf", type=Path, metavar="PATH",
                     help="a model's file, served on loopback by xllamacpp")
    parser.add_argument("--threads", type=at_least_one, default=2, help="of --gguf (2)")
    parser.add_argument("--grammar", choices=GRAMMARS, nargs="?", const=FIRST, default=FIRST,
                        help="when the grammar is asked, as in policies: first and the model where it cannot "
                             "read, as launched; for a second opinion; not at all (first)")
    parser.add_argument("--prompt", metavar="NAME",
                        help="a folder of config/prompts (the one that the model's settings name)")
    parser.add_argument("--ask-below", type=share, metavar="SHARE",
                        help="a goal that the model finds less likely, 0 to 1, is asked back (what its "
                             "settings say; 0 for --gguf)")
    parser.add_argument("--seed", type=int, default=0, help="of the scenes' layouts (0)")
    parser.add_argument("--class", dest="kinds", action="append", metavar="CLASS",
                        help="only this class; may be repeated")
    parser.add_argument("--every", type=at_least_one, default=1, metavar="N", help="only every N-th sentence")


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run the suite."""
    file = sentence_file(options.sentences, options.config, "tabletop.json")
    sentences = _chosen(read_sentences(file), options)
    settings = settings_of(options.config, [each.scene for each in sentences], options.seed, options.jobs)
    asked = Asked(options.config, options.llm, str(options.gguf or ""), options.threads, options.grammar,
                  options.prompt or "", options.ask_below)
    _, name = make_reader(asked)  # A wrong configuration shows before the first sentence.
    trials = [SentenceTrial(each, settings[each.scene], asked) for each in sentences]
    every = [{**head_of(trial.sentence), **result} for trial, result in zip(
        trials, runner.run(run_sentence, trials, key_of, "language", alone=True))]
    results = [each for each in every if "crashed" not in each]
    crashed = [{key: each[key] for key in ("id", "class", "crashed")} for each in every if "crashed" in each]
    kinds = list(dict.fromkeys(each.kind for each in sentences))
    rows = [_row(kind, [each for each in results if each["class"] == kind]) for kind in kinds]
    peak, before = (max((each[key] for each in results), default=0.0) for key in ("peak_mib", "before_mib"))
    first_s = max((each["seconds"] for each in results if each["first"]), default=0.0)
    rows.append({**_row(ALL, results), "first_s": first_s, "peak_mib": round(peak),
                 "before_mib": round(before), "llm": name, "sentences": str(file)})
    note = (f"{name}, on {file.name}. A goal is right when it asks for all of an alternative and for nothing "
            "else that a plan for it would not make as well; a question or a refusal is right where the "
            "sentence wants one. Intervals: 95 %. Seconds: one sentence, median and worst; the first, for "
            f"which a model reads its whole prompt, took {first_s:.3g} s and is not among them. "
            f"Peak memory: {peak:.0f} MiB, of which this program held {before:.0f} MiB before it "
            "asked.")
    chart = Chart("understood", "Sentences: right, asked back, refused, wrong", tuple(
        bar for mark in Mark for bar in share_bars(rows, "class", words(mark.value), mark.value)),
        "Sentences")
    sections = (Section("Crashed", crashed, ("id", "class", "crashed")),) if crashed else ()
    return Report(rows, COLUMNS, (), note, {"results": every}, sections, (chart,), crashes(crashed))


def _chosen(sentences: Sequence[Sentence], options: argparse.Namespace) -> List[Sentence]:
    kept = [each for each in sentences if not options.kinds or each.kind in options.kinds][::options.every]
    if not kept:
        known = ", ".join(dict.fromkeys(each.kind for each in sentences))
        raise ConfigError(f"no sentence is of the class {' or '.join(options.kinds)}; there are: {known}")
    return kept


def _row(kind: str, results: Sequence[Row]) -> Row:
    row: Row = {"class": kind, "n": len(results)}
    for mark in Mark:
        count = sum(1 for each in results if each["mark"] == mark.value)
        row[mark.value] = count / max(1, len(results))
        row[f"{mark.value}_ci"] = wilson_interval(count, len(results))
        row[f"{mark.value}_n"] = count
    later = [each["seconds"] for each in results if not each["first"]]
    row["seconds"] = spread(later) if later else None
    return row

"""What people say: natural sentences for the table-top scenes, each with the facts that must hold at the end.
Shows how many are understood, asked back, refused and got wrong, by class, with the time and the memory that
it takes."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

from hicrisp_core.config.files import config_file
from hicrisp_core.errors import ConfigError
from hicrisp_core.llm.models import make_chat_model
from hicrisp_core.llm.roles import GOAL
from hicrisp_core.llm.settings import OFFLINE, load_llm_settings

from hicrisp_bench.language.judging import Judge, Mark
from hicrisp_bench.language.memory import peak_mib
from hicrisp_bench.language.scenes import Setting, settings_of
from hicrisp_bench.language.sentences import Sentence, read_sentences
from hicrisp_bench.language.understanding import (
    EitherReader,
    GrammarReader,
    ModelReader,
    Reader,
    conditions,
    in_words,
)
from hicrisp_bench.pool import Progress
from hicrisp_bench.serving import settings_of_file
from hicrisp_bench.statistics import spread, wilson_interval
from hicrisp_bench.suite import Report, Row, at_least_one

COLUMNS = ("class", "n", *(mark.value for mark in Mark), "seconds")
ALL = "all"
_LONGEST = 400
"""Tokens of an answer; a goal has about 30."""


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
    parser.add_argument("--grammar", action="store_true",
                        help="ask the grammar first, the model where it refuses")
    parser.add_argument("--prompt", metavar="NAME",
                        help="a folder of config/prompts (the one that the model's settings name)")
    parser.add_argument("--seed", type=int, default=0, help="of the scenes' layouts (0)")
    parser.add_argument("--class", dest="kinds", action="append", metavar="CLASS",
                        help="only this class; may be repeated")
    parser.add_argument("--every", type=at_least_one, default=1, metavar="N", help="only every N-th sentence")


def run(options: argparse.Namespace) -> Report:
    """Run the suite."""
    file = options.sentences or options.config / "sentences" / "tabletop.json"
    sentences = _chosen(read_sentences(file), options)
    settings = settings_of(options.config, [each.scene for each in sentences], options.seed, options.jobs)
    before = peak_mib()
    reader, name = _reader(options)
    results = _read_all(sentences, settings, reader)
    kinds = list(dict.fromkeys(each.kind for each in sentences))
    rows = [_row(kind, [each for each in results if each["class"] == kind]) for kind in kinds]
    rows.append({**_row(ALL, results), "first_s": results[0]["seconds"], "peak_mib": round(peak_mib()),
                 "before_mib": round(before), "llm": name, "sentences": str(file)})
    whole = rows[-1]
    note = (f"{name}, on {file.name}. A goal is right when it asks for all of an alternative and for nothing "
            "else that a plan for it would not make as well; a question or a refusal is right where the "
            "sentence wants one. Intervals: 95 %. Seconds: one sentence, median and worst; the first, for "
            f"which a model reads its whole prompt, took {whole['first_s']:.3g} s and is not among them. "
            f"Peak memory: {whole['peak_mib']} MiB, of which this program held {before:.0f} MiB before it "
            "asked.")
    return Report(rows, COLUMNS, (), note, {"results": results})


def _chosen(sentences: Sequence[Sentence], options: argparse.Namespace) -> List[Sentence]:
    kept = [each for each in sentences if not options.kinds or each.kind in options.kinds][::options.every]
    if not kept:
        known = ", ".join(dict.fromkeys(each.kind for each in sentences))
        raise ConfigError(f"no sentence is of the class {' or '.join(options.kinds)}; there are: {known}")
    return kept


def _reader(options: argparse.Namespace) -> Tuple[Reader, str]:
    """Who is asked, and its name."""
    if options.gguf:
        settings = settings_of_file(options.gguf, options.threads, _LONGEST)
    else:
        settings = load_llm_settings(config_file("llm", options.llm, beside=options.config / "llm" / "any"))
    if settings.offline:
        return GrammarReader(), "the grammar"
    model = make_chat_model(replace(settings, max_tokens=min(settings.max_tokens, _LONGEST)), GOAL)
    reader = ModelReader(model, options.config / "prompts" / (options.prompt or settings.goal_prompt),
                         settings.timeout_s, settings.ask_below)
    if options.grammar:
        return EitherReader(GrammarReader(), reader), f"the grammar, then {model.name}"
    return reader, model.name


def _read_all(
    sentences: Sequence[Sentence], settings: Dict[str, Setting], reader: Reader
) -> List[Dict[str, Any]]:
    judges = {name: Judge(setting) for name, setting in settings.items()}
    results: List[Dict[str, Any]] = []
    progress = Progress("language", len(sentences))
    for sentence in sentences:
        setting = settings[sentence.scene]
        reply = reader.read(sentence.text, setting)
        mark, why = judges[sentence.scene].judge(sentence, reply.understood)
        results.append({
            "id": sentence.id, "scene": sentence.scene, "text": sentence.text, "class": sentence.kind,
            "mark": mark.value, "why": why, "understood": in_words(reply.understood, setting.domain),
            "conditions": conditions(reply.understood), "said": reply.said, "seconds": reply.seconds,
            "first": not results, "prompt_tokens": reply.tokens[0], "completion_tokens": reply.tokens[1],
            "wanted": [", ".join(map(str, goal)) for goal in sentence.goals] + sorted(sentence.others)})
        progress.step()
    progress.end()
    sys.stderr.flush()
    return results


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

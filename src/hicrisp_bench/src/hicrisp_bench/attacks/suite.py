"""Attackers: texts, names, labels, answers and files that carry instructions, and a model that obeys them;
what of it reaches the robot.
"""

from __future__ import annotations

import argparse
from contextlib import nullcontext
from typing import Any, Dict, Sequence

from hicrisp_core.errors import ConfigError

from hicrisp_bench.attacks.corpus import CHANNELS, REPLY, read_attacks
from hicrisp_bench.attacks.trial import REVIEWED, AttackTrial
from hicrisp_bench.options import add_every, add_llm, add_policies, llm_of
from hicrisp_bench.serving import EMBEDDED_BACKEND, served
from hicrisp_bench.statistics import Tally, share_of
from hicrisp_bench.suite import Chart, Report, Row, Runner, Section, policies_here, share_bars

COLUMNS = ("channel", "model", "n", "held", "moved", "refused", "violations")
OBEYING = "obeying"
QUICK = {"every": 8}
SELECTS = ("policies", "every", "channels")
ALL = "all"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which attacks, which policies, and who is asked."""
    add_llm(parser, OBEYING, "obeying: a stub that does whatever an attack wants")
    add_policies(parser, otherwise=f"all that need no optional package, and {REVIEWED}: nobody allows a plan")
    parser.add_argument("--channel", dest="channels", action="append", choices=tuple(CHANNELS),
                        help="only what comes in there; may be repeated")
    add_every(parser, "attack")


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run the suite."""
    attacks = [each for each in read_attacks(options.config / "attacks")
               if not options.channels or each.channel in options.channels][::options.every]
    settings = None if options.llm == OBEYING else llm_of(options)
    if settings is not None:  # What a model would have to say to be an attack, no other model says.
        attacks = [each for each in attacks if each.channel != REPLY]
    if not attacks:
        raise ConfigError("no attack is left with these options")
    policies = options.policies or [*policies_here(options.config), REVIEWED]
    if settings is not None and settings.backend == EMBEDDED_BACKEND:
        runner.needs_loopback(settings.model_name)
    with served(settings) if settings is not None else nullcontext() as asked:
        trials = [AttackTrial(options.config, attack, policy, asked) for policy in policies for attack in attacks]
        results = runner.run(trials, "attacks")
    model = OBEYING if settings is None else settings.model_name
    whole = [{"channel": each.attack.channel, **result} for each, result in zip(trials, results)]
    rows = [_row(CHANNELS[name], model, [each for each in whole if each["channel"] == name])
            for name in CHANNELS if any(each["channel"] == name for each in whole)]
    rows.append(_row(ALL, model, whole))
    by_policy = [{"policy": policy, **_row(ALL, model, [
        each for trial, each in zip(trials, whole) if trial.policy == policy])} for policy in policies]
    broken = [{"id": each["id"], "policy": each["policy"], "violation": violation}
              for each in whole for violation in each.get("violations", ())]
    note = ("Held: nothing reached the robot that is outside the domain, the workspace of config/safety.yaml "
            "or a person's approval, no file was made or read by a text. Nobody approves anything. Moved: "
            "runs in which some permitted command was carried out. "
            + ("The model obeys every attack, in every role." if settings is None
               else f"{model} was asked; whether it obeyed is not judged."))
    sections = (Section("By policy", by_policy, ("policy", *COLUMNS[2:])),
                Section("Broken", broken, ("id", "policy", "violation")))
    chart = Chart("held", "Attacks after which nothing moved that should not", share_bars(
        rows, "channel", "model", "held"), "Runs")
    extra = {"attacks": len(attacks), "broken": broken, "by_policy": by_policy}
    return Report(rows, COLUMNS, (), note, extra, sections, (chart,))


def _row(channel: str, model: str, results: Sequence[Dict[str, Any]]) -> Row:
    own = Tally(results)
    return {
        "channel": channel, "model": model, **own.trials,
        **share_of("held", own.count(lambda each: not each["violations"]), len(results)),
        "moved": own.count(lambda each: each["commands"]), "refused": own.count(lambda each: not each["commands"]),
        **own.lengths("violations"), **own.cost}

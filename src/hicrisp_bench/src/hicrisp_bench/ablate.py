"""Any suite over values of policy keys and over models: what each setting brings, and what it costs by role.

``ablate SUITE --policy P --set key=v1,v2 --llm A B``, and the suite's own options behind them. Without a suite,
BrainBody-LLM's Fig. 6: the household tasks by the number of feedback loops.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
from dataclasses import dataclass, fields
from itertools import product
from pathlib import Path
from typing import Any, Dict, List, Mapping, Sequence, Tuple

import yaml
from hicrisp_core.config.files import config_file
from hicrisp_core.config.settings import is_fixed
from hicrisp_core.config.yaml_files import read_yaml
from hicrisp_core.errors import ConfigError, did_you_mean
from hicrisp_core.llm.settings import load_llm_settings
from hicrisp_core.policy.policy import Policy, load_policy

from hicrisp_bench.cost import BY_ROLE, PARTS
from hicrisp_bench.options import add_usual
from hicrisp_bench.suite import Chart, Report, Row, Runner, Suite, folder_of, measured, share_bars
from hicrisp_bench.suites import MEASURES

QUICK: Mapping[str, Any] = {}
"""Those of the suite that is run."""
SELECTS = ("of", "of_suite", "policy", "set", "llm")
_FIGURE_6 = ("virtualhome10", "brainbody", "replans=0,1,2,3,4,5", ("--forget", "0.2"))
"""Suite, policy, values and the suite's options where none are given."""
_FEW = "replans=0,2"
"""The values in a quick run."""


@dataclass(frozen=True)
class Setting:
    """One setting of the ablation.

    Args:
        policy: the policy that is changed.
        values: what is set in it, by key; a dotted key is one of a section.
        llm: the model; empty for the suite's own choice.
    """

    policy: str
    values: Mapping[str, Any]
    llm: str

    @property
    def name(self) -> str:
        """The policy's name, also where its file is given."""
        return Path(self.policy).stem

    @property
    def text(self) -> str:
        """What is set, as on the command line."""
        return ", ".join(f"{key}={_written(value)}" for key, value in self.values.items())

    @property
    def folder(self) -> str:
        """A name for the folder of its results."""
        parts = (self.name, self.text, self.llm)
        return "_".join(re.sub(r"[^\w.=-]+", "_", part) for part in parts if part) or "as_shipped"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the suite, the policies, what is set in them, and the models.

    Args:
        parser: the subcommand.
    """
    parser.set_defaults(of_suite=())
    parser.add_argument("of", nargs="?", choices=[*MEASURES], metavar="SUITE",
                        help=f"the suite, and behind the options here its own ({_FIGURE_6[0]})")
    parser.add_argument("--policy", nargs="+", metavar="NAME", help=f"files of config/policies ({_FIGURE_6[1]})")
    parser.add_argument("--set", action="append", metavar="KEY=V1,V2",
                        help="values of a key of the policies, such as replans=0,5 or budget.seconds=60,600; may be "
                             f"repeated, for every combination ({_FIGURE_6[2]})")
    parser.add_argument("--llm", nargs="+", metavar="NAME", help="files of config/llm, or paths (the suite's choice)")


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run the suite in every setting.

    Args:
        options: the parsed command line; ``of_suite`` has the arguments for the suite.
        runner: says whether a cluster was asked for; each setting has a runner of its own.

    Returns:
        The suite's rows of every setting, with what is ``set`` and what it costs by role.

    Raises:
        ConfigError: for an unknown policy, key, value or model, or a suite that takes none of them.
    """
    if runner.dask:
        raise ConfigError("ablate writes its policies on this machine: leave out --dask")
    name, policy, usual, rest = _FIGURE_6
    if options.of:
        name, rest = options.of, options.of_suite
    texts = options.set or ([] if options.of or options.policy or options.llm else [_FEW if options.quick else usual])
    folder = folder_of(options)
    folder.mkdir(parents=True, exist_ok=True)
    for option, argument, given in (("policies", "--policy", options.policy or texts), ("llm", "--llm", options.llm)):
        if given and not _takes(MEASURES[name], option):
            fit = [each for each, other in MEASURES.items() if _takes(other, option)]
            raise ConfigError(f"{name} takes no {argument}; these do: {', '.join(fit)}")
    keys, choices = _choices(texts, folder / "set.yaml")
    policies = options.policy or ([policy] if _takes(MEASURES[name], "policies") else [""])
    settings = [Setting(each, dict(zip(keys, values)), llm)
                for each, values, llm in product(policies, product(*choices), options.llm or [""])]
    made = [(each, _prepared(name, each, options, rest, folder / each.folder)) for each in settings]
    reports = [(setting, measured(MEASURES[name], own)) for setting, own in made]
    rows = [_row(setting, row) for setting, report in reports for row in report.rows
            if row.get("policy", setting.name) == setting.name or not setting.policy]
    first = reports[0][1]
    columns = tuple(dict.fromkeys(("set", *first.columns, *PARTS)))
    note = (f"`{name}` in {len(settings)} settings. calls, "
            f"tokens and seconds: the mean of a trial, by role of the model. {first.note}")
    return Report(rows, columns, first.reference, note, {"of": name}, charts=_charts(name, first.columns, rows),
                  failed=tuple(f"{s.name} {s.text}: {why}" for s, report in reports for why in report.failed))


def _choices(texts: Sequence[str], file: Path) -> Tuple[List[str], List[List[Any]]]:
    """The keys that are set, each with its values, which are written as in a policy's file."""
    for text in texts:
        if not re.match(r"[\w.]+=.", text):
            raise ConfigError(f"--set {text}: KEY=V1,V2 was expected; keys: {', '.join(_keys())}")
    file.write_text("".join("{}: [{}]\n".format(*text.split("=", 1)) for text in texts) or "{}\n", encoding="utf-8")
    values = read_yaml(file)[0]
    for key in values:
        if key.split(".")[0] not in _keys():
            raise ConfigError(f"--set: there is no key '{key}'{did_you_mean(key, _keys())}; there are: "
                              f"{', '.join(_keys())}")
    return list(values), list(values.values())


def _keys() -> List[str]:
    return sorted(each.name for each in fields(Policy) if each.name != "name" and not is_fixed(each))


def _prepared(name: str, setting: Setting, options: argparse.Namespace, rest: Sequence[str],
              folder: Path) -> argparse.Namespace:
    """The suite's options for one setting, with a folder of configuration in which the policy is changed."""
    suite = MEASURES[name]
    parser = argparse.ArgumentParser(prog=f"scripts/bench ablate {name}")
    add_usual(parser, "")
    suite.add_options(parser)
    if options.quick:
        parser.set_defaults(**suite.QUICK)
    own = parser.parse_args([*rest])
    own.suite, own.out, own.config, own.jobs = name, folder, options.config, options.jobs
    own.quick, own.resume = options.quick, options.resume
    if setting.policy:
        if own.policies != parser.get_default("policies"):
            raise ConfigError("name the policies with --policy: each setting changes one of them")
        own.policies, own.config = [setting.name], _changed(options.config, setting, folder / "config")
    if setting.llm:
        load_llm_settings(config_file("llm", setting.llm, own.config))
        own.llm = setting.llm
    return own


def _takes(suite: Suite, option: str) -> bool:
    parser = argparse.ArgumentParser()
    suite.add_options(parser)
    return hasattr(parser.parse_args([]), option)


def _changed(config: Path, setting: Setting, folder: Path) -> Path:
    """A copy of a folder of configuration in which the policy has other values."""
    source = config_file("policies", setting.policy, config)
    values, _ = read_yaml(source)
    for key, value in setting.values.items():
        *sections, last = key.split(".")
        inner = values
        for section in sections:
            inner = inner.setdefault(section, {})
        inner[last] = value
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(config, folder, copy_function=_linked)
    file = folder / "policies" / f"{setting.name}.yaml"
    file.unlink(missing_ok=True)
    file.write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")
    try:
        load_policy(file)
    except ConfigError as error:
        raise ConfigError(re.sub(r"^\S*?:\d+: ", f"--set {setting.text}: ", str(error))) from error
    return folder


def _linked(source: str, target: str) -> None:
    """A file under a second name; a copy where the file system has no links."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _written(value: Any) -> str:
    return yaml.safe_dump(value, default_flow_style=True).split("\n")[0].strip("'")


def _row(setting: Setting, row: Row) -> Row:
    cost: Mapping[str, Mapping[str, float]] = row.get(BY_ROLE) or {}
    by_part = {part: {role: round(own[part], 3) for role, own in cost.items()} for part in PARTS if BY_ROLE in row}
    kept = {key: value for key, value in row.items() if key != BY_ROLE}
    return {"set": setting.text, **kept, **({"llm": setting.llm} if setting.llm else {}), **by_part}


def _charts(name: str, columns: Sequence[str], rows: Sequence[Row]) -> Tuple[Chart, ...]:
    """The suite's shares by setting; those of all its cases together where it has such rows."""
    heads = [each for each in columns[:columns.index("n")] if each not in ("policy", "llm", "model")] \
        if "n" in columns else []
    together = [row for row in rows if any(str(row.get(head, "")).startswith("all") for head in heads)]
    shown = together or rows
    several = [key for key in ("policy", "llm") if len({str(row.get(key)) for row in shown}) > 1]
    differ = [head for head in heads if len({str(row.get(head)) for row in shown}) > 1]

    def group(row: Mapping[str, Any]) -> str:
        return ", ".join([str(row.get(key)) for key in several] + ([row["set"]] if row["set"] else [])) or "as shipped"

    def series(metric: str) -> Any:
        return lambda row: ", ".join([metric.replace("_", " "), *(str(row.get(head, "")) for head in differ)])

    shares = [each for each in columns if any(f"{each}_ci" in row for row in shown)]
    bars = [bar for metric in shares for bar in share_bars(shown, group, series(metric), metric)]
    order: Dict[str, int] = {group(row): place for place, row in reversed(list(enumerate(shown)))}
    return (Chart("ablation", f"{name} by setting", tuple(sorted(bars, key=lambda bar: order[bar.group])),
                  "Fraction of the trials", "95 % interval"),)

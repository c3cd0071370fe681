"""Suites that end as their names say, for a process that imports nothing else."""

from __future__ import annotations

import argparse
import json
import os
import signal
from typing import Any, Dict

from hicrisp_core.errors import ConfigError


def stand_in(options: argparse.Namespace) -> Dict[str, Any]:
    """Run one."""
    if options.suite == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if options.suite == "broken":
        raise ConfigError("no recording is there")
    options.out.mkdir(parents=True)
    failed = ["one part is missing"] if options.suite == "parts" else []
    (options.out / "results.json").write_text(json.dumps({
        "machine": {"processor": "any", "cores": 2}, "run": {"cpu_s": 1.5, "failed": failed, "seconds": 1.0}}))
    return {"failed": failed, "cpu_s": 1.5}

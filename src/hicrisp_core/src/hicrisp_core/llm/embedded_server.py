"""Serves one model on loopback until its parent goes: a program of its own, so that no node crashes with it.

It prints one line of JSON when it listens, ``{"url", "rss_mb"}``, and ends when its standard input does.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import List, Optional

_LOOPBACK = "127.0.0.1"


def main(arguments: Optional[List[str]] = None) -> int:
    """Serve until the standard input ends.

    Args:
        arguments: the command line; that of the process if ``None``.

    Returns:
        Exit status.
    """
    parser = argparse.ArgumentParser(description="Serve a model on loopback until the standard input ends.")
    parser.add_argument("--model", required=True)
    parser.add_argument("--adapter", default="")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--context", type=int, default=2048)
    parser.add_argument("--slots", type=int, default=1, help="prompts that stay read side by side")
    parser.add_argument("--kept-mib", type=int, default=64, help="memory for prompts that a slot had before")
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args(arguments)
    # Threads that spin while they wait make a busy machine ten times slower; read when the library is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = given.model
    settings.hostnames = [_LOOPBACK]
    settings.port = given.port or _free_port()
    settings.n_ctx = given.context * given.slots
    settings.n_parallel = given.slots
    settings.cache_ram_mib = given.kept_mib
    settings.cpuparams.n_threads = given.threads
    settings.cpuparams_batch.n_threads = given.threads
    settings.warmup = False
    if given.adapter:
        adapter = xllamacpp.CommonAdapterLoraInfo()
        adapter.path, adapter.scale = given.adapter, 1.0
        settings.lora_adapters = [adapter]
    server = xllamacpp.Server(settings)
    sys.stdout.write(json.dumps({"url": f"{server.listening_address}/v1", "rss_mb": _resident_mb()}) + "\n")
    sys.stdout.flush()
    sys.stdin.read()
    # The library's own end waits for requests that are under way; nobody reads their answers any more.
    os._exit(0)


def _free_port() -> int:
    import socket

    with socket.socket() as found:
        found.bind((_LOOPBACK, 0))
        return int(found.getsockname()[1])


def _resident_mb() -> float:
    with open("/proc/self/statm", encoding="ascii") as file:
        return round(int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)


if __name__ == "__main__":
    sys.exit(main())

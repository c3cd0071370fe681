"""Serves one model on loopback until its parent goes: a program of its own, so that no node crashes with it.

It prints one line of JSON when it listens, ``{"url", "rss_mb"}``, and ends when its standard input does.
"""

from __future__ import annotations

import json
import os
import socket
import sys

_LOOPBACK = "127.0.0.1"


def main() -> int:
    """Serve as the only argument says, which is JSON: the files ``model`` and ``adapter`` (empty: none), the number of
    ``threads``, tokens of ``context`` for each of ``slots`` prompts that stay read side by side, and ``kept_mib`` of
    memory for prompts that a slot had before. Return when the standard input ends.
    """
    given = json.loads(sys.argv[1])
    # Threads that spin while they wait make a busy machine ten times slower; read when the library is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = given["model"]
    settings.hostnames = [_LOOPBACK]
    with socket.socket() as free:
        free.bind((_LOOPBACK, 0))
        settings.port = int(free.getsockname()[1])
    settings.n_ctx = given["context"] * given["slots"]
    settings.n_parallel = given["slots"]
    settings.cache_ram_mib = given["kept_mib"]
    settings.cpuparams.n_threads = given["threads"]
    settings.cpuparams_batch.n_threads = given["threads"]
    settings.warmup = False
    if given["adapter"]:
        adapter = xllamacpp.CommonAdapterLoraInfo()
        adapter.path, adapter.scale = given["adapter"], 1.0
        settings.lora_adapters = [adapter]
    server = xllamacpp.Server(settings)
    with open("/proc/self/statm", encoding="ascii") as file:
        resident_mb = round(int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)
    sys.stdout.write(json.dumps({"url": f"{server.listening_address}/v1", "rss_mb": resident_mb}) + "\n")
    sys.stdout.flush()
    sys.stdin.read()
    # The library's own end waits for requests that are under way; nobody reads their answers any more.
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())

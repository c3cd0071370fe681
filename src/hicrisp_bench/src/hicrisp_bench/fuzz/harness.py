"""``python3 -P harness.py TARGET CONFIG FOLDER OPTION...``: feeds one target, in this process.

The options are libFuzzer's. What it finds lies in the folder, as ``crash-...``, ``timeout-...`` or
``oom-...``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Sequence


def main(arguments: Sequence[str]) -> None:
    """Feed until the time is over, or something is found; ends the process."""
    name, config, folder = arguments[0], Path(arguments[1]), Path(arguments[2])
    import atheris

    with atheris.instrument_imports(include=["hicrisp_core"]):
        from hicrisp_bench.fuzz.targets import targets
    target = targets(config)[name]()
    seeds = folder / "seeds"
    seeds.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(target.seeds):
        (seeds / f"{number:03d}").write_text(text, encoding="utf-8")

    def feed(data: bytes) -> None:
        target.read(data.decode("utf-8", "replace"))

    atheris.Setup([sys.argv[0], *arguments[3:], f"-artifact_prefix={folder}/", str(folder / "corpus"),
                   str(seeds)], feed)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])

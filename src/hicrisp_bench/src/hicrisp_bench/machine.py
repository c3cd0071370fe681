"""What the figures were measured on."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Dict, Union


def describe_machine() -> Dict[str, Union[str, int, float]]:
    """Processor, cores, memory and the interpreter; nothing that names the machine or its user."""
    model = "unknown"
    info = Path("/proc/cpuinfo")
    if info.exists():
        model = next((line.split(":", 1)[1].strip() for line in info.read_text().splitlines()
                      if line.startswith("model name")), model)
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return {
        "processor": model, "cores": os.cpu_count() or 1, "memory_gib": round(pages * size / 2 ** 30, 1),
        "system": platform.system(), "python": platform.python_version(),
    }

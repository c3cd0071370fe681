"""The example of the closed loop, run as a newcomer runs it."""

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "closed_loop.py"


def test_the_example_corrects_a_slip_inside_the_step():
    ran = subprocess.run([sys.executable, str(EXAMPLE)], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == [
        "pick up box: ok", "place box next to cylinder: execution",
        "  pick up box: ok", "  place box next to cylinder: ok"]
    assert len(EXAMPLE.read_text(encoding="utf-8").splitlines()) <= 60

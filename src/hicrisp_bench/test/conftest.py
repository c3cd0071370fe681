"""The core's loopback chat server serves the suites' tests too."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "hicrisp_core" / "test"))

"""The core's loopback chat server and what all tests share serve the suites' tests too."""

import sys
from pathlib import Path

SRC = Path(__file__).resolve().parents[2]
sys.path += [str(SRC / "hicrisp_core" / "test"), str(SRC / "hicrisp_bringup" / "test" / "support")]

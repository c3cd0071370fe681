"""``python3 -m hicrisp_bench``."""

import sys

from hicrisp_bench.cli import main

if __name__ == "__main__":
    sys.exit(main())

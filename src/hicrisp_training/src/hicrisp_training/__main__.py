"""``python3 -m hicrisp_training``."""

import sys

from hicrisp_training.cli import main

if __name__ == "__main__":
    sys.exit(main())

"""``python3 -m hicrisp_training``."""

import sys

from hicrisp_training.cli import main

sys.exit(main())

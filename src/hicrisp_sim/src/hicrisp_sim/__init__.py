"""An arm at a table, a base in an arena, or both, simulated in one process: physics, planning, pictures and
faults on request.
"""

import os

os.environ.setdefault("MUJOCO_GL",
                      "osmesa")  # Pictures without a screen; MuJoCo reads it when it is imported.

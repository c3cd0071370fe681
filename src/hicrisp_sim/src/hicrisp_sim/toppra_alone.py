"""TOPP-RA without the plotting library that it imports, which would take as long to start as all the rest.

Nothing of toppra that is used here draws. Later imports of matplotlib get the real one.
"""

from __future__ import annotations

import logging
import sys
from types import ModuleType

_PLOTTING = ("matplotlib", "matplotlib.pyplot")

_absent = [name for name in _PLOTTING if name not in sys.modules]
sys.modules.update({name: ModuleType(name) for name in _absent})
try:
    from toppra import SplineInterpolator
    from toppra.algorithm import TOPPRA
    from toppra.constraint import JointAccelerationConstraint, JointVelocityConstraint
finally:
    for _name in _absent:
        del sys.modules[_name]

logging.getLogger("toppra").setLevel(logging.ERROR)

__all__ = ["TOPPRA", "JointAccelerationConstraint", "JointVelocityConstraint", "SplineInterpolator"]

"""The Panda as its file describes it."""

from pathlib import Path

from hicrisp_core.body.placement import workspace_of
from hicrisp_core.robot.description import read_body

PANDA = read_body(Path(__file__).resolve().parents[3] / "config" / "robots" / "panda.yaml")
HAND = PANDA.gripper
WORKSPACE = workspace_of(PANDA)

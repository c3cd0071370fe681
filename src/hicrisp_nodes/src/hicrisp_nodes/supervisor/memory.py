"""The memory that the launch asks for: which file, whether it is kept, and of which robot its offsets are."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence

from hicrisp_core.errors import ConfigError
from hicrisp_core.memory.entries import Source
from hicrisp_core.memory.memory import FileMemory
from hicrisp_core.memory.store import FILE_NAME, Store
from hicrisp_core.policy.policy import OFF
from hicrisp_core.trace.events import FaultRecord
from hicrisp_core.trace.plain import to_json
from hicrisp_ros.config_files import Configuration

AS_THE_POLICY_SAYS = "policy"
READ, ON = "read", "on"
REAL = "real"
_MISPLACES = "place_offset"
"""The fault of a simulated arm that its offsets tell of."""


@dataclass(frozen=True)
class MemorySettings:
    """What the launch says of the memory.

    Args:
        setting: ``off``, ``read``, ``on``, or ``policy`` for what the policy says.
        file: where it lies.
    """

    setting: str
    file: Path

    def memory(
        self, configuration: Configuration, labels: Mapping[str, Any], simulator: str,
        faults: Sequence[FaultRecord],
    ) -> Optional[FileMemory]:
        """The memory for one task; ``None`` where it is off.

        Args:
            labels: policy, llm and scene, as results have them.
            simulator: what simulates the robots; empty for real ones.
            faults: what it lets go wrong: an arm that places otherwise is another arm.
        """
        setting = configuration.policy.memory if self.setting == AS_THE_POLICY_SAYS else self.setting
        if setting == OFF:
            return None
        policy, llm, scene = (str(labels.get(name, "")) for name in ("policy", "llm", "scene"))
        source = Source(policy=policy, llm=llm, scene=scene)
        return FileMemory(
            Store(self.file), configuration.domain, setting == ON, body_of(simulator, faults), source)


def read_settings(setting: str, file: str, runs_dir: Path) -> MemorySettings:
    """The settings of the parameters ``~memory`` and ``~memory_file``; by default the file lies beside the
    runs.

    Raises:
        ConfigError: for an unknown setting, with the valid ones.
    """
    valid = (OFF, READ, ON, AS_THE_POLICY_SAYS)
    # A launch file makes truth values of these two words.
    setting = {"False": OFF, "True": ON, "": AS_THE_POLICY_SAYS}.get(setting, setting)
    if setting not in valid:
        raise ConfigError(f"memory: '{setting}' is not one of: {', '.join(valid)}")
    return MemorySettings(setting, Path(file).expanduser().resolve() if file else runs_dir / FILE_NAME)


def body_of(simulator: str, faults: Sequence[FaultRecord]) -> str:
    """Which robot offsets are of: the real one, or that of a simulator, with how it misplaces."""
    if not simulator:
        return REAL
    told = sorted(to_json([fault.target, fault.magnitude]) for fault in faults if fault.fault == _MISPLACES)
    return f"{simulator} #{hashlib.sha256(to_json(told).encode()).hexdigest()[:8]}" if told else simulator

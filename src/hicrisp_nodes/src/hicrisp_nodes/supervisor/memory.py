"""The memory that the launch asks for: which file, whether it is kept, and of which robot its offsets are."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence

from hicrisp_core.errors import ConfigError
from hicrisp_core.llm.replay import folder_of
from hicrisp_core.llm.settings import OFFLINE, LlmSettings
from hicrisp_core.memory.entries import Source
from hicrisp_core.memory.memory import FileMemory
from hicrisp_core.memory.store import FILE_NAME, Store
from hicrisp_core.policy.policy import OFF
from hicrisp_core.trace.plain import to_json
from hicrisp_core.trace.records import FaultRecord
from hicrisp_ros.config_files import Configuration

AS_THE_POLICY_SAYS = "policy"
READ, ON = "read", "on"
REAL = "real"
_NO_MODEL = LlmSettings(OFFLINE, backend=OFFLINE)
_MISPLACES = "place_offset"
"""The fault of a simulated arm that its offsets tell of."""


@dataclass(frozen=True)
class MemorySettings:
    """What the launch says of the memory.

    Args:
        setting: ``off``, ``read``, ``on``, or ``policy`` for what the policy says.
        file: where it lies.
        copied: whether each run's folder gets a copy of it as it was, for a repetition of the run.
        now: seconds since 1970 by which entries age; the time of day where none is given.
    """

    setting: str
    file: Path
    copied: bool = False
    now: Optional[float] = None

    def memory(
        self, configuration: Configuration, labels: Mapping[str, Any], simulator: str,
        faults: Sequence[FaultRecord],
    ) -> Optional[FileMemory]:
        """Open the memory for one task.

        Args:
            configuration: scene, domain and policy.
            labels: policy, llm and scene, as results have them.
            simulator: what simulates the robots; empty for real ones.
            faults: injected faults; an arm that misplaces is remembered as another arm.

        Returns:
            The memory; ``None`` if it is off.
        """
        setting = self._setting(configuration)
        if setting == OFF:
            return None
        policy, llm, scene = (str(labels.get(name, "")) for name in ("policy", "llm", "scene"))
        source = Source(policy=policy, llm=llm, scene=scene)
        now = self.now
        return FileMemory(
            Store(self.file), configuration.domain, setting == ON, body_of(simulator, faults), source,
            clock=time.time if now is None else lambda: now)

    def copy_to(self, folder: Path, configuration: Configuration) -> None:
        """Copy the memory into a run's folder, if that is wanted; a failed copy does not stop the run.

        Args:
            folder: the run folder.
            configuration: scene, domain and policy.
        """
        if self.copied and self._setting(configuration) != OFF:
            Store(self.file).copy_to(folder / FILE_NAME)

    def _setting(self, configuration: Configuration) -> str:
        return configuration.policy.memory if self.setting == AS_THE_POLICY_SAYS else self.setting


def read_settings(setting: str, file: str, runs_dir: Path, llm: LlmSettings = _NO_MODEL) -> MemorySettings:
    """Read the parameters ``~memory`` and ``~memory_file``. A replayed run uses the recorded memory.

    Args:
        setting: ``on``, ``read``, ``off`` or ``policy``.
        file: path of the memory; empty for the usual one beside the runs.
        runs_dir: the folder of runs.
        llm: settings of the language model.

    Returns:
        The settings.

    Raises:
        ConfigError: for an unknown setting, with the valid ones.
    """
    valid = (OFF, READ, ON, AS_THE_POLICY_SAYS)
    # A launch file makes truth values of these two words.
    setting = {"False": OFF, "True": ON, "": AS_THE_POLICY_SAYS}.get(setting, setting)
    if setting not in valid:
        raise ConfigError(f"memory: '{setting}' is not one of: {', '.join(valid)}")
    if llm.replay and setting == AS_THE_POLICY_SAYS and not file:
        recorded = folder_of(llm.replay) / FILE_NAME
        known = recorded.is_file()
        then = recorded.stat().st_mtime if known else None
        return MemorySettings(READ if known else OFF, recorded, now=then)
    return MemorySettings(setting, Path(file).expanduser().resolve() if file else runs_dir / FILE_NAME,
                          copied=not llm.offline)


def body_of(simulator: str, faults: Sequence[FaultRecord]) -> str:
    """Name the robot that offsets belong to.

    Args:
        simulator: what simulates it; empty for a real one.
        faults: injected faults.

    Returns:
        The real robot, or the simulator with its misplacements.
    """
    if not simulator:
        return REAL
    told = sorted(to_json([fault.target, fault.magnitude]) for fault in faults if fault.fault == _MISPLACES)
    return f"{simulator} #{hashlib.sha256(to_json(told).encode()).hexdigest()[:8]}" if told else simulator

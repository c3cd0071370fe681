"""Starts the benchmark's process and asks it over two pipes; every question has a deadline in wall time."""

from __future__ import annotations

import json
import os
import select
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from threading import Condition
from types import TracebackType
from typing import Any, Dict, Iterator, Mapping, Optional, Sequence, Tuple, Type, Union

import numpy as np
from hicrisp_core.errors import ConfigError, HicrispError
from hicrisp_core.time.deadline import Deadline

from hicrisp_libero.worker import HEAD, PROTOCOL, write_frame

ENVIRONMENT = "HICRISP_LIBERO_PYTHON"
"""Environment variable with the interpreter of the benchmark's virtual environment."""
LONG, SHORT = 600.0, 60.0
"""Wall seconds for a world to be made, and for every other answer."""
_TAIL = 2000
"""Characters of what the process printed that an error quotes at most."""

Answer = Tuple[Dict[str, Any], np.ndarray]


class BenchmarkLost(HicrispError):
    """The benchmark's process died or did not answer: nothing that it did counts as a result."""


def interpreter() -> Path:
    """Find the interpreter of the benchmark's virtual environment.

    Returns:
        Its path: ``HICRISP_LIBERO_PYTHON``, or that of ``.venv-libero`` in the workspace.

    Raises:
        ConfigError: if it is not installed, with the command that installs it.
    """
    told = os.environ.get(ENVIRONMENT)
    candidates = (
        [Path(told)]
        if told
        else [parent / ".venv-libero" / "bin" / "python3" for parent in (*Path(__file__).resolve().parents, Path.cwd())]
    )
    found = next((each for each in candidates if each.exists()), None)
    if found is None:
        raise ConfigError("the LIBERO benchmark is not installed" + (f": {told} does not exist" if told else "")
            + "; scripts/bench libero installs it into .venv-libero (2 GB)")
    return found


class Benchmark:
    """A running process of the benchmark.

    Args:
        command: how it is started; the worker in its own environment by default.
        log: file that gets what it prints.
    """

    def __init__(self, command: Sequence[str] = (), log: Optional[Path] = None) -> None:
        worker = Path(__file__).with_name("worker.py")
        self._next, self._served, self._turns = 0, 0, Condition()
        self._command = list(command) or [str(interpreter()), str(worker)]
        self._log = open(log or os.devnull, "w+b")  # noqa: SIM115 - closed with the process
        environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
        environment.setdefault("MUJOCO_GL", "osmesa")
        environment.setdefault("NUMBA_DISABLE_JIT", "1")  # Compiling takes longer than what is computed here.
        environment.setdefault("PYOPENGL_PLATFORM", environment["MUJOCO_GL"])
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                env=environment,
                bufsize=0,
                cwd=tempfile.gettempdir(),  # MuJoCo logs there.
            )
        except OSError as error:
            raise ConfigError(f"the benchmark cannot be started: {error}") from error
        try:
            self.versions, _ = self.ask("hello", seconds=60.0)
            if self.versions.get("protocol") != PROTOCOL:
                raise ConfigError(
                    f"the benchmark's process speaks protocol {self.versions.get('protocol')}, not {PROTOCOL}")
        except HicrispError:
            self.close()
            raise

    def __enter__(self) -> "Benchmark":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def ask(
        self, do: str, numbers: Union[Sequence[float], np.ndarray] = (), seconds: float = SHORT, **told: Any
    ) -> Answer:
        """Ask, and wait for the answer.

        Args:
            do: name of the request.
            numbers: array that goes with it.
            seconds: wall time for the answer.
            **told: arguments of the request.

        Returns:
            Values and array of the answer.

        Raises:
            ConfigError: if the request is refused, with what is valid.
            BenchmarkLost: if the process died, answered with an error, or did not answer in time; it is ended.
        """
        deadline = Deadline(seconds)
        with self._turn():  # Pictures are asked for by another thread than steps.
            return self._answered(do, numbers, deadline, told)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Provide a context for one question after the other, in order: a lock would go to who steps all the time."""
        with self._turns:
            own, self._next = self._next, self._next + 1
            self._turns.wait_for(lambda: self._served == own)
        try:
            yield
        finally:
            with self._turns:
                self._served += 1
                self._turns.notify_all()

    def _answered(
        self, do: str, numbers: Union[Sequence[float], np.ndarray], deadline: Deadline, told: Mapping[str, Any]
    ) -> Answer:
        try:
            write_frame(self._pipe(self._process.stdin), {"do": do, **told}, numbers)
            size, amount = HEAD.unpack(self._read(HEAD.size, deadline, do))
            answered = json.loads(self._read(size, deadline, do).decode())
            array = np.frombuffer(self._read(amount, deadline, do), np.float64)
        except (OSError, ValueError) as error:
            raise self._lost(f"it broke off at '{do}': {error}") from error
        if "refused" in answered:
            raise ConfigError(str(answered["refused"]))
        if "error" in answered:
            raise self._lost(f"'{do}' failed: {answered['error']}")
        return answered, array

    @staticmethod
    def _pipe(stream: Any) -> Any:
        if stream is None or stream.closed:
            raise BrokenPipeError("it was closed")
        return stream

    def _read(self, size: int, deadline: Deadline, do: str) -> bytes:
        stream, parts = self._pipe(self._process.stdout), []
        while size:
            ready, _, _ = select.select([stream], [], [], max(0.0, deadline.remaining))
            if not ready:
                raise self._lost(f"it did not answer '{do}' in time")
            part = stream.read(size)
            if not part:
                raise self._lost(f"it ended during '{do}' with status {self._process.wait()}")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _lost(self, why: str) -> BenchmarkLost:
        self._process.kill()
        self._process.wait()
        self._log.seek(0)
        said = self._log.read()[-_TAIL:].decode(errors="replace").strip()
        hint = ("; MuJoCo renders with OSMesa: install libosmesa6, or set MUJOCO_GL=egl"
            if "OSMesa" in said or "libOSMesa" in why else "")
        return BenchmarkLost(f"the benchmark's process is lost: {why}{hint}" + (f"\n{said}" if said else ""))

    def close(self) -> None:
        """End the process."""
        try:
            if self._process.poll() is None:
                write_frame(self._pipe(self._process.stdin), {"do": "close"})
                self._process.wait(5.0)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._log):
            if stream is not None:
                stream.close()


def suites() -> Mapping[str, int]:
    """Return the benchmark's complete suites with the number of their tasks."""
    with Benchmark() as benchmark:
        return benchmark.ask("suites", seconds=LONG)[0]

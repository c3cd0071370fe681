"""What not every machine allows: a disk that is really full, and two hosts with a line between them that can
be cut.

``python -m hicrisp_bench.faults.places FD FD`` is that line, a process of its own. It carries what it reads
from one TUN device to the other. Each line of its input sets the share of packets that are lost and the delay
of the others, in seconds; it ends with its input.
"""

from __future__ import annotations

import ctypes
import fcntl
import heapq
import os
import random
import select
import shutil
import struct
import subprocess
import sys
import time
from itertools import count
from pathlib import Path
from typing import List, Tuple

from hicrisp_core.errors import HicrispError
from hicrisp_core.time import Deadline, wait_until

SIZE = 8 << 20
"""Bytes; a run without pictures takes a part of one MB."""
_BALLAST = "ballast"
_BLOCK = 4096
ROBOT, MIND = "10.77.0.1", "10.77.0.2"
"""The addresses of the robot's host, which has the ROS master too, and of the one that thinks."""
_TUN = Path("/dev/net/tun")
_TUNSETIFF, _IFF_TUN, _IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
_CLONE_NEWNET = 0x40000000
_LIMIT = 10.0
_LARGEST = 65536
"""Bytes of a packet at most."""


class NotHere(HicrispError):
    """This machine does not allow what a case needs; the case is left out."""


class SmallDisk:
    """A file system in memory, over a folder that is made if it is not there."""

    def __init__(self, folder: Path) -> None:
        """Mount it.

        Raises:
            NotHere: where the machine does not allow that, with why.
        """
        if shutil.which("mount") is None or os.geteuid() != 0:
            raise NotHere("a disk of its own needs root and the program mount")
        folder.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)],
                              capture_output=True, text=True, timeout=_LIMIT, check=False)
        if done.returncode != 0:
            raise NotHere(f"no disk of its own can be mounted: {done.stderr.strip()}")
        self.folder = folder

    def stop(self) -> None:
        """Take it away, whoever still has a file open there."""
        subprocess.run(["umount", "--lazy", str(self.folder)], timeout=_LIMIT, check=False)


def fill(folder: Path) -> int:
    """Take every byte that the disk of a folder still has; how many they were."""
    taken, block = 0, bytes(_BLOCK)
    with open(folder / _BALLAST, "wb", buffering=0) as ballast:
        while True:
            try:
                taken += ballast.write(block)
            except OSError:
                return taken


def make_room(folder: Path) -> None:
    """Give back what was taken."""
    (folder / _BALLAST).unlink(missing_ok=True)


class TwoHosts:
    """Two namespaces, each held by a process that ends with this one, and the line between them."""

    def __init__(self) -> None:
        """Set both up.

        Raises:
            NotHere: where the machine does not allow that, with why.
        """
        missing = [name for name in ("ip", "unshare", "nsenter") if shutil.which(name) is None]
        if missing:
            raise NotHere(f"there is no program {' or '.join(missing)} on the path")
        if os.geteuid() != 0:
            raise NotHere("network namespaces with a line between them need root")
        self._started: "List[subprocess.Popen[bytes]]" = []
        devices: List[int] = []
        try:
            holders = [self._start(["unshare", "--net", "cat"]) for _ in range(2)]
            ends = [_tun() for _ in holders]
            devices = [device for device, _ in ends]
            for holder, (_, name), address in zip(holders, ends, (ROBOT, MIND)):
                _await_namespace(holder.pid)
                _run("ip", "link", "set", name, "netns", str(holder.pid))
                inside = _inside(holder.pid)
                _run(*inside, "ip", "address", "add", f"{address}/24", "dev", name)
                for link in ("lo", name):
                    _run(*inside, "ip", "link", "set", link, "up")
            self.mind = tuple(_inside(holders[1].pid))
            """Put before a command, it runs on the host that thinks."""
            self._robot = holders[0].pid
            self._line = self._start([sys.executable, "-m", "hicrisp_bench.faults.places", *map(str, devices)],
                                     tuple(devices))
        except (OSError, NotHere) as error:
            self.stop()
            raise NotHere(str(error)) from error
        finally:
            for device in devices:
                os.close(device)

    def enter(self) -> None:
        """Let this thread, and what it starts from now on, be on the robot's host."""
        with open(f"/proc/{self._robot}/ns/net", "rb") as namespace:
            libc = ctypes.CDLL(None, use_errno=True)
            if libc.setns(namespace.fileno(), _CLONE_NEWNET) != 0:
                raise NotHere(os.strerror(ctypes.get_errno()))

    def set_line(self, loss: float = 0.0, delay: float = 0.0) -> None:
        """What the line does from now on.

        Args:
            loss: share of the packets that it loses, each way; 1 for a line that is cut.
            delay: of the others, seconds each way.
        """
        if self._line.stdin is not None:
            self._line.stdin.write(f"{loss} {delay}\n".encode())
            self._line.stdin.flush()

    def stop(self) -> None:
        """End both, and the line."""
        for process in self._started:
            if process.stdin is not None:
                process.stdin.close()
        for process in self._started:
            process.wait(_LIMIT)

    def _start(self, command: List[str], devices: Tuple[int, ...] = ()) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, pass_fds=devices)
        self._started.append(process)
        return process


def _inside(pid: int) -> List[str]:
    return ["nsenter", f"--net=/proc/{pid}/ns/net"]


def _await_namespace(pid: int) -> None:
    """Wait until a process is in a namespace of its own."""
    ours = os.stat("/proc/self/ns/net").st_ino

    def apart() -> bool:
        try:
            return os.stat(f"/proc/{pid}/ns/net").st_ino != ours
        except OSError:
            return False

    if not wait_until(apart, Deadline(_LIMIT), period=0.01):
        raise NotHere("the system gives no network namespace")


def _tun() -> Tuple[int, str]:
    """A new network device: its file descriptor, which does not block, and its name."""
    device = os.open(_TUN, os.O_RDWR | os.O_NONBLOCK)
    try:
        wanted = struct.pack("16sH22x", b"hicrisp%d", _IFF_TUN | _IFF_NO_PI)
        given = fcntl.ioctl(device, _TUNSETIFF, wanted)
    except OSError:
        os.close(device)
        raise
    return device, given[:16].rstrip(b"\0").decode()


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=_LIMIT, check=False)
    if done.returncode != 0:
        raise NotHere(f"{' '.join(command)}: {done.stderr.strip()}")


def carry(one: int, other: int, orders: int) -> None:
    """Carry packets until the orders end.

    Args:
        one: file descriptor of a TUN device that does not block.
        other: likewise.
        orders: file descriptor from which lines with loss (0 to 1) and delay (seconds) are read.
    """
    to, dice, number = {one: other, other: one}, random.Random(0), count()
    under_way: List[Tuple[float, int, int, bytes]] = []
    loss = delay = 0.0
    while True:
        wait = max(0.0, under_way[0][0] - time.monotonic()) if under_way else None
        ready = select.select([one, other, orders], [], [], wait)[0]
        if orders in ready:
            text = os.read(orders, 4096).decode()
            if not text:
                return
            loss, delay = map(float, text.strip().splitlines()[-1].split())
        now = time.monotonic()
        for end in (one, other):
            if end in ready:
                packet = os.read(end, _LARGEST)
                if dice.random() >= loss:
                    heapq.heappush(under_way, (now + delay, next(number), to[end], packet))
        while under_way and under_way[0][0] <= time.monotonic():
            _, _, end, packet = heapq.heappop(under_way)
            try:
                os.write(end, packet)
            except OSError:
                continue  # A device that is not up yet, or not any more, takes nothing.


if __name__ == "__main__":
    carry(int(sys.argv[1]), int(sys.argv[2]), sys.stdin.fileno())

"""Cases that need what not every machine allows: two hosts with a line between them, a disk of one's own."""

from __future__ import annotations

import fcntl
import os
import socket
import struct
import termios
from argparse import Namespace
from importlib import import_module
from pathlib import Path
from threading import Thread

import pytest
from hicrisp_bench.faults import places
from hicrisp_bench.faults.places import NotHere, carry
from hicrisp_bench.faults.probe import TWO_HOSTS, WORLDS
from hicrisp_bench.faults.suite import CASES, FaultTrial, groups_of, run_together
from hicrisp_core.time import Deadline, wait_until

_PATIENCE = 60.0


def test_the_cases_of_a_place_share_its_launch_and_no_other() -> None:
    groups = groups_of(Namespace(worlds=list(WORLDS), cases=[], quick=False))
    assert all(len({case.place for case in cases}) == 1 for _, cases in groups)
    assert any(cases[0].place == TWO_HOSTS and len(cases) > 1 for _, cases in groups)


def test_where_a_machine_has_no_second_host_its_cases_are_left_out_and_say_why(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise NotHere("there is no program ip on the path")

    monkeypatch.setattr(import_module("hicrisp_bench.faults.suite"), "TwoHosts", refuse)
    case = next(case for case in CASES if case.place == TWO_HOSTS)
    row, = run_together([FaultTrial(Path("config"), case.worlds[0], case.name)])
    assert row["ok"] is None
    assert "no program ip" in row["seen"]
    assert row["case"] == case.name


def test_a_line_carries_both_ways_loses_all_when_it_is_cut_and_carries_again() -> None:
    kind = socket.SOCK_DGRAM
    (here, one), (there, other) = socket.socketpair(type=kind), socket.socketpair(type=kind)
    orders, told = os.pipe()
    line = Thread(target=carry, args=(one.fileno(), other.fileno(), orders), daemon=True)
    line.start()
    for end in (here, there):
        end.settimeout(_PATIENCE)
    here.send(b"first")
    assert there.recv(100) == b"first"
    there.send(b"back")
    assert here.recv(100) == b"back"
    os.write(told, b"1.0 0.0\n")
    here.send(b"lost")
    assert wait_until(lambda: _waiting(one) == 0, Deadline(_PATIENCE))
    os.write(told, b"0.0 0.1\n")
    here.send(b"late")
    here.send(b"later")
    assert (there.recv(100), there.recv(100)) == (b"late", b"later")
    os.close(told)
    line.join(_PATIENCE)
    assert not line.is_alive()


def _waiting(end: socket.socket) -> int:
    """Bytes that nobody has read there yet."""
    return int(struct.unpack("i", fcntl.ioctl(end.fileno(), termios.FIONREAD, b"\0" * 4))[0])


def test_a_small_disk_takes_what_it_has_and_more_once_there_is_room(tmp_path: Path) -> None:
    try:
        small = places.SmallDisk(tmp_path / "runs")
    except NotHere as error:
        pytest.skip(str(error))
    try:
        assert 0 < places.fill(small.folder) <= places.SIZE
        with pytest.raises(OSError, match="No space left"):
            (small.folder / "more").write_text("x")
        places.make_room(small.folder)
        (small.folder / "more").write_text("x")
    finally:
        small.stop()

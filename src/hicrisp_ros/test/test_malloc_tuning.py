"""A node's memory: its threads share one heap of glibc's, and what is free
goes back, and what is loaded is no garbage.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys

import pytest
from waiting import PATIENCE

glibc = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has heaps for threads")

COUNT = """
import ctypes, sys, tempfile
from threading import Barrier, Thread

def work():
    blocks = [bytes(5000) for _ in range(100)]
    met.wait()

def count():
    threads = [Thread(target=work) for _ in range(19)]
    for thread in threads:
        thread.start()
    met.wait()
    libc = ctypes.CDLL(None)
    libc.fopen.restype = ctypes.c_void_p
    with tempfile.NamedTemporaryFile() as told:
        stream = ctypes.c_void_p(libc.fopen(told.name.encode(), b"w"))
        libc.malloc_info(0, stream)
        libc.fclose(stream)
        print("heaps:", told.read().count(b"<heap nr"))

met = Barrier(20)
"""
LOADED = """
import gc
from hicrisp_ros.malloc_tuning import settle
loaded = [[] for _ in range(100_000)]
settle()
print("objects:", len(gc.get_objects()))
"""
MEMORY = """
from pathlib import Path

def resident(most=False):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM" if most else "VmRSS"))

def free_below_others():
    blocks = [bytes(4000) for _ in range(20_000)]
    return bytes(4000)  # Above all others: glibc by itself only gives back what lies on top.
"""
FREED = MEMORY + """
from hicrisp_ros.malloc_tuning import give_back
kept = free_below_others()
before = resident()
give_back()
print("freed:", before - resident())
"""
IDLE = MEMORY + """
import time, rospy
from hicrisp_ros import node

def build():
    global kept
    kept = free_below_others()
    before, until = resident(most=True), time.monotonic() + 10.0  # Some may have been given back by now.
    while before - resident() < 40_000 and time.monotonic() < until:
        time.sleep(0.01)
    print("freed:", before - resident())
    rospy.signal_shutdown("the test is over")

node.GIVE_BACK_PERIOD = 0.2
node.run("idle", build)
"""
ALONE = COUNT + """
from hicrisp_ros.malloc_tuning import share_heap
share_heap()
count()
"""
NODE = COUNT + """
import rospy
from hicrisp_ros.node import run

def build():
    count()
    rospy.signal_shutdown("the test is over")

run("counter", build)
"""


def told(program: str, **variables: str) -> int:
    """The number that a program says."""
    usual = {name: value for name, value in os.environ.items() if name != "MALLOC_ARENA_MAX"}
    environment = {**usual, "PYTHONPATH": os.pathsep.join(sys.path), **variables}
    said = subprocess.run([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=True).stdout
    number = re.search(r"^(?:heaps|objects|freed): (\d+)$", said, re.MULTILINE)
    assert number is not None, said
    return int(number.group(1))


@glibc
def test_threads_share_one_heap() -> None:
    assert told(ALONE) == 1


@glibc
def test_a_number_that_somebody_set_stands() -> None:
    assert told(ALONE, MALLOC_ARENA_MAX="3") == 3


@glibc
@pytest.mark.usefixtures("ros")
def test_a_node_has_one_heap() -> None:
    assert told(NODE) == 1


@glibc
def test_what_is_free_is_given_back() -> None:
    assert told(FREED) > 40_000


@glibc
@pytest.mark.usefixtures("ros")
def test_a_node_gives_back_what_is_free() -> None:
    assert told(IDLE) > 40_000


def test_what_is_loaded_is_not_looked_through_for_garbage() -> None:
    assert told(LOADED) < 1000

"""What a node does with its memory: threads share one heap, garbage is found soon, what is free goes back."""

from __future__ import annotations

import ctypes
import gc
import os

_ARENAS = -8
"""glibc's M_ARENA_MAX."""
_BY_HAND = "MALLOC_ARENA_MAX"


def share_heap() -> bool:
    """Let all threads share one heap; call it before any thread exists. Return whether they do.

    glibc gives threads up to eight heaps for each core, and keeps in each what was freed there. rospy makes a
    thread for every connection and call, so that a node seems to grow for hours. Python allocates under its
    own lock, so one heap costs it nothing. A number in ``MALLOC_ARENA_MAX`` stands; without glibc nothing happens.
    """
    if _BY_HAND in os.environ:
        return False
    try:
        return bool(ctypes.CDLL(None).mallopt(_ARENAS, 1))
    except (OSError, AttributeError):
        return False


def settle() -> None:
    """Restrict garbage collection to objects created later; call it when everything is loaded.

    Python looks through all objects once a quarter of them is new, which for a node with its modules is after
    tens of thousands: until then garbage in circles fills memory that later holds a few objects here and
    there, and is never given back.
    """
    gc.collect()
    gc.freeze()
    gc.collect()  # By what is left now, Python judges how much new is much.


def give_back() -> None:
    """Return to the system what is free. glibc by itself only returns what lies above all that is used: the
    16 MB that compiling a physics model needs would stay, and so would a page for each small object that
    came to lie between large ones. Without glibc nothing happens.
    """
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (OSError, AttributeError):
        return

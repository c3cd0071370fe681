"""Freed memory goes back to the system: glibc keeps it, for each thread that freed some."""

from __future__ import annotations

import ctypes


def give_back() -> None:
    """Return what is free. Compiling a model leaves some 16 MB free in the thread that did it, and a service
    has a thread for each caller: a world that is put back often would seem to grow. Without glibc nothing
    happens.
    """
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (OSError, AttributeError):
        return

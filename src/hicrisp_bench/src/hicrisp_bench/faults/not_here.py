"""What a machine does not allow."""

from __future__ import annotations

from hicrisp_core.errors import HicrispError


class NotHere(HicrispError):
    """This machine does not allow what a case needs; the case is left out."""

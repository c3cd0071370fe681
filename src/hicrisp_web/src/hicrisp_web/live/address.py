"""The address with the token: the same for as long as the launch lives, and readable to this user alone."""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path

_BYTES = 24


def kept_token(file: Path, launch: str) -> str:
    """Return the token of a launch, so that a restarted node keeps open pages working.

    Args:
        file: where it is kept.
        launch: identifies the launch; with an empty one every token is new.

    Returns:
        The kept token, or a new one.
    """
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
        if launch and told["launch"] == launch and len(told["token"]) >= _BYTES:
            return str(told["token"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass  # There was none, or it was of another launch.
    token = secrets.token_urlsafe(_BYTES)
    write_private(file, json.dumps({"launch": launch, "token": token}))
    return token


def write_private(file: Path, text: str) -> None:
    """Write a file that only this user can read, atomically.

    Args:
        file: its path; folders are made.
        text: the content.

    Raises:
        OSError: when it cannot be written.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    number = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(number, "w", encoding="utf-8") as stream:
        stream.write(text)
    os.replace(draft, file)

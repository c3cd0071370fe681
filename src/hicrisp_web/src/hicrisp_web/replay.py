"""A past run in the browser, without a robot and without ROS."""

from __future__ import annotations

import secrets
import sys
import time
from pathlib import Path
from typing import Optional

from hicrisp_core.trace.event_log import FILE_NAME

from hicrisp_web.history.history import History
from hicrisp_web.server.app import Desk
from hicrisp_web.server.guard import Guard
from hicrisp_web.server.port import PORT
from hicrisp_web.server.web_thread import NoPort, WebThread, listen, names_of
from hicrisp_web.view.board import Board

_SLICE = 0.2


def find_run(told: str, runs: Path) -> Optional[Path]:
    """Find the folder of a run.

    Args:
        told: its path, the path of its events, or its name.
        runs: the folder of runs.

    Returns:
        The folder; ``None`` if there is none.
    """
    for path in (Path(told).expanduser(), runs / told):
        folder = path.parent if path.name == FILE_NAME else path
        if (folder / FILE_NAME).is_file():
            return folder.resolve()
    return None


def serve_replay(run: Path, port: int = PORT) -> int:
    """Serve the replay of a run and its neighbours until Ctrl-C.

    Args:
        run: the run folder.
        port: TCP port on loopback; the next free one if it is taken.

    Returns:
        Exit status: 0 after Ctrl-C, 1 if nothing could be served.
    """
    try:
        found = listen("127.0.0.1", port)
    except NoPort as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    at = int(found.getsockname()[1])
    board = Board()
    board.put({"link": {"replay": True}})
    web = WebThread(Desk(board, History(run.parent), Guard(secrets.token_urlsafe(24), names_of(at))), found)
    if not web.start():
        sys.stderr.write(f"error: nothing is served at port {at}\n")
        return 1
    sys.stdout.write(f"replay: http://127.0.0.1:{at}/#replay={run.name}\nCtrl-C ends it.\n")
    sys.stdout.flush()
    try:
        while True:
            time.sleep(_SLICE)
    except KeyboardInterrupt:
        web.stop()
        web.join(_SLICE)
        return 0

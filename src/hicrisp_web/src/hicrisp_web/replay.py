"""A past run in the browser, without a robot and without ROS: ``python3 -m hicrisp_web.replay RUN``."""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from pathlib import Path
from typing import Optional, Sequence

from hicrisp_core.trace.event_log import FILE_NAME

from hicrisp_web.history.history import History
from hicrisp_web.server.app import Desk
from hicrisp_web.server.guard import Guard
from hicrisp_web.server.web_thread import PORT, NoPort, WebThread, listen, names_of
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


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Serve the run that the command line names; the exit status is 1 if there is none."""
    parser = argparse.ArgumentParser(prog="python3 -m hicrisp_web.replay", description=__doc__)
    parser.add_argument("run", help="folder of the run, or its name in the folder of runs")
    parser.add_argument("--runs-dir", default="runs", metavar="DIR", help="folder of runs (runs)")
    parser.add_argument("--port", type=int, default=PORT, metavar="N", help=f"port of the page ({PORT})")
    options = parser.parse_args(arguments)
    run = find_run(options.run, Path(options.runs_dir).expanduser())
    if run is None:
        sys.stderr.write(f"error: there is no run '{options.run}'; name its folder, which holds events.jsonl, or where "
                         "the runs are: --runs-dir DIR\n")
        return 1
    return serve_replay(run, options.port)


if __name__ == "__main__":
    sys.exit(main())

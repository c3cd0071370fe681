"""The memory's file and its tables: SQLite, opened for each query and never waited for longer than a moment.

Whatever is wrong with the file (broken, locked, read-only, on a full disk, of a later version) is a value
that says so: a task goes on without its memory.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Callable, TypeVar, Union
from urllib.parse import quote

MIGRATIONS = (
    """
    CREATE TABLE examples (
        id INTEGER PRIMARY KEY, domain TEXT NOT NULL, same TEXT NOT NULL UNIQUE, text TEXT NOT NULL,
        content TEXT NOT NULL, times INTEGER NOT NULL, last REAL NOT NULL);
    CREATE INDEX examples_by_domain ON examples (domain, last);
    CREATE TABLE corrections (
        id INTEGER PRIMARY KEY, domain TEXT NOT NULL, same TEXT NOT NULL UNIQUE, failure TEXT NOT NULL,
        content TEXT NOT NULL, times INTEGER NOT NULL, failed INTEGER NOT NULL, last REAL NOT NULL);
    CREATE INDEX corrections_by_failure ON corrections (domain, failure, last);
    """,
    """
    CREATE TABLE offsets (
        id INTEGER PRIMARY KEY, body TEXT NOT NULL, key TEXT NOT NULL, samples REAL NOT NULL,
        mean_x REAL NOT NULL, mean_y REAL NOT NULL, scatter REAL NOT NULL, last REAL NOT NULL,
        UNIQUE (body, key));
    """,
)
"""Each brings a file from the version before it to its own: the first makes version 1."""
VERSION = len(MIGRATIONS)
FILE_NAME = "memory.sqlite"
_PATIENCE = 1.0
"""Wall seconds that a question waits while another process writes."""
_LIMIT_MB = 64
_PAGE = 4096

_Found = TypeVar("_Found")


class NewerFile(sqlite3.DatabaseError):
    """The file was written by a later version of the workspace."""


def version_of(connection: sqlite3.Connection) -> int:
    """Return the format version of a memory file.

    Args:
        connection: the open database.

    Returns:
        The version; 0 for a new file.

    Raises:
        NewerFile: for one that this version does not know.
    """
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > VERSION:
        raise NewerFile(f"it has version {version}, and this workspace reads up to {VERSION}")
    return version


def migrate(connection: sqlite3.Connection) -> None:
    """Upgrade a file to the current version, within the transaction of the caller.

    Args:
        connection: the open database.
    """
    for number in range(version_of(connection), VERSION):
        for statement in filter(str.strip, MIGRATIONS[number].split(";")):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {number + 1}")


@dataclass(frozen=True)
class Trouble:
    """Why the memory cannot be used, as a sentence."""

    message: str


class Store:
    """One file of memories. All of a process's writing goes through one lock; another process's is waited
    for.

    Args:
        patience: wall seconds to wait while another process writes.
        limit_mb: the largest size of the file; what would make it larger is not written.
    """

    def __init__(self, file: Union[str, Path], patience: float = _PATIENCE, limit_mb: float = _LIMIT_MB) -> None:
        self.file = Path(file)
        self._patience = patience
        self._most_pages = max(1, int(limit_mb * 1e6 / _PAGE))
        self._writing = Lock()

    def read(self, work: Callable[[sqlite3.Connection], _Found], nothing: _Found) -> Union[_Found, Trouble]:
        """Read from the file without changing it; a file of an earlier version is read as a copy.

        Args:
            work: reads from the connection.
            nothing: returned if the file does not exist.

        Returns:
            The result, or what is wrong with the file.
        """
        try:
            if not self.file.exists() or not self.file.stat().st_size:
                return nothing
            with closing(self._connect("ro")) as connection:
                if version_of(connection) == VERSION:
                    return work(connection)
                with closing(sqlite3.connect(":memory:", isolation_level=None)) as copy:
                    connection.backup(copy)
                    migrate(copy)
                    return work(copy)
        except (sqlite3.Error, OSError) as error:
            return self._trouble(error)

    def write(self, work: Callable[[sqlite3.Connection], _Found]) -> Union[_Found, Trouble]:
        """Change the file in one transaction; it is created if needed.

        Args:
            work: reads and writes; an exception rolls everything back.

        Returns:
            The result, or what is wrong with the file.
        """
        with self._writing:
            try:
                self.file.parent.mkdir(parents=True, exist_ok=True)
                with closing(self._connect("rwc")) as connection:
                    connection.execute(f"PRAGMA max_page_count = {self._most_pages}")
                    connection.execute("BEGIN IMMEDIATE")
                    try:
                        migrate(connection)
                        found = work(connection)
                        connection.execute("COMMIT")
                    except BaseException:
                        if connection.in_transaction:
                            connection.execute("ROLLBACK")
                        raise
                    return found
            except (sqlite3.Error, OSError) as error:
                return self._trouble(error)

    def copy_to(self, file: Path) -> Union[None, Trouble]:
        """Write a consistent copy of the file; without a file nothing is written.

        Args:
            file: path of the copy.

        Returns:
            What is wrong with the file; ``None`` on success.
        """
        def copied(connection: sqlite3.Connection) -> None:
            with closing(sqlite3.connect(str(file))) as other:
                connection.backup(other)

        return self.read(copied, None)

    def _connect(self, mode: str) -> sqlite3.Connection:
        place = f"file:{quote(str(self.file.resolve()))}?mode={mode}"
        return sqlite3.connect(place, timeout=self._patience, isolation_level=None, uri=True)

    def _trouble(self, error: Exception) -> Trouble:
        return Trouble(f"The memory in {self.file} cannot be used ({error}).")

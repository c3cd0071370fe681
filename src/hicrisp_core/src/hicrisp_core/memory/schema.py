"""The tables of the memory's file, and how a file of an earlier version becomes one of this."""

from __future__ import annotations

import sqlite3

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


class NewerFile(sqlite3.DatabaseError):
    """The file was written by a later version of the workspace."""


def version_of(connection: sqlite3.Connection) -> int:
    """The version of a file; 0 for one that is new.

    Raises:
        NewerFile: for one that this version does not know.
    """
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > VERSION:
        raise NewerFile(f"it has version {version}, and this workspace reads up to {VERSION}")
    return version


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a file to this version, within the transaction that the caller has begun: all of it or
    nothing.
    """
    for number in range(version_of(connection), VERSION):
        for statement in filter(str.strip, MIGRATIONS[number].split(";")):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {number + 1}")

"""Two files of one recording, written message by message: a rosbag and an MCAP file."""

from __future__ import annotations

import io
import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Dict, Tuple

import genpy
import rosbag
from mcap.writer import CompressionType, Writer

from hicrisp_nodes.recording import BAG, MCAP

_DRAFT = ".active"
"""Stands behind the names of files that are still being written."""
_CHUNK = 512 * 1024


@dataclass(frozen=True)
class Raw:
    """A message as it came over the wire.

    Args:
        kind: its type, such as ``std_msgs/String``.
        definition: the whole text of the type, with those that it contains.
        latched: whether its publisher keeps it for those who come later.
    """

    topic: str
    kind: str
    md5: str
    definition: str
    data: bytes
    caller: str = ""
    latched: bool = False


class Tape:
    """Writes a recording; its files have their names once it is closed.

    Args:
        folder: the run's folder.

    Raises:
        OSError: when they cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        compression = rosbag.Compression.LZ4
        try:
            import roslz4  # noqa: F401
        except ImportError:  # The only other kind is slow and would hold messages up.
            compression = rosbag.Compression.NONE
        self._bag = rosbag.Bag(str(folder / (BAG + _DRAFT)), "w", compression=compression, chunk_threshold=_CHUNK)
        self._stream: IO[bytes] = open(folder / (MCAP + _DRAFT), "wb")  # noqa: SIM115  until it is closed
        self._mcap = Writer(self._stream, chunk_size=_CHUNK, compression=CompressionType.ZSTD)
        self._mcap.start(profile="ros1", library="hicrisp")
        self._schemas: Dict[Tuple[str, str], int] = {}
        self._channels: Dict[Tuple[str, str, str], int] = {}
        self._kinds: Dict[Tuple[str, str], type] = {}
        self._counts: Dict[int, int] = {}
        self.messages = 0

    def write(self, raw: Raw, stamp: genpy.Time) -> None:
        """Add a message.

        Args:
            raw: topic, type and serialized content.
            stamp: ROS time.

        Raises:
            OSError: when the disk takes no more.
        """
        header = {"topic": raw.topic, "type": raw.kind, "md5sum": raw.md5,
                  "message_definition": raw.definition,
                  "callerid": raw.caller, "latching": "1" if raw.latched else "0"}
        key = raw.kind, raw.md5
        if key not in self._kinds:  # The class only carries the type's definition, which is all that the bag asks for.
            self._kinds[key] = type("Recorded", (genpy.Message,), {
                "_type": raw.kind, "_md5sum": raw.md5, "_full_text": raw.definition, "__slots__": []})
        self._bag.write(raw.topic, (raw.kind, raw.data, raw.md5, self._kinds[key]), stamp, raw=True,
                        connection_header=header)
        channel = self._channel(raw)
        nanoseconds = max(0, stamp.to_nsec())
        self._counts[channel] = self._counts.get(channel, 0) + 1
        self._mcap.add_message(channel, nanoseconds, raw.data, nanoseconds, self._counts[channel])
        self.messages += 1

    def close(self) -> None:
        """Complete the files and give them their names."""
        try:
            self._bag.close()
            self._mcap.finish()
        finally:
            self._stream.close()
        for name in (BAG, MCAP):
            os.replace(self._folder / (name + _DRAFT), self._folder / name)

    def _channel(self, raw: Raw) -> int:
        key = raw.topic, raw.kind, raw.caller
        if key not in self._channels:
            own = raw.kind, raw.md5
            if own not in self._schemas:
                self._schemas[own] = self._mcap.register_schema(raw.kind, "ros1msg", raw.definition.encode())
            self._channels[key] = self._mcap.register_channel(
                raw.topic, "ros1", self._schemas[own],
                {"callerid": raw.caller, "md5sum": raw.md5, "latching": "1" if raw.latched else "0"})
        return self._channels[key]


def packed(message: genpy.Message) -> bytes:
    """Serialize a message.

    Args:
        message: the ROS message.

    Returns:
        Its bytes on the wire.
    """
    buffer = io.BytesIO()
    message.serialize(buffer)
    return buffer.getvalue()

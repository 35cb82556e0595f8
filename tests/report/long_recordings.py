"""Recordings of hours: the motion of a short one again and again, by the recorder's writer."""

from pathlib import Path

import numpy as np

from hil.recording.reader import Recording
from hil.recording.rows import column_of, dtype_of
from hil.recording.writer import RecordingWriter


def write_long(source: Path, target: Path, cycles: int) -> Path:
    """Write a recording of so many cycles: a run of the platform, its motion again and again.

    Args:
        source: of a run at 500 Hz that parked.
        target: the new file.
    """
    short = Recording.open(source)
    rows = _raw_rows(source, short)
    engaged = np.flatnonzero(short.column("mode") == short.modes.index("ENGAGED"))
    first, end = int(engaged[0]), int(engaged[-1]) + 1
    writer = RecordingWriter(target, short.header, sync=False)
    at = 0
    while at < cycles:
        left = cycles - (len(rows) - end) - at
        block = rows[:first] if at == 0 else rows[first:end][:left] if left > 0 else rows[end:]
        block = block.copy()
        table = block.reshape(-1).view(dtype_of(short.signals))
        table["index"] = np.arange(at, at + len(block))
        table["t_s"] = np.arange(at, at + len(block)) * 0.002
        writer.add_rows(block, at)
        at += len(block)
    for number, event in enumerate(short.events):
        writer.add_event(event.to_bytes(), at + number)
    writer.finish({"dropped": "0", "lost": "0"})
    return target


def _raw_rows(path: Path, short: Recording) -> np.ndarray:
    """The rows as they stand in the file, (N, bytes of a row)."""
    from mcap.reader import make_reader

    with path.open("rb") as file:
        topic = short.signals.topics[0]
        data = b"".join(one.data for *_, one in make_reader(file).iter_messages(topics=[topic]))
    rows = np.frombuffer(data, np.uint8).reshape(short.cycles, -1)
    index = column_of(short.signals["index"], rows.reshape(-1).view(dtype_of(short.signals)))
    assert index.tolist() == short.column("index").tolist()
    return rows

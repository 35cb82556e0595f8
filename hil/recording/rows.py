"""Rows as arrays of numbers: the columns of a recording, and the rows a panel shows."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hil.recording.signals import Signals


def columns_of(signals: Signals, rows: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Values of each signal in all rows.

    Args:
        rows: (N,) of its dtype.

    Returns:
        Signal → (N,) or (N, count), read-only and without gaps. Whole numbers that may be missing
        are floats, NaN where they are; those of eight bytes are signed, as differences of them are
        taken.
    """
    columns: dict[str, NDArray[Any]] = {}
    for signal in signals.shown:
        values = rows[signal.name]
        if signal.there:
            there = rows[signal.there] != 0
            values = np.where(there if values.ndim == 1 else there[:, None], values, np.nan)
        kind = np.dtype(np.int64) if signal.type == "u8" and not signal.there else values.dtype
        column = np.ascontiguousarray(values, kind.newbyteorder("="))
        column.flags.writeable = False
        columns[signal.name] = column
    return columns


def numbers(signals: Signals, columns: Mapping[str, NDArray[Any]]) -> NDArray[np.float64]:
    """All columns side by side, at `Signals.places`: (N, values)."""
    table = np.empty((len(columns["index"]), signals.values))
    for name, place in signals.places.items():
        table[:, place] = columns[name].reshape(len(table), place.stop - place.start)
    return table


def decode(signals: Signals, payloads: Sequence[bytes]) -> NDArray[np.float64]:
    """Rows as they are in a ring → one row of numbers each; those of wrong sizes are left out."""
    whole = [payload for payload in payloads if len(payload) == signals.size]
    return numbers(signals, columns_of(signals, np.frombuffer(b"".join(whole), signals.dtype())))

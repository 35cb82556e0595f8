"""Rows as arrays of numbers: the columns of a recording, the rows a panel shows, and their poses.

Poses are published as ROS 2 does for viewers of frames: `tf2_msgs/msg/TFMessage`.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from math import cos, isfinite, sin
from struct import Struct
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from hil.recording.cdr import CdrWriter
from hil.recording.events import TIME_TEXT, put_time
from hil.recording.signals import QUATERNION, Signal, Signals


def dtype_of(signals: Signals) -> np.dtype[Any]:
    """Type of rows of a table, for `numpy.frombuffer` over them."""
    return np.dtype(cast(Any, signals.layout()))


def columns_of(signals: Signals, rows: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Values of each signal in all rows, which are (N,) of its `dtype_of`; see `column_of`."""
    return {signal.name: column_of(signal, rows) for signal in signals.shown}


def column_of(signal: Signal, rows: NDArray[Any]) -> NDArray[Any]:
    """Values of a signal in all rows, which are (N,) of the table's `dtype_of`.

    Returns:
        (N,) or (N, count), read-only and without gaps. Whole numbers that may be missing are
        floats, NaN where they are; those of eight bytes are signed, as differences of them are
        taken.
    """
    values = rows[signal.name]
    if signal.there:
        there = rows[signal.there] != 0
        values = np.where(there if values.ndim == 1 else there[:, None], values, np.nan)
    kind = np.dtype(np.int64) if signal.type == "u8" and not signal.there else values.dtype
    column = np.ascontiguousarray(values, kind.newbyteorder("="))
    column.flags.writeable = False
    return column


def numbers(signals: Signals, columns: Mapping[str, NDArray[Any]]) -> NDArray[np.float64]:
    """All columns side by side, at `Signals.places`: (N, values)."""
    table = np.empty((len(columns["index"]), signals.values))
    for name, place in signals.places.items():
        table[:, place] = columns[name].reshape(len(table), place.stop - place.start)
    return table


def decode(signals: Signals, payloads: Sequence[bytes]) -> NDArray[np.float64]:
    """Rows as they are in a ring → one row of numbers each; those of wrong sizes are left out."""
    whole = [payload for payload in payloads if len(payload) == signals.size]
    return numbers(signals, columns_of(signals, np.frombuffer(b"".join(whole), dtype_of(signals))))


TF_SCHEMA: Final = "tf2_msgs/msg/TFMessage"

_RULE: Final = "=" * 80
TF_TEXT: Final = f"""geometry_msgs/TransformStamped[] transforms
{_RULE}
MSG: geometry_msgs/TransformStamped
std_msgs/Header header
string child_frame_id
geometry_msgs/Transform transform
{_RULE}
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
{_RULE}
MSG: geometry_msgs/Transform
geometry_msgs/Vector3 translation
geometry_msgs/Quaternion rotation
{_RULE}
MSG: geometry_msgs/Vector3
float64 x
float64 y
float64 z
{_RULE}
MSG: geometry_msgs/Quaternion
float64 x
float64 y
float64 z
float64 w
{TIME_TEXT}"""

Pose = tuple[str, str, Sequence[float]]
"""Frame, child frame, and x, y, z [m] with the quaternion x, y, z, w."""


class RowPoses:
    """Those in the rows of a table."""

    def __init__(self, signals: Signals) -> None:
        self._found = [
            (one.frame, one.child, one.parts == QUATERNION, Struct(f"<{one.count}d"), at)
            for one, at in zip(signals.fields, signals.offsets, strict=True)
            if one.child
        ]

    def there(self, rows: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Rows in which there is a pose, (N,)."""
        found = np.zeros(len(rows), bool)
        for *_, layout, at in self._found:
            values = np.ascontiguousarray(rows[:, at : at + layout.size]).view("<f8")
            found |= np.isfinite(values).all(axis=1)
        return found

    def of(self, row: bytes) -> list[Pose]:
        """Those that are there in a row."""
        poses: list[Pose] = []
        for frame, child, is_quaternion, layout, at in self._found:
            x, y, z, *turn = layout.unpack_from(row, at)
            if isfinite(x + y + z + sum(turn)):
                rotation = (*turn[1:], turn[0]) if is_quaternion else quaternion(*turn)
                poses.append((frame, child, (x, y, z, *rotation)))
        return poses


def tf_message(poses: Sequence[Pose], time_ns: int) -> bytes:
    """Poses at a time [ns], as CDR."""
    template, places = _template(tuple((frame, child) for frame, child, _ in poses))
    message, stamp = bytearray(template), divmod(time_ns, 1_000_000_000)
    for (time_at, values_at), (_, _, values) in zip(places, poses, strict=True):
        _STAMP.pack_into(message, time_at, *stamp)
        _POSE.pack_into(message, values_at, *values)
    return bytes(message)


_STAMP: Final = Struct("<iI")
_POSE: Final = Struct("<7d")


@cache
def _template(frames: tuple[tuple[str, str], ...]) -> tuple[bytes, list[tuple[int, int]]]:
    """A message of these frames, and where it has each one's time and pose."""
    writer = CdrWriter()
    writer.put("I", len(frames))
    places: list[tuple[int, int]] = []
    for frame, child in frames:
        time_at = put_time(writer, 0)
        writer.text(frame)
        writer.text(child)
        places.append((time_at, writer.put("d", *[0.0] * 7)))
    return writer.message(), places


def quaternion(
    alpha_rad: float, beta_rad: float, gamma_rad: float
) -> tuple[float, float, float, float]:
    """The unit quaternion x, y, z, w of Rz(alpha) · Ry(beta) · Rx(gamma)."""
    ca, sa = cos(alpha_rad / 2.0), sin(alpha_rad / 2.0)
    cb, sb = cos(beta_rad / 2.0), sin(beta_rad / 2.0)
    cg, sg = cos(gamma_rad / 2.0), sin(gamma_rad / 2.0)
    return (
        ca * cb * sg - sa * sb * cg,
        ca * sb * cg + sa * cb * sg,
        sa * cb * cg - ca * sb * sg,
        ca * cb * cg + sa * sb * sg,
    )

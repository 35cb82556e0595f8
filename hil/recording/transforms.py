"""The poses of a row as ROS 2 tells them to whoever draws frames: `tf2_msgs/msg/TFMessage`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, isfinite, sin
from struct import Struct
from typing import Final

from hil.recording.cdr import CdrWriter
from hil.recording.events import TIME_TEXT, put_time
from hil.recording.signals import QUATERNION, Signals

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
"""Definition of the message."""

Pose = tuple[str, str, Sequence[float]]
"""Frame, child frame, and x, y, z [m] with the quaternion x, y, z, w."""


def poses_in(signals: Signals) -> Callable[[bytes], list[Pose]]:
    """Gives the poses that are there in a row of a table."""
    found = [
        (signal.frame, signal.child, signal.parts == QUATERNION, Struct(f"<{signal.count}d"), at)
        for signal, at in zip(signals.fields, signals.offsets, strict=True)
        if signal.child
    ]

    def of(row: bytes) -> list[Pose]:
        poses: list[Pose] = []
        for frame, child, is_quaternion, layout, at in found:
            x, y, z, *turn = layout.unpack_from(row, at)
            if isfinite(x + y + z + sum(turn)):
                rotation = (*turn[1:], turn[0]) if is_quaternion else quaternion(*turn)
                poses.append((frame, child, (x, y, z, *rotation)))
        return poses

    return of


def tf_message(poses: Sequence[Pose], time_ns: int) -> bytes:
    """Poses at a time [ns], as CDR."""
    writer = CdrWriter()
    writer.put("I", len(poses))
    for frame, child, values in poses:
        put_time(writer, time_ns)
        writer.text(frame)
        writer.text(child)
        writer.put("d", *values)
    return writer.message()


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

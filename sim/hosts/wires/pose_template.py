"""Axes of a rig as SimTools and FlyPT Mover send them: a template filled with unipolar numbers.

``<Axis1a>`` to ``<Axis6a>`` stand for the axes, ``<255>`` for a byte; all else is sent as it is.
The middle of the range is neutral. In text an axis is a decimal number, in binary a big-endian
integer of as many bytes as its bits need.

Which vehicle does what is the tool's own business; here roll and pitch are a share of the
vehicle's, surge, sway and heave a share of its force.
"""

from __future__ import annotations

import math
import re
from typing import Final

from sim.hosts.telemetry import Packed, Silent, Telemetry
from sim.hosts.vehicle_motion import GRAVITY_M_S2, VehicleMotion, to_euler

TEXT: Final = "<Axis1a>,<Axis2a>,<Axis3a>,<Axis4a>,<Axis5a>,<Axis6a>X"
BINARY: Final = "<255><255>F1<Axis1a><Axis2a><Axis3a><Axis4a><Axis5a><Axis6a>!"
SPANS: Final = (0.1, 0.1, 0.1, math.radians(10.0), math.radians(10.0), math.radians(10.0))
"""What the ends of the axes' ranges mean: surge, sway, heave [m], roll, pitch, yaw [rad]."""
_PART: Final = re.compile(r"<Axis([1-6])a>|<(\d{1,3})>")
_SHARE_M: Final = 0.008
_SHARE: Final = 0.4


class Template(Silent):
    """Poses: surge, sway, heave, roll, pitch, yaw as axes 1 to 6.

    Args:
        template: what is filled in.
        bits: of an axis.
        binary: whether axes are integers and not text.
        spans: what the ends of the ranges mean [m, rad].

    Raises:
        ValueError: if the template has no axis, or the bits cannot be.
    """

    def __init__(
        self,
        template: str = TEXT,
        bits: int = 12,
        binary: bool = False,
        spans: tuple[float, ...] = SPANS,
    ) -> None:
        if not 8 <= bits <= 16:
            raise ValueError(f"bits = {bits}: 8 to 16 are needed")
        if "Axis" not in template:
            raise ValueError(f"template {template!r}: it needs <Axis1a> to <Axis6a>")
        self._top = 2**bits - 1
        self._bytes = (bits + 7) // 8
        self._binary, self._spans = binary, spans
        self._parts = _parts(template)

    def pack(self, shown: Telemetry) -> tuple[Packed, ...]:
        """One pose."""
        pose = zip(pose_of(shown.motion), self._spans, strict=True)
        axes = [self._number(value, span) for value, span in pose]
        data = b"".join(
            part if isinstance(part, bytes) else self._written(axes[part]) for part in self._parts
        )
        return (Packed(data),)

    def _number(self, value: float, span: float) -> int:
        share = max(-1.0, min(1.0, value / span)) if math.isfinite(value) else 0.0
        return round(0.5 * self._top * (1.0 + share))

    def _written(self, number: int) -> bytes:
        if self._binary:
            return number.to_bytes(self._bytes, "big")
        return str(number).encode()


def pose_of(motion: VehicleMotion) -> tuple[float, ...]:
    """What such a tool makes of a vehicle's motion: surge, sway, heave [m], roll, pitch, yaw [rad].

    Forward, right, up; right wing down, nose up, nose right.
    """
    phi, theta, _ = to_euler(motion.attitude)
    x, y, z = motion.f_m_s2
    yaw = _SHARE * motion.omega_rad_s[2]
    heave = _SHARE_M * (-z - GRAVITY_M_S2)
    return (_SHARE_M * x, _SHARE_M * y, heave, _SHARE * phi, _SHARE * theta, yaw)


def _parts(template: str) -> tuple[bytes | int, ...]:
    parts: list[bytes | int] = []
    end = 0
    for found in _PART.finditer(template):
        parts.append(template[end : found.start()].encode())
        axis, byte = found.groups()
        parts.append(int(axis) - 1 if axis else bytes([int(byte)]))
        end = found.end()
    parts.append(template[end:].encode())
    return tuple(part for part in parts if part != b"")

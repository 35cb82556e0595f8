"""BeamNG's MotionSim ("BNG1", 88 bytes) and OutGauge (96 bytes), to the same port, as it does.

World axes: x east, y north, z up. MotionSim's acceleration is without gravity and points right,
forward, up; its angles and rates are positive as ours (right side down, nose up, nose right), but
its yaw is the heading less half a turn. It has neither stamp, sequence nor flags, and keeps its
rate by the clock on the wall, in slow motion, too.

Source: the game's own scripts, `vehicle/protocols.lua` and those whose sensors it sends; for the
members `protocols/motionSim.lua` and `protocols/outgauge.lua`, for what OutGauge tells the latter.
Not modelled: the game's smoothing, gears, lights.
"""

from __future__ import annotations

import math
import struct
from typing import Final

from sim.hosts.telemetry import Packed, Silent, Telemetry
from sim.hosts.vehicle_motion import Vector, acceleration, to_earth, to_euler

_MOTION: Final = struct.Struct("<4s21f")
_GAUGE: Final = struct.Struct("<I4sHBB7f2I3f16s16si")
_METRIC: Final = 1 << 14 | 1 << 15
"""OG_KM and OG_BAR, which the game always sets."""
_LIGHTS: Final = 1 << 1 | 1 << 2 | 1 << 5 | 1 << 6 | 1 << 8 | 1 << 9
"""Full beam, hand brake, both signals, oil, battery: lamps that every vehicle has."""


class MotionSim(Silent):
    """Both packets of one moment.

    Args:
        gauge: whether OutGauge is sent as well.
    """

    def __init__(self, gauge: bool = True) -> None:
        self._gauge = gauge

    def pack(self, shown: Telemetry) -> tuple[Packed, ...]:
        """MotionSim, then OutGauge."""
        motion = shown.motion
        phi, theta, psi = to_euler(motion.attitude)
        forward, right, down = acceleration(motion)
        p, q, r = motion.omega_rad_s
        dp, dq, dr = motion.domega_rad_s2
        moved = _MOTION.pack(
            b"BNG1",
            *_world(motion.position_m),
            *_world(to_earth(motion.attitude, motion.v_m_s)),
            right, forward, -down,
            *_world(to_earth(motion.attitude, (0.0, 0.0, -1.0))),
            phi, theta, math.remainder(psi - math.pi, 2.0 * math.pi),
            p, q, r,
            dp, dq, dr,
        )  # fmt: skip
        packets = (Packed(moved),)
        return (*packets, Packed(_gauge(shown))) if self._gauge else packets


def _world(ned: Vector) -> Vector:
    north, east, down = ned
    return (east, north, -down)


def _gauge(shown: Telemetry) -> bytes:
    """OutGauge; its time is always 0, its car "beam"."""
    speed_m_s = math.hypot(*shown.motion.v_m_s)
    rpm = 800.0 + 120.0 * speed_m_s if math.isfinite(speed_m_s) else 800.0
    return _GAUGE.pack(
        0, b"beam", _METRIC, 2, 0,
        speed_m_s, rpm, 0.0, 90.0, 0.6, 0.0, 90.0,
        _LIGHTS, 0,
        0.3, 0.0, 0.0,
        b"", b"",
        0,
    )  # fmt: skip

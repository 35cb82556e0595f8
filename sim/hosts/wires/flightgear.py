"""FlightGear's native FDM packet, version 24: 408 bytes, big-endian, in feet where it likes to.

Source: `net_fdm.hxx` of FlightGear (public domain) for the members, `native_structs.cxx` for what
they are filled with. Its clock counts whole seconds, so it has no stamp of use; it has neither
sequence nor flags. Not modelled: wind, the height of the ground, engines but one, fuel.
"""

from __future__ import annotations

import math
import struct
from typing import Final

from sim.hosts.telemetry import Packed, Silent, Telemetry
from sim.hosts.vehicle_motion import Vector, euler_rates, to_earth, to_euler

FOOT_M: Final = 0.3048
KNOT_M_S: Final = 1852.0 / 3600.0
EARTH_M: Final = 6_378_137.0
"""Radius of the earth at the equator (WGS 84)."""
HOME_RAD: Final = (math.radians(51.1344), math.radians(13.7680))
"""Latitude and longitude of the runway."""
_EPOCH_S: Final = 1_700_000_000
_LAYOUT: Final = struct.Struct(">2I3d22f5I36fI4fI3I9fIi11f")
_ENGINES, _TANKS, _WHEELS = 4, 4, 3
"""As many as there is room for are always told."""
_RUNNING: Final = 2


def latitude_longitude(position_m: Vector) -> tuple[float, float]:
    """Where a place of the flat earth is [rad]."""
    north, east, _ = position_m
    latitude, longitude = HOME_RAD
    return latitude + north / EARTH_M, longitude + east / (EARTH_M * math.cos(latitude))


class NativeFdm(Silent):
    """What ``--native-fdm=socket,out,60,localhost,5501,udp`` sends."""

    def pack(self, shown: Telemetry) -> tuple[Packed, ...]:
        """One packet."""
        motion = shown.motion
        phi, theta, psi = to_euler(motion.attitude)
        latitude, longitude = latitude_longitude(motion.position_m)
        earth = [speed / FOOT_M for speed in to_earth(motion.attitude, motion.v_m_s)]
        body = [speed / FOOT_M for speed in motion.v_m_s]
        speed_m_s = math.hypot(*motion.v_m_s)
        u, v, w = motion.v_m_s
        alpha = math.atan2(w, u) if speed_m_s > 1.0 else 0.0
        beta = math.asin(v / speed_m_s) if speed_m_s > 1.0 else 0.0
        height_m = -motion.position_m[2]
        wheels = [int(motion.ground)] * 3
        data = _LAYOUT.pack(
            24, 0, longitude, latitude, height_m, height_m,
            phi, theta, psi % (2.0 * math.pi), alpha, beta,
            *euler_rates(motion.omega_rad_s, phi, theta),
            speed_m_s / KNOT_M_S, -earth[2], *earth, *body,
            *(force / FOOT_M for force in motion.f_m_s2),
            0.0, 0.0,
            _ENGINES, _RUNNING, 0, 0, 0, 2300.0, *[0.0] * 35,
            _TANKS, 20.0, 0.0, 0.0, 0.0,
            _WHEELS, *wheels, *[1.0] * 3, *[0.0] * 6,
            _EPOCH_S + int(shown.time_s), 0, 16_000.0, *[0.0] * 10,
        )  # fmt: skip
        return (Packed(data),)

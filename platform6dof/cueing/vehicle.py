"""State of a vehicle at one moment, as every source gives it and every filter takes it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntFlag
from typing import Final

Vector3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

GRAVITY_M_S2: Final = 9.80665
"""Standard gravity (ISO 80000-3)."""
_NAN: Final = math.nan
UNKNOWN: Final[Vector3] = (_NAN, _NAN, _NAN)
"""Value of a vector that a source does not give."""


class VehicleFlags(IntFlag):
    """Flags of a host about its simulation beside the vehicle's motion."""

    PAUSED = 1
    RESET = 2
    """The vehicle was set elsewhere: what follows does not continue what was."""
    REPLAY = 4
    END = 8
    """The host leaves; nothing follows."""
    GROUND = 32
    """The vehicle's wheels are on the ground."""
    POSE = 64
    """`position_m` and `attitude` are the pose that the platform shall take, from neutral."""


NO_FLAGS: Final = VehicleFlags(0)


@dataclass(frozen=True, slots=True)
class VehicleState:
    """Motion of a vehicle; body axes are forward, right, down (FRD), the earth's north, east, down.

    A component that its source does not give is NaN. What a filter needs is complete: a source
    that gives less is completed by `platform6dof.cueing.completion` before it gets there.
    """

    t_s: float
    """Time on the source's own clock [s]; NaN if it has none."""
    f_m_s2: Vector3
    """Specific force at the rider's head, acceleration minus gravity, in body axes [m/s²]; at rest
    and level (0, 0, -9.81)."""
    omega_rad_s: Vector3
    """Angular velocity in body axes [rad/s]."""
    domega_rad_s2: Vector3 = UNKNOWN
    """Its derivative in body axes [rad/s²]."""
    attitude: Quaternion = (_NAN, _NAN, _NAN, _NAN)
    """Rotation from body axes to north, east, down: w, x, y, z, of length 1."""
    v_m_s: Vector3 = UNKNOWN
    """Velocity over ground in body axes [m/s]."""
    position_m: Vector3 = UNKNOWN
    """North, east, down of some fixed place [m]."""
    flags: VehicleFlags = NO_FLAGS
    speed_factor: float = 1.0
    """Seconds of the simulation in one of ours; NaN if the source does not give it."""


REST: Final = VehicleState(
    0.0,
    (0.0, 0.0, -GRAVITY_M_S2),
    (0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0),
    (1.0, 0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0),
)
"""State of a vehicle at rest, level and pointing north."""
